//! The spans around what an informer does. Alone in this binary: whether a span is wanted is asked
//! once a process.

#![cfg(feature = "testing")]

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use kube_informer::{EventHandler, HandlerOptions, InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;

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

/// Where the log of a test goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn spans_name_resource_namespace_and_version() {
    use tracing_subscriber::fmt::format::FmtSpan;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_span_events(FmtSpan::NEW)
        .with_writer(move || writer.clone())
        .finish();
    let _installed = tracing::subscriber::set_default(subscriber);
    let server = ApiServer::new();
    server.create(&secret("db")).unwrap();
    let factory = SharedInformerFactory::builder(server.client()).name("replicator").build();
    let secrets = factory.informer_with(InformerSpec::<Secret>::new().namespace("shop"));
    let noisy = HandlerOptions::new().name("noisy");
    let handler = secrets.add_handler_with(Says, noisy).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(handler.synced().await);
    tokio::time::sleep(Duration::from_secs(1)).await;
    factory.shutdown().await;
    let log = String::from_utf8(log.0.lock().clone()).unwrap();
    let of = r#"name="replicator" resource="secrets" namespace="shop""#;
    for line in [
        format!(r"reflector{{{of}}}:list{{version=0 page=false}}: "),
        format!(r"reflector{{{of}}}:watch{{version=2}}: "),
        format!(r"processing{{{of}}}:batch{{version=2 deltas=1}}: "),
        format!(r#"handler{{{of} handler="noisy"}}: spans: told"#),
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
