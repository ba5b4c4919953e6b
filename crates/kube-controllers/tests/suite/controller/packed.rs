//! Objects that are kept packed: what a controller has unpacked, and what it does where that fails.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Resource, ResourceExt};
use kube_controllers::controller::ControllerBuilder;
use kube_controllers::{Action, Controller};
use kube_informer::lister_watcher::Packer;
use kube_informer::object::{AnyObject, FieldSet, PackedObject};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::workqueue::ExponentialBackoff;
use kube_informer::{Cached, InformerOptions, ObjectKey, ResourceVersion, SharedInformer, Storage};
use parking_lot::Mutex;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// Which objects were read, how far, and which states of them can't be.
#[derive(Clone, Default)]
struct Readings(Arc<Mutex<(Vec<String>, BTreeSet<String>)>>);

impl Readings {
    /// The names of the objects that were read since this was last asked, sorted.
    fn take(&self) -> Vec<String> {
        let mut read = std::mem::take(&mut self.0.lock().0);
        read.sort();
        read
    }

    /// This state of an object can't be read from now on.
    fn refuse<K: Resource>(&self, object: &K) {
        self.0.lock().1.extend(object.resource_version());
    }

    fn allow_all(&self) {
        self.0.lock().1.clear();
    }
}

/// An object that is packed as far as anyone can see.
struct Packed<K>(Arc<K>, Readings);

impl<K: Resource> Packed<K> {
    fn read(&self, so_far: &str) -> Option<Arc<K>> {
        let mut readings = self.1.0.lock();
        let refused = self.0.resource_version().is_some_and(|v| readings.1.contains(&v));
        readings.0.push(format!("{}{so_far}", self.0.name_any()));
        (!refused).then(|| self.0.clone())
    }
}

impl<K: Resource + Send + Sync + 'static> PackedObject for Packed<K> {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        Some(self.read("")?)
    }

    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        let owners = FieldSet::from_paths(["metadata.ownerReferences"]);
        assert_eq!(fields.clone().and(&owners), *fields, "owners are asked for");
        Some(self.read("'s owner")?)
    }

    fn uid(&self) -> Option<&str> {
        self.0.meta().uid.as_deref()
    }

    fn version(&self) -> Option<ResourceVersion> {
        self.0.meta().resource_version.as_deref().map(Into::into)
    }

    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        self.0.meta().labels.as_ref()
    }
}

impl Readings {
    /// Packs objects so that their readings are noted here.
    fn packer<K: Resource + Send + Sync + 'static>(&self) -> Packer {
        let readings = self.clone();
        Packer::from_fn(move |object| {
            let object = object.get_as::<K>().expect("an object of its type");
            Cached::packed_as(Arc::new(Packed(object, readings.clone())))
        })
    }
}

fn informer<K>(
    source: FakeSource<K>,
    readings: &Readings,
) -> (Arc<FakeSource<K>>, SharedInformer<K>)
where
    K: Resource + Clone + Send + Sync + 'static,
    FakeSource<K>: kube_informer::lister_watcher::ListerWatcher<K>,
{
    let source = Arc::new(source);
    let reflector = ReflectorOptions::new().seed(7).packer(readings.packer::<K>());
    // With decoded storage, the reflector keeps its own packer.
    let options = InformerOptions::new().storage(Storage::decoded()).resync(100 * S);
    let options = options.reflector(reflector);
    (source.clone(), SharedInformer::new(source, options))
}

/// A controller of config maps that notes what it is called with.
struct Rig {
    maps: Arc<FakeSource<ConfigMap>>,
    readings: Readings,
    log: Log<(ObjectKey, bool)>,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

impl Rig {
    /// Of these objects. When this returns, each was reconciled.
    async fn start(
        names: &[&str],
        options: impl FnOnce(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>,
    ) -> Self {
        let readings = Readings::default();
        let (maps, informer) = informer(FakeSource::new("configmaps", "ConfigMap"), &readings);
        for name in names {
            maps.put(map(name, "1"));
        }
        let builder =
            Controller::builder("packed", &informer).limiter(ExponentialBackoff::new(S, S));
        let controller = options(builder).build();
        let (stop, log) = (CancellationToken::new(), Log::new());
        let (stopped, logged) = (stop.clone(), log.clone());
        let running = spawn(async move {
            let reconcile = move |request: kube_controllers::ReconcileRequest<ConfigMap>| {
                logged.add((request.key, !request.object.is_gone()));
                async { Ok::<_, Infallible>(Action::done()) }
            };
            controller.run(stopped, reconcile).await.unwrap();
            drop(informer);
        });
        log.reaches(names.len()).await;
        log.take();
        Self { maps, readings, log, stop, running }
    }

    /// Waits for the reconciles of earlier changes. Returns the reconciled keys and the objects
    /// read.
    async fn done(&self) -> (Vec<(ObjectKey, bool)>, Vec<String>) {
        sleep(10 * MS).await;
        (self.log.take(), self.readings.take())
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn object_is_unpacked_only_for_its_reconcile() {
    let rig = Rig::start(&["a", "b"], |builder| builder).await;
    assert_eq!(rig.readings.take(), ["a", "b"]);
    rig.maps.put(map("a", "2"));
    assert_eq!(rig.done().await, (vec![(key("a"), true)], vec!["a".into()]));
    rig.maps.delete(&key("a"));
    assert_eq!(rig.done().await, (vec![(key("a"), false)], vec![]));
    sleep(100 * S).await;
    assert_eq!(rig.done().await, (vec![(key("b"), true)], vec!["b".into()]), "a resync");
    rig.end().await;
}

#[tokio::test(start_paused = true)]
async fn object_is_unpacked_for_predicates_unless_deleted() {
    let rig = Rig::start(&["a"], |builder| {
        builder.predicate(|event| {
            // Either state alone would not do.
            event.old().is_none_or(|old| old.data != event.object().data)
        })
    })
    .await;
    assert_eq!(rig.readings.take(), ["a", "a"]);
    rig.maps.put(map("a", "1"));
    assert_eq!(rig.done().await, (vec![], vec!["a".into(), "a".into()]), "old and new");
    rig.maps.put(map("a", "2"));
    let (reconciled, read) = rig.done().await;
    assert_eq!((reconciled, read.len()), (vec![(key("a"), true)], 3));
    rig.maps.delete(&key("a"));
    assert_eq!(rig.done().await, (vec![(key("a"), false)], vec![]));
    rig.end().await;
}

#[tokio::test(start_paused = true)]
async fn undecodable_object_is_never_gone() {
    for predicate in [false, true] {
        let rig = Rig::start(
            &["a"],
            |builder| {
                if predicate { builder.predicate(|_| true) } else { builder }
            },
        )
        .await;
        rig.readings.refuse(&*rig.maps.put(map("a", "2")));
        sleep(5 * S).await;
        assert_eq!(rig.log.take(), [(key("a"), true)]);

        rig.readings.allow_all();
        rig.maps.put(map("a", "3"));
        sleep(5 * S).await;
        assert_eq!(rig.log.take(), [(key("a"), true)]);

        rig.readings.refuse(&*rig.maps.delete(&key("a")).unwrap());
        assert_eq!(rig.done().await.0, [(key("a"), false)], "it is gone, whatever it was");
        rig.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_owned_object_queues_only_known_owners() {
    let readings = Readings::default();
    let (secrets, informer) = informer(FakeSource::<Secret>::new("secrets", "Secret"), &readings);
    let rig = Rig::start(&["a", "b"], |builder| builder.owns(&informer)).await;
    let (of_a, of_b) = (secret_of(&map("a", "1"), "s"), secret_of(&map("b", "1"), "s"));
    secrets.put(of_a.clone());
    assert_eq!(rig.done().await.0, [(key("a"), true)]);
    assert_eq!(readings.take(), ["s's owner"]);

    secrets.put(of_b.clone());
    let reconciled: BTreeSet<_> = rig.done().await.0.into_iter().collect();
    assert_eq!(reconciled, [(key("a"), true), (key("b"), true)].into(), "it was passed on");
    assert_eq!(readings.take(), ["s's owner", "s's owner"]);

    readings.refuse(&*secrets.put(of_a.clone()));
    assert_eq!(rig.done().await.0, [(key("b"), true)], "whose it was is known");
    secrets.put(of_a);
    assert_eq!(rig.done().await.0, [(key("a"), true)], "whose it is is known");
    readings.refuse(&*secrets.delete(&key("s")).unwrap());
    assert_eq!(rig.done().await.0, [(key("a"), true)], "whose it was is known");
    rig.end().await;
}
