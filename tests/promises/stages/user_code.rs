//! User code where nobody expects it: clones, drops, and what closures captured.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::api::ObjectMeta;
use kube::core::{ClusterResourceScope, NamespaceResourceScope};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::testing::{ApiServer, FakeSource};
use kube_informer::{InformerOptions, InformerSpec, SharedInformer, SharedInformerFactory};

use super::{SOON, filled, key, settle};
use crate::helpers::{list_mode, map, server_with};

/// An object that looks at its source when it is cloned, dropped or read.
struct Nosy {
    metadata: ObjectMeta,
    source: Weak<FakeSource<Self>>,
}

impl Nosy {
    fn look(&self) {
        // Waits for ever if the source calls this under its lock.
        if let Some(source) = self.source.upgrade() {
            source.version();
        }
    }
}

impl Clone for Nosy {
    fn clone(&self) -> Self {
        self.look();
        Self { metadata: self.metadata.clone(), source: self.source.clone() }
    }
}

impl Drop for Nosy {
    fn drop(&mut self) {
        self.look();
    }
}

impl Resource for Nosy {
    type DynamicType = ();
    type Scope = ClusterResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Nosy".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "test".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "nosies".into()
    }

    fn meta(&self) -> &ObjectMeta {
        self.look();
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.look();
        &mut self.metadata
    }
}

#[tokio::test(start_paused = true)]
async fn fake_source_calls_no_object_under_its_lock() {
    for streaming in [false, true] {
        let source = Arc::new(FakeSource::new("nosies", "Nosy"));
        let put = |name: &str| {
            let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
            source.put(Nosy { metadata, source: Arc::downgrade(&source) });
        };
        put("a");
        let reflector = ReflectorOptions::new().list_mode(list_mode(streaming)).on_error(|_| {});
        let options = InformerOptions::new().reflector(reflector);
        let informer = SharedInformer::new(source.clone(), options);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        let version = source.version();
        put("a");
        put("b");
        source.delete(&key("a")).unwrap();
        settle().await;
        assert_eq!(informer.lister().len(), 1);
        source.restore(version);
        settle().await;
        assert_eq!(source.objects().len(), 1);
        informer.shutdown().await;
    }
}

/// A captured value whose drop panics.
struct Captured;

impl Drop for Captured {
    fn drop(&mut self) {
        panic!("dropped on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn drop_of_captured_values_does_no_harm() {
    let source = filled(1);
    for _ in 0..2 {
        let (transform, handler) = (Captured, Captured);
        let options = ReflectorOptions::<ConfigMap>::new()
            .transform(move |_| {
                let _held = &transform;
            })
            .on_error(move |_| {
                let _held = &handler;
            });
        let options = InformerOptions::new().reflector(options);
        let informer = SharedInformer::new(source.clone(), options);
        informer.start().unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        informer.shutdown().await;
    }
    let (transform, handler) = (Captured, Captured);
    let factory = SharedInformerFactory::builder(ApiServer::new().client())
        .on_error(move |_| {
            let _held = &handler;
        })
        .build();
    let spec = InformerSpec::<ConfigMap>::new().transform(move |_| {
        let _held = &transform;
    });
    let maps = factory.informer_with(spec).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    factory.shutdown().await;
    drop((maps, factory));
}

/// A map whose metadata cannot be read if its name is `bad`.
#[derive(serde::Deserialize)]
struct Touchy {
    metadata: ObjectMeta,
}

impl Resource for Touchy {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "ConfigMap".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "configmaps".into()
    }

    fn meta(&self) -> &ObjectMeta {
        assert_ne!(self.metadata.name.as_deref(), Some("bad"));
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[tokio::test(start_paused = true)]
async fn panic_of_a_metadata_getter_affects_one_object() {
    let server = server_with(&["bad", "good"]);
    let errors = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let log = errors.clone();
    let factory = SharedInformerFactory::builder(server.client())
        .on_error(move |error| log.lock().push(error.to_string()))
        .build();
    let maps = factory.informer::<Touchy>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    server.create(&map("late", "1")).unwrap();
    settle().await;
    assert_eq!(maps.lister().all().len(), 2);
    let text = "reading its metadata panicked";
    assert!(errors.lock().iter().any(|error| error.contains(text)), "{errors:?}");
    factory.shutdown().await;
}
