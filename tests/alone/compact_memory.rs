//! The memory of compact storage. A list is never held decoded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use k8s_openapi::api::core::v1::{Container, EnvVar, Pod, PodSpec};
use kube::api::ObjectMeta;
use kube_informer::error::SourceError;
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    WatchQuery, WatchStream,
};
use kube_informer::{InformerOptions, SharedInformer, Storage};

use crate::in_use;

const PODS: usize = 4_000;

fn pod(n: usize) -> Pod {
    let metadata = ObjectMeta {
        namespace: Some(format!("ns-{}", n % 20)),
        name: Some(format!("web-{n}")),
        uid: Some(format!("{n:036}")),
        resource_version: Some(n.to_string()),
        labels: Some([("app".into(), format!("app-{}", n / 10))].into()),
        ..ObjectMeta::default()
    };
    let variable = |v: usize| EnvVar {
        name: format!("SETTING_{v}"),
        value: Some(format!("{:016x}", (n * 40 + v).wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        ..EnvVar::default()
    };
    let container = Container {
        name: "server".into(),
        image: Some(format!("registry.example.com/team/app:{}", n % 7)),
        env: Some((0..40).map(variable).collect()),
        ..Container::default()
    };
    let spec = PodSpec { containers: vec![container; 2], ..PodSpec::default() };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}

/// A server that makes each pod when it is sent, and notes how much memory was in use at the most.
struct Lazy {
    collection: Collection,
    most: Arc<AtomicUsize>,
}

impl ListerWatcher<Pod> for Lazy {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<Pod>, SourceError>> {
        let most = self.most.clone();
        let pods = stream::iter(0..PODS).map(move |n| {
            most.fetch_max(in_use(), Relaxed);
            Ok(ListItem::Object(Ok(pod(n).into())))
        });
        let version = Some((PODS as u64).into());
        let end = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
        let list = pods.chain(stream::iter([Ok(end)])).boxed();
        async { Ok(list) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<Pod>, SourceError>> {
        async { Ok(stream::pending().boxed()) }.boxed()
    }
}

/// Returns the memory of a synced informer, and its peak.
async fn taken(storage: Storage<Pod>) -> (usize, usize) {
    let before = in_use();
    let most = Arc::new(AtomicUsize::new(0));
    let collection = Collection { resource: "pods".into(), kind: "Pod".into(), namespace: None };
    let source = Lazy { collection, most: most.clone() };
    let options = InformerOptions::new().storage(storage);
    let informer = SharedInformer::new(Arc::new(source), options);
    informer.start().unwrap();
    informer.wait_for_sync(Duration::from_secs(600)).await.unwrap();
    most.fetch_max(in_use(), Relaxed);
    // Only what was read is held decoded.
    assert_eq!(informer.lister().snapshot().iter().count(), PODS);
    // Another thread frees the store's earlier contents.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let settled = in_use() - before;
    informer.shutdown().await;
    (settled, most.load(Relaxed) - before)
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn packed_objects_and_their_list_stay_small() {
    let (decoded, _) = taken(Storage::decoded()).await;
    let (compact, most) = taken(Storage::compact().hot_for(Duration::ZERO)).await;
    let each = |bytes: usize| bytes / PODS;
    println!("a pod: {} bytes decoded, {} packed", each(decoded), each(compact));
    println!("while the list came: {} at the most", each(most));
    assert!(compact * 8 < decoded, "{compact} of {decoded} bytes");
    assert!(most * 10 < compact * 12, "{most} at the most, {compact} settled");

    // Everything was read, and stays for the age.
    let (hot, _) = taken(Storage::compact().hot_limit(usize::MAX)).await;
    assert!(hot > decoded && hot < decoded + 2 * compact, "{hot} of {decoded} bytes");
}
