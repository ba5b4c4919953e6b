//! The manager and the reconcile.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::api::ObjectMeta;
use kube::{Api, Client, ResourceExt};
use kube_controllers::controller::{
    BoxError, Finalize, FinalizerError, finalizer, generation_changed, tracking_client,
};
use kube_controllers::leader_election::LeaderElectorBuilder;
use kube_controllers::manager::{ManagerBuilder, Rbac, RbacObjects};
use kube_controllers::writing::conditions::{self, InvalidCondition, NewCondition};
use kube_controllers::writing::{Applier, ApplyError, EventRecorder};
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::indexer::by_controller;
use kube_informer::{Lister, ObjectKey, SharedInformerFactory};

use super::crd::{WebApp, WebAppStatus};
use super::registry::Registry;

/// The field manager, the reporter of events, and the name of the Lease.
const NAME: &str = "webapps.example.com";
const FINALIZER: &str = "example.com/registry";
/// The port on which the image serves.
const PORT: i32 = 8080;
/// The delay after which a name or a host that belongs to another owner is asked for again.
const LATER: Duration = Duration::from_secs(60);

/// Returns everything that the operator runs: one controller for web apps, and what it needs.
pub(crate) fn manager(client: &Client, registry: Registry) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name("operator").build();
    let apps = factory.informer::<WebApp>();
    let deployments = factory.informer::<Deployment>();
    let services = factory.informer::<Service>();
    let events = EventRecorder::new(client.clone(), NAME)?;
    // Kubernetes recommends force for controllers. Objects of other owners are left alone below.
    let operator = Operator {
        statuses: Applier::builder(client.clone(), &apps, NAME).force(true).build()?,
        deployments: Applier::builder(client.clone(), &deployments, NAME).force(true).build()?,
        services: Applier::builder(client.clone(), &services, NAME).force(true).build()?,
        deployed: deployments.lister(),
        served: services.lister(),
        client: tracking_client(client.clone()),
        events: events.clone(),
        registry,
    };
    let needs =
        Rbac::new().finalizes(&apps).applies_status(&apps).applies(&deployments).applies(&services);
    let controller = Controller::builder("webapps", &apps)
        .context(operator)
        .predicate(generation_changed)
        .owns(&deployments)
        .owns(&services)
        .concurrency(4)
        .timeout(Duration::from_secs(30))
        .build();
    Ok(Manager::builder(&factory).controller(controller, reconcile).events(events).needs(needs))
}

/// Returns a candidate. Of several replicas, the one that leads reconciles.
pub(crate) fn elector(client: &Client) -> LeaderElectorBuilder {
    LeaderElector::builder(client.clone(), client.default_namespace(), NAME)
}

/// Returns the roles that the operator needs in the client's namespace, and their bindings to this
/// service account.
pub(crate) fn rbac(client: &Client, account: &str) -> Result<RbacObjects, BoxError> {
    let manager = manager(client, Registry::default())?.leader_election(elector(client).build()?);
    Ok(manager.rbac().objects(account, client.default_namespace()))
}

/// The values that all reconciles share.
struct Operator {
    client: Client,
    statuses: Applier<WebApp>,
    deployments: Applier<Deployment>,
    services: Applier<Service>,
    deployed: Lister<Deployment>,
    served: Lister<Service>,
    events: EventRecorder,
    registry: Registry,
}

/// The reason why a web app is not as it should be. It is tried again, later each time.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Condition(#[from] InvalidCondition),
    #[error(transparent)]
    Api(#[from] kube::Error),
}

async fn reconcile(request: ReconcileRequest<WebApp, Operator>) -> Result<Action, FinalizerError> {
    let operator = &request.context;
    let api = &request.api(&operator.client);
    // Of a web app that is gone, the registry was cleaned by the finalizer, and the garbage
    // collector deletes what it owned.
    let Some(app) = request.object.present() else { return Ok(Action::done()) };
    finalizer(api, FINALIZER, app, |work| async move {
        match work {
            // The registry refuses nothing that comes late from a process that was frozen while
            // another one took its place. An app that is gone must not be entered again.
            Finalize::Apply(app) if is_wanted(api, &app).await? => operator.apply(&app).await,
            Finalize::Apply(_) => Ok(Action::done()),
            Finalize::Cleanup(app) => {
                operator.registry.release(&uid(&app)).await;
                Ok(Action::done())
            }
        }
    })
    .await
}

/// Returns whether the server has the app, and it is not being deleted.
async fn is_wanted(api: &Api<WebApp>, app: &WebApp) -> kube::Result<bool> {
    let found = api.get_opt(&app.name_any()).await?.filter(|found| found.uid() == app.uid());
    Ok(found.is_some_and(|found| found.metadata.deletion_timestamp.is_none()))
}

impl Operator {
    /// Brings everything in line with the spec, and writes the status.
    async fn apply(&self, app: &WebApp) -> Result<Action, Failure> {
        let registered = match self.registry.register(&app.spec.host, &uid(app)).await {
            Ok(()) => NewCondition::new("Registered", true, "HostRegistered"),
            Err(taken) => {
                NewCondition::new("Registered", false, "HostTaken").message(taken.to_string())
            }
        };
        let mut status = app.status.clone().unwrap_or_default();
        status.observed_generation = app.metadata.generation;
        conditions::set(&mut status.conditions, registered, app.metadata.generation)?;
        let has_host = conditions::is_true(&status.conditions, "Registered");

        let is_ours = self.owns_its_names(app);
        let ready = if is_ours {
            self.services.apply_owned(app, service_of(app)).await?;
            let deployment = self.deployments.apply_owned(app, deployment_of(app)).await?;
            let (pods, wanted) = (ready_pods(deployment.object()), app.spec.replicas);
            status.ready_replicas = pods.unwrap_or(0);
            let ready = match (pods, has_host) {
                (Some(pods), true) if pods >= wanted => NewCondition::new("Ready", true, "Serving"),
                (Some(pods), false) if pods >= wanted => {
                    NewCondition::new("Ready", false, "NoHost")
                }
                _ => NewCondition::new("Ready", false, "Progressing"),
            };
            ready.message(format!("{} of {wanted} pods are ready", status.ready_replicas))
        } else {
            status.ready_replicas = 0;
            let message = "a Deployment or Service of this name has another owner";
            NewCondition::new("Ready", false, "NameTaken").message(message)
        };
        conditions::set(&mut status.conditions, ready, app.metadata.generation)?;
        self.write_status(app, status).await?;
        // No event tells this operator that the other owner is gone.
        Ok(if has_host && is_ours { Action::done() } else { Action::requeue_after(LATER) })
    }

    /// Returns whether no other owner has a Deployment or Service of the app's name.
    fn owns_its_names(&self, app: &WebApp) -> bool {
        let Ok(key) = ObjectKey::of(app) else { return false };
        let deployed = self.deployed.get_by_key(&key).map(|found| by_controller(&*found));
        let served = self.served.get_by_key(&key).map(|found| by_controller(&*found));
        [deployed, served].into_iter().flatten().all(|owner| owner.as_ref() == Some(&uid(app)))
    }

    /// Writes the status if it has changed, and then reports a new reason as an event.
    async fn write_status(&self, app: &WebApp, status: WebAppStatus) -> Result<(), Failure> {
        let before = app.status.as_ref().map_or(&[][..], |status| &status.conditions);
        self.statuses.apply_status_of(app, &status).await?;
        for now in status.conditions {
            if conditions::find(before, &now.type_).is_some_and(|then| then.reason == now.reason) {
                continue;
            }
            let (reason, note) = (now.reason, now.message);
            match &*reason {
                "HostTaken" | "NameTaken" => self.events.warning(app, reason, note),
                _ => self.events.normal(app, reason, note),
            }
        }
        Ok(())
    }
}

/// Returns the number of pods that are ready; `None` if the status is about an older spec.
fn ready_pods(deployment: &Deployment) -> Option<i32> {
    let status = deployment.status.as_ref()?;
    let is_current = status.observed_generation >= deployment.metadata.generation;
    is_current.then(|| status.ready_replicas.unwrap_or(0))
}

fn uid(app: &WebApp) -> String {
    app.uid().unwrap_or_default()
}

fn labels_of(app: &WebApp) -> BTreeMap<String, String> {
    BTreeMap::from([("app.kubernetes.io/instance".to_owned(), app.name_any())])
}

fn metadata_of(app: &WebApp) -> ObjectMeta {
    ObjectMeta { name: app.metadata.name.clone(), namespace: app.namespace(), ..<_>::default() }
}

fn service_of(app: &WebApp) -> Service {
    let port = ServicePort {
        port: 80,
        target_port: Some(IntOrString::Int(PORT)),
        protocol: Some("TCP".into()),
        ..ServicePort::default()
    };
    let spec = ServiceSpec {
        selector: Some(labels_of(app)),
        ports: Some(vec![port]),
        ..ServiceSpec::default()
    };
    let metadata = ObjectMeta { labels: Some(labels_of(app)), ..metadata_of(app) };
    Service { metadata, spec: Some(spec), ..Service::default() }
}

fn deployment_of(app: &WebApp) -> Deployment {
    let port = ContainerPort {
        container_port: PORT,
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    };
    let container = Container {
        name: "app".into(),
        image: Some(app.spec.image.clone()),
        ports: Some(vec![port]),
        ..Container::default()
    };
    let pod = PodSpec { containers: vec![container], ..PodSpec::default() };
    let labels = Some(labels_of(app));
    let template = PodTemplateSpec {
        metadata: Some(ObjectMeta { labels: labels.clone(), ..ObjectMeta::default() }),
        spec: Some(pod),
    };
    let spec = DeploymentSpec {
        replicas: Some(app.spec.replicas),
        selector: LabelSelector { match_labels: labels.clone(), ..LabelSelector::default() },
        template,
        ..DeploymentSpec::default()
    };
    let metadata = ObjectMeta { labels, ..metadata_of(app) };
    Deployment { metadata, spec: Some(spec), ..Deployment::default() }
}
