//! Updates that change nothing which matters: no reconcile runs.

use k8s_openapi::api::core::v1::Node;
use kube::api::{Patch, PatchParams};
use kube::{Api, Resource, ResourceExt};
use kube_informer::controller::ControllerBuilder;
use kube_informer::metrics::UNCHANGED_UPDATES;
use kube_informer::testing::ApiServer;
use kube_informer::{Controller, InformerSpec, SharedInformer, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::sleep;

use crate::helpers::*;
use crate::prometheus::Prometheus;

const HEARTBEAT: &str = "status.conditions.lastHeartbeatTime";

fn node(beat: u8) -> Node {
    let condition = json!({
        "type": "Ready", "status": "True", "lastHeartbeatTime": format!("2026-01-01T00:00:0{beat}Z"),
    });
    serde_json::from_value(json!({
        "metadata": {"name": "n1", "labels": {"zone": "a"}}, "status": {"conditions": [condition]},
    }))
    .unwrap()
}

/// Writes what there is, as another manager: only the version and the managed fields change.
async fn rewrite(server: &ApiServer) {
    let same = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"labels": {"zone": "a"}}});
    let nodes = Api::<Node>::all(server.client());
    let before = nodes.get("n1").await.unwrap();
    let params = PatchParams::apply("migrator");
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
        server.create(&node(1)).unwrap();
        let nodes = informer::<Node>(&server, storage);
        let noting = controlled(&nodes, &[HEARTBEAT]).await;
        let dropped = || noting.handle.status().unchanged_updates;

        rewrite(&server).await;
        caught_up(&server, &nodes).await;
        sleep(S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 1), "a migration");
        server.replace(&node(2)).unwrap();
        server.replace(&node(3)).unwrap();
        caught_up(&server, &nodes).await;
        sleep(S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 3), "heartbeats");
        let series = format!(r#"{UNCHANGED_UPDATES}{{controller="nodes"}} 3"#);
        assert!(recorder.render().contains(&series), "{}", recorder.render());
        // A resync is no update.
        sleep(1000 * S).await;
        assert_eq!((noting.log.len(), dropped()), (0, 3), "a resync");

        let mut changed = node(3);
        changed.labels_mut().insert("zone".into(), "b".into());
        server.replace(&changed).unwrap();
        noting.log.reaches(1).await;
        let mut other = node(4);
        other.labels_mut().insert("zone".into(), "b".into());
        other.status.get_or_insert_default().conditions.get_or_insert_default()[0].status =
            "False".into();
        server.replace(&other).unwrap();
        noting.log.reaches(2).await;
        server.delete(&other).unwrap();
        noting.log.reaches(3).await;
        server.create(&node(4)).unwrap();
        noting.log.reaches(4).await;
        assert_eq!(dropped(), 3);
        noting.stop.cancel();
        noting.running.await.unwrap().unwrap();
    }
}
