//! Servers that restart, forget, lag behind or were restored.

use super::*;

#[tokio::test(start_paused = true)]
async fn restart_with_history_costs_no_list() {
    for way in WAYS {
        let rig = Rig::synced(way).await;
        let lists = rig.asked(false);
        let down = rig.inject(Requests::all(), Injection::refuse());
        rig.faults.cut_now();
        rig.change("down");
        sleep(Duration::from_secs(20)).await;
        down.remove();
        rig.comes_right().await;
        assert_eq!((rig.relists().total(), rig.asked(false)), (0, lists));
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn restart_without_history_reports_missed_deletes() {
    for way in WAYS {
        let rig = Rig::synced(way).await;
        let down = rig.inject(Requests::all(), Injection::refuse());
        rig.server.drop_connections();
        rig.change("down");
        rig.server.delete(&map("map-9", "")).unwrap();
        sleep(Duration::from_secs(20)).await;
        rig.server.compact();
        down.remove();
        rig.comes_right().await;
        rig.reported(FaultClass::Expired, Some(410), "too old resource version");
        rig.relisted(RelistCause::Expired, 1);
        assert!(!rig.told.lock().contains_key("map-9"));
        rig.stop().await;
    }
}

/// Another server in the place of the first: a cluster that was restored, its versions started
/// over.
#[tokio::test(start_paused = true)]
async fn a_cluster_restored_from_a_backup_is_believed() {
    let serving = Arc::new(Mutex::new(ApiServer::new()));
    let server = serving.lock().clone();
    let current = serving.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let server = current.lock().clone();
        async move { Ok::<_, std::convert::Infallible>(server.handle(request).await) }
    });
    let faults = Faults::new();
    let client = faults.client(kube::Client::new(service, "default"));
    let mut rig = Rig::behind(Way::List, server, faults, client);
    rig.start().await;
    for n in 0..50 {
        rig.server.replace(&map("map-5", &n.to_string())).unwrap();
    }
    rig.comes_right().await;
    let restored = ApiServer::new();
    for n in 0..9 {
        restored.create(&map(&format!("map-{n}"), "restored")).unwrap();
    }
    // The watches of the old history end, as after `etcdutl snapshot restore --mark-compacted`.
    rig.inject(Requests::watches().times(1), Injection::status(410));
    *serving.lock() = restored.clone();
    rig.server.drop_connections();
    rig.server = restored;
    rig.comes_right().await;
    rig.reported(FaultClass::VersionTooLarge, Some(504), "Too large resource version");
    assert_eq!(rig.relists().of(RelistCause::VersionTooLarge), 1);
    rig.change("afterwards");
    rig.comes_right().await;
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_lags_behind_takes_nothing_back() {
    let rig = Rig::new(Way::List);
    rig.faults.remember_lists();
    rig.start().await;
    for word in ["a", "bb", "ccc"] {
        rig.change(word);
        rig.comes_right().await;
    }
    let known = rig.maps.snapshot().version().cloned().unwrap();
    let stale = rig.inject(Requests::lists().times(1), Injection::stale());
    rig.lose_history();
    rig.comes_right().await;
    assert_eq!(stale.count(), 1);
    rig.reported(FaultClass::Other, None, "was already seen");
    assert_eq!(rig.relists().of(RelistCause::StaleList), 1);
    assert!(!rig.maps.snapshot().version().unwrap().is_older_than(&known));
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn lagging_replica_leads_to_a_quorum_list() {
    let rig = Rig::new(Way::List);
    rig.faults.remember_lists();
    rig.start().await;
    rig.change("a");
    rig.comes_right().await;
    // Every list that may come from a cache does; only a read without a version is fresh.
    let stale = rig.inject(Requests::lists().to("resourceVersion="), Injection::stale());
    rig.lose_history();
    rig.comes_right().await;
    assert_eq!(stale.count(), 2);
    assert_eq!(rig.relists().of(RelistCause::StaleList), 2);
    rig.stop().await;
}

/// With `any_version`, the first list may be as old as it likes: the watch catches up from there.
#[tokio::test(start_paused = true)]
async fn first_list_from_lagging_replica_catches_up() {
    for forgotten in [false, true] {
        let rig = Rig::new(Way::List);
        rig.faults.remember_lists();
        let first = rig.factory.informer::<k8s_openapi::api::core::v1::ConfigMap>();
        rig.start().await;
        first.shutdown().await;
        rig.change("unseen");
        if forgotten {
            rig.server.compact();
        }
        rig.inject(Requests::lists().to("resourceVersion=0").times(1), Injection::stale());
        let late = InformerSpec::<ConfigMap>::new().any_version(true);
        let late = rig.factory.informer_with(late).unwrap();
        rig.factory.start().unwrap();
        late.wait_for_sync(Duration::from_secs(60)).await.unwrap();
        let version = rig.server.revision().into();
        rig.server.create(&map("last", "")).unwrap();
        late.wait_for(&version, Duration::from_secs(600)).await.unwrap();
        assert_eq!(late.status().reflector.relists.of(RelistCause::Expired), u64::from(forgotten));
        rig.stop().await;
    }
}
