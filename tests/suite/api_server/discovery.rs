//! The discovery documents, compared with those of a real server.

use std::collections::BTreeMap;

use kube::discovery::{Discovery, Scope};
use serde_json::json;

use super::*;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The part of a recorded resource that is told here as well.
fn told(mut resource: Value) -> Value {
    resource.as_object_mut().unwrap().remove("storageVersionHash");
    resource
}

#[tokio::test]
async fn discovery_describes_each_resource_like_real_server() {
    let server = ApiServer::new();
    let real: Value =
        serde_json::from_str(include_str!("../../data/transcripts/discovery-core.json")).unwrap();
    let real: BTreeMap<String, Value> = real["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["name"].as_str().unwrap().to_owned(), told(r.clone())))
        .collect();
    let ours = get(&server, "/api/v1").await.json();
    let resources = ours["resources"].as_array().unwrap();
    assert!(resources.len() > 20);
    for resource in resources {
        assert_eq!(*resource, real[resource["name"].as_str().unwrap()]);
    }
    assert_eq!((&ours["kind"], &ours["groupVersion"]), (&"APIResourceList".into(), &"v1".into()));
}

#[tokio::test]
async fn aggregated_discovery_matches_a_real_server() {
    let server = ApiServer::new();
    let real: Value =
        serde_json::from_str(include_str!("../../data/transcripts/discovery-aggregated.json"))
            .unwrap();
    let accept = format!("{AGGREGATED},application/json");
    let ours = ask(&server, "GET", "/apis", &[("accept", &accept)], &Value::Null).await;
    assert_eq!(ours.media_type, AGGREGATED);
    let ours = ours.json();
    let real_group = |name: &Value| {
        let items = real["items"].as_array().unwrap();
        items.iter().find(|group| group["metadata"]["name"] == *name).unwrap()
    };
    let groups = ours["items"].as_array().unwrap();
    assert!(groups.len() > 10);
    for group in groups {
        let real = real_group(&group["metadata"]["name"]);
        for version in group["versions"].as_array().unwrap() {
            let versions = real["versions"].as_array().unwrap();
            let real = versions.iter().find(|v| v["version"] == version["version"]).unwrap();
            for resource in version["resources"].as_array().unwrap() {
                let resources = real["resources"].as_array().unwrap();
                let found = resources.iter().find(|r| r["resource"] == resource["resource"]);
                let mut real = found.unwrap().clone();
                if let Some(others) = real.get_mut("subresources").and_then(Value::as_array_mut) {
                    let known = [
                        "approval",
                        "binding",
                        "ephemeralcontainers",
                        "eviction",
                        "finalize",
                        "resize",
                        "scale",
                        "status",
                    ];
                    others.retain(|other| known.iter().any(|name| other["subresource"] == *name));
                }
                assert_eq!(*resource, real);
            }
        }
    }
    let core = ask(&server, "GET", "/api", &[("accept", &accept)], &Value::Null).await.json();
    assert_eq!(core["items"][0]["versions"][0]["version"], "v1");
}

#[tokio::test]
async fn groups_and_the_server_itself_can_be_asked() {
    let server = ApiServer::new();
    let groups = get(&server, "/apis").await.json();
    let real: Value =
        serde_json::from_str(include_str!("../../data/transcripts/discovery-groups.json")).unwrap();
    for group in groups["groups"].as_array().unwrap() {
        let name = &group["name"];
        if name == "autoscaling" {
            continue;
        }
        let all = real["groups"].as_array().unwrap();
        assert_eq!(Some(group), all.iter().find(|real| real["name"] == *name));
    }
    assert_eq!(get(&server, "/apis/apps").await.json()["kind"], "APIGroup");
    assert_eq!(get(&server, "/api").await.json()["versions"][0], "v1");
    assert_eq!(get(&server, "/version").await.json()["minor"], "36");
    for path in ["/healthz", "/readyz", "/livez"] {
        assert_eq!(get(&server, path).await.body, b"ok");
    }
    let unknown_version = get(&server, "/apis/apps/v9").await;
    assert_eq!(unknown_version.json()["reason"], "NotFound");
    for path in ["/apis/nonsense", "/nothing/here", "/openapi/v3/api/v9"] {
        let answer = get(&server, path).await;
        assert_eq!((answer.status, &*answer.body), (404, &b"404 page not found\n"[..]), "{path}");
    }
}

#[tokio::test]
async fn schemas_of_all_types_are_served() {
    let server = ApiServer::new();
    let apps = get(&server, "/openapi/v3/apis/apps/v1").await.json();
    let deployment = &apps["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"];
    let kind = json!([{"group": "apps", "version": "v1", "kind": "Deployment"}]);
    assert_eq!(deployment["x-kubernetes-group-version-kind"], kind);
    assert_eq!(
        deployment["properties"]["spec"]["$ref"],
        "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"
    );
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "description": "The color.", "properties": {
            "color": {"type": "string"},
        }},
    }});
    define(&server, &widget_definition("Namespaced", &schema)).await;
    let custom = get(&server, "/openapi/v3/apis/example.com/v1").await.json();
    let widget = &custom["components"]["schemas"]["com.example.v1.Widget"]["properties"];
    assert_eq!(widget["spec"]["description"], "The color.");
    assert_eq!(
        widget["metadata"]["$ref"],
        "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    );
    let old = get(&server, "/openapi/v2").await;
    assert_eq!((old.status, &old.json()["swagger"]), (200, &"2.0".into()));
}

#[tokio::test]
async fn root_lists_existing_paths() {
    let index = get(&ApiServer::new(), "/").await;
    assert_eq!(index.status, 200);
    let paths = index.json()["paths"].as_array().unwrap().clone();
    for path in ["/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/readyz"] {
        assert!(paths.iter().any(|found| found == path), "{path}");
    }
}

#[tokio::test]
async fn a_client_finds_every_type() {
    let server = ApiServer::new();
    let client = server.client();
    for discovery in [
        Discovery::new(client.clone()).run().await.unwrap(),
        Discovery::new(client.clone()).run_aggregated().await.unwrap(),
    ] {
        let apps = discovery.get("apps").unwrap();
        let (deployment, about) = apps.recommended_kind("Deployment").unwrap();
        assert_eq!(deployment.plural, "deployments");
        assert_eq!(about.scope, Scope::Namespaced);
        assert!(discovery.groups().count() > 10);
    }
}
