//! The scheduler: rounds that choose nodes, and the bindings that follow.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Binding, Node, ObjectReference, Pod as WholePod};
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::core::Status;
use kube::{Api, Client, ResourceExt};
use kube_controllers::Manager;
use kube_controllers::controller::{AssumedSnapshot, AssumedView, BoxError};
use kube_controllers::leader_election::WorkScope;
use kube_informer::indexer::IndexError;
use kube_informer::{Index, ObjectKey, SharedInformer, SharedInformerFactory};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::pod::Pod;
use super::room::Room;

/// Pods name it in `spec.schedulerName`.
pub(crate) const NAME: &str = "least-loaded";
/// The states of this scheduler's pods.
const WAITS: &str = "waits";
const BOUND: &str = "bound";
/// Changes within this time are looked at together.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// The largest number of pods whose bindings the cache does not show yet.
const MOST_ASSUMED: usize = 2_000;
/// The number of bindings that are sent at a time.
const AT_A_TIME: usize = 64;
/// The time after which a binding without an answer is sent again.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause after a refused binding, and before one is sent again.
const PAUSE: Duration = Duration::from_secs(1);

/// The progress so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// The number of times that pods and nodes were looked at.
    pub(crate) rounds: u64,
    /// The number of this scheduler's pods that the cache shows on nodes.
    pub(crate) bound: usize,
    /// The number of bindings that the server refused.
    pub(crate) refused: u64,
    /// The largest number of pods whose bindings the cache did not show at one moment.
    pub(crate) most_assumed: usize,
    /// The number of pods that no node had room for in the last round.
    pub(crate) without_room: usize,
}

/// Returns a manager that schedules. It sends the progress after each round.
pub(crate) fn manager(client: Client, told: watch::Sender<Figures>) -> Result<Manager, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).name(NAME).build();
    let pods = factory.informer::<WholePod>().view::<Pod>()?;
    let nodes = factory.informer::<Node>();
    let scheduler = Scheduler::new(client, pods, nodes, told)?;
    let manager = Manager::builder(&factory);
    let manager = manager.task_on_every_replica(NAME, |scope| scheduler.run(scope));
    Ok(manager.build()?)
}

struct Scheduler {
    client: Client,
    pods: SharedInformer<Pod>,
    nodes: SharedInformer<Node>,
    /// The pods that take room, by node.
    by_node: Index<Pod>,
    /// The pods of this scheduler: those that wait, and those on nodes.
    by_state: Index<Pod>,
    /// The pods, on their nodes before the cache shows them there.
    assumed: AssumedView<Pod>,
    told: watch::Sender<Figures>,
}

/// The choice of a node for a pod.
struct Placement {
    key: ObjectKey,
    uid: String,
    node: String,
}

/// The room of a node, and how much of it is taken.
struct Load {
    node: String,
    capacity: Room,
    taken: Room,
}

impl Scheduler {
    fn new(
        client: Client,
        pods: SharedInformer<Pod>,
        nodes: SharedInformer<Node>,
        told: watch::Sender<Figures>,
    ) -> Result<Self, IndexError> {
        let by_node = pods.add_index("node", node_of)?;
        let by_state = pods.add_index("state", state_of)?;
        // A binding is sent until its outcome is known, so a pod is assumed for as long.
        let assumed = AssumedView::new(&pods).lifetime(Duration::MAX).limit(MOST_ASSUMED);
        let assumed = assumed.shown_when(|_, stored| state_of(stored) != Some(WAITS));
        Ok(Self { client, pods, nodes, by_node, by_state, assumed, told })
    }

    async fn run(self, scope: WorkScope) -> Result<(), BoxError> {
        tokio::select! {
            caught_up = self.catch_up() => caught_up?,
            () = scope.token().cancelled() => return Ok(()),
        }
        let mut changes = self.pods.changes().and(&self.nodes).debounce(DEBOUNCE);
        let (mut placements, mut bindings) = (VecDeque::new(), JoinSet::new());
        loop {
            while bindings.len() < AT_A_TIME
                && let Some(placement) = placements.pop_front()
            {
                bindings.spawn(bind(self.client.clone(), placement));
            }
            tokio::select! {
                () = scope.token().cancelled() => return Ok(()),
                // While many bindings wait, a round would only add to them, and a more important
                // pod that comes meanwhile would be bound after them.
                told = changes.changed(), if placements.len() < AT_A_TIME => told?,
                Some(ended) = bindings.join_next() => {
                    let mut refused = self.note(ended?);
                    while let Some(ended) = bindings.try_join_next() {
                        refused |= self.note(ended?);
                    }
                    if !refused {
                        continue;
                    }
                }
            }
            placements.extend(self.round());
        }
    }

    /// Waits until the cache shows all bindings of an earlier process. On a quiet cluster, the next
    /// bookmark tells it, within a minute or so.
    async fn catch_up(&self) -> Result<(), BoxError> {
        let all = Api::<Pod>::all(self.client.clone());
        let list = all.list_metadata(&ListParams::default().limit(1)).await?;
        let version = list.metadata.resource_version.unwrap_or_default();
        self.pods.wait_for(&version.as_str().into(), Duration::from_secs(180)).await?;
        Ok(())
    }

    /// Places the pods that wait, as far as there is room.
    fn round(&self) -> Vec<Placement> {
        let pods = self.assumed.snapshot();
        let mut waiting: Vec<_> = pods.indexed(&self.by_state, WAITS).collect();
        waiting.sort_unstable_by(|(a, first), (b, second)| rank(first, a).cmp(&rank(second, b)));
        let mut loads = if waiting.is_empty() { Vec::new() } else { self.loads(&pods) };
        let (mut placements, mut without_room) = (Vec::new(), 0);
        for (key, pod) in waiting {
            let mut placed = Pod::clone(&pod);
            let Some((node, uid)) = place(&mut loads, Room::of_pod(&pod)).zip(pod.uid()) else {
                without_room += 1;
                continue;
            };
            placed.spec.node_name = Some(node.clone());
            if self.assumed.assume(placed).is_err() {
                // As many are assumed as may be.
                break;
            }
            placements.push(Placement { key: key.clone(), uid, node });
        }
        self.told.send_modify(|figures| {
            figures.rounds += 1;
            figures.bound = self.by_state.len(BOUND);
            figures.most_assumed = figures.most_assumed.max(pods.assumed() + placements.len());
            figures.without_room = without_room;
        });
        placements
    }

    /// Returns the open nodes, with what the cache shows on them and what is assumed.
    fn loads(&self, pods: &AssumedSnapshot<Pod>) -> Vec<Load> {
        let nodes = self.nodes.snapshot();
        let loads = nodes.iter().filter_map(|(key, node)| {
            let (node, capacity) = (key.name().to_owned(), Room::of_node(&node)?);
            let mut taken = Room::default();
            pods.indexed(&self.by_node, &node).for_each(|(_, pod)| taken += Room::of_pod(&pod));
            Some(Load { node, capacity, taken })
        });
        loads.collect()
    }

    /// Notes the end of a binding. A refused one is forgotten, so that the pod is placed again.
    /// Returns whether it was refused.
    fn note(&self, (placement, bound): (Placement, Result<(), Box<Status>>)) -> bool {
        let Err(status) = bound else { return false };
        let Placement { key, node, .. } = placement;
        tracing::warn!(pod = %key, node, %status, "the binding was refused");
        self.told.send_modify(|figures| figures.refused += 1);
        self.assumed.forget(&key)
    }
}

/// Takes room on the node that is least loaded with it, and returns the node's name.
fn place(loads: &mut [Load], room: Room) -> Option<String> {
    let with = |load: &Load| {
        let mut taken = load.taken;
        taken += room;
        taken
    };
    let fitting = loads.iter_mut().filter(|load| with(load).fits(load.capacity));
    let chosen = fitting.min_by_key(|load| with(load).share(load.capacity))?;
    chosen.taken = with(chosen);
    Some(chosen.node.clone())
}

/// Sends a binding until its outcome is known. Returns the status if the server refused it.
async fn bind(client: Client, placement: Placement) -> (Placement, Result<(), Box<Status>>) {
    let Placement { key, uid, node } = &placement;
    let pods = Api::<Pod>::namespaced(client, key.namespace().unwrap_or_default());
    let (name, uid, node) = (Some(key.name().into()), Some(uid.clone()), Some(node.clone()));
    let binding = Binding {
        metadata: ObjectMeta { name, uid, ..ObjectMeta::default() },
        target: ObjectReference { kind: Some("Node".into()), name: node, ..Default::default() },
    };
    let params = PostParams::default();
    let mut may_be_made = false;
    let bound = loop {
        let sent = pods.create_subresource::<_, Status>("binding", key.name(), &params, &binding);
        match timeout(PATIENCE, sent).await {
            Ok(Ok(_)) => break Ok(()),
            Ok(Err(kube::Error::Api(status))) => match status.code {
                // Assigned, going, or another pod by now: the cache will show it. A server also
                // says so if its storage failed, and then the pod still waits.
                409 if !still_waits(&pods, &placement).await => break Ok(()),
                409 => {}
                404 => break Err(status),
                400..500 if !may_be_made => break Err(status),
                _ => {}
            },
            _ => {}
        }
        // The pod may be bound or not, so no other node is safe.
        may_be_made = true;
        sleep(PAUSE).await;
    };
    if bound.is_err() {
        sleep(PAUSE).await;
    }
    (placement, bound)
}

/// Returns whether the server has the pod without a node, or can't tell.
async fn still_waits(pods: &Api<Pod>, placement: &Placement) -> bool {
    match pods.get_opt(placement.key.name()).await {
        Ok(Some(pod)) => {
            pod.metadata.uid.as_ref() == Some(&placement.uid) && state_of(&pod) == Some(WAITS)
        }
        Ok(None) => false,
        Err(_) => true,
    }
}

/// Returns the node on which a pod takes room. A pod that has ended takes none.
fn node_of(pod: &Pod) -> Option<String> {
    let ended = matches!(pod.status.phase.as_deref(), Some("Succeeded" | "Failed"));
    pod.spec.node_name.clone().filter(|_| !ended)
}

/// Returns whether a pod of this scheduler waits or is on a node.
fn state_of(pod: &Pod) -> Option<&'static str> {
    let spec = Some(&pod.spec).filter(|spec| spec.scheduler_name.as_deref() == Some(NAME))?;
    let waits = spec.scheduling_gates.is_empty()
        && matches!(pod.status.phase.as_deref(), None | Some("Pending"))
        && pod.metadata.deletion_timestamp.is_none();
    if spec.node_name.is_some() { Some(BOUND) } else { waits.then_some(WAITS) }
}

/// Returns the order in which pods are placed: by priority, then by age.
fn rank<'a>(pod: &'a Arc<Pod>, key: &'a ObjectKey) -> impl Ord + use<'a> {
    let priority = pod.spec.priority.unwrap_or(0);
    (Reverse(priority), pod.metadata.creation_timestamp.as_ref(), key)
}
