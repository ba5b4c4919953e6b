//! The span around a reconcile. Tracing asks once a process whether a span is wanted.

use k8s_openapi::api::core::v1::Secret;
use kube::api::ObjectMeta;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::log::Log;

#[tokio::main(flavor = "current_thread", start_paused = true)]
pub(crate) async fn a_reconcile_says_of_which_try_its_lines_are() {
    let log = Log::default();
    let _installed = log.install(tracing::Level::INFO);
    let server = ApiServer::new();
    let (namespace, name) = (Some("shop".into()), Some("db".into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    server.create(&Secret { metadata, ..Secret::default() }).unwrap();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let controller = Controller::builder("speaking", &factory.informer::<Secret>()).build();
    let stop = CancellationToken::new();
    let ends = stop.clone();
    let reconcile = move |_: ReconcileRequest<Secret>| {
        let ends = ends.clone();
        async move {
            tracing::info!("a word");
            ends.cancel();
            Ok::<_, std::io::Error>(Action::done())
        }
    };
    controller.run(stop, reconcile).await.unwrap();
    let text = log.text();
    let line = text.lines().find(|line| line.contains("a word")).unwrap();
    let span = "reconcile{controller=\"speaking\" kind=\"Secret\" namespace=\"shop\" \
                name=\"db\" id=";
    assert!(line.contains(span), "{line}");
}
