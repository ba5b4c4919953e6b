//! Nothing that exists is ever told as gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::ObjectMeta;
use kube_controllers::controller::{Followed, Presence, UnknownReason};
use kube_controllers::{Action, Controller};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{InformerGroup, InformerOptions, InformerSpec, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// The presence that a reconcile got for an object.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    Present,
    Gone,
    Unknown(UnknownReason),
}

/// Runs a controller and asks it for one key after the other.
struct SourceRequest {
    handle: kube_controllers::controller::ControllerHandle,
    told: Arc<Mutex<Vec<(ObjectKey, Told)>>>,
    stop: CancellationToken,
}

impl SourceRequest {
    fn start<K>(informers: impl Into<InformerGroup<K>>) -> Self
    where
        K: Resource + Send + Sync + 'static,
    {
        let controller = Controller::builder("asking", Followed::of(informers)).build();
        let (handle, stop) = (controller.handle(), CancellationToken::new());
        let told = Arc::new(Mutex::new(Vec::new()));
        let noted = told.clone();
        spawn(controller.run(stop.clone(), move |request| {
            let object = match &request.object {
                Presence::Present(_) => Told::Present,
                Presence::Gone => Told::Gone,
                Presence::Unknown(reason) => Told::Unknown(*reason),
            };
            noted.lock().push((request.key, object));
            async { Ok::<_, std::io::Error>(Action::done()) }
        }));
        Self { handle, told, stop }
    }

    async fn ask(&self, key: ObjectKey) -> Told {
        sleep(S).await;
        self.told.lock().clear();
        assert!(self.handle.trigger(key.clone()));
        sleep(S).await;
        let told = self.told.lock().pop().expect("it was reconciled");
        assert_eq!(told.0, key);
        told.1
    }
}

impl Drop for SourceRequest {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_not_held_is_unknown() {
    let server = ApiServer::new();
    let mut elsewhere = map("a", "1");
    elsewhere.metadata.namespace = Some("bank".into());
    server.create(&elsewhere).unwrap();
    let factory = factory(&server);
    let asking = SourceRequest::start(factory.in_namespaces::<ConfigMap>(["shop", "farm"]));
    let there = ObjectKey::namespaced("bank", "a").unwrap();
    assert_eq!(asking.ask(there).await, Told::Unknown(UnknownReason::NotHeld));
    assert_eq!(asking.ask(key("nothing")).await, Told::Gone);
}

/// A config map that has to have data.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Strict {
    metadata: ObjectMeta,
    #[expect(dead_code, reason = "that it is there is what counts")]
    data: BTreeMap<String, String>,
}

#[tokio::test(start_paused = true)]
async fn unreadable_object_is_unknown_until_deleted() {
    let server = ApiServer::new();
    let unreadable = server.create(&ConfigMap { data: None, ..map("a", "1") }).unwrap();
    let factory = factory(&server);
    let asking = SourceRequest::start(&factory.informer::<Strict>());
    let undecodable = Told::Unknown(UnknownReason::Undecodable);
    assert_eq!(asking.ask(key("a")).await, undecodable, "by the first list");
    let b = server.create(&ConfigMap { data: None, ..map("b", "1") }).unwrap();
    assert_eq!(asking.ask(key("b")).await, undecodable, "by the watch");

    server.drop_connections();
    server.compact();
    sleep(60 * S).await;
    assert_eq!(asking.ask(key("a")).await, undecodable, "after a relist");

    let healed = server.replace(&map("a", "2")).unwrap();
    assert_ne!(healed.metadata.resource_version, unreadable.metadata.resource_version);
    assert_eq!(asking.ask(key("a")).await, Told::Present);
    server.replace(&ConfigMap { data: None, ..map("a", "3") }).unwrap();
    assert_eq!(asking.ask(key("a")).await, Told::Present, "the last good state");
    server.delete(&healed).unwrap();
    assert_eq!(asking.ask(key("a")).await, Told::Gone);

    server.delete(&b).unwrap();
    assert_eq!(asking.ask(key("b")).await, Told::Gone, "its end was seen");
}

#[tokio::test(start_paused = true)]
async fn unreadable_object_missing_from_relist_is_gone() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    source.set_poisoned(&key("a"), true);
    source.put(map("a", "1"));
    let quiet = ReflectorOptions::new().on_error(|_| {});
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(quiet));
    let asking = SourceRequest::start(&informer);
    assert_eq!(asking.ask(key("a")).await, Told::Unknown(UnknownReason::Undecodable));
    source.delete(&key("a"));
    source.compact();
    sleep(60 * S).await;
    assert_eq!(asking.ask(key("a")).await, Told::Gone);
}

#[tokio::test(start_paused = true)]
async fn unnamed_item_makes_absent_keys_unknown() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    source.set_nameless_item(true);
    let quiet = ReflectorOptions::new().on_error(|_| {});
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(quiet));
    let asking = SourceRequest::start(&informer);
    assert_eq!(asking.ask(key("a")).await, Told::Unknown(UnknownReason::Undecodable));
    source.set_nameless_item(false);
    sleep(120 * S).await;
    assert_eq!(asking.ask(key("a")).await, Told::Gone);
}

#[tokio::test(start_paused = true)]
async fn unselected_object_is_unknown() {
    let server = server_with(&["a"]);
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new().labels("app=web");
    let asking = SourceRequest::start(&factory.informer_with(spec).unwrap());
    assert_eq!(asking.ask(key("a")).await, Told::Unknown(UnknownReason::NotSelected));
}
