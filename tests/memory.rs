//! What is deleted is freed.

use std::alloc::System;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube_informer::{Indexer, ObjectKey};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn in_use() -> usize {
    let stats = COUNTED.stats();
    // What was reallocated is among these already.
    stats.bytes_allocated - stats.bytes_deallocated
}

fn object(n: usize, payload: usize) -> (ObjectKey, Arc<ConfigMap>) {
    let metadata = ObjectMeta {
        name: Some(format!("map-{n}")),
        namespace: Some(format!("ns-{}", n % 50)),
        ..ObjectMeta::default()
    };
    let data = Some([("payload".into(), "x".repeat(payload))].into());
    let object = ConfigMap { metadata, data, ..ConfigMap::default() };
    (ObjectKey::of(&object).unwrap(), Arc::new(object))
}

fn filled(count: usize, payload: usize) -> Indexer<ConfigMap> {
    let indexer = Indexer::new();
    for index in ["one", "two", "three"] {
        indexer.add_index(index, |o: &ConfigMap| o.metadata.namespace.clone()).unwrap();
    }
    let mut write = indexer.transaction();
    for n in 0..count {
        let (key, object) = object(n, payload);
        write.put(&key, &object);
    }
    write.commit();
    indexer
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn deleting_frees_and_keeping_costs_little() {
    const COUNT: usize = 20_000;
    let empty = in_use();
    let indexer = filled(COUNT, 1000);
    let full = in_use() - empty;
    let mut write = indexer.transaction();
    for n in (0..COUNT).filter(|n| n % 100 != 0) {
        write.remove(
            &ObjectKey::namespaced(&format!("ns-{}", n % 50), &format!("map-{n}")).unwrap(),
        );
    }
    write.commit();
    let left = in_use() - empty;
    println!("{COUNT} objects: {full} bytes; 1 % of them: {left} bytes");
    assert!(left * 10 < full, "deleting 99 % left {left} of {full} bytes");
    drop(indexer);

    let empty = in_use();
    let objects: Vec<_> = (0..COUNT).map(|n| object(n, 10).1).collect();
    let alone = in_use() - empty;
    drop(objects);
    let empty = in_use();
    let indexer = filled(COUNT, 10);
    let overhead = (in_use() - empty - alone) / COUNT;
    println!("{overhead} bytes an object, beside the object, with namespaces and three indexes");
    drop(indexer);
}
