//! Watches and streaming lists.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube_informer::testing::api_server::ResourceType;
use serde_json::json;

use super::*;
use crate::helpers::spawn;

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
async fn watch_follows_its_selector_and_ends_bookmarked() {
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
    assert_eq!(
        events,
        ["+a", "-a", "+a", "~a", "-a", "@", "@"],
        "one a minute, one shortly before the end"
    );
}

#[tokio::test(start_paused = true)]
async fn object_leaving_selector_has_its_last_state() {
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
async fn busy_watch_ends_in_time_and_survives_compaction() {
    let (server, _, maps) = rig();
    let from = server.revision().to_string();
    let mut watch = maps.watch(&WatchParams::default().timeout(100), &from).await.unwrap().boxed();
    server.create(&map("a")).unwrap();
    server.compact();
    assert_eq!(told(watch.next().await.unwrap().unwrap()), "+a");
    let busy = spawn(async move {
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
async fn watch_from_compacted_version_expires() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    server.compact();
    let watch = maps.watch(&WatchParams::default(), "1").await.unwrap();
    let events: Vec<_> = watch.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["!410"]);
    let from_zero = maps.watch(&WatchParams::default().timeout(1), "0").await.unwrap();
    let events: Vec<_> = from_zero.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["+a", "@"], "the end of the present state");
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
async fn tests_can_drop_connections_and_answer_requests() {
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

#[tokio::test(start_paused = true)]
async fn removed_type_ends_its_watches() {
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
    assert_eq!(events, ['+', '@', '-', '@']);
    assert_eq!(code(&widgets.list(&ListParams::default()).await.unwrap_err()), 404);
}

#[tokio::test(start_paused = true)]
async fn last_bookmark_comes_two_seconds_before_end() {
    let (server, _, maps) = rig();
    let from = server.revision().to_string();
    let mut watch = maps.watch(&WatchParams::default().timeout(10), &from).await.unwrap().boxed();
    let start = tokio::time::Instant::now();
    assert_eq!(told(watch.next().await.unwrap().unwrap()), "@");
    assert_eq!(start.elapsed().as_secs(), 8);
    assert!(watch.next().await.is_none());
    assert_eq!(start.elapsed().as_secs(), 10);
    let params = WatchParams { bookmarks: false, ..WatchParams::default().timeout(10) };
    let silent = maps.watch(&params, &from).await.unwrap();
    assert_eq!(silent.try_collect::<Vec<_>>().await.unwrap().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn old_states_are_forgotten_in_time() {
    let server = ApiServer::builder().compact_after(Duration::from_secs(300)).build();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    server.create(&map("a")).unwrap();
    let old = server.revision().to_string();
    let exact = ListParams::default().at(&old).matching(kube::api::VersionMatch::Exact);
    tokio::time::sleep(Duration::from_secs(200)).await;
    server.create(&map("b")).unwrap();
    assert_eq!(maps.list(&exact).await.unwrap().items.len(), 1);
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(maps.list(&exact).await.unwrap().items.len(), 1, "the newest, 300 s ago");
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(code(&maps.list(&exact).await.unwrap_err()), 410);
    let watch = maps.watch(&WatchParams::default(), &old).await.unwrap();
    let events: Vec<_> = watch.map_ok(told).try_collect().await.unwrap();
    assert_eq!(events, ["!410"]);
}
