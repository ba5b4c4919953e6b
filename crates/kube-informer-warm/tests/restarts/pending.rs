//! Deletes on which a run did not act before it ended.

use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::CachedEvent;
use kube_informer::informer::ReadBarrier;
use kube_informer::processor::Tap;
use kube_informer::testing::ApiServer;

use crate::world::{Run, Scope, Scratch, map};

const EVERYTHING: Scope = Scope::Everything;

fn server_with(maps: u64) -> ApiServer {
    let server = ApiServer::new();
    for n in 0..maps {
        server.create(&map("shop", &format!("map-{n}"), n)).unwrap();
    }
    server
}

/// Returns the names of the deletes that a tap gives at once.
fn deletes(tap: &mut Tap<ConfigMap>) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(Some((key, event))) = tap.next().now_or_never() {
        if matches!(event, CachedEvent::Deleted { .. }) {
            names.push(key.name().to_owned());
        }
    }
    names.sort_unstable();
    names
}

/// Returns the deletes with which a tap of a new run begins. The run ends then.
async fn told(server: &ApiServer, scratch: &Scratch) -> Vec<String> {
    let run = Run::synced(server, scratch.path(), EVERYTHING).await;
    run.settle(server, EVERYTHING).await;
    let deletes = deletes(&mut run.informer.tap("consumer", 10).unwrap().0);
    let to_handlers = run.told.lock().gone.len();
    assert_eq!(to_handlers, 0, "handlers receive no delete again");
    run.shutdown().await;
    deletes
}

#[tokio::test(start_paused = true)]
async fn delete_is_told_again_until_its_consumer_has_acted() {
    let (server, scratch) = (server_with(4), Scratch::new("pending"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.delete(&map("shop", "map-0", 0)).unwrap();
    // One is deleted before the start, and two meanwhile.
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes().unwrap();
    let mut tap = run.informer.tap("consumer", 10).unwrap().0;
    server.delete(&map("shop", "map-1", 0)).unwrap();
    server.delete(&map("shop", "map-2", 0)).unwrap();
    run.settle(&server, EVERYTHING).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(deletes(&mut tap), ["map-0", "map-1", "map-2"]);
    pending.finish(&"shop/map-1".parse().unwrap(), ReadBarrier::now());
    // The end of its consumer is no act.
    drop((pending, tap));
    run.shutdown().await;
    server.create(&map("shop", "map-2", 7)).unwrap();

    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.settle(&server, EVERYTHING).await;
    let pending = run.informer.pending_deletes().unwrap();
    assert_eq!(deletes(&mut run.informer.tap("consumer", 10).unwrap().0), ["map-0"]);
    assert_eq!(run.told.lock().gone.len(), 0, "handlers received it before");
    run.shutdown().await;
    drop(pending);

    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes().unwrap();
    pending.finish(&"shop/map-0".parse().unwrap(), ReadBarrier::now());
    run.shutdown().await;
    assert_eq!(told(&server, &scratch).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn killed_run_leaves_the_deletes_that_it_has_not_acted_on() {
    let (server, scratch) = (server_with(3), Scratch::new("pending-killed"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes().unwrap();
    server.delete(&map("shop", "map-0", 0)).unwrap();
    server.delete(&map("shop", "map-1", 0)).unwrap();
    run.settle(&server, EVERYTHING).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    pending.finish(&"shop/map-0".parse().unwrap(), ReadBarrier::now());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let table = scratch.newest_table().unwrap();
    let image = std::fs::read(&table).unwrap();
    run.shutdown().await;
    std::fs::write(&table, image).unwrap();
    assert_eq!(told(&server, &scratch).await, ["map-1"]);
    // Nobody has acted on it, and nobody wants to.
    assert_eq!(told(&server, &scratch).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn act_on_an_earlier_delete_ends_no_later_one() {
    let (server, scratch) = (server_with(1), Scratch::new("pending-later"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes().unwrap();
    let (key, object) = ("shop/map-0".parse().unwrap(), map("shop", "map-0", 0));
    server.delete(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    let seen = ReadBarrier::now();
    server.create(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    server.delete(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    pending.finish(&key, seen);
    assert_eq!(deletes(&mut run.informer.tap("one", 10).unwrap().0), ["map-0"]);
    pending.finish_all();
    assert_eq!(deletes(&mut run.informer.tap("two", 10).unwrap().0), [""; 0]);
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn delete_outside_of_a_later_shard_is_not_told() {
    let (server, scratch) = (server_with(40), Scratch::new("pending-shard"));
    let half = Scope::Shard(0, u64::MAX / 2);
    let all = Scope::Shard(0, u64::MAX);
    let uid = |n: u64| {
        let view = EVERYTHING.of(&server);
        view[&format!("shop/map-{n}")].0.clone()
    };
    let inside = (0..40).find(|n| half.has(&uid(*n))).unwrap();
    let outside = (0..40).find(|n| !half.has(&uid(*n))).unwrap();
    let run = Run::synced(&server, scratch.path(), all).await;
    let pending = run.informer.pending_deletes().unwrap();
    for n in [inside, outside] {
        server.delete(&map("shop", &format!("map-{n}"), 0)).unwrap();
    }
    run.settle(&server, all).await;
    run.shutdown().await;
    drop(pending);
    let run = Run::synced(&server, scratch.path(), half).await;
    run.settle(&server, half).await;
    let told = deletes(&mut run.informer.tap("consumer", 50).unwrap().0);
    assert_eq!(told, [format!("map-{inside}")]);
    run.shutdown().await;
}
