//! One process: its informers and its controller, behind one replica of the API server at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube_controllers::controller::{BoxError, Presence};
use kube_controllers::leader_election::LeaderElector;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, ReconcileRequest, Sharding};
use kube_informer::reflector::ListMode;
use kube_informer::testing::faults::InjectionHandle;
use kube_informer::testing::{Faults, Injection, Requests};
use kube_informer::{InformerSpec, Lister, SharedInformerFactory};
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::cache::Replica;
use super::ledger::Ledger;

const HOME: &str = "home";
const LEASE: Duration = Duration::from_secs(6);

/// The means by which the processes of a world take over from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// One process at a time.
    Restart,
    Election,
    Slots(ShardBy),
}

pub(crate) struct Process {
    pub(crate) faults: Faults,
    /// The replica that answers its requests.
    pub(crate) behind: Arc<AtomicUsize>,
    pub(crate) cut: Option<InjectionHandle>,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    factory: SharedInformerFactory,
}

/// The values that a reconcile needs.
struct Context {
    number: usize,
    by_uid: bool,
    client: kube::Client,
    children: Lister<Secret>,
    ledger: Ledger,
    rng: Mutex<Rng>,
}

impl Process {
    pub(crate) fn start(
        number: usize,
        way: Way,
        replicas: &Arc<[Replica]>,
        ledger: &Ledger,
        rng: &mut Rng,
    ) -> Self {
        let behind = Arc::new(AtomicUsize::new(rng.usize(..replicas.len())));
        let (faults, stop) = (Faults::new(), CancellationToken::new());
        let client = faults.client(balanced(replicas.clone(), behind.clone()));
        let factory = SharedInformerFactory::builder(client.clone())
            .list_mode(if rng.u8(..4) == 0 { ListMode::Streaming } else { ListMode::Auto })
            .on_error(|_| {})
            .build();
        let identity = format!("process-{number}");
        let (mut maps, mut secrets) = (InformerSpec::new(), InformerSpec::new());
        let mut sharding = None;
        if let Way::Slots(by) = way {
            let builder = Sharding::builder(client.clone(), HOME, "views", by);
            let built = builder.slots(4).identity(&identity).grace(Duration::from_secs(2)).build();
            let group = sharding.insert(built.unwrap());
            (maps, secrets) = (maps.shard(group.objects()), secrets.shard(group.dependents()));
        }
        let maps = factory.informer_with::<ConfigMap>(maps).unwrap();
        let secrets = factory.informer_with::<Secret>(secrets).unwrap();
        let context = Context {
            number,
            by_uid: way == Way::Slots(ShardBy::Uid),
            client: client.clone(),
            children: secrets.lister(),
            ledger: ledger.clone(),
            rng: Mutex::new(rng.fork()),
        };
        // A write that is never answered must not hold its key for ever.
        let mut controller = Controller::builder("maps", &maps)
            .owns(&secrets)
            .concurrency(2)
            .timeout(Duration::from_secs(20))
            .context(context);
        if way == Way::Election {
            let elector = LeaderElector::builder(client, HOME, "views")
                .identity(identity)
                .lease_duration(LEASE)
                .renew_deadline(LEASE * 2 / 3)
                .retry_period(LEASE / 6)
                .build();
            controller = controller.leader_election(elector.unwrap()).rejoins_election(true);
        }
        if let Some(sharding) = &sharding {
            controller = controller.sharded(sharding);
        }
        let controller = controller.build();
        let mut tasks = Vec::new();
        if let Some(sharding) = sharding {
            let stop = stop.clone();
            tasks.push(tokio::spawn(async move { drop(sharding.run(stop).await) }));
        }
        let until = stop.clone();
        tasks.push(tokio::spawn(async move { drop(controller.run(until, reconcile).await) }));
        Self { faults, behind, cut: None, stop, tasks, factory }
    }

    /// Returns whether it has ended by itself.
    pub(crate) fn has_ended(&self) -> bool {
        self.tasks.iter().any(JoinHandle::is_finished)
    }

    /// Ends the process at once. Nothing of it reaches the server any more.
    pub(crate) async fn kill(self) {
        self.faults.inject(Requests::all(), Injection::refuse());
        self.faults.cut_now();
        self.tasks.iter().for_each(JoinHandle::abort);
        for task in self.tasks {
            let _aborted = task.await;
        }
    }

    /// Tells the process to end, and waits for it.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        for task in self.tasks {
            task.await.unwrap();
        }
        self.factory.shutdown().await;
    }
}

/// Returns a client whose requests the replica with this number answers.
fn balanced(replicas: Arc<[Replica]>, behind: Arc<AtomicUsize>) -> kube::Client {
    let service = tower::service_fn(move |request| {
        let replica = replicas[behind.load(Ordering::Relaxed)].clone();
        async move { Ok::<_, std::convert::Infallible>(replica.answer(request).await) }
    });
    kube::Client::new(service, "default")
}

/// Tells the ledger which versions it sees, takes some time, and sometimes writes.
async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> Result<Action, BoxError> {
    let (context, key) = (&*request.context, request.key.to_string());
    let view = |metadata: &ObjectMeta| {
        context.ledger.view(metadata.resource_version.as_ref().unwrap().parse().unwrap())
    };
    let mut views = Vec::new();
    match &request.object {
        Presence::Present(map) => {
            let uid = map.metadata.uid.clone().unwrap();
            let what = if context.by_uid { uid.clone() } else { key.clone() };
            if let Ok(child) = context.children.get_by_key(&request.key)
                && child.metadata.owner_references.iter().flatten().any(|owner| owner.uid == uid)
            {
                views.push((format!("child of {what}"), view(&child.metadata)));
            }
            views.push((what, view(&map.metadata)));
        }
        // By uid, another process may see the next object of this name already.
        Presence::Gone if !context.by_uid => views.push((key.clone(), context.ledger.gone(&key))),
        Presence::Gone | Presence::Unknown(_) => return Ok(Action::done()),
    }
    let running = context.ledger.begin(context.number, views);
    let (pause, writes) = {
        let mut rng = context.rng.lock();
        (Duration::from_millis(rng.u64(..1_500)), rng.u8(..4) == 0)
    };
    request.stop.run_until_cancelled(sleep(pause)).await;
    if writes && request.object.is_present() && !request.stop.is_cancelled() {
        let namespace = request.key.namespace().unwrap_or_default();
        let api: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
        let seen = json!({"metadata": {"annotations": {"seen-by": context.number.to_string()}}});
        api.patch(request.key.name(), &PatchParams::default(), &Patch::Merge(seen)).await?;
    }
    drop(running);
    Ok(Action::done())
}
