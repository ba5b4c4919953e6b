//! Bodies of lists that go on without an item, or do not end.

use super::*;
use crate::helpers::log::Log;

/// Returns an answer that goes on for a day, at 200 bytes a second.
fn drips(head: &str, pad: &str) -> Answer {
    let head = answer(200, head.to_owned());
    (0..86_400).fold(head, |answer, _| answer.then(1, pad.repeat(200)))
}

#[tokio::test(start_paused = true)]
async fn bytes_that_bring_no_item_are_silence() {
    for (head, pad) in [
        ("", " "),
        (r#"{"kind":"ConfigMapList","x":""#, "x"),
        (r#"{"kind":"ConfigMapList","metadata":{"x":""#, "x"),
        (r#"{"kind":"ConfigMapList","items":["#, " "),
        (r#"{"kind":"ConfigMapList","items":[{"data":{"v":""#, "x"),
        (r#"{"kind":"ConfigMapList","metadata":{"resourceVersion":"5"},"items":[]"#, " "),
    ] {
        let drips = drips(head, pad);
        let log = Log::default();
        let _guard = log.install(tracing::Level::WARN);
        let rig = Rig::new(
            client(move |query, nth| match (is_watch(query), nth) {
                (true, _) => answer(200, "").hangs(),
                (_, 0) => drips.clone(),
                _ => list("9", &[map("a", "5", "new")]),
            }),
            InformerSpec::new(),
        );
        sleep(seconds(1_800)).await;
        rig.assert_error("list configmaps: the server sent no complete item for 900s");
        assert_eq!(rig.stored(), ["a=new"], "{head}");
        assert!(log.text().contains("a list goes on"), "{head}: {}", log.text());
        rig.factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_is_complete_at_its_closing_brace() {
    let whole = list("9", &[map("a", "5", "x")]);
    let [hangs, drips] = [whole.clone().hangs(), {
        let whole = whole.clone();
        (0..3_600).fold(whole, |answer, _| answer.then(1, " "))
    }];
    let slow = whole.then(0, " \n");
    for body in [hangs, drips, slow] {
        let rig = Rig::new(
            client(
                move |query, _| {
                    if is_watch(query) { answer(200, "").hangs() } else { body.clone() }
                },
            ),
            InformerSpec::new(),
        );
        rig.informer.wait_for_sync(seconds(10)).await.unwrap();
        assert_eq!(rig.stored(), ["a=x"]);
        assert_eq!(*rig.errors.lock(), [""; 0]);
        rig.factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn large_object_before_its_type_names_the_limit() {
    for kind in ["MODIFIED", "DELETED", "BOOKMARK", "ERROR"] {
        let large = map("a", "7", &"x".repeat(20_000));
        let event = format!(r#"{{"object":{large},"type":"{kind}"}}"#);
        let rig = Rig::new(
            client(move |query, nth| match (is_watch(query), nth) {
                (true, 1) => answer(200, event.clone()).hangs(),
                (true, _) => answer(200, "").hangs(),
                _ => list("9", &[map("a", "5", "x")]),
            }),
            InformerSpec::new().object_limit(10_000),
        );
        sleep(seconds(60)).await;
        rig.assert_error("byte 0 is larger than the limit of 10000 bytes; raise `object_limit`");
        assert_eq!(rig.stored(), ["a=x"], "{kind}");
        assert_eq!(rig.queries(|query| !is_watch(query)).len(), 2, "{kind}: a list follows");
        rig.factory.shutdown().await;
    }
}
