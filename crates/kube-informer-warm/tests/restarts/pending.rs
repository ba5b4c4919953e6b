//! Deletes on which a run did not act before it ended.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::processor::Tap;
use kube_informer::testing::ApiServer;
use kube_informer::warm::PendingDeletes;
use kube_informer::{CachedEvent, InformerSpec};
use kube_informer_warm::WarmCache;
use tokio::sync::watch;
use tokio::task::unconstrained;

use crate::world::{LIMIT, Run, Scope, Scratch, map};

const EVERYTHING: Scope = Scope::Everything;

/// The time after which only pending deletes are known.
const LATER: Duration = Duration::from_secs(601);

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
    while let Some(Some((key, event))) = unconstrained(tap.next()).now_or_never() {
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
    let pending = run.informer.pending_deletes("consumer").unwrap();
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
    let pending = run.informer.pending_deletes("consumer").unwrap();
    assert_eq!(deletes(&mut run.informer.tap("consumer", 10).unwrap().0), ["map-0"]);
    assert_eq!(run.told.lock().gone.len(), 0, "handlers received it before");
    run.shutdown().await;
    drop(pending);

    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes("consumer").unwrap();
    pending.finish(&"shop/map-0".parse().unwrap(), ReadBarrier::now());
    run.shutdown().await;
    assert_eq!(told(&server, &scratch).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn killed_run_leaves_the_deletes_that_it_has_not_acted_on() {
    let (server, scratch) = (server_with(3), Scratch::new("pending-killed"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let pending = run.informer.pending_deletes("consumer").unwrap();
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
    let pending = run.informer.pending_deletes("consumer").unwrap();
    let (key, object) = ("shop/map-0".parse().unwrap(), map("shop", "map-0", 0));
    server.delete(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    let seen = ReadBarrier::now();
    server.create(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    server.delete(&object).unwrap();
    run.settle(&server, EVERYTHING).await;
    pending.finish(&key, seen);
    tokio::time::sleep(LATER).await;
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
    let pending = run.informer.pending_deletes("consumer").unwrap();
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

/// Controllers end before their informers do.
#[tokio::test(start_paused = true)]
async fn delete_after_the_end_of_its_consumer_is_told_again() {
    let (server, scratch) = (server_with(3), Scratch::new("pending-ended"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    let delete = async |run: &Run, name: &str| {
        server.delete(&map("shop", name, 0)).unwrap();
        run.settle(&server, EVERYTHING).await;
    };
    drop(run.informer.pending_deletes("consumer"));
    delete(&run, "map-0").await;
    tokio::time::sleep(LATER).await;
    delete(&run, "map-1").await;
    run.shutdown().await;
    assert_eq!(told(&server, &scratch).await, ["map-0"]);
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    run.informer.pending_deletes("consumer").unwrap().finish_all();
    delete(&run, "map-2").await;
    run.shutdown().await;
    assert_eq!(told(&server, &scratch).await, [""; 0]);
}

/// Programs start their informers before their controllers, and some controllers later than others.
#[tokio::test(start_paused = true)]
async fn delete_before_a_consumer_came_is_told_and_pending() {
    for acts in [false, true] {
        let (server, scratch) = (server_with(3), Scratch::new(&format!("pending-late-{acts}")));
        Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
        let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
        server.delete(&map("shop", "map-0", 0)).unwrap();
        run.settle(&server, EVERYTHING).await;
        let first = run.informer.pending_deletes("consumer").unwrap();
        server.delete(&map("shop", "map-1", 0)).unwrap();
        run.settle(&server, EVERYTHING).await;
        tokio::time::sleep(LATER).await;
        let second = run.informer.pending_deletes("second").unwrap();
        let mut tap = run.informer.tap("second", 10).unwrap().0;
        assert_eq!(deletes(&mut tap), ["map-0", "map-1"]);
        // An act of the first is none of the second.
        let consumers = [&first, &second];
        for consumer in &consumers[..=usize::from(acts)] {
            for key in ["shop/map-0", "shop/map-1"] {
                consumer.finish(&key.parse().unwrap(), ReadBarrier::now());
            }
        }
        run.shutdown().await;
        drop((first, second));
        let expected: &[&str] = if acts { &[] } else { &["map-0", "map-1"] };
        assert_eq!(told(&server, &scratch).await, expected);
    }
}

/// Another replica has them, or an object of the same name that exists.
#[tokio::test(start_paused = true)]
async fn deletes_outside_of_a_shard_that_moved_are_not_told() {
    let (server, scratch) = (server_with(40), Scratch::new("pending-moved"));
    let of = |scope: Scope| match scope {
        Scope::Shard(from, to) => ShardSelector::new(ShardKey::Uid, [from..=to]),
        _ => ShardSelector::everything(ShardKey::Uid),
    };
    let half = Scope::Shard(0, u64::MAX / 2);
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    let kept = EVERYTHING.of(&server);
    for n in 0..10 {
        server.delete(&map("shop", &format!("map-{n}"), 0)).unwrap();
    }
    let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
    let (wanted, shard) = watch::channel(of(EVERYTHING));
    let run = Run::of_spec(&server, cache, InformerSpec::new().shard(shard));
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    wanted.send_replace(of(half));
    while run.stored() != half.of(&server) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pending = run.informer.pending_deletes("consumer").unwrap();
    let told = deletes(&mut run.informer.tap("consumer", 50).unwrap().0);
    let deleted = (0..10).map(|n| format!("map-{n}"));
    let inside = deleted.filter(|name| half.has(&kept[&format!("shop/{name}")].0));
    assert_eq!(told, inside.collect::<Vec<_>>());
    assert!((1..10).contains(&told.len()));
    run.shutdown().await;
    drop(pending);
}

/// Lets every other task that is ready run once. Only a spawned task waits its turn.
async fn turn() {
    let mut waited = false;
    let waiting = poll_fn(|cx| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    });
    waiting.await;
}

/// The store's next state is built in slices.
#[tokio::test(start_paused = true)]
async fn tap_that_comes_amid_the_first_list_is_told_once() {
    let (server, scratch) = (server_with(400), Scratch::new("pending-amid-list"));
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    server.delete(&map("shop", "map-0", 0)).unwrap();
    let run = Run::new(&server, scratch.path(), EVERYTHING);
    let informer = run.informer.clone();
    let coming = tokio::spawn(async move {
        loop {
            let tap = informer.tap("amid", 1_000).unwrap().0;
            turn().await;
            if !informer.snapshot().is_empty() {
                return tap;
            }
        }
    });
    let mut tap = coming.await.unwrap();
    run.settle(&server, EVERYTHING).await;
    assert_eq!(deletes(&mut tap), ["map-0"]);
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn delete_is_pending_for_a_consumer_that_comes_amid_its_batch() {
    for time in [Duration::from_secs(1), LATER] {
        let (server, scratch) = (server_with(150), Scratch::new("pending-amid-batch"));
        let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
        tokio::time::sleep(time).await;
        // A full tap holds up the changes after the first ones, which are one batch then.
        let full = run.informer.tap("full", 1).unwrap();
        for value in 0..4 {
            server.replace(&map("shop", "map-149", value)).unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        server.delete(&map("shop", "map-0", 0)).unwrap();
        for n in 1..150 {
            server.replace(&map("shop", &format!("map-{n}"), n + 1)).unwrap();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(full);
        let informer = run.informer.clone();
        let coming = tokio::spawn(async move {
            let key = "shop/map-0".parse().unwrap();
            loop {
                let pending = informer.pending_deletes("amid").unwrap();
                let tap = informer.tap("amid", 1_000).unwrap().0;
                turn().await;
                if informer.snapshot().get(&key).is_none() {
                    return (pending, tap);
                }
                pending.finish_all();
            }
        });
        let (pending, mut tap) = coming.await.unwrap();
        run.settle(&server, EVERYTHING).await;
        assert_eq!(deletes(&mut tap), ["map-0"]);
        run.shutdown().await;
        drop(pending);
        assert_eq!(told(&server, &scratch).await, ["map-0"]);
    }
}

/// Each comes back at another time.
#[tokio::test(start_paused = true)]
async fn consumer_takes_no_place_of_another_name() {
    let (server, scratch) = (server_with(1), Scratch::new("pending-names"));
    let run = Run::synced(&server, scratch.path(), EVERYTHING).await;
    tokio::time::sleep(LATER).await;
    let consumer = |name: &str| run.informer.pending_deletes(name).unwrap();
    let act = |consumer: &PendingDeletes| {
        consumer.finish(&"shop/map-0".parse().unwrap(), ReadBarrier::now());
    };
    let told = |name: &str| deletes(&mut run.informer.tap(name, 10).unwrap().0);
    drop((consumer("a"), consumer("b")));
    server.delete(&map("shop", "map-0", 0)).unwrap();
    run.settle(&server, EVERYTHING).await;
    let a = consumer("a");
    assert_eq!(told("a"), ["map-0"]);
    act(&a);
    let b = consumer("b");
    assert_eq!(told("b"), ["map-0"]);
    act(&b);
    assert_eq!(told("c"), [""; 0]);
    run.shutdown().await;
}
