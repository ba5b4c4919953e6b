//! Kubernetes' `ttl` controller: each node says for how long its kubelet may keep Secrets and
//! `ConfigMaps`. The larger the cluster, the longer.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::channel::mpsc::{UnboundedSender, unbounded};
use k8s_openapi::api::core::v1::Node;
use kube::{Client, ResourceExt};
use kube_controllers::leader_election::LeaderElectorBuilder;
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::writing::{Applier, ApplyError};
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::{Lister, SharedInformerFactory};
use serde_json::json;

const NAME: &str = "ttl-controller";
pub(crate) const TTL: &str = "node.alpha.kubernetes.io/ttl";

/// The sizes of a cluster for which one TTL holds. They overlap, so that a cluster at an edge does
/// not go to and fro.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) seconds: u32,
}

pub(crate) const STEPS: &[Step] = &[
    Step { from: 0, to: 100, seconds: 0 },
    Step { from: 90, to: 500, seconds: 15 },
    Step { from: 450, to: 1_000, seconds: 30 },
    Step { from: 900, to: 2_000, seconds: 60 },
    Step { from: 1_800, to: usize::MAX, seconds: 300 },
];

/// The step before the first reconcile of a process.
const UNKNOWN: usize = usize::MAX;

/// The steps, and the one that holds now.
struct Ttl {
    steps: &'static [Step],
    step: AtomicUsize,
    nodes: Lister<Node>,
    applier: Applier<Node>,
    /// A message is sent when another step holds: it concerns all nodes.
    changes: UnboundedSender<()>,
}

/// Returns a candidate. Its Lease is found by a label.
pub(crate) fn elector(client: Client) -> LeaderElectorBuilder {
    LeaderElector::builder(client, "kube-system", NAME).label("app.kubernetes.io/name", NAME)
}

/// Returns a manager that annotates nodes.
pub(crate) fn manager(client: Client, steps: &'static [Step]) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name(NAME).build();
    let nodes = factory.informer::<Node>();
    let applier = Applier::builder(client, &nodes, NAME).force(true).build()?;
    let (changes, of_size) = unbounded();
    let ttl =
        Ttl { steps, step: AtomicUsize::new(UNKNOWN), nodes: nodes.lister(), applier, changes };
    let controller =
        Controller::builder(NAME, &nodes).reconcile_all_on(of_size).context(ttl).build();
    Ok(Manager::builder(&factory).controller(controller, reconcile))
}

/// Gives a node the TTL of the present size. A node that is gone makes the cluster smaller.
async fn reconcile(request: ReconcileRequest<Node, Ttl>) -> Result<Action, ApplyError> {
    let ttl = &request.context;
    let seconds = ttl.seconds();
    if let Some(node) = request.object.present() {
        // With the uid, a node that is gone meanwhile is not created again.
        let annotations = json!({ TTL: seconds.to_string() });
        let metadata = json!({ "uid": node.uid(), "annotations": annotations });
        ttl.applier.apply_partial(&request.key, json!({ "metadata": metadata })).await?;
    }
    Ok(Action::done())
}

impl Ttl {
    /// Returns the step that an earlier process has left on the nodes.
    fn step_of_nodes(&self) -> usize {
        let nodes = self.nodes.all();
        let seconds = nodes.iter().filter_map(|node| node.annotations().get(TTL)?.parse().ok());
        let longest: u32 = seconds.max().unwrap_or_default();
        self.steps.iter().rposition(|step| step.seconds <= longest).unwrap_or_default()
    }

    /// Returns the TTL for the present number of nodes.
    fn seconds(&self) -> u32 {
        let (size, before) = (self.nodes.len(), self.step.load(Ordering::Relaxed));
        let mut step = if before == UNKNOWN { self.step_of_nodes() } else { before };
        while size > self.steps[step].to {
            step += 1;
        }
        while size < self.steps[step].from {
            step -= 1;
        }
        if step != before {
            self.step.store(step, Ordering::Relaxed);
            // Only a controller that has ended does not read.
            let _read = self.changes.unbounded_send(());
        }
        self.steps[step].seconds
    }
}
