//! Whatever happens to the objects, and whenever they are read: a view shows what a fresh decoding
//! of the same state gives.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put {
        n: usize,
        node: usize,
        scheduler: bool,
    },
    Delete(usize),
    /// An object is read, whole or through the view with this number.
    Read {
        n: usize,
        by: usize,
    },
    /// All objects are read.
    List {
        by: usize,
    },
    /// Snapshots are taken and kept.
    Keep,
    /// Sweeps run.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..6, 0usize..3, any::<bool>())
            .prop_map(|(n, node, scheduler)| Step::Put { n, node, scheduler }),
        1 => (0usize..6).prop_map(Step::Delete),
        4 => (0usize..6, 0usize..5).prop_map(|(n, by)| Step::Read { n, by }),
        2 => (0usize..5).prop_map(|by| Step::List { by }),
        1 => Just(Step::Keep),
        3 => (1u64..50).prop_map(Step::Wait),
    ]
}

/// The views of one informer, and what it must show.
struct Views {
    rig: Rig,
    placed: SharedInformer<Placed>,
    scheduled: SharedInformer<Scheduled>,
    metadata: SharedInformer<PartialObjectMeta<Pod>>,
    dynamic: SharedInformer<DynamicObject>,
    present: BTreeMap<ObjectKey, Pod>,
}

type Moment = (
    Snapshot<Pod>,
    Snapshot<Placed>,
    Snapshot<Scheduled>,
    Snapshot<PartialObjectMeta<Pod>>,
    Snapshot<DynamicObject>,
);

fn scheduled(pod: &Pod) -> Option<Scheduled> {
    serde_json::from_value(serde_json::to_value(pod).unwrap()).ok()
}

impl Views {
    async fn new(json: bool, storage: Storage<Pod>) -> Self {
        let rig = Rig::of(0, json, false, storage).await;
        let placed = rig.pods.view().unwrap();
        let (scheduled, metadata) = (rig.pods.view().unwrap(), rig.pods.view().unwrap());
        let dynamic = rig.pods.view().unwrap();
        Self { rig, placed, scheduled, metadata, dynamic, present: BTreeMap::new() }
    }

    fn moment(&self) -> Moment {
        snapshots((&self.rig.pods, &self.placed, &self.scheduled, &self.metadata, &self.dynamic))
    }

    async fn put(&mut self, n: usize, node: usize, scheduler: bool) {
        let mut pod = pod(n, &format!("node-{node}"));
        pod.spec.as_mut().unwrap().scheduler_name = scheduler.then(|| format!("by-{node}"));
        let written = if self.present.contains_key(&key(n)) {
            self.rig.server.replace(&pod).unwrap()
        } else {
            self.rig.server.create(&pod).unwrap()
        };
        self.present.insert(key(n), written);
        self.rig.arrived().await;
    }

    /// Compares one object as the reader with this number reads it.
    fn read(
        (pods, placed, scheduled, metadata, dynamic): &Moment,
        of: &ObjectKey,
        expected: Option<&Pod>,
        by: usize,
    ) {
        match by {
            0 => assert_eq!(pods.get(of).as_deref(), expected),
            1 => assert_eq!(placed.get(of).as_deref(), expected.map(super::placed).as_ref()),
            2 => assert_eq!(
                scheduled.get(of).as_deref(),
                expected.and_then(self::scheduled).as_ref()
            ),
            3 => assert_eq!(
                metadata.get(of).map(|read| read.metadata.clone()),
                expected.map(|pod| pod.metadata.clone())
            ),
            _ => {
                let read = dynamic.get(of).map(|read| (read.metadata.clone(), read.data.clone()));
                let whole = expected.map(|pod| {
                    let serde_json::Value::Object(mut all) = serde_json::to_value(pod).unwrap()
                    else {
                        panic!()
                    };
                    for name in ["apiVersion", "kind", "metadata"] {
                        all.remove(name);
                    }
                    (pod.metadata.clone(), all.into())
                });
                assert_eq!(read, whole);
            }
        }
    }

    fn list(moment: &Moment, present: &BTreeMap<ObjectKey, Pod>, by: usize) {
        for n in 0..6 {
            Self::read(moment, &key(n), present.get(&key(n)), by);
        }
        let versions =
            [moment.1.version(), moment.2.version(), moment.3.version(), moment.4.version()];
        assert!(versions.iter().all(|version| *version == moment.0.version()));
    }
}

/// Follows what the events of a view tell. Each must begin where the one before ended.
fn fold(view: &SharedInformer<Placed>) -> Arc<Mutex<BTreeMap<ObjectKey, Placed>>> {
    let told: Arc<Mutex<BTreeMap<ObjectKey, Placed>>> = Arc::default();
    let noted = told.clone();
    let note = move |key: &ObjectKey, event: CachedEvent<Placed>| {
        let event = event.read().unwrap();
        let mut told = noted.lock();
        let before = match &event {
            Event::Added { object, .. } => told.insert(key.clone(), Placed::clone(object)),
            Event::Updated { new, .. } => told.insert(key.clone(), Placed::clone(new)),
            _ => told.remove(key),
        };
        assert_eq!(before.is_none(), matches!(event, Event::Added { .. }));
        if let Some(old) = event.old() {
            assert_eq!(before.as_ref(), Some(&**old));
        }
    };
    view.on_cached_event(note).unwrap();
    told
}

async fn play(json: bool, steps: &[Step], storage: Storage<Pod>) {
    let mut views = Views::new(json, storage).await;
    let told = fold(&views.placed);
    let by_node = views.placed.add_index("node", node).unwrap();
    let mut kept = Vec::new();
    for step in steps {
        match step {
            Step::Put { n, node, scheduler } => views.put(*n, *node, *scheduler).await,
            Step::Delete(n) => {
                if views.present.remove(&key(*n)).is_some() {
                    views.rig.server.delete(&pod(*n, "")).unwrap();
                    views.rig.arrived().await;
                }
            }
            Step::Read { n, by } => {
                Views::read(&views.moment(), &key(*n), views.present.get(&key(*n)), *by);
            }
            Step::List { by } => Views::list(&views.moment(), &views.present, *by),
            Step::Keep => kept.push((views.moment(), views.present.clone())),
            Step::Wait(seconds) => sleep(Duration::from_secs(*seconds)).await,
        }
        let on = |node: &str| {
            let is_on = |pod: &&Pod| pod.spec.as_ref().unwrap().node_name.as_deref() == Some(node);
            views.present.values().filter(is_on).count()
        };
        for node in ["node-0", "node-1", "node-2"] {
            assert_eq!(by_node.len(node), on(node));
        }
    }
    kept.push((views.moment(), views.present.clone()));
    for (moment, present) in &kept {
        (0..5).for_each(|by| Views::list(moment, present, by));
    }
    let shown: BTreeMap<_, _> =
        views.present.iter().map(|(key, pod)| (key.clone(), placed(pod))).collect();
    assert_eq!(*told.lock(), shown);
    // All that was warm cools.
    drop(kept);
    sleep(300 * S).await;
    let storage = views.rig.pods.status().storage.unwrap();
    assert_eq!((storage.hot_objects, storage.hot_bytes), (0, 0));
    assert!(
        storage.views.iter().all(|view| (view.hot_objects, view.hot_bytes) == (0, 0)),
        "{storage:?}"
    );
}

proptest! {
    #![proptest_config(crate::seeds::cases(12))]

    #[test]
    fn views_show_what_a_fresh_decoding_gives(
        steps in vec(step(), 1..60), json: bool, check: bool,
        age in prop_oneof![Just(0), 1u64..100],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        let storage = Storage::packed().hot_for(Duration::from_secs(age)).check_on_arrival(check);
        runtime.block_on(play(json, &steps, storage));
    }
}
