//! Runs of a model, one for each seed.

use fastrand::Rng;
use kube::Resource;
use kube_informer::testing::ApiServer;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::draws;

/// Plays this number of [`draws::seeds`], each in a runtime of its own, whose clock is paused.
pub(crate) fn play_seeds<F: Future<Output = ()>>(seeds: u64, play: impl Fn(u64) -> F) {
    for seed in 0..draws::seeds(seeds) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(play(seed));
    }
}

/// Deletes an object that exists, or changes it, or creates it. Returns whether it exists then.
pub(crate) fn change<K>(server: &ApiServer, rng: &mut Rng, exists: bool, object: &K) -> bool
where
    K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
{
    if exists && rng.bool() {
        server.delete(object).unwrap();
        return false;
    }
    if exists { server.replace(object) } else { server.create(object) }.unwrap();
    true
}
