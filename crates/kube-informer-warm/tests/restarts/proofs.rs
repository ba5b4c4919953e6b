//! Servers that prove kept objects late, or not at all.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;
use kube_informer::InformerSpec;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer_warm::WarmCache;
use tokio::time::Instant;

use crate::world::{LIMIT, Run, Scope, Scratch, is_question, lists, map};

const EVERYTHING: Scope = Scope::Everything;

fn cache(scratch: &Scratch) -> WarmCache {
    WarmCache::open(scratch.path()).unwrap().cluster("the cluster")
}

/// Keeps this number of objects, and moves the version by an object of another kind.
async fn kept(name: &str, maps: u64) -> (ApiServer, Scratch) {
    let server = ApiServer::builder().bookmark_interval(Duration::from_secs(1)).build();
    for n in 0..maps {
        server.create(&map("shop", &format!("map-{n}"), n)).unwrap();
    }
    let scratch = Scratch::new(name);
    Run::synced(&server, scratch.path(), EVERYTHING).await.shutdown().await;
    move_version(&server);
    (server, scratch)
}

fn move_version(server: &ApiServer) {
    server.create(&Secret { metadata: map("shop", "a", 0).metadata, ..Secret::default() }).unwrap();
}

/// Returns a client of a server whose watches do not end in the requested time.
fn client_of_endless_watches(server: &ApiServer) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let target = request.uri().to_string().replace("timeoutSeconds=3", "timeoutSeconds=3000");
        *request.uri_mut() = target.parse().unwrap();
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.handle(request).await) }
    });
    Client::new(service, "default")
}

#[tokio::test(start_paused = true)]
async fn bookmarks_that_never_reach_the_present_end_the_wait() {
    let (server, scratch) = kept("no-end", 600).await;
    let present = server.revision() + 50;
    server.intercept(move |request| {
        let version = present.to_string();
        let metadata = serde_json::json!({ "resourceVersion": version });
        let answer = serde_json::json!({
            "kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": [],
        });
        let response = Response::builder().header("content-type", "application/json");
        let answer = Bytes::from(answer.to_string());
        (is_question(request) && !request.watch).then(|| response.body(answer).unwrap())
    });
    let (before, began) = (server.requests().len(), Instant::now());
    let client = client_of_endless_watches(&server);
    let run = Run::of_client(client, cache(&scratch), EVERYTHING.spec());
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    run.settle(&server, EVERYTHING).await;
    // The list of metadata.
    assert_eq!(lists(&server, before, "/configmaps"), 1);
    run.shutdown().await;
}

/// A list of everything would be one request more, and a large one.
#[tokio::test(start_paused = true)]
async fn server_with_too_many_requests_is_asked_again_when_it_wants() {
    for (refused, listed) in [(3, 0), (20, 1)] {
        let (server, scratch) = kept("throttled", 600).await;
        let faults = Faults::new();
        for requests in [Requests::watches(), Requests::lists().to("limit=1")] {
            let throttle = Injection::throttle(Some(Duration::from_secs(2)));
            faults.inject(requests.times(refused), throttle);
        }
        let before = server.requests().len();
        let client = faults.client(server.client());
        let run = Run::of_client(client, cache(&scratch), EVERYTHING.spec());
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        assert_eq!(lists(&server, before, "/configmaps"), listed, "{refused} times");
        run.settle(&server, EVERYTHING).await;
        run.shutdown().await;
    }
}

/// A list of any version may be older than the kept objects, so it tells of no delete.
#[tokio::test(start_paused = true)]
async fn first_list_of_any_version_is_as_new_as_the_kept_objects() {
    let (server, scratch) = kept("any-version", 20).await;
    let lagging = Faults::new();
    lagging.remember_lists();
    let run = async |moves: &dyn Fn()| {
        let spec = InformerSpec::<ConfigMap>::new().any_version(true);
        let run = Run::of_client(lagging.client(server.client()), cache(&scratch), spec);
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run.settle(&server, EVERYTHING).await;
        moves();
        run.settle(&server, EVERYTHING).await;
        let gone = run.told.lock().gone.clone();
        run.shutdown().await;
        assert_eq!(gone, []);
    };
    run(&|| drop(server.create(&map("shop", "new", 7)).unwrap())).await;
    server.delete(&Secret { metadata: map("shop", "a", 0).metadata, ..Secret::default() }).unwrap();
    lagging.inject(Requests::lists().to("resourceVersion=0"), Injection::stale());
    run(&|| ()).await;
}
