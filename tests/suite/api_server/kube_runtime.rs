//! kube-runtime's watcher and reflector as clients.

use futures::StreamExt;
use kube::api::{Patch, PatchParams};
use kube::runtime::watcher::{Event, InitialListStrategy};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use serde_json::json;

use super::*;
use crate::helpers::{spawn, until};

#[tokio::test(start_paused = true)]
async fn its_watcher_hears_everything_by_either_strategy() {
    for strategy in [InitialListStrategy::ListWatch, InitialListStrategy::StreamingList] {
        let (server, _, maps) = rig();
        server.create(&map("a")).unwrap();
        let config =
            watcher::Config { initial_list_strategy: strategy, ..watcher::Config::default() };
        let mut events = watcher(maps.clone(), config).boxed();
        let mut next = async || loop {
            break match events.next().await.unwrap() {
                Ok(Event::Init) => "init".to_owned(),
                Ok(Event::InitApply(map)) => format!("has {}", map.metadata.name.unwrap()),
                Ok(Event::InitDone) => "synced".to_owned(),
                Ok(Event::Apply(map)) => format!("+{}", map.metadata.name.unwrap()),
                Ok(Event::Delete(map)) => format!("-{}", map.metadata.name.unwrap()),
                // Told, and tried again.
                Err(_) => continue,
            };
        };
        for wanted in ["init", "has a", "synced"] {
            assert_eq!(next().await, wanted);
        }
        server.create(&map("b")).unwrap();
        assert_eq!(next().await, "+b");
        let patch = Patch::Merge(json!({"data": {"x": "y"}}));
        maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
        assert_eq!(next().await, "+a");
        server.delete(&map("b")).unwrap();
        assert_eq!(next().await, "-b");
        // The server forgets its history while the watch is cut, so the watcher has to list again.
        server.compact();
        server.drop_connections();
        server.create(&map("c")).unwrap();
        let told = next().await;
        assert!(matches!(&*told, "+c" | "init"), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn its_reflector_holds_what_the_server_has() {
    let (server, _, maps) = rig();
    for n in 0..10 {
        server.create(&map(&format!("m{n}"))).unwrap();
    }
    let (reader, writer) = reflector::store();
    let config = watcher::Config::default().page_size(3);
    let running = reflector(writer, watcher(maps, config)).default_backoff();
    let running = spawn(running.for_each(|_| std::future::ready(())));
    reader.wait_until_ready().await.unwrap();
    assert_eq!(reader.len(), 10);
    server.delete(&map("m0")).unwrap();
    server.drop_connections();
    server.create(&map("late")).unwrap();
    let is_late = |map: &std::sync::Arc<ConfigMap>| map.metadata.name.as_deref() == Some("late");
    until("the late object", || reader.state().iter().any(is_late)).await;
    assert_eq!(reader.len(), 10);
    running.abort();
}
