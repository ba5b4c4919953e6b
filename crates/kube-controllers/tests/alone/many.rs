//! The tasks, bytes and requests of informers that have nothing to do, by the thousand.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use kube_controllers::{Action, Controller};
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::in_use;

const MANY: usize = 200;

/// Returns a client of a server without objects, whose watches end when they have lasted as long as
/// was requested. It counts the requests.
fn client(requests: &Arc<AtomicUsize>) -> Client {
    let list = r#"{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"7"},"items":[]}"#;
    let requests = requests.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        requests.fetch_add(1, Ordering::Relaxed);
        let query = request.uri().query().unwrap_or_default();
        let lasts = query.split('&').find_map(|part| part.strip_prefix("timeoutSeconds="));
        let lasts = lasts.filter(|_| query.contains("watch="));
        let body = match lasts {
            Some(seconds) => {
                let end = Box::pin(sleep(Duration::from_secs(seconds.parse().unwrap())));
                StreamBody::new(stream::unfold(end, |end| async {
                    end.await;
                    None::<(Result<_, Infallible>, _)>
                }))
                .boxed_unsync()
            }
            None => Full::new(Bytes::from(list)).boxed_unsync(),
        };
        let answer = Response::builder().header("content-type", "application/json").body(body);
        ready(Ok::<_, Infallible>(answer.unwrap()))
    });
    Client::new(service, "default")
}

/// The cost of one of many.
#[derive(Debug)]
struct Cost {
    tasks: usize,
    bytes: usize,
    requests_an_hour: usize,
}

/// Measures what `make` makes, until it is dropped.
async fn cost<T>(what: &str, requests: &Arc<AtomicUsize>, make: impl AsyncFnOnce() -> T) -> Cost {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let (tasks_before, bytes_before) = (tasks(), in_use());
    let all = make().await;
    // The watches are open, and nothing is on its way.
    sleep(Duration::from_secs(60)).await;
    let (tasks, bytes) = (tasks() - tasks_before, in_use() - bytes_before);
    let before = requests.load(Ordering::Relaxed);
    sleep(Duration::from_secs(2 * 3_600)).await;
    let requests = requests.load(Ordering::Relaxed) - before;
    drop(all);
    sleep(Duration::from_secs(60)).await;
    let cost = Cost {
        tasks: tasks / MANY,
        bytes: bytes / MANY,
        requests_an_hour: requests.div_ceil(2 * MANY),
    };
    println!("{what}: {cost:?}");
    cost
}

fn namespaces(factory: &SharedInformerFactory) -> Vec<SharedInformer<ConfigMap>> {
    let specs = (0..MANY).map(|number| InformerSpec::new().namespace(format!("tenant-{number}")));
    specs.map(|spec| factory.informer_with::<ConfigMap>(spec).unwrap()).collect()
}

pub(crate) fn thousand_idle_informers_cost_little() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let requests = Arc::new(AtomicUsize::new(0));
        let idle = cost("a namespace", &requests, async || {
            let factory = SharedInformerFactory::builder(client(&requests)).build();
            let informers = namespaces(&factory);
            factory.start().unwrap();
            factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
            (factory, informers)
        })
        .await;
        let unstarted = cost("a namespace, not started", &requests, async || {
            let factory = SharedInformerFactory::builder(client(&requests)).build();
            let informers = namespaces(&factory);
            (factory, informers)
        })
        .await;
        let handled = cost("a namespace with a handler", &requests, async || {
            let factory = SharedInformerFactory::builder(client(&requests)).build();
            for informer in namespaces(&factory) {
                informer.on_event(|_| ()).unwrap();
            }
            factory.start().unwrap();
            factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
            factory
        })
        .await;
        let cluster = cost("a cluster's factory with a controller", &requests, async || {
            let mut running = tokio::task::JoinSet::new();
            for number in 0..MANY {
                let factory = SharedInformerFactory::builder(client(&requests)).build();
                let maps = factory.informer::<ConfigMap>();
                let controller = Controller::builder(format!("maps-{number}"), &maps).build();
                let run = controller.run(CancellationToken::new(), |_| async {
                    Ok::<_, Infallible>(Action::done())
                });
                running.spawn(async move {
                    let _factory = factory;
                    run.await
                });
            }
            running
        })
        .await;
        // Bytes are those of a build without optimisation.
        assert!(unstarted.tasks == 0 && unstarted.bytes < 25_000, "{unstarted:?}");
        assert!(idle.tasks == 3 && idle.bytes < 54_000 && idle.requests_an_hour <= 9, "{idle:?}");
        assert!(handled.tasks == 4 && handled.bytes < 54_000, "{handled:?}");
        assert!(cluster.tasks == 7 && cluster.bytes < 92_000, "{cluster:?}");
    });
}
