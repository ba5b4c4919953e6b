//! The embedded API server, through an ordinary `kube::Client`.

#![cfg(feature = "testing")]

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube::api::{
    DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{Api, Client};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use serde_json::json;

fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn labelled(name: &str, label: &str) -> ConfigMap {
    let mut map = map(name);
    map.metadata.labels = Some([("app".into(), label.into())].into());
    map
}

fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        other => panic!("{other}"),
    }
}

fn rig() -> (ApiServer, Client, Api<ConfigMap>) {
    let server = ApiServer::new();
    let client = server.client();
    let maps = Api::default_namespaced(client.clone());
    (server, client, maps)
}

#[tokio::test]
async fn objects_live_and_die_as_on_a_real_server() {
    let (_server, _, maps) = rig();
    let post = PostParams::default();
    let made = maps.create(&post, &map("a")).await.unwrap();
    let meta = &made.metadata;
    assert!(meta.uid.is_some() && meta.creation_timestamp.is_some());
    assert_eq!(code(&maps.create(&post, &map("a")).await.unwrap_err()), 409);
    assert_eq!(code(&maps.create(&post, &map("Bad_Name")).await.unwrap_err()), 422);
    assert_eq!(code(&maps.get("b").await.unwrap_err()), 404);

    let mut changed = made.clone();
    changed.data = Some([("k".into(), "v".into())].into());
    let replaced = maps.replace("a", &post, &changed).await.unwrap();
    assert_ne!(replaced.metadata.resource_version, meta.resource_version);
    assert_eq!(replaced.metadata.uid, meta.uid);
    assert_eq!(code(&maps.replace("a", &post, &changed).await.unwrap_err()), 409, "stale");
    let again = maps.replace("a", &post, &replaced).await.unwrap();
    assert_eq!(again.metadata.resource_version, replaced.metadata.resource_version, "no change");

    let patch = Patch::Merge(json!({"data": {"k": null, "l": "w"}}));
    let patched = maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(patched.data.unwrap(), [("l".into(), "w".into())].into());
    let strategic = Patch::Strategic(json!({}));
    let refused = maps.patch("a", &PatchParams::default(), &strategic).await.unwrap_err();
    assert_eq!(code(&refused), 415);

    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(code(&maps.delete("a", &DeleteParams::default()).await.unwrap_err()), 404);
    let mut generated = map("");
    generated.metadata.name = None;
    generated.metadata.generate_name = Some("gen-".into());
    let generated = maps.create(&post, &generated).await.unwrap();
    assert!(generated.metadata.name.unwrap().starts_with("gen-"));
}

#[tokio::test]
async fn a_finalizer_holds_an_object_until_it_is_gone() {
    let (_server, _, maps) = rig();
    let mut held = map("a");
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    maps.create(&PostParams::default(), &held).await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let held = maps.get("a").await.unwrap();
    assert!(held.metadata.deletion_timestamp.is_some());
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("a", &PatchParams::default(), &release).await.unwrap();
    assert_eq!(code(&maps.get("a").await.unwrap_err()), 404);
}

#[tokio::test]
async fn pages_are_of_one_moment_until_it_is_compacted() {
    let (server, _, maps) = rig();
    for n in 0..7 {
        server.create(&map(&format!("m{n}"))).unwrap();
    }
    let page = |token: Option<String>| {
        let params = ListParams { limit: Some(3), continue_token: token, ..ListParams::default() };
        let maps = maps.clone();
        async move { maps.list(&params).await }
    };
    let first = page(None).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(4));
    server.delete(&map("m4")).unwrap();
    server.create(&map("m9")).unwrap();
    let second = page(first.metadata.continue_.clone()).await.unwrap();
    let names: Vec<_> = second.items.iter().filter_map(|m| m.metadata.name.clone()).collect();
    assert_eq!(names, ["m3", "m4", "m5"], "as it was");
    assert_eq!(second.metadata.resource_version, first.metadata.resource_version);
    server.compact();
    let expired = page(second.metadata.continue_.clone()).await.unwrap_err();
    let kube::Error::Api(status) = expired else { panic!() };
    assert_eq!((status.code, &*status.reason), (410, "Expired"));
    let go_on = status.metadata.and_then(|metadata| metadata.continue_);
    let rest = page(go_on).await.unwrap();
    let names: Vec<_> = rest.items.iter().filter_map(|m| m.metadata.name.clone()).collect();
    assert_eq!(names, ["m6", "m9"], "as it is");
    assert_eq!(code(&page(Some("garbage".into())).await.unwrap_err()), 400);
}

#[tokio::test]
async fn versions_that_cannot_be_had_are_refused() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    server.compact();
    let at = |version: &str, exact: bool| {
        let params = ListParams::default().at(version);
        let params = if exact {
            params.matching(kube::api::VersionMatch::Exact)
        } else {
            params.matching(kube::api::VersionMatch::NotOlderThan)
        };
        let maps = maps.clone();
        async move { maps.list(&params).await }
    };
    let kube::Error::Api(status) = at("999999", false).await.unwrap_err() else { panic!() };
    assert_eq!((status.code, &*status.reason), (504, "Timeout"));
    assert_eq!(code(&at("1", true).await.unwrap_err()), 410);
    assert_eq!(at("1", false).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn selectors_narrow_lists() {
    let (server, client, maps) = rig();
    server.create(&labelled("a", "web")).unwrap();
    server.create(&labelled("b", "db")).unwrap();
    for (params, count) in [
        (ListParams::default().labels("app=web"), 1),
        (ListParams::default().labels("app notin (web, db)"), 0),
        (ListParams::default().fields("metadata.name=b"), 1),
        (ListParams::default().fields("metadata.name!=b,metadata.namespace=default"), 1),
    ] {
        assert_eq!(maps.list(&params).await.unwrap().items.len(), count, "{params:?}");
    }
    let list = |params: ListParams| {
        let maps = maps.clone();
        async move { code(&maps.list(&params).await.unwrap_err()) }
    };
    assert_eq!(list(ListParams::default().labels("a===")).await, 400);
    assert_eq!(list(ListParams::default().fields("spec.bogus=1")).await, 400);
    let pods: Api<Pod> = Api::all(client);
    let on_node = ListParams::default().fields("spec.nodeName=n1");
    assert!(pods.list(&on_node).await.unwrap().items.is_empty());
}

fn told(event: WatchEvent<ConfigMap>) -> String {
    match event {
        WatchEvent::Added(o) => format!("+{}", o.metadata.name.unwrap()),
        WatchEvent::Modified(o) => format!("~{}", o.metadata.name.unwrap()),
        WatchEvent::Deleted(o) => format!("-{}", o.metadata.name.unwrap()),
        WatchEvent::Bookmark(_) => "@".into(),
        WatchEvent::Error(status) => format!("!{}", status.code),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_tells_what_its_selector_sees_and_ends_with_a_bookmark() {
    let (server, _, maps) = rig();
    let from = server.revision().to_string();
    let params = WatchParams::default().labels("app=web").timeout(90);
    let watch = maps.watch(&params, &from).await.unwrap();
    server.create(&labelled("a", "web")).unwrap();
    server.create(&labelled("other", "db")).unwrap();
    let merge = |app: &str| Patch::Merge(json!({"metadata": {"labels": {"app": app}}}));
    let patch = PatchParams::default();
    maps.patch("a", &patch, &merge("db")).await.unwrap();
    maps.patch("a", &patch, &merge("web")).await.unwrap();
    maps.patch("a", &patch, &Patch::Merge(json!({"data": {"x": "y"}}))).await.unwrap();
    server.delete(&map("a")).unwrap();
    let events: Vec<_> = watch.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["+a", "-a", "+a", "~a", "-a", "@", "@"], "one a minute, one at the end");
}

#[tokio::test(start_paused = true)]
async fn what_leaves_a_selector_is_told_as_the_selector_last_saw_it() {
    let (server, _, maps) = rig();
    let params = WatchParams::default().labels("app=web").timeout(1);
    let watch = maps.watch(&params, &server.revision().to_string()).await.unwrap();
    server.create(&labelled("a", "web")).unwrap();
    let merge = Patch::Merge(json!({"metadata": {"labels": {"app": "db"}}}));
    let patched = maps.patch("a", &PatchParams::default(), &merge).await.unwrap();
    let events: Vec<_> = watch.try_collect().await.unwrap();
    let WatchEvent::Deleted(left) = &events[1] else { panic!("{events:?}") };
    assert_eq!(left.metadata.labels.as_ref().unwrap()["app"], "web");
    assert_eq!(left.metadata.resource_version, patched.metadata.resource_version);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_never_idle_ends_in_time_and_one_that_is_open_survives_a_compaction() {
    let (server, _, maps) = rig();
    let from = server.revision().to_string();
    let mut watch = maps.watch(&WatchParams::default().timeout(100), &from).await.unwrap().boxed();
    server.create(&map("a")).unwrap();
    server.compact();
    assert_eq!(told(watch.next().await.unwrap().unwrap()), "+a");
    let busy = tokio::spawn(async move {
        loop {
            let mut again = map("a");
            again.data = Some([("n".into(), server.revision().to_string())].into());
            server.replace(&again).unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
    let start = tokio::time::Instant::now();
    let events: Vec<_> = watch.map_ok(told).try_collect().await.unwrap();
    busy.abort();
    assert!(start.elapsed() < Duration::from_secs(102), "{:?}", start.elapsed());
    assert_eq!(events.iter().filter(|event| *event == "@").count(), 2);
    let longest = WatchParams { timeout: Some(u32::MAX), ..WatchParams::default() };
    let _ = maps.watch(&longest, "0").await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_a_forgotten_version_is_told_so() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    server.compact();
    let watch = maps.watch(&WatchParams::default(), "1").await.unwrap();
    let events: Vec<_> = watch.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["!410"]);
    let from_zero = maps.watch(&WatchParams::default().timeout(1), "0").await.unwrap();
    let events: Vec<_> = from_zero.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["+a", "@"]);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_ends_in_its_annotated_bookmark() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    let params = WatchParams::default().initial_events().timeout(5);
    let mut watch = maps.watch(&params, "0").await.unwrap().boxed();
    assert_eq!(told(watch.next().await.unwrap().unwrap()), "+a");
    let WatchEvent::Bookmark(end) = watch.next().await.unwrap().unwrap() else { panic!() };
    assert_eq!(end.metadata.annotations["k8s.io/initial-events-end"], "true");
    assert_eq!(end.metadata.resource_version, server.revision().to_string());
    server.create(&map("b")).unwrap();
    assert_eq!(told(watch.next().await.unwrap().unwrap()), "+b");
}

#[tokio::test(start_paused = true)]
async fn a_type_that_is_removed_takes_its_watches_along() {
    let (server, client, _) = rig();
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let resource = ApiResource::from_gvk(&kind);
    let widgets: Api<DynamicObject> = Api::default_namespaced_with(client, &resource);
    assert_eq!(code(&widgets.list(&ListParams::default()).await.unwrap_err()), 404);
    let widget_type = ResourceType::from_api_resource(&resource, true);
    server.register(widget_type.clone());
    let widget = DynamicObject::new("w", &resource).data(json!({"spec": {"size": 1}}));
    let made = widgets.create(&PostParams::default(), &widget).await.unwrap();
    assert_eq!(made.metadata.generation, Some(1));
    let watch = widgets.watch(&WatchParams::default(), "0").await.unwrap();
    server.unregister(&widget_type);
    let events: Vec<_> = watch
        .map_ok(|event| match event {
            WatchEvent::Added(_) => '+',
            WatchEvent::Deleted(_) => '-',
            WatchEvent::Bookmark(_) => '@',
            _ => '?',
        })
        .try_collect()
        .await
        .unwrap();
    assert_eq!(events, ['+', '-', '@']);
    assert_eq!(code(&widgets.list(&ListParams::default()).await.unwrap_err()), 404);
}

#[tokio::test]
async fn metadata_alone_can_be_had() {
    let (server, client, maps) = rig();
    server.create(&labelled("a", "web")).unwrap();
    let metadata: Api<PartialObjectMeta<ConfigMap>> = Api::default_namespaced(client);
    let list = metadata.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items[0].metadata.labels.as_ref().unwrap()["app"], "web");
    let whole = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(whole.items.len(), 1);
}

#[tokio::test]
async fn cluster_scoped_types_and_all_namespaces() {
    let (server, client, _) = rig();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let metadata = ObjectMeta { name: Some("shop".into()), ..ObjectMeta::default() };
    let shop = Namespace { metadata, ..Namespace::default() };
    namespaces.create(&PostParams::default(), &shop).await.unwrap();
    assert!(namespaces.get("shop").await.is_ok());
    let mut elsewhere = map("a");
    elsewhere.metadata.namespace = Some("shop".into());
    server.create(&elsewhere).unwrap();
    server.create(&map("a")).unwrap();
    let all: Api<ConfigMap> = Api::all(client.clone());
    assert_eq!(all.list(&ListParams::default()).await.unwrap().items.len(), 2);
    let one: Api<ConfigMap> = Api::namespaced(client, "shop");
    assert_eq!(one.list(&ListParams::default()).await.unwrap().items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn connections_can_be_dropped_and_requests_answered_by_the_test() {
    let (server, _, maps) = rig();
    let mut watch = maps.watch(&WatchParams::default(), "1").await.unwrap().boxed();
    server.drop_connections();
    assert!(watch.next().await.unwrap().is_err(), "not an ordinary end");
    server.intercept(|request| {
        let answer = http::Response::builder().status(429).header("retry-after", "1");
        (!request.watch).then(|| answer.body("too many".into()).unwrap())
    });
    assert!(maps.list(&ListParams::default()).await.is_err());
    server.stop_intercepting();
    maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_with_its_server() {
    let (server, client, maps) = rig();
    let mut watch = maps.watch(&WatchParams::default(), "1").await.unwrap().boxed();
    drop((server, client, maps));
    let ended = tokio::time::timeout(Duration::from_secs(1), watch.next()).await;
    assert!(matches!(ended, Ok(Some(Err(_)) | None)), "{ended:?}");
}
