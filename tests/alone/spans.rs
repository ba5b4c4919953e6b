//! The spans around the work of an informer. Tracing asks once a process whether a span is wanted.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use kube_informer::{EventHandler, HandlerOptions, InformerSpec, SharedInformerFactory};

use crate::log::Log;

const SOON: Duration = Duration::from_secs(30);

fn secret(name: &str) -> Secret {
    let metadata = ObjectMeta {
        namespace: Some("shop".into()),
        name: Some(name.into()),
        ..ObjectMeta::default()
    };
    let data = [("password".into(), ByteString(b"hunter2".to_vec()))].into();
    Secret { metadata, data: Some(data), ..Secret::default() }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn spans_name_resource_namespace_and_version() {
    let log = Log::default();
    let _installed = log.install(tracing::Level::DEBUG);
    let server = ApiServer::new();
    server.create(&secret("db")).unwrap();
    let factory = SharedInformerFactory::builder(server.client()).name("replicator").build();
    let secrets = factory.informer_with(InformerSpec::<Secret>::new().namespace("shop")).unwrap();
    let noisy = HandlerOptions::new().name("noisy");
    let handler = secrets.add_handler_with(Says, noisy).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(handler.wait_for_sync().await);
    tokio::time::sleep(Duration::from_secs(1)).await;
    factory.shutdown().await;
    let log = log.text();
    let of = r#"name="replicator" resource="secrets" namespace="shop""#;
    for line in [
        format!("list{{{of} page=false streaming=false}}: "),
        format!("watch{{{of} version=2}}: "),
        format!("batch{{{of} version=2 deltas=1}}: "),
        r#"handle{name="replicator" resource="secrets" handler="noisy" key="shop/db"}: alone::spans: told"#
            .to_owned(),
    ] {
        assert!(log.contains(&line), "no {line} in\n{log}");
    }
    assert!(!log.contains("hunter2") && !log.contains("aHVudGVyMg"), "{log}");
}

struct Says;

impl EventHandler<Secret> for Says {
    fn on_add(&mut self, _: Arc<Secret>, _: bool) {
        tracing::info!("told");
    }
}
