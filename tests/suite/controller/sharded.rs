//! Sharded controllers whose informers cannot list everything, or whose objects arrive.

use std::convert::Infallible;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Resource;
use kube_informer::controller::{ControllerError, ControllerHandle, ReconcileRequest};
use kube_informer::sharding::ShardBy;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{
    Action, Controller, InformerGroup, InformerSpec, ObjectKey, Sharding, SharedInformer,
    SharedInformerFactory,
};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::support::*;

/// A replica with faults of its own.
struct Replica {
    faults: Faults,
    sharding: Sharding,
    factory: SharedInformerFactory,
    stop: CancellationToken,
    keys: Arc<Mutex<Vec<String>>>,
}

impl Replica {
    fn new(server: &ApiServer, identity: &str) -> Self {
        let faults = Faults::new();
        let client = faults.client(server.client());
        let sharding = Sharding::builder(client.clone(), "home", "maps", ShardBy::Uid);
        let sharding = sharding.slots(8).identity(identity).build().unwrap();
        let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
        let (stop, keys) = (CancellationToken::new(), Arc::default());
        Self { faults, sharding, factory, stop, keys }
    }

    /// Returns an informer that follows this replica's objects.
    fn maps(&self, namespace: Option<&str>) -> SharedInformer<ConfigMap> {
        let spec = InformerSpec::new().shard(self.sharding.objects());
        let spec = namespace.map_or(spec.clone(), |namespace| spec.namespace(namespace));
        self.factory.informer_with(spec).unwrap()
    }

    fn secrets(&self) -> SharedInformer<Secret> {
        self.factory.informer_with(InformerSpec::new().shard(self.sharding.dependents())).unwrap()
    }

    /// Runs the membership.
    fn join(&self) -> JoinHandle<()> {
        let (sharding, stop) = (self.sharding.clone(), self.stop.clone());
        tokio::spawn(async move { sharding.run(stop).await.unwrap() })
    }

    /// Runs a controller, which notes its keys.
    fn run<K>(
        &self,
        controller: Controller<K>,
    ) -> (ControllerHandle, JoinHandle<Result<(), ControllerError>>)
    where
        K: Resource + Send + Sync + 'static,
    {
        let (handle, keys) = (controller.handle(), self.keys.clone());
        let reconcile = move |request: ReconcileRequest<K>| {
            keys.lock().push(request.key.to_string());
            async { Ok::<_, Infallible>(Action::done()) }
        };
        (handle, tokio::spawn(controller.run(self.stop.clone(), reconcile)))
    }

    /// Returns the keys that were reconciled since the last call, sorted.
    fn keys(&self) -> Vec<String> {
        let mut keys = std::mem::take(&mut *self.keys.lock());
        keys.sort();
        keys.dedup();
        keys
    }
}

fn server(maps: &[&str]) -> ApiServer {
    let server = ApiServer::builder().require_namespaces(false).build();
    for name in maps {
        put(&server, name);
    }
    server
}

/// Creates a config map: `namespace/name`.
fn put(server: &ApiServer, name: &str) -> ConfigMap {
    let (namespace, name) = name.split_once('/').unwrap();
    let mut map = map(name, "1");
    map.metadata.namespace = Some(namespace.into());
    server.create(&map).unwrap()
}

#[tokio::test(start_paused = true)]
async fn forbidden_namespace_holds_up_its_keys_only() {
    let server = server(&["a/1", "a/2", "b/1", "b/2", "c/1"]);
    let replica = Replica::new(&server, "one");
    let forbidden = Requests::all().to("/namespaces/b/configmaps");
    let forbidden = replica.faults.inject(forbidden, Injection::status(403));
    let maps = ["a", "b", "c"].map(|namespace| replica.maps(Some(namespace)));
    let controller = Controller::builder("maps", InformerGroup::new(maps));
    let (handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    // The informers have synced before the replica has slots.
    sleep(S).await;
    replica.join();
    sleep(60 * S).await;
    assert_eq!(replica.keys(), ["a/1", "a/2", "c/1"]);
    assert!(handle.status().missing.is_empty());
    sleep(62 * S).await;
    assert_eq!(handle.status().missing, ["configmaps in b".into()]);
    forbidden.remove();
    sleep(120 * S).await;
    assert_eq!(replica.keys(), ["b/1", "b/2"]);
    assert!(handle.status().missing.is_empty());
}

#[tokio::test(start_paused = true)]
async fn kind_that_cannot_be_listed_ends_the_run() {
    for status in [403, 404] {
        let server = server(&["a/1"]);
        let replica = Replica::new(&server, "one");
        replica.faults.inject(Requests::all().to("/secrets"), Injection::status(status));
        let controller = Controller::builder("maps", &replica.maps(None));
        let controller = controller.owns(&replica.secrets()).sharded(&replica.sharding).build();
        let (_, running) = replica.run(controller);
        sleep(S).await;
        replica.join();
        sleep(119 * S).await;
        assert!(!running.is_finished());
        sleep(2 * S).await;
        let error = running.await.unwrap().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, ControllerError::NotSynced { .. }), "{text}");
        assert!(text.contains("secrets") && text.contains(&status.to_string()), "{text}");
        assert_eq!(replica.keys(), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn arriving_slot_that_cannot_be_listed_is_named() {
    let names: Vec<_> = (0..16).map(|n| format!("a/{n}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let server = server(&names);
    let [one, two] = ["one", "two"].map(|identity| Replica::new(&server, identity));
    let (mut handles, mut tasks) = (vec![], vec![]);
    for replica in [&one, &two] {
        let controller = Controller::builder("maps", &replica.maps(None));
        let controller = controller.owns(&replica.secrets()).sharded(&replica.sharding).build();
        let (handle, running) = replica.run(controller);
        handles.push(handle);
        tasks.push(running);
        replica.join();
    }
    sleep(20 * S).await;
    let (first, second) = (one.keys(), two.keys());
    assert!(first.len() < 16 && first.len() + second.len() >= 16, "{first:?} {second:?}");
    // The permission is revoked, and the other replica leaves.
    one.faults.inject(Requests::lists().to("/secrets"), Injection::status(403));
    two.stop.cancel();
    sleep(125 * S).await;
    assert_eq!(one.sharding.status().held.len(), 8);
    assert_eq!(handles[0].status().missing, ["secrets".into()]);
    assert!(!tasks[0].is_finished());
    assert_eq!(one.keys(), [""; 0], "the arriving keys wait");
    handles[0].trigger(first[0].parse::<ObjectKey>().unwrap());
    sleep(S).await;
    assert_eq!(one.keys(), first[..1], "the others do not");
}

#[tokio::test(start_paused = true)]
async fn predicates_filter_arriving_objects() {
    let server = server(&["a/1", "b/1", "a/2"]);
    let replica = Replica::new(&server, "one");
    let controller = Controller::builder("maps", &replica.maps(None)).predicate(|event| {
        let namespace = event.object().metadata.namespace.as_deref();
        assert_ne!(event.object().metadata.name.as_deref(), Some("2"));
        namespace == Some("a")
    });
    let (handle, _running) = replica.run(controller.sharded(&replica.sharding).build());
    replica.join();
    sleep(30 * S).await;
    // An event passes if its predicate panics.
    assert_eq!(replica.keys(), ["a/1", "a/2"]);
    assert!(handle.status().predicate_panics > 0);
}

#[tokio::test(start_paused = true)]
async fn owners_of_arriving_dependents_are_reconciled() {
    let server = server(&["shop/a", "shop/b"]);
    let owner = put(&server, "shop/owner");
    server.create(&secret_of(&owner, "s")).unwrap();
    let replica = Replica::new(&server, "one");
    // The dependents arrive before their owners.
    let slow = Injection::delay(5 * S);
    replica.faults.inject(Requests::lists().to("/configmaps"), slow);
    let controller = Controller::builder("maps", &replica.maps(None)).predicate(|_| false);
    let controller = controller.owns(&replica.secrets());
    let (_, _running) = replica.run(controller.sharded(&replica.sharding).build());
    sleep(S).await;
    replica.join();
    sleep(30 * S).await;
    assert_eq!(replica.keys(), ["shop/owner"]);
}
