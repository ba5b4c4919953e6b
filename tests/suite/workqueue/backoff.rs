use super::*;

fn holding() -> WorkQueue<u32> {
    WorkQueue::builder()
        .limiter(ExponentialBackoff::new(S, 64 * S))
        .backoff_holds(Duration::MAX)
        .build()
}

/// Returns when the next item comes, in seconds from now.
async fn comes_after(queue: &WorkQueue<u32>) -> u64 {
    let start = Instant::now();
    drop(queue.get().await.unwrap());
    start.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn adds_do_not_end_a_backoff_that_holds() {
    let queue = holding();
    queue.add(1);
    for delay in [1, 2, 4, 8] {
        let work = queue.get().await.unwrap();
        queue.add(1); // while it is processed
        assert_eq!(work.retry(), Some(delay * S));
        let start = Instant::now();
        while start.elapsed() < delay * S {
            assert!(queue.try_get().is_none(), "{:?} of {delay} s", start.elapsed());
            queue.add(1);
            queue.add_after(1, MS);
            queue.add_with(1, Priority::HIGH);
            assert_eq!((queue.len(), queue.status().delayed), (0, 1));
            sleep(100 * MS).await;
        }
        assert_eq!(queue.len(), 1, "the backoff of {delay} s is over");
    }
    drop(queue.get().await);
    assert!(queue.try_get().is_none(), "the adds of the backoff are one with the retry");
}

#[tokio::test(start_paused = true)]
async fn adds_end_a_backoff_unless_it_holds() {
    let queue = WorkQueue::builder().limiter(ExponentialBackoff::new(S, 64 * S)).build();
    queue.add_rate_limited(1);
    assert!(queue.try_get().is_none());
    queue.add(1);
    assert_eq!(all_ready(&queue), [1], "as in client-go");
    assert_eq!(comes_after(&queue).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_backoff_that_holds_outlasts_an_earlier_delay() {
    let queue = holding();
    queue.add_after(1, 100 * MS);
    queue.add_rate_limited(1);
    assert_eq!(comes_after(&queue).await, 1);
    queue.add_rate_limited(1);
    queue.add_after(1, 100 * MS);
    assert_eq!(comes_after(&queue).await, 2);
    assert!(timeout(100 * S, queue.get()).await.is_err(), "once");
}

/// Delays of adds during the work, adds after it with their times, and when the item comes.
type Case = (&'static [u32], &'static [(u32, u32)], u32);

#[tokio::test(start_paused = true)]
async fn adds_end_a_backoff_that_has_held() {
    let limiter = ExponentialBackoff::new(60 * S, 60 * S);
    let queue = WorkQueue::builder().limiter(limiter).backoff_holds(10 * S).build();
    let add = |delay: u32| queue.add_after(1, delay * S);
    let cases: [Case; 9] = [
        (&[], &[], 60),
        (&[0], &[], 10),
        (&[1], &[], 10),
        (&[20], &[], 20),
        (&[], &[(3, 0)], 10),
        (&[], &[(30, 0)], 30),
        (&[], &[(3, 1), (4, 0)], 10),
        (&[], &[(3, 30)], 33),
        (&[30], &[(5, 90), (15, 1)], 16),
    ];
    queue.add(1);
    for (meanwhile, later, comes) in cases {
        let work = queue.get().await.unwrap();
        for delay in meanwhile {
            assert!(add(*delay));
        }
        assert_eq!(work.retry(), Some(60 * S));
        let start = Instant::now();
        for (at, delay) in later {
            tokio::time::sleep_until(start + *at * S).await;
            assert!(add(*delay));
        }
        assert_eq!(queue.status().ready + queue.status().delayed, 1);
        let work = queue.get().await.unwrap();
        assert_eq!(start.elapsed(), comes * S, "{meanwhile:?} {later:?}");
        work.forget();
        work.requeue_after(Duration::ZERO);
    }
}

/// A worker that sleeps until a backoff is over hears of an add that ends it earlier.
#[tokio::test(start_paused = true)]
async fn waiting_worker_hears_of_a_shorter_backoff() {
    let limiter = ExponentialBackoff::new(60 * S, 60 * S);
    let queue = WorkQueue::builder().limiter(limiter).backoff_holds(10 * S).build();
    let start = Instant::now();
    queue.add_rate_limited(1);
    let waiting = queue.clone();
    let comes = tokio::spawn(async move { comes_after(&waiting).await });
    sleep(3 * S).await;
    queue.add(1);
    assert_eq!(comes.await.unwrap(), 10);
    assert_eq!(start.elapsed(), 10 * S);
}

#[tokio::test(start_paused = true)]
async fn other_items_pass_one_in_backoff() {
    let queue = holding();
    queue.add_rate_limited(1);
    queue.add(2);
    queue.add(1);
    assert_eq!(all_ready(&queue), [2]);
}

#[tokio::test(start_paused = true)]
async fn reset_makes_an_item_ready_and_forgets_delays() {
    let queue = holding();
    for _ in 0..5 {
        queue.add_rate_limited(1);
    }
    assert_eq!(queue.num_requeues(&1), 5);
    assert!(queue.reset_backoff(&1));
    assert_eq!(queue.num_requeues(&1), 0);
    assert_eq!(queue.get().await.unwrap().retry(), Some(S));
    assert_eq!(comes_after(&queue).await, 1);
    assert!(!queue.reset_backoff(&1), "it is in no backoff");
    queue.add_after(1, 5 * S);
    assert!(!queue.reset_backoff(&1), "a delay is no backoff");
    assert_eq!(comes_after(&queue).await, 5);
}

#[tokio::test(start_paused = true)]
async fn a_reset_wakes_a_worker_that_waits() {
    let queue = holding();
    queue.add_rate_limited(1);
    let worker = queue.clone();
    let worker = tokio::spawn(async move { worker.get().await.map(|work| *work) });
    sleep(MS).await;
    let start = Instant::now();
    queue.reset_backoff(&1);
    assert_eq!(worker.await.unwrap(), Some(1));
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn reset_during_processing_lets_adds_through() {
    let queue = holding();
    queue.add(1);
    let work = queue.get().await.unwrap();
    queue.reset_backoff(&1);
    queue.add(1);
    work.retry();
    let work = queue.try_get().expect("the try that failed saw the old state");
    queue.add(1);
    work.retry();
    assert!(queue.try_get().is_none(), "the next one holds again");
}

#[tokio::test(start_paused = true)]
async fn a_forgotten_item_waits_until_the_next_add() {
    let queue = holding();
    queue.add_rate_limited(1);
    queue.forget(&1);
    assert!(queue.try_get().is_none());
    queue.add(1);
    assert_eq!(all_ready(&queue), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_gives_back_what_is_in_backoff() {
    let queue = holding();
    queue.add_rate_limited(1);
    queue.add(1);
    assert_eq!(queue.shutdown(), [1]);
    assert!(queue.get().await.is_none());
}
