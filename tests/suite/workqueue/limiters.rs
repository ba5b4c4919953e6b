use super::*;

fn delays<L: RateLimiter<&'static str>>(limiter: &mut L, tries: usize) -> Vec<Duration> {
    let now = Instant::now();
    (0..tries).map(|_| limiter.delay(&"a", now)).collect()
}

#[test]
fn a_backoff_doubles_up_to_its_longest() {
    let mut backoff = ExponentialBackoff::new(MS, 10 * MS);
    assert_eq!(delays(&mut backoff, 6), [MS, 2 * MS, 4 * MS, 8 * MS, 10 * MS, 10 * MS]);
    assert_eq!(backoff.requeues(&"a"), 6);
    backoff.forget(&"a");
    assert_eq!(backoff.requeues(&"a"), 0);
}

#[test]
fn a_backoff_never_overflows() {
    let mut backoff = ExponentialBackoff::new(Duration::from_secs(1), Duration::MAX);
    let all = delays(&mut backoff, 1000);
    assert!(all.is_sorted());
    let mut backoff = ExponentialBackoff::new(MS, 1000 * MS);
    assert_eq!(delays(&mut backoff, 1000).last(), Some(&(1000 * MS)));
}

#[test]
fn fast_tries_then_slow_ones() {
    let mut limiter = FastSlow::new(MS, 9 * MS, 2);
    assert_eq!(delays(&mut limiter, 4), [MS, MS, 9 * MS, 9 * MS]);
    limiter.forget(&"a");
    assert_eq!(delays(&mut limiter, 1), [MS]);
}

#[test]
fn bucket_passes_burst_then_its_rate() {
    let mut bucket = TokenBucket::new(10.0, 3);
    let delays = delays(&mut bucket, 6);
    assert_eq!(delays[..3], [Duration::ZERO; 3]);
    for (delay, wanted) in delays[3..].iter().zip([100, 200, 300]) {
        assert!(delay.abs_diff(wanted * MS) < MS, "{delay:?}");
    }
}

#[test]
fn bucket_refills_up_to_its_burst() {
    let mut bucket = TokenBucket::new(10.0, 3);
    let now = Instant::now();
    for _ in 0..3 {
        bucket.delay(&"a", now);
    }
    let later = now + Duration::from_secs(3600);
    let delays: Vec<_> = (0..4).map(|_| bucket.delay(&"a", later)).collect();
    assert_eq!(delays[..3], [Duration::ZERO; 3]);
    assert!(delays[3] > Duration::ZERO);
}

#[test]
fn the_default_is_client_gos() {
    let mut limiter = default_limiter();
    let first = delays(&mut limiter, 3);
    assert_eq!(first, [5 * MS, 10 * MS, 20 * MS]);
    let now = Instant::now();
    let items: Vec<u32> = (0..200).collect();
    let mut limiter = default_limiter();
    let last = items.iter().map(|item| limiter.delay(item, now)).last();
    assert!(last.is_some_and(|last| last.abs_diff(Duration::from_secs(10)) < MS));
}
