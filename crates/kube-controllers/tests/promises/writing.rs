//! Applies under user code that panics, calls that are dropped, and servers that answer nonsense.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::poll;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, Patch, PatchParams};
use kube::client::Body;
use kube::{Client, CustomResource};
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller};
use kube_informer::SharedInformer;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, caught_up, late_informer, map, server_with, settle, spawn, synced};

async fn applier(
    server: &ApiServer,
    client: Client,
) -> (SharedInformer<ConfigMap>, Applier<ConfigMap>) {
    let maps = synced::<ConfigMap>(server.client()).await;
    let applier = Applier::builder(client, &maps, "site").force(true).build().unwrap();
    (maps, applier)
}

async fn merge(server: &ApiServer, patch: Value) {
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

/// A client of the server whose answers to writes pass through a function.
fn answering(
    server: &ApiServer,
    edit: impl Fn(&mut Value) + Send + Sync + Clone + 'static,
) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (server, edit) = (server.clone(), edit.clone());
        async move {
            let writes = request.method() != "GET";
            let response = server.handle(request).await;
            if !writes {
                return Ok::<_, Infallible>(response.map(BodyExt::boxed_unsync));
            }
            let (parts, body) = response.into_parts();
            let mut answer =
                serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
            edit(&mut answer);
            let body = Full::from(serde_json::to_vec(&answer).unwrap());
            let body = body.map_err(|never| match never {}).boxed_unsync();
            Ok(Response::from_parts(parts, body))
        }
    });
    Client::new(service, "default")
}

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
struct GadgetSpec {
    #[serde(serialize_with = "explosive")]
    size: u32,
}

/// The number of gadgets of size 13 that may still be serialised.
static LUCK: AtomicUsize = AtomicUsize::new(0);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn explosive<S: Serializer>(size: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    assert_ne!(*size, 666, "the type panics");
    if *size == 13 {
        let left =
            LUCK.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        assert!(left.is_ok(), "the type panics after a while");
    }
    serializer.serialize_u32(*size)
}

#[tokio::test(start_paused = true)]
async fn type_that_panics_harms_only_its_apply() {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Gadget>());
    let gadgets = synced::<Gadget>(server.client()).await;
    let applier = Applier::builder(server.client(), &gadgets, "site").force(true).build().unwrap();
    let gadget = |size| {
        let mut gadget = Gadget::new("a", GadgetSpec { size });
        gadget.metadata.namespace = Some("shop".into());
        gadget
    };
    let refused = applier.apply(&gadget(666)).await.unwrap_err();
    // The message may quote the object.
    assert!(refused.to_string().contains("the type's code panicked"), "{refused}");
    assert!(!refused.to_string().contains("the type panics"), "{refused}");
    assert!(matches!(refused, ApplyError::Unserializable { .. }));
    assert!(applier.apply(&gadget(1)).await.unwrap().was_sent());
    caught_up(&server, &gadgets).await;
    assert!(!applier.apply(&gadget(1)).await.unwrap().was_sent());

    // It panics at each of its uses in turn: before the request, or with the answer.
    for luck in 0..4 {
        LUCK.store(luck, Ordering::SeqCst);
        let failed = applier.apply(&gadget(13)).await.unwrap_err();
        assert!(failed.to_string().contains("panicked"), "{luck}: {failed}");
    }
    LUCK.store(4, Ordering::SeqCst);
    assert!(applier.apply(&gadget(13)).await.unwrap().was_sent());
    caught_up(&server, &gadgets).await;
    // The cached object cannot be compared, and nothing is sent that cannot be compared later.
    LUCK.store(1, Ordering::SeqCst);
    assert!(applier.apply(&gadget(13)).await.is_err());
    LUCK.store(usize::MAX, Ordering::SeqCst);
    assert!(!applier.apply(&gadget(13)).await.unwrap().was_sent());
    gadgets.shutdown().await;
}

/// Drops an apply after each number of polls: whatever the server did, the next apply is sent.
#[tokio::test(start_paused = true)]
async fn dropped_apply_counts_as_unknown() {
    let server = ApiServer::new();
    let (maps, applier) = applier(&server, server.client()).await;
    let desired = map("a", "1");
    settle(&server, &maps, &applier, &desired).await;
    for polls in 0..12 {
        let other = map("a", &format!("other-{polls}"));
        {
            let mut applying = pin!(applier.apply(&other));
            for _ in 0..polls {
                if poll!(&mut applying).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let sent = settle(&server, &maps, &applier, &desired).await;
        // A future that was never polled did nothing.
        assert_eq!(sent, usize::from(polls > 0), "{polls}");
        let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
        // A request that was on its way may still arrive: the cache shows it.
        sleep(S).await;
        settle(&server, &maps, &applier, &desired).await;
        assert_eq!(api.get("a").await.unwrap().data, desired.data);
    }
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn nonsense_answers_leave_no_record() {
    let server = ApiServer::new();
    let (maps, applier) = applier(&server, server.client()).await;
    let desired = map("a", "1");
    for nonsense in ["", "{", "[]", "7", r#"{"metadata": 7}"#, "{}", r#"{"data": {"value": 7}}"#] {
        server.intercept(move |request| {
            (request.method == "PATCH").then(|| Response::new(nonsense.into()))
        });
        let error = applier.apply(&desired).await.unwrap_err();
        assert!(matches!(error, ApplyError::UnreadableAnswer { .. }), "{nonsense}: {error:?}");
        assert!(!error.to_string().contains(r#""value""#), "{error}");
    }
    server.stop_intercepting();
    assert_eq!(settle(&server, &maps, &applier, &desired).await, 1);
    maps.shutdown().await;
}

/// A proxy may drop the managed fields: each list is then compared as a whole.
#[tokio::test(start_paused = true)]
async fn answer_without_managed_fields_still_settles() {
    let server = ApiServer::new();
    let client = answering(&server, |answer| {
        answer["metadata"].as_object_mut().unwrap().remove("managedFields");
    });
    let (maps, applier) = applier(&server, client).await;
    let desired = map("a", "1");
    assert_eq!(settle(&server, &maps, &applier, &desired).await, 1);
    merge(&server, json!({"metadata": {"labels": {"theirs": "x"}}, "data": {"more": "y"}})).await;
    assert_eq!(settle(&server, &maps, &applier, &desired).await, 0);
    merge(&server, json!({"data": {"value": "theirs"}})).await;
    assert_eq!(settle(&server, &maps, &applier, &desired).await, 1);
    maps.shutdown().await;
}

/// Answers that name no fields, too few, or none that can be read.
#[tokio::test(start_paused = true)]
async fn foreign_change_is_undone_whatever_fields_the_answer_names() {
    let answers: [fn(&mut Value); 8] = [
        |managed| *managed = json!([]),
        |managed| managed[0]["manager"] = json!("other"),
        |managed| managed[0]["operation"] = json!("Update"),
        |managed| drop(managed[0].as_object_mut().unwrap().remove("fieldsV1")),
        |managed| managed[0]["fieldsV1"] = json!("x"),
        |managed| managed[0]["fieldsV1"] = json!({}),
        |managed| managed[0]["fieldsV1"] = json!({"x": {}}),
        |managed| managed[0]["fieldsV1"] = json!({"f:data": {"f:nothing": {}}}),
    ];
    for (n, answer) in answers.into_iter().enumerate() {
        let server = ApiServer::new();
        let edited = answering(&server, move |object| {
            answer(&mut object["metadata"]["managedFields"]);
        });
        let (maps, applier) = applier(&server, edited).await;
        let desired = map("a", "1");
        assert_eq!(settle(&server, &maps, &applier, &desired).await, 1, "{n}");
        merge(&server, json!({"data": {"more": "y"}})).await;
        assert_eq!(settle(&server, &maps, &applier, &desired).await, 0, "{n}");
        merge(&server, json!({"data": {"value": "theirs"}})).await;
        assert_eq!(settle(&server, &maps, &applier, &desired).await, 1, "{n}");
        maps.shutdown().await;
    }
}

/// An answer without a version cannot be compared with the cache.
#[tokio::test(start_paused = true)]
async fn answer_without_version_is_not_trusted() {
    let server = ApiServer::new();
    let client = answering(&server, |answer| {
        answer["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    });
    let (maps, applier) = applier(&server, client).await;
    for _ in 0..3 {
        assert!(applier.apply(&map("a", "1")).await.unwrap().was_sent());
        caught_up(&server, &maps).await;
    }
    assert_eq!(applier.status().records, 0);
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn records_of_deleted_objects_are_dropped() {
    let server = ApiServer::new();
    let (maps, applier) = applier(&server, server.client()).await;
    for n in 0..1000 {
        let map = map(&format!("a-{n}"), "1");
        applier.apply(&map).await.unwrap();
        caught_up(&server, &maps).await;
        if n >= 10 {
            server.delete(&map).unwrap();
        }
    }
    caught_up(&server, &maps).await;
    assert!(applier.status().records <= 64 + 20, "{:?}", applier.status());
    for n in 0..10 {
        assert!(!applier.apply(&map(&format!("a-{n}"), "1")).await.unwrap().was_sent());
    }
    maps.shutdown().await;
}

/// The watch is down while a controller starts and applies all its objects.
#[tokio::test(start_paused = true)]
async fn records_outlive_a_cache_that_lags() {
    let server = ApiServer::new();
    let (maps, applier) = applier(&server, server.client()).await;
    let all: Vec<_> = (0..300).map(|n| map(&format!("a-{n}"), "1")).collect();
    server.intercept(|request| {
        request.watch.then(|| Response::builder().status(503).body("".into()).unwrap())
    });
    server.drop_connections();
    for map in &all {
        assert!(applier.apply(map).await.unwrap().was_sent());
    }
    server.stop_intercepting();
    caught_up(&server, &maps).await;
    for map in &all {
        assert!(!applier.apply(map).await.unwrap().was_sent());
    }
    assert_eq!(applier.status().records, 300);
    maps.shutdown().await;
}

/// The cache is late. A reconcile runs only when it shows the last apply, so that one is enough.
#[tokio::test(start_paused = true)]
async fn controller_waits_for_its_applies() {
    let server = server_with(&["owner"]);
    let maps = late_informer::<ConfigMap>(server.client(), || 5 * S);
    let applier = Applier::builder(server.client(), &maps, "site").build().unwrap();
    let stop = CancellationToken::new();
    let reconciles = Arc::new(AtomicUsize::new(0));
    let running = {
        let (applier, reconciles) = (applier.clone(), reconciles.clone());
        let controller = Controller::builder("waiting", &maps).build();
        spawn(controller.run(stop.clone(), move |request| {
            let (applier, reconciles) = (applier.clone(), reconciles.clone());
            async move {
                if request.key.name() == "owner" {
                    applier.apply(&map("child", "1")).await?;
                    reconciles.fetch_add(1, Ordering::SeqCst);
                }
                Ok::<_, ApplyError>(Action::requeue_after(S))
            }
        }))
    };
    sleep(60 * S).await;
    assert!(reconciles.load(Ordering::SeqCst) > 20);
    assert_eq!(applier.status().sent, 1);
    stop.cancel();
    running.await.unwrap().unwrap();
    maps.shutdown().await;
}

/// Two replicas in turn: a value that the other one set is a change.
#[tokio::test(start_paused = true)]
async fn two_appliers_of_one_manager_see_each_other() {
    let server = ApiServer::new();
    let (maps, one) = applier(&server, server.client()).await;
    let two = Applier::builder(server.client(), &maps, "site").force(true).build().unwrap();
    let (a, b) = (map("a", "1"), map("a", "2"));
    for _ in 0..3 {
        assert_eq!(settle(&server, &maps, &one, &a).await, 1);
        assert_eq!(settle(&server, &maps, &two, &b).await, 1);
    }
    maps.shutdown().await;
}

/// A type whose own code quotes the value that it refuses.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Login", namespaced)]
struct LoginSpec {
    #[serde(serialize_with = "written", deserialize_with = "read")]
    token: String,
}

fn written<S: Serializer>(token: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if token.starts_with("unwritable") {
        return Err(serde::ser::Error::custom(format!("{token} is no token")));
    }
    serializer.serialize_str(token)
}

fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let token = String::deserialize(deserializer)?;
    if token.starts_with("unreadable") {
        return Err(serde::de::Error::custom(format!("{token} is no token")));
    }
    Ok(token)
}

#[tokio::test(start_paused = true)]
async fn errors_and_results_quote_no_values() {
    let secret = json!({
        "metadata": {"name": "a", "namespace": "shop"}, "data": {"password": "aHVudGVyMg=="},
    });
    let secret: Secret = serde_json::from_value(secret).unwrap();
    let assert_silent = |text: String| {
        for leak in ["hunter2", "104, 117, 110", "aHVudGVy"] {
            assert!(!text.contains(leak), "{text}");
        }
    };
    let answers: [fn(&mut Value); 5] = [
        |_| {},
        |answer| answer["data"] = json!("hunter2"),
        |answer| answer["data"]["password"] = json!("hunter2 !!"),
        |answer| answer["immutable"] = json!("hunter2"),
        |answer| answer["kind"] = json!("hunter2"),
    ];
    for answer in answers {
        let server = ApiServer::new();
        let secrets = synced::<Secret>(server.client()).await;
        let client = answering(&server, answer);
        let applier = Applier::builder(client, &secrets, "site").build().unwrap();
        match applier.apply(&secret).await {
            Ok(sent) => assert_silent(format!("{sent:?}")),
            Err(error) => assert_silent(format!("{error} {error:?}")),
        }
        caught_up(&server, &secrets).await;
        if let Ok(unchanged) = applier.apply(&secret).await {
            assert_silent(format!("{unchanged:?}"));
        }
        secrets.shutdown().await;
    }

    let server = ApiServer::new();
    server.register(ResourceType::of::<Login>());
    let logins = synced::<Login>(server.client()).await;
    let client = answering(&server, |answer| answer["spec"]["token"] = json!(["hunter2"]));
    let applier = Applier::builder(client, &logins, "site").build().unwrap();
    for token in ["unwritable hunter2", "unreadable hunter2", "fine"] {
        let mut login = Login::new("a", LoginSpec { token: token.into() });
        login.metadata.namespace = Some("shop".into());
        let error = applier.apply(&login).await.unwrap_err();
        assert_silent(format!("{error} {error:?}"));
        assert!(!error.to_string().contains("line 0"), "{error}");
    }
    logins.shutdown().await;
}

/// Proxies answer in forms of their own.
#[tokio::test(start_paused = true)]
async fn refused_apply_has_the_code_of_the_answer() {
    let server = ApiServer::new();
    let (maps, applier) = applier(&server, server.client()).await;
    for (code, body, text) in [
        (503, "{}", "no Status"),
        (409, r#"{"error": "x"}"#, "no Status"),
        (429, r#"{"message": "slow down"}"#, "no Status"),
        (403, r#"{"code": 1}"#, "no Status"),
        (502, "<html>", "<html>"),
        (500, "", "the body is empty"),
        (404, r#"{"status": "Success", "code": 200}"#, "no Status"),
    ] {
        server.intercept(move |request| {
            let answer = || Response::builder().status(code).body(body.into()).unwrap();
            (request.method == "PATCH").then(answer)
        });
        let error = applier.apply(&map("a", "1")).await.unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        let ApplyError::Request { source: kube::Error::Api(status), .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(status.code, code);
        assert!(status.is_failure(), "{status:?}");
    }
    maps.shutdown().await;
}
