//! Lists that wait for a permit.

use tokio::sync::Semaphore;

use super::*;

#[tokio::test(start_paused = true)]
async fn lists_need_a_permit_and_watches_do_not() {
    let permits = Arc::new(Semaphore::new(1));
    let held = permits.clone().try_acquire_owned().unwrap();
    let options = || ReflectorOptions::new().list_permits(permits.clone());
    let rigs = [Rig::with(source(&["a"]), options()), Rig::with(source(&["b"]), options())];
    settle().await;
    assert!(rigs.iter().all(|rig| rig.requests().is_empty()));
    assert!(rigs.iter().all(|rig| rig.monitor.status().state == ReflectorState::AwaitingPermit));
    drop(held);
    settle().await;
    assert!(rigs.iter().all(|rig| rig.requests() == ["list \"\"", "watch 1"]));
    assert_eq!(permits.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn refused_list_keeps_its_permit_for_a_while() {
    for (asked, kept) in [(None, 1.0), (Some(3), 3.0), (Some(600), 5.0)] {
        let permits = Arc::new(Semaphore::new(1));
        let options = || ReflectorOptions::new().list_permits(permits.clone());
        let fake = source(&["a"]);
        let mut throttled = status(429, "TooManyRequests");
        throttled.retry_after = asked.map(Duration::from_secs);
        (0..2).for_each(|_| fake.fail_list(Fault::Status(throttled.clone())));
        let busy = Rig::with(fake, options());
        settle().await;
        let other = Rig::with(source(&["b"]), options());
        let begun = Instant::now();
        while other.requests().is_empty() {
            seconds(0.05).await;
        }
        let waited = begun.elapsed().as_secs_f64();
        assert!((0.04..kept + 0.1).contains(&waited), "{asked:?}: {waited}");
        seconds(0.1).await;
        other.assert_converged();
        drop(busy);
        settle().await;
        assert_eq!(permits.available_permits(), 1, "also if it ends during that time");
    }
}
