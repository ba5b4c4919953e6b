//! Each way in which an object is assumed, and in which that ends.

use std::time::Duration;

use http::Request;
use k8s_openapi::api::core::v1::{Binding, ConfigMap, ObjectReference, Pod};
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::core::Status;
use kube::{Api, Client, ResourceExt};
use kube_controllers::controller::{AssumeError, AssumedView};
use kube_informer::testing::{ApiServer, BodyPosition, Faults, Injection, Requests};
use kube_informer::{Index, SharedInformer, SharedInformerFactory};
use serde_json::json;
use tokio::time::sleep;

use super::views::{content, key, map};

const S: Duration = Duration::from_secs(1);

/// A cache that sees nothing after its first list, until `lag` is removed.
struct Rig {
    server: ApiServer,
    faults: Faults,
    maps: SharedInformer<ConfigMap>,
    by_content: Index<ConfigMap>,
    view: AssumedView<ConfigMap>,
    api: Api<ConfigMap>,
}

async fn rig(objects: &[(&str, u64)]) -> Rig {
    let (server, faults) = (ApiServer::new(), Faults::new());
    for (name, content) in objects {
        server.create(&map(name, *content)).unwrap();
    }
    faults.inject(Requests::watches(), Injection::stall(BodyPosition::Event(0)));
    let client = faults.client(server.client());
    let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
    let maps = factory.informer::<ConfigMap>();
    let by_content = maps.add_index("n", |map| [content(map).to_string()]).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(60 * S).await.unwrap();
    let view = AssumedView::new(&maps);
    let api = Api::namespaced(view.client(server.client()), "shop");
    Rig { server, faults, maps, by_content, view, api }
}

impl Rig {
    fn read(&self, name: &str) -> Option<u64> {
        self.view.snapshot().get(&key(name)).map(|map| content(&map))
    }

    async fn replace(&self, name: &str, n: u64) -> ConfigMap {
        self.api.replace(name, &PostParams::default(), &map(name, n)).await.unwrap()
    }

    /// Lets the cache see everything.
    async fn catch_up(&self) {
        self.faults.clear();
        self.faults.cut_now();
        self.maps.wait_for(&self.server.revision().into(), 600 * S).await.unwrap();
    }

    fn assumed(&self) -> usize {
        self.view.status().assumed
    }
}

#[tokio::test(start_paused = true)]
async fn answers_are_read_at_once_and_only_here() {
    let rig = rig(&[("a", 1), ("b", 2)]).await;
    rig.api.create(&PostParams::default(), &map("c", 3)).await.unwrap();
    rig.replace("a", 4).await;
    rig.api.delete("b", &DeleteParams::default()).await.unwrap();
    assert_eq!((rig.read("a"), rig.read("b"), rig.read("c")), (Some(4), None, Some(3)));
    let maps = rig.view.snapshot();
    assert_eq!((maps.assumed(), maps.iter().count()), (3, 2));
    assert_eq!(maps.indexed(&rig.by_content, "1").count(), 0);
    assert_eq!(maps.indexed(&rig.by_content, "4").count(), 1);

    let of = |name: &str| rig.maps.lister().namespace("shop").get(name).map(|map| content(&map));
    assert_eq!((of("a").ok(), of("b").ok(), of("c").ok()), (Some(1), Some(2), None));
    assert_eq!((rig.by_content.len("1"), rig.by_content.len("4")), (1, 0));
    rig.catch_up().await;
    assert_eq!((rig.read("a"), rig.read("b"), rig.read("c")), (Some(4), None, Some(3)));
    assert_eq!((rig.assumed(), rig.view.status().expired), (0, 0));
}

/// The change that takes the last finalizer is answered with the version of the deletion's mark.
/// The answer to the deletion, which was made before it, comes after it.
#[tokio::test(start_paused = true)]
async fn late_answer_does_not_bring_an_object_back() {
    let rig = rig(&[]).await;
    let mut held = map("a", 1);
    held.metadata.finalizers = Some(vec!["example.com/held".to_owned()]);
    rig.server.create(&held).unwrap();
    rig.catch_up().await;
    rig.faults.inject(Requests::watches(), Injection::stall(BodyPosition::Event(0)));
    rig.faults.cut_now();
    sleep(60 * S).await;
    let server = rig.server.client();
    let slow = tower::service_fn(move |request: Request<Body>| {
        let server = server.clone();
        async move {
            let answer = server.send(request).await;
            sleep(S).await;
            answer
        }
    });
    let slow = rig.view.client(Client::new(slow, "shop"));
    let slow = Api::<ConfigMap>::namespaced(slow, "shop");
    let deleting = {
        let slow = slow.clone();
        tokio::spawn(async move { slow.delete("a", &DeleteParams::default()).await.map(drop) })
    };
    sleep(S / 2).await;
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    rig.api.patch("a", &PatchParams::default(), &free).await.unwrap();
    assert_eq!(rig.read("a"), None);
    deleting.await.unwrap().unwrap();
    assert_eq!(rig.read("a"), None);

    // The answer to a deletion names no version.
    rig.api.create(&PostParams::default(), &map("a", 2)).await.unwrap();
    let writing = tokio::spawn(async move {
        slow.replace("a", &PostParams::default(), &map("a", 3)).await.map(drop)
    });
    sleep(S / 2).await;
    rig.api.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(rig.read("a"), None);
    writing.await.unwrap().unwrap();
    assert_eq!(rig.read("a"), None);
    rig.catch_up().await;
    assert_eq!((rig.read("a"), rig.assumed(), rig.view.status().expired), (None, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn other_answers_are_not_objects() {
    let rig = rig(&[("a", 1)]).await;
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    rig.api.replace("a", &dry_run, &map("a", 2)).await.unwrap();
    let patch = Patch::Merge(json!({"data": {"n": "3"}}));
    rig.api.patch_metadata("a", &PatchParams::default(), &patch).await.unwrap();
    rig.api.list(&ListParams::default()).await.unwrap();
    assert_eq!((rig.read("a"), rig.assumed()), (Some(1), 0));
}

#[tokio::test(start_paused = true)]
async fn forgotten_object_leaves_the_last_answer() {
    let rig = rig(&[("a", 1)]).await;
    let written = rig.replace("a", 2).await;
    let mut wanted = map("a", 3);
    wanted.metadata = written.metadata;
    rig.view.assume(wanted).unwrap();
    assert_eq!(rig.read("a"), Some(3));
    assert!(rig.view.forget(&key("a")) && !rig.view.forget(&key("a")));
    assert_eq!((rig.read("a"), rig.assumed()), (Some(2), 1));
    rig.view.assume(map("b", 4)).unwrap();
    assert_eq!(rig.read("b"), Some(4));
    assert!(rig.view.forget(&key("b")));
    assert_eq!((rig.read("b"), rig.assumed()), (None, 1));
}

#[tokio::test(start_paused = true)]
async fn write_that_is_never_made_expires_with_a_proof() {
    let rig = rig(&[("a", 1)]).await;
    rig.faults.clear();
    rig.faults.cut_now();
    rig.view.assume(map("b", 2)).unwrap();
    sleep(29 * S).await;
    assert_eq!(rig.read("b"), Some(2));
    // A proof fails while the server refuses lists.
    let refused = rig.faults.inject(Requests::lists(), Injection::status(503));
    sleep(60 * S).await;
    assert_eq!(rig.read("b"), Some(2));
    sleep(60 * S).await;
    assert_eq!((rig.read("b"), rig.view.status().expired), (Some(2), 0));
    refused.remove();
    for _ in 0..120 {
        sleep(S).await;
        rig.read("b");
    }
    assert_eq!((rig.read("b"), rig.assumed(), rig.view.status().expired), (None, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn full_view_refuses_and_skips() {
    let rig = rig(&[("a", 1)]).await;
    let view = AssumedView::new(&rig.maps).limit(1);
    let api: Api<ConfigMap> = Api::namespaced(view.client(rig.server.client()), "shop");
    view.assume(map("b", 2)).unwrap();
    view.assume(map("b", 3)).unwrap();
    let refused = view.assume(map("c", 4)).unwrap_err();
    assert!(matches!(&refused, AssumeError::Full { limit: 1, .. }), "{refused}");
    api.replace("a", &PostParams::default(), &map("a", 5)).await.unwrap();
    assert_eq!((view.status().assumed, view.status().skipped), (1, 1));
    let read = view.snapshot().get(&key("a"));
    assert_eq!(read.map(|map| content(&map)), Some(1));
    assert!(matches!(view.assume(ConfigMap::default()), Err(AssumeError::NoKey(_))));
}

fn pod(node: Option<&str>) -> Pod {
    serde_json::from_value(json!({
        "metadata": {"name": "p", "namespace": "shop"},
        "spec": {"nodeName": node, "containers": [{"name": "c"}]},
    }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn binding_is_assumed_until_the_pod_shows_it() {
    let (server, faults) = (ApiServer::new(), Faults::new());
    server.create(&pod(None)).unwrap();
    let factory = SharedInformerFactory::builder(faults.client(server.client())).build();
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_sync(60 * S).await.unwrap();
    let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = calls.clone();
    let view = AssumedView::new(&pods).shown_when(move |_, stored| {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        assert!(stored.labels().get("panics").is_none(), "a panic counts as false");
        node(stored).is_some()
    });
    let read = || view.snapshot().get(&key("p")).and_then(|pod| node(&pod));
    let mut wanted = pods.snapshot().get(&key("p")).map(|pod| Pod::clone(&pod)).unwrap();
    wanted.spec.get_or_insert_default().node_name = Some("n1".into());
    view.assume(wanted).unwrap();
    assert_eq!(read().as_deref(), Some("n1"));

    // A change by another, of which one makes the function panic.
    let api: Api<Pod> = Api::namespaced(view.client(server.client()), "shop");
    for label in ["seen", "panics"] {
        let mut other = server.client();
        let other: Api<Pod> =
            Api::namespaced(std::mem::replace(&mut other, server.client()), "shop");
        let patch = Patch::Merge(json!({"metadata": {"labels": {"panics": null, label: "x"}}}));
        other.patch("p", &PatchParams::default(), &patch).await.unwrap();
        pods.wait_for(&server.revision().into(), 60 * S).await.unwrap();
        assert_eq!(read().as_deref(), Some("n1"), "{label}");
    }
    assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 2);
    let unlabel = Patch::Merge(json!({"metadata": {"labels": {"panics": null}}}));
    let other: Api<Pod> = Api::namespaced(server.client(), "shop");
    other.patch("p", &PatchParams::default(), &unlabel).await.unwrap();

    faults.inject(Requests::watches(), Injection::stall(BodyPosition::Event(0)));
    faults.cut_now();
    let binding = Binding {
        metadata: ObjectMeta { name: Some("p".into()), ..ObjectMeta::default() },
        target: ObjectReference { name: Some("n1".into()), ..ObjectReference::default() },
    };
    let params = PostParams::default();
    api.create_subresource::<_, Status>("binding", "p", &params, &binding).await.unwrap();
    sleep(S).await;
    assert_eq!((read().as_deref(), view.status().assumed), (Some("n1"), 1));
    faults.clear();
    faults.cut_now();
    pods.wait_for(&server.revision().into(), 600 * S).await.unwrap();
    assert_eq!((read().as_deref(), view.status().assumed), (Some("n1"), 0));
}
