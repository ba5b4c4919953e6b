//! Objects whose `Drop` counts, and panics on demand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kube::api::ObjectMeta;
use kube::{Resource, core::ClusterResourceScope};
use kube_informer::lister_watcher::Packer;
use kube_informer::object::{AnyObject, PackedObject};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::{Cached, InformerOptions, ResourceVersion, SharedInformer, Storage};
use tokio::time::sleep;

const MS: Duration = Duration::from_millis(1);
const SOON: Duration = Duration::from_secs(60);

/// An object whose `Drop` panics while its switch is on.
#[derive(Clone)]
pub(crate) struct Bomb {
    metadata: ObjectMeta,
    switch: Arc<AtomicBool>,
    drops: Arc<AtomicUsize>,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        assert!(!self.switch.load(Ordering::Relaxed), "an object's drop panics");
    }
}

impl Resource for Bomb {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Bomb".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "test".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "bombs".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Each read makes an object of its own.
struct Packed(Arc<Bomb>);

impl PackedObject for Packed {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        Some(Arc::new(Bomb::clone(&self.0)))
    }

    fn uid(&self) -> Option<&str> {
        self.0.meta().uid.as_deref()
    }

    fn version(&self) -> Option<ResourceVersion> {
        self.0.meta().resource_version.as_deref().map(Into::into)
    }

    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        self.0.meta().labels.as_ref()
    }
}

/// An informer of bombs.
pub(crate) struct Bombs {
    pub(crate) source: Arc<FakeSource<Bomb>>,
    pub(crate) informer: SharedInformer<Bomb>,
    switch: Arc<AtomicBool>,
    pub(crate) drops: Arc<AtomicUsize>,
    count: usize,
}

impl Bombs {
    pub(crate) async fn start(count: usize) -> Self {
        Self::start_with(count, ReflectorOptions::new()).await
    }

    /// Starts with packed bombs: each read makes an object.
    pub(crate) async fn packed(count: usize) -> Self {
        let packer = Packer::from_fn(|bomb| {
            let bomb = bomb.get_as().expect("a bomb");
            Cached::packed_as(Arc::new(Packed(bomb)))
        });
        Self::start_with(count, ReflectorOptions::new().packer(packer)).await
    }

    pub(crate) async fn start_with(count: usize, reflector: ReflectorOptions<Bomb>) -> Self {
        let source = Arc::new(FakeSource::new("bombs", "Bomb"));
        // With decoded storage, the reflector keeps its own packer.
        let options = InformerOptions::new().storage(Storage::decoded());
        let options = options.reflector(reflector.on_error(|_| {}));
        let informer = SharedInformer::new(source.clone(), options);
        let bombs = Self { source, informer, switch: Arc::default(), drops: Arc::default(), count };
        bombs.put_all();
        bombs.informer.start().unwrap();
        bombs.informer.wait_for_sync(SOON).await.unwrap();
        sleep(MS).await;
        bombs
    }

    pub(crate) fn put_all(&self) {
        for n in 0..self.count {
            let metadata = ObjectMeta { name: Some(format!("b{n}")), ..ObjectMeta::default() };
            let (switch, drops) = (self.switch.clone(), self.drops.clone());
            self.source.put(Bomb { metadata, switch, drops });
        }
    }

    pub(crate) fn arm(&self, on: bool) {
        self.switch.store(on, Ordering::Relaxed);
    }
}

/// A test that fails must not end the process.
impl Drop for Bombs {
    fn drop(&mut self) {
        self.arm(false);
    }
}
