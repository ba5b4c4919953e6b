//! The memory that informers leave when their interests end.

use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use kube_informer::{InformerSpec, SharedInformerFactory};
use serde_json::json;
use tokio::task::yield_now;

use crate::in_use;

const OBJECTS: usize = 20;

/// Returns a client of a server that has always the same objects. It records nothing.
fn client() -> Client {
    let maps: Vec<_> = (0..OBJECTS)
        .map(|n| {
            let metadata = json!({
                "namespace": "shop", "name": format!("map-{n}"), "uid": format!("uid-{n}"),
                "resourceVersion": "7",
            });
            json!({"metadata": metadata, "data": {"payload": "x".repeat(1_000)}})
        })
        .collect();
    let list = json!({
        "apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "7"},
        "items": maps,
    });
    let list = Bytes::from(list.to_string());
    let service = tower::service_fn(move |request: Request<Body>| {
        let watches = request.uri().query().is_some_and(|query| query.contains("watch="));
        let body = if watches {
            StreamBody::new(stream::pending::<Result<_, Infallible>>()).boxed()
        } else {
            Full::new(list.clone()).boxed()
        };
        let answer = Response::builder().header("content-type", "application/json").body(body);
        ready(Ok::<_, Infallible>(answer.unwrap()))
    });
    Client::new(service, "default")
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

async fn cycle(factory: &SharedInformerFactory, tasks_before: usize) {
    let maps = factory.interest(InformerSpec::<ConfigMap>::new()).unwrap();
    let _by_name = maps.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap();
    maps.on_event(|_| {}).unwrap();
    factory.start().unwrap();
    maps.wait_for_sync(Duration::from_secs(30)).await.unwrap();
    assert_eq!(maps.lister().len(), OBJECTS);
    drop(maps);
    while tasks() > tasks_before {
        yield_now().await;
    }
}

pub(crate) fn thousand_interests_leave_no_memory() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let factory = SharedInformerFactory::builder(client()).build();
        let tasks = tasks();
        // Handles of metrics that wait for a recorder are pruned a thousand at a time, so only the
        // lowest points tell.
        let lowest = async |cycles: usize| {
            let mut lowest = usize::MAX;
            for _ in 0..cycles {
                cycle(&factory, tasks).await;
                lowest = lowest.min(in_use());
            }
            lowest
        };
        lowest(300).await;
        let before = lowest(300).await;
        lowest(1_000).await;
        let more = lowest(300).await.saturating_sub(before);
        println!("a thousand interests leave {more} bytes");
        assert!(more < 10_000, "a thousand interests leave {more} bytes");
    });
}
