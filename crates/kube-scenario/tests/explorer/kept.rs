//! Programs that keep their caches from one process to the next.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use kube_controllers::controller::Presence;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::object::ShardSelector;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, InformerSpec, SharedInformer, SharedInformerFactory};
use kube_scenario::{Exploration, Program, Scenario, World};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::scenarios::{self, map};

const LIMIT: Duration = Duration::from_secs(600);

/// The annotation of a copy: the uid of its map.
const OF: &str = "of";

/// Uid and version of each object, by name.
type View = BTreeMap<String, (String, u64)>;

thread_local! {
    /// The run of this thread.
    static RUN: RefCell<Run> = RefCell::default();
}

#[derive(Default)]
struct Run {
    server: Option<ApiServer>,
    maps: Option<SharedInformer<ConfigMap>>,
    /// The shard that processes follow. `None` if they follow everything.
    shard: Option<watch::Sender<ShardSelector>>,
    /// The number of processes. Tasks of a dead one may still run.
    processes: usize,
    /// The state that the handler of this process was told.
    fold: View,
    /// The newest version that a process has seen.
    newest: u64,
    /// The deletions of objects that this process was not told of before.
    late_deletions: usize,
    faults: Vec<String>,
}

impl Run {
    fn exists(&self, uid: &str) -> bool {
        let maps = self.server.as_ref().unwrap().list::<ConfigMap>().unwrap();
        maps.iter().any(|map| map.metadata.uid.as_deref() == Some(uid))
    }

    fn spec(&self) -> InformerSpec<ConfigMap> {
        let spec = InformerSpec::new();
        match &self.shard {
            Some(shard) => spec.shard(shard.subscribe()),
            None => spec,
        }
    }

    fn selects(&self, map: &ConfigMap) -> bool {
        self.shard.as_ref().is_none_or(|shard| shard.borrow().selects(&map.metadata))
    }

    fn is_told(&mut self, event: &Event<ConfigMap>) {
        let (name, (uid, version)) = state(event.object());
        self.newest = self.newest.max(version);
        let fault = match event {
            Event::Added { .. } => {
                self.fold.insert(name.clone(), (uid, version)).map(|_| "was added twice")
            }
            Event::Updated { .. } => {
                let before = self.fold.insert(name.clone(), (uid, version));
                before.is_none().then_some("was updated before it was added")
            }
            Event::Deleted { .. } => {
                let known = self.fold.remove(&name);
                self.late_deletions += usize::from(known.is_none());
                match known {
                    _ if self.exists(&uid) => Some("was deleted, and exists"),
                    Some((known, _)) if known != uid => Some("was deleted for another"),
                    _ => None,
                }
            }
            Event::MovedAway { .. } => {
                let known = self.fold.remove(&name);
                known.is_none().then_some("moved away, and was not there")
            }
        };
        self.faults.extend(fault.map(|fault| format!("{name} {fault}")));
    }
}

/// Changes the run of this thread, if the process with this number is the last one.
fn note(process: usize, change: impl FnOnce(&mut Run)) {
    RUN.with_borrow_mut(|run| {
        if run.processes == process {
            change(run);
        }
    });
}

fn state(map: &ConfigMap) -> (String, (String, u64)) {
    (map.name_any(), (map.uid().unwrap(), map.resource_version().unwrap().parse().unwrap()))
}

/// Gives each map a copy. A map has no finalizer, so only a kept cache shows that it was deleted
/// while no process ran. `cleans_after` is the time after which the copy of a deleted map goes.
fn copies(keeps: bool, cleans_after: Duration) -> Scenario {
    let builder = move |program: &Program| {
        let builder = SharedInformerFactory::builder(program.client());
        if keeps { builder.warm(program.kept_cache()) } else { builder }
    };
    copies_of(None, cleans_after, builder)
}

/// Gives each map in a shard a copy, if there is one. The script may move its border.
pub(crate) fn copies_of(
    shard: Option<ShardSelector>,
    cleans_after: Duration,
    builder: impl Fn(&Program) -> SharedInformerFactoryBuilder + Clone + Send + Sync + 'static,
) -> Scenario {
    let scenario = Scenario::new(move |program: Program| {
        let factory = builder(&program).build();
        run(program, factory, cleans_after)
    });
    observed(scenario, shard)
}

/// Gives each run its own notes, and checks what handlers are told.
pub(crate) fn observed(scenario: Scenario, shard: Option<ShardSelector>) -> Scenario {
    let scenario = scenario.takeovers(false).server(move || {
        let server = ApiServer::new();
        let shard = shard.clone().map(watch::Sender::new);
        RUN.set(Run { server: Some(server.clone()), shard, ..Run::default() });
        server
    });
    scenario.never("a handler is told what is not so", |_| {
        let faults = RUN.with_borrow(|run| run.faults.clone());
        assert!(faults.is_empty(), "{faults:?}");
        false
    })
}

async fn run(
    program: Program,
    factory: SharedInformerFactory,
    cleans_after: Duration,
) -> Result<(), BoxError> {
    let maps = factory.informer_with(RUN.with_borrow(Run::spec))?;
    follow(&maps)?;
    let context = (program.client(), cleans_after);
    let controller = Controller::builder("copies", &maps).context(context).build();
    program.run(&factory, controller, copy).await
}

/// Notes the views of the process that begins.
pub(crate) fn follow(maps: &SharedInformer<ConfigMap>) -> Result<(), BoxError> {
    let process = RUN.with_borrow_mut(|run| {
        (run.maps, run.fold) = (Some(maps.clone()), View::new());
        run.processes += 1;
        run.processes
    });
    maps.on_event(move |event| note(process, |run| run.is_told(&event)))?;
    let synced = maps.clone();
    tokio::spawn(async move {
        if synced.wait_for_sync(LIMIT).await.is_ok()
            && let Some(version) = synced.snapshot().version()
        {
            let version = version.to_string().parse().unwrap();
            note(process, |run| {
                if run.newest > version {
                    run.faults.push(format!("{version} is older than {}", run.newest));
                }
            });
        }
    });
    Ok(())
}

pub(crate) async fn copy(
    request: ReconcileRequest<ConfigMap, (Client, Duration)>,
) -> Result<Action, BoxError> {
    let (client, cleans_after) = &*request.context;
    let (name, copies) = (request.key.name(), request.api_of::<Secret>(client));
    let known = copies.get_opt(name).await?.map(|copy| copy.annotations()[OF].clone());
    match (&request.object, known) {
        (Presence::Present(map), None) => {
            let mut copy = Secret::default();
            copy.metadata.name = Some(name.into());
            copy.metadata.annotations = Some([(OF.into(), map.uid().unwrap())].into());
            copies.create(&PostParams::default(), &copy).await?;
        }
        (Presence::Present(map), Some(uid)) if map.uid().as_ref() != Some(&uid) => {
            let change = Patch::Merge(json!({"metadata": {"annotations": {OF: map.uid()}}}));
            copies.patch(name, &PatchParams::default(), &change).await?;
        }
        (Presence::Gone, Some(uid)) => {
            RUN.with_borrow_mut(|run| {
                if run.exists(&uid) {
                    run.faults.push(format!("{name} is gone, and exists"));
                }
            });
            sleep(*cleans_after).await;
            copies.delete(name, &DeleteParams::default()).await?;
        }
        (Presence::Present(_) | Presence::Gone | Presence::Unknown(_), _) => {}
    }
    Ok(Action::done())
}

/// Moves the border of the shard that processes follow.
pub(crate) fn move_shard(to: ShardSelector) {
    RUN.with_borrow(|run| run.shard.as_ref().unwrap().send_replace(to));
}

/// Fails unless exactly the maps of the server have copies.
pub(crate) fn copies_agree(world: &World) -> Result<(), BoxError> {
    let maps: Vec<_> = world.list::<ConfigMap>().iter().map(ResourceExt::name_any).collect();
    let copies: Vec<_> = world.list::<Secret>().iter().map(ResourceExt::name_any).collect();
    if maps == copies { Ok(()) } else { Err(format!("maps {maps:?}, copies {copies:?}").into()) }
}

/// Settles, and fails if the store or the handler's fold differs from the server.
pub(crate) async fn agree(world: &World) -> Result<(), BoxError> {
    world.settle().await?;
    RUN.with_borrow(|run| {
        let maps = world.list::<ConfigMap>();
        let server: View = maps.iter().filter(|map| run.selects(map)).map(state).collect();
        let store = run.maps.as_ref().ok_or("no process has begun")?.snapshot();
        let stored: View = store.iter().map(|(_, map)| state(&map)).collect();
        if stored != server || run.fold != server {
            return Err(format!("server {server:?}, store {stored:?}, told {:?}", run.fold).into());
        }
        Ok(())
    })
}

async fn acts(world: World) -> Result<(), BoxError> {
    let server = world.server();
    for name in ["a", "b", "c", "d"] {
        server.create(&map(name))?;
    }
    agree(&world).await?;
    // Deleted, changed, recreated.
    server.delete(&map("a"))?;
    let data = Some([("key".into(), "value".into())].into());
    server.replace(&ConfigMap { data, ..map("b") })?;
    server.delete(&map("c"))?;
    server.create(&map("c"))?;
    agree(&world).await?;
    // Outside of the server's history.
    server.delete(&map("b"))?;
    server.create(&map("e"))?;
    server.compact();
    agree(&world).await?;
    world.stop().await?;
    server.delete(&map("d"))?;
    server.create(&map("f"))?;
    world.start();
    agree(&world).await?;
    server.delete(&map("f"))?;
    agree(&world).await
}

/// Plays a schedule. Returns the number of deletions that a process was told late.
fn late_deletions(schedule: &str) -> usize {
    let late = Arc::new(AtomicUsize::new(0));
    let played = copies(true, Duration::ZERO).replay(schedule, |world: World| {
        let late = late.clone();
        async move {
            let acted = acts(world).await;
            late.fetch_max(RUN.with_borrow(|run| run.late_deletions), Ordering::SeqCst);
            acted
        }
    });
    played.unwrap();
    late.load(Ordering::SeqCst)
}

#[test]
fn program_is_away_while_the_test_acts() {
    // One is of the script's own stop.
    for (schedule, late) in [("crash-after 1 SETTLED", 3), ("stop 1 SETTLED", 3)] {
        assert_eq!(late_deletions(schedule), late, "{schedule}");
    }
}

pub(crate) fn failed(found: &Exploration) -> Vec<&str> {
    found.failures.iter().map(|one| &*one.schedule).collect()
}

#[test]
fn kept_cache_tells_what_was_deleted_while_no_process_ran() {
    let found = copies(true, Duration::ZERO).explore(acts).assert_passed();
    assert!(found.kept > 4 && found.not_reached.is_empty(), "{found}");
    assert!(found.to_string().contains(" writes of kept caches"), "{found}");
}

async fn deletes_one(world: World) -> Result<(), BoxError> {
    world.server().create(&map("a"))?;
    agree(&world).await?;
    world.server().delete(&map("a"))?;
    agree(&world).await
}

#[test]
fn deletion_is_lost_without_a_kept_cache() {
    let found = copies(false, Duration::ZERO).explore(deletes_one);
    let schedule = "crash-before 1 DELETE /api/v1/namespaces/shop/secrets/a";
    assert!(failed(&found).contains(&schedule), "{found}");
    assert_eq!(found.kept, 0);
}

/// The cache is written while the program acts on the deletion.
#[test]
fn deletion_stays_in_the_cache_until_the_program_has_acted() {
    let found = copies(true, Duration::from_secs(10)).explore(deletes_one).assert_passed();
    assert!(found.kept > 1, "{found}");
}

/// An owner reference cleans up after it.
#[test]
fn copier_with_a_kept_cache_passes_its_exploration() {
    let copier = |program: Program| async move {
        let builder = SharedInformerFactory::builder(program.client());
        let factory = builder.warm(program.kept_cache()).build();
        scenarios::copies(program, &factory).await
    };
    let found = Scenario::new(copier).pairs(60).explore(|world: World| async move {
        world.server().create(&map("a"))?;
        world.settle().await?;
        world.server().delete(&map("a"))?;
        world.server().create(&map("b"))?;
        world.settle().await?;
        Ok(())
    });
    let found = found.assert_passed();
    assert!(found.kept > 0 && found.pairs == 60, "{found}");
}
