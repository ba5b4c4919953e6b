//! A shard that changes: objects that move away, and arrivals.

use kube_informer::object::{ShardKey, ShardSelector, ring_hash};

use super::*;

/// The shard of these objects. The uid of an object is its name.
fn shard(names: &[&str]) -> ShardSelector {
    let places = names.iter().map(|name| ring_hash(name));
    ShardSelector::new(ShardKey::Uid, places.map(|place| place..=place))
}

fn arrived(version: u64, items: &[(&str, u64)]) -> Change {
    Change::Arrived(Replacement { grown: true, ..list(version, items) })
}

#[test]
fn objects_outside_of_the_shard_move_away() {
    let rig = Rig::holding(&["a", "b"]);
    // Still queued when the shard changes.
    rig.push(added("c", 6));
    rig.push(Change::Narrowed(shard(&["b"])));
    let mut told = rig.drain();
    told[1..].sort();
    assert_eq!(told, ["+c6", ">a1", ">c6"]);
    rig.push(deleted("a", 7));
    assert!(rig.drain().is_empty(), "another replica hears of it");
    rig.push(Change::Replace(list(8, &[("b", 1)])));
    assert_eq!(rig.drain(), ["=b1"], "what moved away is not missing from a list");
}

#[test]
fn arrivals_delete_nothing() {
    let rig = Rig::holding(&["a"]);
    rig.push(arrived(5, &[("b", 2)]));
    assert_eq!(rig.drain(), ["=b2"]);
    rig.push(Change::MovedAway { key: key("b"), version: Some(6.into()) });
    rig.push(Change::MovedAway { key: key("x"), version: Some(7.into()) });
    assert_eq!(rig.drain(), [">b2"]);
}

fn moved_away(name: &str, version: u64) -> Change {
    Change::MovedAway { key: key(name), version: Some(version.into()) }
}

fn unreadable(name: &str, version: u64) -> Change {
    Change::Unreadable { key: key(name), version: Some(version.into()) }
}

/// Events between the end of the watch and the list of arrivals, which the watch repeats.
fn repeated() -> [Change; 5] {
    let other = Change::Updated {
        key: key("b"),
        object: object_of("b", "another object", 7),
        version: Some(7.into()),
    };
    let undecodable = Change::Deleted { key: key("b"), object: None, version: Some(7.into()) };
    [other, undecodable, moved_away("b", 7), unreadable("b", 7), deleted("b", 7)]
}

#[test]
fn older_event_leaves_an_arrival() {
    let rig = Rig::new();
    rig.push(arrived(9, &[("b", 8)]));
    rig.drain();
    for change in repeated() {
        rig.push(change);
    }
    rig.push(moved_away("b", 8));
    assert!(rig.drain().is_empty());
    rig.push(moved_away("b", 9));
    assert_eq!(rig.drain(), [">b8"]);
}

#[test]
fn older_event_leaves_an_unreadable_arrival() {
    let rig = Rig::new();
    let unreadable = [key("b")].into_iter().collect();
    rig.push(Change::Arrived(Replacement { unreadable, ..list(9, &[]) }));
    assert_eq!(rig.drain(), ["?b"]);
    for change in repeated() {
        rig.push(change);
    }
    rig.push(added("b", 7));
    assert!(rig.drain().is_empty());
    rig.push(deleted("b", 10));
    assert_eq!(rig.drain(), ["!b"]);
}

#[test]
fn empty_shard_has_synced() {
    let rig = Rig::new();
    rig.push(Change::Narrowed(ShardSelector::nothing(ShardKey::Uid)));
    assert!(rig.fifo.has_synced());
    assert!(rig.drain().is_empty());
    rig.push(arrived(5, &[("b", 2)]));
    assert_eq!(rig.drain(), ["=b2"]);
}
