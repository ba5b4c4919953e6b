//! The example `sharded`: each order gets a receipt, from the replica that holds it.

#[allow(dead_code, reason = "the views of its processes")]
#[path = "../../../../examples/sharded/replica.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_scenario::{Program, Scenario, World};

use self::example::{Replica, order};

/// Longer than the time after which the slots of a replica that has died have an owner again.
const QUIET: Duration = Duration::from_secs(8);

/// A replica under a name of its own, as the pods of a Deployment have.
async fn replica(program: Program) -> Result<(), BoxError> {
    let name = format!("replica-{:08x}", fastrand::u32(..));
    Replica::new(program.client(), &name, "shop", None)?.run(program.stopping()).await
}

fn sharded() -> Scenario {
    Scenario::new(replica)
        .quiet_for(QUIET)
        .server(|| ApiServer::builder().sharded_lists(true).garbage_collection(true).build())
}

/// Returns the receipts, each with its order.
fn receipts(world: &World) -> Vec<(String, String)> {
    let of = |receipt: &Secret| receipt.owner_references()[0].name.clone();
    world.list::<Secret>().iter().map(|receipt| (receipt.name_any(), of(receipt))).collect()
}

#[tokio::test(start_paused = true)]
async fn order_gets_a_receipt() {
    let world = sharded().start();
    world.server().create(&order("shop", "a")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(receipts(&world), [("a-receipt".into(), "a".into())]);

    world.server().delete(&world.get::<Secret>("shop", "a-receipt").unwrap()).unwrap();
    world.settle().await.unwrap();
    assert_eq!(receipts(&world).len(), 1, "it is made again");

    world.server().delete(&world.get::<ConfigMap>("shop", "a").unwrap()).unwrap();
    world.settle().await.unwrap();
    assert_eq!(receipts(&world), []);
    world.stop().await.unwrap();
}

async fn takes_an_order(world: World) -> Result<(), BoxError> {
    world.server().create(&order("shop", "a"))?;
    world.settle().await?;
    if let Some(receipt) = world.get::<Secret>("shop", "a-receipt") {
        world.server().delete(&receipt)?;
    }
    world.settle().await?;
    Ok(())
}

/// The informer never has the receipt that is created and deleted while its watch is broken, so no
/// event tells of the deletion.
#[test]
fn exploration_finds_only_an_unseen_receipt() {
    let found = sharded().explore(takes_an_order);
    let failed: Vec<_> = found.failures.iter().map(|one| &*one.schedule).collect();
    assert_eq!(failed, ["gap 1 EVENT /api/v1/secrets shop/a-receipt"], "{found}");
    assert_eq!((found.writes, found.not_reached.len()), (3, 0), "{found}");
}
