//! Lists: pages, streaming lists, quorum reads and bad items.

use super::*;

#[tokio::test(start_paused = true)]
async fn only_any_version_lets_the_first_list_lag() {
    for (any, first, log) in
        [(false, "list \"\"", vec!["=3"]), (true, "list 0", vec!["=1", "+b", "-a"])]
    {
        let fake = source(&["a", "b"]);
        fake.delete(&key("a"));
        fake.set_lag(2);
        let rig = Rig::with(fake, ReflectorOptions::new().any_version(any));
        settle().await;
        assert_eq!(
            (rig.requests()[0].as_str(), rig.log()),
            (first, log.into_iter().map(String::from).collect())
        );
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn failed_first_list_is_repeated_consistently() {
    for (code, reason) in [(410, "Expired"), (504, "Timeout"), (429, "TooManyRequests")] {
        let fake = source(&["a"]);
        (0..2).for_each(|_| fake.fail_list(fault(code, reason)));
        let rig = Rig::start(fake);
        settle().await;
        assert_eq!(rig.requests(), ["list \"\""], "{code}: only after a pause");
        seconds(10.0).await;
        assert_eq!(rig.requests(), ["list \"\"", "list \"\"", "list \"\"", "watch 1"], "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn expired_list_is_repeated_as_quorum_read() {
    for (any, first) in [(false, "list \"\""), (true, "list 0")] {
        let rig = Rig::with(source(&["a", "b"]), ReflectorOptions::new().any_version(any));
        settle().await;
        for _ in 0..2 {
            rig.source.fail_list(fault(410, "Expired"));
            rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
            seconds(60.0).await;
        }
        let again = ["watch 2", "list 2", "list \"\""];
        let expected = [&[first][..], &again, &again, &again[..1]].concat();
        assert_eq!(rig.requests(), expected);
        assert_eq!(rig.log(), ["=2", "=2", "=2"]);
        assert_eq!(rig.limits(), [Some(5_000), None, Some(5_000), None, Some(5_000)]);
        assert_eq!(rig.errors(), [FaultClass::Expired; 4], "every error is reported");
    }
}

#[tokio::test(start_paused = true)]
async fn too_large_version_is_repeated_as_quorum_read() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    let too_large = || {
        let mut status = status(504, "Timeout");
        status.causes.push(("ResourceVersionTooLarge".into(), String::new()));
        Fault::Status(status)
    };
    rig.source.fail_list(too_large());
    rig.source.end_watches(WatchEnd::Failed(status(410, "Gone")));
    settle().await;
    assert_eq!(rig.requests(), ["list \"\"", "watch 1", "list 1", "list \"\"", "watch 1"]);
    let relists = rig.monitor.status().relists;
    assert_eq!(relists.of(RelistCause::VersionTooLarge), 1);
    assert_eq!(relists.of(RelistCause::Expired), 1);
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_retried_with_growing_delays() {
    for (code, reason, class) in [
        (401, "Unauthorized", FaultClass::Unauthorized),
        (403, "Forbidden", FaultClass::Forbidden),
        (404, "NotFound", FaultClass::NotFound),
    ] {
        let fake = source(&["a"]);
        for _ in 0..4 {
            fake.fail_list(fault(code, reason));
        }
        let start = Instant::now();
        let rig = Rig::start(fake);
        while rig.log().is_empty() {
            seconds(0.1).await;
        }
        // At least 0.8 + 1.6 + 3.2 + 6.4 s, at most twice that.
        let waited = start.elapsed().as_secs_f64();
        assert!((12.0..24.3).contains(&waited), "{waited}");
        assert_eq!(rig.errors(), [class; 4]);
        assert_eq!(rig.requests()[..5], ["list \"\""; 5]);
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let fake = source(&["a"]);
    let mut throttled = status(429, "TooManyRequests");
    throttled.retry_after = Some(Duration::from_secs(77));
    fake.fail_list(Fault::Status(throttled));
    let rig = Rig::start(fake);
    seconds(76.9).await;
    assert!(rig.log().is_empty());
    seconds(0.1 + 77.0 / 2.0).await;
    assert_eq!(rig.log(), ["=1"]);
}

#[tokio::test(start_paused = true)]
async fn expired_page_is_repeated_as_a_whole_list() {
    let fake = source(&["a", "b", "c", "d", "e"]);
    let rig = Rig::with(fake, ReflectorOptions::new().page_size(2));
    settle().await;
    assert_eq!(rig.requests(), ["list \"\"", "page", "page", "watch 5"]);
    assert_eq!(rig.limits(), [Some(2); 3]);
    rig.assert_converged();

    let fake = Arc::new(source(&["a", "b", "c"]));
    let expiring = ScriptedSource::new(&fake, |source| {
        source.put(object("a"));
        source.compact();
    });
    let reflector = Reflector::new(expiring, ReflectorOptions::new().page_size(2));
    let sink = Sink::default();
    let task = tokio::spawn(reflector.run(sink.clone()));
    settle().await;
    let lists: Vec<_> = fake.requests().into_iter().take(3).collect();
    let [SourceRequest::List(_), SourceRequest::List(page), SourceRequest::List(whole)] =
        &lists[..]
    else {
        panic!("{lists:?}")
    };
    assert!(page.continue_token.is_some());
    assert_eq!(*whole, ListQuery::default(), "consistent, and in one piece");
    assert_eq!(sink.0.lock().1.len(), 3);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn server_that_pages_at_zero_is_always_paged() {
    let names: Vec<String> = (0..5_100).map(|n| format!("o{n:04}")).collect();
    let fake = Arc::new(source(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    let paged = ScriptedSource::with_list(&fake, |mut query| {
        assert!(query.version.is_some() || query.continue_token.is_some());
        query.version = query.version.filter(|version| *version != ResourceVersion::ANY);
        query
    });
    let rig = Rig::of(fake, paged, ReflectorOptions::new().any_version(true));
    settle().await;
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    settle().await;
    assert_eq!(rig.limits(), [Some(5_000); 4]);
    let each = ["page", "watch 5100"];
    assert_eq!(rig.requests(), [&["list \"\""][..], &each, &["list 5100"], &each].concat());
}

#[tokio::test(start_paused = true)]
async fn stale_list_is_repeated_then_read_from_quorum() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.delete(&key("a"));
    settle().await;
    rig.source.set_lag(2);
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    seconds(60.0).await;
    assert_eq!(rig.requests()[2..], ["list 3", "list 3", "list \"\"", "watch 3"]);
    assert_eq!(rig.log(), ["=2", "-a", "=3"], "older states are never emitted");
    assert!(rig.faults.lock().iter().any(|fault| fault.contains("but version 3 was already seen")));
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn older_quorum_read_is_a_restored_backup() {
    let rig = Rig::start(source(&["a", "b", "c"]));
    settle().await;
    rig.source.restore(1);
    rig.source.fail_watch(fault(410, "Expired"));
    seconds(60.0).await;
    assert!(rig.log().contains(&"=1!".into()), "{:?} {:?}", rig.log(), rig.requests());
    rig.source.put(object("d"));
    settle().await;
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn restored_backup_of_a_quiet_kind_is_noticed() {
    let rig = Rig::start(source(&["a", "b", "c"]));
    settle().await;
    rig.source.restore(1);
    seconds(120.0).await;
    assert!(rig.log().contains(&"=1!".into()), "{:?} {:?}", rig.log(), rig.requests());
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn lost_connection_costs_one_question_about_history() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.fail_list(fault(500, "InternalError"));
    rig.source.end_watches(WatchEnd::Broken);
    seconds(240.0).await;
    let mut requests = rig.requests();
    requests.dedup();
    assert_eq!(requests, ["list \"\"", "watch 1", "list \"\""], "one more, since the first failed");
    assert_eq!(rig.limits(), [Some(5_000), Some(1), Some(1)]);
}

#[tokio::test(start_paused = true)]
async fn version_that_is_refused_is_given_up() {
    for refusal in [fault(400, "BadRequest"), Fault::Request("uri too long".into())] {
        let rig = Rig::start(source(&["a"]));
        settle().await;
        rig.source.fail_list(refusal);
        rig.source.fail_watch(fault(410, "Expired"));
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        settle().await;
        let requests = rig.requests();
        assert_eq!(requests[2..4], ["list 1", "list \"\""], "{requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_object_is_reported_and_deletable() {
    let fake = source(&["a", "b"]);
    fake.set_poisoned(&key("a"), true);
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.errors().len(), 1);
    rig.source.put(object("a"));
    rig.source.put(object("b"));
    rig.source.delete(&key("a"));
    settle().await;
    assert_eq!(rig.log(), ["=2", "?a", "~b", "†a"]);
    rig.assert_converged();
    assert_eq!(rig.monitor.status().version, Some(5.into()));
}

#[tokio::test(start_paused = true)]
async fn nameless_item_deletes_nothing_and_relists() {
    let fake = source(&["a"]);
    fake.set_nameless_item(true);
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.log(), ["=1…"], "it does not delay the first list");
    rig.source.put(object("b"));
    settle().await;
    assert_eq!(rig.log(), ["=1…", "+b"], "nor the watch");
    seconds(10.0).await;
    rig.source.set_nameless_item(false);
    seconds(60.0).await;
    assert_eq!(rig.log().last().unwrap(), "=2");
    let lists = rig.limits().len();
    seconds(3000.0).await;
    assert_eq!(rig.limits().len(), lists, "no relist follows a clean list");
}

#[tokio::test(start_paused = true)]
async fn transform_panic_affects_only_its_object() {
    for streaming in [false, true] {
        let runs = Arc::new(Mutex::new(0));
        let count = runs.clone();
        let options = ReflectorOptions::new().list_mode(list_mode(streaming)).transform(
            move |o: &mut ConfigMap| {
                *count.lock() += 1;
                assert_ne!(o.metadata.name.as_deref(), Some("bad"));
                o.metadata.labels = Some([("seen".into(), "yes".into())].into());
            },
        );
        let rig = Rig::with(source(&["a", "bad"]), options);
        settle().await;
        rig.source.put(object("a"));
        rig.source.delete(&key("a"));
        settle().await;
        assert_eq!(*runs.lock(), 4, "a and bad listed, a changed and deleted");
        assert!(rig.faults.lock()[0].contains("panicked on bad"));
    }
}
