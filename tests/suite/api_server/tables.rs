//! Tables, against the recorded one.

use serde_json::json;

use super::*;

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";

async fn table(server: &ApiServer, path: &str) -> Value {
    let answer = ask(server, "GET", path, &[("accept", TABLE)], &Value::Null).await;
    assert_eq!(answer.media_type, "application/json");
    answer.json()
}

async fn make(server: &ApiServer, path: &str, object: Value) {
    let made = ask(server, "POST", path, &[], &object).await;
    assert_eq!(made.status, 201, "{:?}", made.json());
}

/// Everything in the cells but the age, which is young.
fn cells(table: &Value, row: usize) -> Vec<Value> {
    let columns = table["columnDefinitions"].as_array().unwrap();
    let cells = table["rows"][row]["cells"].as_array().unwrap();
    assert_eq!(columns.len(), cells.len());
    let shown = columns.iter().zip(cells).filter(|(column, _)| column["name"] != "Age");
    shown.map(|(_, cell)| cell.clone()).collect()
}

#[tokio::test]
async fn pod_tables_match_a_real_server() {
    let server = ApiServer::new();
    let list: Value =
        serde_json::from_str(include_str!("../../data/transcripts/list-pods-json.json")).unwrap();
    for mut pod in list["items"].as_array().unwrap().iter().take(3).cloned() {
        pod["metadata"].as_object_mut().unwrap().remove("resourceVersion");
        make(&server, "/api/v1/namespaces/bank/pods", pod).await;
    }
    let real: Value =
        serde_json::from_str(include_str!("../../data/transcripts/list-table-json.json")).unwrap();
    let ours = table(&server, "/api/v1/pods?limit=3").await;
    assert_eq!((&ours["kind"], &ours["apiVersion"]), (&real["kind"], &real["apiVersion"]));
    for (ours, real) in ours["columnDefinitions"]
        .as_array()
        .unwrap()
        .iter()
        .zip(real["columnDefinitions"].as_array().unwrap())
    {
        for member in ["name", "type", "format", "priority"] {
            assert_eq!(ours[member], real[member], "{ours}");
        }
    }
    for row in 0..3 {
        assert_eq!(cells(&ours, row), cells(&real, row));
    }
    let object = &ours["rows"][0]["object"];
    assert_eq!(object["kind"], "PartialObjectMetadata");
    assert!(object["spec"].is_null());
    let whole = table(&server, "/api/v1/pods?includeObject=Object").await;
    assert!(whole["rows"][0]["object"]["spec"].is_object());
    let bare = table(&server, "/api/v1/pods?includeObject=None").await;
    assert!(bare["rows"][0]["object"].is_null());
    let one = table(&server, "/api/v1/namespaces/bank/pods/web-00").await;
    assert_eq!(cells(&one, 0), cells(&real, 0));
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a row for each kind")]
async fn common_kinds_show_what_matters() {
    let server = ApiServer::new();
    for (path, object, wanted) in [
        (
            "/api/v1/namespaces/a/configmaps",
            json!({"metadata": {"name": "m"}, "data": {"x": "1", "y": "2"}}),
            json!(["m", 2]),
        ),
        (
            "/api/v1/namespaces/a/secrets",
            json!({"metadata": {"name": "s"}, "type": "Opaque", "data": {"x": ""}}),
            json!(["s", "Opaque", 1]),
        ),
        ("/api/v1/namespaces", json!({"metadata": {"name": "a"}}), json!(["a", "Active"])),
        (
            "/api/v1/namespaces/a/services",
            json!({"metadata": {"name": "web"}, "spec": {
                "type": "LoadBalancer", "clusterIP": "10.0.0.1", "selector": {"app": "web"},
                "allocateLoadBalancerNodePorts": false,
                "ports": [
                    {"name": "http", "port": 80, "nodePort": 30080},
                    {"name": "dns", "port": 53, "protocol": "UDP"},
                ],
            }}),
            json!([
                "web",
                "LoadBalancer",
                "10.0.0.1",
                "<pending>",
                "80:30080/TCP,53/UDP",
                "app=web"
            ]),
        ),
        (
            "/apis/apps/v1/namespaces/a/deployments",
            json!({"metadata": {"name": "d"}, "spec": {
                "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
                    {"name": "x", "image": "i"}, {"name": "y", "image": "j"}
                ]}},
            }}),
            json!(["d", "0/3", 0, 0, "x,y", "i,j", "app=web"]),
        ),
        (
            "/api/v1/nodes",
            json!({
                "metadata": {"name": "n", "labels": {"node-role.kubernetes.io/worker": ""}},
                "spec": {"unschedulable": true},
            }),
            json!([
                "n",
                "Unknown,SchedulingDisabled",
                "worker",
                "",
                "<none>",
                "<none>",
                "<unknown>",
                "<unknown>",
                "<unknown>",
            ]),
        ),
        (
            "/apis/policy/v1/namespaces/a/poddisruptionbudgets",
            json!({"metadata": {"name": "p"}, "spec": {"minAvailable": "50%"}}),
            json!(["p", "50%", "N/A", 0]),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/a/ingresses",
            json!({"metadata": {"name": "i"}, "spec": {
                "ingressClassName": "nginx", "tls": [{}],
                "rules": [{"host": "a.example"}, {"host": "b.example"}],
            }}),
            json!(["i", "nginx", "a.example,b.example", "", "80, 443"]),
        ),
        (
            "/api/v1/persistentvolumes",
            json!({"metadata": {"name": "v"}, "spec": {
                "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                "storageClassName": "slow", "hostPath": {"path": "/x"},
                "claimRef": {"namespace": "a", "name": "c"},
            }}),
            json!([
                "v",
                "5Gi",
                "RWO,RWX",
                "Retain",
                "Pending",
                "a/c",
                "slow",
                "<unset>",
                "",
                "Filesystem"
            ]),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/a/rolebindings",
            json!({
                "metadata": {"name": "b"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
                "subjects": [
                    {"kind": "ServiceAccount", "name": "default", "namespace": "a"},
                    {"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"},
                ],
            }),
            json!(["b", "Role/r", "jane", "", "a/default"]),
        ),
        (
            "/apis/batch/v1/namespaces/a/cronjobs",
            json!({"metadata": {"name": "c"}, "spec": {
                "schedule": "*/5 * * * *",
                "jobTemplate": {"spec": {"template": {"spec": {
                    "restartPolicy": "Never", "containers": [{"name": "x", "image": "i"}],
                }}}},
            }}),
            json!(["c", "*/5 * * * *", "<none>", "False", 0, "<none>", "x", "i", "<none>"]),
        ),
        (
            "/apis/autoscaling/v2/namespaces/a/horizontalpodautoscalers",
            json!({"metadata": {"name": "h"}, "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
                "maxReplicas": 5,
            }}),
            json!(["h", "Deployment/d", "cpu: <unknown>/80%", "1", 5, 0]),
        ),
    ] {
        make(&server, path, object).await;
        let shown = table(&server, path).await;
        assert_eq!(Value::from(cells(&shown, 0)), wanted, "{path}");
    }
}

#[tokio::test]
async fn every_built_in_kind_has_columns_of_its_own() {
    // The kinds that have only these on a real server, too.
    let plain = [
        "customresourcedefinitions",
        "limitranges",
        "clusterroles",
        "roles",
        "deviceclasses",
        "resourceclaimtemplates",
        "serviceaccounts",
    ];
    let server = ApiServer::new();
    let groups = get(&server, "/apis").await.json();
    let versions = groups["groups"].as_array().unwrap().iter();
    let mut roots: Vec<String> =
        versions.map(|group| text(&group["preferredVersion"]["groupVersion"])).collect();
    roots = roots.into_iter().map(|version| format!("/apis/{version}")).collect();
    roots.push("/api/v1".into());
    for root in roots {
        let answer = get(&server, &root).await.json();
        for resource in answer["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            let is_listed = resource["verbs"].as_array().unwrap().iter().any(|verb| verb == "list");
            if !is_listed || plain.contains(&name) {
                continue;
            }
            let table = table(&server, &format!("{root}/{name}")).await;
            let columns = table["columnDefinitions"].as_array().unwrap();
            let names: Vec<String> = columns.iter().map(|column| text(&column["name"])).collect();
            assert!(names != ["Name", "Age"] && names != ["Name", "Created At"], "{root}/{name}");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn table_watch_names_columns_once() {
    let server = ApiServer::new();
    server.create(&map("a")).unwrap();
    server.create(&map("b")).unwrap();
    let path = "/api/v1/configmaps?watch=1&timeoutSeconds=1&allowWatchBookmarks=1";
    let watch = ask(&server, "GET", path, &[("accept", TABLE)], &Value::Null).await;
    let lines = String::from_utf8(watch.body).unwrap();
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["ADDED", "ADDED", "BOOKMARK"]);
    assert!(events.iter().all(|event| event["object"]["kind"] == "Table"));
    assert!(events[0]["object"]["columnDefinitions"].is_array());
    assert!(events[1]["object"]["columnDefinitions"].is_null());
    assert_eq!(events[1]["object"]["rows"][0]["cells"][0], "b");
    let marked = &events[2]["object"]["rows"][0]["object"]["metadata"];
    assert_eq!(marked["resourceVersion"], server.revision().to_string());
}

#[tokio::test]
async fn custom_type_shows_its_definitions_columns() {
    let server = ApiServer::new();
    let mut definition = widget_definition("Cluster", &any_fields());
    definition["spec"]["versions"][0]["additionalPrinterColumns"] = json!([
        {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1},
        {"name": "Born", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]);
    define(&server, &definition).await;
    let widget = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
        "spec": {"color": "blue", "size": 7},
    });
    make(&server, "/apis/example.com/v1/widgets", widget).await;
    let shown = table(&server, "/apis/example.com/v1/widgets").await;
    let cells = &shown["rows"][0]["cells"];
    assert_eq!((&cells[0], &cells[1], &cells[2]), (&json!("w"), &json!("blue"), &json!(7)));
    assert!(cells[3].as_str().unwrap().ends_with('s'), "{cells}");
    assert_eq!(shown["columnDefinitions"][2]["priority"], 1);
}
