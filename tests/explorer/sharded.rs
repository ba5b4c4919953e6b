//! The example `sharded`, with one replica at a time: an order gets one receipt, whichever replica
//! holds it.

#[allow(dead_code, reason = "of the processes of the example")]
#[path = "../../examples/sharded/replica.rs"]
mod replica;

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube_informer::controller::BoxError;
use kube_informer::testing::{Program, Scenario, World};

use self::replica::{Replica, order};

/// Each start is a replica of its own.
async fn start(program: Program) -> Result<(), BoxError> {
    let identity = format!("replica-{}", fastrand::u32(..));
    let replica = Replica::new(program.client(), &identity, "shop", None)?;
    replica.run(program.stopping()).await
}

/// Without takeovers: members list each other's Leases, so none believes for long that it is alone.
fn sharded() -> Scenario {
    Scenario::new(start).quiet_for(Duration::from_secs(20)).takeovers(false)
}

fn receipts(world: &World) -> Vec<String> {
    let mut receipts: Vec<_> = world.list::<Secret>().iter().map(ResourceExt::name_any).collect();
    receipts.sort();
    receipts
}

async fn orders(world: World) -> Result<(), BoxError> {
    for name in ["one", "two"] {
        world.server().create(&order("shop", name))?;
    }
    world.settle().await?;
    world.server().delete(&world.get::<ConfigMap>("shop", "one").ok_or("no order")?)?;
    world.settle().await?;
    world.server().create(&order("bank", "four"))?;
    world.settle().await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn receipts_follow_their_orders() {
    let world = sharded().start();
    orders(world.clone()).await.unwrap();
    assert_eq!(receipts(&world), ["four-receipt", "two-receipt"]);
    world.stop().await.unwrap();
}

#[test]
fn exploration_passes() {
    assert!(sharded().explore(orders).assert_passed().writes >= 3);
}
