//! Server-side apply, and who owns which field.

use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::*;

const PATH: &str = "/apis/apps/v1/namespaces/default/deployments/web";

fn deployment(spec: &Value) -> Value {
    let mut deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    });
    deployment["spec"] = spec.clone();
    deployment
}

async fn apply(server: &ApiServer, query: &str, object: &Value) -> Answer {
    let yaml = [("content-type", "application/apply-patch+yaml")];
    ask(server, "PATCH", &format!("{PATH}?{query}"), &yaml, object).await
}

async fn merge(server: &ApiServer, manager: &str, object: &Value) -> Answer {
    let merge = [("content-type", "application/merge-patch+json")];
    ask(server, "PATCH", &format!("{PATH}?fieldManager={manager}"), &merge, object).await
}

/// The fields of a manager's first entry.
fn fields(object: &Value, manager: &str) -> Value {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["manager"] == manager);
    found.map_or(Value::Null, |entry| entry["fieldsV1"].clone())
}

/// The spec of a deployment whose pods have one container.
fn container(name: &str, image: &str) -> Value {
    json!({
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": name, "image": image}]},
        },
    })
}

/// The names and images of a deployment's containers.
fn images(deployment: &Value) -> Vec<(&str, &str)> {
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().unwrap();
    let both = containers.iter().map(|one| (one["name"].as_str(), one["image"].as_str()));
    both.map(|(name, image)| (name.unwrap(), image.unwrap())).collect()
}

#[tokio::test]
async fn applied_fields_are_owned_and_unapplied_removed() {
    let server = ApiServer::new();
    let mut spec = container("a", "1");
    spec["replicas"] = 2.into();
    let made = apply(&server, "fieldManager=me", &deployment(&spec)).await;
    assert_eq!(made.status, 201, "{:?}", made.json());
    assert_eq!(
        fields(&made.json(), "me"),
        json!({"f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": {
                "f:metadata": {"f:labels": {"f:app": {}}},
                "f:spec": {"f:containers": {
                    "k:{\"name\":\"a\"}": {".": {}, "f:image": {}, "f:name": {}},
                }},
            },
        }})
    );
    let other = apply(&server, "fieldManager=you", &deployment(&container("b", "1"))).await;
    assert_eq!(other.status, 200);
    let again = apply(&server, "fieldManager=me", &deployment(&container("a", "2"))).await.json();
    assert_eq!(again["spec"]["replicas"], 1, "no longer applied, nobody else's: the default");
    assert_eq!(images(&again), [("a", "2"), ("b", "1")]);
    let version = again["metadata"]["resourceVersion"].clone();
    let same = apply(&server, "fieldManager=me", &deployment(&container("a", "2"))).await.json();
    assert_eq!(same["metadata"]["resourceVersion"], version, "nothing new, nothing written");
    let less = apply(&server, "fieldManager=me", &deployment(&json!({}))).await.json();
    assert_eq!(images(&less), [("b", "1")], "the other's is left");
}

#[tokio::test]
async fn apply_conflict_names_manager_and_can_be_forced() {
    let server = ApiServer::new();
    let mut spec = container("a", "1");
    spec["replicas"] = 2.into();
    apply(&server, "fieldManager=me", &deployment(&spec)).await;
    let scaled = merge(&server, "scaler", &json!({"spec": {"replicas": 5}})).await.json();
    assert_eq!(fields(&scaled, "scaler"), json!({"f:spec": {"f:replicas": {}}}));
    assert!(fields(&scaled, "me")["f:spec"]["f:replicas"].is_null(), "taken over");
    let refused = apply(&server, "fieldManager=me", &deployment(&spec)).await;
    assert_eq!(refused.status, 409);
    let refused = refused.json();
    assert_eq!(
        refused["message"],
        "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas"
    );
    assert_eq!(
        refused["details"]["causes"],
        json!([{
            "reason": "FieldManagerConflict", "field": ".spec.replicas",
            "message": "conflict with \"scaler\" using apps/v1",
        }])
    );
    let forced = apply(&server, "fieldManager=me&force=true", &deployment(&spec)).await.json();
    assert_eq!(forced["spec"]["replicas"], 2);
    assert!(fields(&forced, "scaler").is_null(), "nothing left of it");
    let mut agreed = container("a", "1");
    agreed["replicas"] = 2.into();
    let shared = apply(&server, "fieldManager=you", &deployment(&agreed)).await;
    assert_eq!(shared.status, 200, "the same value is no conflict");
    let less = apply(&server, "fieldManager=me", &deployment(&container("a", "1"))).await.json();
    assert_eq!(less["spec"]["replicas"], 2, "still somebody's");
}

#[tokio::test]
async fn an_object_nobody_kept_account_of_is_somebodys() {
    let server = ApiServer::new();
    let mut spec = container("a", "1");
    spec["replicas"] = 1.into();
    let mut made = deployment(&spec);
    made["metadata"]["namespace"] = "default".into();
    server.create(&serde_json::from_value::<Deployment>(made).unwrap()).unwrap();
    let applied = deployment(&json!({"replicas": 2}));
    let refused = apply(&server, "fieldManager=me", &applied).await;
    assert_eq!(refused.status, 409);
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("before-first-apply"), "{message}");
    let forced = apply(&server, "fieldManager=me&force=1", &applied).await.json();
    assert_eq!(forced["spec"]["replicas"], 2);
}

#[tokio::test]
async fn status_is_applied_apart() {
    let server = ApiServer::new();
    let mut object = deployment(&container("a", "1"));
    object["status"] = json!({"replicas": 7});
    let made = apply(&server, "fieldManager=me", &object).await.json();
    assert!(made["status"]["replicas"].is_null());
    let yaml = [("content-type", "application/apply-patch+yaml")];
    let path = format!("{PATH}/status?fieldManager=controller");
    object["spec"]["replicas"] = 9.into();
    let applied = ask(&server, "PATCH", &path, &yaml, &object).await.json();
    assert_eq!(
        (&applied["status"]["replicas"], &applied["spec"]["replicas"]),
        (&json!(7), &json!(1))
    );
    assert_eq!(fields(&applied, "controller"), json!({"f:status": {"f:replicas": {}}}));
    let entries = applied["metadata"]["managedFields"].as_array().unwrap();
    assert!(entries.iter().any(|entry| entry["subresource"] == "status"));
}

#[tokio::test]
async fn what_cannot_be_applied_is_refused() {
    let server = ApiServer::new();
    let object = deployment(&json!({}));
    assert_eq!(apply(&server, "", &object).await.status, 422, "no manager");
    let mut bad = object.clone();
    bad["metadata"]["managedFields"] = json!([]);
    assert_eq!(apply(&server, "fieldManager=me", &bad).await.status, 400);
    bad = object.clone();
    bad["metadata"]["name"] = "other".into();
    assert_eq!(apply(&server, "fieldManager=me", &bad).await.status, 400);
    assert_eq!(apply(&server, "fieldManager=me", &json!({"spec": {}})).await.status, 400);
    bad = object.clone();
    bad["spec"]["template"] = json!({"spec": {"containers": "none"}});
    let refused = apply(&server, "fieldManager=me", &bad).await;
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (
            500,
            &"failed to create typed patch object (/web; apps/v1, Kind=Deployment): \
              .spec.template.spec.containers: expected list, got &{none}"
                .into()
        )
    );
    assert_eq!(merge(&server, "me&force=true", &json!({})).await.status, 422);
}

#[tokio::test]
async fn custom_lists_merge_by_their_schema() {
    let server = ApiServer::new();
    let list = |more: Value| {
        let mut list = json!({
            "type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}, "size": {"type": "integer"},
            }},
        });
        list.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        list
    };
    let mut keyed = list(json!({
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
    }));
    keyed["items"]["required"] = json!(["name"]);
    let schema = json!({"type": "object", "properties": {"spec": {
        "type": "object", "properties": {
            "parts": keyed, "whole": list(json!({})),
            "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        },
    }}});
    define(&server, &widget_definition("Cluster", &schema)).await;
    let widget = |name: &str| {
        json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
            "spec": {"parts": [{"name": name, "size": 1}], "tags": [name],
                     "whole": [{"name": "same"}]},
        })
    };
    let yaml = [("content-type", "application/apply-patch+yaml")];
    let path = "/apis/example.com/v1/widgets/w?fieldManager=";
    assert_eq!(ask(&server, "PATCH", &format!("{path}a"), &yaml, &widget("a")).await.status, 201);
    let both = ask(&server, "PATCH", &format!("{path}b"), &yaml, &widget("b")).await.json();
    assert_eq!(both["spec"]["parts"].as_array().unwrap().len(), 2);
    assert_eq!(both["spec"]["tags"], json!(["a", "b"]));
    assert_eq!(both["spec"]["whole"].as_array().unwrap().len(), 1);
    let mut other = widget("b");
    other["spec"]["whole"] = json!([{"name": "other"}]);
    let refused = ask(&server, "PATCH", &format!("{path}b"), &yaml, &other).await;
    assert_eq!(refused.status, 409, "a list that is owned whole");
}

#[tokio::test]
async fn an_ordinary_client_applies() {
    let (_server, _, maps) = rig();
    let mut applied = map("a");
    applied.data = Some([("x".into(), "y".into())].into());
    let mine = PatchParams::apply("me");
    maps.patch("a", &mine, &Patch::Apply(&applied)).await.unwrap();
    applied.data = Some([("x".into(), "z".into())].into());
    let yours = PatchParams::apply("you");
    let refused = maps.patch("a", &yours, &Patch::Apply(&applied)).await.unwrap_err();
    assert_eq!(code(&refused), 409);
    let taken = maps.patch("a", &yours.force(), &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(taken.data.unwrap()["x"], "z");
    let managers = taken.metadata.managed_fields.unwrap();
    assert_eq!(managers.len(), 1);
    assert_eq!(managers[0].operation.as_deref(), Some("Apply"));
}

#[tokio::test]
async fn managed_fields_match_a_real_server() {
    let list: Value =
        serde_json::from_str(include_str!("../../data/transcripts/list-pods-json.json")).unwrap();
    let server = ApiServer::new();
    let all = list["items"].as_array().unwrap();
    let with_status =
        |pod: &&Value| pod["metadata"]["managedFields"].as_array().unwrap().len() == 2;
    let real = all.iter().find(with_status).unwrap();
    let mut pod = real.clone();
    let metadata = pod["metadata"].as_object_mut().unwrap();
    metadata.retain(|name, _| ["name", "namespace", "labels", "annotations"].contains(&&**name));
    // Fields that admission added have no owner.
    let spec = pod["spec"].as_object_mut().unwrap();
    spec.retain(|name, _| !["tolerations", "priority", "preemptionPolicy"].contains(&&**name));
    let namespace = pod["metadata"]["namespace"].as_str().unwrap();
    let path = format!("/api/v1/namespaces/{namespace}/pods");
    let name = pod["metadata"]["name"].as_str().unwrap();
    let made = ask(&server, "POST", &format!("{path}?fieldManager=transcript"), &[], &pod).await;
    let mut changed = made.json();
    let (ours, real) = (&changed["metadata"]["managedFields"], &real["metadata"]["managedFields"]);
    assert_eq!(ours[0]["fieldsV1"], real[0]["fieldsV1"]);
    changed["status"] = pod["status"].clone();
    let path = format!("{path}/{name}/status?fieldManager=transcript");
    let told = ask(&server, "PUT", &path, &[], &changed).await.json();
    let ours = &told["metadata"]["managedFields"];
    for (ours, real) in ours.as_array().unwrap().iter().zip(real.as_array().unwrap()) {
        for member in
            ["manager", "operation", "apiVersion", "fieldsType", "fieldsV1", "subresource"]
        {
            assert_eq!(ours[member], real[member], "{member}");
        }
    }
}

#[tokio::test]
async fn apply_with_uid_creates_nothing() {
    let server = ApiServer::new();
    let mut object = deployment(&container("a", "1"));
    object["metadata"]["uid"] = "some".into();
    let refused = apply(&server, "fieldManager=me", &object).await;
    assert_eq!(refused.status, 409, "{:?}", refused.json());
    assert_eq!(
        refused.json()["message"],
        "Operation cannot be fulfilled on deployments.apps \"web\": uid mismatch: the provided \
         object specified uid some, and no existing object was found"
    );
    object["metadata"].as_object_mut().unwrap().remove("uid");
    assert_eq!(apply(&server, "fieldManager=me", &object).await.status, 201);
}

/// A deployment after `kubectl apply` without `--server-side`.
async fn applied_by_client(server: &ApiServer) {
    const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let mut spec = container("a", "1");
    spec["replicas"] = 2.into();
    let mut object = deployment(&spec);
    object["metadata"]["annotations"] = json!({ LAST: object.to_string() });
    let path =
        "/apis/apps/v1/namespaces/default/deployments?fieldManager=kubectl-client-side-apply";
    let made = ask(server, "POST", path, &[], &object).await;
    assert_eq!(made.status, 201, "{:?}", made.json());
}

#[tokio::test]
async fn kubectl_takes_over_what_client_side_apply_set() {
    let server = ApiServer::new();
    applied_by_client(&server).await;
    let mut spec = container("a", "2");
    spec["replicas"] = 3.into();
    let other = apply(&server, "fieldManager=me", &deployment(&spec)).await;
    assert_eq!(other.status, 409, "only kubectl takes over");
    let taken = apply(&server, "fieldManager=kubectl", &deployment(&spec)).await;
    assert_eq!(taken.status, 200, "{:?}", taken.json());
    let taken = taken.json();
    assert_eq!(images(&taken), [("a", "2")]);
    let old = fields(&taken, "kubectl-client-side-apply");
    assert!(old["f:spec"]["f:replicas"].is_null(), "{old}");
    let annotations = taken["metadata"]["annotations"].as_object().unwrap();
    let last: Vec<&str> = annotations.values().map(|last| last.as_str().unwrap()).collect();
    assert_eq!(last, [format!("{}\n", deployment(&spec))], "the annotation follows");
}

#[tokio::test]
async fn kubectl_conflicts_where_somebody_changed_since() {
    let server = ApiServer::new();
    applied_by_client(&server).await;
    let scaled = merge(&server, "scaler", &json!({"spec": {"replicas": 5}})).await;
    assert_eq!(scaled.status, 200);
    let mut spec = container("a", "2");
    spec["replicas"] = 3.into();
    let refused = apply(&server, "fieldManager=kubectl", &deployment(&spec)).await;
    assert_eq!(refused.status, 409);
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    let wanted =
        "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas";
    assert_eq!(message, wanted);
}
