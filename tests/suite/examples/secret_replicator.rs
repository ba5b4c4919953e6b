//! `secret_replicator`: copies made, changed and deleted, one leader at a time, nothing secret
//! told.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/secret_replicator.rs"]
mod example;

use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams};
use kube::{Api, ResourceExt};
use kube_informer::testing::ApiServer;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::example::{COPY, FROM, OF, SOURCE, TO};
use super::support::{Running, eventually, unavailable};
use crate::helpers::{S, passing};

const PASSWORD: &str = "correct horse battery";

fn secret(namespace: &str, to: &str, password: &str) -> Secret {
    Secret {
        metadata: ObjectMeta {
            name: Some("registry".into()),
            namespace: Some(namespace.into()),
            labels: Some([(SOURCE.to_owned(), "true".to_owned())].into()),
            annotations: Some([(TO.to_owned(), to.to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("password".to_owned(), ByteString(password.as_bytes().to_vec()))].into()),
        type_: Some("Opaque".into()),
        ..Secret::default()
    }
}

fn namespace(name: &str, from: &str) -> Namespace {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        annotations: Some([(FROM.to_owned(), from.to_owned())].into()),
        ..ObjectMeta::default()
    };
    Namespace { metadata, ..Namespace::default() }
}

/// A server with namespaces that take what these tests copy.
fn consenting() -> ApiServer {
    let server = ApiServer::new();
    for name in ["base", "shop", "mail", "bank"] {
        server.create(&namespace(name, "elsewhere/other, base/registry")).unwrap();
    }
    server
}

fn replica(server: &ApiServer, identity: &'static str) -> Running {
    let client = server.client();
    Running::begin(|stop| async move { example::run(client, Some(identity), stop).await })
}

fn api(server: &ApiServer, namespace: &str) -> Api<Secret> {
    Api::namespaced(server.client(), namespace)
}

async fn get(server: &ApiServer, namespace: &str) -> Option<Secret> {
    api(server, namespace).get_opt("registry").await.unwrap()
}

async fn patch(server: &ApiServer, patch: Value) {
    let (api, patch) = (api(server, "base"), Patch::Merge(patch));
    api.patch("registry", &PatchParams::default(), &patch).await.unwrap();
}

/// Lets time pass until there are copies in these namespaces, and no others, with this password.
async fn copied(server: &ApiServer, namespaces: &[&str], password: &str) {
    let copies = Api::<Secret>::all(server.client());
    let params = ListParams::default().labels(&format!("{COPY}=true"));
    eventually(&format!("copies in {namespaces:?}"), || async {
        let copies = copies.list(&params).await.unwrap().items;
        let mut found: Vec<_> = copies.iter().filter_map(ResourceExt::namespace).collect();
        found.sort();
        let same = |copy: &Secret| {
            let data = copy.data.as_ref().and_then(|data| data.get("password"));
            data.is_some_and(|data| data.0 == password.as_bytes())
                && copy.annotations().get(OF).is_some_and(|of| of == "base/registry")
        };
        (found == namespaces && copies.iter().all(same)).then_some(())
    })
    .await;
}

fn writes(server: &ApiServer) -> usize {
    let writes = server.requests().into_iter();
    writes.filter(|asked| asked.method != "GET" && asked.target.contains("/secrets")).count()
}

#[tokio::test(start_paused = true)]
async fn copies_are_made_changed_moved_and_deleted() {
    let server = consenting();
    let running = replica(&server, "a");
    server.create(&secret("base", "shop, mail,, base", PASSWORD)).unwrap();
    copied(&server, &["mail", "shop"], PASSWORD).await;
    assert!(!get(&server, "base").await.unwrap().finalizers().is_empty());
    assert_eq!(get(&server, "shop").await.unwrap().type_.as_deref(), Some("Opaque"));
    let made = writes(&server);
    assert_eq!(made, 3, "two copies and the finalizer");
    sleep(60 * S).await;
    assert_eq!(writes(&server), made, "nothing is written without need");

    patch(&server, json!({"data": {"password": "aHVudGVyMg=="}})).await;
    copied(&server, &["mail", "shop"], "hunter2").await;
    patch(&server, json!({"metadata": {"annotations": {TO: "mail,bank"}}})).await;
    copied(&server, &["bank", "mail"], "hunter2").await;

    // Changes that others make to copies are undone.
    let lost = get(&server, "bank").await.unwrap().uid();
    api(&server, "bank").delete("registry", &DeleteParams::default()).await.unwrap();
    copied(&server, &["bank", "mail"], "hunter2").await;
    assert_ne!(get(&server, "bank").await.unwrap().uid(), lost);
    let tampered = Secret { data: None, ..get(&server, "mail").await.unwrap() };
    server.replace(&tampered).unwrap();
    copied(&server, &["bank", "mail"], "hunter2").await;

    // A type can't be changed: the copy is another secret then.
    let before = get(&server, "mail").await.unwrap().uid();
    let other = Some("kubernetes.io/tls".to_owned());
    let mut source = get(&server, "base").await.unwrap();
    for key in ["tls.crt", "tls.key"] {
        source.data.get_or_insert_default().insert(key.into(), ByteString::default());
    }
    server.replace(&Secret { type_: other.clone(), ..source }).unwrap();
    eventually("the copies' new type", || async {
        let copy = get(&server, "mail").await?;
        (copy.type_ == other && copy.uid() != before).then_some(())
    })
    .await;
    copied(&server, &["bank", "mail"], "hunter2").await;

    api(&server, "base").delete("registry", &DeleteParams::default()).await.unwrap();
    copied(&server, &[], "").await;
    eventually("the end of the source", || async {
        get(&server, "base").await.is_none().then_some(())
    })
    .await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_source_waits_until_its_copies_are_gone() {
    let server = consenting();
    let running = replica(&server, "a");
    server.create(&secret("base", "shop", PASSWORD)).unwrap();
    copied(&server, &["shop"], PASSWORD).await;
    server.intercept(|asked| {
        let held = asked.method == "DELETE" && asked.target.contains("/namespaces/shop/");
        held.then(unavailable)
    });
    api(&server, "base").delete("registry", &DeleteParams::default()).await.unwrap();
    sleep(60 * S).await;
    let waiting = get(&server, "base").await.unwrap();
    assert!(waiting.metadata.deletion_timestamp.is_some());
    server.stop_intercepting();
    copied(&server, &[], "").await;
    eventually("its end", || async { get(&server, "base").await.is_none().then_some(()) }).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_no_longer_marked_is_left_clean() {
    let server = consenting();
    let running = replica(&server, "a");
    server.create(&secret("base", "shop", PASSWORD)).unwrap();
    copied(&server, &["shop"], PASSWORD).await;
    patch(&server, json!({"metadata": {"labels": {SOURCE: null}}})).await;
    copied(&server, &[], "").await;
    eventually("the finalizer off", || async {
        get(&server, "base").await.unwrap().finalizers().is_empty().then_some(())
    })
    .await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_secret_is_left_alone() {
    let server = consenting();
    let mut foreign = secret("mail", "", "theirs");
    foreign.metadata.labels = None;
    server.create(&foreign).unwrap();
    server.create(&secret("base", "mail,shop", PASSWORD)).unwrap();
    let running = replica(&server, "a");
    copied(&server, &["shop"], PASSWORD).await;
    sleep(60 * S).await;
    let left = get(&server, "mail").await.unwrap();
    assert_eq!(left.data, foreign.data);
    // Once it is out of the way, the copy comes by itself.
    server.delete(&foreign).unwrap();
    copied(&server, &["mail", "shop"], PASSWORD).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn second_replica_waits_for_the_first() {
    let server = consenting();
    let first = replica(&server, "first");
    sleep(5 * S).await;
    // Whatever comes from the second is seen by its client alone.
    let seen = Arc::new(Mutex::new(Vec::new()));
    let written = seen.clone();
    let client = passing(&server, move |request| {
        let path = request.uri().path();
        if request.method() != http::Method::GET && path.contains("/secrets") {
            written.lock().push(path.to_owned());
        }
        Ok(())
    });
    let second =
        Running::begin(|stop| async move { example::run(client, Some("second"), stop).await });
    server.create(&secret("base", "shop", PASSWORD)).unwrap();
    copied(&server, &["shop"], PASSWORD).await;
    sleep(60 * S).await;
    assert!(seen.lock().is_empty(), "{:?}", seen.lock());

    first.end().await;
    let stopped = tokio::time::Instant::now();
    patch(&server, json!({"metadata": {"annotations": {TO: "bank"}}})).await;
    copied(&server, &["bank"], PASSWORD).await;
    assert!(!seen.lock().is_empty());
    assert!(stopped.elapsed() < 10 * S, "the lease was given back: {:?}", stopped.elapsed());
    second.end().await;
}

#[tokio::test(start_paused = true)]
async fn only_namespaces_that_consent_get_a_copy() {
    let server = ApiServer::new();
    server.create(&namespace("shop", "base/registry")).unwrap();
    // Other sources, a name alone, a part of the key: none of them is this source.
    for (name, from) in [("mail", "base/other"), ("bank", "registry, base"), ("kube-system", "")] {
        server.create(&namespace(name, from)).unwrap();
    }
    let running = replica(&server, "a");
    server.create(&secret("base", "shop, mail, bank, kube-system, nowhere", PASSWORD)).unwrap();
    copied(&server, &["shop"], PASSWORD).await;
    sleep(60 * S).await;
    copied(&server, &["shop"], PASSWORD).await;
    assert_eq!(writes(&server), 2, "a copy and the finalizer; what is not permitted is not tried");

    server.replace(&namespace("mail", "base/registry")).unwrap();
    copied(&server, &["mail", "shop"], PASSWORD).await;
    server.replace(&namespace("shop", "")).unwrap();
    copied(&server, &["mail"], PASSWORD).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn only_types_that_are_data_are_copied() {
    for (kind, copies) in [
        ("Opaque", true),
        ("kubernetes.io/dockerconfigjson", true),
        ("bootstrap.kubernetes.io/token", false),
        ("kubernetes.io/service-account-token", false),
        ("example.com/of-its-own", false),
    ] {
        let server = consenting();
        let running = replica(&server, "a");
        let mut source = secret("base", "shop", PASSWORD);
        source.type_ = Some(kind.into());
        // Secrets of its type need this member.
        let config = (".dockerconfigjson".to_owned(), ByteString(b"{}".to_vec()));
        source.data.get_or_insert_default().extend([config]);
        server.create(&source).unwrap();
        sleep(60 * S).await;
        assert_eq!(get(&server, "shop").await.is_some(), copies, "{kind}");
        running.end().await;
    }
}
