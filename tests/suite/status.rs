//! The status of a factory: one serialisable snapshot.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Node, Secret};
use kube_informer::factory::FactoryStatus;
use kube_informer::reflector::ReflectorState;
use kube_informer::testing::ApiServer;
use kube_informer::{HandlerOptions, InformerSpec, SharedInformerFactory};
use serde_json::{Value, json};

use crate::helpers::{factory, forbid, metadata};

const SOON: Duration = Duration::from_secs(30);

fn secret(name: &str) -> Secret {
    let data = [("password".into(), ByteString(b"hunter2".to_vec()))].into();
    Secret { metadata: metadata("shop", name), data: Some(data), ..Secret::default() }
}

/// The status with every duration replaced, once it is seen to be one.
fn without_times(mut status: Value) -> Value {
    fn replace(at: &mut Value, null: bool) {
        let seconds = at.as_f64();
        assert!(seconds.is_some_and(|s| s >= 0.0) || (null && at.is_null()), "{at}");
        if seconds.is_some() {
            *at = "seconds".into();
        }
    }
    for informer in status["informers"].as_array_mut().unwrap() {
        replace(&mut informer["freshness"], true);
        let reflector = &mut informer["reflector"];
        replace(&mut reflector["freshness"], true);
        replace(&mut reflector["state_age"], false);
        replace(&mut reflector["last_event"], true);
        if let Some(delay) = reflector["state"].get_mut("delay") {
            replace(delay, false);
        }
        if let Some(ago) = reflector["last_error"].get_mut("ago") {
            replace(ago, false);
        }
        for handler in informer["handlers"].as_array_mut().unwrap() {
            replace(&mut handler["lag"], false);
            replace(&mut handler["call_time"], false);
        }
    }
    status
}

#[expect(clippy::too_many_lines, reason = "the whole of a status")]
#[tokio::test(start_paused = true)]
async fn the_status_serialises_to_this() {
    let server = ApiServer::new();
    forbid(&server, "nodes");
    server.create(&secret("db")).unwrap();
    let factory =
        SharedInformerFactory::builder(server.client()).name("replicator").on_error(|_| {}).build();
    let _nodes = factory.informer_with(InformerSpec::<Node>::new().name("topology")).unwrap();
    let secrets = factory.informer_with(InformerSpec::<Secret>::new().namespace("shop")).unwrap();
    let audit = HandlerOptions::new().name("audit");
    let handler = secrets.add_handler_with(Nothing, audit).unwrap();
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert!(handler.wait_for_sync().await);
    assert!(factory.wait_for_sync(Duration::from_secs(1)).await.is_err());
    let status = factory.status();
    assert!(!status.synced());
    let text = serde_json::to_string(&status).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("aHVudGVyMg"), "no contents: {text}");
    let mut shape = without_times(serde_json::from_str(&text).unwrap());
    let nodes = &mut shape["informers"][1]["reflector"];
    let counts = [nodes["errors"].take(), nodes["lists"].take()];
    let packed = shape["informers"][0]["storage"]["bytes"].take();
    for count in counts.into_iter().chain([packed]) {
        assert!(count.as_u64().is_some_and(|count| count >= 1), "{count}");
    }
    assert_eq!(
        shape,
        json!({ "informers": [
            {
                "name": "replicator",
                "collection": { "resource": "secrets", "kind": "Secret", "namespace": "shop" },
                "synced": true,
                "objects": 1,
                "stale": 0,
                "unreadable": 0,
                "version": "2",
                "freshness": "seconds",
                "queued": 0,
                "index_faults": 0,
                "storage": {
                    "objects": 1,
                    "bytes": null,
                    "hot_objects": 0,
                    "hot_bytes": 0,
                    "hot_limit": 67_108_864,
                    "over_limit": 0,
                    "hits": 0,
                    "large_lists": 0,
                    "misses": 1,
                    "kept_decoded": 0,
                    "unreadable": 0,
                    "refused": null,
                    "views": []
                },
                "reflector": {
                    "state": { "doing": "watching" },
                    "state_age": "seconds",
                    "version": "2",
                    "last_event": "seconds",
                    "freshness": "seconds",
                    "last_error": null,
                    "errors": 0,
                    "clamped_objects": 0,
                    "relists": {},
                    "lists": 1,
                    "probes": 0,
                    "watches": 1,
                    "watch_failures": 0,
                    "watch_refused": null,
                    "short_watches": 0
                },
                "handlers": [{
                    "name": "audit",
                    "synced": true,
                    "backlog": 0,
                    "lag": "seconds",
                    "call_time": "seconds",
                    "delivered": 1,
                    "objects": 1,
                    "merged": 0,
                    "cancelled": 0,
                    "panics": 0
                }]
            },
            {
                "name": "topology",
                "collection": { "resource": "nodes", "kind": "Node", "namespace": null },
                "synced": false,
                "objects": 0,
                "stale": 0,
                "unreadable": 0,
                "version": null,
                "freshness": null,
                "queued": 0,
                "index_faults": 0,
                "storage": {
                    "objects": 0,
                    "bytes": 0,
                    "hot_objects": 0,
                    "hot_bytes": 0,
                    "hot_limit": 67_108_864,
                    "over_limit": 0,
                    "hits": 0,
                    "large_lists": 0,
                    "misses": 0,
                    "kept_decoded": 0,
                    "unreadable": 0,
                    "refused": null,
                    "views": []
                },
                "reflector": {
                    "state": { "doing": "waiting", "delay": "seconds" },
                    "state_age": "seconds",
                    "version": null,
                    "last_event": null,
                    "freshness": null,
                    "last_error": {
                        "error": {
                            "verb": "list",
                            "resource": "nodes",
                            "namespace": null,
                            "class": "forbidden",
                            "code": 403,
                            "message": "list nodes: 403 Forbidden: nodes is forbidden"
                        },
                        "ago": "seconds"
                    },
                    "errors": null,
                    "clamped_objects": 0,
                    "relists": {},
                    "lists": null,
                    "probes": 0,
                    "watches": 0,
                    "watch_failures": 0,
                    "watch_refused": null,
                    "short_watches": 0
                },
                "handlers": []
            }
        ] })
    );
    factory.shutdown().await;
    let stopped = serde_json::to_value(factory.status()).unwrap();
    assert_eq!(stopped["informers"][0]["reflector"]["state"], json!({ "doing": "stopped" }));
    assert_eq!(stopped["informers"][0]["objects"], 1, "the store stays as it was");
}

struct Nothing;

impl kube_informer::EventHandler<Secret> for Nothing {}

#[tokio::test(start_paused = true)]
async fn an_empty_factory_has_a_status_too() {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    let status: FactoryStatus = factory.status();
    assert!(status.synced());
    assert_eq!(serde_json::to_value(status).unwrap(), json!({ "informers": [] }));
}

#[tokio::test(start_paused = true)]
async fn informers_return_spread_after_an_outage() {
    let server = ApiServer::new();
    server.intercept(|_| {
        let answer = http::Response::builder().status(500);
        Some(answer.body("down".into()).unwrap())
    });
    let factory = factory(&server);
    for namespace in ["a", "b", "c", "d"] {
        factory.informer_with(InformerSpec::<Secret>::new().namespace(namespace)).unwrap();
    }
    factory.start().unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let waits = factory.status().informers.into_iter().map(|informer| informer.reflector.state);
    let waits: BTreeSet<Duration> = waits
        .map(|state| match state {
            ReflectorState::Waiting(delay) => delay,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(waits.len(), 4, "{waits:?}");
    factory.shutdown().await;
}
