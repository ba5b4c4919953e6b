//! Plain and streaming lists, and the choice between them.

use super::*;

const HOUR: f64 = 3600.0;

/// The lists in order, as [`Rig::requests`] shows them.
fn lists(rig: &Rig) -> Vec<String> {
    rig.requests().into_iter().filter(|asked| !asked.starts_with("watch")).collect()
}

/// Returns a fake source, and a source before it that refuses a streaming list or does not end it.
fn without_streams(refuses: bool) -> (Arc<FakeSource<ConfigMap>>, Arc<ScriptedSource>) {
    let fake = Arc::new(source(&["a"]));
    if refuses {
        fake.fail_watch(fault(422, "Invalid"));
    }
    let endless = ScriptedSource::with_watch(&fake, |watch| {
        let ends =
            |item: &_| matches!(item, Ok(WatchItem::Bookmark { initial_events_end: true, .. }));
        watch.filter(move |item| std::future::ready(!ends(item))).boxed()
    });
    (fake, endless)
}

/// Makes the reflector list again.
async fn relist(rig: &Rig) {
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn streaming_list_replaces_once_then_watches() {
    let fake = source(&["a", "b"]);
    let rig = Rig::with(fake, ReflectorOptions::new().list_mode(ListMode::Streaming));
    settle().await;
    rig.source.put(object("c"));
    settle().await;
    assert_eq!(rig.requests(), ["stream \"\""]);
    assert_eq!(rig.log(), ["=2", "+c"]);
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    settle().await;
    assert_eq!(rig.requests()[1..], ["stream 3"]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn streaming_list_falls_back_on_lasting_errors() {
    for (error, expected) in [
        (fault(403, "Forbidden"), vec!["stream \"\"", "list \"\"", "watch 1"]),
        (fault(500, "InternalError"), vec!["stream \"\"", "list \"\"", "watch 1"]),
        (fault(429, "TooManyRequests"), vec!["stream \"\"", "stream \"\""]),
        (refused(), vec!["stream \"\"", "stream \"\""]),
        (fault(410, "Expired"), vec!["stream \"\"", "list \"\"", "watch 1"]),
    ] {
        let fake = source(&["a"]);
        let what = error.to_string();
        fake.fail_watch(error);
        let rig = Rig::with(fake, ReflectorOptions::new().list_mode(ListMode::Streaming));
        seconds(10.0).await;
        assert_eq!(rig.requests(), expected, "{what}");
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn refused_streaming_list_is_not_repeated() {
    for refuses in [true, false] {
        let (fake, endless) = without_streams(refuses);
        let rig = Rig::of(fake, endless, ReflectorOptions::new().list_mode(ListMode::Streaming));
        seconds(29.0).await;
        assert_eq!(rig.log().is_empty(), !refuses, "the wait for the end is bounded");
        seconds(2.0).await;
        assert_eq!(rig.requests(), ["stream \"\"", "list \"\"", "watch 1"]);
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        seconds(40.0).await;
        assert_eq!(rig.requests()[3..], ["list 1", "watch 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn live_events_do_not_extend_initial_events() {
    for (new_keys, least, most) in [(false, 30, 40), (true, 300, 310)] {
        let (fake, endless) = without_streams(false);
        let rig = Rig::of(fake, endless, ReflectorOptions::new().list_mode(ListMode::Streaming));
        let begun = Instant::now();
        let mut n = 0;
        while rig.log().is_empty() {
            n += 1;
            rig.source.put(object(&if new_keys { format!("new-{n}") } else { "a".to_owned() }));
            seconds(1.0).await;
            assert!(begun.elapsed() < Duration::from_secs(3600));
        }
        let waited = begun.elapsed().as_secs();
        assert!((least..=most).contains(&waited), "{new_keys}: {waited} s");
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        seconds(40.0).await;
        let streams = rig.requests().iter().filter(|asked| asked.starts_with("stream")).count();
        assert_eq!(streams, 1, "remembered as a refusal");
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn lasting_throttling_is_tried_with_the_other_form() {
    let fake = source(&["a"]);
    for _ in 0..3 {
        fake.fail_watch(fault(429, "TooManyRequests"));
        fake.fail_list(fault(429, "TooManyRequests"));
    }
    let rig = Rig::with(fake, ReflectorOptions::new().list_mode(ListMode::Streaming));
    seconds(120.0).await;
    let expected = [["stream \"\""; 3], ["list \"\""; 3], ["stream \"\""; 3]].concat();
    assert_eq!(rig.requests(), expected[..7]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn failing_lists_are_tried_as_a_stream() {
    let fake = source(&["a"]);
    for _ in 0..3 {
        fake.fail_list(fault(500, "InternalError"));
    }
    let rig = Rig::start(fake);
    seconds(60.0).await;
    assert_eq!(rig.requests(), ["list \"\"", "list \"\"", "list \"\"", "stream \"\""]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn auto_streams_for_an_hour_from_a_busy_server() {
    let fake = source(&["a"]);
    (0..3).for_each(|_| fake.fail_list(fault(429, "TooManyRequests")));
    let rig = Rig::start(fake);
    seconds(60.0).await;
    assert_eq!(lists(&rig), ["list \"\"", "list \"\"", "list \"\"", "stream \"\""]);
    seconds(HOUR / 2.0).await;
    relist(&rig).await;
    assert_eq!(lists(&rig)[4..], ["stream 1"]);
    seconds(HOUR / 2.0).await;
    relist(&rig).await;
    assert_eq!(lists(&rig)[5..], ["list \"\""], "plain lists get another try");
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn auto_returns_from_a_stream_that_does_not_end() {
    for refuses in [true, false] {
        let (fake, endless) = without_streams(refuses);
        (0..6).for_each(|_| fake.fail_list(fault(429, "TooManyRequests")));
        let rig = Rig::of(fake, endless, ReflectorOptions::new());
        seconds(600.0).await;
        let expected = [&["list \"\""; 3][..], &["stream \"\""], &["list \"\""; 4]].concat();
        assert_eq!(lists(&rig), expected, "remembered, although lists fail as before");
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn auto_streams_if_pages_expire_twice() {
    let fake = Arc::new(source(&["a", "b", "c"]));
    let expiring = ScriptedSource::new(&fake, |source| {
        source.put(object("a"));
        source.compact();
    });
    let reflector = Reflector::new(expiring, ReflectorOptions::new().page_size(2).seed(7));
    let sink = Sink::default();
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(5.0).await;
    let expected = ["list \"\"", "page", "list \"\"", "watch 5", "list 5", "page", "stream 5"];
    assert_eq!(requests_of(&fake), expected);
    assert_eq!(sink.0.lock().1.len(), 3);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn auto_stays_plain_while_the_server_is_down() {
    let fake = source(&["a"]);
    (0..12).for_each(|_| fake.fail_list(refused()));
    let rig = Rig::start(fake);
    seconds(900.0).await;
    assert_eq!(lists(&rig), ["list \"\""; 13]);
}

#[tokio::test(start_paused = true)]
async fn plain_mode_never_streams() {
    let fake = source(&["a"]);
    for code in [429, 500, 429, 500, 504, 500] {
        fake.fail_list(fault(code, "Failed"));
    }
    let rig = Rig::with(fake, ReflectorOptions::new().list_mode(ListMode::Plain));
    seconds(900.0).await;
    assert_eq!(lists(&rig), ["list \"\""; 7]);
}

#[tokio::test(start_paused = true)]
async fn refusal_is_forgotten_after_an_hour() {
    let fake = source(&["a"]);
    fake.fail_watch(fault(422, "Invalid"));
    let rig = Rig::with(fake, ReflectorOptions::new().list_mode(ListMode::Streaming));
    settle().await;
    seconds(HOUR - 1.0).await;
    relist(&rig).await;
    assert_eq!(lists(&rig), ["stream \"\"", "list \"\"", "list 1"]);
    seconds(1.0).await;
    relist(&rig).await;
    seconds(5.0).await;
    assert_eq!(lists(&rig)[3..], ["stream \"\""]);
}
