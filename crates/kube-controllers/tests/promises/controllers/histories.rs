//! No key runs on a cache that is older than its writes, although versions start over or an answer
//! names no version.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Method, Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Client, ResourceExt};
use kube_controllers::controller::{OwnWrites, tracking_client};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::SharedInformer;
use kube_informer::testing::FakeSource;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

type Source = Arc<FakeSource<ConfigMap>>;

/// The names and values of all maps.
type Maps = Vec<(String, String)>;

fn contents(maps: impl IntoIterator<Item = Arc<ConfigMap>>) -> Maps {
    let value = |map: &ConfigMap| map.data.as_ref().unwrap()["value"].clone();
    let mut all: Maps = maps.into_iter().map(|map| (map.name_any(), value(&map))).collect();
    all.sort();
    all
}

/// A source with one old object, and another one that changes often.
fn busy() -> Source {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    source.put(map("a", "1"));
    for n in 0..20 {
        source.put(map("other", &n.to_string()));
    }
    source
}

/// A client of the source. `write` makes the writes; without an answer, the answer is lost.
fn writing(
    source: &Source,
    write: impl Fn(Method, Source) -> BoxFuture<'static, Option<Value>> + Send + Sync + 'static,
) -> Api<ConfigMap> {
    let (source, write) = (source.clone(), Arc::new(write));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (source, write, method) = (source.clone(), write.clone(), request.method().clone());
        async move {
            let answer = if method == Method::GET {
                let items: Vec<_> = source.objects().into_values().collect();
                let version = source.version().to_string();
                Some(json!({"metadata": {"resourceVersion": version}, "items": items}))
            } else {
                write(method, source).await
            };
            let status = if answer.is_some() { 200 } else { 504 };
            let body = answer.map_or_else(String::new, |answer| answer.to_string());
            let response = Response::builder().status(status).body(Body::from(body.into_bytes()));
            Ok::<_, Infallible>(response.unwrap())
        }
    });
    Api::namespaced(tracking_client(Client::new(service, "shop")), "shop")
}

fn deleted(source: &Source, name: &str) -> Value {
    let uid = &source.delete(&key(name)).unwrap().metadata.uid;
    json!({"kind": "Status", "status": "Success", "details": {"uid": uid}})
}

/// Runs a key until `write`, which its first run awaits, is done and a later run has begun. Returns
/// what that run saw, and what the server had.
async fn second_run(
    source: &Source,
    write: impl Future<Output = ()> + Send + 'static,
) -> [Maps; 2] {
    second_run_behind(source, S, write).await
}

/// Does so with a cache that is so far behind.
async fn second_run_behind(
    source: &Source,
    late: Duration,
    write: impl Future<Output = ()> + Send + 'static,
) -> [Maps; 2] {
    let informer = informer_of(&LateWatches::new(source, move || late));
    let controller = Controller::builder("writing", &informer).predicate(|_| false).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, maps, first) = (log.clone(), informer.lister(), Mutex::new(Some(write.boxed())));
    let running = spawn(controller.run(stop.clone(), move |request| {
        // A deletion leads to a run of the deleted object's key.
        let is_a = request.key == key("a");
        if is_a {
            logged.add(contents(maps.all()));
        }
        let write = first.lock().take().filter(|_| is_a);
        async move {
            if !is_a {
                return Ok(Action::done());
            }
            if let Some(write) = write {
                write.await;
            }
            Ok::<_, Infallible>(Action::requeue_after(MS))
        }
    }));
    sleep(10 * MS).await;
    handle.trigger(key("a"));
    log.reaches(2).await;
    let truth = contents(source.objects().into_values());
    stop.cancel();
    running.await.unwrap().unwrap();
    [log.take().remove(1), truth]
}

/// The cache has reached the answer's version, but in the history that the backup lacks.
#[tokio::test(start_paused = true)]
async fn answer_of_a_restored_history_is_not_shown_by_the_lost_one() {
    for (write, back) in [("patch", 10), ("create", 10), ("lost", 10), ("create", 20)] {
        let source = busy();
        let api = writing(&source, move |method, source| {
            let name = if method == Method::PATCH { "a" } else { "made" };
            let written = source.put(map(name, "written"));
            async move { (write != "lost").then(|| json!(written)) }.boxed()
        });
        let restored = source.clone();
        let [saw, truth] = second_run(&source, async move {
            restored.restore(back);
            if write == "patch" {
                let patch = Patch::Merge(json!({}));
                api.patch("a", &PatchParams::default(), &patch).await.unwrap();
            } else {
                api.create(&PostParams::default(), &map("made", "1")).await.ok();
            }
        })
        .await;
        assert_eq!(saw, truth, "{write} after a restore to {back}");
    }
}

/// The cache goes on in the lost history while the request is on its way.
#[tokio::test(start_paused = true)]
async fn restore_during_a_request_is_noticed() {
    let source = busy();
    let api = writing(&source, |_, source| {
        async move {
            source.put(map("other", "late"));
            source.put(map("other", "later"));
            sleep(1_500 * MS).await;
            source.restore(21);
            Some(json!(source.put(map("a", "written"))))
        }
        .boxed()
    });
    let [saw, truth] = second_run(&source, async move {
        api.patch("a", &PatchParams::default(), &Patch::Merge(json!({}))).await.unwrap();
    })
    .await;
    assert_eq!(saw, truth);
}

/// The cache reaches the write's version only after the answer, and in the lost history.
#[tokio::test(start_paused = true)]
async fn restore_that_the_cache_shows_no_trace_of_is_noticed() {
    for (write, is_lost) in [("patch", false), ("patch", true), ("delete", true)] {
        let source = busy();
        let api = writing(&source, move |method, source| {
            let written = match method {
                Method::DELETE => source.delete(&key("a")).unwrap(),
                _ => source.put(map("a", "written")),
            };
            async move { (!is_lost).then(|| json!(written)) }.boxed()
        });
        let server = source.clone();
        let [saw, truth] = second_run(&source, async move {
            let version = server.version();
            server.put(map("other", "lost"));
            // The watch brings it later.
            sleep(MS).await;
            server.restore(version);
            if write == "patch" {
                let patch = Patch::Merge(json!({}));
                api.patch("a", &PatchParams::default(), &patch).await.ok();
            } else {
                api.delete("a", &DeleteParams::default()).await.ok();
            }
            server.put(map("other", "later"));
        })
        .await;
        assert_eq!(saw, truth, "{write}, whose answer is lost: {is_lost}");
    }
}

/// The answer to an earlier patch, which changed nothing, comes after that of the deletion.
#[tokio::test(start_paused = true)]
async fn late_answer_does_not_hide_a_deletion() {
    let source = busy();
    let api = writing(&source, |method, source| {
        async move {
            if method == Method::DELETE {
                return Some(deleted(&source, "a"));
            }
            let unchanged = json!(source.objects()[&key("a")]);
            sleep(300 * MS).await;
            Some(unchanged)
        }
        .boxed()
    });
    let [saw, truth] = second_run(&source, async move {
        let (params, patch) = (PatchParams::default(), Patch::Merge(json!({})));
        let deleting = async {
            sleep(MS).await;
            api.delete("a", &DeleteParams::default()).await
        };
        let (patched, deleted) = tokio::join!(api.patch("a", &params, &patch), deleting);
        patched.unwrap();
        deleted.unwrap();
    })
    .await;
    assert_eq!(saw, truth);
}

/// The answer names only the uid, and the cache has not shown the object of that uid.
#[tokio::test(start_paused = true)]
async fn deletion_of_an_unseen_object_is_awaited() {
    for shows_older in [true, false] {
        let source = busy();
        let api = writing(&source, |_, source| async move { Some(deleted(&source, "b")) }.boxed());
        if shows_older {
            source.put(map("b", "older"));
        }
        let other = source.clone();
        let [saw, truth] = second_run(&source, async move {
            other.delete(&key("b"));
            other.put(map("b", "unseen"));
            sleep(300 * MS).await;
            api.delete("b", &DeleteParams::default()).await.unwrap();
        })
        .await;
        assert_eq!(saw, truth, "the cache shows an older object: {shows_older}");
    }
}

/// The cache reaches the version of the proof in the lost history, or the watch goes on from a
/// version that the new one has passed.
#[tokio::test(start_paused = true)]
async fn version_of_a_lost_history_proves_nothing() {
    // The cache is behind for longer than the key waits for it.
    for (write, late, later) in [("patch", 12 * S, 0), ("delete", 12 * S, 0), ("delete", S, 10)] {
        let source = busy();
        let api = writing(&source, |method, source| {
            let answer = match method {
                Method::DELETE => deleted(&source, "a"),
                _ => json!(source.put(map("a", "written"))),
            };
            async move { Some(answer) }.boxed()
        });
        let server = source.clone();
        let put_others = |server: &Source, count: usize| {
            for n in 0..count {
                server.put(map("other", &n.to_string()));
            }
        };
        let [saw, truth] = second_run_behind(&source, late, async move {
            put_others(&server, 10);
            // The watch brings them later.
            sleep(MS).await;
            server.restore(22);
            if write == "patch" {
                let patch = Patch::Merge(json!({}));
                api.patch("a", &PatchParams::default(), &patch).await.unwrap();
            } else {
                api.delete("a", &DeleteParams::default()).await.unwrap();
            }
            put_others(&server, later);
        })
        .await;
        assert_eq!(saw, truth, "{write} by a cache that is {late:?} behind");
    }
}

/// The cache does not show the object before it shows that it is gone.
#[tokio::test(start_paused = true)]
async fn unseen_object_appears_in_no_later_run() {
    let source = busy();
    let api = writing(&source, |_, source| async move { Some(deleted(&source, "b")) }.boxed());
    let informer = informer_of(&LateWatches::new(&source, || S));
    let controller = Controller::builder("writing", &informer).predicate(|_| false).build();
    let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
    let (logged, maps, made) = (log.clone(), informer.lister(), source.clone());
    let running = spawn(controller.run(stop.clone(), move |_| {
        logged.add(maps.namespace("shop").get("b").is_ok());
        let (source, api, first) = (made.clone(), api.clone(), logged.len() == 1);
        async move {
            if first {
                source.put(map("b", "1"));
                sleep(300 * MS).await;
                drop(api.delete("b", &DeleteParams::default()).await?);
            }
            Ok::<_, kube::Error>(Action::requeue_after(50 * MS))
        }
    }));
    sleep(10 * MS).await;
    handle.trigger(key("a"));
    sleep(15 * S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    let saw = log.take();
    assert!(saw.len() > 10 && !saw.contains(&true), "{saw:?}");
}

/// Two writes of one reconcile to one name: the cache must show both.
#[tokio::test(start_paused = true)]
async fn object_made_again_shows_its_deletion() {
    let source = busy();
    let api = writing(&source, |method, source| {
        async move {
            Some(match method {
                Method::DELETE => deleted(&source, "a"),
                _ => json!(source.put(map("a", "made again"))),
            })
        }
        .boxed()
    });
    let began = Instant::now();
    let [saw, truth] = second_run(&source, async move {
        api.delete("a", &DeleteParams::default()).await.unwrap();
        api.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    })
    .await;
    assert_eq!(saw, truth);
    assert!(began.elapsed() < 2 * S, "no proof is needed: {:?}", began.elapsed());
}

/// The store's history before a recorded write is unknown.
#[tokio::test(start_paused = true)]
async fn recorded_write_after_a_restore_is_awaited() {
    for write in ["patch", "create", "delete"] {
        let source = busy();
        for n in 0..5 {
            source.put(map("a", &n.to_string()));
        }
        let informer: SharedInformer<ConfigMap> = informer_of(&source);
        let writes = OwnWrites::new(&informer);
        let controller = Controller::builder("writing", &informer).reads_own_writes(&writes);
        let of_a = |name: &Option<String>| name.as_deref() == Some("a");
        let controller =
            controller.predicate(move |event| of_a(&event.object().metadata.name)).build();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let (logged, maps, server) = (log.clone(), informer.lister(), source.clone());
        let (recorded, wrote) = (writes.clone(), AtomicBool::new(false));
        let running = spawn(controller.run(stop.clone(), move |request: ReconcileRequest<_>| {
            logged.add(contents(maps.all()));
            if !wrote.swap(true, Ordering::Relaxed) {
                server.restore(22);
                let of = &request.key;
                match write {
                    "patch" => recorded.expect_write(of, &server.put(map("a", "written"))),
                    "create" => recorded.expect_write(of, &server.put(map("made", "1"))),
                    _ => recorded.expect_delete(of, &server.delete(&key("a")).unwrap()),
                }
                .unwrap();
            }
            async { Ok::<_, Infallible>(Action::requeue_after(MS)) }
        }));
        log.reaches(2).await;
        let truth = contents(source.objects().into_values());
        assert_eq!(log.take()[1], truth, "{write}");

        // Without a controller, the wait returns only then, too.
        let owner = key("owner");
        source.restore(22);
        writes.expect_write(&owner, &source.put(map("new", "1"))).unwrap();
        writes.wait_observed(&owner, 30 * S).await.unwrap();
        assert!(informer.lister().namespace("shop").get("new").is_ok());
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

/// The backup lacks the write, and nothing is written after it.
#[tokio::test(start_paused = true)]
async fn recorded_write_that_a_restore_loses_is_given_up() {
    let source = busy();
    let informer: SharedInformer<ConfigMap> = informer_of(&source);
    informer.start().unwrap();
    informer.wait_for_sync(S).await.unwrap();
    let (writes, owner, version) = (OwnWrites::new(&informer), key("owner"), source.version());
    writes.expect_write(&owner, &source.put(map("made", "1"))).unwrap();
    source.restore(version);
    writes.wait_observed(&owner, 15 * S).await.unwrap();
    assert_eq!(format!("{writes:?}"), "OwnWrites { not_seen: 0, .. }");
    informer.shutdown().await;
}
