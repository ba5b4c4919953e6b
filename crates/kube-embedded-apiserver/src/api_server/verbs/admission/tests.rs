use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::ApiServer;
use crate::api_server::asking::{path_of, send};

async fn create(server: &ApiServer, object: Value) -> (StatusCode, Value) {
    send(server, Method::POST, &path_of(&object), &object).await
}

fn pod(name: &str, spec: &Value) -> Value {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    for (name, value) in spec.as_object().into_iter().flatten() {
        pod["spec"][name] = value.clone();
    }
    pod
}

#[tokio::test]
async fn ingresses_get_the_default_class() {
    let server = ApiServer::new();
    let version = "networking.k8s.io/v1";
    let mark = "ingressclass.kubernetes.io/is-default-class";
    for (name, default) in [("other", "false"), ("main", "true")] {
        let metadata = json!({ "name": name, "annotations": { mark: default } });
        let class = json!({
            "apiVersion": version, "kind": "IngressClass", "metadata": metadata,
            "spec": { "controller": "example.com/c" },
        });
        assert_eq!(create(&server, class).await.0, StatusCode::CREATED);
    }
    let class = async |name: &str, annotations: Value, class: Value| {
        let backend = json!({ "service": { "name": "s", "port": { "number": 80 } } });
        let ingress = json!({
            "apiVersion": version, "kind": "Ingress",
            "metadata": { "name": name, "annotations": annotations },
            "spec": { "defaultBackend": backend, "ingressClassName": class },
        });
        create(&server, ingress).await.1["spec"]["ingressClassName"].clone()
    };
    assert_eq!(class("a", Value::Null, Value::Null).await, "main");
    assert_eq!(class("b", Value::Null, "other".into()).await, "other");
    let older = json!({ "kubernetes.io/ingress.class": "older" });
    assert_eq!(class("c", older, Value::Null).await, Value::Null);
}

#[tokio::test]
async fn pods_get_the_place_of_their_node() {
    let server = ApiServer::new();
    let zone = "topology.kubernetes.io/zone";
    let labels = json!({ zone: "z", "kubernetes.io/hostname": "n" });
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n", "labels": labels },
    });
    send(&server, Method::POST, "/api/v1/nodes", &node).await;
    let (_, placed) = create(&server, pod("placed", &json!({ "nodeName": "n" }))).await;
    assert_eq!(placed["metadata"]["labels"], json!({ zone: "z" }));

    create(&server, pod("bound", &Value::Null)).await;
    let path = "/api/v1/namespaces/default/pods/bound";
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": { "name": "bound" },
        "target": { "kind": "Node", "name": "n" },
    });
    let (status, answer) = send(&server, Method::POST, &format!("{path}/binding"), &binding).await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
    let (_, bound) = send(&server, Method::GET, path, &Value::Null).await;
    assert_eq!(bound["metadata"]["labels"], json!({ zone: "z" }));
}

#[tokio::test]
async fn second_default_priority_is_refused() {
    let server = ApiServer::new();
    let class = |name: &str, default: bool| {
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": { "name": name }, "value": 1, "globalDefault": default,
        })
    };
    let (status, mut first) = create(&server, class("first", true)).await;
    assert_eq!(status, StatusCode::CREATED);
    let (status, answer) = create(&server, class("second", true)).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let message = answer["message"].as_str().unwrap();
    let problem = "PriorityClass first is already marked as default. Only one default can exist";
    assert!(message.ends_with(problem), "{message}");
    let (status, mut second) = create(&server, class("second", false)).await;
    assert_eq!(status, StatusCode::CREATED);
    let path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    second["globalDefault"] = true.into();
    let (status, _) = send(&server, Method::PUT, &format!("{path}/second"), &second).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    first["description"] = "changed".into();
    let (status, _) = send(&server, Method::PUT, &format!("{path}/first"), &first).await;
    assert_eq!(status, StatusCode::OK);
}

/// Makes a quota with a status.
async fn limit(server: &ApiServer, spec: Value, used: Value) {
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "q" }, "spec": spec,
    });
    let (_, mut quota) = create(server, quota).await;
    quota["status"] = json!({ "hard": spec["hard"], "used": used });
    let path = "/api/v1/namespaces/default/resourcequotas/q/status";
    let (status, answer) = send(server, Method::PUT, path, &quota).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

#[tokio::test]
async fn quotas_that_were_not_counted_refuse() {
    let server = ApiServer::new();
    limit(&server, json!({ "hard": { "pods": "2" } }), json!({})).await;
    let (status, answer) = create(&server, pod("a", &Value::Null)).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let message = answer["message"].as_str().unwrap();
    assert!(message.ends_with("status unknown for quota: q, resources: pods"), "{message}");
}

#[tokio::test]
async fn quotas_count_objects_of_their_scopes() {
    let server = ApiServer::new();
    let spec = json!({ "hard": { "pods": "0" }, "scopes": ["BestEffort"] });
    limit(&server, spec, json!({ "pods": "0" })).await;
    let (status, _) = create(&server, pod("idle", &Value::Null)).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let resources = json!({ "requests": { "cpu": "1" } });
    let containers = json!([{ "name": "c", "image": "i", "resources": resources }]);
    let (status, answer) = create(&server, pod("busy", &json!({ "containers": containers }))).await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
}

#[tokio::test]
async fn quotas_count_what_a_change_adds() {
    let server = ApiServer::new();
    let ports = |count: u8| -> Vec<Value> {
        (0..count).map(|n| json!({ "name": format!("p{n}"), "port": 80 + n })).collect()
    };
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "s" },
        "spec": { "type": "NodePort", "ports": ports(1) },
    });
    let (_, mut service) = create(&server, service).await;
    let hard = json!({ "hard": { "services.nodeports": "2" } });
    limit(&server, hard, json!({ "services.nodeports": "1" })).await;
    let path = "/api/v1/namespaces/default/services/s";
    for (count, expected) in [(3, StatusCode::FORBIDDEN), (2, StatusCode::OK)] {
        service["spec"]["ports"] = ports(count).into();
        let (status, answer) = send(&server, Method::PUT, path, &service).await;
        assert_eq!(status, expected, "{answer}");
    }
    let path = "/api/v1/namespaces/default/resourcequotas/q";
    let (_, quota) = send(&server, Method::GET, path, &Value::Null).await;
    assert_eq!(quota["status"]["used"]["services.nodeports"], "2");
}
