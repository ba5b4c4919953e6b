use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::FutureExt;

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
fn outdated_draft_changes_nothing() {
    let indexer = Indexer::<Object>::new();
    let any: Indexer = indexer.clone().cast();
    let mut draft = any.draft();
    draft.put(&key(1), Cached::from(object(&["a"])));
    put(&indexer, 2, &["b"]);
    assert!(draft.publish().is_err());
    assert_eq!((indexer.snapshot().len(), indexer.get(&key(1))), (1, None));
}

/// A loop that frees the old state after each update must not yield for what others still hold.
#[test]
fn state_before_one_update_is_freed_in_one_turn() {
    for size in [9, 100, 5_000] {
        let indexer = Indexer::<Object>::new();
        indexer.add_index("values", |object: &Object| object.to_vec()).unwrap();
        let put = |from: usize, to: usize| {
            let mut write = indexer.transaction();
            for n in from..to {
                let key = ObjectKey::namespaced(&format!("ns{}", n % 7), &format!("o{n}")).unwrap();
                write.put(&key, object(&[&format!("{}", n % 9)]));
            }
            write.commit();
        };
        put(0, size);
        let before = indexer.snapshot();
        put(size / 2, size / 2 + 1);
        assert_eq!(before.free().now_or_never(), Some(()), "of {size} objects");
    }
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
