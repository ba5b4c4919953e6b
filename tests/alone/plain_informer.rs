//! A caller without options is told that an informer's objects were transformed for another one.

use k8s_openapi::api::core::v1::Pod;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};

use crate::log::Log;

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn plain_informer_warns_of_a_transform() {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    let log = Log::default();
    let _installed = log.install(tracing::Level::WARN);
    let spec = InformerSpec::<Pod>::new().transform(|pod| pod.spec = None);
    let slim = factory.informer_with(spec.clone()).unwrap();
    let same = factory.informer_with(spec).unwrap();
    assert!(log.text().is_empty(), "who knows the transform is not warned: {}", log.text());
    let plain = factory.informer::<Pod>();
    let text = log.text();
    assert!(text.contains("WARN") && text.contains(r#"resource="pods""#), "{text}");
    assert!(text.contains("first requested with a transform"), "{text}");
    drop((slim, same, plain));
}
