//! The rate and the delays of requests.

use super::*;

#[tokio::test(start_paused = true)]
async fn short_watches_are_rate_limited() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(100) {
        rig.source.put(object("a"));
        settle().await;
        rig.source.end_watches(WatchEnd::Ordinary);
        settle().await;
    }
    let status = rig.monitor.status();
    assert!(status.watches < 110, "{} watches in 100 s", status.watches);
    assert!(status.watches > 90, "not slower: {}", status.watches);
    assert_eq!(status.lists, 1);
    assert!(status.short_watches >= status.watches - 1 && status.errors >= status.watches - 1);
    seconds(2.0).await;
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn old_bookmark_is_a_question_and_no_proof() {
    let fake = Arc::new(source(&["a", "b"]));
    let scripted = ScriptedSource::with_watch(&fake, |watch| {
        let version = 1.into();
        let old = WatchItem::Bookmark { version, initial_events_end: false };
        futures::stream::iter([Ok(old)]).chain(watch).boxed()
    });
    let reflector = Reflector::new(scripted, ReflectorOptions::new().seed(1));
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(3600.0).await;
    let status = monitor.status();
    assert_eq!((status.lists, status.errors), (1, 0), "{status:?}");
    assert_eq!(sink.0.lock().0, ["=2"]);
    assert_eq!(status.probes, status.watches, "each has one, and history goes on");
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn relists_after_old_events_become_rare() {
    let fake = Arc::new(source(&["a", "b"]));
    let scripted = ScriptedSource::with_watch(&fake, |watch| {
        let mut gone = object("gone");
        gone.metadata.resource_version = Some("1".into());
        gone.metadata.uid = Some("gone".into());
        let old = WatchItem::Deleted(Ok(gone.into()));
        futures::stream::iter([Ok(old)]).chain(watch).boxed()
    });
    let reflector = Reflector::new(scripted, ReflectorOptions::new().seed(1));
    let monitor = reflector.monitor();
    let task = tokio::spawn(reflector.run(Sink::default()));
    seconds(3600.0).await;
    let status = monitor.status();
    assert!((10..50).contains(&status.lists), "{} lists in an hour", status.lists);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn watches_without_progress_are_relisted() {
    for end in [WatchEnd::Ordinary, WatchEnd::Broken, WatchEnd::Failed(status(500, "x"))] {
        let rig = Rig::start(source(&["a"]));
        settle().await;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(600) {
            seconds(0.5).await;
            let ReflectorStatus { state, state_age: since, .. } = rig.monitor.status();
            if state == ReflectorState::Watching && since > Duration::from_secs(1) {
                rig.source.end_watches(end.clone());
            }
        }
        let status = rig.monitor.status();
        let lists = status.relists.of(RelistCause::NoProgress);
        assert!((1..10).contains(&lists), "{end:?}: {status:?}");
        assert!(status.watches < 100, "{status:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn broken_watch_is_relisted_forever() {
    let fake = Arc::new(source(&["a"]));
    let scripted = ScriptedSource::with_watch(&fake, |watch| {
        drop(watch);
        let asked = source(&[]).collection().request_name(Verb::Watch);
        let fault = Fault::Malformed { offset: 7, problem: "no event".into() };
        futures::stream::iter([Err(SourceError::new(asked, fault))]).boxed()
    });
    let reflector = Reflector::new(scripted, ReflectorOptions::new().seed(1));
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    for n in 0..24 {
        fake.put(object(&format!("new-{n}")));
        seconds(3600.0).await;
        assert!(sink.0.lock().1.contains_key(&key(&format!("new-{n}"))), "{n}");
    }
    let status = monitor.status();
    assert!((24..24 * 20).contains(&status.lists), "{} lists in a day", status.lists);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn long_quiet_watches_are_not_relisted() {
    let rig = Rig::start(source(&["a"]));
    for _ in 0..100 {
        seconds(61.0).await;
        rig.source.end_watches(WatchEnd::Ordinary);
    }
    let status = rig.monitor.status();
    assert_eq!((status.lists, status.errors), (1, 0), "a proxy's idle timeout is no fault");
}

#[tokio::test(start_paused = true)]
async fn every_duration_is_allowed() {
    struct Never;
    impl BackoffPolicy for Never {
        fn next_delay(&mut self) -> Duration {
            Duration::MAX
        }
        fn reset(&mut self) {}
    }
    for streaming in [false, true] {
        let options = ReflectorOptions::new()
            .list_mode(list_mode(streaming))
            .watch_grace_period(Duration::MAX)
            .list_idle_timeout(Duration::MAX)
            .initial_events_idle_timeout(Duration::MAX)
            .freshness_limit(Duration::MAX)
            .backoff(Never);
        let rig = Rig::with(source(&["a"]), options);
        settle().await;
        rig.source.put(object("b"));
        seconds(10_000.0).await;
        rig.source.put(object("c"));
        settle().await;
        rig.assert_converged();
        for n in 0..3 {
            rig.source.end_watches(WatchEnd::Failed(status(429, "TooManyRequests")));
            rig.source.put(object(&format!("unseen-{n}")));
            seconds(100_000.0).await;
        }
        let state = rig.monitor.status().state;
        assert_eq!(state, ReflectorState::Waiting(Duration::MAX), "it waits forever");
        assert!(!rig.task.is_finished());
    }
}

#[tokio::test(start_paused = true)]
async fn requested_delays_are_spread() {
    let mut instants = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let fake = Arc::new(source(&["a"]));
        let mut throttled = status(429, "TooManyRequests");
        throttled.retry_after = Some(Duration::from_secs(10));
        fake.fail_list(Fault::Status(throttled));
        let options = ReflectorOptions::new().seed(seed).on_error(|_| {});
        let reflector = Reflector::new(fake, options);
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(Sink::default()));
        settle().await;
        let ReflectorState::Waiting(delay) = monitor.status().state else { panic!("it waits") };
        assert!((10..16).contains(&delay.as_secs()), "{delay:?}");
        instants.insert(delay.as_millis() / 250);
        task.abort();
    }
    assert!(instants.len() > 8, "{instants:?}");
}
