//! A key is not reconciled before the cache shows what was written for it, and no worker waits.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http::{Method, Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube::api::{Api, DeleteParams, EvictParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Client, Resource, ResourceExt};
use kube_controllers::controller::{OwnWrites, tracking_client};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::ApiStatus;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{ApiServer, FakeSource, WatchEnd};
use kube_informer::workqueue::ExponentialBackoff;
use kube_informer::{InformerOptions, SharedInformer};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

#[tokio::test(start_paused = true)]
async fn waiting_key_holds_no_worker_and_no_stop() {
    let server = server_with(&["a"]);
    let maps = late_informer::<ConfigMap>(server.client(), || 5 * S);
    let controller = Controller::builder("writing", &maps).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, client) = (log.clone(), tracking_client(server.client()));
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (log, api) = (logged.clone(), Api::<ConfigMap>::namespaced(client.clone(), "shop"));
        async move {
            let name = request.key.name().to_owned();
            log.add(name.clone());
            if name == "a" {
                api.create(&PostParams::default(), &map("child", "1")).await.ok();
                return Ok(Action::requeue_after(MS));
            }
            Ok::<_, kube::Error>(Action::done())
        }
    }));
    log.reaches(1).await;
    let written = Instant::now();
    sleep(100 * MS).await;
    handle.trigger(key("b"));
    log.reaches(2).await;
    assert!(written.elapsed() < S, "another key goes on meanwhile");
    assert_eq!(log.take(), ["a", "b"]);
    assert_eq!(handle.status().queue.parked, 1);
    log.reaches(1).await;
    assert!(written.elapsed() >= 4 * S, "not before the cache shows the write");
    sleep(S).await;

    // The second write conflicts, so nothing is waited for; a third, of another object, is.
    stop.cancel();
    let stopped = Instant::now();
    running.await.unwrap().unwrap();
    assert!(stopped.elapsed() < S, "a wait holds up no stop");
}

/// The answer to a change that takes the last finalizer has the version of the deletion's mark,
/// which the cache shows long before the object is gone from it.
#[tokio::test(start_paused = true)]
async fn removal_of_the_last_finalizer_is_waited_for() {
    for replaces in [false, true] {
        let server = server_with(&[]);
        let held = map("a", "1");
        let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
        cleanup_runs_once(&server, api, held, replaces).await;
        let server = server_with(&[]);
        let metadata = ObjectMeta { name: Some("a".to_owned()), ..ObjectMeta::default() };
        let held = Namespace { metadata, ..Namespace::default() };
        cleanup_runs_once(&server, Api::<Namespace>::all(server.client()), held, replaces).await;
    }
}

/// Frees a deleted object in a reconcile, and checks that no further one sees it.
async fn cleanup_runs_once<K>(server: &ApiServer, api: Api<K>, mut held: K, replaces: bool)
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize,
    K: Send + Sync + 'static,
{
    held.meta_mut().finalizers = Some(vec!["example.com/held".to_owned()]);
    server.create(&held).unwrap();
    let informer = late_informer::<K>(server.client(), || 5 * S);
    let controller = Controller::builder("ending", &informer).build();
    let (cleanups, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let (counted, client) = (cleanups.clone(), tracking_client(server.client()));
    let path = api.resource_url().to_owned();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let (client, cleanups, path) = (client.clone(), counted.clone(), format!("{path}/a"));
        async move {
            let Some(object) = request.object.present() else { return Ok(Action::done()) };
            if object.meta().deletion_timestamp.is_none() {
                return Ok(Action::done());
            }
            cleanups.fetch_add(1, Ordering::Relaxed);
            let (method, kind, body) = if replaces {
                let mut freed = K::clone(&object);
                freed.meta_mut().finalizers = None;
                (Method::PUT, "application/json", serde_json::to_value(freed).unwrap())
            } else {
                let change = json!({ "metadata": { "finalizers": null } });
                (Method::PATCH, "application/merge-patch+json", change)
            };
            let write = Request::builder().method(method).uri(path).header("content-type", kind);
            client.request_text(write.body(body.to_string().into_bytes()).unwrap()).await?;
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    sleep(10 * S).await;
    api.delete("a", &DeleteParams::default()).await.unwrap();
    sleep(60 * S).await;
    assert!(api.get_opt("a").await.unwrap().is_none());
    assert_eq!(cleanups.load(Ordering::Relaxed), 1, "{} {replaces}", K::kind(&()));
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_wait_at_once() {
    let server = server_with(&["a"]);
    let maps = late_informer::<ConfigMap>(server.client(), || 60 * S);
    let controller = Controller::builder("writing", &maps).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let client = tracking_client(server.client());
    let running = spawn(controller.run(stop.clone(), move |_| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        async move {
            api.create(&PostParams::default(), &map("child", "1")).await?;
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    while handle.status().queue.parked == 0 {
        sleep(10 * MS).await;
    }
    let stopped = Instant::now();
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(stopped.elapsed() < S, "{:?}", stopped.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_expectation_does_not_survive_a_restored_backup() {
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    for n in 0..20 {
        source.put(map("a", &n.to_string()));
    }
    let quiet = ReflectorOptions::new().on_error(|_| {});
    let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(quiet));
    let writes = OwnWrites::new(&informer);
    let controller = Controller::builder("restored", &informer)
        .reads_own_writes(&writes)
        .limiter(ExponentialBackoff::new(S, 8 * S))
        .build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, promised, written) = (log.clone(), writes.clone(), source.clone());
    let once = AtomicBool::new(false);
    let running =
        spawn(controller.run(stop.clone(), move |request: ReconcileRequest<ConfigMap>| {
            // A write that will be lost: its version never comes again.
            if !once.swap(true, Ordering::Relaxed) {
                let mut answer = ConfigMap::clone(&written.objects()[&key("a")]);
                answer.metadata.resource_version = Some("1000".into());
                promised.expect_write(&request.key, &answer).unwrap();
            }
            logged.add(request.failures);
            async { Ok::<_, std::io::Error>(Action::requeue_after(S)) }
        }));
    log.reaches(1).await;
    source.restore(10);
    sleep(S).await;
    source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "on purpose")));
    sleep(120 * S).await;
    assert_eq!(informer.snapshot().version(), Some(&10.into()), "the restored state is there");
    let failed = handle.status().failed;
    log.take();
    sleep(600 * S).await;
    assert_eq!(handle.status().failed, failed, "it waits for nothing any more");
    assert!(log.len() > 300);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// The cache still shows the history that the backup lacks. Its versions are higher.
#[tokio::test(start_paused = true)]
async fn write_after_a_restore_waits_for_its_history() {
    for write in ["patch", "lost patch", "create", "delete"] {
        let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
        for n in 0..20 {
            source.put(map("a", &n.to_string()));
        }
        let quiet = ReflectorOptions::new().on_error(|_| {});
        let informer = SharedInformer::new(source.clone(), InformerOptions::new().reflector(quiet));
        let server = source.clone();
        let client = tracking_client(answered_by(move |request| {
            let answer = match *request.method() {
                Method::PATCH => json!(server.put(map("a", "written"))),
                Method::POST => json!(server.put(map("made", "written"))),
                Method::DELETE => {
                    let deleted = server.delete(&key("a")).unwrap();
                    json!({"kind": "Status", "details": {"uid": deleted.metadata.uid}})
                }
                _ => json!({
                    "metadata": {"resourceVersion": server.version().to_string()},
                    "items": server.objects().into_values().collect::<Vec<_>>(),
                }),
            };
            let lost = request.method() == Method::PATCH && write == "lost patch";
            let answered = Response::builder().status(if lost { 504 } else { 200 });
            answered.body(Body::from(answer.to_string().into_bytes())).unwrap()
        }));
        let controller = Controller::builder("restored", &informer).build();
        let (log, stop, maps) = (Log::new(), CancellationToken::new(), informer.clone());
        let (logged, restored) = (log.clone(), source.clone());
        let running = spawn(controller.run(stop.clone(), move |_| {
            let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
            let versions =
                maps.lister().all().into_iter().map(|map| (map.name_any(), map.resource_version()));
            logged.add(versions.collect::<Vec<_>>());
            let (source, first) = (restored.clone(), logged.len() == 1);
            async move {
                if first {
                    source.restore(10);
                    let (post, delete) = (PostParams::default(), DeleteParams::default());
                    match write {
                        "create" => drop(api.create(&post, &map("made", "1")).await?),
                        "delete" => drop(api.delete("a", &delete).await?),
                        _ => drop(
                            api.patch("a", &PatchParams::default(), &Patch::Merge(json!({}))).await,
                        ),
                    }
                }
                Ok::<_, kube::Error>(Action::requeue_after(MS))
            }
        }));
        log.reaches(2).await;
        let wanted =
            source.objects().into_values().map(|map| (map.name_any(), map.resource_version()));
        assert_eq!(log.take()[1], wanted.collect::<Vec<_>>(), "{write}");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_nobody_started_is_started() {
    let server = ApiServer::new();
    let made = server.create(&map("a", "1")).unwrap();
    let factory = factory(&server);
    let secrets = factory.informer::<k8s_openapi::api::core::v1::Secret>();
    let maps = factory.informer::<ConfigMap>();
    let writes = OwnWrites::new(&maps);
    writes.expect_write(&key("s"), &made).unwrap();
    let controller = Controller::builder("other", &secrets).reads_own_writes(&writes).build();
    let Noting { handle, log, stop, running } = Noting::run(controller);
    handle.trigger(key("s"));
    log.reaches(1).await;
    assert!(maps.has_synced());
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A client that loses answers: before the server has the request, or after it did it.
fn losing(server: &ApiServer, random: &Arc<Mutex<fastrand::Rng>>) -> Client {
    let (inner, random) = (server.client(), random.clone());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (inner, random) = (inner.clone(), random.clone());
        async move {
            let writes = !matches!(*request.method(), Method::GET);
            let roll = random.lock().u8(..10);
            if writes && roll == 0 {
                return Err("the connection broke before".into());
            }
            let answer = inner.send(request).await?;
            if writes && roll <= 2 {
                return Err("the connection broke after".into());
            }
            if writes && roll == 3 {
                let lost = Response::builder().status(504).body(Body::empty())?;
                return Ok(lost);
            }
            Ok::<Response<Body>, kube_informer::error::BoxError>(answer)
        }
    });
    Client::new(service, "shop")
}

/// Creates the child of each key where the cache shows none. Returns how often the server had one.
async fn duplicates(seed: u64, tracked: bool) -> usize {
    const KEYS: usize = 3;
    let random = Arc::new(Mutex::new(fastrand::Rng::with_seed(seed)));
    let server = ApiServer::new();
    for n in 0..KEYS {
        server.create(&map(&format!("key-{n}"), "0")).unwrap();
    }
    let late = random.clone();
    let maps = late_informer::<ConfigMap>(server.client(), move || {
        Duration::from_millis(late.lock().u64(..3_000))
    });
    let controller = Controller::builder("children", &maps)
        .predicate(|event| {
            event.object().metadata.name.as_ref().is_some_and(|name| name.starts_with("key-"))
        })
        .limiter(ExponentialBackoff::new(10 * MS, S))
        .concurrency(2)
        .timeout(500 * MS)
        .build();
    let client = losing(&server, &random);
    let client = if tracked { tracking_client(client) } else { client };
    let (lister, stop) = (maps.lister().namespace("shop"), CancellationToken::new());
    let duplicates = Arc::new(AtomicUsize::new(0));
    let counted = duplicates.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        let child = format!("child-of-{}", request.key.name());
        let present = lister.get(&child).is_ok();
        let (counted, hangs) = (counted.clone(), random.lock().u8(..10) == 0);
        async move {
            let written = if present {
                api.delete(&child, &DeleteParams::default()).await.map(drop)
            } else {
                api.create(&PostParams::default(), &map(&child, "1")).await.map(drop)
            };
            if let Err(kube::Error::Api(status)) = &written
                && status.code == 409
            {
                counted.fetch_add(1, Ordering::Relaxed);
            }
            if hangs {
                futures::future::pending::<()>().await;
            }
            written?;
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    sleep(8 * S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    maps.shutdown().await;
    duplicates.load(Ordering::Relaxed)
}

/// Returns the seeds with duplicates. Each has a runtime of its own; half of them run beside the
/// rest.
fn run_seeds(seeds: Range<u64>, tracked: bool) -> BTreeSet<u64> {
    let with_duplicates = |seed: &u64| {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(duplicates(*seed, tracked)) > 0
    };
    let half = seeds.end / 2;
    std::thread::scope(|scope| {
        let first = (seeds.start..half).filter(with_duplicates);
        let first = scope.spawn(|| first.collect::<BTreeSet<_>>());
        let mut found: BTreeSet<u64> = (half..seeds.end).filter(with_duplicates).collect();
        found.extend(first.join().unwrap_or_else(|panic| resume_unwind(panic)));
        found
    })
}

#[test]
fn no_child_is_created_twice() {
    assert_eq!(run_seeds(0..crate::draws::seeds(75), true), BTreeSet::new());
}

#[test]
fn without_tracking_children_are_made_twice() {
    assert!(run_seeds(0..20, false).len() > 5);
}

#[tokio::test(start_paused = true)]
async fn a_spawned_write_counts_with_its_scope() {
    let server = server_with(&["a"]);
    let maps = late_informer::<ConfigMap>(server.client(), || 3 * S);
    let controller = Controller::builder("spawning", &maps)
        .predicate(|event| event.object().metadata.name.as_deref() == Some("a"))
        .build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, client) = (log.clone(), tracking_client(server.client()));
    let lister = maps.lister().namespace("shop");
    let running = spawn(controller.run(stop.clone(), move |request| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        logged.add(lister.get("child").is_ok());
        let writing = request.scope(async move {
            api.create(&PostParams::default(), &map("child", "1")).await.map(drop)
        });
        async move {
            let _conflict = spawn(writing).await;
            Ok::<_, std::io::Error>(Action::requeue_after(MS))
        }
    }));
    log.reaches(2).await;
    assert_eq!(log.take()[..2], [false, true]);
    assert!(handle.status().behind >= 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Their answers do not say what became of the pod.
#[tokio::test(start_paused = true)]
async fn evictions_and_bindings_are_own_writes() {
    for evicts in [true, false] {
        let server = ApiServer::new();
        let pod = json!({
            "metadata": {"name": "a", "namespace": "shop"},
            "spec": {"containers": [{"name": "app", "image": "app:v1"}]},
        });
        server.create(&serde_json::from_value::<Pod>(pod).unwrap()).unwrap();
        let pods = late_informer::<Pod>(server.client(), || 3 * S);
        let controller = Controller::builder("scheduling", &pods).build();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let (logged, client) = (log.clone(), tracking_client(server.client()));
        let running = spawn(controller.run(stop.clone(), move |request| {
            let api = Api::<Pod>::namespaced(client.clone(), "shop");
            let shown = request.object.as_present().is_none_or(|pod| {
                let bound = pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some());
                bound || pod.metadata.deletion_timestamp.is_some()
            });
            logged.add(shown);
            async move {
                if !shown && evicts {
                    api.evict("a", &EvictParams::default()).await?;
                } else if !shown {
                    let binding = json!({
                        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"},
                        "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"},
                    });
                    let params = PostParams::default();
                    let _: Value =
                        api.create_subresource("binding", "a", &params, &binding).await?;
                }
                Ok::<_, kube::Error>(Action::requeue_after(MS))
            }
        }));
        log.reaches(2).await;
        assert_eq!(log.take()[..2], [false, true], "evicts: {evicts}");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_cache_shows_is_not_waited_for() {
    let server = server_with(&["a"]);
    let maps = factory(&server).informer::<ConfigMap>();
    let controller = Controller::builder("elsewhere", &maps).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, client) = (log.clone(), tracking_client(server.client()));
    let running = spawn(controller.run(stop.clone(), move |_| {
        let log = logged.clone();
        let secrets = Api::<k8s_openapi::api::core::v1::Secret>::namespaced(client.clone(), "shop");
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        async move {
            let name = format!("written-{}", log.len());
            log.add(());
            let mut secret = secret_of(&map("a", "1"), &name);
            secret.metadata.owner_references = None;
            secrets.create(&PostParams::default(), &secret).await?;
            let dry = PostParams { dry_run: true, ..PostParams::default() };
            maps.create(&dry, &map("never", "1")).await?;
            // Its options are in the body.
            maps.delete("a", &DeleteParams { dry_run: true, ..DeleteParams::default() }).await?;
            Ok::<_, kube::Error>(Action::requeue_after(MS))
        }
    }));
    log.reaches(5).await;
    assert_eq!(handle.status().behind, 0);
    stop.cancel();
    running.await.unwrap().unwrap();
}

/// Its versions are higher than any of the cluster that the controller follows.
#[tokio::test(start_paused = true)]
async fn write_to_another_cluster_only_delays_its_key() {
    let [here, there] = [ApiServer::new(), ApiServer::new()];
    for number in 0..50 {
        there.create(&map(&format!("map-{number}"), "1")).unwrap();
    }
    here.create(&map("a", "1")).unwrap();
    let maps = factory(&here).informer::<ConfigMap>();
    let controller = Controller::builder("copier", &maps).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, client) = (log.clone(), tracking_client(there.client()));
    let running = spawn(controller.run(stop.clone(), move |request| {
        let api = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        let log = logged.clone();
        async move {
            let Some(map) = request.object.as_present() else { return Ok(Action::done()) };
            let value = map.data.as_ref().unwrap()["value"].clone();
            let copy = json!({"data": {"value": &value}});
            api.patch("map-1", &PatchParams::default(), &Patch::Merge(&copy)).await?;
            log.add(value);
            Ok::<_, kube::Error>(Action::done())
        }
    }));
    log.reaches(1).await;
    for value in ["2", "3"] {
        here.replace(&map("a", value)).unwrap();
        let changed = Instant::now();
        log.reaches(1 + usize::from(value == "3") + 1).await;
        assert!(changed.elapsed() < 20 * S, "{:?}", changed.elapsed());
    }
    assert_eq!(log.take(), ["1", "2", "3"]);
    assert_eq!(handle.status().failed, 0);
    stop.cancel();
    running.await.unwrap().unwrap();
}
