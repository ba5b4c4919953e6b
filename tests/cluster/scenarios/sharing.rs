//! Shards of a collection.

use kube_informer::InformerSpec;
use kube_informer::object::{ShardKey, ShardSelector};
use tokio::sync::watch;

use super::super::harness::Outcome;
use super::super::rig::{Log, Rig, SOON, eventually};
use super::super::widgets::Widget;

/// The lower and the upper part of the ring.
fn parts(border: u64) -> [ShardSelector; 2] {
    let lower = ShardSelector::new(ShardKey::Uid, [0..=border]);
    [lower.clone(), ShardSelector::everything(ShardKey::Uid).without(&lower)]
}

pub(super) async fn a_shard_moves_between_informers(rig: Rig) -> Outcome {
    for n in 0..24 {
        rig.make(&format!("w{n:02}"), "blue").await;
    }
    let (factory, errors) = rig.factory();
    let [lower, upper] = parts(u64::MAX / 2).map(watch::Sender::new);
    let informer = |shard: &watch::Sender<ShardSelector>| {
        let spec = InformerSpec::new().namespace(&*rig.namespace).shard(shard.subscribe());
        factory.informer_with::<Widget>(spec).unwrap()
    };
    let (low, high) = (informer(&lower), informer(&upper));
    let (log_low, log_high) = (Log::of(&low), Log::of(&high));
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert_eq!(low.snapshot().len() + high.snapshot().len(), 24, "each in one of them");
    log_low.reaches(low.snapshot().len()).await;
    log_high.reaches(high.snapshot().len()).await;
    log_low.take();
    log_high.take();
    // A quarter of the ring changes hands: first it is given up.
    let [less, more] = parts(u64::MAX / 4);
    let before = low.snapshot().len();
    lower.send_replace(less);
    eventually("the lower part is smaller", async || {
        low.snapshot().shard().is_some_and(|shard| !shard.contains(u64::MAX / 2))
    })
    .await;
    let moved = before - low.snapshot().len();
    log_low.reaches(moved).await;
    assert!(log_low.what().iter().all(|told| told.starts_with("moved away")));
    upper.send_replace(more);
    eventually("all are there again", async || low.snapshot().len() + high.snapshot().len() == 24)
        .await;
    log_high.reaches(moved).await;
    assert!(log_high.what().iter().all(|told| told.starts_with("added")));
    log_low.take();
    log_high.take();
    for n in 0..24 {
        rig.paint(&format!("w{n:02}"), "red").await;
    }
    log_low.reaches(low.snapshot().len()).await;
    log_high.reaches(high.snapshot().len()).await;
    let told = [log_low.what(), log_high.what()].concat();
    assert_eq!(told.iter().filter(|told| told.starts_with("updated")).count(), 24, "{told:?}");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}
