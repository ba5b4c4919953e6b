//! Subresources of pods: evictions and bindings.

use k8s_openapi::api::core::v1::{Pod, PodSchedulingGate};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::EvictParams;
use serde_json::json;

use super::*;

fn pod(name: &str, phase: &str, ready: bool) -> Pod {
    let ready = if ready { "True" } else { "False" };
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
        "spec": {"containers": []},
        "status": {"phase": phase, "conditions": [{"type": "Ready", "status": ready}]},
    }))
    .unwrap()
}

/// A budget whose controller has counted: so many may go.
fn budget(name: &str, allowed: i64) -> PodDisruptionBudget {
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
        "status": {
            "observedGeneration": 1, "disruptionsAllowed": allowed, "expectedPods": 3,
            "currentHealthy": 2 + allowed, "desiredHealthy": 2,
        },
    }))
    .unwrap()
}

struct Scene {
    server: ApiServer,
    pods: Api<Pod>,
    budgets: Api<PodDisruptionBudget>,
}

fn scene(pods: &[Pod], budgets: &[PodDisruptionBudget]) -> Scene {
    let server = ApiServer::new();
    for pod in pods {
        server.create(pod).unwrap();
    }
    for budget in budgets {
        server.create(budget).unwrap();
    }
    let client = server.client();
    Scene {
        server,
        pods: Api::default_namespaced(client.clone()),
        budgets: Api::default_namespaced(client),
    }
}

#[tokio::test]
async fn a_pod_without_a_budget_is_deleted() {
    let scene = scene(&[pod("a", "Running", true)], &[]);
    let dry = EvictParams {
        post_options: kube::api::PostParams { dry_run: true, ..Default::default() },
        ..EvictParams::default()
    };
    scene.pods.evict("a", &dry).await.unwrap();
    assert!(scene.pods.get_opt("a").await.unwrap().is_some());
    let told = scene.pods.evict("a", &EvictParams::default()).await.unwrap();
    assert_eq!((told.code, told.is_success()), (201, true));
    assert!(scene.pods.get_opt("a").await.unwrap().is_none());
    assert_eq!(code(&scene.pods.evict("a", &EvictParams::default()).await.unwrap_err()), 404);
}

#[tokio::test]
async fn a_budget_lets_go_what_it_can_spare() {
    let running = ["a", "b"].map(|name| pod(name, "Running", true));
    let scene = scene(&running, &[budget("web", 1)]);
    scene.pods.evict("a", &EvictParams::default()).await.unwrap();
    let status = scene.budgets.get("web").await.unwrap().status.unwrap();
    assert_eq!(status.disruptions_allowed, Some(0));
    assert!(status.disrupted_pods.unwrap().contains_key("a"));
    let refused = scene.pods.evict("b", &EvictParams::default()).await.unwrap_err();
    assert_eq!(code(&refused), 429);
    let path = "/api/v1/namespaces/default/pods/b/eviction";
    let eviction = json!({"metadata": {"name": "b"}});
    let refused = ask(&scene.server, "POST", path, &[], &eviction).await.json();
    let cause = json!({
        "reason": "DisruptionBudget",
        "message": "The disruption budget web does not allow evicting pods currently",
    });
    assert_eq!(refused["details"], json!({ "causes": [cause] }));
    assert!(scene.pods.get_opt("b").await.unwrap().is_some());
}

#[tokio::test]
async fn uncounted_budget_asks_to_retry() {
    let mut young = budget("web", 5);
    young.status = None;
    let scene = scene(&[pod("a", "Running", true)], &[young]);
    let path = "/api/v1/namespaces/default/pods/a/eviction";
    let refused = ask(&scene.server, "POST", path, &[], &json!({"metadata": {"name": "a"}})).await;
    assert_eq!(
        (refused.status, &refused.json()["details"]["retryAfterSeconds"]),
        (429, &10.into())
    );
}

#[tokio::test]
async fn who_disrupts_nothing_needs_no_budget() {
    let idle = ["Succeeded", "Failed", "Pending"];
    let mut pods: Vec<Pod> =
        idle.iter().map(|phase| pod(&phase.to_lowercase(), phase, true)).collect();
    pods.push(pod("unready", "Running", false));
    let scene = scene(&pods, &[budget("web", 0)]);
    for pod in pods {
        let name = pod.metadata.name.unwrap();
        scene.pods.evict(&name, &EvictParams::default()).await.unwrap();
    }
    assert_eq!(scene.budgets.get("web").await.unwrap().status.unwrap().disrupted_pods, None);
}

#[tokio::test]
async fn two_budgets_are_one_too_many() {
    let scene = scene(&[pod("a", "Running", true)], &[budget("one", 1), budget("another", 1)]);
    let path = "/api/v1/namespaces/default/pods/a/eviction";
    let refused = ask(&scene.server, "POST", path, &[], &json!({"metadata": {"name": "a"}})).await;
    let refused = refused.json();
    assert_eq!((&refused["status"], &refused["code"]), (&"Failure".into(), &500.into()));
    assert!(scene.pods.get_opt("a").await.unwrap().is_some());
}

#[tokio::test]
async fn an_eviction_says_how_to_delete() {
    let mut scheduled = pod("a", "Running", true);
    scheduled.spec.as_mut().unwrap().node_name = Some("n1".into());
    let scene = scene(&[scheduled], &[]);
    // By hand: kube sends `delete_options`, which no server knows.
    let evict = async |delete: Value| {
        let eviction = json!({"metadata": {"name": "a"}, "deleteOptions": delete});
        let path = "/api/v1/namespaces/default/pods/a/eviction";
        ask(&scene.server, "POST", path, &[], &eviction).await.status
    };
    assert_eq!(evict(json!({"preconditions": {"uid": "another"}})).await, 409);
    assert_eq!(evict(json!({"gracePeriodSeconds": 7})).await, 201);
    let going = scene.pods.get("a").await.unwrap();
    assert_eq!(going.metadata.deletion_grace_period_seconds, Some(7));
}

#[tokio::test]
async fn a_binding_puts_a_pod_on_a_node() {
    let mut gated = pod("gated", "Pending", false);
    let gate = PodSchedulingGate { name: "example.com/wait".into() };
    gated.spec.as_mut().unwrap().scheduling_gates = Some(vec![gate]);
    let scene = scene(&[pod("a", "Pending", false), gated], &[]);
    let bind = async |pod: &str, target: Value| {
        let path = format!("/api/v1/namespaces/default/pods/{pod}/binding");
        let binding = json!({
            "metadata": {"name": pod, "annotations": {"chosen": "yes"}}, "target": target,
        });
        ask(&scene.server, "POST", &path, &[], &binding).await
    };
    let node = json!({"kind": "Node", "name": "n1"});
    let bound = bind("a", node.clone()).await;
    assert_eq!((bound.status, &bound.json()["status"]), (201, &"Success".into()));
    let pod = scene.pods.get("a").await.unwrap();
    assert_eq!(pod.spec.unwrap().node_name.as_deref(), Some("n1"));
    assert_eq!(pod.metadata.annotations.unwrap()["chosen"], "yes");
    let conditions = pod.status.unwrap().conditions.unwrap();
    assert!(conditions.iter().any(|c| c.type_ == "PodScheduled" && c.status == "True"));
    let twice = bind("a", node.clone()).await;
    assert_eq!(
        (twice.status, &twice.json()["message"]),
        (
            409,
            &"Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to \
              node \"n1\""
                .into()
        )
    );
    assert_eq!(bind("nobody", node.clone()).await.status, 404);
    assert_eq!(bind("gated", json!({"kind": "Node"})).await.status, 500);
    assert_eq!(bind("gated", node).await.status, 409);
}
