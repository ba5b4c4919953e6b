//! Objects that can't be read, and lists that are incomplete or of a restored cluster.

use super::*;

fn restored(version: u64, items: &[(&str, u64)], unreadable: &[&str]) -> Change {
    let unreadable = unreadable.iter().map(|name| key(name)).collect();
    Change::Replace(Replacement { unreadable, restored: true, ..list(version, items) })
}

#[test]
fn unreadable_object_of_a_restored_list_accepts_any_version() {
    for heals in [true, false] {
        let rig = Rig::holding(&["a", "b"]);
        rig.push(updated("a", 500));
        rig.push(restored(20, &[("b", 1)], &["a"]));
        if heals {
            rig.push(updated("a", 21));
            rig.push(updated("a", 20));
            assert_eq!(rig.drain(), ["~a500", "=b1", "?a", "~a21"]);
        } else {
            rig.push(deleted("a", 21));
            assert_eq!(rig.drain(), ["~a500", "=b1", "?a", "-a21"]);
        }
    }
}

#[test]
fn pre_restore_object_accepts_any_version_until_listed() {
    let rig = Rig::holding(&["a"]);
    rig.push(updated("a", 500));
    rig.push(restored(20, &[], &["a"]));
    let mut still = list(22, &[]);
    still.unreadable.push(key("a"));
    rig.push(Change::Replace(still));
    rig.drain();
    // The same version that it had in the lost history, and other contents.
    let healed = another("a", "a", 500);
    let items = [(key("a"), healed.clone())].into_iter().collect();
    rig.push(Change::Replace(Replacement { items, ..list(500, &[]) }));
    let batch = rig.pop().unwrap();
    assert!(
        batch.deltas[0].1.object().unwrap().ptr_eq(&healed),
        "the object of the lost history was kept"
    );
    rig.apply(&batch);
    rig.push(updated("a", 499));
    assert!(rig.drain().is_empty(), "an older event was queued");
}

#[test]
fn incomplete_restored_list_marks_unlisted_objects_unreadable() {
    let rig = Rig::holding(&["a", "b"]);
    rig.push(updated("a", 500));
    let incomplete = Replacement { complete: false, restored: true, ..list(20, &[("b", 1)]) };
    rig.push(Change::Replace(incomplete));
    rig.push(updated("a", 21));
    assert_eq!(rig.drain(), ["~a500", "=b1", "?a", "~a21"]);
}

#[test]
fn unreadable_list_item_counts_as_present() {
    let rig = Rig::holding(&["a", "b"]);
    let mut partial = list(9, &[]);
    partial.unreadable.push(key("a"));
    partial.unreadable.push(key("new"));
    rig.push(Change::Replace(partial));
    let mut told = rig.drain();
    told.sort_unstable();
    assert_eq!(told, ["?a", "?new", "†b1"]);

    rig.push(Change::Replace(list(10, &[("a", 10)])));
    assert_eq!(rig.drain(), ["=a10", "!new"]);
}

#[test]
fn a_list_with_a_nameless_item_deletes_nothing() {
    let rig = Rig::holding(&["a", "b"]);
    let incomplete = Replacement { complete: false, ..list(9, &[("c", 9)]) };
    rig.push(Change::Replace(incomplete));
    assert_eq!(rig.drain(), ["=c9"]);
}

#[test]
fn an_unreadable_object_can_still_be_deleted() {
    let rig = Rig::holding(&["a"]);
    rig.push(Change::Unreadable { key: key("a"), version: Some(3.into()) });
    rig.push(Change::Unreadable { key: key("ghost"), version: Some(4.into()) });
    rig.push(updated("a", 5));
    rig.push(Change::Deleted { key: key("a"), object: None, version: Some(6.into()) });
    rig.push(deleted("ghost", 7));
    rig.push(deleted("ghost", 8));
    assert_eq!(rig.drain(), ["?a", "?ghost", "~a5", "†a5", "!ghost"]);
    assert!(rig.fifo.is_empty());
}

#[test]
fn a_cancelled_list_forgets_no_unreadable_object() {
    // Cancel it at each possible point.
    for turns in 1.. {
        let rig = Rig::new();
        rig.push(Change::Unreadable { key: key("ghost"), version: Some(1.into()) });
        rig.push(Change::Unreadable { key: key("a"), version: Some(2.into()) });
        rig.drain();
        let names: Vec<_> = (0..200).map(|n| format!("b{n}")).collect();
        let others = names.iter().map(|name| (&**name, 3));
        let items: Vec<_> = std::iter::once(("a", 3)).chain(others).collect();
        let mut feeding = Box::pin(rig.fifo.feed(Change::Replace(list(3, &items))));
        let queued = (0..turns).any(|_| feeding.as_mut().now_or_never().is_some());
        drop(feeding);
        rig.drain();
        rig.push(Change::Replace(list(4, &[])));
        let mut forgotten = rig.drain();
        forgotten.retain(|delta| delta.starts_with('!'));
        if queued {
            assert!(turns > 3, "it was cancelled half way, too");
            return assert!(forgotten.is_empty(), "{forgotten:?}");
        }
        forgotten.sort_unstable();
        assert_eq!(forgotten, ["!a", "!ghost"], "after {turns} turns");
    }
}
