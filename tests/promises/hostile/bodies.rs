//! Bodies of lists that go on without an item, or do not end.

use super::*;

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
