//! Bodies of lists that go on without an item, or do not end.

use super::*;

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
