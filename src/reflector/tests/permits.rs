//! Lists that wait for a permit.

use tokio::sync::Semaphore;

use super::*;
use crate::time::ReadBarrier;

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

/// Another list has the only permit.
#[tokio::test(start_paused = true)]
async fn watch_goes_on_until_demanded_list_has_its_permit() {
    for refused in [false, true] {
        let permits = Arc::new(Semaphore::new(1));
        let options = ReflectorOptions::new().list_permits(permits.clone());
        let rig = Rig::with(source(&["a", "b"]), options);
        let lists = || rig.limits().iter().filter(|limit| **limit != Some(1)).count();
        seconds(10.0).await;
        if refused {
            rig.source.fail_list(fault(400, "BadRequest"));
        }
        let other = permits.clone().try_acquire_owned().unwrap();
        let monitor = rig.monitor.clone();
        let listed = tokio::spawn(async move { monitor.listed_since(ReadBarrier::now()).await });
        seconds(60.0).await;
        rig.source.put(object("c"));
        settle().await;
        assert_eq!(rig.sink.folded().len(), 3);
        assert_eq!(rig.monitor.status().state, ReflectorState::Watching);
        assert_eq!(lists(), 1);
        drop(other);
        seconds(2.0).await;
        assert!(listed.is_finished());
        assert_eq!((lists(), permits.available_permits()), (2, 1));
    }
}

/// The watch reaches the quorum's version only later.
#[tokio::test(start_paused = true)]
async fn proof_by_the_watch_ends_the_wait_for_a_permit() {
    for abandoned in [false, true] {
        let fake = Arc::new(source(&["a"]));
        let late = ScriptedSource::with_watch(&fake, |watch| {
            watch.then(|item| async { (seconds(100.0).await, item).1 }).boxed()
        });
        let permits = Arc::new(Semaphore::new(1));
        let options = ReflectorOptions::new().list_permits(permits.clone()).seed(1);
        let reflector = Reflector::new(late, options);
        let (sink, monitor) = (Sink::default(), reflector.monitor());
        let task = tokio::spawn(reflector.run(sink.clone()));
        seconds(10.0).await;
        let other = permits.clone().try_acquire_owned().unwrap();
        fake.put(object("b"));
        let proved = tokio::spawn(async move { monitor.proved_since(ReadBarrier::now()).await });
        seconds(50.0).await;
        assert!(!proved.is_finished());
        if abandoned {
            proved.abort();
        } else {
            seconds(51.0).await;
            assert!(proved.is_finished());
        }
        drop(other);
        seconds(100.0).await;
        assert_eq!(requests_of(&fake), ["list \"\"", "watch 1", "list \"\""], "one question");
        assert_eq!((sink.folded().len(), permits.available_permits()), (2, 1));
        task.abort();
    }
}
