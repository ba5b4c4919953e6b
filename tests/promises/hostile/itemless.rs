//! Lists without `items`, as Go writes an empty list whose type leaves them out. They are empty if
//! they name themselves. Any other answer without items deletes nothing.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use kube::Resource;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube_informer::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
use kube_informer::transport::ApiSource;

use super::*;
use crate::helpers::{envelope, field};

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Returns a list in JSON with these members besides a version.
fn list_of(api_version: &str, kind: &str, more: &str) -> String {
    format!(
        r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":{{"resourceVersion":"529"}}{more}}}"#
    )
}

fn maps(more: &str) -> String {
    list_of("v1", "ConfigMapList", more)
}

fn metadata(more: &str) -> String {
    list_of("meta.k8s.io/v1", "PartialObjectMetadataList", more)
}

fn sends(media_type: &'static str, body: impl Into<Bytes>) -> kube::Client {
    let answer = answer(200, body).header("content-type", media_type);
    client(move |_, _| answer.clone()).0
}

fn member(content: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Returns a client of a server whose answers are these bytes of gzip.
fn sends_member(body: Vec<u8>) -> kube::Client {
    let answer = answer(200, body).header("content-encoding", "gzip");
    client(move |_, _| answer.clone()).0
}

fn widgets(body: impl Into<Bytes>) -> ApiSource<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    ApiSource::dynamic(sends(JSON, body), ApiResource::from_gvk(&kind))
}

/// Returns the number of objects and the version of a list. One without a version does not count.
async fn listed<K: Resource>(source: ApiSource<K>) -> Result<(usize, String), String>
where
    ApiSource<K>: ListerWatcher<K>,
{
    let list = source.list(&ListQuery::default(), &ListHints::none()).await;
    let mut items = list.map_err(|error| error.to_string())?;
    let (mut objects, mut version) = (0, None);
    while let Some(item) = items.next().await {
        match item.map_err(|error| error.to_string())? {
            ListItem::Meta(metadata) => version = metadata.version,
            _ => objects += 1,
        }
    }
    Ok((objects, version.ok_or("no version")?.to_string()))
}

#[tokio::test(start_paused = true)]
async fn list_that_names_itself_may_leave_out_items() {
    let empty = Ok((0, "529".to_owned()));
    let policies = r#"{"kind":"ValidatingAdmissionPolicyList","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"resourceVersion":"529"}}"#;
    let client = sends(JSON, policies);
    assert_eq!(listed(ApiSource::<ValidatingAdmissionPolicy>::new(client)).await, empty);
    let last = r#"{"metadata":{"resourceVersion":"529","continue":null,"remainingItemCount":null},"apiVersion":"v1","kind":"ConfigMapList"}"#;
    let spaced = r#" { "metadata" : { "resourceVersion" : "529" } , "kind" : "ConfigMapList" , "apiVersion" : "v1" } "#;
    for more in ["", r#","items":null"#, r#","other":{"items":[1]}"#] {
        for body in [maps(more), last.into(), spaced.into()] {
            let source = ApiSource::<ConfigMap>::new(sends(JSON, body.clone()));
            assert_eq!(listed(source).await, empty, "{body}");
            let source = ApiSource::<ConfigMap>::new(sends_member(member(&body))).gzip(true);
            assert_eq!(listed(source).await, empty, "{body}");
        }
        for body in [maps(more), metadata(more)] {
            let client = sends(JSON, body.clone());
            let source = ApiSource::<PartialObjectMeta<ConfigMap>>::new(client);
            assert_eq!(listed(source).await, empty, "{body}");
        }
        let body = list_of("example.com/v1", "WidgetList", more);
        assert_eq!(listed(widgets(body)).await, empty);
    }
    // In protobuf, an empty list is one without items.
    let body = envelope("v1", "ConfigMapList", field(1, field(2, "529")));
    assert_eq!(listed(ApiSource::<ConfigMap>::new(sends(PROTOBUF, body))).await, empty);
}

#[tokio::test(start_paused = true)]
async fn answer_that_names_no_list_is_an_error() {
    let whole = maps("");
    let mut bodies = ["{}", "null", "[]", "", " ", r#"{"items":null}"#, r#"{"metadata":{}}"#]
        .map(str::to_owned)
        .to_vec();
    for more in ["", r#","items":null"#] {
        bodies.extend([
            list_of("v1", "Status", &format!(r#","status":"Success"{more}"#)),
            list_of("v1", "SecretList", more),
            list_of("v2", "ConfigMapList", more),
            list_of("v1", "ConfigMap", more),
            list_of("meta.k8s.io/v1", "Table", more),
            metadata(more),
            format!(r#"{{"kind":"ConfigMapList","apiVersion":"v1"{more}}}"#),
            format!(r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":null{more}}}"#),
            maps(more).replace("529", "0"),
            maps(more).replace("\"529\"", "null"),
        ]);
    }
    bodies.extend([
        list_of("v1", "List", ""),
        list_of("", "ConfigMapList", ""),
        list_of("v1", "", ""),
        r#"{"metadata":{"resourceVersion":"529"}}"#.into(),
        r#"{"metadata":{"resourceVersion":"529"},"kind":"SecretList","apiVersion":"v1"}"#.into(),
        whole[..whole.len() - 1].into(),
        whole[..whole.len() - 2].into(),
        format!("{},", &whole[..whole.len() - 1]),
        format!("{whole}x"),
    ]);
    for body in bodies {
        let source = ApiSource::<ConfigMap>::new(sends(JSON, body.clone()));
        let error = listed(source).await.expect_err(&body);
        assert!(!error.contains("in the middle of a list without items"), "{body}: {error}");
        let source = ApiSource::<ConfigMap>::new(sends_member(member(&body))).gzip(true);
        listed(source).await.expect_err(&body);
    }
    for kind in ["Widget", "Widgets", "AllWidgetsList", "GadgetList", "List", "Status"] {
        let body = list_of("example.com/v1", kind, "");
        listed(widgets(body)).await.expect_err(kind);
    }
    listed(widgets(metadata(""))).await.expect_err("whole objects were requested");
    let whole = envelope("v1", "ConfigMapList", field(1, field(2, "529")));
    let types = [field(1, "v1"), field(2, "ConfigMapList")].concat();
    for body in [
        vec![],
        b"k8s\0".to_vec(),
        [&b"k8s\0"[..], &field(1, types)].concat(),
        whole[..whole.len() - 1].to_vec(),
        envelope("v1", "ConfigMapList", ""),
        envelope("v1", "SecretList", field(1, field(2, "529"))),
    ] {
        let text = format!("{body:?}");
        listed(ApiSource::<ConfigMap>::new(sends(PROTOBUF, body))).await.expect_err(&text);
    }
}

/// A cut gzip member ends a list, even one whose text is complete.
#[tokio::test(start_paused = true)]
async fn cut_gzip_of_an_empty_list_is_refused() {
    let whole = member(&maps(""));
    for cut in 1..10 {
        let cut = whole[..whole.len() - cut].to_vec();
        let source = ApiSource::<ConfigMap>::new(sends_member(cut)).gzip(true);
        listed(source).await.expect_err("the member is cut");
    }
}

/// Lists `a`. Then the version has expired, and lists are answered with this first page, and with
/// this second one.
fn relists(first: Answer, second: Answer) -> Rig {
    let respond = move |query: &str, nth| match (is_watch(query), nth) {
        (true, _) => answer(410, failure(410, "Expired").to_string()),
        (_, 0) => list("10", &[map("a", "5", "x")]),
        _ if query.contains("continue=") => second.clone(),
        _ => first.clone(),
    };
    Rig::new(client(respond), InformerSpec::new())
}

#[tokio::test(start_paused = true)]
async fn list_that_proves_nothing_deletes_nothing() {
    let whole = maps("");
    for body in [
        "{}",
        "null",
        "[]",
        "",
        r#"{"items":null}"#,
        r#"{"metadata":{"resourceVersion":"529"}}"#,
        r#"{"metadata":{"resourceVersion":"529"},"items":null}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"529","remainingItemCount":2}}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"529","continue":"x"},"items":null}"#,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}"#,
        r#"{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"529"},"items":null}"#,
        &whole[..whole.len() - 1],
    ] {
        let page = page("20", "token", &[map("b", "15", "y")]);
        let bad = answer(200, body.to_owned());
        for rig in [relists(bad.clone(), bad.clone()), relists(page, bad)] {
            sleep(seconds(600)).await;
            assert_eq!(rig.stored(), ["a=x"], "{body}");
            assert_eq!(*rig.events.lock(), ["+a=x"], "{body}");
            rig.assert_error("list configmaps: ");
            let lists = rig.queries(|query| !is_watch(query)).len();
            assert!((5..200).contains(&lists), "{body}: {lists} lists");
            rig.factory.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn page_without_items_ends_its_list() {
    for more in ["", r#","items":null"#] {
        let whole = answer(200, maps(more));
        let page = page("20", "token", &[map("b", "15", "y")]);
        for (rig, left) in
            [(relists(whole.clone(), whole.clone()), &[][..]), (relists(page, whole), &["b=y"][..])]
        {
            sleep(seconds(60)).await;
            assert_eq!(rig.stored(), left);
            rig.factory.shutdown().await;
        }
    }
}
