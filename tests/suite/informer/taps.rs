//! Taps, and read barriers.

use kube_informer::object::CachedEvent;

use super::*;

fn told((key, event): (ObjectKey, CachedEvent<ConfigMap>)) -> String {
    format!("{key}@{}", event.object().version().unwrap())
}

#[tokio::test(start_paused = true)]
async fn tap_gives_every_state_unmerged() {
    let rig = Rig::new(&["a"]);
    rig.start().await;
    let (mut tap, stored) = rig.informer.tap("audit", 9).unwrap();
    assert_eq!(stored.len(), 1);
    let put = |name: &str| format!("{name}@{}", version(&rig.source.put(object(name))));
    let states = ["a", "a", "b"].map(put);
    rig.source.delete(&key("b"));
    settle().await;
    for state in states {
        assert_eq!(tap.next().await.map(told), Some(state));
    }
    assert!(tap.next().await.unwrap().1.is_deleted());
    rig.source.put(object("c"));
    settle().await;
    rig.informer.shutdown().await;
    assert!(tap.next().await.is_some(), "what the tap has taken stays");
    assert!(tap.next().await.is_none());
    assert!(rig.informer.tap("late", 1).is_err());
}

#[tokio::test(start_paused = true)]
async fn full_tap_holds_its_informer_up() {
    let rig = Rig::new(&[]);
    rig.start().await;
    let (mut tap, _) = rig.informer.tap("slow", 0).unwrap();
    let mut states = Vec::new();
    for _ in 0..3 {
        states.push(format!("a@{}", version(&rig.source.put(object("a")))));
        settle().await;
    }
    assert_eq!(rig.informer.status().held_up_by.as_deref(), Some("slow"));
    assert_eq!(tap.next().await.map(told).as_ref(), states.first());
    assert_eq!(tap.next().await.map(told).as_ref(), states.get(1));
    rig.source.put(object("b"));
    settle().await;
    drop(tap);
    settle().await;
    assert_eq!(rig.informer.status().held_up_by, None);
    assert_eq!(rig.informer.snapshot().len(), 2, "the informer goes on without the tap");
}

#[tokio::test(start_paused = true)]
async fn store_is_past_a_barrier_after_a_later_read() {
    let rig = Rig::new(&["a"]);
    let before = ReadBarrier::now();
    assert!(!rig.informer.is_past(ReadBarrier::START));
    rig.start().await;
    assert!(rig.informer.is_past(ReadBarrier::START));
    rig.informer.reach(before, Duration::ZERO).await.unwrap();
    let barrier = ReadBarrier::now();
    assert!(barrier > before && !rig.informer.is_past(barrier));
    rig.informer.reach(barrier, Duration::from_secs(60)).await.unwrap();
    assert!(rig.informer.is_past(barrier) && rig.informer.is_past(before));
    let late = rig.informer.reach(ReadBarrier::now(), Duration::ZERO).await.unwrap_err();
    assert_eq!(late.unsynced.len(), 1);
    rig.informer.shutdown().await;
    assert!(rig.informer.reach(ReadBarrier::now(), Duration::from_secs(60)).await.is_err());
}

#[tokio::test(start_paused = true)]
#[expect(clippy::mutable_key_type, reason = "a handle's hash is that of its address")]
async fn handles_of_one_informer_are_equal() {
    let (one, other) = (Rig::new(&[]).informer, Rig::new(&[]).informer);
    assert!(one == one.clone() && one != other);
    let handles = [one.clone(), other, one].into_iter().collect::<std::collections::HashSet<_>>();
    assert_eq!(handles.len(), 2);
}
