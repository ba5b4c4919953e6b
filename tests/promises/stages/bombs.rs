//! Objects whose `Drop` counts, and panics on demand.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kube::api::ObjectMeta;
use kube::{Resource, core::ClusterResourceScope};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::FakeSource;
use kube_informer::{InformerOptions, SharedInformer, Storage};

use super::{SOON, settle};

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
        settle().await;
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
