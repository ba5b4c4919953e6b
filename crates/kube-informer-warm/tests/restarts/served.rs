//! Kinds that are not always served, or in another version.

use std::sync::Arc;
use std::time::Duration;

use kube::api::DynamicObject;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::definitions::{create, definition, delete, serve, widgets};
use crate::world::{LIMIT, Scratch, lists};

const MINUTE: Duration = Duration::from_secs(60);

/// A run of a program that follows a kind, in whichever version is served.
struct Run {
    factory: SharedInformerFactory,
    informer: SharedInformer<DynamicObject>,
    deleted: Arc<Mutex<Vec<String>>>,
    /// The number of requests before it.
    before: usize,
}

impl Run {
    fn start(server: &ApiServer, scratch: &Scratch) -> Self {
        let before = server.requests().len();
        let cache = WarmCache::open(scratch.path()).unwrap().cluster("the cluster");
        let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
        let spec = InformerSpec::new().when_served().trust_versions(true);
        let informer = factory.dynamic_with(&widgets("v1beta1"), spec).unwrap();
        let deleted = Arc::<Mutex<Vec<_>>>::default();
        let tell = deleted.clone();
        let telling = informer.on_event(move |event| {
            if let Event::Deleted { object, .. } = event {
                tell.lock().push(object.metadata.name.clone().unwrap());
            }
        });
        telling.unwrap();
        factory.start().unwrap();
        Self { factory, informer, deleted, before }
    }

    async fn synced(server: &ApiServer, scratch: &Scratch) -> Self {
        let run = Self::start(server, scratch);
        run.informer.wait_for_sync(LIMIT).await.unwrap();
        run
    }

    /// Returns the number of whole lists, and the version of the stored objects.
    fn figures(&self, server: &ApiServer) -> (usize, Option<String>) {
        let versions = self.informer.snapshot();
        let version = versions.iter().next().and_then(|(_, object)| object.types.clone());
        let lists = lists(server, self.before, "/widgets");
        (lists, version.map(|types| types.api_version))
    }

    async fn shutdown(self) {
        self.factory.shutdown().await;
    }
}

async fn server_with_widgets(versions: &[(&str, bool)]) -> ApiServer {
    let server = ApiServer::new();
    server.create(&definition(versions)).unwrap();
    for name in ["a", "b", "c"] {
        create(&server, &widgets("v1"), name).await;
    }
    server
}

#[tokio::test(start_paused = true)]
async fn kind_that_is_served_late_finds_its_kept_objects() {
    let server = server_with_widgets(&[("v1beta1", true), ("v1", true)]).await;
    let scratch = Scratch::new("served-late");
    Run::synced(&server, &scratch).await.shutdown().await;
    delete(&server, &widgets("v1"), "a").await;
    serve(&server, &[("v1beta1", false), ("v1", false)]).await;
    let run = Run::start(&server, &scratch);
    sleep(MINUTE).await;
    assert!(!run.informer.has_synced() && run.informer.provisional().is_none());
    serve(&server, &[("v1beta1", true), ("v1", true)]).await;
    run.informer.wait_for_sync(LIMIT).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(*run.deleted.lock(), ["a"]);
    // The watch shows the delete, and not the version of the definition.
    assert_eq!(run.figures(&server), (1, Some("example.com/v1beta1".into())));
    run.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn moved_kind_is_kept_in_each_version() {
    let server = server_with_widgets(&[("v1beta1", true), ("v1", true)]).await;
    let scratch = Scratch::new("moved-kind");
    let run = Run::synced(&server, &scratch).await;
    sleep(MINUTE).await;
    serve(&server, &[("v1beta1", false), ("v1", true)]).await;
    sleep(MINUTE).await;
    assert_eq!(run.figures(&server), (2, Some("example.com/v1".into())));
    run.shutdown().await;
    // The table of the new version has nothing of a kind that moved while it ran.
    let run = Run::synced(&server, &scratch).await;
    assert_eq!(run.figures(&server), (1, Some("example.com/v1".into())));
    run.shutdown().await;
    let run = Run::synced(&server, &scratch).await;
    assert_eq!(run.figures(&server), (0, Some("example.com/v1".into())));
    run.shutdown().await;
    // It has moved back while it was down.
    serve(&server, &[("v1beta1", true), ("v1", true)]).await;
    delete(&server, &widgets("v1"), "a").await;
    let run = Run::synced(&server, &scratch).await;
    let (_, version) = run.figures(&server);
    assert_eq!((version, run.informer.snapshot().len()), (Some("example.com/v1beta1".into()), 2));
    run.shutdown().await;
}
