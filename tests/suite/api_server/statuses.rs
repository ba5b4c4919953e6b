//! Statuses that a test sets with one call, in the place of controllers and kubelets.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::PostParams;
use kube::runtime::conditions::{is_deployment_completed, is_job_completed, is_pod_running};
use kube::runtime::wait::Condition;
use serde_json::{Value, json};

use super::*;

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
    })
}

#[tokio::test]
async fn deployment_becomes_available_as_kube_sees_it() {
    let (server, client, _) = rig();
    let deployments: Api<Deployment> = Api::default_namespaced(client);
    let mut template = template();
    template["spec"]["restartPolicy"] = "Always".into();
    let web = json!({"metadata": {"name": "web"}, "spec": {
        "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template,
    }});
    let web: Deployment = serde_json::from_value(web).unwrap();
    let web = deployments.create(&PostParams::default(), &web).await.unwrap();
    assert!(!is_deployment_completed().matches_object(Some(&web)));
    let told = server.make_deployment_available("default", "web").unwrap();
    let web = deployments.get("web").await.unwrap();
    assert_eq!(told, web);
    assert!(is_deployment_completed().matches_object(Some(&web)));
    assert_eq!(web.metadata.generation, Some(1), "the spec is the same");
    let status = web.status.unwrap();
    assert_eq!((status.observed_generation, status.available_replicas), (Some(1), Some(3)));
}

#[tokio::test]
async fn job_completes_as_kube_sees_it() {
    let (server, client, _) = rig();
    let jobs: Api<Job> = Api::default_namespaced(client);
    let job = json!({"metadata": {"name": "once"}, "spec": {"template": template()}});
    let job: Job = serde_json::from_value(job).unwrap();
    jobs.create(&PostParams::default(), &job).await.unwrap();
    server.complete_job("default", "once").unwrap();
    let job = jobs.get("once").await.unwrap();
    assert!(is_job_completed().matches_object(Some(&job)));
    assert_eq!(job.status.unwrap().succeeded, Some(1));
}

#[tokio::test]
async fn pod_runs_and_node_is_ready() {
    let (server, client, _) = rig();
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod = json!({"metadata": {"name": "p"}, "spec": template()["spec"]});
    let pod: Pod = serde_json::from_value(pod).unwrap();
    pods.create(&PostParams::default(), &pod).await.unwrap();
    server.make_pod_ready("default", "p").unwrap();
    let pod = server.make_pod_ready("default", "p").unwrap();
    assert!(is_pod_running().matches_object(Some(&pod)));
    assert_eq!(pod.status.unwrap().conditions.unwrap().len(), 4, "each condition once");

    let nodes: Api<Node> = Api::all(client);
    let node: Node = serde_json::from_value(json!({"metadata": {"name": "n"}})).unwrap();
    let node = nodes.create(&PostParams::default(), &node).await.unwrap();
    assert!(node.spec.unwrap().taints.is_some(), "a new node is tainted");
    let node = server.make_node_ready("n").unwrap();
    assert_eq!(node.spec.unwrap().taints.unwrap_or_default(), []);
    assert_eq!(node.status.unwrap().conditions.unwrap()[0].status, "True");
}

#[tokio::test]
async fn object_that_is_not_there_has_no_status() {
    let error = ApiServer::new().make_node_ready("n").unwrap_err();
    assert_eq!(error.status().unwrap().code, 404);
    assert!(error.to_string().contains("nodes \"n\" not found"), "{error}");
}
