use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;

use super::*;
use crate::object::{AnyObject, PackedObject, ResourceVersion, Value};
use crate::sync::Mutex;

/// A test object, which consists of its index values.
type Object = Value<Vec<String>>;

fn key(n: u8) -> ObjectKey {
    match n % 3 {
        0 => ObjectKey::cluster(&format!("o{n}")).unwrap(),
        ns => ObjectKey::namespaced(&format!("ns{ns}"), &format!("o{n}")).unwrap(),
    }
}

fn object(values: &[&str]) -> Arc<Object> {
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    Arc::new(values.into())
}

fn put(indexer: &Indexer<Object>, n: u8, values: &[&str]) -> Option<Arc<Object>> {
    let mut write = indexer.transaction();
    let old = write.put(&key(n), object(values)).and_then(|old| old.get());
    write.commit();
    old
}

#[test]
fn update_moves_only_changed_values() {
    let indexer = Indexer::new();
    let index = indexer.add_index("values", |o: &Object| o.clone()).unwrap();
    put(&indexer, 1, &["a", "b", "b"]);
    put(&indexer, 2, &["b"]);
    assert_eq!(index.values(), ["a".into(), "b".into()]);
    assert_eq!((index.len("a"), index.len("b"), index.len("?")), (1, 2, 0));
    put(&indexer, 1, &["b", "c"]);
    assert_eq!(index.values(), ["b".into(), "c".into()], "an empty value is gone");
    assert_eq!(index.keys("b"), [key(1), key(2)]);
    assert_eq!(*index.get("c")[0], *object(&["b", "c"]), "and what stays has the new object");
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
    let first = indexer.add_index("i", |o: &Object| o.clone()).unwrap();
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
            assert!(!o.contains(&"bad".to_owned()), "not this");
            o.clone()
        })
        .unwrap();
    let other = indexer.add_index("other", |o: &Object| o.clone()).unwrap();
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
fn outdated_draft_changes_nothing() {
    let indexer = Indexer::<Object>::new();
    let any: Indexer = indexer.clone().cast();
    let mut draft = any.draft();
    draft.put(&key(1), Cached::from(object(&["a"])));
    put(&indexer, 2, &["b"]);
    assert!(draft.publish().is_err());
    assert_eq!((indexer.snapshot().len(), indexer.get(&key(1))), (1, None));
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

/// A packed object that counts how often it is unpacked.
struct Counted {
    object: Arc<Object>,
    unpacked: AtomicUsize,
    /// The field sets of partial unpackings.
    parts: Mutex<Vec<FieldSet>>,
    readable: AtomicBool,
}

impl Counted {
    fn new(values: &[&str]) -> Arc<Self> {
        let (unpacked, readable) = (AtomicUsize::new(0), AtomicBool::new(true));
        Arc::new(Self { object: object(values), unpacked, parts: Mutex::default(), readable })
    }

    fn times(&self) -> usize {
        self.unpacked.swap(0, Ordering::Relaxed)
    }
}

impl PackedObject for Counted {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        self.unpacked.fetch_add(1, Ordering::Relaxed);
        self.readable.load(Ordering::Relaxed).then(|| self.object.clone() as _)
    }

    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        self.parts.lock().push(fields.clone());
        Some(self.object.clone())
    }

    fn uid(&self) -> Option<&str> {
        None
    }

    fn version(&self) -> Option<ResourceVersion> {
        None
    }

    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        None
    }
}

fn put_packed(indexer: &Indexer<Object>, n: u8, object: &Arc<Counted>) {
    let mut write = indexer.transaction();
    write.put(&key(n), Cached::packed_as(object.clone()));
    write.commit();
}

#[test]
fn packed_object_is_unpacked_once_for_all_indexes() {
    let indexer = Indexer::<Object>::new();
    let (first, second, third) = (Counted::new(&["a"]), Counted::new(&["a"]), Counted::new(&["b"]));
    put_packed(&indexer, 1, &first);
    put_packed(&indexer, 1, &second);
    assert_eq!((first.times(), second.times()), (0, 0), "unpacked without an index");
    for name in ["one", "two", "three"] {
        indexer.add_index(name, |o: &Object| o.clone()).unwrap();
    }
    assert_eq!(second.times(), 3, "each new index unpacks the stored object");
    put_packed(&indexer, 1, &third);
    assert_eq!((second.times(), third.times()), (1, 1));
    let mut write = indexer.transaction();
    write.remove(&key(1));
    write.commit();
    assert_eq!((second.times(), third.times()), (0, 1));
    assert!(indexer.index("two").unwrap().values().is_empty());
}

#[test]
fn packed_object_is_unpacked_only_to_indexed_fields() {
    let indexer = Indexer::<Object>::new();
    let (first, second) = (Counted::new(&["a"]), Counted::new(&["b"]));
    let parts = |object: &Counted| std::mem::take(&mut *object.parts.lock());
    put_packed(&indexer, 1, &first);
    let (a, b) = (FieldSet::from_paths(["a"]), FieldSet::from_paths(["b.c"]));
    let one = indexer.add_index_on("one", &a, |o: &Object| o.clone()).unwrap();
    indexer.add_index_on("two", &b, |o: &Object| o.clone()).unwrap();
    let twice = [a.clone(), a.clone(), b.clone(), b.clone()];
    assert_eq!(
        (parts(&first), first.times()),
        (twice.into(), 2),
        "each index: once to compare, once to fill"
    );
    put_packed(&indexer, 1, &second);
    let both = a.and(&b);
    assert_eq!((parts(&first), parts(&second)), (vec![both.clone()], vec![both]));
    assert_eq!((one.values(), first.times(), second.times()), (vec!["b".into()], 0, 0));
    // A third index may read any field. The stored object is unpacked whole for it, and a new one
    // for all indexes.
    indexer.add_index("three", |o: &Object| o.clone()).unwrap();
    assert_eq!((parts(&second), second.times()), (vec![], 1));
    put_packed(&indexer, 1, &first);
    assert_eq!((parts(&first), first.times(), second.times()), (vec![], 1, 1));
    assert_eq!(one.values(), ["a".into()]);
}

#[test]
fn lost_packed_object_leaves_its_row_clean() {
    let indexer = Indexer::<Object>::new();
    let index = indexer.add_index("values", |o: &Object| o.clone()).unwrap();
    let lost = Counted::new(&["a", "b"]);
    put_packed(&indexer, 1, &lost);
    put(&indexer, 2, &["b"]);
    assert_eq!((index.len("a"), index.len("b")), (1, 2));
    lost.readable.store(false, Ordering::Relaxed);
    assert_eq!(index.get("b"), [object(&["b"])], "an object that can't be unpacked is left out");
    put(&indexer, 1, &["c"]);
    assert_eq!((index.len("a"), index.len("b"), index.len("c")), (0, 1, 1));
    let lost = Counted::new(&["a"]);
    put_packed(&indexer, 1, &lost);
    lost.readable.store(false, Ordering::Relaxed);
    let mut write = indexer.transaction();
    write.remove(&key(1));
    write.put(&key(4), object(&["d"]));
    write.commit();
    assert_eq!(index.values(), ["b".into(), "d".into()]);
}

#[test]
fn object_may_have_ten_thousand_values() {
    const MANY: usize = 10_000;
    let indexer = Indexer::<Object>::new();
    let index = indexer.add_index("values", |o: &Object| o.clone()).unwrap();
    let values = |from: usize| {
        let values: Vec<_> = (from..from + MANY).rev().map(|n| n.to_string()).collect();
        Arc::new(Object::from(values))
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
    indexer.add_index("values", |o: &Object| o.clone()).unwrap();
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
        prop_assert_eq!(snapshot.namespace_len(namespace), expected.len());
        prop_assert_eq!(inside, expected);
    }
    for index in indexes {
        for value in 0..6u8 {
            let value = value.to_string();
            let filed: BTreeMap<_, _> = snapshot.indexed(index, &value).collect();
            let expected = model.iter().filter(|(_, object)| object.contains(&value));
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
                    let object: Arc<Object> = Arc::new(values.into());
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
                        indexes.push(indexer.add_index(&name, |o: &Object| o.clone()).unwrap());
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
    let index = indexer.add_index("values", |o: &Object| o.clone()).unwrap();
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
                    assert!(snapshot.iter().all(|(_, object)| object[0] == value));
                    moments += 1;
                }
            });
        }
        for version in 0..2000u64 {
            let mut write = indexer.transaction();
            for n in 0..60 {
                write.put(&key(n), Arc::new(Object::from(vec![version.to_string()])));
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
        let object: Object = vec![value.to_owned()].into();
        write.put(&ObjectKey::cluster(&format!("o{n}")).unwrap(), Arc::new(object));
        write.commit();
    };
    (0..100).for_each(|n| put(n, "first"));
    let (store, calls) = (indexer.clone(), std::sync::atomic::AtomicU32::new(0));
    let index = indexer.add_index("values", move |object: &Object| {
        let call = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if matches!(call, 10 | 60 | 102) {
            let mut write = store.transaction();
            for n in call..call + 20 {
                let key = ObjectKey::cluster(&format!("o{n}")).unwrap();
                match n % 4 {
                    0 => drop(write.remove(&key)),
                    1 => drop(write.put(&key, Arc::new(Object::from(vec!["second".to_owned()])))),
                    2 => {
                        // Another object may then take its row.
                        write.remove(&key);
                        let other = ObjectKey::cluster(&format!("other{n}")).unwrap();
                        write.put(&other, Arc::new(Object::from(vec!["other".to_owned()])));
                        write.put(&key, Arc::new(Object::from(vec!["third".to_owned()])));
                    }
                    _ => {}
                }
            }
            write.commit();
        }
        object.clone()
    });
    let index = index.unwrap();
    let snapshot = indexer.snapshot();
    for value in ["first", "second", "third", "other"] {
        let mut stored: Vec<_> = snapshot.iter().filter(|(_, o)| o[0] == value).collect();
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
    write.put(&ObjectKey::cluster("o").unwrap(), Arc::new(Object::from(vec!["a".to_owned()])));
    write.commit();
    let store = indexer.clone();
    indexer
        .add_index("i", move |object: &Object| {
            assert!(store.index("i").is_err(), "the index is not complete yet");
            assert!(store.add_index("i", |o: &Object| o.clone()).is_err());
            object.clone()
        })
        .unwrap();
    assert_eq!(indexer.index("i").unwrap().len("a"), 1);
}

#[tokio::test]
async fn draft_adopts_indexes_added_meanwhile() {
    let indexer = Indexer::<Object>::new();
    let key = |n: u32| ObjectKey::cluster(&format!("o{n}")).unwrap();
    let object = |value: &str| Arc::new(Object::from(vec![value.to_owned()]));
    let any: Indexer = indexer.clone().cast();
    let mut write = any.draft();
    (0..200).for_each(|n| drop(write.put(&key(n), Cached::from(object("old")))));
    assert!(write.publish().is_ok());
    let mut draft = any.draft();
    (100..300).for_each(|n| drop(draft.put(&key(n), Cached::from(object("new")))));
    (0..50).for_each(|n| drop(draft.remove(&key(n))));
    let first = indexer.add_index("first", |o: &Object| o.clone()).unwrap();
    let second = indexer.add_index("second", |o: &Object| o.clone()).unwrap();
    let outdated = draft.publish().err().unwrap();
    let draft = outdated.adopt_indexes().await.unwrap();
    assert!(draft.publish().is_ok());
    for index in [first, second] {
        assert_eq!((index.len("old"), index.len("new")), (50, 200));
        assert_eq!(index.values().len(), 2);
    }
    let draft = any.draft();
    indexer.transaction().commit();
    assert!(
        draft.publish().err().unwrap().adopt_indexes().await.is_none(),
        "another writer published"
    );
}
