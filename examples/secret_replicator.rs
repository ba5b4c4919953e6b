//! A whole small controller: copies marked secrets into other namespaces, and keeps the copies as
//! their source is.
//!
//! `cargo example secret_replicator` brings its own API server, lets two replicas stand for
//! election, plays through a secret's life and prints the metrics; it ends by itself. `--
//! --cluster` works on the cluster of the present kubeconfig until Ctrl-C or SIGTERM; its Lease is
//! in the namespace `default`. A secret to be copied looks like this:
//!
//! ```yaml
//! metadata:
//!   name: registry
//!   namespace: base
//!   labels: { replicate.example.com/source: "true" }
//!   annotations: { replicate.example.com/to: "shop, mail" }
//! ```
//!
//! and a namespace that it may be copied into like this:
//!
//! ```yaml
//! metadata:
//!   name: shop
//!   annotations: { replicate.example.com/from: "base/registry" }
//! ```
//!
//! A controller writes with its own rights what others ask for with theirs, so it must not do
//! whatever it is asked. Without the second annotation, anyone who may create a secret anywhere
//! could create one of any name everywhere. With it, the owner of the target has named namespace
//! and name of the source. Only types that hold plain data are copied: a secret of the type
//! `bootstrap.kubernetes.io/token` in `kube-system`, for one, is a way into the cluster. A consent
//! that is withdrawn takes the copy away.
//!
//! The example shows a finalizer, because owner references don't reach into other namespaces;
//! leader election; own writes in sight, so that nothing is created twice; one bad namespace that
//! does not hold up the others; metrics; a stop that lets reconciles end. Its log says names, never
//! what a secret holds. It needs the verbs get, list, watch, create, update, patch and delete on
//! secrets, list and watch on namespaces, and get, create and update on leases.

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, Client, ResourceExt};
use kube_controllers::controller::{
    BoxError, Finalize, OwnWrites, Presence, UnknownReason, UntraceableWrite, finalizer,
};
use kube_controllers::leader_election::LeaderElectorBuilder;
use kube_controllers::manager::serve::Prometheus;
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::testing::ApiServer;
use kube_informer::{Index, InformerSpec, Lister, ObjectKey, SharedInformerFactory};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// On secrets that are to be copied: `true`.
pub(crate) const SOURCE: &str = "replicate.example.com/source";
/// The namespaces to copy into, with commas between.
pub(crate) const TO: &str = "replicate.example.com/to";
/// On namespaces: the keys of the secrets that may be copied there, with commas between.
pub(crate) const FROM: &str = "replicate.example.com/from";
/// On copies: `true`.
pub(crate) const COPY: &str = "replicate.example.com/copy";
/// On copies: the key of what they are copies of.
pub(crate) const OF: &str = "replicate.example.com/of";
const FINALIZER: &str = "replicate.example.com/copies";
/// The types that are copied: none of them is more than data to the cluster itself.
const TYPES: [&str; 3] = ["Opaque", "kubernetes.io/dockerconfigjson", "kubernetes.io/tls"];

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    // Before any informer is made: what is made earlier is not seen.
    let prometheus = Prometheus::default();
    metrics::set_global_recorder(prometheus.clone()).map_err(|error| error.to_string())?;
    kube_controllers::controller::metrics::describe();
    let run = |client: Client, stop: CancellationToken| async move {
        if support::on_cluster() {
            return run(client, None, stop).await;
        }
        // In a cluster each of these is a pod of its own.
        let second = run(client.clone(), Some("replica-b"), stop.clone());
        tokio::try_join!(run(client, Some("replica-a"), stop), second).map(drop)
    };
    support::main(run, |server| life(server, prometheus)).await
}

/// Runs one replica until `stop`.
pub(crate) async fn run(
    client: Client,
    identity: Option<&str>,
    stop: CancellationToken,
) -> Result<(), BoxError> {
    // An error here means that leadership was lost, or that nothing synced: the process should end,
    // and the kubelet starts it again.
    let mut candidate = elector(&client);
    if let Some(identity) = identity {
        candidate = candidate.identity(identity);
    }
    Ok(manager(&client, candidate.build()?)?.run_until(stop).await?)
}

/// Returns a candidate. Its identity is the host's name with a random suffix, unless set.
pub(crate) fn elector(client: &Client) -> LeaderElectorBuilder {
    LeaderElector::builder(client.clone(), "default", "secret-replicator")
}

/// Returns one replica, which stands for election, and replicates while it leads.
pub(crate) fn manager(client: &Client, elector: LeaderElector) -> Result<Manager, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name("replicator").build();
    let sources =
        factory.informer_with(InformerSpec::<Secret>::new().labels(format!("{SOURCE}=true")))?;
    let copies =
        factory.informer_with(InformerSpec::<Secret>::new().labels(format!("{COPY}=true")))?;
    let namespaces = factory.informer::<Namespace>();
    let replicator = Replicator {
        client: client.clone(),
        by_source: copies.add_index("source", |copy| copy.annotations().get(OF).cloned())?,
        copies: copies.lister(),
        namespaces: namespaces.lister(),
        // By hand: a tracking client does not know which objects an informer's selector excludes.
        writes: OwnWrites::new(&copies),
    };
    let controller = Controller::builder("secret-replicator", &sources)
        .watches(&copies, source_of)
        .watches(&namespaces, consented)
        .reads_own_writes(&replicator.writes)
        .concurrency(4)
        .timeout(Duration::from_secs(30))
        .context(replicator)
        .build();
    let manager =
        Manager::builder(&factory).leader_election(elector).controller(controller, reconcile);
    Ok(manager.build()?)
}

/// The values that all reconciles share.
struct Replicator {
    client: Client,
    copies: Lister<Secret>,
    by_source: Index<Secret>,
    namespaces: Lister<Namespace>,
    writes: OwnWrites<Secret>,
}

/// Why copies are not as they should be. Each is tried again, later each time.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error("{0} exists and is not a copy of {1}")]
    Taken(ObjectKey, ObjectKey),
    #[error("{failed} copies failed; the first: {first}")]
    Some { failed: usize, first: Box<Failure> },
    #[error(transparent)]
    Write(#[from] UntraceableWrite),
    #[error(transparent)]
    Key(#[from] kube_informer::object::InvalidKey),
}

impl Failure {
    /// One failure for all; none for none.
    fn of(failures: Vec<Self>) -> Result<(), Self> {
        let failed = failures.len();
        let first = failures.into_iter().next().map(Box::new);
        first.map_or(Ok(()), |first| Err(Self::Some { failed, first }))
    }
}

async fn reconcile(request: ReconcileRequest<Secret, Replicator>) -> Result<Action, BoxError> {
    let (replicator, key) = (request.context, &request.key);
    let source = match request.object {
        Presence::Present(source) => source,
        // Gone, or no longer marked; then the finalizer is still on it.
        Presence::Gone | Presence::Unknown(UnknownReason::NotSelected) => {
            let none = BTreeSet::new();
            replicator.delete_copies(key, &none).await?;
            replicator.release(key).await?;
            return Ok(Action::done());
        }
        // It may be there: nothing is undone.
        Presence::Unknown(_) => return Ok(Action::retry()),
    };
    let api = replicator.secrets(key.namespace());
    let action = finalizer(&api, FINALIZER, source, |what| async {
        match what {
            Finalize::Apply(source) => replicator.copy_everywhere(key, &source).await?,
            Finalize::Cleanup(_) => replicator.delete_copies(key, &BTreeSet::new()).await?,
        }
        Ok::<_, Failure>(Action::done())
    });
    Ok(action.await?)
}

impl Replicator {
    /// Makes every copy that should be, and deletes those that should not.
    async fn copy_everywhere(&self, key: &ObjectKey, source: &Secret) -> Result<(), Failure> {
        let namespaces = self.permitted(key, source);
        // One namespace that is not there, or not ours to write to, holds up no other.
        let deleted = self.delete_copies(key, &namespaces).await;
        let mut failures = Vec::new();
        for namespace in namespaces {
            if let Err(failure) = self.copy(key, source, &namespace).await {
                failures.push(failure);
            }
        }
        Failure::of(failures).and(deleted)
    }

    /// The namespaces that the source names and that consent to it; none for a type that is not
    /// copied. It is asked again when a namespace changes, so nothing of it is a failure.
    fn permitted(&self, key: &ObjectKey, source: &Secret) -> BTreeSet<String> {
        let kind = source.type_.as_deref().unwrap_or("Opaque");
        if !TYPES.contains(&kind) {
            tracing::warn!(source = %key, kind, "secrets of this type are not copied");
            return BTreeSet::new();
        }
        let mut namespaces = namespaces(source);
        namespaces.retain(|namespace| {
            let target = self.namespaces.get(namespace);
            let consents = target.is_ok_and(|target| consented(&target).contains(key));
            if !consents {
                tracing::warn!(source = %key, namespace, "the namespace does not consent in {FROM}");
            }
            consents
        });
        namespaces
    }

    async fn copy(&self, key: &ObjectKey, source: &Secret, namespace: &str) -> Result<(), Failure> {
        let api = self.secrets(Some(namespace));
        let wanted = copy_of(key, source, namespace);
        let target = ObjectKey::namespaced(namespace, key.name())?;
        let Ok(present) = self.copies.get_by_key(&target) else {
            return self.create(&api, key, &wanted, target).await;
        };
        if source_of(&present).as_ref() != Some(key) {
            return Err(Failure::Taken(target, key.clone()));
        }
        if present.type_ != wanted.type_ {
            // A secret's type can't be changed.
            self.delete(key, &present).await?;
            return self.create(&api, key, &wanted, target).await;
        }
        if present.data == wanted.data {
            return Ok(());
        }
        // Only onto what was seen: a conflict is tried again with what is there by then.
        let metadata =
            ObjectMeta { resource_version: present.resource_version(), ..wanted.metadata };
        let changed = Secret { metadata, ..wanted };
        let changed = api.replace(key.name(), &PostParams::default(), &changed).await?;
        self.writes.expect_write(key, &changed)?;
        tracing::info!(source = %key, copy = %target, "copy updated");
        Ok(())
    }

    async fn create(
        &self,
        api: &Api<Secret>,
        key: &ObjectKey,
        wanted: &Secret,
        target: ObjectKey,
    ) -> Result<(), Failure> {
        match api.create(&PostParams::default(), wanted).await {
            Ok(made) => {
                self.writes.expect_write(key, &made)?;
                tracing::info!(source = %key, copy = %target, "copy created");
                Ok(())
            }
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {
                Err(Failure::Taken(target, key.clone()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the copies of `key`, except those in the namespaces `kept`.
    async fn delete_copies(&self, key: &ObjectKey, kept: &BTreeSet<String>) -> Result<(), Failure> {
        let mut failures = Vec::new();
        for copy in self.by_source.get(key.as_str()) {
            if !copy.namespace().is_some_and(|namespace| kept.contains(&namespace))
                && let Err(failure) = self.delete(key, &copy).await
            {
                failures.push(failure);
            }
        }
        Failure::of(failures)
    }

    async fn delete(&self, key: &ObjectKey, copy: &Secret) -> Result<(), Failure> {
        let api = self.secrets(copy.namespace().as_deref());
        // Not what somebody else put in its place.
        let preconditions = Preconditions { uid: copy.uid(), resource_version: None };
        let params = DeleteParams::default().preconditions(preconditions);
        match api.delete(&copy.name_any(), &params).await {
            Ok(answer) => match answer.left() {
                // It has finalizers, and waits for them.
                Some(going) => self.writes.expect_write(key, &going)?,
                None => self.writes.expect_delete(key, copy)?,
            },
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(error.into()),
        }
        tracing::info!(source = %key, copy = %ObjectKey::of(copy)?, "copy deleted");
        Ok(())
    }

    /// Takes the finalizer off a secret that is no longer to be copied.
    async fn release(&self, key: &ObjectKey) -> Result<(), Failure> {
        let api = self.secrets(key.namespace());
        let Some(secret) = api.get_opt(key.name()).await? else { return Ok(()) };
        // Marked again meanwhile: the next reconcile sees it.
        if secret.labels().get(SOURCE).is_some_and(|marked| marked == "true") {
            return Ok(());
        }
        let others: Vec<_> = secret.finalizers().iter().filter(|name| *name != FINALIZER).collect();
        if others.len() == secret.finalizers().len() {
            return Ok(());
        }
        let version = secret.resource_version();
        let patch = json!({"metadata": {"resourceVersion": version, "finalizers": others}});
        api.patch(key.name(), &PatchParams::default(), &Patch::Merge(patch)).await?;
        tracing::info!(source = %key, "no longer replicated");
        Ok(())
    }

    fn secrets(&self, namespace: Option<&str>) -> Api<Secret> {
        Api::namespaced(self.client.clone(), namespace.unwrap_or_default())
    }
}

/// Returns the namespaces to which a secret is copied.
fn namespaces(source: &Secret) -> BTreeSet<String> {
    let named = source.annotations().get(TO).map_or("", String::as_str);
    let named = named.split(',').map(str::trim).filter(|namespace| !namespace.is_empty());
    let own = source.namespace().unwrap_or_default();
    named.filter(|namespace| *namespace != own).map(str::to_owned).collect()
}

/// The secrets that may be copied into a namespace.
fn consented(namespace: &Namespace) -> Vec<ObjectKey> {
    let named = namespace.annotations().get(FROM).map_or("", String::as_str);
    named.split(',').filter_map(|key| key.trim().parse().ok()).collect()
}

/// Returns the key of the secret from which a copy was made.
fn source_of(copy: &Secret) -> Option<ObjectKey> {
    copy.annotations().get(OF)?.parse().ok()
}

/// The copy as it should be.
fn copy_of(key: &ObjectKey, source: &Secret, namespace: &str) -> Secret {
    Secret {
        metadata: ObjectMeta {
            name: Some(key.name().to_owned()),
            namespace: Some(namespace.to_owned()),
            labels: Some([(COPY.to_owned(), "true".to_owned())].into()),
            annotations: Some([(OF.to_owned(), key.to_string())].into()),
            ..ObjectMeta::default()
        },
        data: source.data.clone(),
        type_: source.type_.clone(),
        ..Secret::default()
    }
}

/// A secret's life on the embedded server.
async fn life(server: ApiServer, prometheus: Prometheus) -> Result<(), BoxError> {
    for (name, from) in [("shop", "base/registry"), ("bank", "base/registry"), ("mail", "")] {
        let metadata = ObjectMeta {
            name: Some(name.to_owned()),
            annotations: Some([(FROM.to_owned(), from.to_owned())].into()),
            ..ObjectMeta::default()
        };
        server.create(&Namespace { metadata, ..Namespace::default() })?;
    }
    let secrets = Api::<Secret>::namespaced(server.client(), "base");
    let source = Secret {
        metadata: ObjectMeta {
            name: Some("registry".into()),
            namespace: Some("base".into()),
            labels: Some([(SOURCE.to_owned(), "true".to_owned())].into()),
            annotations: Some([(TO.to_owned(), "shop, mail".to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("password".to_owned(), ByteString(b"correct horse".to_vec()))].into()),
        ..Secret::default()
    };
    let say = |what: &str| tracing::info!("— {what}");
    say("a secret is marked for shop, and for mail, which has not consented");
    secrets.create(&PostParams::default(), &source).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    say("now for shop and bank");
    let change = json!({"metadata": {"annotations": {TO: "shop, bank"}}});
    secrets.patch("registry", &PatchParams::default(), &Patch::Merge(change)).await?;
    support::moment().await;
    say("somebody deletes a copy");
    let copies = Api::<Secret>::namespaced(server.client(), "shop");
    copies.delete("registry", &DeleteParams::default()).await?;
    support::moment().await;
    say("the secret is deleted");
    secrets.delete("registry", &DeleteParams::default()).await?;
    support::moment().await;
    say("what /metrics would serve of it:");
    let text = prometheus.render();
    let told = ["controller_runtime_reconcile_total", "workqueue_adds", "leader_election_master"];
    for line in text.lines().filter(|line| told.iter().any(|name| line.starts_with(name))) {
        println!("{line}");
    }
    Ok(())
}
