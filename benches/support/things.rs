//! Small objects with a namespace and three indexes, and what is asked of a store of them.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_informer::{Index, Indexer, ObjectKey};
use rustix::time::ClockId;

/// An object that is its index values: what is counted is the store's work, not the object's.
#[derive(Resource)]
#[resource(inherit = ConfigMap)]
struct Thing {
    metadata: ObjectMeta,
    key: ObjectKey,
    node: String,
    owner: String,
    app: String,
}

impl Thing {
    /// A hundred share a node, three an owner, five thousand an app, two thousand a namespace.
    fn new(n: usize) -> Arc<Self> {
        let name = format!("web-{:08x}-{n:05}", n.wrapping_mul(2_654_435_761) & 0xffff_ffff);
        let key = ObjectKey::namespaced(&format!("team-{}", n / 2000), &name).unwrap();
        let (node, owner, app) = (n * 7919 % 1000, n / 3, n % 20);
        Arc::new(Self {
            metadata: ObjectMeta::default(),
            key,
            node: format!("node-{node}.example.com"),
            owner: format!("web-{owner:08x}"),
            app: format!("app-{app}"),
        })
    }

    fn of_app(&self, app: String) -> Arc<Self> {
        let (node, owner) = (self.node.clone(), self.owner.clone());
        let metadata = ObjectMeta::default();
        Arc::new(Self { metadata, key: self.key.clone(), node, owner, app })
    }
}

/// A store, what it holds, and what it will.
struct Bench {
    indexer: Indexer<Thing>,
    by_node: Index<Thing>,
    by_owner: Index<Thing>,
    by_app: Index<Thing>,
    stored: Vec<Arc<Thing>>,
}

/// The number of objects that are changed or requested in a row.
const SOME: usize = 1000;

/// Runs the measured work. No other function has this name, so callgrind can be told to count it.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

impl Bench {
    fn new(count: usize) -> Self {
        let indexer = Indexer::new();
        let by_node = indexer.add_index("node", |t: &Thing| [t.node.clone()]).unwrap();
        let by_owner = indexer.add_index("owner", |t: &Thing| [t.owner.clone()]).unwrap();
        let by_app = indexer.add_index("app", |t: &Thing| [t.app.clone()]).unwrap();
        let stored: Vec<_> = (0..count).map(Thing::new).collect();
        let bench = Self { indexer, by_node, by_owner, by_app, stored };
        bench.put(&bench.stored);
        bench
    }

    /// Objects far apart.
    fn some(&self) -> Vec<Arc<Thing>> {
        let count = self.stored.len();
        (0..SOME).map(|n| self.stored[n * 7919 % count].clone()).collect()
    }

    fn put(&self, things: &[Arc<Thing>]) {
        let mut write = self.indexer.transaction();
        for thing in things {
            write.put(&thing.key, thing);
        }
        assert!(write.commit().is_empty());
    }

    fn put_one_by_one(&self, things: &[Arc<Thing>]) {
        things.chunks(1).for_each(|thing| self.put(thing));
    }

    fn remove(&self, things: &[Arc<Thing>]) {
        let mut write = self.indexer.transaction();
        for thing in things {
            write.remove(&thing.key);
        }
        assert!(write.commit().is_empty());
    }
}

/// The name of a step, the number of operations in it, and the step.
type Step<'a> = (&'static str, usize, Box<dyn FnMut() + 'a>);

/// Takes every step `rounds` times, and prints the best times. Without rounds it takes each once
/// and does not look at the clock.
pub(crate) fn measure(count: usize, rounds: usize) {
    let bench = Bench::new(count);
    let some = bench.some();
    let moved: Vec<_> = some.iter().map(|thing| thing.of_app("app-x".into())).collect();
    let new: Vec<_> = (count..count + SOME).map(Thing::new).collect();
    let namespace = "team-0";
    let list =
        || drop(black_box(bench.indexer.snapshot().iter().map(|(_, t)| t).collect::<Vec<_>>()));
    let in_namespace = || {
        let store = bench.indexer.snapshot();
        drop(black_box(store.namespace(namespace).map(|(_, t)| t).collect::<Vec<_>>()));
    };
    let size = |n: usize| n.min(count);
    let mut steps: Vec<Step<'_>> = vec![
        (
            "index functions alone",
            SOME,
            Box::new(|| {
                for thing in &some {
                    for value in [&thing.node, &thing.owner, &thing.app] {
                        black_box((vec![value.clone()], vec![value.clone()]));
                    }
                }
            }),
        ),
        ("update, 1,000 a transaction", SOME, Box::new(|| bench.put(&some))),
        ("update, one a transaction", SOME, Box::new(|| bench.put_one_by_one(&some))),
        ("one value changes, 1,000 a transaction", SOME, Box::new(|| bench.put(&moved))),
        ("one value changes, one a transaction", SOME, Box::new(|| bench.put_one_by_one(&some))),
        ("insert, 1,000 a transaction", SOME, Box::new(|| bench.put(&new))),
        ("remove, 1,000 a transaction", SOME, Box::new(|| bench.remove(&new))),
        ("insert, one a transaction", SOME, Box::new(|| bench.put_one_by_one(&new))),
        (
            "remove, one a transaction",
            SOME,
            Box::new(|| {
                new.chunks(1).for_each(|thing| bench.remove(thing));
            }),
        ),
        (
            "get by key",
            SOME,
            Box::new(|| {
                for thing in &some {
                    black_box(bench.indexer.get(&thing.key));
                }
            }),
        ),
        (
            "by index, 3 objects",
            SOME,
            Box::new(|| {
                for thing in &some {
                    black_box(bench.by_owner.get(&thing.owner));
                }
            }),
        ),
        (
            "by index, each of 100 objects",
            SOME,
            Box::new(|| {
                for thing in some.iter().take(SOME / 100) {
                    black_box(bench.by_node.get(&thing.node));
                }
            }),
        ),
        (
            "by index, each of 5,000 objects",
            size(count / 20),
            Box::new(|| {
                black_box(bench.by_app.get("app-1"));
            }),
        ),
        ("namespace, each of 2,000 objects", size(2000), Box::new(in_namespace)),
        ("list, each of all", count, Box::new(list)),
    ];
    if rounds == 0 {
        // To be counted by somebody else, who may not know the clock.
        for (_, _, work) in &mut steps {
            measured(work);
        }
    }
    let mut best = vec![Duration::MAX; steps.len()];
    for _ in 0..rounds {
        for (best, (_, _, work)) in best.iter_mut().zip(&mut steps) {
            let start = super::support::time_of(ClockId::ThreadCPUTime);
            measured(work);
            *best =
                super::support::time_of(ClockId::ThreadCPUTime).saturating_sub(start).min(*best);
        }
    }
    println!(
        "{count} objects, best of {rounds} rounds\n\n| step | times | ns each |\n|---|---|---|"
    );
    for (best, (step, times, _)) in best.iter().zip(&steps) {
        println!("| {step} | {times} | {} |", best.as_nanos() / *times as u128);
    }
}
