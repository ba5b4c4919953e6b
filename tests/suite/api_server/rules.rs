//! Rules of built-in kinds beside those that the recorded requests meet.

use serde_json::{Value, json};

use super::*;

fn pod(container: &Value) -> Value {
    let mut container = container.clone();
    container["name"] = "c".into();
    container["image"] = "i".into();
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [container]},
    })
}

async fn create(path: &str, object: &Value) -> (u16, Value) {
    let server = ApiServer::new();
    let made = ask(&server, "POST", path, &[], object).await;
    (made.status, made.json())
}

#[tokio::test]
async fn every_probe_of_a_container_is_validated() {
    let path = "/api/v1/namespaces/default/pods";
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let of = |handler: Value| pod(&json!({ probe: handler }));
        let (status, made) = create(path, &of(json!({"httpGet": {"port": 8080}}))).await;
        assert_eq!(status, 201, "{made}");
        let made = &made["spec"]["containers"][0][probe];
        assert_eq!((&made["periodSeconds"], &made["httpGet"]["path"]), (&json!(10), &json!("/")));
        let (status, refused) = create(path, &of(json!({"httpGet": {"port": 0}}))).await;
        let field = format!("spec.containers[0].{probe}.httpGet.port");
        assert_eq!((status, &refused["details"]["causes"][0]["field"]), (422, &field.into()));
        let (status, refused) = create(path, &of(json!({"periodSeconds": 5}))).await;
        let cause = &refused["details"]["causes"][0];
        let field = format!("spec.containers[0].{probe}");
        assert_eq!((status, &cause["field"]), (422, &field.into()), "a probe without a handler");
    }
}

#[tokio::test]
async fn ports_of_policies_are_of_tcp_unless_they_say_otherwise() {
    let path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
    let policy = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "n"},
        "spec": {
            "podSelector": {},
            "ingress": [{"ports": [{"port": 80}, {"port": 53, "protocol": "UDP"}]}],
            "egress": [{"ports": [{"port": 443}]}],
        },
    });
    let (status, made) = create(path, &policy).await;
    assert_eq!(status, 201, "{made}");
    let protocols = |direction: &str| {
        let ports = made["spec"][direction][0]["ports"].as_array().unwrap();
        ports.iter().map(|port| port["protocol"].clone()).collect::<Value>()
    };
    assert_eq!(
        (protocols("ingress"), protocols("egress")),
        (json!(["TCP", "UDP"]), json!(["TCP"]))
    );
    assert_eq!(made["spec"]["policyTypes"], json!(["Ingress", "Egress"]));
}

#[tokio::test]
async fn statuses_are_apart_where_a_real_server_has_them() {
    for (group, kind, plural, spec) in [
        (
            "flowcontrol.apiserver.k8s.io/v1",
            "FlowSchema",
            "flowschemas",
            json!({"priorityLevelConfiguration": {"name": "x"}}),
        ),
        ("networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", json!({"cidrs": ["10.9.0.0/16"]})),
    ] {
        let server = ApiServer::new();
        let path = format!("/apis/{group}/{plural}");
        let object = json!({
            "apiVersion": group, "kind": kind, "metadata": {"name": "x"}, "spec": spec,
        });
        let made = ask(&server, "POST", &path, &[], &object).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let condition = json!({
            "type": "Ready", "status": "True", "reason": "R", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        let status = json!({"status": {"conditions": [condition]}});
        let merge = [("content-type", "application/merge-patch+json")];
        let aside = ask(&server, "PATCH", &format!("{path}/x"), &merge, &status).await.json();
        assert_eq!(aside["status"], json!({}), "{kind}: the object's path writes no status");
        let set = ask(&server, "PATCH", &format!("{path}/x/status"), &merge, &status).await.json();
        assert_eq!(set["status"]["conditions"][0]["type"], "Ready", "{kind}");
    }
}

#[tokio::test]
async fn pods_of_stateful_sets_mount_their_claims() {
    let path = "/apis/apps/v1/namespaces/default/statefulsets";
    let set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"},
        "spec": {
            "serviceName": "s",
            "selector": {"matchLabels": {"app": "s"}},
            "template": {
                "metadata": {"labels": {"app": "s"}},
                "spec": {"containers": [{
                    "name": "c", "image": "i",
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }]},
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            }],
        },
    });
    let (status, made) = create(path, &set).await;
    assert_eq!(status, 201, "{made}");
}

#[tokio::test]
async fn defaults_fill_in_what_rules_need() {
    let path = "/api/v1/namespaces/default/pods";
    let field = |path: &str| json!({"fieldRef": {"fieldPath": path}});
    let mut pod = pod(&json!({
        "ports": [{"containerPort": 80}],
        "env": [{"name": "A", "valueFrom": field("metadata.annotations['a/b']")}],
        "resources": {"limits": {"example.com/gpu": 1, "hugepages-2Mi": "2Mi", "memory": "1Gi"}},
        "readinessProbe": {"tcpSocket": {"port": 80}},
        "volumeMounts": [{"name": "files", "mountPath": "/files"}],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
    }));
    let mut file = field("metadata.labels");
    file["path"] = "labels".into();
    let spec = &mut pod["spec"];
    spec["hostNetwork"] = true.into();
    spec["serviceAccountName"] = "default".into();
    spec["initContainers"] = json!([
        {"name": "a", "image": "i"},
        {"name": "b", "image": "i", "restartPolicy": "Always", "startupProbe": {
            "exec": {"command": ["true"]},
        }},
    ]);
    spec["topologySpreadConstraints"] = json!([{
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {}, "matchLabelKeys": ["app"],
    }]);
    spec["volumes"] = json!([
        {"name": "files", "projected": {"sources": [
            {"serviceAccountToken": {"path": "token"}},
            {"downwardAPI": {"items": [file]}},
            {"configMap": {"name": "m", "items": [{"key": "k", "path": "a/k"}]}},
        ]}},
        {"name": "empty", "emptyDir": {"sizeLimit": "1Mi"}},
    ]);
    let (status, made) = create(path, &pod).await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
}
