//! Replicas that keep the caches of their shards, whose borders move while they are away.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::ObjectMeta;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Controller, Manager, Sharding};
use kube_informer::error::BoxError;
use kube_informer::factory::SharedInformerFactoryBuilder;
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::warm::{TableName, WarmError, WarmRecord, WarmStore, WarmTable};
use kube_informer::{InformerSpec, SharedInformerFactory};
use kube_scenario::{Program, Scenario, World};

use crate::kept::{agree, copies_agree, copies_of, copy, failed, follow, move_shard, observed};
use crate::scenarios::map;

/// Longer than the time until the next write of a cache, and then until a replica that has died has
/// its slots again.
const QUIET: Duration = Duration::from_secs(15);

const QUARTER: u64 = u64::MAX / 4;

fn places(range: RangeInclusive<u64>) -> ShardSelector {
    ShardSelector::new(ShardKey::Name, [range])
}

/// The quarter that a replica keeps, and the one that moves to another replica.
fn small() -> ShardSelector {
    places(0..=QUARTER)
}

fn large() -> ShardSelector {
    places(0..=2 * QUARTER)
}

/// Returns maps with places in this range.
fn maps_in(range: RangeInclusive<u64>, number: usize) -> Vec<ConfigMap> {
    let range = places(range);
    let all = (0..).map(|n| map(&format!("{n}-of-the-maps")));
    all.filter(|map: &ConfigMap| range.selects(&map.metadata)).take(number).collect()
}

fn changed(map: &ConfigMap, value: &str) -> ConfigMap {
    let data = Some([("key".into(), value.into())].into());
    ConfigMap { data, ..map.clone() }
}

fn warm(program: &Program) -> SharedInformerFactoryBuilder {
    SharedInformerFactory::builder(program.client()).warm(program.kept_cache())
}

async fn acts(world: World) -> Result<(), BoxError> {
    let server = world.server();
    let stays = maps_in(0..=QUARTER, 4);
    let moves = maps_in(QUARTER + 1..=2 * QUARTER, 2);
    let other = maps_in(2 * QUARTER + 1..=u64::MAX, 1);
    for map in stays.iter().chain(&moves).chain(&other) {
        server.create(map)?;
    }
    agree(&world).await?;
    server.delete(&stays[0])?;
    server.replace(&changed(&moves[0], "1"))?;
    server.delete(&stays[1])?;
    server.create(&stays[1])?;
    agree(&world).await?;
    move_shard(small());
    server.delete(&stays[2])?;
    agree(&world).await?;
    // Another replica deletes the copy.
    server.delete(&moves[0])?;
    let copy = Secret {
        metadata: ObjectMeta {
            namespace: moves[0].metadata.namespace.clone(),
            name: moves[0].metadata.name.clone(),
            ..ObjectMeta::default()
        },
        ..Secret::default()
    };
    server.delete(&copy)?;
    server.delete(&other[0])?;
    server.replace(&changed(&moves[1], "2"))?;
    server.compact();
    agree(&world).await?;
    world.stop().await?;
    server.delete(&stays[1])?;
    server.create(&stays[0])?;
    move_shard(large());
    world.start();
    agree(&world).await?;
    server.delete(&moves[1])?;
    server.delete(&stays[3])?;
    agree(&world).await?;
    move_shard(small());
    agree(&world).await
}

#[test]
fn replica_with_a_kept_cache_agrees_while_its_border_moves() {
    let found = copies_of(Some(large()), Duration::ZERO, warm).explore(acts).assert_passed();
    assert!(found.kept > 6 && found.not_reached.is_empty(), "{found}");
}

/// A store that states of each table that it has all objects of the collection.
struct Boasting<S>(S);

struct BoastingTable(Box<dyn WarmTable>);

impl<S: WarmStore> WarmStore for Boasting<S> {
    fn open(&self, name: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        Ok(self.0.open(name)?.map(|table| Box::new(BoastingTable(table)) as _))
    }

    fn cluster(&self) -> Option<Arc<str>> {
        self.0.cluster()
    }

    fn audits(&self) -> bool {
        false
    }
}

impl WarmTable for BoastingTable {
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError> {
        self.0.read(visit)
    }

    fn clear(&mut self) -> Result<(), WarmError> {
        self.0.clear()
    }

    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError> {
        self.0.put(record)
    }

    fn remove(&mut self, key: &str) -> Result<(), WarmError> {
        self.0.remove(key)
    }

    fn commit(&mut self, state: &str) -> Result<(), WarmError> {
        let version = state.split(' ').next().unwrap_or_default();
        self.0.commit(&format!("{version} everything"))
    }
}

async fn moves_twice(world: World) -> Result<(), BoxError> {
    let (stays, moves) = (&maps_in(0..=QUARTER, 1)[0], &maps_in(QUARTER + 1..=2 * QUARTER, 1)[0]);
    world.server().create(stays)?;
    world.server().create(moves)?;
    agree(&world).await?;
    move_shard(small());
    world.server().replace(&changed(stays, "1"))?;
    agree(&world).await?;
    move_shard(large());
    agree(&world).await
}

/// The planted fault shows only if the border moves while the replica is away.
#[test]
fn exploration_finds_a_cache_that_has_less_than_it_states() {
    let boasting = |program: &Program| {
        SharedInformerFactory::builder(program.client()).warm(Boasting(program.kept_cache()))
    };
    let found = copies_of(Some(large()), Duration::ZERO, boasting).explore(moves_twice);
    let failed = failed(&found);
    let away = ["crash-after 2 SETTLED", "stop 2 SETTLED"];
    assert!(away.iter().all(|schedule| failed.contains(schedule)), "{found}");
    assert!(found.failures.iter().all(|one| one.problem.contains("store {")), "{found}");
    copies_of(Some(large()), Duration::ZERO, warm).explore(moves_twice).assert_passed();
}

/// A replica that wins its slots by Leases.
async fn replica(program: Program) -> Result<(), BoxError> {
    let client = program.client();
    let sharding = Sharding::builder(client.clone(), "shop", "copies", ShardBy::Uid)
        .identity(format!("replica-{:08x}", fastrand::u32(..)))
        .slots(2)
        .lease_duration(Duration::from_secs(3))
        .renew_deadline(Duration::from_secs(2))
        .retry_period(Duration::from_millis(500))
        .build()?;
    let factory = warm(&program).build();
    let maps = factory.informer_with(InformerSpec::new().shard(sharding.objects()))?;
    follow(&maps)?;
    let controller = Controller::builder("copies", &maps)
        .context((client, Duration::ZERO))
        .sharded(&sharding)
        .build();
    let manager = Manager::builder(&factory)
        .task_before_sync(
            "membership",
            |scope| async move { sharding.run(scope.token().clone()).await },
        )
        .controller(controller, copy)
        .build()?;
    program.run_manager(manager).await
}

async fn acts_on_a_replica(world: World) -> Result<(), BoxError> {
    let server = world.server();
    let maps = maps_in(0..=u64::MAX, 3);
    for map in &maps {
        server.create(map)?;
    }
    world.settle().await?;
    server.delete(&maps[0])?;
    world.settle().await?;
    world.stop().await?;
    server.delete(&maps[1])?;
    world.start();
    world.settle().await?;
    copies_agree(&world)
}

#[test]
fn sharded_replica_with_a_kept_cache_learns_of_deletes() {
    let scenario = observed(Scenario::new(replica), None).quiet_for(QUIET);
    let found = scenario.explore(acts_on_a_replica).assert_passed();
    assert!(found.kept > 0, "{found}");
}
