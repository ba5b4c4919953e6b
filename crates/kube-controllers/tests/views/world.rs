//! One world, from its seed to its end.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::api::{ListParams, ObjectMeta};
use kube::{Api, Resource};
use kube_controllers::sharding::ShardBy;
use kube_informer::testing::{ApiServer, Injection, Requests};
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::cache::Replica;
use super::ledger::Ledger;
use super::process::{Process, Way};
use super::seeds::in_simulated_time;
use super::tally::Tally;

/// The longest time without faults until everything is right: a lease, a list that is never
/// answered, several watches and backoffs.
const RECOVERY: Duration = Duration::from_secs(240);

/// The lag of a cache that is not stuck.
const LAG: Duration = Duration::from_millis(200);

/// The state that a backup holds.
struct Backup {
    maps: Vec<ConfigMap>,
    children: Vec<Secret>,
    leases: Vec<Lease>,
}

struct World {
    rng: Rng,
    way: Way,
    sharded_lists: bool,
    server: ApiServer,
    /// The revision at which the world began.
    begun: u64,
    replicas: Arc<[Replica]>,
    /// The caches that see nothing new.
    stuck: Arc<[AtomicBool]>,
    caching: JoinHandle<()>,
    ledger: Ledger,
    processes: Vec<Process>,
    started: usize,
    tally: Tally,
}

/// Plays a world to its end.
pub(crate) fn play(seed: u64) -> Tally {
    in_simulated_time(seed, async {
        let mut world = World::new(seed);
        world.live().await;
        world.recover().await;
        world.end().await
    })
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let way = match rng.u8(..4) {
            0 => Way::Restart,
            1 => Way::Election,
            2 => Way::Slots(ShardBy::Namespace),
            _ => Way::Slots(ShardBy::Uid),
        };
        let sharded_lists = rng.bool();
        let server = cluster(sharded_lists);
        if way == Way::Restart {
            // The time after a restore has fewer versions than this.
            for n in 0..1_000 {
                let labels = Some([("n".to_owned(), n.to_string())].into());
                let name = Some("node".to_owned());
                let metadata = ObjectMeta { name, labels, ..ObjectMeta::default() };
                let node = Node { metadata, ..Node::default() };
                server.create(&node).or_else(|_| server.replace(&node)).unwrap();
            }
        }
        let begun = server.revision();
        let replicas: Arc<[_]> = (0..3).map(|_| Replica::new(&server)).collect();
        let stuck: Arc<[_]> = (0..3).map(|_| AtomicBool::new(false)).collect();
        let caching = tokio::spawn(follow(replicas.clone(), stuck.clone()));
        let mut world = Self {
            rng,
            way,
            sharded_lists,
            server,
            begun,
            replicas,
            stuck,
            caching,
            ledger: Ledger::default(),
            processes: Vec::new(),
            started: 0,
            tally: Tally::default(),
        };
        (0..8).for_each(|_| world.write());
        let processes = if way == Way::Restart { 1 } else { world.rng.usize(2..=3) };
        (0..processes).for_each(|_| world.start());
        world
    }

    fn start(&mut self) {
        self.started += 1;
        let (way, number) = (self.way, self.started);
        let process = Process::start(number, way, &self.replicas, &self.ledger, &mut self.rng);
        let behind = &self.replicas[process.behind.load(Ordering::Relaxed)];
        self.tally.count("start behind lag", u64::from(behind.lags()));
        self.processes.push(process);
    }

    /// Creates, changes or deletes an object, or changes its child.
    fn write(&mut self) {
        let metadata = ObjectMeta {
            namespace: Some(format!("n{}", self.rng.u8(..4))),
            name: Some(format!("map-{}", self.rng.u8(..2))),
            ..ObjectMeta::default()
        };
        let data = Some([("n".to_owned(), self.rng.u32(..).to_string())].into());
        let map = ConfigMap { metadata: metadata.clone(), data, ..ConfigMap::default() };
        let draw = self.rng.u8(..8);
        if draw == 0 {
            if let Ok(deleted) = self.server.delete(&map) {
                let version = deleted.metadata.resource_version.unwrap().parse().unwrap();
                self.ledger.note_delete(&key(&metadata), version);
            }
            return;
        }
        let written = if draw < 4 { self.server.replace(&map) } else { self.server.create(&map) };
        let Ok(map) = written.or_else(|_| self.server.replace(&map)) else { return };
        if draw.is_multiple_of(2) {
            let owner_references = Some(map.controller_owner_ref(&()).into_iter().collect());
            let annotations = Some([("n".to_owned(), self.rng.u32(..).to_string())].into());
            let metadata = ObjectMeta { owner_references, annotations, ..metadata };
            let child = Secret { metadata, ..Secret::default() };
            if self.server.replace(&child).is_err() {
                let _exists = self.server.create(&child);
            }
        }
    }

    async fn live(&mut self) {
        let (backed_up, restored) = (self.rng.u32(..15), self.rng.u32(15..60));
        let mut backup = None;
        for step in 0..self.rng.u32(20..50) {
            sleep(Duration::from_millis(self.rng.u64(..2_500))).await;
            if step == backed_up {
                backup = Some(self.back_up().await);
            }
            if step == restored
                && let Some(backup) = backup.take()
            {
                self.restore(backup).await;
            }
            self.step().await;
            self.ledger.check();
        }
    }

    async fn back_up(&self) -> Backup {
        let client = self.server.client();
        Backup {
            maps: listed(&client).await,
            children: listed(&client).await,
            leases: listed(&client).await,
        }
    }

    /// Puts a cluster with the state of a backup in the place of this one. Its versions start over.
    async fn restore(&mut self, backup: Backup) {
        let running = self.processes.len();
        let alive = self.way == Way::Restart && self.rng.u8(..4) > 0;
        if !alive {
            for process in self.processes.drain(..) {
                process.kill().await;
            }
        }
        let server = cluster(self.sharded_lists);
        let maps = backup.maps.into_iter().map(|map| {
            let metadata = recreated(map.metadata);
            server.create(&ConfigMap { metadata, ..map }).unwrap()
        });
        let maps: Vec<_> = maps.collect();
        for child in backup.children {
            let mut metadata = recreated(child.metadata);
            let owner = maps.iter().find(|map| key(&map.metadata) == key(&metadata));
            metadata.owner_references =
                owner.map(|map| vec![map.controller_owner_ref(&()).unwrap()]);
            server.create(&Secret { metadata, ..child }).unwrap();
        }
        for lease in backup.leases {
            let metadata = recreated(lease.metadata);
            server.create(&Lease { metadata, ..lease }).unwrap();
        }
        let old = if alive { self.begun } else { u64::MAX };
        self.ledger.note_restore(old, maps.iter().map(|map| key(&map.metadata)).collect());
        self.replicas.iter().for_each(|replica| replica.restore(&server));
        self.server = server;
        self.tally.count("restore", 1);
        self.tally.count("restore under one at work", alive.into());
        self.processes.iter().for_each(|process| process.faults.cut_now());
        (self.processes.len()..running).for_each(|_| self.start());
    }

    async fn step(&mut self) {
        // A process that gives up is started again.
        if let Some(ended) = self.processes.iter().position(Process::has_ended) {
            self.processes.swap_remove(ended).kill().await;
            self.tally.count("gave up", 1);
            self.start();
        }
        let which = self.rng.usize(..self.processes.len());
        match self.rng.u8(..20) {
            0 | 1 => {
                self.processes.swap_remove(which).kill().await;
                self.tally.count("kill", 1);
                self.start();
            }
            2 => {
                // A rolling update: where several may run, the new one comes first.
                let old = self.processes.swap_remove(which);
                if self.way != Way::Restart {
                    self.start();
                }
                old.faults.clear();
                timeout(Duration::from_secs(60), old.end()).await.expect("it ends when told");
                self.tally.count("stop", 1);
                if self.way == Way::Restart {
                    self.start();
                }
            }
            3 => {
                let process = &mut self.processes[which];
                let injection =
                    if self.rng.bool() { Injection::black_hole() } else { Injection::refuse() };
                if process.cut.is_none() {
                    process.cut = Some(process.faults.inject(Requests::all(), injection));
                    process.faults.cut_now();
                    self.tally.count("cut", 1);
                }
            }
            4 | 5 => {
                if let Some(cut) = self.processes[which].cut.take() {
                    cut.remove();
                }
            }
            6 => {
                // The connections end, and the next ones go to another replica.
                let process = &self.processes[which];
                let behind = self.rng.usize(..self.replicas.len());
                process.behind.store(behind, Ordering::Relaxed);
                process.faults.cut_now();
            }
            7 => {
                let faults = &self.processes[which].faults;
                faults.inject(Requests::watches().times(1), Injection::status(410));
                faults.cut_now();
                self.tally.count("relist", 1);
            }
            8..11 => {
                let cache = self.rng.usize(..self.stuck.len());
                self.stuck[cache].store(self.rng.bool(), Ordering::Relaxed);
            }
            _ => self.write(),
        }
    }

    /// Removes all faults, and waits until everything is right.
    async fn recover(&mut self) {
        self.stuck.iter().for_each(|stuck| stuck.store(false, Ordering::Relaxed));
        for process in &mut self.processes {
            process.faults.clear();
            process.cut = None;
        }
        (0..5).for_each(|_| self.write());
        let begun = Instant::now();
        while let Some(wrong) = self.wrong().await {
            assert!(begun.elapsed() < RECOVERY, "{:?}: {wrong} is not reconciled", self.way);
            sleep(Duration::from_secs(5)).await;
        }
        self.ledger.check();
    }

    /// Returns an object whose last state no reconcile was handed.
    async fn wrong(&self) -> Option<String> {
        let maps: Api<ConfigMap> = Api::all(self.server.client());
        let maps = maps.list(&ListParams::default()).await.unwrap();
        let wrong = maps.iter().map(|map| &map.metadata).find(|metadata| {
            let by_uid = self.way == Way::Slots(ShardBy::Uid);
            let what = if by_uid { metadata.uid.clone().unwrap() } else { key(metadata) };
            let last = self.ledger.newest(&what).map(|version| version.to_string());
            last != metadata.resource_version
        });
        wrong.map(key)
    }

    async fn end(mut self) -> Tally {
        for process in std::mem::take(&mut self.processes) {
            timeout(Duration::from_secs(60), process.end()).await.expect("it ends when told");
        }
        self.caching.abort();
        self.ledger.check();
        let (reconciles, taken_over) = self.ledger.counts();
        self.tally.count("reconcile", reconciles);
        self.tally.count("taken over", taken_over);
        self.tally
    }
}

fn cluster(sharded_lists: bool) -> ApiServer {
    ApiServer::builder()
        .sharded_lists(sharded_lists)
        .require_namespaces(false)
        .garbage_collection(true)
        .build()
}

async fn listed<K>(client: &kube::Client) -> Vec<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
{
    Api::<K>::all(client.clone()).list(&ListParams::default()).await.unwrap().items
}

/// Returns the metadata of an object to create.
fn recreated(metadata: ObjectMeta) -> ObjectMeta {
    let ObjectMeta { namespace, name, labels, annotations, .. } = metadata;
    ObjectMeta { namespace, name, labels, annotations, ..ObjectMeta::default() }
}

/// Lets the caches that are not stuck follow the server, a moment later.
async fn follow(replicas: Arc<[Replica]>, stuck: Arc<[AtomicBool]>) {
    loop {
        let revision = replicas[0].revision();
        sleep(LAG).await;
        for (replica, stuck) in replicas.iter().zip(&*stuck) {
            if !stuck.load(Ordering::Relaxed) {
                replica.reach(revision);
            }
        }
    }
}

fn key(metadata: &ObjectMeta) -> String {
    format!("{}/{}", metadata.namespace.as_deref().unwrap(), metadata.name.as_deref().unwrap())
}
