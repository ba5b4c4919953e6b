//! One world, from its seed to its end.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams, Preconditions};
use kube::{Api, Client};
use kube_controllers::controller::AssumedView;
use kube_informer::testing::{ApiServer, Faults};
use kube_informer::{Index, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::cache::Replica;
use super::ledger::{Content, Ledger};
use super::seeds::in_simulated_time;
use super::tally::Tally;
use super::views::{NAMES, Writes, content, key, map};

/// Longer than any write takes.
const LIFETIME: Duration = Duration::from_secs(20);

/// The longest time without faults until nothing is assumed.
const RECOVERY: Duration = Duration::from_secs(240);

struct World {
    rng: Rng,
    server: ApiServer,
    writes: Writes,
    view: AssumedView<ConfigMap>,
    by_content: Index<ConfigMap>,
    faults: Faults,
    backup: Option<Vec<ConfigMap>>,
}

/// Plays a world to its end.
pub(crate) fn play(seed: u64) -> Tally {
    in_simulated_time(seed, async {
        let mut rng = Rng::with_seed(seed);
        let server = cluster();
        // The time after a restore has fewer versions than this.
        for n in 0..500 {
            let labels = Some([("n".to_owned(), n.to_string())].into());
            let name = Some("node".to_owned());
            let metadata = ObjectMeta { name, labels, ..ObjectMeta::default() };
            let node = Node { metadata, ..Node::default() };
            server.create(&node).or_else(|_| server.replace(&node)).unwrap();
        }
        let replica = Replica::new(&server);
        let writes = Writes {
            replica: replica.clone(),
            ledger: Arc::new(Ledger::default()),
            rng: Arc::new(Mutex::new(rng.fork())),
            tally: Arc::default(),
        };
        let faults = Faults::new();
        let client = faults.client(cached(&replica));
        let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
        let maps = factory.informer::<ConfigMap>();
        let by_content = maps.add_index("n", |map| [content(map).to_string()]).unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
        let view = AssumedView::new(&maps).lifetime(LIFETIME);
        let world = World { rng, server, writes, view, by_content, faults, backup: None };
        let tally = world.live(&replica).await;
        factory.shutdown().await;
        tally
    })
}

fn cluster() -> ApiServer {
    let server = ApiServer::new();
    let name = Some("shop".to_owned());
    let metadata = ObjectMeta { name, ..ObjectMeta::default() };
    let _ =
        server.create(&k8s_openapi::api::core::v1::Namespace { metadata, ..Default::default() });
    server
}

/// Returns a client that reads from a replica's cache.
fn cached(replica: &Replica) -> Client {
    let replica = replica.clone();
    let service = tower::service_fn(move |request| {
        let replica = replica.clone();
        async move { Ok::<_, std::convert::Infallible>(replica.answer(request).await) }
    });
    Client::new(service, "shop")
}

impl World {
    async fn live(mut self, replica: &Replica) -> Tally {
        let (lag, actors) = (self.lag(replica), self.actors());
        let (backed_up, restored) = (self.rng.u32(..60), self.rng.u32(60..400));
        let is_restored = self.rng.bool();
        for step in 0..500 {
            sleep(Duration::from_millis(self.rng.u64(..300))).await;
            self.read();
            if step == backed_up {
                let maps: Api<ConfigMap> = Api::all(self.server.client());
                self.backup = Some(maps.list(&ListParams::default()).await.unwrap().items);
            }
            if step == restored && is_restored {
                self.restore();
            }
            match self.rng.u8(..40) {
                0 => {
                    self.faults.cut_now();
                    self.count("cut");
                }
                1..4 => self.write_as_another(),
                _ => {}
            }
            self.read();
        }
        for actor in actors {
            actor.abort();
            assert!(actor.await.is_err_and(|ended| ended.is_cancelled()), "an actor panicked");
        }
        lag.abort();
        self.recover(replica).await;
        self.writes.tally.lock().clone()
    }

    fn count(&self, what: &'static str) {
        self.writes.tally.lock().count(what, 1);
    }

    /// Reads everything, in each way, and checks it.
    fn read(&self) {
        let maps = self.view.snapshot();
        let stored = maps.store();
        for name in NAMES {
            let key = key(name);
            let read = maps.get(&key).map(|map| content(&map));
            let listed =
                maps.iter().find(|(other, _)| **other == key).map(|(_, map)| content(&map));
            assert_eq!(listed, read, "{name}");
            if let Some(read) = read {
                let indexed: Vec<_> = maps.indexed(&self.by_content, &read.to_string()).collect();
                assert!(matches!(&*indexed, [(other, _)] if **other == key), "{name}: {indexed:?}");
            }
            let kept = stored.get(&key).map(|map| content(&map));
            if self.writes.replica.lags() {
                self.count("lag");
            }
            if kept != read {
                assert!(maps.is_assumed(&key), "{name}");
                self.count("read ahead of the store");
            }
            if let Some(kept) = kept.filter(|kept| Some(*kept) != read) {
                assert_eq!(maps.indexed(&self.by_content, &kept.to_string()).count(), 0, "{name}");
            }
            self.writes.ledger.read(name, read, maps.is_assumed(&key));
        }
    }

    /// Starts the task by which the cache follows the server, sometimes far behind.
    fn lag(&mut self, replica: &Replica) -> JoinHandle<()> {
        let (replica, mut rng) = (replica.clone(), self.rng.fork());
        tokio::spawn(async move {
            loop {
                let stuck = rng.u8(..10) == 0;
                sleep(Duration::from_millis(rng.u64(..if stuck { 30_000 } else { 1_500 }))).await;
                let newest = replica.revision();
                replica.reach(newest.saturating_sub(rng.u64(..3)));
            }
        })
    }

    /// Starts a writer of each object.
    fn actors(&mut self) -> Vec<JoinHandle<()>> {
        let actors = NAMES.into_iter().map(|name| {
            let api = Api::namespaced(self.view.client(self.writes.client()), "shop");
            let actor = Actor {
                name,
                api,
                view: self.view.clone(),
                writes: self.writes.clone(),
                rng: self.rng.fork(),
            };
            tokio::spawn(actor.act())
        });
        actors.collect()
    }

    /// Writes an object as another process does.
    fn write_as_another(&mut self) {
        let name = NAMES[self.rng.usize(..NAMES.len())];
        let object = map(name, self.rng.u64(1_000_000..));
        let written = match self.rng.u8(..3) {
            0 => self.server.delete(&object).map(|_| None),
            _ => self.server.create(&object).or_else(|_| self.server.replace(&object)).map(Some),
        };
        if let Ok(written) = written {
            self.writes.ledger.written(name, written.as_ref().map(content));
            self.count("written by another");
        }
    }

    /// Puts a cluster with the state of the backup in the place of this one. Its versions start
    /// over.
    fn restore(&mut self) {
        let server = cluster();
        let backup = self.backup.take().unwrap_or_default();
        for name in NAMES {
            let held = backup.iter().find(|map| map.metadata.name.as_deref() == Some(name));
            let held: Content = held.map(content);
            if let Some(held) = held {
                server.create(&map(name, held)).unwrap();
            }
            self.writes.ledger.written(name, held);
        }
        self.writes.replica.restore(&server);
        self.server = server;
        self.faults.cut_now();
        self.count("restore");
    }

    /// Lets time pass without faults, until nothing is assumed.
    async fn recover(&self, replica: &Replica) {
        self.faults.clear();
        let begun = tokio::time::Instant::now();
        loop {
            replica.reach(replica.revision());
            sleep(Duration::from_secs(1)).await;
            self.read();
            let maps = self.view.snapshot();
            let read = |name| maps.get(&key(name)).map(|map| content(&map));
            let current = NAMES.iter().all(|name| read(name) == self.writes.ledger.newest(name));
            if current && self.view.status().assumed == 0 {
                break;
            }
            let status = self.view.status();
            assert!(begun.elapsed() < RECOVERY, "{status:?}, {:?}", NAMES.map(read));
        }
        let status = self.view.status();
        assert_eq!(status.skipped, 0);
        self.writes.tally.lock().count("expired", status.expired);
    }
}

/// A writer of one object.
struct Actor {
    name: &'static str,
    api: Api<ConfigMap>,
    view: AssumedView<ConfigMap>,
    writes: Writes,
    rng: Rng,
}

impl Actor {
    async fn act(mut self) {
        let first = NAMES.iter().position(|name| *name == self.name).unwrap_or_default();
        for n in (first as u64..).step_by(NAMES.len()) {
            sleep(Duration::from_millis(self.rng.u64(..4_000))).await;
            self.write(n).await;
        }
    }

    fn count(&self, what: &'static str) {
        self.writes.tally.lock().count(what, 1);
    }

    async fn write(&mut self, n: u64) {
        let key = key(self.name);
        let maps = self.view.snapshot();
        let (known, is_stored) = (maps.get(&key), !maps.is_assumed(&key));
        if let Some(known) = known.as_ref().filter(|_| self.rng.u8(..5) == 0) {
            let uid = known.metadata.uid.clone().filter(|_| self.rng.bool());
            let preconditions = Some(Preconditions { uid, resource_version: None });
            let params =
                DeleteParams { preconditions: preconditions.clone(), ..Default::default() };
            let deleted = self.api.delete(self.name, &params).await.map(drop);
            self.count("deleted");
            if deleted.is_ok() && preconditions.is_none_or(|of| of.uid.is_none()) {
                // It may have been another object of the name.
                return;
            }
            return self.note(deleted, false);
        }
        let mut wanted = map(self.name, n);
        if let Some(known) = &known {
            wanted.metadata.uid.clone_from(&known.metadata.uid);
            wanted.metadata.resource_version.clone_from(&known.metadata.resource_version);
        }
        let assumes = self.rng.bool();
        if assumes {
            self.view.assume(wanted.clone()).unwrap();
            self.writes.ledger.assumed(self.name, n);
            self.count("assumed");
            let read = self.view.snapshot().get(&key);
            // An object that was assumed before may be found to be gone.
            let is_read = read.is_some_and(|map| content(&map) == n);
            assert!(is_read || !is_stored, "what is assumed is read");
            match self.rng.u8(..8) {
                // It decides otherwise.
                0 => return self.forget(),
                // It crashes.
                1 => return,
                _ => {}
            }
        }
        let params = PostParams::default();
        // Without a uid, it is assumed, and may have been created.
        let created = known.is_some_and(|known| known.metadata.uid.is_some());
        let written = if created {
            if self.rng.bool() {
                wanted.metadata.resource_version = None;
            }
            self.api.replace(self.name, &params, &wanted).await
        } else {
            self.api.create(&params, &wanted).await
        };
        self.note(written.map(drop), assumes);
    }

    fn forget(&self) {
        self.view.forget(&key(self.name));
        self.writes.ledger.forgotten(self.name);
        self.count("forgotten");
    }

    fn note(&self, written: kube::Result<()>, assumed: bool) {
        match written {
            Ok(()) => {
                self.writes.ledger.answered(self.name);
                self.count("answered");
                let (maps, key) = (self.view.snapshot(), key(self.name));
                let read = maps.get(&key).map(|map| content(&map));
                self.writes.ledger.read(self.name, read, maps.is_assumed(&key));
            }
            Err(kube::Error::Api(status)) => {
                assert!((400..500).contains(&status.code), "{status}");
                self.count("conflict");
                if assumed {
                    self.forget();
                }
            }
            // It may be made.
            Err(_) => {}
        }
    }
}
