//! Objects that were deleted while the program was down. Only its kept caches know of them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_controllers::controller::Presence;
use kube_controllers::{Action, Controller};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};
use kube_informer_warm::WarmCache;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, map, spawn};

/// Runs a controller for a minute. Returns its view of each reconciled object.
async fn run(
    server: &ApiServer,
    directory: &Path,
    spec: InformerSpec<ConfigMap>,
) -> BTreeMap<String, String> {
    let cache = WarmCache::open(directory).unwrap().cluster("the cluster");
    let factory = SharedInformerFactory::builder(server.client()).warm(cache).build();
    let maps = factory.informer_with(spec).unwrap();
    let controller = Controller::builder("maps", &maps).build();
    let views = Arc::<Mutex<BTreeMap<_, _>>>::default();
    let (stop, noted) = (CancellationToken::new(), views.clone());
    let running = spawn(controller.run(stop.clone(), move |request| {
        let view = match &request.object {
            Presence::Present(_) => "present".to_owned(),
            Presence::Gone => "gone".to_owned(),
            Presence::Unknown(reason) => format!("{reason:?}"),
        };
        noted.lock().insert(request.key.name().to_owned(), view);
        async { Ok::<_, Infallible>(Action::done()) }
    }));
    factory.start().unwrap();
    sleep(60 * S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    factory.shutdown().await;
    std::mem::take(&mut *views.lock())
}

/// Names that differ at their ends are near each other on the ring.
fn name_of(n: usize) -> String {
    format!("{n}-of-the-settings")
}

fn half() -> ShardSelector {
    ShardSelector::new(ShardKey::Name, [0..=u64::MAX / 2])
}

#[tokio::test(start_paused = true)]
async fn deleted_object_is_gone_only_where_the_scope_holds_it() {
    type Spec = fn() -> InformerSpec<ConfigMap>;
    let everything: Spec = InformerSpec::new;
    let selected: Spec = || InformerSpec::new().labels("app=web");
    let sharded: Spec = || InformerSpec::new().shard(watch::channel(half()).1);
    for (name, specs, expected) in [
        ("everything", [everything; 2], [Some("gone"), Some("gone")]),
        ("selected", [selected; 2], [Some("NotSelected"), Some("NotSelected")]),
        ("shard", [sharded; 2], [Some("gone"), None]),
        ("moved", [everything, sharded], [Some("gone"), None]),
    ] {
        let server = ApiServer::new();
        for n in 0..20 {
            let mut map = map(&name_of(n), "1");
            map.metadata.labels = Some([("app".into(), "web".into())].into());
            server.create(&map).unwrap();
        }
        let directory = std::env::temp_dir().join(format!("kept-{name}-{}", std::process::id()));
        run(&server, &directory, specs[0]()).await;
        for n in 0..10 {
            server.delete(&map(&name_of(n), "1")).unwrap();
        }
        let views = run(&server, &directory, specs[1]()).await;
        std::fs::remove_dir_all(&directory).unwrap();
        let mut counts = [0, 0];
        for n in 0..10 {
            let map = map(&name_of(n), "1");
            let outside = usize::from(!half().selects(&map.metadata));
            counts[outside] += 1;
            let view = views.get(&name_of(n)).map(|view| &**view);
            assert_eq!(view, expected[outside], "{name}: {n}");
        }
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
}
