//! The example `secret_replicator` logs and counts nothing that a secret holds.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../../examples/secret_replicator.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::ObjectMeta;
use kube_informer::testing::ApiServer;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::example::{FROM, SOURCE, TO};
use crate::log::Log;

const PASSWORD: &str = "correct horse battery";

fn secret(namespace: &str, to: &str, marked: bool) -> Secret {
    let labels = marked.then(|| [(SOURCE.to_owned(), "true".to_owned())].into());
    Secret {
        metadata: ObjectMeta {
            name: Some("registry".into()),
            namespace: Some(namespace.into()),
            labels,
            annotations: Some([(TO.to_owned(), to.to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("password".to_owned(), ByteString(PASSWORD.as_bytes().to_vec()))].into()),
        type_: Some("Opaque".into()),
        ..Secret::default()
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn no_log_or_metric_shows_secret_data() {
    let log = Log::default();
    let _logging = log.install(tracing::Level::TRACE);
    let prometheus = kube_controllers::manager::serve::Prometheus::new();
    let recorder = Box::leak(Box::new(prometheus.clone()));
    let _recording = metrics::set_default_local_recorder(recorder);

    let server = ApiServer::new();
    for name in ["shop", "mail"] {
        let metadata = ObjectMeta {
            name: Some(name.into()),
            annotations: Some([(FROM.to_owned(), "base/registry".to_owned())].into()),
            ..ObjectMeta::default()
        };
        server.create(&Namespace { metadata, ..Namespace::default() }).unwrap();
    }
    // Also not when writes fail.
    server.create(&secret("mail", "", false)).unwrap();
    let (client, stop) = (server.client(), CancellationToken::new());
    let running = tokio::spawn({
        let stop = stop.clone();
        async move { example::run(client, Some("a"), stop).await }
    });
    server.create(&secret("base", "shop,mail", true)).unwrap();
    sleep(Duration::from_secs(30)).await;
    let figures = prometheus.render();
    stop.cancel();
    running.await.unwrap().unwrap();

    let log = log.text();
    assert!(log.contains("copy created") && log.contains("mail/registry exists"), "{log}");
    assert!(figures.contains("controller_runtime_reconcile_errors_total"), "{figures}");
    assert!(
        figures.contains("leader_election_master_status{name=\"secret-replicator\"} 1"),
        "{figures}"
    );
    for text in [log, figures] {
        assert!(!text.contains(PASSWORD) && !text.contains("Y29ycmVjdCBob3JzZSBiYXR0ZXJ5"));
    }
}
