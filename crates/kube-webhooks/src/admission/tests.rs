use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::ObjectMeta;
use kube::core::DynamicObject;
use kube::core::{ApiResource, GroupVersionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::{Hook, Webhooks};

/// The reviews that a kube-apiserver 1.37.2 sent.
fn recorded() -> Vec<Value> {
    serde_json::from_str(include_str!("../../tests/data/admission-reviews.json")).unwrap()
}

fn recorded_of(operation: &str, kind: &str, sub_resource: Option<&str>) -> Value {
    let is_wanted = |review: &Value| {
        let request = &review["request"];
        request["operation"] == operation
            && request["kind"]["kind"] == kind
            && request["subResource"].as_str() == sub_resource
    };
    recorded().into_iter().find(is_wanted).unwrap()
}

async fn ask(webhooks: &Webhooks, path: &str, review: &Value) -> (StatusCode, Value) {
    let body = Full::<Bytes>::from(serde_json::to_vec(review).unwrap());
    let response = webhooks.answer(Request::post(path).body(body).unwrap()).await;
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

fn one(hook: Hook) -> Webhooks {
    Webhooks::builder().hook(hook).build().unwrap()
}

fn map(data: &[(&str, &str)]) -> ConfigMap {
    let data: BTreeMap<_, _> =
        data.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let metadata = ObjectMeta { name: Some("a".to_owned()), ..ObjectMeta::default() };
    ConfigMap { data: Some(data), metadata, ..ConfigMap::default() }
}

/// Returns the object of a review with the patch of its answer applied.
fn patched(review: &Value, answer: &Value) -> Value {
    let mut object = review["request"]["object"].clone();
    assert_eq!(answer["response"]["allowed"], true, "{answer}");
    if let Some(patch) = answer["response"].get("patch") {
        assert_eq!(answer["response"]["patchType"], "JSONPatch");
        let patch: k8s_openapi::ByteString = serde_json::from_value(patch.clone()).unwrap();
        let patch: json_patch::Patch = serde_json::from_slice(&patch.0).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
    }
    object
}

#[tokio::test]
async fn closure_is_tested_without_server() {
    let at_most_one = async |review: Admission<ConfigMap>| {
        let size = review.object()?.data.iter().flatten().count();
        if size > 1 { Err(Refusal::invalid("too large")) } else { Ok(()) }
    };
    assert!(at_most_one(Admission::create(&map(&[("a", "1")]))).await.is_ok());
    let refusal = at_most_one(Admission::create(&map(&[("a", "1"), ("b", "2")]))).await;
    assert_eq!(refusal.unwrap_err().message(), "too large");
}

#[tokio::test]
async fn every_recorded_review_is_understood() {
    let dynamic = |kind: &str| ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind));
    let anything =
        Hook::validate_with("/v", &dynamic("Any"), async |review: Admission<DynamicObject>| {
            assert!(!review.user.username.as_deref().unwrap().is_empty());
            assert_eq!(review.object.is_none(), review.operation == Operation::Delete);
            let has_old = matches!(review.operation, Operation::Update | Operation::Delete);
            assert_eq!(review.old_object.is_some(), has_old);
            assert!(review.options.is_some() || review.operation == Operation::Connect);
            Ok(())
        });
    let all = || Some(vec!["*".to_owned()]);
    let rule = RuleWithOperations {
        operations: all(),
        api_groups: all(),
        api_versions: all(),
        resources: Some(vec!["*/*".to_owned()]),
        scope: None,
    };
    let webhooks = one(anything.rules([rule]));
    for review in recorded() {
        let (status, answer) = ask(&webhooks, "/v?timeout=10s", &review).await;
        let expected = json!({
            "apiVersion": review["apiVersion"],
            "kind": "AdmissionReview",
            "response": { "uid": review["request"]["uid"], "allowed": true },
        });
        assert_eq!((status, answer), (StatusCode::OK, expected));
    }
    assert_eq!(webhooks.status().hooks[0].allowed, recorded().len() as u64);
}

#[tokio::test]
async fn denial_has_its_code_reason_causes_and_notes() {
    let webhooks = one(Hook::validate("/v", async |review: Admission<ConfigMap>| {
        review.warn("first\nsecond");
        review.audit("seen", review.name.clone());
        Err(Refusal::invalid("no").cause("data.k", "must not be"))
    }));
    let (status, answer) = ask(&webhooks, "/v", &recorded_of("CREATE", "ConfigMap", None)).await;
    assert_eq!(status, StatusCode::OK);
    let response = &answer["response"];
    assert_eq!(response["allowed"], false);
    assert_eq!(
        response["status"],
        json!({
            "apiVersion": "v1",
            "kind": "Status",
            "metadata": {},
            "status": "Failure",
            "code": 422,
            "reason": "Invalid",
            "message": "no",
            "details": {
                "causes": [
                    { "field": "data.k", "message": "must not be", "reason": "FieldValueInvalid" },
                ],
            },
        })
    );
    assert_eq!(response["warnings"], json!(["first second"]));
    assert_eq!(response["auditAnnotations"], json!({ "seen": "a" }));
    assert_eq!(webhooks.status().hooks[0].denied, 1);
}

#[tokio::test]
async fn failure_is_no_denial() {
    let webhooks = one(Hook::validate("/v", async |_: Admission<ConfigMap>| {
        let number: u8 = "many".parse()?;
        Err(Refusal::forbidden(number.to_string()))
    }));
    let (status, answer) = ask(&webhooks, "/v", &recorded_of("CREATE", "ConfigMap", None)).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(answer["message"], "invalid digit found in string");
    let status = webhooks.status();
    assert_eq!(status.hooks[0].failed, 1);
    assert_eq!(status.hooks[0].last_failure.as_deref(), Some("invalid digit found in string"));
}

#[tokio::test]
async fn patch_has_only_what_the_closure_changed() {
    let webhooks = one(Hook::mutate("/m", async |review: Admission<Pod>| {
        let mut pod = review.into_object()?;
        pod.metadata.labels.get_or_insert_default().insert("team".into(), "blue".into());
        Ok(pod)
    }));
    let review = recorded_of("CREATE", "Pod", None);
    let (_, answer) = ask(&webhooks, "/m", &review).await;
    let mut expected = review["request"]["object"].clone();
    expected["metadata"]["labels"]["team"] = json!("blue");
    assert_eq!(patched(&review, &answer), expected);

    let unchanged = one(Hook::mutate("/m", async |review: Admission<Pod>| review.into_object()));
    let (_, answer) = ask(&unchanged, "/m", &review).await;
    assert!(answer["response"].get("patch").is_none(), "{answer}");
}

/// Only the images of a pod.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Images {
    metadata: ObjectMeta,
    spec: ImagesSpec,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct ImagesSpec {
    containers: Vec<Container>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Container {
    name: String,
    image: String,
}

impl Resource for Images {
    type DynamicType = ();
    type Scope = kube::core::NamespaceResourceScope;

    fn kind((): &()) -> std::borrow::Cow<'_, str> {
        "Pod".into()
    }

    fn group((): &()) -> std::borrow::Cow<'_, str> {
        "".into()
    }

    fn version((): &()) -> std::borrow::Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> std::borrow::Cow<'_, str> {
        "pods".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[tokio::test]
async fn slim_type_keeps_unknown_fields() {
    let webhooks = one(Hook::mutate("/m", async |review: Admission<Images>| {
        let mut images = review.into_object()?;
        let sidecar = Container { name: "sidecar".into(), image: "s:1".into() };
        images.spec.containers.insert(0, sidecar);
        images.spec.containers[1].image = "mirror/x".into();
        Ok(images)
    }));
    let review = recorded_of("CREATE", "Pod", None);
    let (_, answer) = ask(&webhooks, "/m", &review).await;
    let mut expected = review["request"]["object"].clone();
    let containers = expected["spec"]["containers"].as_array_mut().unwrap();
    assert!(containers[0].as_object().unwrap().len() > 2, "{containers:?}");
    containers[0]["image"] = json!("mirror/x");
    containers.insert(0, json!({ "name": "sidecar", "image": "s:1" }));
    assert_eq!(patched(&review, &answer), expected);
}

#[tokio::test]
async fn delete_is_allowed_without_mutation() {
    let webhooks = one(Hook::mutate("/m", async |_: Admission<ConfigMap>| panic!("not called")));
    let (_, answer) = ask(&webhooks, "/m", &recorded_of("DELETE", "ConfigMap", None)).await;
    assert_eq!(answer["response"]["allowed"], true);
    assert!(answer["response"].get("patch").is_none());
}

#[tokio::test]
async fn object_that_cannot_be_decoded_is_denied_and_old_one_fails() {
    let allow = async |_: Admission<ConfigMap>| Ok(());
    let same = async |review: Admission<ConfigMap>| review.into_object();
    let webhooks = Webhooks::builder().validate("/v", allow).mutate("/m", same).build().unwrap();
    for path in ["/v", "/m"] {
        let mut review = recorded_of("UPDATE", "ConfigMap", None);
        review["request"]["object"]["data"] = json!("none");
        let (status, answer) = ask(&webhooks, path, &review).await;
        assert_eq!((status, &answer["response"]["allowed"]), (StatusCode::OK, &json!(false)));
        let message = answer["response"]["status"]["message"].as_str().unwrap();
        assert!(message.starts_with("the object cannot be decoded as ConfigMap: "), "{message}");

        let mut review = recorded_of("UPDATE", "ConfigMap", None);
        review["request"]["oldObject"]["data"] = json!("none");
        let (status, answer) = ask(&webhooks, path, &review).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        let message = answer["message"].as_str().unwrap();
        assert!(message.starts_with("the old object a cannot be decoded"), "{message}");
    }
}

#[tokio::test]
async fn other_kind_is_a_failure() {
    let webhooks = one(Hook::validate("/v", async |_: Admission<ConfigMap>| Ok(())));
    let (status, answer) = ask(&webhooks, "/v", &recorded_of("CREATE", "Pod", None)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer["message"],
        "this path reviews objects of v1 ConfigMap, not of v1 Pod: correct the rules of its \
         configuration"
    );
}

#[tokio::test]
async fn wrong_requests_are_answered() {
    let webhooks =
        one(Hook::validate("/v", async |_: Admission<ConfigMap>| Ok(())).body_limit(2_000));
    let answer = async |request: Request<Full<Bytes>>| webhooks.answer(request).await.status();
    let post = |path: &str, body: &str| {
        Request::post(path).body(Full::<Bytes>::from(body.to_owned())).unwrap()
    };
    assert_eq!(answer(post("/other", "")).await, StatusCode::NOT_FOUND);
    let get = Request::get("/v").body(Full::default()).unwrap();
    assert_eq!(answer(get).await, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer(post("/v", "{}")).await, StatusCode::BAD_REQUEST);
    assert_eq!(answer(post("/v", "")).await, StatusCode::BAD_REQUEST);
    assert_eq!(answer(post("/v", &"x".repeat(2_001))).await, StatusCode::PAYLOAD_TOO_LARGE);
    let other = json!({"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
        "request": {}});
    assert_eq!(answer(post("/v", &other.to_string())).await, StatusCode::BAD_REQUEST);
}

#[tokio::test(start_paused = true)]
async fn panic_and_timeout_are_answers() {
    let webhooks = Webhooks::builder()
        .validate("/panics", async |_: Admission<ConfigMap>| panic!("at the disco"))
        .validate("/hangs", async |_: Admission<ConfigMap>| std::future::pending().await)
        .build()
        .unwrap();
    let review = recorded_of("CREATE", "ConfigMap", None);
    let (status, answer) = ask(&webhooks, "/panics", &review).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(answer["message"], "the webhook panicked: at the disco");

    let start = tokio::time::Instant::now();
    let (status, answer) = ask(&webhooks, "/hangs?timeout=2s", &review).await;
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(answer["message"], "the webhook took longer than 1.8s");
    assert_eq!(start.elapsed(), Duration::from_millis(1_800));
    tokio::task::yield_now().await;
    assert_eq!(webhooks.status().hooks[0].running, 0, "the code was dropped");
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_queue_are_turned_away() {
    let hook = Hook::validate("/v", async |_: Admission<ConfigMap>| {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(())
    });
    let webhooks = one(hook.concurrency(1, 1));
    let review = recorded_of("CREATE", "ConfigMap", None);
    let calls = (0..3).map(|_| ask(&webhooks, "/v", &review));
    let told = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let status = webhooks.status();
        (status.hooks[0].running, status.hooks[0].waiting)
    };
    let (answers, told) = futures::join!(futures::future::join_all(calls), told);
    let answers: Vec<_> = answers.iter().map(|(status, _)| status.as_u16()).collect();
    assert_eq!(answers, [200, 200, 429]);
    assert_eq!(told, (1, 1));
}

#[tokio::test]
async fn unready_webhook_does_not_judge() {
    let hook = Hook::validate("/v", async |_: Admission<ConfigMap>| Ok(()));
    let webhooks = one(hook.ready_when(|| Err("the cache is empty".to_owned())));
    let (status, answer) = ask(&webhooks, "/v", &recorded_of("CREATE", "ConfigMap", None)).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer["message"], "the cache is empty");
    assert_eq!(webhooks.not_ready(), ["/v: the cache is empty"]);
}

#[test]
fn webhooks_that_cannot_work_are_refused() {
    let hook = |path: &str| Hook::validate(path, async |_: Admission<ConfigMap>| Ok(()));
    let build = |hooks: Vec<Hook>| {
        let builder = hooks.into_iter().fold(Webhooks::builder(), crate::WebhooksBuilder::hook);
        builder.build().map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(build(vec![hook("/v"), hook("/v")]), "two webhooks have the path /v");
    assert!(build(vec![hook("v")]).contains("is none that a configuration can have"));
    assert!(build(vec![hook("/v").name("short")]).contains("needs three parts"));
    assert_eq!(
        build(vec![hook("/v").timeout(Duration::from_secs(31))]),
        "the webhook at /v needs a timeout of whole seconds, from 1 to 30"
    );
    assert!(build(vec![hook("/v").concurrency(0, 1)]).contains("at least one call"));
}
