//! Parts of a collection by hash.

use kube::core::ApiResource;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::transport::protobuf::ProtobufObject;
use serde_json::json;

use super::*;

const LOWER: &str = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const UPPER: &str = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

fn path(selector: &str, more: &str) -> String {
    selecting("/api/v1/configmaps", selector, more)
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn two_shards_are_the_whole() {
    let server = ApiServer::new();
    for n in 0..40 {
        server.create(&map(&format!("m{n:02}"))).unwrap();
    }
    let lower = get(&server, &path(LOWER, "")).await.json();
    let upper = get(&server, &path(UPPER, "")).await.json();
    assert_eq!(lower["metadata"]["shardInfo"], json!({"selector": LOWER}));
    let (low, high) = (names(&lower), names(&upper));
    assert!(!low.is_empty() && !high.is_empty());
    let mut all = [low.clone(), high].concat();
    all.sort();
    assert_eq!(all.len(), 40);
    let page = get(&server, &path(LOWER, "&limit=2")).await.json();
    assert_eq!(names(&page), low[..2]);
    let remaining = page["metadata"]["remainingItemCount"].as_u64().unwrap();
    assert!(remaining >= 38 - low.len() as u64, "objects of all shards are counted");
    let watched = get(&server, &path(LOWER, "&watch=1&timeoutSeconds=1")).await.body;
    assert_eq!(String::from_utf8(watched).unwrap().lines().count(), low.len());
    assert_eq!(get(&server, &path("shardRange()", "")).await.status, 500);
}

const KINDS: [(&str, &str); 2] =
    [("v1", "/api/v1/namespaces/default/configmaps"), ("example.com/v1", THINGS)];

const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

/// Creates a server with forty config maps, and as many objects of a custom type.
async fn filled(sharded: bool) -> ApiServer {
    let server = ApiServer::builder().sharded_lists(sharded).build();
    let thing = ApiResource {
        group: "example.com".into(),
        version: "v1".into(),
        api_version: "example.com/v1".into(),
        kind: "Thing".into(),
        plural: "things".into(),
    };
    server.register(ResourceType::from_api_resource(&thing, true));
    for n in 0..40 {
        for (version, path) in KINDS {
            let kind = if version == "v1" { "ConfigMap" } else { "Thing" };
            let object = json!({
                "apiVersion": version, "kind": kind, "metadata": {"name": format!("m{n:02}")},
            });
            assert_eq!(ask(&server, "POST", path, &[], &object).await.status, 201);
        }
    }
    server
}

fn selecting(path: &str, selector: &str, more: &str) -> String {
    let query: String = form_urlencoded::byte_serialize(selector.as_bytes()).collect();
    format!("{path}?shardSelector={query}{more}")
}

/// Returns the names of both halves in one list of this form, which are the whole together.
async fn halves(
    server: &ApiServer,
    path: &str,
    accept: &str,
    more: &str,
    named: fn(&Value) -> Vec<String>,
) -> [Value; 2] {
    let half = async |selector| {
        let path = selecting(path, selector, more);
        ask(server, "GET", &path, &[("accept", accept)], &Value::Null).await.json()
    };
    let (lower, upper) = (half(LOWER).await, half(UPPER).await);
    let mut all = [named(&lower), named(&upper)].concat();
    assert!(named(&lower).len() < 40 && named(&upper).len() < 40, "{path} {accept}");
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 40, "{path} {accept}");
    [lower, upper]
}

#[tokio::test]
async fn every_form_of_list_is_selected() {
    let server = filled(true).await;
    for (version, path) in KINDS {
        for list in halves(&server, path, "application/json", "", names).await {
            let info = list["metadata"].get("shardInfo");
            assert_eq!(info.is_some(), version == "v1", "only built-in types state the shard");
        }
        let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        let table = "application/json;as=Table;g=meta.k8s.io;v=v1";
        let rows = |table: &Value| {
            let rows = table["rows"].as_array().unwrap().iter();
            rows.map(|row| row["cells"][0].as_str().unwrap().to_owned()).collect()
        };
        for list in [
            halves(&server, path, metadata, "", names).await,
            halves(&server, path, table, "", rows).await,
        ]
        .concat()
        {
            assert_eq!(list["metadata"].get("shardInfo"), None);
        }
    }
}

#[tokio::test]
async fn list_in_protobuf_states_the_shard() {
    let server = filled(true).await;
    let accept = [("accept", "application/vnd.kubernetes.protobuf")];
    let path = selecting(KINDS[0].1, UPPER, "");
    let answer = ask(&server, "GET", &path, &accept, &Value::Null).await;
    assert_eq!(answer.media_type, accept[0].1);
    let list: Value = ProtobufObject::from_envelope(&answer.body).unwrap().decode().unwrap();
    assert_eq!(list["metadata"]["shardInfo"], json!({"selector": UPPER}));
    let json = get(&server, &path).await.json();
    assert_eq!(names(&list), names(&json));
}

#[tokio::test]
async fn pages_of_an_exact_version_are_selected() {
    let server = filled(true).await;
    for (_, path) in KINDS {
        let before = get(&server, path).await.json();
        let version = before["metadata"]["resourceVersion"].as_str().unwrap();
        let later = ask(&server, "DELETE", &format!("{path}/m07"), &[], &Value::Null).await;
        assert_eq!(later.status, 200);
        let exact = format!("&resourceVersion={version}&resourceVersionMatch=Exact");
        halves(&server, path, "application/json", &exact, names).await;
        let mut together = vec![];
        for selector in [LOWER, UPPER] {
            let mut more = format!("{exact}&limit=3");
            loop {
                let page = get(&server, &selecting(path, selector, &more)).await.json();
                assert_eq!(page["metadata"]["resourceVersion"], version);
                together.extend(names(&page));
                match page["metadata"]["continue"].as_str().filter(|token| !token.is_empty()) {
                    Some(token) => more = format!("&limit=3&continue={token}"),
                    None => break,
                }
            }
        }
        together.sort();
        assert_eq!(together, names(&before));
        let refused = format!("{exact}&limit=3&continue=e30");
        assert_eq!(get(&server, &selecting(path, LOWER, &refused)).await.status, 422);
    }
}

#[tokio::test(start_paused = true)]
async fn every_form_of_watch_is_selected() {
    let server = filled(true).await;
    let streaming = "&watch=1&timeoutSeconds=1&allowWatchBookmarks=1&sendInitialEvents=1\
                     &resourceVersionMatch=NotOlderThan";
    for (_, path) in KINDS {
        for accept in [
            "application/json",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/json;as=Table;g=meta.k8s.io;v=v1",
        ] {
            let mut added = 0;
            for selector in [LOWER, UPPER] {
                let path = selecting(path, selector, streaming);
                let answer = ask(&server, "GET", &path, &[("accept", accept)], &Value::Null).await;
                let text = String::from_utf8(answer.body).unwrap();
                let own = text.lines().filter(|line| line.contains("\"ADDED\"")).count();
                assert!(own < 40 && text.contains("k8s.io/initial-events-end"), "{accept}");
                added += own;
            }
            assert_eq!(added, 40, "{path} {accept}");
        }
    }
}

#[tokio::test]
async fn deleting_a_shard_leaves_the_others() {
    for sharded in [true, false] {
        let server = filled(sharded).await;
        for (_, path) in KINDS {
            let upper = names(&get(&server, &selecting(path, UPPER, "")).await.json());
            let lower = selecting(path, LOWER, "");
            let dry = format!("{lower}&dryRun=All");
            let dry = names(&ask(&server, "DELETE", &dry, &[], &Value::Null).await.json());
            let deleted = ask(&server, "DELETE", &lower, &[], &Value::Null).await.json();
            assert_eq!(names(&deleted), dry);
            let left = names(&get(&server, path).await.json());
            assert_eq!(left, if sharded { upper } else { vec![] });
        }
    }
}
