//! A proxy answers with the answer to another request, or for a write that it has not made. Nothing
//! counts as written, read or gone because of it.

use std::convert::Infallible;
use std::sync::Arc;

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Client, ResourceExt};
use kube_controllers::controller::{
    AssumedView, BoxError, Confirmation, Finalize, Presence, finalizer, tracking_client,
};
use kube_controllers::writing::Applier;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::SharedInformer;
use kube_informer::testing::{ApiServer, BodyPosition, Faults, Injection, Requests};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

const FINALIZER: &str = "example.com/test";
const OWN: &str = "/api/v1/namespaces/shop/configmaps/a";
const OTHER_NAME: &str = "/api/v1/namespaces/shop/configmaps/z";
const OTHER_NAMESPACE: &str = "/api/v1/namespaces/bank/configmaps/a";
const OTHER_KIND: &str = "/api/v1/namespaces/shop/secrets/a";

/// Returns a server with the map `a` of `shop`, and objects with which it can be mixed up.
fn server() -> ApiServer {
    let server = server_with(&["a"]);
    server.create(&map_in("bank", "a")).unwrap();
    server.create(&Secret { metadata: map("a", "").metadata, ..Secret::default() }).unwrap();
    server
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

async fn answer(server: &ApiServer, request: Request<Body>) -> Response<Body> {
    let (parts, body) = server.handle(request).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Response::from_parts(parts, Body::from(body.to_vec()))
}

/// Returns a client whose requests of this method, for `shop/a`, are answered with what the path
/// `instead` has. They are made only if `performs`.
fn proxy(server: &ApiServer, method: Method, performs: bool, instead: &'static str) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, method) = (server.clone(), method.clone());
        async move {
            if *request.method() != method || request.uri().path() != OWN {
                return Ok::<_, Infallible>(answer(&server, request).await);
            }
            // An object that the watch shows before the write.
            let made = server.create(&map("z", "9"));
            assert!(made.is_ok() || !performs);
            let wrong = answer(&server, get(instead)).await;
            if performs {
                assert!(answer(&server, request).await.status().is_success());
            }
            Ok(wrong)
        }
    });
    Client::new(service, "shop")
}

/// Returns an informer whose watch shows one event after the first list.
async fn lagging(server: &ApiServer) -> SharedInformer<ConfigMap> {
    let faults = Faults::new();
    faults.inject(Requests::watches(), Injection::stall(BodyPosition::Event(1)));
    synced(faults.client(server.client())).await
}

fn value(map: &ConfigMap) -> String {
    map.data.iter().flatten().map(|(_, value)| value.clone()).collect()
}

async fn stored(server: &ApiServer) -> ConfigMap {
    Api::namespaced(server.client(), "shop").get("a").await.unwrap()
}

/// Writes `2` in the first reconcile of `a`. Returns what its reconciles saw in eight seconds.
async fn seen(maps: &SharedInformer<ConfigMap>, client: Client) -> Vec<String> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (client, noted, stop) = (tracking_client(client), log.clone(), CancellationToken::new());
    let controller = Controller::builder("work", maps).build();
    let work = move |request: ReconcileRequest<ConfigMap>| {
        let (client, noted) = (client.clone(), noted.clone());
        async move {
            if request.key != key("a") {
                return Ok(Action::done());
            }
            let Presence::Present(found) = &request.object else { return Ok(Action::done()) };
            noted.lock().push(value(found));
            if noted.lock().len() == 1 {
                let api = Api::<ConfigMap>::namespaced(client, "shop");
                drop(api.replace("a", &PostParams::default(), &map("a", "2")).await);
            }
            Ok::<_, Infallible>(Action::requeue_after(S))
        }
    };
    let running = spawn(controller.run(stop.clone(), work));
    sleep(8 * S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    std::mem::take(&mut log.lock())
}

#[tokio::test(start_paused = true)]
async fn own_write_answered_by_another_object_is_awaited() {
    for instead in [OTHER_NAME, OTHER_NAMESPACE, OTHER_KIND] {
        let server = server();
        let maps = lagging(&server).await;
        let before = value(&stored(&server).await);
        let seen = seen(&maps, proxy(&server, Method::PUT, true, instead)).await;
        let older = seen.iter().filter(|seen| **seen == before).count();
        assert_eq!(older, 1, "{instead}: {seen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn lost_write_is_not_read_back_from_an_older_list() {
    let server = server();
    let maps = lagging(&server).await;
    let before = value(&stored(&server).await);
    let (passed, older) = (server.clone(), Arc::new(Mutex::new(None)));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, older) = (passed.clone(), older.clone());
        async move {
            let bytes = older.lock().clone();
            if *request.method() == Method::PUT {
                let list = answer(&server, get("/api/v1/namespaces/shop/configmaps")).await;
                *older.lock() = Some(list.into_body().collect().await.unwrap().to_bytes());
                server.create(&map("z", "9")).unwrap();
                assert!(answer(&server, request).await.status().is_success());
                let refused = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE);
                return Ok::<_, Infallible>(refused.body(Body::empty()).unwrap());
            }
            match bytes {
                Some(bytes) => Ok(Response::new(Body::from(bytes.to_vec()))),
                None => Ok(answer(&server, request).await),
            }
        }
    });
    let seen = seen(&maps, Client::new(service, "shop")).await;
    assert_eq!(seen.iter().filter(|seen| **seen == before).count(), 1, "{seen:?}");
}

/// Each answer to the lookup of a lost write lacks the object, and proves nothing.
#[tokio::test(start_paused = true)]
async fn lost_write_is_absent_from_no_other_list() {
    const EMPTY: &str = r#""items":[]"#;
    const OTHER: &str = r#""items":[{"metadata":{"name":"0","namespace":"shop",
        "resourceVersion":"1"}}]"#;
    for (kind, metadata, items) in [
        (r#""kind":"SecretList","#, "", EMPTY),
        ("", "", EMPTY),
        (r#""kind":"PartialObjectMetadataList","#, r#","continue":"x""#, EMPTY),
        (r#""kind":"PartialObjectMetadataList","#, r#","continue":"x""#, OTHER),
        (r#""kind":"ConfigMapList","#, r#","remainingItemCount":3"#, OTHER),
    ] {
        let server = server();
        let maps = lagging(&server).await;
        let before = value(&stored(&server).await);
        let passed = server.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = passed.clone();
            async move {
                let is_write = *request.method() == Method::PUT;
                if is_write {
                    server.create(&map("z", "9")).unwrap();
                }
                if request.uri().query().is_some_and(is_question) {
                    let list = answer(&server, get("/api/v1/namespaces/shop/configmaps")).await;
                    let list = list.into_body().collect().await.unwrap().to_bytes();
                    let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
                    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
                    let body = format!(
                        r#"{{{kind}"metadata":{{"resourceVersion":"{version}"{metadata}}},{items}}}"#
                    );
                    return Ok::<_, Infallible>(Response::new(Body::from(body.into_bytes())));
                }
                let answered = answer(&server, request).await;
                let lost = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE);
                Ok(if is_write { lost.body(Body::empty()).unwrap() } else { answered })
            }
        });
        let seen = seen(&maps, Client::new(service, "shop")).await;
        let older = seen.iter().filter(|seen| **seen == before).count();
        assert_eq!(older, 1, "{kind} {metadata} {items}: {seen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn assumed_view_shows_no_other_object_under_a_key() {
    for instead in [OTHER_NAME, OTHER_NAMESPACE] {
        let server = server();
        let maps = lagging(&server).await;
        let view = AssumedView::new(&maps);
        let client = view.client(proxy(&server, Method::PUT, true, instead));
        let api = Api::<ConfigMap>::namespaced(client, "shop");
        drop(api.replace("a", &PostParams::default(), &map("a", "2")).await);
        let shown = view.snapshot().get(&key("a")).unwrap();
        assert_eq!((shown.name_any(), shown.namespace()), ("a".into(), Some("shop".into())));
    }
}

/// Returns whether the finalizer's work ran, and whether all succeeded.
async fn finalize(client: Client, object: ConfigMap) -> (bool, bool) {
    let api = Api::<ConfigMap>::namespaced(client, "shop");
    let mut ran = false;
    let done = finalizer(&api, FINALIZER, Arc::new(object), |_: Finalize<ConfigMap>| {
        ran = true;
        async { Ok::<_, BoxError>(Action::done()) }
    })
    .await;
    (ran, done.is_ok())
}

async fn with_finalizer(server: &ApiServer) -> ConfigMap {
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": [FINALIZER] } }));
    api.patch("a", &PatchParams::default(), &patch).await.unwrap()
}

async fn deleted(server: &ApiServer) -> ConfigMap {
    with_finalizer(server).await;
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    drop(api.delete("a", &DeleteParams::default()).await.unwrap());
    stored(server).await
}

#[tokio::test(start_paused = true)]
async fn nothing_is_applied_without_the_finalizer() {
    let server = server();
    let object = stored(&server).await;
    let done = finalize(proxy(&server, Method::PATCH, false, OWN), object.clone()).await;
    assert_eq!(done, (false, false));
    assert_eq!(finalize(server.client(), object).await, (true, true));
}

#[tokio::test(start_paused = true)]
async fn finalizer_that_stays_is_not_removed() {
    let server = server();
    let object = deleted(&server).await;
    let done = finalize(proxy(&server, Method::PATCH, false, OWN), object).await;
    assert_eq!(done, (true, false));
}

#[tokio::test(start_paused = true)]
async fn finalizer_believes_no_answer_about_another_object() {
    for instead in [OTHER_NAMESPACE, "/api/v1/namespaces/shop/services/a"] {
        let server = server();
        let object = deleted(&server).await;
        let done = finalize(proxy(&server, Method::GET, false, instead), object).await;
        assert_eq!(done, (false, false), "{instead}");
    }
}

#[tokio::test(start_paused = true)]
async fn finalizer_acts_on_no_older_state() {
    let server = server();
    let older = with_finalizer(&server).await;
    let object = deleted(&server).await;
    let older = serde_json::to_vec(&older).unwrap();
    let client = answered_by(move |_| Response::new(Full::from(older.clone())));
    assert_eq!(finalize(client, object).await, (false, false));
}

#[tokio::test(start_paused = true)]
async fn object_is_confirmed_by_no_answer_about_another_one() {
    for instead in [OTHER_NAMESPACE, "/api/v1/namespaces/shop/services/a"] {
        let server = server();
        let object = stored(&server).await;
        let api = Api::<ConfigMap>::namespaced(proxy(&server, Method::GET, false, instead), "shop");
        let request = ReconcileRequest::present(object.clone(), ());
        let confirmed: Result<Confirmation<ConfigMap>, _> = request.confirm(&api, &object).await;
        assert!(confirmed.is_err(), "{instead}: {confirmed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn applier_believes_no_answer_that_shows_no_apply() {
    let server = ApiServer::new();
    server.create(&map_in("bank", "a")).unwrap();
    // By a request, so that the object has another manager.
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    api.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    for instead in [OWN, OTHER_NAMESPACE] {
        let maps = synced::<ConfigMap>(server.client()).await;
        let client = proxy(&server, Method::PATCH, false, instead);
        let applier = Applier::builder(client, &maps, "me").force(true).build().unwrap();
        assert!(applier.apply(&map("a", "2")).await.is_err(), "{instead}");
        assert!(applier.apply(&map("a", "2")).await.is_err(), "{instead}: it is sent again");
    }
}

/// The answer shows an older apply of this applier's manager, or one without managed fields.
#[tokio::test(start_paused = true)]
async fn apply_that_a_proxy_swallowed_is_sent_again() {
    for with_managed_fields in [true, false] {
        let server = server_with(&[]);
        let maps = synced::<ConfigMap>(server.client()).await;
        let direct = Applier::builder(server.client(), &maps, "me").force(true).build().unwrap();
        direct.apply(&map("a", "1")).await.unwrap();
        caught_up(&server, &maps).await;
        let (upstream, swallowed) = (server.clone(), Arc::new(Mutex::new(false)));
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, swallowed) = (upstream.clone(), swallowed.clone());
            async move {
                let first = *request.method() == Method::PATCH && !*swallowed.lock();
                *swallowed.lock() |= first;
                let request = if first { get(OWN) } else { request };
                let answered = answer(&server, request).await;
                if !first || with_managed_fields {
                    return Ok::<_, Infallible>(answered);
                }
                let body = answered.into_body().collect().await.unwrap().to_bytes();
                let mut object: serde_json::Value = serde_json::from_slice(&body).unwrap();
                object["metadata"].as_object_mut().unwrap().remove("managedFields");
                Ok(Response::new(Body::from(object.to_string().into_bytes())))
            }
        });
        let client = Client::new(service, "shop");
        let applier = Applier::builder(client, &maps, "me").force(true).build().unwrap();
        let result = applier.apply(&map("a", "2")).await.unwrap();
        assert_eq!(
            (value(result.object()), value(&stored(&server).await)),
            ("2".into(), "2".into())
        );
        assert_eq!(applier.status().sent, 2);
        caught_up(&server, &maps).await;
        assert!(!applier.apply(&map("a", "2")).await.unwrap().was_sent());
    }
}
