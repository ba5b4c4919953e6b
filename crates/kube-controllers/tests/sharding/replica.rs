//! One replica: its membership, its informers and its controller, behind faults of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Resource};
use kube_controllers::controller::{Presence, tracking_client};
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, ReconcileRequest, Sharding};
use kube_informer::reflector::RelistCause;
use kube_informer::testing::faults::InjectionHandle;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{Event, Index, InformerSpec, SharedInformer, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::ledger::Ledger;

pub(crate) const SLOTS: usize = 16;
pub(crate) const HOME: &str = "home";
const GROUP: &str = "world";

pub(crate) struct Replica {
    pub(crate) faults: Faults,
    pub(crate) sharding: Sharding,
    pub(crate) maps: SharedInformer<ConfigMap>,
    pub(crate) heard: Arc<Mutex<BTreeSet<String>>>,
    factory: SharedInformerFactory,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    pub(crate) cut: Option<InjectionHandle>,
    pub(crate) slow: Option<InjectionHandle>,
}

/// The values that a reconcile needs.
struct Context {
    number: usize,
    by: ShardBy,
    /// Of the server, past the faults.
    server: kube::Client,
    client: kube::Client,
    sharding: Sharding,
    children: Index<Secret>,
    ledger: Ledger,
    rng: Mutex<Rng>,
}

impl Replica {
    pub(crate) fn start(
        number: usize,
        identity: &str,
        by: ShardBy,
        server: &ApiServer,
        ledger: &Ledger,
        rng: &mut Rng,
    ) -> Self {
        let faults = Faults::new();
        let client = faults.client(server.client());
        let sharding = Sharding::builder(client.clone(), HOME, GROUP, by)
            .slots(SLOTS)
            .identity(identity)
            .grace(Duration::from_secs(4))
            .build()
            .unwrap();
        let factory = SharedInformerFactory::builder(client.clone()).on_error(|_| ()).build();
        let spec = InformerSpec::new().shard(sharding.objects());
        let maps = factory.informer_with::<ConfigMap>(spec).unwrap();
        let spec = InformerSpec::new().shard(sharding.dependents());
        let secrets = factory.informer_with::<Secret>(spec).unwrap();
        let children = secrets.add_index("owner", owner).unwrap();
        let heard = hear(&maps, ledger);
        let context = Context {
            number,
            by,
            server: server.client(),
            client: tracking_client(client),
            sharding: sharding.clone(),
            children,
            ledger: ledger.clone(),
            rng: Mutex::new(rng.fork()),
        };
        let controller = Controller::builder("maps", &maps)
            .owns(&secrets)
            .concurrency(3)
            .context(context)
            .sharded(&sharding)
            .build();
        let stop = CancellationToken::new();
        let membership = tokio::spawn({
            let (sharding, stop) = (sharding.clone(), stop.clone());
            async move { sharding.run(stop).await.unwrap() }
        });
        let controlling = tokio::spawn({
            let stop = stop.clone();
            async move { controller.run(stop, reconcile).await.unwrap() }
        });
        let tasks = vec![membership, controlling];
        Self { faults, sharding, maps, heard, factory, stop, tasks, cut: None, slow: None }
    }

    /// Ends the process at once. Nothing of it reaches the server any more.
    pub(crate) fn kill(self) {
        self.faults.inject(Requests::all(), Injection::refuse());
        self.faults.cut_now();
        self.tasks.iter().for_each(JoinHandle::abort);
    }

    /// Returns the number of lists because a watch seemed to begin from nothing. A watch replays
    /// what a list of arrivals showed, rightly.
    pub(crate) fn replays(&self) -> u64 {
        let informers = self.factory.status().informers;
        let relists = informers.iter().map(|informer| &informer.reflector.relists);
        relists.map(|relists| relists.of(RelistCause::Replayed)).sum()
    }

    /// Tells the replica to end.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until the replica has ended.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        for task in self.tasks {
            task.await.unwrap();
        }
        self.factory.shutdown().await;
    }
}

fn owner(secret: &Secret) -> Option<String> {
    secret.metadata.owner_references.iter().flatten().next().map(|owner| owner.uid.clone())
}

/// Follows the events of an informer, and checks each against those before.
fn hear(maps: &SharedInformer<ConfigMap>, ledger: &Ledger) -> Arc<Mutex<BTreeSet<String>>> {
    let heard = Arc::new(Mutex::new(BTreeSet::new()));
    let (known, ledger) = (heard.clone(), ledger.clone());
    maps.on_event(move |event| {
        let key = event.key().unwrap().to_string();
        let mut known = known.lock();
        let expected = match event {
            Event::Added { .. } => known.insert(key.clone()),
            Event::Updated { .. } => known.contains(&key),
            Event::MovedAway { .. } => known.remove(&key),
            Event::Deleted { .. } => {
                if !ledger.was_deleted(&key) {
                    ledger.broken(format!("{key} is told as deleted, and exists"));
                }
                known.remove(&key)
            }
        };
        if !expected {
            ledger.broken(format!("an event of {key} does not follow from those before"));
        }
    })
    .unwrap();
    heard
}

/// Gives each map one secret.
async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> kube::Result<Action> {
    let context = &*request.context;
    let (key, ledger) = (request.key.to_string(), &context.ledger);
    let map = match &request.object {
        Presence::Present(map) => Some(map.clone()),
        Presence::Gone => None,
        Presence::Unknown(_) => return Ok(Action::done()),
    };
    // By uid, an object of the same name that was created since is another one.
    let what = match (context.by, &map) {
        (ShardBy::Namespace, _) => key.clone(),
        (_, Some(map)) => map.metadata.uid.clone().unwrap_or_default(),
        (_, None) => format!("{key}, deleted, on {}", context.number),
    };
    let _running = ledger.begin(context.number, &what);
    check_owner(context, &request, map.as_deref()).await;
    let (pause, stubborn) = {
        let mut rng = context.rng.lock();
        (Duration::from_millis(rng.u64(..2_500)), rng.u8(..4) == 0)
    };
    let Some(map) = map else {
        if !ledger.was_deleted(&key) {
            ledger.broken(format!("{key} is gone, and was never deleted"));
        }
        ledger.saw(&what, None);
        return Ok(Action::done());
    };
    let uid = map.metadata.uid.as_deref().unwrap_or_default();
    if context.children.get(uid).is_empty() && map.metadata.deletion_timestamp.is_none() {
        let namespace = map.metadata.namespace.as_deref().unwrap_or_default();
        let api: Api<Secret> = Api::namespaced(context.client.clone(), namespace);
        api.create(&PostParams::default(), &child(&map)).await?;
    }
    let stop = request.stop.clone();
    if stubborn {
        sleep(pause).await;
    } else {
        stop.run_until_cancelled(sleep(pause)).await;
    }
    ledger.saw(&what, map.metadata.resource_version.clone());
    Ok(Action::done())
}

/// The server must name this replica as the holder of the slot, as long as the scope is not over.
async fn check_owner(
    context: &Context,
    request: &ReconcileRequest<ConfigMap, Context>,
    map: Option<&ConfigMap>,
) {
    let place = match (context.by, map) {
        (ShardBy::Namespace, _) => {
            kube_informer::object::ring_hash(request.key.namespace().unwrap_or_default())
        }
        (_, Some(map)) => context.by.objects().hash(&map.metadata),
        (_, None) => return,
    };
    let leases: Api<Lease> = Api::namespaced(context.server.clone(), HOME);
    let slot = context.sharding.slot_of(place);
    let lease = leases.get(&format!("{GROUP}-slot-{slot}")).await.unwrap();
    let holder = lease.spec.and_then(|spec| spec.holder_identity).unwrap_or_default();
    if holder != context.sharding.identity() {
        let (key, number) = (&request.key, context.number);
        context.ledger.broken(format!("{number} reconciles {key} in slot {slot} of {holder}"));
    }
}

fn child(map: &ConfigMap) -> Secret {
    let name = map.metadata.name.as_deref().unwrap_or_default();
    Secret {
        metadata: ObjectMeta {
            generate_name: Some(format!("{name}-")),
            owner_references: Some(map.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        ..Secret::default()
    }
}
