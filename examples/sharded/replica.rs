//! One replica: it reconciles the orders of its slots, and gives each a receipt.
//!
//! This is the part to copy. All replicas run the same code.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::ObjectMeta;
use kube::{Client, ResourceExt};
use kube_controllers::sharding::ShardBy;
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Sharding};
use kube_informer::error::BoxError;
use kube_informer::{Event, InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// The name of the group: a part of the names of its Leases, and the field manager.
pub(crate) const GROUP: &str = "sharded-example";
/// The label of every order and receipt.
pub(crate) const LABEL: (&str, &str) = ("app.kubernetes.io/part-of", GROUP);
/// Several slots a replica, so that the work is divided evenly.
pub(crate) const SLOTS: usize = 32;

/// A replica that was not started.
pub(crate) struct Replica {
    manager: Manager,
    pub(crate) monitor: Monitor,
}

/// A view of a running replica.
#[derive(Clone)]
pub(crate) struct Monitor {
    sharding: Sharding,
    orders: SharedInformer<ConfigMap>,
    receipts: Applier<Secret>,
    reconciled: Reconciled,
}

/// The stored orders that were reconciled at least once since they came to this replica.
type Reconciled = Arc<Mutex<HashSet<ObjectKey>>>;

/// The state of a replica.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The number of slots that the replica holds.
    pub(crate) slots: usize,
    /// The number of orders in its cache.
    pub(crate) orders: usize,
    /// The number of these orders that it has reconciled.
    pub(crate) reconciled: usize,
    /// The number of receipts that it has sent to the server.
    pub(crate) sent: u64,
}

/// The values that all reconciles share.
struct Context {
    receipts: Applier<Secret>,
    reconciled: Reconciled,
}

impl Replica {
    /// Creates a replica for the orders of one namespace, or of all. The group's Leases are in
    /// `home`.
    pub(crate) fn new(
        client: Client,
        identity: &str,
        home: &str,
        namespace: Option<&str>,
    ) -> Result<Self, BoxError> {
        // Short times, so that the example ends soon. The defaults are 15 s, 10 s and 2 s.
        let sharding = Sharding::builder(client.clone(), home, GROUP, ShardBy::Uid)
            .identity(identity)
            .slots(SLOTS)
            .lease_duration(Duration::from_secs(3))
            .renew_deadline(Duration::from_secs(2))
            .retry_period(Duration::from_millis(500))
            .build()?;

        let factory = SharedInformerFactory::builder(client.clone()).build();
        let orders = factory.informer_with(spec(namespace).shard(sharding.objects()))?;
        let receipts = factory.informer_with(spec(namespace).shard(sharding.dependents()))?;
        let reconciled = Reconciled::default();
        let forgotten = reconciled.clone();
        orders.on_event(move |event| match event {
            // This replica keeps no state of an order that it does not hold.
            Event::MovedAway { .. } | Event::Deleted { .. } => {
                if let Ok(key) = event.key() {
                    forgotten.lock().remove(&key);
                }
            }
            Event::Added { .. } | Event::Updated { .. } => {}
        })?;

        let applier = Applier::builder(client, &receipts, GROUP).force(true).build()?;
        let context = Context { receipts: applier.clone(), reconciled: reconciled.clone() };
        let controller = Controller::builder("orders", &orders)
            .owns(&receipts)
            .concurrency(4)
            .timeout(Duration::from_secs(10))
            .context(context)
            .sharded(&sharding)
            .build();
        let membership = sharding.clone();
        let manager = Manager::builder(&factory)
            // Ends after the controller, so that the slots are idle when they are given back.
            .task_before_sync("membership", |scope| async move {
                membership.run(scope.token().clone()).await
            })
            .controller(controller, reconcile)
            .build()?;
        let monitor = Monitor { sharding, orders, receipts: applier, reconciled };
        Ok(Self { manager, monitor })
    }

    /// Works until `stop` is cancelled, and then gives its slots back.
    pub(crate) async fn run(self, stop: CancellationToken) -> Result<(), BoxError> {
        Ok(self.manager.run_until(stop).await?)
    }
}

impl Monitor {
    pub(crate) fn report(&self) -> Report {
        Report {
            slots: self.sharding.status().held.len(),
            orders: self.orders.snapshot().len(),
            reconciled: self.reconciled.lock().len(),
            sent: self.receipts.status().sent,
        }
    }
}

/// The objects of this example. Objects of others in the same namespaces do not matter.
fn spec<K>(namespace: Option<&str>) -> InformerSpec<K> {
    let spec = InformerSpec::new().labels(format!("{}={}", LABEL.0, LABEL.1));
    match namespace {
        Some(namespace) => spec.namespace(namespace),
        None => spec,
    }
}

/// Reconciles an order, on the replica that holds it.
///
/// The cache holds the order's receipts by then, also those that another replica has made: the
/// informer of dependents follows the same slots.
async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> Result<Action, ApplyError> {
    // The API server deletes the receipt of an order that is gone.
    let Some(order) = request.object.present() else { return Ok(Action::done()) };
    if order.metadata.deletion_timestamp.is_none() {
        request.context.receipts.apply_owned(&*order, receipt(&order)).await?;
    }
    request.context.reconciled.lock().insert(request.key.clone());
    Ok(Action::done())
}

fn receipt(order: &ConfigMap) -> Secret {
    let name = order.name_any();
    Secret {
        metadata: ObjectMeta {
            name: Some(format!("{name}-receipt")),
            namespace: order.namespace(),
            labels: Some([(LABEL.0.to_owned(), LABEL.1.to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("order".to_owned(), ByteString(name.into_bytes()))].into()),
        ..Secret::default()
    }
}

/// Returns an order.
pub(crate) fn order(namespace: &str, name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            labels: Some([(LABEL.0.to_owned(), LABEL.1.to_owned())].into()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    }
}
