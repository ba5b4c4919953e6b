//! Watches: their ends, errors, bookmarks and silence, and proofs that they are current.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

#[tokio::test(start_paused = true)]
async fn lists_consistently_then_watches_from_its_version() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.put(object("b"));
    rig.source.put(object("c"));
    rig.source.delete(&key("a"));
    settle().await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 2"]);
    assert_eq!(rig.log(), ["=2", "~b", "+c", "-a"]);
    assert_eq!(rig.limits(), [Some(5_000)]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn clean_end_is_rewatched_from_the_last_version() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.put(object("b"));
    seconds(2.0).await;
    rig.source.end_watches(WatchEnd::Ordinary);
    settle().await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 1", "watch 2"]);
    assert!(rig.errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn watches_last_between_five_and_ten_minutes() {
    let rig = Rig::start(source(&[]));
    seconds(40_000.0).await;
    let timeouts: Vec<_> = (rig.source.requests().into_iter())
        .filter_map(|asking| match asking {
            SourceRequest::Watch(query) => Some(query.timeout.as_secs()),
            SourceRequest::List(_) => None,
        })
        .collect();
    assert!(timeouts.len() > 50);
    assert!(timeouts.iter().all(|t| (300..600).contains(t)), "{timeouts:?}");
    assert!(timeouts.iter().any(|t| *t < 400) && timeouts.iter().any(|t| *t > 500));
    assert_eq!(rig.log(), ["=0"], "no relist in all that time");
}

#[tokio::test(start_paused = true)]
async fn watch_refused_with_410_is_relisted() {
    let fake = source(&["a"]);
    fake.fail_watch(fault(410, "Expired"));
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 1", "list 1", "watch 1"]);
    assert_eq!(rig.errors(), [FaultClass::Expired]);
}

#[tokio::test(start_paused = true)]
async fn relist_reports_missed_deletes() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.end_watches(WatchEnd::Broken);
    rig.source.delete(&key("a"));
    rig.source.compact();
    seconds(10.0).await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 2", "watch 2", "list 2", "watch 3"]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn throttled_or_refused_watches_retry_without_relist() {
    let fake = source(&["a"]);
    fake.fail_watch(fault(429, "TooManyRequests"));
    fake.fail_watch(refused());
    fake.fail_watch(fault(429, "TooManyRequests"));
    let rig = Rig::start(fake);
    seconds(60.0).await;
    let watches = ["list \"\"", "watch 1", "watch 1", "watch 1", "watch 1"];
    assert_eq!(rig.requests()[..5], watches);
    assert_eq!(rig.limits()[1..], [Some(1)], "a lost server may come back without its history");
    rig.source.end_watches(WatchEnd::Failed(status(429, "TooManyRequests")));
    seconds(60.0).await;
    assert_eq!(rig.requests().len(), 7);
    assert_eq!(rig.log(), ["=1"]);
    assert_eq!(rig.errors().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn internal_errors_are_rewatched_then_relisted() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
    seconds(2.0).await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 1", "watch 1"]);
    seconds(30.0).await;
    rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
    seconds(10.0).await;
    assert_eq!(rig.limits()[1..2], [Some(1)]);
    assert_eq!(rig.requests()[4..], ["list 1", "watch 1"]);

    let rig = Rig::start(source(&["a"]));
    settle().await;
    for _ in 0..3 {
        rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
        seconds(20.0).await;
        rig.source.put(object("a"));
        settle().await;
    }
    assert!(!rig.requests()[1..].contains(&"list 1".into()), "a good event closes the window");
}

#[tokio::test(start_paused = true)]
async fn watch_that_ends_at_once_is_an_error() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.end_watches(WatchEnd::Ordinary);
    seconds(3.0).await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 1", "list 1", "watch 1"]);
    assert!(rig.faults.lock()[0].contains("ended within a second"), "{:?}", rig.faults.lock());
    assert_eq!(rig.monitor.status().relists.of(RelistCause::ShortWatch), 1);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_advance_the_version() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.put(object("a"));
    rig.source.send_bookmark();
    seconds(2.0).await;
    rig.source.end_watches(WatchEnd::Ordinary);
    settle().await;
    assert_eq!(rig.log(), ["=1", "~a", "@2"]);
    assert_eq!(rig.requests().last().unwrap(), "watch 2");
    assert_eq!(rig.monitor.status().version, Some(2.into()));
}

#[tokio::test(start_paused = true)]
async fn overdue_watch_is_reopened_at_the_same_version() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    silent.silence(true);
    let reflector = Reflector::new(silent.clone(), ReflectorOptions::new());
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(299.0).await;
    silent.silence(false);
    fake.put(object("b"));
    assert_eq!(sink.0.lock().0, ["=1"]);
    seconds(300.0 + 30.0 + 1.0).await;
    assert_eq!(sink.0.lock().0, ["=1", "+b"], "and no relist");
    let (error, _) = monitor.status().last_error.unwrap();
    assert!(matches!(error.fault(), Fault::Silent(_)));
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn bookmarks_shorten_the_wait_for_a_silent_watch() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    let reflector = Reflector::new(silent.clone(), ReflectorOptions::new().seed(1));
    let sink = Sink::default();
    let task = tokio::spawn(reflector.run(sink.clone()));
    for _ in 0..3 {
        seconds(70.0).await;
        fake.send_bookmark();
    }
    silent.silence(true);
    fake.end_watches(WatchEnd::Ordinary);
    settle().await;
    silent.silence(false);
    fake.put(object("b"));
    seconds(209.0).await;
    assert!(!sink.0.lock().0.contains(&"+b".into()));
    seconds(3.0).await;
    assert!(sink.0.lock().0.contains(&"+b".into()), "three times the gap of 70 s is over");
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_the_watch() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    assert_eq!(rig.source.open_watches(), 1);
    rig.task.abort();
    settle().await;
    assert_eq!(rig.source.open_watches(), 0);
    assert_eq!(rig.monitor.status().state, ReflectorState::Stopped);
}

/// The reflector yields to other tasks and can be stopped even if nothing ever waits.
#[tokio::test]
async fn always_ready_source_can_be_stopped() {
    struct Ready(Collection, AtomicU32);
    impl ListerWatcher<ConfigMap> for Ready {
        fn collection(&self) -> &Collection {
            &self.0
        }
        fn list(
            &self,
            _: &ListQuery,
            _: &ListHints,
        ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
            // Each page brings an object that is new.
            let name = format!("map-{}", self.1.fetch_add(1, Ordering::Relaxed));
            let metadata = ListMetadata {
                version: Some(1.into()),
                continue_token: Some(name.clone()),
                ..ListMetadata::default()
            };
            let items = futures::stream::iter([
                Ok(ListItem::Meta(metadata)),
                Ok(ListItem::Object(Ok(object(&name).into()))),
            ]);
            Box::pin(async { Ok(items.boxed()) })
        }
        fn watch(
            &self,
            _: &WatchQuery,
            _: &ListHints,
        ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
            Box::pin(async { Ok(futures::stream::empty().boxed()) })
        }
    }
    let names = source(&[]).collection().clone();
    let reflector =
        Reflector::new(Arc::new(Ready(names, AtomicU32::new(0))), ReflectorOptions::new());
    let stop = tokio_util::sync::CancellationToken::new();
    let running = stop.clone();
    let task = tokio::spawn(async move {
        running.run_until_cancelled(Box::pin(reflector.run(Sink::default()))).await
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    assert!(task.await.unwrap().is_none(), "endless pages must not prevent the stop");
}

#[tokio::test(start_paused = true)]
async fn freshness_is_the_age_of_the_last_proof() {
    let rig = Rig::start(source(&["a"]));
    let age = || rig.monitor.status().freshness.map(|age| age.as_secs());
    assert_eq!(age(), None);
    seconds(50.0).await;
    assert_eq!(age(), Some(50), "since the list");
    rig.source.put(object("a"));
    seconds(7.0).await;
    assert_eq!(age(), Some(7), "since the event");
    rig.source.send_bookmark();
    seconds(3.0).await;
    assert_eq!(age(), Some(3), "since the bookmark");
    assert_eq!(rig.monitor.status().lists, 1, "no additional request is made");
}

#[tokio::test(start_paused = true)]
async fn quiet_watch_is_proved_by_a_list_of_one_item() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a", "b", "c"]), options);
    for _ in 0..1000 {
        seconds(7.0).await;
        let status = rig.monitor.status();
        assert!(status.freshness <= Some(Duration::from_secs(31)), "{status:?}");
    }
    let probes = rig.limits().iter().filter(|limit| **limit == Some(1)).count();
    assert!((200..250).contains(&probes), "{probes} probes in 7,000 s");
    assert_eq!(rig.log(), ["=3"], "and nothing else happens");
    assert!(rig.errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn watch_behind_the_quorum_is_relisted() {
    let fake = Arc::new(source(&["a"]));
    let silent = ScriptedSource::new(&fake, |_| {});
    silent.silence(true);
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60)).seed(1);
    let reflector = Reflector::new(silent.clone(), options);
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(10.0).await;
    fake.put(object("b"));
    seconds(65.0).await;
    assert_eq!(sink.0.lock().1.len(), 2, "{:?}", monitor.status());
    assert_eq!(monitor.status().relists.of(RelistCause::Unproven), 1);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn failed_probe_is_reported_and_repeated() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a"]), options);
    seconds(10.0).await;
    rig.source.fail_list(fault(403, "Forbidden"));
    seconds(25.0).await;
    assert_eq!(rig.errors(), [FaultClass::Forbidden]);
    assert!(rig.monitor.status().freshness > Some(Duration::from_secs(30)));
    seconds(20.0).await;
    assert!(rig.monitor.status().freshness < Some(Duration::from_secs(20)));
    assert_eq!(rig.log(), ["=1"]);
}

#[tokio::test(start_paused = true)]
async fn version_lost_in_an_outage_is_listed_soon() {
    let rig = Rig::start(source(&["a"]));
    seconds(200.0).await;
    (0..8).for_each(|_| rig.source.fail_watch(refused()));
    rig.source.fail_watch(fault(410, "Expired"));
    rig.source.end_watches(WatchEnd::Broken);
    let watches = || rig.monitor.status().watches;
    let before = watches();
    while watches() < before + 9 {
        seconds(0.05).await;
    }
    let back = Instant::now();
    while rig.monitor.status().lists < 2 {
        seconds(0.05).await;
    }
    assert!(back.elapsed() < Duration::from_secs(1), "{:?} after the answer", back.elapsed());
    // A version that is lost again and again is no outage.
    (0..4).for_each(|_| rig.source.fail_watch(fault(410, "Expired")));
    rig.source.end_watches(WatchEnd::Broken);
    seconds(20.0).await;
    assert!(rig.monitor.status().lists < 5, "{:?}", rig.monitor.status());
}
