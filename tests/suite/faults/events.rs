//! Events that come twice, or not in their order.

use super::*;
use crate::helpers::until;

#[tokio::test(start_paused = true)]
async fn immediate_duplicate_event_is_delivered_once() {
    for way in WAYS {
        let rig = watch_through(way, Injection::repeat(1, 0)).await;
        assert_eq!(rig.relists().total(), 0);
        rig.stop().await;
    }
}

/// An old event again, after others: what it says was true once.
#[tokio::test(start_paused = true)]
async fn late_duplicate_event_is_reported_and_corrected() {
    for later in 1..4 {
        let rig = watch_through(Way::List, Injection::repeat(1, later)).await;
        rig.reported(FaultClass::Other, None, "watch configmaps: the watch sent version");
        assert!(rig.relists().of(RelistCause::UndecodableItem) >= 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unordered_events_are_reported_and_relisted() {
    for every in 1..4 {
        let rig = watch_through(Way::List, Injection::swap(every)).await;
        rig.reported(FaultClass::Other, None, "watch configmaps: the watch sent version");
        assert!(rig.relists().of(RelistCause::UndecodableItem) >= 1);
        rig.stop().await;
    }
}

/// A delete, and then the add that came before it: the object must not come back for good.
#[tokio::test(start_paused = true)]
async fn old_event_does_not_revive_a_deleted_object() {
    let rig = Rig::synced(Way::List).await;
    rig.inject(Requests::watches().times(1), Injection::repeat(1, 1));
    rig.faults.cut_now();
    sleep(Duration::from_secs(2)).await;
    rig.server.create(&map("short", "lived")).unwrap();
    rig.server.delete(&map("short", "")).unwrap();
    rig.comes_right().await;
    sleep(Duration::from_secs(60)).await;
    rig.comes_right().await;
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn initial_events_may_repeat_in_any_order() {
    for injection in
        [Injection::repeat(1, 0), Injection::repeat(1, 3), Injection::swap(1), Injection::swap(2)]
    {
        let rig = first_state_through(Way::Stream, Requests::streaming_lists(), injection).await;
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn due_relist_survives_a_broken_watch() {
    let rig = Rig::synced(Way::List).await;
    rig.inject(Requests::watches().times(1), Injection::swap(2));
    rig.faults.cut_now();
    sleep(Duration::from_secs(2)).await;
    // The third change comes before the second, which is left to the list.
    for n in 0..3 {
        rig.server.create(&map(&format!("new-{n}"), "x")).unwrap();
    }
    let regressed = || rig.texts().iter().any(|text| text.contains("was already seen"));
    until("an error of the older version", regressed).await;
    rig.faults.cut_now();
    rig.comes_right().await;
    rig.relisted(RelistCause::UndecodableItem, 1);
    rig.stop().await;
}
