//! Failures in odd forms: bodies that hold objects or do not end, and a Status in a success.

use k8s_openapi::api::core::v1::Secret;
use kube_informer::SourceError;
use kube_informer::error::{Fault, FaultClass};
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher, WatchItem, WatchQuery};
use kube_informer::testing::encode_protobuf;
use kube_informer::transport::ApiSource;

use super::*;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Returns the error of a list that is answered so.
async fn refusal(answer: Answer) -> SourceError {
    let source = ApiSource::<Secret>::new(client(move |_, _| answer.clone()).0);
    let begun = Instant::now();
    let listed = source.list(&ListQuery::default(), &ListHints::none()).await;
    assert!(begun.elapsed() <= seconds(10), "{:?}", begun.elapsed());
    listed.err().expect("the list fails")
}

#[tokio::test(start_paused = true)]
async fn failure_quotes_text_and_no_objects() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "a"}, "stringData": {"password": "hunter2"}, "data": {"p": "aHVudGVyMg=="}});
    let list = json!({"apiVersion": "v1", "kind": "SecretList", "metadata": {}, "items": [secret]});
    let long = json!([list.to_string(), "x".repeat(100_000)]);
    let protobuf = encode_protobuf(&list).unwrap();
    let watch = [&200_u32.to_be_bytes()[..], &protobuf].concat();
    let bodies = [
        list.to_string().into_bytes(),
        format!("\u{feff} \r\n{secret}").into_bytes(),
        long.to_string().into_bytes(),
        list.to_string().into_bytes()[..150].to_vec(),
        event("ADDED", &secret).into_bytes(),
        protobuf,
        watch,
        // Pieces of objects, and objects in other forms.
        br#""password":"aHVudGVyMg=="},"kind":"Secret"}]}"#.to_vec(),
        br#"hunter2"},"kind":"Secret"}"#.to_vec(),
        format!(",{list}").into_bytes(),
        format!(")]}}',\n{list}").into_bytes(),
        Value::from(secret.to_string()).to_string().into_bytes(),
        b"apiVersion: v1\nkind: Secret\ndata:\n  password: aHVudGVyMg==\n".to_vec(),
    ];
    for code in [206, 302, 304, 403, 429, 500, 599] {
        for body in &bodies {
            for media_type in ["application/json", "text/plain", "application/yaml"] {
                let answer = answer(code, body.clone()).header("content-type", media_type);
                let text = refusal(answer).await.to_string();
                for part in ["hunter2", "aHVudGVyMg", "password"] {
                    assert!(!text.contains(part), "{text}");
                }
                assert!(text.starts_with(&format!("list secrets: {code}: the body ")), "{text}");
            }
        }
        for (media_type, quotes) in
            [("text/plain", code != 206), ("Text/HTML", code != 206), ("application/json", false)]
        {
            let answer = answer(code, "upstream connect error\n");
            let text = refusal(answer.header("content-type", media_type)).await.to_string();
            let quoted = format!("list secrets: {code}: upstream connect error");
            assert_eq!(text.starts_with(&quoted), quotes, "{text}");
        }
        let text = refusal(answer(code, "")).await.to_string();
        assert!(text.starts_with(&format!("list secrets: {code}: the body is empty")), "{text}");
    }
    for location in [
        "https://login.example.com/start?token=hunter2",
        "https://admin:hunter2@login.example.com/start",
        "//admin:hunter2@login.example.com/start",
    ] {
        let text = refusal(answer(302, "").header("location", location)).await.to_string();
        let at = location.split("//").next().unwrap();
        assert_eq!(
            text,
            format!(
                "list secrets: 302: the body is empty (redirected to {at}//login.example.com/start)"
            )
        );
    }
}

#[tokio::test(start_paused = true)]
async fn failure_whose_body_hangs_has_its_status() {
    let expired = failure(410, "Expired").to_string();
    for (code, part) in [(410, ""), (403, "{\"kind\":"), (429, "slow down"), (410, &*expired)] {
        let hangs = answer(code, part.to_owned()).header("retry-after", "77").hangs();
        let drips = (0..100).fold(hangs.clone(), |answer, _| answer.then(1, " "));
        for answer in [hangs, drips] {
            let error = refusal(answer).await;
            assert_eq!(error.code(), Some(code), "{error}");
            assert_eq!(error.retry_after(), Some(seconds(77)));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn code_of_an_expired_version_wins() {
    for body in [failure(500, "InternalError"), failure(429, "TooManyRequests"), json!({})] {
        let error = refusal(answer(410, body.to_string())).await;
        assert_eq!((error.class(), error.code()), (FaultClass::Expired, Some(410)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn status_in_a_success_is_a_failure() {
    let expired = failure(410, "Expired");
    let go = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"Expired","code":410}"#;
    let protobuf = encode_protobuf(&expired).unwrap();
    let mut with_items = expired.clone();
    with_items["items"] = json!([]);
    for (body, media) in [
        (with_items.to_string().into_bytes(), "application/json"),
        (format!(r#"{{"items":[],{}"#, &go[1..]).into_bytes(), "application/json"),
        (expired.to_string().into_bytes(), "application/json"),
        (format!(" {go}\n").into_bytes(), "application/json"),
        (protobuf, PROTOBUF),
    ] {
        let whole = answer(200, body.clone());
        let drips = body.iter().fold(answer(200, ""), |answer, byte| answer.then(0, vec![*byte]));
        for answer in [whole, drips] {
            let answer = answer.header("content-type", media);
            let source = ApiSource::<ConfigMap>::new(client(move |_, _| answer.clone()).0);
            let mut items = source.list(&ListQuery::default(), &ListHints::none()).await.unwrap();
            let error = items.next().await.unwrap().expect_err("a list of a Status fails");
            assert_eq!((error.class(), error.code()), (FaultClass::Expired, Some(410)), "{error}");
            let query = WatchQuery::new(seconds(60));
            let mut events = source.watch(&query, &ListHints::none()).await.unwrap();
            let Some(Ok(WatchItem::Failed(error))) = events.next().await else { panic!("{media}") };
            assert_eq!((error.class(), error.code()), (FaultClass::Expired, Some(410)), "{error}");
        }
    }
    let success = json!({"apiVersion": "v1", "kind": "Status", "status": "Success"}).to_string();
    let source = ApiSource::<ConfigMap>::new(client(move |_, _| answer(200, success.clone())).0);
    let mut items = source.list(&ListQuery::default(), &ListHints::none()).await.unwrap();
    let error = items.next().await.unwrap().err().unwrap();
    assert!(matches!(error.fault(), Fault::WrongKind { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn expiry_in_a_success_leads_to_a_quorum_list() {
    let rig = Rig::new(
        client(|query, nth| match (is_watch(query), nth) {
            (_, 0) => list("10", &[map("a", "5", "old")]),
            _ if query.contains("resourceVersion=10") => {
                answer(200, failure(410, "Expired").to_string())
            }
            (true, _) => answer(200, bookmark("40")).hangs(),
            _ => list("30", &[map("a", "25", "new")]),
        }),
        InformerSpec::new(),
    );
    sleep(seconds(60)).await;
    assert_eq!(rig.stored(), ["a=new"]);
    rig.assert_error("watch configmaps: 410 Expired: as the test says");
    rig.assert_error("list configmaps: 410 Expired: as the test says");
    rig.factory.shutdown().await;
}
