//! Schedules of a packed object: readers, the writer that asks for its heat, and the sweeps.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;

use super::{join_all, run_scenario, spawn};
use crate::helpers::object;
use crate::object::PassingRead;
use crate::panic::SafeDropper;
use crate::storage::Storage;

/// The time between two sweeps.
const HALF_AGE: Duration = Duration::from_secs(30);

#[test]
fn readers_share_an_object_while_it_cools() {
    run_scenario(|time| {
        let storage = Storage::<ConfigMap>::compact();
        let keeper = storage.keeper(&"maps".into(), SafeDropper::default()).expect("it packs");
        let map = keeper.pack(Arc::new(object("a")), None);
        let mut sweeps = keeper.clone().sweep(Box::new(drop));
        let warms = map.clone();
        let passes = map.clone();
        let readers = [
            spawn(move || warms.read(None)),
            spawn(move || passes.read_for(PassingRead::Index, None)),
        ];
        let asked = map.clone();
        let writer = spawn(move || assert!(asked.heat() <= 3));
        let sweeper = spawn(move || {
            for _ in 0..6 {
                time.advance(HALF_AGE);
                assert!((&mut sweeps).now_or_never().is_none());
            }
            (time, sweeps)
        });
        join_all([writer]);
        let read: Vec<_> = join_all(readers).into_iter().flatten().collect();
        assert!(Arc::ptr_eq(&read[0], &read[1]), "the first one is held");
        let (time, mut sweeps) = join_all([sweeper]).remove(0);
        drop(read);
        // A sweep takes two turns, and the third one releases the object.
        for _ in 0..10 {
            time.advance(HALF_AGE);
            assert!((&mut sweeps).now_or_never().is_none());
        }
        let status = keeper.status();
        assert_eq!((status.hot_objects, status.hot_bytes), (0, 0));
        assert_eq!((status.hits + status.misses, status.objects), (2, 1));
        drop(map);
        assert_eq!(keeper.status().objects, 0);
    });
}
