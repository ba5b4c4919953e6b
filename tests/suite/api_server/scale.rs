//! The `scale` subresource, of built-in types and of custom ones. What is expected is what a real
//! server answered; `tests/cluster` asks one the same where it can.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;

use super::*;

fn deployment(replicas: Option<i32>) -> Deployment {
    serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {
                "matchLabels": {"app": "web"},
                "matchExpressions": [{"key": "track", "operator": "Exists"}],
            },
            "template": {
                "metadata": {"labels": {"app": "web", "track": "stable"}},
                "spec": {"containers": [{"name": "web", "image": "web:1"}]},
            },
        },
    }))
    .unwrap()
}

#[tokio::test]
async fn a_deployment_is_scaled() {
    let server = ApiServer::new();
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let made = deployments.create(&PostParams::default(), &deployment(Some(3))).await.unwrap();
    let version = made.metadata.resource_version.unwrap();
    let watch = deployments.watch(&WatchParams::default(), &version).await.unwrap();

    let mut scale = deployments.get_scale("web").await.unwrap();
    assert_eq!(scale.metadata.uid, made.metadata.uid);
    assert_eq!(scale.spec.as_ref().unwrap().replicas, Some(3));
    let status = scale.status.clone().unwrap();
    assert_eq!((status.replicas, status.selector.as_deref()), (0, Some("app=web,track")));

    scale.spec.as_mut().unwrap().replicas = Some(5);
    let params = PostParams::default();
    let scaled = deployments.replace_scale("web", &params, &scale).await.unwrap();
    assert_eq!(scaled.spec.unwrap().replicas, Some(5));
    let refused = deployments.replace_scale("web", &params, &scale).await;
    assert_eq!(code(&refused.unwrap_err()), 409, "the version it was read at is a precondition");

    let down = Patch::Merge(json!({"spec": {"replicas": 1}}));
    deployments.patch_scale("web", &PatchParams::default(), &down).await.unwrap();
    let down = Patch::Strategic(json!({"spec": {"replicas": 0}}));
    let none = deployments.patch_scale("web", &PatchParams::default(), &down).await.unwrap();
    assert_eq!(none.spec.unwrap().replicas, None, "none are told by silence");

    let after = deployments.get("web").await.unwrap();
    assert_eq!(after.metadata.generation, Some(4));
    assert_eq!(after.spec.unwrap().replicas, Some(0));
    let managers = after.metadata.managed_fields.unwrap();
    assert!(managers.iter().any(|manager| manager.subresource.as_deref() == Some("scale")));
    let told: Vec<_> = watch.take(3).try_collect().await.unwrap();
    let modified = |event: &WatchEvent<Deployment>| matches!(event, WatchEvent::Modified(_));
    assert!(told.iter().all(modified), "each is an event of the deployment");
}

#[tokio::test]
async fn a_dry_run_scales_nothing() {
    let server = ApiServer::new();
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    deployments.create(&PostParams::default(), &deployment(None)).await.unwrap();
    let up = Patch::Merge(json!({"spec": {"replicas": 9}}));
    let dry = PatchParams::default().dry_run();
    let tried = deployments.patch_scale("web", &dry, &up).await.unwrap();
    assert_eq!(tried.spec.unwrap().replicas, Some(9));
    let scale = deployments.get_scale("web").await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(1), "one, unless it says otherwise");
}

#[tokio::test]
async fn what_cannot_be_a_scale_is_refused() {
    let server = ApiServer::new();
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    deployments.create(&PostParams::default(), &deployment(None)).await.unwrap();
    let path = "/apis/apps/v1/namespaces/default/deployments/web/scale";
    let put = async |scale: Value| ask(&server, "PUT", path, &[], &scale).await;
    let refused = put(json!({"metadata": {"name": "web"}, "spec": {"replicas": -1}})).await;
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.json()["message"],
        "Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1: must be greater \
         than or equal to 0"
    );
    assert_eq!(put(json!({"metadata": {"name": "other"}, "spec": {}})).await.status, 400);
    let kind = json!({"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "web"}});
    assert_eq!(put(kind).await.status, 400);
    let words = json!({"metadata": {"name": "web"}, "spec": {"replicas": "many"}});
    assert_eq!(put(words).await.status, 400);
    assert_eq!(ask(&server, "DELETE", path, &[], &Value::Null).await.status, 405);
    assert_eq!(get(&server, &path.replace("web", "nobody")).await.status, 404);
    assert_eq!(get(&server, "/api/v1/namespaces/default/configmaps/a/scale").await.status, 404);
}

#[tokio::test]
async fn a_written_scale_is_validated_as_asked() {
    let server = ApiServer::new();
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    deployments.create(&PostParams::default(), &deployment(Some(3))).await.unwrap();
    let path = "/apis/apps/v1/namespaces/default/deployments/web/scale";
    let mut scale = json!({
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"},
        "spec": {"replicas": 5, "x": 1},
    });
    let strict = format!("{path}?fieldValidation=Strict");
    let refused = ask(&server, "PUT", &strict, &[], &scale).await;
    let problem = "Scale in version \"v1\" cannot be handled as a Scale: strict decoding error: \
                   unknown field \"spec.x\"";
    assert_eq!((refused.status, &refused.json()["message"]), (400, &problem.into()));
    assert_eq!(ask(&server, "PUT", path, &[], &scale).await.status, 200);
    scale["spec"]["replicas"] = "5".into();
    let refused = ask(&server, "PUT", path, &[], &scale).await;
    let problem = "Scale in version \"v1\" cannot be handled as a Scale: json: cannot unmarshal \
                   string into Go struct field ScaleSpec.spec.replicas of type int32";
    assert_eq!((refused.status, &refused.json()["message"]), (400, &problem.into()));
}
