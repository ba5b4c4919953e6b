//! One world, from its seed to its end.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{ListParams, ObjectMeta};
use kube_controllers::sharding::ShardBy;
use kube_informer::informer::Audit;
use kube_informer::testing::{ApiServer, Injection, Requests};
use tokio::time::sleep;

use super::ledger::Ledger;
use super::replica::{Replica, SLOTS};
use super::seeds::in_simulated_time;
use super::tally::Tally;

/// The time without faults until everything is right: a lease, several watches and backoffs.
const RECOVERY: Duration = Duration::from_secs(180);

struct World {
    rng: Rng,
    by: ShardBy,
    server: ApiServer,
    ledger: Ledger,
    replicas: Vec<Replica>,
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
        let by = if rng.bool() { ShardBy::Namespace } else { ShardBy::Uid };
        let server = ApiServer::builder()
            .sharded_lists(rng.bool())
            .require_namespaces(false)
            .garbage_collection(true)
            .build();
        let (ledger, tally) = (Ledger::default(), Tally::default());
        let replicas = Vec::new();
        let mut world = Self { rng, by, server, ledger, replicas, started: 0, tally };
        for _ in 0..20 {
            world.write();
        }
        for _ in 0..world.rng.usize(3..=8) {
            world.start();
        }
        world
    }

    fn start(&mut self) {
        self.started += 1;
        // Some come back under the name of one that has gone.
        let identity = format!("replica-{}", self.started);
        let (by, number) = (self.by, self.started);
        let replica =
            Replica::start(number, &identity, by, &self.server, &self.ledger, &mut self.rng);
        self.replicas.push(replica);
        self.tally.count("start", 1);
    }

    /// Creates, changes or deletes an object.
    fn write(&mut self) {
        let namespace = format!("n{}", self.rng.u8(..10));
        let name = format!("map-{}", self.rng.u8(..4));
        let (key, metadata) = (
            format!("{namespace}/{name}"),
            ObjectMeta { namespace: Some(namespace), name: Some(name), ..ObjectMeta::default() },
        );
        let data = [("n".to_owned(), self.rng.u32(..).to_string())].into();
        let map = ConfigMap { metadata, data: Some(data), ..ConfigMap::default() };
        if self.rng.u8(..4) == 0 {
            // Before the delete: a reconcile may come at once.
            self.ledger.note_delete(&key);
            let _absent = self.server.delete(&map);
        } else if self.server.create(&map).is_err() {
            self.server.replace(&map).unwrap();
        }
    }

    async fn live(&mut self) {
        for _ in 0..self.rng.u32(20..80) {
            let pause = Duration::from_millis(self.rng.u64(..4_000));
            sleep(pause).await;
            self.step().await;
            self.ledger.check();
            let replays: Vec<_> = self.replicas.iter().map(Replica::replays).collect();
            assert!(replays.iter().all(|replays| *replays == 0), "{replays:?}");
        }
    }

    async fn step(&mut self) {
        let Some(which) =
            (!self.replicas.is_empty()).then(|| self.rng.usize(..self.replicas.len()))
        else {
            return self.start();
        };
        match self.rng.u8(..24) {
            0 if self.replicas.len() < 20 => self.start(),
            1 if self.replicas.len() > 1 => {
                self.replicas.swap_remove(which).kill();
                self.tally.count("kill", 1);
            }
            2 if self.replicas.len() > 1 => {
                // A rolling update: the new one comes before the old one goes.
                self.start();
                let old = self.replicas.swap_remove(which);
                old.faults.clear();
                let sessions = old.sharding.clone();
                tokio::time::timeout(Duration::from_secs(60), old.end())
                    .await
                    .unwrap_or_else(|_| panic!("a stopped replica ends: {:?}", sessions.status()));
                self.tally.count("stop", 1);
            }
            3 => {
                // Requests vanish, open answers stay silent or break.
                let replica = &mut self.replicas[which];
                let injection =
                    if self.rng.bool() { Injection::black_hole() } else { Injection::refuse() };
                if replica.cut.is_none() {
                    replica.cut = Some(replica.faults.inject(Requests::all(), injection));
                    replica.faults.cut_now();
                    self.tally.count("cut", 1);
                }
            }
            4 | 5 => {
                if let Some(cut) = self.replicas[which].cut.take() {
                    cut.remove();
                }
            }
            6 => {
                let delay = Duration::from_millis(self.rng.u64(100..1_500));
                let replica = &mut self.replicas[which];
                if let Some(before) = replica.slow.take() {
                    before.remove();
                }
                replica.slow =
                    Some(replica.faults.inject(Requests::all(), Injection::delay(delay)));
                self.tally.count("slow", 1);
            }
            7 => {
                if let Some(slow) = self.replicas[which].slow.take() {
                    slow.remove();
                }
            }
            8 => self.server.compact(),
            9 => self.server.drop_connections(),
            10 => {
                // Slots move and events are on their way.
                let audit = self.replicas[which].maps.audit().await;
                let Audit { missing, extra, older, handlers, .. } = &audit;
                let differs = [missing, extra, older].iter().any(|keys| !keys.is_empty());
                assert!(!differs && handlers.is_empty(), "false alarm: {audit}");
                self.tally.count("audit", 1);
            }
            _ => self.write(),
        }
    }

    /// Removes all faults, and waits until everything is right.
    async fn recover(&mut self) {
        for replica in &mut self.replicas {
            replica.faults.clear();
            (replica.cut, replica.slow) = (None, None);
        }
        for _ in 0..10 {
            self.write();
        }
        sleep(RECOVERY).await;
        self.ledger.check();
        let held: Vec<_> = self.replicas.iter().map(|one| one.sharding.status().held).collect();
        let (least, most) =
            (held.iter().map(Vec::len).min().unwrap(), held.iter().map(Vec::len).max().unwrap());
        assert!(most - least <= 1, "unfair: {held:?}");
        assert_eq!(held.iter().map(Vec::len).sum::<usize>(), SLOTS, "{held:?}");
        self.check_stores().await;
        self.check_reconciles().await;
    }

    /// Every object is in one replica's store, and its handlers know it.
    async fn check_stores(&self) {
        let mut stored = BTreeMap::new();
        for (number, replica) in self.replicas.iter().enumerate() {
            let keys: Vec<_> =
                replica.maps.snapshot().iter_cached().map(|(key, _)| key.to_string()).collect();
            let heard: Vec<_> = replica.heard.lock().iter().cloned().collect();
            let mut sorted = keys.clone();
            sorted.sort();
            assert_eq!(sorted, heard, "the handler of replica {number}");
            let audit = replica.maps.audit().await;
            assert!(audit.passed() && audit.was_judged(), "replica {number}: {audit}");
            for key in keys {
                let before = stored.insert(key.clone(), number);
                assert_eq!(before, None, "{key} is in two stores");
            }
        }
        let maps: Api<ConfigMap> = Api::all(self.server.client());
        let maps = maps.list(&ListParams::default()).await.unwrap();
        let mut keys: Vec<_> = maps.items.iter().map(key).collect();
        keys.sort();
        assert_eq!(stored.into_keys().collect::<Vec<_>>(), keys);
    }

    /// Every object was reconciled in its last state, and has one child.
    async fn check_reconciles(&self) {
        let maps: Api<ConfigMap> = Api::all(self.server.client());
        let secrets: Api<Secret> = Api::all(self.server.client());
        let secrets = secrets.list(&ListParams::default()).await.unwrap();
        for map in maps.list(&ListParams::default()).await.unwrap() {
            let (key, uid) = (key(&map), map.metadata.uid.clone().unwrap());
            // By uid, another replica may end its work on an earlier object of this name later.
            let last = self.ledger.last(if self.by == ShardBy::Uid { &uid } else { &key });
            assert_eq!(last, map.metadata.resource_version, "{key}");
            let children = secrets.iter().filter(|secret| {
                let owners = secret.metadata.owner_references.iter().flatten();
                owners.clone().any(|owner| owner.uid == uid)
            });
            assert_eq!(children.count(), 1, "children of {key}");
        }
    }

    async fn end(mut self) -> Tally {
        for replica in &self.replicas {
            replica.stop();
        }
        for replica in std::mem::take(&mut self.replicas) {
            let counts = replica.sharding.status().counts;
            self.tally.count("lost session", counts.losses);
            self.tally.count("moved", counts.released);
            replica.end().await;
        }
        self.ledger.check();
        self.tally.count("reconcile", self.ledger.reconciles());
        self.tally
    }
}

fn key(map: &ConfigMap) -> String {
    let metadata = &map.metadata;
    format!("{}/{}", metadata.namespace.as_deref().unwrap(), metadata.name.as_deref().unwrap())
}
