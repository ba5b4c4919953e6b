//! The memory of the store beside its objects, and its release after deletes.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::{Index, Indexer, ObjectKey};

use crate::in_use;

/// An object as a workload's: two thousand share a namespace, a hundred a node, three an owner;
/// there are twenty apps. Those of a node or an app are not next to one another.
fn object(n: usize, payload: usize) -> Arc<ConfigMap> {
    let owner = n / 3;
    let data = [
        ("node", format!("node-{}.example.com", n / 1000 * 10 + n % 10)),
        (
            "owner",
            format!("web-{owner:05}-{:08x}", owner.wrapping_mul(2_654_435_761) & 0xffff_ffff),
        ),
        ("app", format!("app-{}", n % 20)),
        ("payload", "x".repeat(payload)),
    ];
    let metadata = ObjectMeta {
        name: Some(format!("web-{owner:05}-{:05x}", n.wrapping_mul(2_654_435_761) & 0xf_ffff)),
        namespace: Some(format!("team-{}", n / 2000)),
        ..ObjectMeta::default()
    };
    let data = Some(data.map(|(key, value)| (key.to_owned(), value)).into());
    Arc::new(ConfigMap { metadata, data, ..ConfigMap::default() })
}

fn key(object: &ConfigMap) -> ObjectKey {
    ObjectKey::of(object).unwrap()
}

fn empty() -> (Indexer<ConfigMap>, [Index<ConfigMap>; 3]) {
    let indexer = Indexer::new();
    let by = ["node", "owner", "app"].map(|name| {
        let value = move |o: &ConfigMap| o.data.as_ref()?.get(name).cloned();
        indexer.add_index(name, value).unwrap()
    });
    (indexer, by)
}

fn put(indexer: &Indexer<ConfigMap>, objects: &[Arc<ConfigMap>]) {
    let mut write = indexer.transaction();
    for object in objects {
        write.put(&key(object), object);
    }
    write.commit();
}

/// Everything is counted: keys, index values, nodes.
fn keeping_costs_little() {
    const BOUND: usize = 200;
    let objects: Vec<_> = (0..100_000).map(|n| object(n, 0)).collect();
    let before = in_use();
    let (indexer, [_, by_owner, _]) = empty();
    let mut stored = 0;
    // Powers of eight are where trees of eight grow.
    for count in [1_000, 4_096, 10_000, 33_000, 50_000, 100_000] {
        put(&indexer, &objects[stored..count]);
        stored = count;
        let each = (in_use() - before) / count;
        println!("{count} objects: {each} bytes an object, beside the object");
        assert_eq!((indexer.snapshot().len(), by_owner.values().len()), (count, count.div_ceil(3)));
        assert!(each < BOUND, "{each} bytes an object at {count} objects, {BOUND} are too many");
    }
    // A year later: every object was changed, and half of them were deleted and added again, in
    // another order.
    for some in (0..stored).collect::<Vec<_>>().chunks(500) {
        let mut write = indexer.transaction();
        for n in some {
            let old = &objects[n * 7919 % stored];
            if n % 2 == 0 {
                write.remove(&key(old));
            }
            write.put(&key(old), old);
        }
        write.commit();
    }
    let each = (in_use() - before) / stored;
    println!("{stored} objects, after each was replaced or changed: {each} bytes an object");
    assert!(each < BOUND, "{each} bytes an object after changes, {BOUND} are too many");
}

fn deleting_frees() {
    const COUNT: usize = 20_000;
    let before = in_use();
    let (indexer, _by) = empty();
    put(&indexer, &(0..COUNT).map(|n| object(n, 1000)).collect::<Vec<_>>());
    let full = in_use() - before;
    let mut write = indexer.transaction();
    for n in (0..COUNT).filter(|n| n % 100 != 0) {
        write.remove(&key(&object(n, 0)));
    }
    write.commit();
    let left = in_use() - before;
    println!("{COUNT} objects: {full} bytes; 1 % of them: {left} bytes");
    assert!(left * 10 < full, "deleting 99 % left {left} of {full} bytes");
    let mut write = indexer.transaction();
    for n in (0..COUNT).step_by(100) {
        write.remove(&key(&object(n, 0)));
    }
    write.commit();
    let left = in_use() - before;
    assert!(left < 10_000, "deleting everything left {left} bytes");
}

pub(crate) fn keeping_costs_little_and_deleting_frees() {
    keeping_costs_little();
    deleting_frees();
}
