//! The store and its indexes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_informer::indexer::{IndexError, Transaction};
use kube_informer::object::KnownObjects;
use kube_informer::{Cached, Index, Indexer, ObjectKey, Snapshot};
use proptest::prelude::*;

/// A test object, which consists of its index values.
type Object = ConfigMap;

fn key(n: u8) -> ObjectKey {
    match n % 3 {
        0 => ObjectKey::cluster(&format!("o{n}")).unwrap(),
        ns => ObjectKey::namespaced(&format!("ns{ns}"), &format!("o{n}")).unwrap(),
    }
}

fn object<V: ToString>(values: &[V]) -> Arc<Object> {
    let values = values.iter().enumerate();
    let data = values.map(|(n, value)| (format!("{n:05}"), value.to_string())).collect();
    Arc::new(Object { data: Some(data), ..Object::default() })
}

fn values_of(object: &Object) -> Vec<String> {
    object.data.iter().flat_map(BTreeMap::values).cloned().collect()
}

fn put(indexer: &Indexer<Object>, n: u8, values: &[&str]) {
    let mut write = indexer.transaction();
    write.put(&key(n), object(values));
    write.commit();
}

#[test]
fn update_moves_only_changed_values() {
    let indexer = Indexer::new();
    let index = indexer.add_index("values", values_of).unwrap();
    put(&indexer, 1, &["a", "b", "b"]);
    put(&indexer, 2, &["b"]);
    assert_eq!(index.values(), ["a".into(), "b".into()]);
    assert_eq!((index.len("a"), index.len("b"), index.len("?")), (1, 2, 0));
    put(&indexer, 1, &["b", "c"]);
    assert_eq!(index.values(), ["b".into(), "c".into()], "an empty value is gone");
    assert_eq!(index.keys("b"), [key(1), key(2)]);
    assert_eq!(index.get("c")[0], object(&["b", "c"]), "and what stays has the new object");
    let mut write = indexer.transaction();
    assert!(write.remove(&key(9)).is_none(), "what is not there is no error");
    write.remove(&key(1));
    write.remove(&key(2));
    write.commit();
    assert!(index.values().is_empty() && index.get("b").is_empty());
}

#[test]
fn duplicate_index_name_changes_nothing() {
    let indexer = Indexer::new();
    let first = indexer.add_index("i", values_of).unwrap();
    let duplicate = indexer.add_index("i", |_: &Object| ["x"]).unwrap_err();
    assert_eq!(duplicate, IndexError::Duplicate("i".into()));
    put(&indexer, 1, &["a"]);
    assert_eq!(first.values(), ["a".into()]);
    assert_eq!(indexer.index("i").unwrap().values(), ["a".into()]);
    assert_eq!(indexer.index("j").unwrap_err(), IndexError::Unknown("j".into()));
}

#[test]
fn panicking_function_affects_only_its_index() {
    let indexer = Indexer::new();
    let picky = indexer
        .add_index("picky", |o: &Object| {
            let values = values_of(o);
            assert!(!values.contains(&"bad".to_owned()), "not this");
            values
        })
        .unwrap();
    let other = indexer.add_index("other", values_of).unwrap();
    put(&indexer, 1, &["good"]);
    let mut write = indexer.transaction();
    write.put(&key(1), object(&["bad"]));
    let faults = write.commit();
    assert_eq!((&*faults[0].index, &faults[0].key), ("picky", &key(1)));
    assert!(faults[0].message.contains("not this"));
    assert!(picky.values().is_empty());
    assert_eq!(other.values(), ["bad".into()]);
    put(&indexer, 1, &["good"]);
    assert_eq!(picky.keys("good"), [key(1)]);
}

#[test]
fn uncommitted_transaction_changes_nothing() {
    let indexer = Indexer::new();
    put(&indexer, 1, &["a"]);
    let mut write = indexer.transaction();
    write.put(&key(1), object(&["b"]));
    write.put(&key(2), object(&["b"]));
    write.set_version(7.into());
    drop(write);
    let snapshot = indexer.snapshot();
    assert_eq!((snapshot.len(), snapshot.version()), (1, None));
    assert_eq!(snapshot.get(&key(1)).unwrap(), object(&["a"]));
}

#[test]
fn stale_mark_lasts_until_the_next_put() {
    let indexer = Indexer::new();
    put(&indexer, 1, &[]);
    put(&indexer, 2, &[]);
    let mut write = indexer.transaction();
    for n in [1, 2, 3] {
        write.mark_stale(&key(n));
    }
    write.commit();
    assert_eq!(indexer.snapshot().stale(), 2, "an object that is not stored can't be stale");
    put(&indexer, 1, &[]);
    let mut write = indexer.transaction();
    write.remove(&key(2));
    write.commit();
    assert_eq!(indexer.snapshot().stale(), 0);
}

#[test]
fn object_may_have_ten_thousand_values() {
    const MANY: usize = 10_000;
    let indexer = Indexer::<Object>::new();
    let index = indexer.add_index("values", values_of).unwrap();
    let values = |from: usize| {
        let values: Vec<_> = (from..from + MANY).rev().map(|n| n.to_string()).collect();
        object(&values)
    };
    let store = |object: &Arc<Object>| {
        let mut write = indexer.transaction();
        write.put(&key(1), object);
        write.commit();
    };
    store(&values(0));
    assert_eq!(index.values().len(), MANY);
    store(&values(MANY / 2));
    assert_eq!(index.values().len(), MANY);
    assert_eq!((index.len("0"), index.len("5000"), index.len("14999")), (0, 1, 1));
}

#[test]
fn chunks_show_one_moment_despite_writes() {
    let indexer = Indexer::<Pod>::new();
    let key = |n: usize| ObjectKey::cluster(&format!("o{n}")).unwrap();
    let pod = Arc::new(Pod::default());
    let write = |numbers: std::ops::Range<usize>, remove: bool| {
        let mut write = indexer.transaction();
        for n in numbers {
            if remove {
                write.remove(&key(n));
            } else {
                write.put(&key(n), &pod);
            }
        }
        write.commit();
    };
    write(0..2000, false);
    write(100..300, true);
    let mut visit_part = indexer.chunks();
    let mut shown = BTreeSet::new();
    let mut turns = 0;
    while visit_part(&mut |key, _| assert!(shown.insert(key.clone()), "{key} is shown twice")) {
        write(turns * 100..turns * 100 + 50, true);
        write(turns * 100 + 2000..turns * 100 + 2080, false);
        turns += 1;
    }
    assert!(turns > 4, "a chunk has some hundred objects");
    assert_eq!(shown, (0..100).chain(300..2000).map(key).collect());
}

#[test]
fn unreachable_objects_are_freed() {
    let indexer = Indexer::new();
    indexer.add_index("values", values_of).unwrap();
    let objects: Vec<_> = (0..40).map(|_| object(&["a"])).collect();
    let alive = || objects.iter().map(Arc::strong_count).sum::<usize>() - objects.len();
    let write = |change: &dyn Fn(&mut Transaction<'_, Object>)| {
        let mut write = indexer.transaction();
        change(&mut write);
        write.commit();
    };
    write(&|write| (0..20).for_each(|n| drop(write.put(&key(n), &objects[usize::from(n)]))));
    let snapshot = indexer.snapshot();
    write(&|write| (0..10).for_each(|n| drop(write.remove(&key(n)))));
    write(&|write| (10..20).for_each(|n| drop(write.put(&key(n), &objects[20 + usize::from(n)]))));
    assert_eq!(alive(), 30, "twenty in the snapshot, ten in the store");
    drop(snapshot);
    assert_eq!(alive(), 10);
    drop(indexer.transaction().put(&key(0), &objects[0]));
    assert_eq!(alive(), 10, "the uncommitted object is freed");
    let index = indexer.index("values").unwrap();
    drop(indexer);
    assert_eq!(alive(), 10, "an index keeps the store readable");
    drop(index);
    assert_eq!(alive(), 0);
}

#[derive(Clone, Debug)]
enum Op {
    Put(u8, BTreeSet<u8>),
    Remove(u8),
    Commit,
    AddIndex,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..40u8, proptest::collection::btree_set(0..6u8, 0..3))
            .prop_map(|(n, values)| Op::Put(n, values)),
        2 => (0..40u8).prop_map(Op::Remove),
        2 => Just(Op::Commit),
        1 => Just(Op::AddIndex),
    ]
}

/// Checks that every index, the namespaces and the keys agree with the objects.
fn check(
    snapshot: &Snapshot<Object>,
    indexes: &[Index<Object>],
    model: &BTreeMap<ObjectKey, Arc<Object>>,
) -> Result<(), TestCaseError> {
    let found: BTreeMap<_, _> = snapshot.iter().map(|(k, o)| (k.clone(), o)).collect();
    prop_assert_eq!(&found, model);
    for (key, object) in model {
        let found = snapshot.get_by_name(key.namespace(), key.name());
        prop_assert!(found.is_some_and(|found| Arc::ptr_eq(&found, object)));
    }
    for namespace in ["ns1", "ns2"] {
        let inside: BTreeSet<_> = snapshot.namespace(namespace).map(|(key, _)| key).collect();
        let expected: BTreeSet<_> =
            model.keys().filter(|key| key.namespace() == Some(namespace)).collect();
        prop_assert_eq!(inside, expected);
    }
    for index in indexes {
        for value in 0..6u8 {
            let value = value.to_string();
            let filed: BTreeMap<_, _> = snapshot.indexed(index, &value).collect();
            let expected = model.iter().filter(|(_, object)| values_of(object).contains(&value));
            let expected: BTreeMap<_, _> = expected.map(|(key, o)| (key, o.clone())).collect();
            prop_assert_eq!(filed, expected);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    #[test]
    fn every_snapshot_is_one_moment(ops in proptest::collection::vec(op(), 0..120)) {
        let indexer = Indexer::<Object>::new();
        let mut indexes = Vec::new();
        let mut model = BTreeMap::new();
        let mut uncommitted = model.clone();
        let mut write = indexer.transaction();
        let mut kept = Vec::new();
        for op in ops {
            match op {
                Op::Put(n, values) => {
                    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
                    let object = object(&values);
                    let old = uncommitted.insert(key(n), Arc::clone(&object));
                    prop_assert_eq!(write.put(&key(n), &object), old.map(Cached::from));
                }
                Op::Remove(n) => {
                    let old = uncommitted.remove(&key(n)).map(Cached::from);
                    prop_assert_eq!(write.remove(&key(n)), old);
                }
                Op::Commit | Op::AddIndex => {
                    prop_assert!(write.commit().is_empty());
                    model.clone_from(&uncommitted);
                    if matches!(op, Op::AddIndex) {
                        let name = indexes.len().to_string();
                        indexes.push(indexer.add_index(&name, values_of).unwrap());
                    }
                    kept.push((indexer.snapshot(), indexes.clone(), model.clone()));
                    write = indexer.transaction();
                }
            }
            check(&indexer.snapshot(), &indexes, &model)?;
        }
        for (snapshot, indexes, model) in kept {
            check(&snapshot, &indexes, &model)?;
        }
    }
}

#[test]
fn snapshot_never_mixes_two_moments() {
    let indexer = Indexer::<Object>::new();
    let index = indexer.add_index("values", values_of).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut moments = 0;
                while !done.load(Ordering::Relaxed) || moments == 0 {
                    let snapshot = indexer.snapshot();
                    let Some(version) = snapshot.version() else { continue };
                    // Each transaction gives all sixty objects its version as their value.
                    let value = version.to_string();
                    assert_eq!(snapshot.indexed(&index, &value).count(), 60);
                    assert!(snapshot.iter().all(|(_, object)| values_of(&object)[0] == value));
                    moments += 1;
                }
            });
        }
        for version in 0..2000u64 {
            let mut write = indexer.transaction();
            for n in 0..60 {
                write.put(&key(n), object(&[version.to_string()]));
            }
            write.set_version(version.into());
            write.commit();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Writes from within the index function, as another thread may at any moment.
#[test]
fn new_index_has_concurrent_writes() {
    let indexer = Indexer::<Object>::new();
    let put = |n: u32, value: &str| {
        let mut write = indexer.transaction();
        write.put(&ObjectKey::cluster(&format!("o{n}")).unwrap(), object(&[value]));
        write.commit();
    };
    (0..100).for_each(|n| put(n, "first"));
    let (store, calls) = (indexer.clone(), AtomicU32::new(0));
    let index = indexer.add_index("values", move |of: &Object| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        if matches!(call, 10 | 60 | 102) {
            let mut write = store.transaction();
            for n in call..call + 20 {
                let key = ObjectKey::cluster(&format!("o{n}")).unwrap();
                match n % 4 {
                    0 => drop(write.remove(&key)),
                    1 => drop(write.put(&key, object(&["second"]))),
                    2 => {
                        // Another object may then take its row.
                        write.remove(&key);
                        let other = ObjectKey::cluster(&format!("other{n}")).unwrap();
                        write.put(&other, object(&["other"]));
                        write.put(&key, object(&["third"]));
                    }
                    _ => {}
                }
            }
            write.commit();
        }
        values_of(of)
    });
    let index = index.unwrap();
    let snapshot = indexer.snapshot();
    for value in ["first", "second", "third", "other"] {
        let mut stored: Vec<_> =
            snapshot.iter().filter(|(_, o)| values_of(o)[0] == value).collect();
        stored.sort_by_key(|(key, _)| (*key).clone());
        assert!(!stored.is_empty());
        let keys: Vec<_> = stored.into_iter().map(|(key, _)| key.clone()).collect();
        assert_eq!(index.keys(value), keys, "{value}");
    }
}

#[test]
fn name_of_an_unfinished_index_is_taken() {
    let indexer = Indexer::<Object>::new();
    let mut write = indexer.transaction();
    write.put(&ObjectKey::cluster("o").unwrap(), object(&["a"]));
    write.commit();
    let store = indexer.clone();
    indexer
        .add_index("i", move |object: &Object| {
            assert!(store.index("i").is_err(), "the index is not complete yet");
            assert!(store.add_index("i", values_of).is_err());
            values_of(object)
        })
        .unwrap();
    assert_eq!(indexer.index("i").unwrap().len("a"), 1);
}
