//! Start, sync and stop of an informer.

use super::*;

#[tokio::test(start_paused = true)]
async fn informer_starts_again_until_it_is_stopped() {
    let rig = Rig::new(&["a"]);
    rig.start().await;
    assert_eq!(rig.informer.start(), Ok(()));
    rig.informer.shutdown().await;
    rig.informer.shutdown().await;
    assert_eq!(rig.informer.start(), Err(StartError::Stopped));
    assert!(rig.informer.add_handler(Fold::default()).is_err());
    assert!(rig.informer.events().is_err());
    assert!(rig.informer.lister().get("a").is_ok(), "the store stays readable");
    assert_eq!(rig.source.open_watches(), 0);
    let never_started = Rig::new(&[]);
    never_started.informer.shutdown().await;
    assert_eq!(never_started.informer.start(), Err(StartError::Stopped));
}

#[test]
fn start_outside_a_runtime_is_a_typed_error() {
    let rig = Rig::new(&[]);
    assert_eq!(rig.informer.start(), Err(StartError::NoRuntime));
}

#[tokio::test(start_paused = true)]
async fn missing_sync_names_its_reason() {
    let rig = Rig::new(&[]);
    let message = "configmaps is forbidden";
    for _ in 0..50 {
        let status = ApiStatus::new(403, "Forbidden", message);
        rig.source.fail_list(Fault::Status(status));
    }
    rig.informer.start().unwrap();
    let error = rig.informer.wait_for_sync(Duration::from_secs(20)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("list configmaps: 403 Forbidden: configmaps is forbidden"), "{text}");
    assert!(text.starts_with("not synced after 20.0s: configmaps: next try in "), "{text}");
    let waiting = rig.informer.wait_for_sync(Duration::from_secs(1_000_000));
    let (error, ()) = tokio::join!(waiting, rig.informer.shutdown());
    assert!(error.unwrap_err().to_string().contains("configmaps was stopped"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sync_and_stop_wake_every_waiter() {
    for stop in [false, true] {
        let rig = Rig::new(&["a"]);
        if stop {
            for _ in 0..1000 {
                rig.source.fail_list(Fault::NoVersion);
            }
        }
        let waiting: Vec<_> = (0..32)
            .map(|_| {
                let informer = rig.informer.clone();
                tokio::spawn(async move {
                    informer.wait_for_sync(Duration::from_secs(60)).await.is_ok()
                })
            })
            .collect();
        rig.informer.start().unwrap();
        if stop {
            rig.informer.shutdown().await;
        }
        for task in waiting {
            assert_eq!(task.await.unwrap(), !stop);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handler_sync_removal_and_shutdown_wake_every_waiter() {
    let rig = Rig::new(&["a", "b"]);
    let (_, kept) = rig.handler();
    let (_, removed) = rig.handler();
    let synced: Vec<_> = (0..16)
        .map(|_| {
            let (kept, removed) = (kept.clone(), removed.clone());
            tokio::spawn(async move { kept.wait_for_sync().await && removed.wait_for_sync().await })
        })
        .collect();
    rig.informer.start().unwrap();
    for task in synced {
        assert!(task.await.unwrap());
    }
    let gone: Vec<_> = (0..16)
        .map(|_| {
            let removed = removed.clone();
            tokio::spawn(async move { removed.remove_and_wait().await })
        })
        .collect();
    for task in gone {
        task.await.unwrap();
    }
    let stopped: Vec<_> = (0..16)
        .map(|n| {
            let informer = rig.informer.clone();
            tokio::spawn(async move {
                if n % 2 == 0 {
                    informer.shutdown().await;
                } else {
                    informer.shutdown_with_drain(Duration::from_secs(60)).await;
                }
            })
        })
        .collect();
    for task in stopped {
        task.await.unwrap();
    }
    assert_eq!(rig.source.open_watches(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_stops_everything() {
    let rig = Rig::new(&["a"]);
    let mut events = rig.informer.events().unwrap();
    let (_, registration) = rig.handler();
    rig.start().await;
    assert_eq!(rig.source.open_watches(), 1);
    let second = rig.informer.clone();
    let source = rig.source.clone();
    drop(rig);
    settle().await;
    assert_eq!(source.open_watches(), 1);
    drop(second);
    settle().await;
    assert_eq!(source.open_watches(), 0);
    registration.remove_and_wait().await;
    while events.next().await.is_some() {}
    assert_eq!(Arc::strong_count(&source), 1, "no task holds on to it");

    let idle = Rig::new(&["a"]);
    let mut events = idle.informer.events().unwrap();
    let (_, registration) = idle.handler();
    drop(idle);
    assert!(events.next().await.is_none());
    assert!(!registration.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn shutdown_drops_the_backlog_and_drain_delivers_it() {
    for drain in [false, true] {
        let rig = Rig::new(&["a"]);
        rig.start().await;
        let events = rig.informer.events().unwrap();
        for _ in 0..10 {
            rig.source.put(object("a"));
        }
        settle().await;
        let told = tokio::spawn(events.count());
        if drain {
            assert!(rig.informer.shutdown_with_drain(Duration::from_secs(1)).await);
        } else {
            rig.informer.shutdown().await;
        }
        let told = told.await.unwrap();
        assert_eq!(told, if drain { 11 } else { 0 });
    }
}
