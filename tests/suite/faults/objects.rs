//! Answers and single objects that can't be read.

use kube_informer::ObjectKey;
use kube_informer::lister::StoreState;

use super::*;

#[tokio::test(start_paused = true)]
async fn one_undecodable_object_among_thousands_is_one_problem() {
    if PROTOBUF {
        return println!("skipped: objects are edited in JSON only");
    }
    for way in [Way::List, Way::Stream] {
        let rig = Rig::new(way);
        for n in 0..3000 {
            rig.server.create(&map(&format!("many-{n:04}"), "x")).unwrap();
        }
        let poisoned = rig.inject(
            Requests::reads(),
            Injection::edit(|_, object| {
                if object["metadata"]["name"] == "many-1234" {
                    object["metadata"]["labels"] = 7.into();
                }
            }),
        );
        rig.factory.start().unwrap();
        rig.factory.wait_for_sync(Duration::from_secs(600)).await.unwrap();
        let mut all = rig.held().await;
        let missing = all.remove("many-1234").unwrap();
        assert!(rig.stored() == all, "every other object is there");
        let text =
            "shop/many-1234 can't be decoded: metadata.labels: found integer, expected a map";
        rig.reported(FaultClass::Undecodable, None, text);
        assert_eq!(rig.errors.lock().len(), 1);
        let unreadable = || rig.maps.status().unreadable;
        assert_eq!((unreadable(), rig.maps.status().stale), (1, 0));
        let read = rig.maps.lister().namespace("shop").get("many-1234");
        assert_eq!(read.unwrap_err().store, StoreState::Unreadable);
        // Its deletion works, and so does its repair.
        rig.server.delete(&map("map-1", "")).unwrap();
        rig.server.delete(&missing).unwrap();
        rig.comes_right().await;
        assert_eq!(unreadable(), 0);
        poisoned.remove();
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_update_keeps_the_last_state() {
    if PROTOBUF {
        return println!("skipped: objects are edited in JSON only");
    }
    let rig = Rig::synced(Way::List).await;
    let poisoned = rig.inject(Requests::reads(), Injection::poison(0));
    rig.faults.cut_now();
    sleep(Duration::from_secs(2)).await;
    rig.server.replace(&map("map-7", "poisoned")).unwrap();
    sleep(Duration::from_secs(2)).await;
    let key = ObjectKey::namespaced("shop", "map-7").unwrap();
    let snapshot = rig.maps.snapshot();
    assert!(snapshot.is_stale(&key));
    assert_eq!(snapshot.get(&key).unwrap().data.as_ref().unwrap()["value"], "first");
    rig.reported(FaultClass::Undecodable, None, "watch configmaps: shop/map-7 can't be decoded");
    poisoned.remove();
    rig.server.replace(&map("map-7", "healed")).unwrap();
    rig.comes_right().await;
    assert_eq!(rig.maps.snapshot().stale(), 0);
    assert_eq!(rig.relists().total(), 0);
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_utf8_costs_at_most_one_object() {
    if PROTOBUF {
        return println!("skipped: texts are garbled in JSON only");
    }
    // Within the first item of a list, and its second.
    for at in [400, 700] {
        let rig = Rig::new(Way::List);
        let affected = rig.inject(Requests::lists().times(1), Injection::not_utf8(at));
        rig.start().await;
        assert!(rig.stored().len() >= 11 || affected.count() == 0, "{:?}", rig.texts());
        rig.lose_history();
        rig.comes_right().await;
        assert!(!rig.texts().is_empty());
        rig.stop().await;
    }
    for at in [40, 130, 300] {
        let rig = Rig::synced(Way::List).await;
        rig.inject(Requests::watches().times(1), Injection::not_utf8(at));
        rig.faults.cut_now();
        for word in ["a", "bb", "ccc"] {
            sleep(Duration::from_secs(2)).await;
            rig.change(word);
        }
        rig.lose_history();
        rig.comes_right().await;
        rig.stop().await;
    }
}

/// An answer with a wrong byte outside of its objects is refused.
#[tokio::test(start_paused = true)]
async fn a_garbled_envelope_is_asked_again() {
    if PROTOBUF {
        return println!("skipped: objects are edited in JSON only");
    }
    let rig = first_state_through(
        Way::List,
        Requests::lists(),
        Injection::edit(|_, object| {
            object.take();
        }),
    )
    .await;
    rig.reported(
        FaultClass::Undecodable,
        None,
        "an object without a readable key can't be decoded",
    );
    assert!(
        rig.relists().of(RelistCause::UndecodableItem) >= 1,
        "a list without names deletes nothing"
    );
    rig.stop().await;
}

/// It may be anything. An empty one names itself in full.
#[tokio::test(start_paused = true)]
async fn a_list_without_items_and_version_deletes_nothing() {
    let rig = Rig::synced(Way::List).await;
    let body = r#"{"kind":"ConfigMapList","metadata":{"resourceVersion":"99"}}"#;
    let answer = http::Response::new(body.into());
    rig.inject(Requests::lists().times(1), Injection::answer(answer));
    rig.lose_history();
    sleep(Duration::from_millis(500)).await;
    assert!(rig.told.lock().len() >= 12);
    rig.comes_right().await;
    rig.reported(FaultClass::Other, None, "list configmaps: malformed answer at byte 60: there");
    rig.stop().await;
}

/// It changed something, and nobody can tell what.
#[tokio::test(start_paused = true)]
async fn an_event_that_is_none_is_listed_anew() {
    let rig = Rig::synced(Way::List).await;
    let body = "{\"type\":7}\n";
    let mut answer = http::Response::new(body.into());
    let json = http::HeaderValue::from_static("application/json");
    answer.headers_mut().insert(http::header::CONTENT_TYPE, json);
    rig.inject(Requests::watches().times(1), Injection::answer(answer));
    rig.faults.cut_now();
    rig.change("unseen");
    rig.comes_right().await;
    sleep(Duration::from_secs(10)).await;
    rig.reported(FaultClass::Other, None, "an event without type and object");
    rig.relisted(RelistCause::UndecodableItem, 1);
    rig.stop().await;
}
