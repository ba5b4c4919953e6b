//! Reading what one wrote, while the watch is held back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::{Api, DeleteParams, PostParams};
use kube_controllers::controller::{OwnWrites, UntraceableWrite};
use kube_controllers::{Action, Controller};
use kube_informer::lister::ReadError;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, ResourceVersion};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

/// The delay of each event.
const LATE: Duration = Duration::from_secs(2);

fn version_of(map: &ConfigMap) -> ResourceVersion {
    map.meta().resource_version.as_deref().unwrap_or_default().into()
}

#[tokio::test(start_paused = true)]
async fn a_read_can_wait_for_a_version() {
    let server = ApiServer::new();
    let maps = late_informer::<ConfigMap>(server.client(), || LATE);
    maps.start().unwrap();
    maps.wait_for_sync(S).await.unwrap();
    let start = Instant::now();
    let made = server.create(&map("a", "1")).unwrap();
    let lister = maps.lister().namespace("shop");
    assert!(lister.get("a").is_err(), "its event is late");

    let too_short = lister.get_at_least("a", &version_of(&made), S).await.unwrap_err();
    let ReadError::WaitTimeout(not_reached) = too_short else { panic!("{too_short:?}") };
    let told = format!(" after 1.0s, not version {}", version_of(&made));
    assert!(not_reached.to_string().contains(&told), "{not_reached}");

    let read = lister.get_at_least("a", &version_of(&made), 10 * S).await.unwrap();
    assert_eq!(*read, made);
    assert_eq!(start.elapsed(), LATE);
    // A write that the cache shows already is not waited for.
    maps.wait_for(&version_of(&made), Duration::ZERO).await.unwrap();

    let gone = server.delete(&made).unwrap();
    let read = lister.get_at_least("a", &version_of(&gone), 10 * S).await;
    assert!(matches!(read, Err(ReadError::NotFound(_))), "{read:?}");
    assert_eq!(start.elapsed(), 2 * LATE);
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn delete_is_not_observed_before_creation() {
    let server = ApiServer::new();
    let maps = late_informer::<ConfigMap>(server.client(), || LATE);
    maps.start().unwrap();
    maps.wait_for_sync(S).await.unwrap();
    let writes = OwnWrites::new(&maps);
    let made = server.create(&map("a", "1")).unwrap();
    sleep(S).await;
    server.delete(&made).unwrap();
    writes.expect_delete(&key("owner"), &made).unwrap();
    let start = Instant::now();
    writes.wait_observed(&key("owner"), 10 * S).await.unwrap();
    assert_eq!(start.elapsed(), LATE, "the object came and went meanwhile");
    assert!(maps.lister().is_empty());
    assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn empty_shard_ends_a_wait_for_writes() {
    let server = ApiServer::new();
    let (shard, followed) = watch::channel(ShardSelector::everything(ShardKey::Uid));
    let maps = factory(&server).informer_with(InformerSpec::new().shard(followed)).unwrap();
    maps.start().unwrap();
    maps.wait_for_sync(S).await.unwrap();
    let writes = OwnWrites::new(&maps);
    // A write whose event does not come.
    let mut made = server.create(&map("a", "1")).unwrap();
    made.metadata.resource_version = Some("1000000".into());
    writes.expect_write(&key("owner"), &made).unwrap();
    let owner = key("owner");
    let waiting = async {
        let start = Instant::now();
        writes.wait_observed(&owner, 1000 * S).await.map(|()| start.elapsed())
    };
    let moving = async {
        sleep(5 * S).await;
        shard.send_replace(ShardSelector::nothing(ShardKey::Uid));
    };
    let (waited, ()) = tokio::join!(waiting, moving);
    assert_eq!(waited.unwrap(), 5 * S);
    assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    maps.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn observed_writes_are_forgotten() {
    let server = ApiServer::new();
    let maps = factory(&server).informer::<ConfigMap>();
    maps.start().unwrap();
    maps.wait_for_sync(S).await.unwrap();
    let writes = OwnWrites::new(&maps);
    for n in 0..1000 {
        let made = server.create(&map(&format!("a-{n}"), "1")).unwrap();
        writes.expect_write(&key(&format!("owner-{n}")), &made).unwrap();
        maps.wait_for(&version_of(&made), S).await.unwrap();
    }
    let kept = format!("{writes:?}");
    let kept: usize = kept.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert!(kept <= 65, "{kept}");
    assert_eq!(
        writes.expect_write(&key("owner"), &map("a", "1")),
        Err(UntraceableWrite::NoVersion(key("a")))
    );
    maps.shutdown().await;
}

/// The result of ten thousand operations.
struct Outcome {
    operations: usize,
    stale: usize,
}

/// A controller that creates, changes and deletes at random, one object for each of its keys, and
/// compares what it reads with what it wrote last.
async fn operate(sees_own_writes: bool, operations: usize) -> Outcome {
    const KEYS: usize = 100;
    let server = ApiServer::new();
    for n in 0..KEYS {
        server.create(&map(&format!("key-{n}"), "0")).unwrap();
    }
    let maps = late_informer::<ConfigMap>(server.client(), || LATE);
    let writes = OwnWrites::new(&maps);
    let mut builder = Controller::builder("writing", &maps)
        .concurrency(20)
        // Its own children are no work for it.
        .predicate(|event| {
            event.object().meta().name.as_ref().is_some_and(|name| name.starts_with("key-"))
        });
    if sees_own_writes {
        builder = builder.reads_own_writes(&writes);
    }
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let last = Arc::new(Mutex::new(HashMap::<String, Option<ConfigMap>>::new()));
    let random = Arc::new(Mutex::new(fastrand::Rng::with_seed(7)));
    let done = Arc::new(AtomicUsize::new(0));
    let stale = Arc::new(AtomicUsize::new(0));
    let stop = CancellationToken::new();
    let (lister, ended) = (maps.lister().namespace("shop"), stop.clone());
    let (counted, counted_stale) = (done.clone(), stale.clone());
    let reconcile = move |request: kube_controllers::ReconcileRequest<ConfigMap>| {
        let (lister, writes, api) = (lister.clone(), writes.clone(), api.clone());
        let (last, random) = (last.clone(), random.clone());
        let (done, stale, ended) = (counted.clone(), counted_stale.clone(), ended.clone());
        async move {
            let child = format!("child-of-{}", request.key.name());
            let Some(_) = request.object.as_present() else { return Ok(Action::done()) };
            let read = lister.get(&child).ok();
            let written = last.lock().get(&child).cloned().flatten();
            let wants = written.as_ref().map(|map| (&map.metadata.uid, version_of(map)));
            let has = read.as_deref().map(|map| (&map.metadata.uid, version_of(map)));
            if wants != has {
                stale.fetch_add(1, Ordering::Relaxed);
            }
            let value = random.lock().u32(..).to_string();
            let now = match written {
                None => {
                    let made = api.create(&PostParams::default(), &map(&child, &value)).await?;
                    writes.expect_write(&request.key, &made).unwrap();
                    Some(made)
                }
                Some(known) if random.lock().u8(..3) == 0 => {
                    api.delete(&child, &DeleteParams::default()).await?;
                    writes.expect_delete(&request.key, &known).unwrap();
                    None
                }
                Some(known) => {
                    let changed = ConfigMap { data: map(&child, &value).data, ..known };
                    let changed = api.replace(&child, &PostParams::default(), &changed).await?;
                    writes.expect_write(&request.key, &changed).unwrap();
                    Some(changed)
                }
            };
            last.lock().insert(child, now);
            if done.fetch_add(1, Ordering::Relaxed) + 1 >= operations {
                ended.cancel();
            }
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    };
    Controller::run(builder.build(), stop, reconcile).await.unwrap();
    maps.shutdown().await;
    Outcome { operations: done.load(Ordering::Relaxed), stale: stale.load(Ordering::Relaxed) }
}

#[tokio::test(start_paused = true)]
async fn no_reconcile_reads_older_than_its_last_write() {
    let outcome = operate(true, 2_000).await;
    assert!(outcome.operations >= 2_000);
    assert_eq!(outcome.stale, 0);
}

#[tokio::test(start_paused = true)]
async fn without_it_nearly_every_reconcile_does() {
    let outcome = operate(false, 1_000).await;
    assert!(outcome.stale > 500, "{} of {} read stale", outcome.stale, outcome.operations);
}
