//! Requests to the embedded server, sensible or not.

use std::collections::BTreeSet;
use std::fmt::Debug;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::LabelSelector;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};

use super::{JSON, PROTOBUF, wait_for};

const PODS: &str = "/api/v1/namespaces/shop/pods";

const PATCHES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// A path, a query, and a body.
pub fn request(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let quoted = quoted(data);
    let raw: String = text.chars().filter(char::is_ascii_graphic).collect();
    wait_for(async {
        let server = ApiServer::new();
        for target in [
            format!("{PODS}?shardSelector={quoted}"),
            format!("{PODS}?resourceVersion={quoted}&resourceVersionMatch=Exact"),
            format!("{PODS}?timeoutSeconds=1&{raw}"),
            format!("/{raw}"),
        ] {
            asked(&server, Method::GET, &target, JSON, b"").await;
        }
        for media_type in [JSON, PROTOBUF] {
            asked(&server, Method::POST, PODS, media_type, data).await;
        }
    });
}

/// A byte that says which kind of patch and of what part, and the patch.
pub fn patches(data: &[u8]) {
    let Some((kind, patch)) = data.split_first() else { return };
    let media_type = PATCHES[usize::from(*kind) % 4];
    let object = format!("{PODS}/p");
    let part = if kind & 4 == 0 { "" } else { "/status" };
    let options = if *kind % 4 == 3 { "?fieldManager=fuzz&force=true" } else { "" };
    let target = format!("{object}{part}{options}");
    wait_for(async {
        let server = ApiServer::new();
        server.create(&pod("p", "web", "1")).expect("a pod is created");
        let patch = async || found(asked(&server, Method::PATCH, &target, media_type, patch).await);
        let patched = patch().await.await;
        let stored = found(asked(&server, Method::GET, &object, JSON, b"").await).await;
        let stored = stored.expect("a patch is no delete");
        let metadata = &stored["metadata"];
        assert_eq!((&metadata["name"], &metadata["namespace"]), (&json!("p"), &json!("shop")));
        let Some(patched) = patched else { return };
        assert_eq!(patched, stored, "the answer is what is stored");
        if *kind % 4 == 1
            && let Some(again) = patch().await.await
        {
            // Of a merge, to do it twice is to do it once.
            assert_eq!(again, stored);
        }
    });
}

/// A label selector, or a field selector, by the first byte.
pub fn selects(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let by_label = kind % 2 == 0;
    // Each term of a field selector takes a request.
    if !by_label && text.split(|byte| *byte == b',').count() > 20 {
        return;
    }
    wait_for(async {
        let server = populated();
        let selected = async |text: &[u8]| {
            let parameter = if by_label { "labelSelector" } else { "fieldSelector" };
            let target = format!("{PODS}?{parameter}={}", quoted(text));
            let list = found(asked(&server, Method::GET, &target, JSON, b"").await).await;
            list.map(|list| BTreeSet::from_iter(names(&list)))
        };
        let found = selected(text).await;
        let text = String::from_utf8_lossy(text);
        let expected = if by_label {
            // The client's side of it, which has no server to ask.
            text.parse::<LabelSelector>().ok().map(|labels| {
                let all = pods();
                let matches = |pod: &&Pod| labels.matches(pod.metadata.labels.as_ref());
                all.iter().filter(matches).filter_map(|pod| pod.metadata.name.clone()).collect()
            })
        } else {
            // Each of several terms narrows it.
            let mut expected = selected(b"").await;
            for term in text.split(',') {
                let narrowed = selected(term.as_bytes()).await;
                expected = expected.zip(narrowed).map(|(a, b)| &a & &b);
            }
            expected
        };
        assert_eq!(found, expected, "{text:?}");
    });
}

/// A continue token: of what bytes it likes, or one that is well formed, to go on behind a key.
pub fn continues(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let text = match kind % 4 {
        0 => String::from_utf8_lossy(text).into_owned(),
        1 => URL_SAFE_NO_PAD.encode(text),
        behind => {
            let start = format!("/{}\0", String::from_utf8_lossy(text));
            let version = if behind == 2 { json!(kind / 4) } else { json!(-1) };
            let token = json!({ "v": "meta.k8s.io/v1", "rv": version, "start": start });
            URL_SAFE_NO_PAD.encode(token.to_string())
        }
    };
    wait_for(async {
        let server = populated();
        let mut token = text;
        let mut seen: Vec<String> = Vec::new();
        // As many pages as there are objects, and one.
        for _ in 0..=pods().len() {
            let target = format!("{PODS}?limit=1&continue={}", quoted(token.as_bytes()));
            let answer = asked(&server, Method::GET, &target, JSON, b"").await;
            let Some(page) = found(answer).await else { return };
            seen.extend(names(&page));
            match page["metadata"]["continue"].as_str() {
                Some(next) if !next.is_empty() => next.clone_into(&mut token),
                _ => {
                    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
                    return;
                }
            }
        }
        panic!("the pages never end: {seen:?}");
    });
}

fn quoted(data: &[u8]) -> String {
    data.iter().fold(String::new(), |text, byte| text + &format!("%{byte:02x}"))
}

fn pod(name: &str, app: &str, tier: &str) -> Pod {
    let pod = json!({
        "metadata": {
            "name": name, "namespace": "shop",
            "labels": { "app": app, "tier": tier }, "annotations": { "a": "b" },
        },
        "spec": {
            "nodeName": "n1",
            "containers": [
                { "name": "a", "image": "i:1", "env": [{ "name": "E", "value": "1" }],
                  "ports": [{ "containerPort": 80, "protocol": "TCP" }] },
                { "name": "b", "image": "i:2" },
            ],
            "tolerations": [{ "key": "k", "operator": "Exists" }],
        },
        "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] },
    });
    serde_json::from_value(pod).expect("it is a pod")
}

fn pods() -> [Pod; 4] {
    [pod("p", "web", "1"), pod("q", "web", "7"), pod("r", "db", "x"), pod("s", "a-b.c_d", "")]
}

fn populated() -> ApiServer {
    let server = ApiServer::new();
    for pod in pods() {
        server.create(&pod).expect("a pod is created");
    }
    server
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().into_iter().flatten();
    items.filter_map(|item| Some(item["metadata"]["name"].as_str()?.to_owned())).collect()
}

/// Returns the answered object or list, if the answer is one. A watch has no end, so nothing reads
/// it.
async fn found(answer: Option<Response<impl Body<Data = Bytes, Error: Debug>>>) -> Option<Value> {
    let answer = answer.filter(|answer| answer.status().is_success())?;
    let body = answer.into_body().collect().await.expect("an answer is whole").to_bytes();
    Some(serde_json::from_slice(&body).expect("an answer is JSON"))
}

/// Whatever is asked, the answer is no failure of the server's own. `None`: it is no request, and
/// never gets this far.
async fn asked(
    server: &ApiServer,
    method: Method,
    target: &str,
    media_type: &str,
    body: &[u8],
) -> Option<Response<impl Body<Data = Bytes, Error: Debug> + use<>>> {
    let request = Request::builder().method(method).uri(target).header(CONTENT_TYPE, media_type);
    let request = request.body(Full::new(Bytes::copy_from_slice(body))).ok()?;
    let response = server.handle(request).await;
    let code = response.status().as_u16();
    if code != 500 {
        assert!(code < 500 || code == 504, "{code} to {target}");
        return Some(response);
    }
    // A real server refuses some requests with a 500 that has no reason.
    let body = response.into_body().collect().await.expect("an answer is whole").to_bytes();
    let status: Value = serde_json::from_slice(&body).expect("a refusal is JSON");
    assert!(status["message"].is_string() && status["reason"].is_null(), "{status} to {target}");
    None
}
