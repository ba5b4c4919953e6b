//! Random histories of changes and faults, after which everything converges.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Act {
    Put(u8),
    Delete(u8),
    Disconnect(bool),
    Expire,
    Compact,
    Lag(u8),
    FailList(u8),
    FailWatch(u8),
    Poison(u8, bool),
    AddHandler(u8),
    RemoveHandler,
    Poll,
    Bookmark,
    Wait(u16),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0..8u8).prop_map(Act::Put),
        4 => (0..8u8).prop_map(Act::Delete),
        2 => any::<bool>().prop_map(Act::Disconnect),
        1 => Just(Act::Expire),
        1 => Just(Act::Compact),
        1 => (0..6u8).prop_map(Act::Lag),
        1 => (0..4u8).prop_map(Act::FailList),
        1 => (0..4u8).prop_map(Act::FailWatch),
        1 => (0..8u8, any::<bool>()).prop_map(|(n, on)| Act::Poison(n, on)),
        1 => (1..9u8).prop_map(Act::AddHandler),
        1 => Just(Act::RemoveHandler),
        2 => Just(Act::Poll),
        1 => Just(Act::Bookmark),
        4 => (1..20_000u16).prop_map(Act::Wait),
    ]
}

/// Runs a history of changes and faults, and checks that everything converges afterwards.
async fn converge(acts: Vec<Act>, streaming: bool) -> Result<(), TestCaseError> {
    let reflector =
        ReflectorOptions::new().seed(3).list_mode(list_mode(streaming)).on_error(|_| {});
    let rig = Rig::with(&["o0", "o1"], InformerOptions::new().reflector(reflector));
    let index = rig.informer.add_index("parity", |o: &ConfigMap| [(version(o) % 2).to_string()]);
    let index = index.unwrap();
    let mut handlers = vec![rig.handler()];
    let mut slow = rig.informer.events_with(HandlerOptions::new().backlog(2)).unwrap();
    let mut slow_fold = Fold::default();
    rig.informer.start().unwrap();
    let mut poisoned = BTreeSet::new();
    for act in acts {
        match act {
            Act::Put(n) => drop(rig.source.put(object(&format!("o{n}")))),
            Act::Delete(n) => drop(rig.source.delete(&key(&format!("o{n}")))),
            Act::Disconnect(broken) => {
                rig.source.end_watches(if broken { WatchEnd::Broken } else { WatchEnd::Ordinary });
            }
            Act::Expire => {
                rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
            }
            Act::Compact => rig.source.compact(),
            Act::Lag(n) => rig.source.set_lag(n.into()),
            Act::FailList(n) => rig.source.fail_list(some_fault(n)),
            Act::FailWatch(n) => rig.source.fail_watch(some_fault(n)),
            Act::Poison(n, on) => {
                let key = key(&format!("o{n}"));
                rig.source.set_poisoned(&key, on);
                if on {
                    poisoned.insert(key)
                } else {
                    poisoned.remove(&key)
                };
            }
            Act::AddHandler(backlog) => {
                let fold = Fold::default();
                let options = HandlerOptions::new().backlog(backlog.into());
                let added = rig.informer.add_handler_with(fold.clone(), options).unwrap();
                handlers.push((fold, added));
            }
            Act::RemoveHandler => {
                if handlers.len() > 1 {
                    let (fold, registration) = handlers.remove(1);
                    registration.remove_and_wait().await;
                    prop_assert!(fold.0.lock().wrong.is_empty(), "{:?}", fold.0.lock().wrong);
                }
            }
            Act::Poll => {
                if let Some(Some(event)) = futures::FutureExt::now_or_never(slow.next()) {
                    slow_fold.on_event(event);
                }
            }
            Act::Bookmark => rig.source.send_bookmark(),
            Act::Wait(ms) => tokio::time::sleep(Duration::from_millis(ms.into())).await,
        }
        let snapshot = rig.informer.snapshot();
        for parity in ["0", "1"] {
            let by_index: BTreeSet<_> = snapshot.indexed(&index, parity).map(|(k, _)| k).collect();
            let by_scan: BTreeSet<_> = snapshot
                .iter()
                .filter(|(_, o)| (version(o) % 2).to_string() == parity)
                .map(|(k, _)| k)
                .collect();
            prop_assert_eq!(by_index, by_scan, "a snapshot mixes two moments");
        }
    }
    // The faults stop. Undecodable objects are written again, so that the informer sees them.
    rig.source.set_lag(0);
    for key in poisoned {
        rig.source.set_poisoned(&key, false);
        if rig.source.objects().contains_key(&key) {
            rig.source.put(object(key.name()));
        }
    }
    // Only an open watch can be ended. The relist finds objects that were healed without a write.
    seconds(120.0).await;
    rig.source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "")));
    seconds(600.0).await;
    let source = rig.source.objects();
    let snapshot = rig.informer.snapshot();
    let stored: BTreeMap<_, _> =
        snapshot.iter().map(|(key, object)| (key.clone(), object.clone())).collect();
    prop_assert_eq!(&stored, &source, "the store differs from the source");
    prop_assert!(rig.informer.has_synced());
    prop_assert_eq!(rig.informer.status().stale, 0);
    while let Some(Some(event)) = futures::FutureExt::now_or_never(slow.next()) {
        slow_fold.on_event(event);
    }
    handlers.push((slow_fold, handlers[0].1.clone()));
    for (fold, registration) in &handlers {
        prop_assert!(registration.has_synced());
        let folded = fold.0.lock();
        prop_assert!(folded.wrong.is_empty(), "{:?}", folded.wrong);
        prop_assert_eq!(&folded.objects, &stored, "the events do not fold to the store");
    }
    rig.informer.shutdown().await;
    prop_assert_eq!(rig.source.open_watches(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(crate::seeds::cases(75))]

    #[test]
    fn any_history_converges(
        acts in proptest::collection::vec(act(), 0..60),
        streaming in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(converge(acts, streaming))?;
    }
}
