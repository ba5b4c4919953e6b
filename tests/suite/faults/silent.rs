//! Connections that say nothing, or very little at a time.

use kube_informer::testing::BodyPosition;

use super::*;

const OTHER: FaultClass = FaultClass::Other;

#[tokio::test(start_paused = true)]
async fn unanswered_list_is_abandoned_and_retried() {
    for (way, requests) in [(Way::List, Requests::lists()), (Way::Pages, Requests::pages())] {
        for injection in [
            Injection::black_hole(),
            Injection::lose_answer(),
            Injection::stall(BodyPosition::Byte(300)),
        ] {
            let rig = first_state_through(way, requests.clone(), injection).await;
            rig.reported(OTHER, None, "list configmaps: the server sent no complete item for 90s");
            rig.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn stuck_streaming_list_falls_back_to_list() {
    for injection in [
        Injection::black_hole(),
        Injection::lose_answer(),
        Injection::stall(BodyPosition::Event(4)),
    ] {
        let rig = first_state_through(Way::Stream, Requests::streaming_lists(), injection).await;
        let text = "watch configmaps: the end of the initial events was not announced within 30s";
        rig.reported(OTHER, None, text);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn endless_initial_events_end_streaming_lists() {
    let rig = Rig::new(Way::Stream);
    let hidden = rig.inject(Requests::streaming_lists(), Injection::hide_initial_events_end());
    rig.factory.start().unwrap();
    rig.factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    rig.comes_right().await;
    for _ in 0..3 {
        rig.lose_history();
        rig.comes_right().await;
    }
    assert_eq!(hidden.count(), 1, "a server that refused is remembered");
    assert!(rig.asked(false) >= 2);
    rig.reported(OTHER, None, "the end of the initial events was not announced within 30s");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn unopened_watch_is_abandoned() {
    for injection in [Injection::black_hole(), Injection::lose_answer()] {
        let rig = watch_through(Way::List, injection).await;
        rig.reported(OTHER, None, "watch configmaps: the server sent no complete item for 30s");
        rig.relisted(RelistCause::WatchNotOpened, 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn silent_watch_is_reopened_where_it_was() {
    for way in WAYS {
        let rig = watch_through(way, Injection::stall(BodyPosition::Event(2))).await;
        rig.reported(OTHER, None, "watch configmaps: the server sent no complete item for");
        assert_eq!(rig.relists().total(), 0);
        rig.stop().await;
    }
}

/// Once bookmarks have shown how often this server speaks, silence is noticed in minutes.
#[tokio::test(start_paused = true)]
async fn silence_is_noticed_by_missing_bookmarks() {
    let rig = Rig::synced(Way::List).await;
    sleep(Duration::from_secs(200)).await;
    let stuck = rig.inject(Requests::watches().times(1), Injection::stall(BodyPosition::Byte(0)));
    rig.faults.cut_now();
    sleep(Duration::from_secs(2)).await;
    assert_eq!(stuck.count(), 1);
    let begun = Instant::now();
    rig.change("unseen");
    rig.comes_right().await;
    assert!(begun.elapsed() < Duration::from_secs(200), "{:?}", begun.elapsed());
    rig.reported(OTHER, None, "the server sent no complete item for 180");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_drips_is_waited_for() {
    let drip = Injection::drip(80, Duration::from_secs(5));
    for (way, requests) in [
        (Way::List, Requests::lists()),
        (Way::Pages, Requests::pages()),
        (Way::Stream, Requests::streaming_lists()),
    ] {
        let rig = first_state_through(way, requests, drip.clone()).await;
        assert_eq!(rig.texts(), [""; 0]);
        rig.stop().await;
    }
    let rig = watch_through(Way::List, drip).await;
    assert_eq!(rig.classes(), [OTHER], "the cut alone: {:?}", rig.texts());
    rig.stop().await;
}
