//! The controller of kube-rs' `controller-rs`: documents that are shown or hidden, with a
//! finalizer, a status, events, metrics of its own, and a switch of the log level.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Method, Request, Response};
use kube::{Client, CustomResource, ResourceExt};
use kube_controllers::controller::{
    Finalize, FinalizerError, Permanent, finalizer, tracking_client,
};
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::writing::{Applier, EventRecorder};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Serve};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const NAME: &str = "doc-controller";
pub(crate) const FINALIZER: &str = "documents.kube.rs/finalizer";

/// A document.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(kind = "Document", group = "kube.rs", version = "v1", namespaced)]
#[kube(status = "DocumentStatus", shortname = "doc")]
pub(crate) struct DocumentSpec {
    pub(crate) title: String,
    pub(crate) hide: bool,
    pub(crate) content: String,
}

/// The observed state of a document.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub(crate) struct DocumentStatus {
    pub(crate) hidden: bool,
}

/// The figures of the program's own.
#[derive(Default)]
pub(crate) struct Figures {
    hidden: AtomicU64,
}

struct Context {
    client: Client,
    statuses: Applier<Document>,
    events: EventRecorder,
    figures: Arc<Figures>,
}

/// Returns a manager of documents. Without their definition it ends at once.
pub(crate) fn manager(client: Client, figures: Arc<Figures>) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name(NAME).build();
    let documents = factory.informer::<Document>();
    let events = EventRecorder::new(client.clone(), NAME)?;
    let context = Context {
        statuses: Applier::builder(client.clone(), &documents, NAME).force(true).build()?,
        events: events.clone(),
        client: tracking_client(client),
        figures,
    };
    let controller = Controller::builder("documents", &documents).context(context).build();
    let manager = Manager::builder(&factory).needs_kinds(true).events(events);
    Ok(manager.controller(controller, reconcile))
}

/// Returns the endpoints: the crate's figures with those of the program beside them, and a path
/// that shows and sets the log level.
pub(crate) fn serve(
    figures: Arc<Figures>,
    set_level: impl Fn(&str) + Send + Sync + 'static,
) -> Serve {
    let level = Mutex::new("info".to_owned());
    let render = move || {
        let hidden = figures.hidden.load(Ordering::Relaxed);
        format!("# TYPE documents_hidden_total counter\ndocuments_hidden_total {hidden}\n")
    };
    Serve::new().metrics_beside(render).route("/log-level", move |request: Request<_>| {
        let mut level = level.lock().unwrap_or_else(PoisonError::into_inner);
        if request.method() == Method::PUT {
            String::from_utf8_lossy(request.body()).trim().clone_into(&mut level);
            set_level(&level);
        }
        std::future::ready(Response::new(format!("{level}\n")))
    })
}

async fn reconcile(request: ReconcileRequest<Document, Context>) -> Result<Action, FinalizerError> {
    let Some(document) = request.object.present() else { return Ok(Action::done()) };
    let (context, api) = (&request.context, request.api(&request.context.client));
    finalizer(&api, FINALIZER, document, |work| async move {
        match work {
            Finalize::Apply(document) => context.apply(&document).await,
            Finalize::Cleanup(document) => {
                let note = format!("delete {}", document.name_any());
                context.events.normal(&*document, "DeleteRequested", note);
                Ok(Action::done())
            }
        }
    })
    .await
}

impl Context {
    async fn apply(&self, document: &Document) -> Result<Action, BoxError> {
        if document.name_any() == "illegal" {
            // It waits for a change. The log and the status have the reason.
            return Err(Permanent::new("no document may have this name").into());
        }
        let hidden = document.spec.hide;
        let status = self.statuses.apply_status_of(document, &DocumentStatus { hidden }).await?;
        let was_hidden = document.status.as_ref().is_some_and(|status| status.hidden);
        if status.was_sent() && hidden && !was_hidden {
            self.figures.hidden.fetch_add(1, Ordering::Relaxed);
            self.events.normal(document, "HideRequested", format!("hide {}", document.name_any()));
        }
        Ok(Action::requeue_after(Duration::from_secs(300)))
    }
}
