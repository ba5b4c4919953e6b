//! Updates that change nothing which matters: no reconcile runs.

use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Api, Resource, ResourceExt};
use kube_controllers::Controller;
use kube_controllers::controller::ControllerBuilder;
use kube_controllers::manager::serve::Prometheus;
use kube_informer::object::ContentFilter;
use kube_informer::testing::ApiServer;
use kube_informer::{Cached, CachedEvent, InformerSpec, SharedInformer, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::helpers::*;

const HEARTBEAT: &str = "status.conditions.lastHeartbeatTime";

/// The part of a node that its kubelet writes again and again.
fn heartbeat(beat: u8, status: &str) -> Value {
    let time = format!("2026-01-01T00:00:0{beat}Z");
    json!({"conditions": [{"type": "Ready", "status": status, "lastHeartbeatTime": time}]})
}

fn node() -> Node {
    let metadata = json!({"name": "n1", "labels": {"zone": "a"}});
    serde_json::from_value(json!({"metadata": metadata, "status": heartbeat(1, "True")})).unwrap()
}

async fn beat(server: &ApiServer, beat: u8, status: &str) {
    let patch = Patch::Merge(json!({"status": heartbeat(beat, status)}));
    let nodes = Api::<Node>::all(server.client());
    nodes.patch_status("n1", &PatchParams::default(), &patch).await.unwrap();
}

async fn label(server: &ApiServer, zone: &str) {
    let patch = Patch::Merge(json!({"metadata": {"labels": {"zone": zone}}}));
    let nodes = Api::<Node>::all(server.client());
    nodes.patch("n1", &PatchParams::default(), &patch).await.unwrap();
}

/// Writes what there is, as another manager: only the version and the managed fields change.
async fn rewrite(server: &ApiServer, manager: &str) {
    let same = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"labels": {"zone": "a"}}});
    let nodes = Api::<Node>::all(server.client());
    let before = nodes.get("n1").await.unwrap();
    let params = PatchParams::apply(manager);
    let after = nodes.patch("n1", &params, &Patch::Apply(same)).await.unwrap();
    assert_ne!(before.resource_version(), after.resource_version());
}

/// Runs a controller of these objects, which has reconciled those that there are.
async fn controlled<K>(informer: &SharedInformer<K>, ignored: &[&str]) -> Noting
where
    K: Resource + Serialize + Send + Sync + 'static,
{
    let builder: ControllerBuilder<K> = Controller::builder("nodes", informer);
    let noting = Noting::run(builder.content_changed(ignored).build());
    noting.log.reaches(1).await;
    noting.log.take();
    noting
}

fn informer<K>(server: &ApiServer, storage: Storage<K>) -> SharedInformer<K>
where
    K: Resource<DynamicType = ()> + Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let spec = InformerSpec::<K>::new().storage(storage).resync(1000 * S);
    factory(server).informer_with(spec).unwrap()
}

#[tokio::test(start_paused = true)]
async fn storage_migration_and_heartbeats_run_no_reconcile() {
    for storage in [Storage::packed(), Storage::decoded(), Storage::compact()] {
        let recorder = Prometheus::default();
        let _installed = metrics::set_default_local_recorder(&recorder);
        let server = ApiServer::new();
        server.create(&node()).unwrap();
        // Writes the parts that a real server always has.
        rewrite(&server, "kubelet").await;
        let nodes = informer::<Node>(&server, storage);
        let noting = controlled(&nodes, &[HEARTBEAT]).await;
        let dropped = || noting.handle.status().unchanged_updates;

        rewrite(&server, "migrator").await;
        caught_up(&server, &nodes).await;
        sleep(S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 1), "a migration");
        beat(&server, 2, "True").await;
        beat(&server, 3, "True").await;
        caught_up(&server, &nodes).await;
        sleep(S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 3), "heartbeats");
        let series = r#"kube_informer_unchanged_updates_total{controller="nodes"} 3"#;
        assert!(recorder.render().contains(series), "{}", recorder.render());
        // A resync is no update.
        sleep(1000 * S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 3), "a resync");

        label(&server, "b").await;
        noting.log.reaches(1).await;
        beat(&server, 4, "False").await;
        noting.log.reaches(2).await;
        // Another object of the name, seen as an update.
        server.delete(&node()).unwrap();
        server.create(&node()).unwrap();
        noting.log.reaches(3).await;
        server.delete(&node()).unwrap();
        noting.log.reaches(4).await;
        assert_eq!(dropped(), 3);
        noting.stop.cancel();
        noting.running.await.unwrap().unwrap();
    }
}

#[test]
fn only_updates_of_the_same_content_are_dropped() {
    let filter = ContentFilter::<Node>::ignoring(&[HEARTBEAT]);
    let state = |uid: &str, version: &str, beat: u8| {
        let mut node = node();
        (node.metadata.uid, node.metadata.resource_version) =
            (Some(uid.into()), Some(version.into()));
        node.status = serde_json::from_value(heartbeat(beat, "True")).unwrap();
        Cached::from(Arc::new(node))
    };
    let update = |old: &Cached<Node>, new: &Cached<Node>| {
        filter.passes(&CachedEvent::Updated { old: old.clone(), new: new.clone() })
    };
    let old = state("u", "1", 1);
    assert!(!update(&old, &old), "a resync");
    assert!(!update(&old, &state("u", "2", 2)));
    assert!(update(&old, &state("v", "2", 1)), "another object");
    let all = ContentFilter::<Node>::ignoring(&[]);
    assert!(all.passes(&CachedEvent::Updated { old: old.clone(), new: state("u", "2", 2) }));
    assert!(filter.passes(&CachedEvent::Added { object: old.clone(), initial: true }));
    assert!(filter.passes(&CachedEvent::Deleted { object: old, final_state_known: true }));
}

/// Draws a map with few values, so that two of them are often nearly equal.
fn drawn(rng: &mut Rng, version: usize) -> Value {
    let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {}});
    let metadata =
        json!({"name": "m", "namespace": "shop", "resourceVersion": version.to_string()});
    map["metadata"] = metadata;
    for name in ["a", "b"] {
        if rng.bool() {
            map["data"][name] = rng.u8(..2).to_string().into();
        }
    }
    if rng.bool() {
        map["metadata"]["annotations"] = json!({"a": rng.u8(..2).to_string()});
        map["metadata"]["managedFields"] = json!([{"manager": rng.u8(..2).to_string()}]);
    }
    map
}

#[test]
fn decoded_states_differ_as_their_values_do() {
    fn passes<K>(old: &Value, new: &Value, ignored: &[&str]) -> bool
    where
        K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let state = |value: &Value| serde_json::from_value::<K>(value.clone()).unwrap();
        let [old, new] = [old, new].map(|value| Cached::from(Arc::new(state(value))));
        ContentFilter::<K>::ignoring(ignored).passes(&CachedEvent::Updated { old, new })
    }
    let (mut rng, mut same) = (Rng::with_seed(26), 0);
    for round in 0..2_000 {
        let (old, new) = (drawn(&mut rng, round), drawn(&mut rng, round + 1));
        let ignored = [&[][..], &["data.a"], &["data"], &["metadata.annotations.a"]][round % 4];
        let without = |state: &Value| {
            let mut state = state.clone();
            for path in
                ignored.iter().chain(&["metadata.resourceVersion", "metadata.managedFields"])
            {
                let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
                let parent = format!("/{}", parent.replace('.', "/"));
                let parent = parent.trim_end_matches('/');
                if let Some(parent) = state.pointer_mut(parent).and_then(Value::as_object_mut) {
                    parent.remove(name);
                }
            }
            state
        };
        let differ = without(&old) != without(&new);
        same += usize::from(!differ);
        assert_eq!(passes::<ConfigMap>(&old, &new, ignored), differ, "{old} {new} {ignored:?}");
        assert_eq!(passes::<DynamicObject>(&old, &new, ignored), differ, "{old} {new} {ignored:?}");
    }
    assert!((100..1_900).contains(&same), "{same} are the same");
}
