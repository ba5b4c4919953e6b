//! Objects that the test process writes directly, in the hands of clients.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    Event, Node, PersistentVolume, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount,
};
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;

/// Writes an object directly, and changes it as clients do. `scope` is the folder of its
/// namespace, if it has one.
async fn changes<K>(scope: &str, object: Value)
where
    K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    let server = ApiServer::new();
    let mut object = object;
    object["metadata"]["name"] = "a".into();
    if !scope.is_empty() {
        object["metadata"]["namespace"] = "default".into();
    }
    let made = server.create(&serde_json::from_value::<K>(object).unwrap()).unwrap();
    let generation = made.meta().generation;
    let root = if K::group(&()).is_empty() { "api" } else { "apis" };
    let path = format!("/{root}/{}{scope}/{}/a", K::api_version(&()), K::plural(&()));
    for (n, kind) in ["merge-patch", "strategic-merge-patch", "json-patch"].into_iter().enumerate()
    {
        let label = json!({"metadata": {"labels": {kind: "x"}}});
        let steps =
            json!([{"op": "add", "path": format!("/metadata/labels/{kind}"), "value": "x"}]);
        let media_type = format!("application/{kind}+json");
        let headers = [("content-type", &*media_type)];
        let change = if n == 2 { steps } else { label };
        let patched = ask(&server, "PATCH", &path, &headers, &change).await;
        assert_eq!(patched.status, 200, "{kind} {path}: {:#}", patched.json());
        let metadata = &patched.json()["metadata"];
        assert_eq!(metadata["labels"][kind], "x", "{kind} {path}");
        assert_eq!(metadata["generation"].as_i64(), generation, "{kind} {path}");
        let managers = metadata["managedFields"].as_array().map_or(0, Vec::len);
        assert_eq!(managers, 0, "the test process noted no managers: {kind} {path}");
    }
    let mut read = get(&server, &path).await.json();
    read["metadata"]["labels"]["replace"] = "x".into();
    let replaced = ask(&server, "PUT", &path, &[], &read).await;
    assert_eq!(replaced.status, 200, "PUT {path}: {:#}", replaced.json());
    let yaml = [("content-type", "application/apply-patch+yaml")];
    let applied = json!({
        "apiVersion": K::api_version(&()), "kind": K::kind(&()),
        "metadata": {"name": "a", "labels": {"apply": "x"}},
    });
    let applied = ask(&server, "PATCH", &format!("{path}?fieldManager=m"), &yaml, &applied).await;
    assert_eq!(applied.status, 200, "apply {path}: {:#}", applied.json());
    assert_eq!(applied.json()["metadata"]["labels"].as_object().unwrap().len(), 5);
}

const NAMESPACE: &str = "/namespaces/default";

/// Fixtures of tests are as short as their types allow. A cluster has no such objects, so it does
/// not say what to do with them.
#[tokio::test]
async fn clients_can_change_short_fixtures() {
    changes::<Pod>(NAMESPACE, json!({})).await;
    changes::<Pod>(NAMESPACE, json!({"spec": {"containers": [], "nodeName": "n"}})).await;
    changes::<Pod>(NAMESPACE, json!({"spec": {"containers": [{"name": "c"}]}})).await;
    changes::<Service>(NAMESPACE, json!({})).await;
    changes::<Service>(NAMESPACE, json!({"spec": {"ports": [{"port": 80}]}})).await;
    changes::<Service>(NAMESPACE, json!({"spec": {"type": "LoadBalancer"}})).await;
    changes::<Secret>(NAMESPACE, json!({"type": "kubernetes.io/tls"})).await;
    changes::<ServiceAccount>(NAMESPACE, json!({})).await;
    changes::<Event>(NAMESPACE, json!({"involvedObject": {}})).await;
    changes::<Node>("", json!({})).await;
    changes::<PersistentVolumeClaim>(NAMESPACE, json!({})).await;
    changes::<PersistentVolume>("", json!({})).await;
    for spec in [Value::Null, json!({"selector": {}, "template": {}})] {
        changes::<Deployment>(NAMESPACE, json!({ "spec": spec })).await;
        changes::<ReplicaSet>(NAMESPACE, json!({ "spec": spec })).await;
        changes::<DaemonSet>(NAMESPACE, json!({ "spec": spec })).await;
        changes::<Job>(NAMESPACE, json!({ "spec": spec })).await;
    }
    let spec = json!({"serviceName": "a", "selector": {}, "template": {}});
    changes::<StatefulSet>(NAMESPACE, json!({ "spec": spec })).await;
    changes::<CronJob>(NAMESPACE, json!({})).await;
    changes::<HorizontalPodAutoscaler>(NAMESPACE, json!({})).await;
    changes::<Ingress>(NAMESPACE, json!({})).await;
    changes::<NetworkPolicy>(NAMESPACE, json!({})).await;
    changes::<PodDisruptionBudget>(NAMESPACE, json!({})).await;
    changes::<Role>(NAMESPACE, json!({})).await;
    changes::<RoleBinding>(NAMESPACE, json!({"roleRef": {}})).await;
}

#[tokio::test]
async fn direct_writes_keep_managers_of_their_own() {
    let server = ApiServer::new();
    let entry = json!({
        "manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {}},
    });
    let mut written = map("a");
    written.metadata.managed_fields = Some(vec![serde_json::from_value(entry).unwrap()]);
    let made = server.create(&written).unwrap();
    assert_eq!(made.metadata.managed_fields, written.metadata.managed_fields);
    let replaced = server.replace(&map("a")).unwrap();
    assert_eq!(replaced.metadata.managed_fields, None);
}
