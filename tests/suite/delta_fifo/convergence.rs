//! Random events, lists and batches, after which the store has the server's state.

use k8s_openapi::api::core::v1::ConfigMap;
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Put(u8),
    Remove(u8),
    Relist,
    Pop,
    Apply,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u8).prop_map(Step::Put),
        2 => (0..6u8).prop_map(Step::Remove),
        1 => Just(Step::Relist),
        2 => Just(Step::Pop),
        2 => Just(Step::Apply),
    ]
}

proptest! {
    #![proptest_config(crate::seeds::kept())]

    /// Whatever events are missed, and whenever batches are popped, the store reaches the server's
    /// state. Each delta fits the state before it.
    #[test]
    fn store_converges_to_the_server(
        steps in proptest::collection::vec((step(), any::<bool>()), 0..60),
    ) {
        let rig = Rig::new();
        let mut server: BTreeMap<String, u64> = BTreeMap::new();
        let mut folded: BTreeMap<ObjectKey, Cached> = BTreeMap::new();
        let mut version = 0;
        let mut in_flight: Option<Batch> = None;
        let relist = |rig: &Rig, server: &BTreeMap<String, u64>, version: u64| {
            let items: Vec<_> = server.iter().map(|(name, at)| (name.as_str(), *at)).collect();
            rig.push(Change::Replace(list(version, &items)));
        };
        let mut finish = |rig: &Rig, batch: Batch| {
            for (key, delta) in &batch.deltas {
                match delta {
                    Delta::Deleted { .. } => {
                        prop_assert!(folded.remove(key).is_some(), "deleted an object that was not there");
                    }
                    _ => drop(folded.insert(key.clone(), delta.object().unwrap().clone())),
                }
            }
            rig.apply(&batch);
            let stored = rig.store.0.read();
            prop_assert!(folded.len() == stored.len());
            prop_assert!(folded.iter().all(|(key, object)| stored[key].ptr_eq(object)));
            Ok(())
        };
        for (step, seen) in steps {
            version += 1;
            match step {
                Step::Put(n) => {
                    let name = format!("o{n}");
                    let known = server.insert(name.clone(), version).is_some();
                    if seen {
                        let change = if known { updated } else { added };
                        rig.push(change(&name, version));
                    }
                }
                Step::Remove(n) => {
                    let name = format!("o{n}");
                    if server.remove(&name).is_some() && seen {
                        rig.push(deleted(&name, version));
                    }
                }
                Step::Relist => relist(&rig, &server, version),
                Step::Pop if in_flight.is_none() => in_flight = rig.pop(),
                Step::Pop => {}
                Step::Apply => if let Some(batch) = in_flight.take() {
                    finish(&rig, batch)?;
                },
            }
        }
        relist(&rig, &server, version + 1);
        if let Some(batch) = in_flight.take() {
            finish(&rig, batch)?;
        }
        while let Some(batch) = rig.pop() {
            finish(&rig, batch)?;
        }
        let stored: BTreeMap<String, u64> = rig.store.0.read().values().map(|object| {
            let object = object.get_as::<ConfigMap>().unwrap();
            let meta = &object.metadata;
            (meta.name.clone().unwrap(), meta.resource_version.as_ref().unwrap().parse().unwrap())
        }).collect();
        prop_assert_eq!(stored, server);
        prop_assert!(rig.fifo.is_empty());
    }
}
