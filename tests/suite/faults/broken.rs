//! Answers that break off, or end in the middle of something.

use kube::client::ClientBuilder;
use kube_informer::error::Fault;
use kube_informer::testing::BodyPosition;

use super::*;

const OTHER: FaultClass = FaultClass::Other;

#[tokio::test(start_paused = true)]
async fn cut_list_is_listed_again() {
    for way in [Way::List, Way::Pages] {
        for spot in [
            BodyPosition::Byte(0),
            BodyPosition::Byte(1),
            BodyPosition::Byte(300),
            BodyPosition::Frame(0),
        ] {
            let rig = first_state_through(way, Requests::lists(), Injection::cut(spot)).await;
            rig.reported(OTHER, None, "list configmaps: the answer broke off after");
            assert_eq!(rig.relists().total(), 0, "the first list is no relist");
            rig.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_cut_off_is_listed_again() {
    let rig =
        first_state_through(Way::Pages, Requests::pages(), Injection::cut(BodyPosition::Byte(300)))
            .await;
    rig.reported(OTHER, None, "list configmaps: the answer broke off after 300 bytes");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn cut_streaming_list_falls_back_to_list() {
    for spot in [BodyPosition::Byte(3), BodyPosition::Event(4), BodyPosition::Frame(0)] {
        let rig =
            first_state_through(Way::Stream, Requests::streaming_lists(), Injection::cut(spot))
                .await;
        rig.reported(OTHER, None, "watch configmaps: the answer broke off after");
        let lists = rig.asked(false);
        assert_eq!(lists, 1, "{:?}", rig.server.requests());
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn cut_watch_resumes_without_relist() {
    for way in WAYS {
        for spot in [
            BodyPosition::Byte(0),
            BodyPosition::Byte(200),
            BodyPosition::Event(0),
            BodyPosition::Event(3),
            BodyPosition::Frame(1),
        ] {
            let rig = watch_through(way, Injection::cut(spot)).await;
            rig.reported(OTHER, None, "watch configmaps: the answer broke off after");
            assert_eq!(rig.relists().total(), 0);
            rig.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn truncated_answer_is_recognised() {
    let truncated = Injection::truncate(BodyPosition::Byte(300));
    for (way, requests) in [(Way::List, Requests::lists()), (Way::Pages, Requests::pages())] {
        let rig = first_state_through(way, requests, truncated.clone()).await;
        rig.reported(
            OTHER,
            None,
            "list configmaps: the answer ended after 300 bytes, in the middle",
        );
        rig.stop().await;
    }
    let rig =
        first_state_through(Way::Stream, Requests::streaming_lists(), truncated.clone()).await;
    rig.reported(OTHER, None, "watch configmaps: the answer ended after 300 bytes, in the middle");
    rig.stop().await;
    let rig = watch_through(Way::List, truncated).await;
    rig.reported(OTHER, None, "watch configmaps: the answer ended after 300 bytes, in the middle");
    assert_eq!(rig.relists().total(), 0);
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_body_is_no_empty_list() {
    let rig = Rig::synced(Way::List).await;
    rig.inject(Requests::lists().times(3), Injection::truncate(BodyPosition::Byte(0)));
    rig.lose_history();
    sleep(Duration::from_secs(1)).await;
    assert!(rig.stored().len() >= 12, "nothing is taken for deleted");
    rig.comes_right().await;
    rig.reported(OTHER, None, "the answer ended after 0 bytes");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn refused_connection_causes_no_relist() {
    let rig = Rig::synced(Way::List).await;
    let down = rig.inject(Requests::all(), Injection::refuse());
    rig.faults.cut_now();
    rig.change("down");
    sleep(Duration::from_secs(300)).await;
    assert!(down.count() < 40, "{} attempts in five minutes", down.count());
    down.remove();
    rig.comes_right().await;
    rig.reported(FaultClass::Refused, None, "watch configmaps: no answer");
    assert_eq!((rig.relists().total(), rig.asked(false)), (0, 1));
    rig.stop().await;
}

/// The same layer in the stack of a client that reaches a server through a socket.
#[tokio::test]
async fn client_over_a_port_has_the_faults() {
    let server = ApiServer::new();
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let faults = Faults::new();
    let config = kube::Config::new(listening.url().parse().unwrap());
    let client = ClientBuilder::try_from(config).unwrap().with_layer(&faults).build();
    let rig = Rig::behind(Way::List, server, faults, client);
    rig.inject(Requests::lists().times(1), Injection::cut(BodyPosition::Byte(100)));
    let watches = rig.inject(Requests::watches().times(1), Injection::cut(BodyPosition::Event(2)));
    rig.start().await;
    rig.change("first");
    rig.comes_right().await;
    rig.change("late");
    rig.comes_right().await;
    assert_eq!(watches.count(), 1);
    rig.reported(OTHER, None, "list configmaps: the answer broke off after 100 bytes");
    let errors = rig.errors.lock().clone();
    assert!(
        errors.iter().all(|error| matches!(error.fault(), Fault::Interrupted { .. })),
        "{errors:?}"
    );
    rig.stop().await;
}
