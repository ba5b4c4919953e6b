//! Parts of a collection by hash.

use serde_json::json;

use super::*;

const LOWER: &str = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const UPPER: &str = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

fn path(selector: &str, more: &str) -> String {
    let query: String = form_urlencoded::byte_serialize(selector.as_bytes()).collect();
    format!("/api/v1/configmaps?shardSelector={query}{more}")
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
