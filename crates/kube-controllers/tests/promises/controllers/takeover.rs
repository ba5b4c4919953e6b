//! A replica that takes over acts on no older view than its predecessor did.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::Api;
use kube_controllers::controller::{ControllerError, ControllerHandle, Phase, Presence};
use kube_controllers::leader_election::Outcome;
use kube_controllers::sharding::ShardBy;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest, Sharding};
use kube_informer::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use kube_informer::testing::{
    ApiServer, BodyPosition, FakeSource, Faults, Injection, Requests, SourceRequest,
};
use kube_informer::{InformerSpec, SharedInformer, SourceError};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::leading::losing_its_lease;
use crate::helpers::*;

/// A source whose watches lag behind for ever: they say nothing.
struct Lagging {
    source: FakeSource<ConfigMap>,
    lags: AtomicBool,
    /// The list requests hang.
    hangs: AtomicBool,
}

impl ListerWatcher<ConfigMap> for Lagging {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        if self.hangs.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        self.source.list(query, hints)
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        if self.lags.load(Ordering::Relaxed) {
            return Box::pin(async { Ok(futures::stream::pending().boxed()) });
        }
        self.source.watch(query, hints)
    }
}

/// Returns a source with one map, and an informer of it.
fn informer(lags: bool) -> (Arc<Lagging>, SharedInformer<ConfigMap>) {
    let source = FakeSource::new("configmaps", "ConfigMap");
    source.put(map("a", "old"));
    let (lags, hangs) = (lags.into(), false.into());
    let source = Arc::new(Lagging { source, lags, hangs });
    let informer = informer_of(&source);
    (source, informer)
}

/// The replica that leads first. It only holds the lease.
struct Predecessor(CancellationToken, JoinHandle<()>);

impl Predecessor {
    async fn lead(server: &ApiServer) -> Self {
        let (stop, led) = (CancellationToken::new(), CancellationToken::new());
        let mut elector = elector(server.client(), "first");
        let (stopped, leads) = (stop.clone(), led.clone());
        let holding = tokio::spawn(async move {
            let work = |stop: CancellationToken| async move {
                leads.cancel();
                stop.cancelled().await;
            };
            assert!(matches!(elector.run(stopped, work).await, Ok(Outcome::Stopped(_))));
        });
        led.cancelled().await;
        Self(stop, holding)
    }

    async fn hand_over(self) {
        self.0.cancel();
        self.1.await.unwrap();
    }
}

/// A standby that records the value of each map that it reconciles.
struct Standby {
    handle: ControllerHandle,
    log: Log<String>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ControllerError>>,
}

impl Standby {
    async fn start(controller: Controller<ConfigMap>) -> Self {
        let standby = Self::spawn(controller);
        while standby.handle.status().phase != Phase::Standby {
            sleep(MS).await;
        }
        standby
    }

    fn spawn(controller: Controller<ConfigMap>) -> Self {
        let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
        let logged = log.clone();
        let running = tokio::spawn(controller.run(stop.clone(), move |request| {
            logged.add(value(&request));
            async { Ok::<_, io::Error>(Action::done()) }
        }));
        Self { handle, log, stop, running }
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

fn value(request: &ReconcileRequest<ConfigMap>) -> String {
    let Presence::Present(map) = &request.object else { return "none".into() };
    map.data.iter().flatten().map(|(_, value)| value.clone()).collect()
}

/// Returns the number of quorum lists of one item.
fn probes(source: &FakeSource<ConfigMap>) -> usize {
    let probe = |request: &SourceRequest| {
        matches!(request, SourceRequest::List(query)
            if query.version.is_none() && query.limit == Some(1))
    };
    source.requests().iter().filter(|request| probe(request)).count()
}

#[tokio::test(start_paused = true)]
async fn lagging_standby_sees_its_predecessors_state() {
    let server = ApiServer::new();
    let first = Predecessor::lead(&server).await;
    let (source, maps) = informer(true);
    let controller = Controller::builder("work", &maps)
        .leader_election(elector(server.client(), "second"))
        .build();
    let second = Standby::start(controller).await;
    source.source.put(map("a", "new"));
    sleep(60 * S).await;
    // Queued earlier, which lets nothing begin earlier.
    assert!(second.handle.trigger(key("a")));
    let start = Instant::now();
    first.hand_over().await;
    second.log.reaches(1).await;
    assert_eq!(second.log.take(), ["new"]);
    // A candidate looks every 2.0 to 4.4 s, drawn by chance, and the view takes up to 4 s.
    assert!(start.elapsed() < 9 * S, "{:?}", start.elapsed());
    assert_eq!((probes(&source.source), maps.status().reflector.probes), (1, 1));
    assert_eq!(second.handle.status().phase, Phase::Working);
    second.end().await;
}

#[tokio::test(start_paused = true)]
async fn current_watch_costs_one_request_at_takeover() {
    let server = ApiServer::new();
    let first = Predecessor::lead(&server).await;
    let (source, maps) = informer(false);
    let controller = Controller::builder("work", &maps)
        .leader_election(elector(server.client(), "second"))
        .build();
    let second = Standby::start(controller).await;
    source.source.put(map("a", "new"));
    sleep(60 * S).await;
    let lists = maps.status().reflector.lists;
    first.hand_over().await;
    second.log.reaches(1).await;
    assert_eq!(second.log.take(), ["new"]);
    let status = maps.status().reflector;
    assert_eq!((probes(&source.source), status.probes, status.lists), (1, 1, lists));
    second.end().await;
}

/// The renewals of the lease move the server's version ahead of what the watches have.
#[tokio::test(start_paused = true)]
async fn quiet_kinds_are_listed_within_seconds() {
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    server.create(&secret_of(&owner, "b")).unwrap();
    let first = Predecessor::lead(&server).await;
    let factory = factory(&server);
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let controller = Controller::builder("work", &maps)
        .owns(&secrets)
        .leader_election(elector(server.client(), "second"))
        .build();
    let second = Standby::start(controller).await;
    sleep(31 * S).await;
    let lists = maps.status().reflector.lists;
    first.hand_over().await;
    let handed_over = Instant::now();
    while second.handle.status().phase == Phase::Standby {
        sleep(MS).await;
    }
    let (waited, start) = (handed_over.elapsed(), Instant::now());
    assert_eq!(second.handle.status().phase, Phase::TakingOver);
    second.log.reaches(1).await;
    assert!(start.elapsed() < 3 * S, "{:?} after {waited:?}", start.elapsed());
    for status in [maps.status().reflector, secrets.status().reflector] {
        assert_eq!((status.probes, status.lists), (1, lists + 1), "{status:?}");
    }
    second.end().await;
}

/// Every watch is refused, fails, hangs or breaks, and lists are answered.
#[tokio::test(start_paused = true)]
async fn takeover_needs_no_open_watch() {
    for injection in [
        Injection::status(403),
        Injection::status(500),
        Injection::throttle(Some(20 * S)),
        Injection::black_hole(),
        Injection::refuse(),
        Injection::cut(BodyPosition::Byte(0)),
    ] {
        let server = server_with(&["a"]);
        let first = Predecessor::lead(&server).await;
        let faults = Faults::new();
        let client = faults.client(server.client());
        let maps = factory_of(client).informer::<ConfigMap>();
        let controller = Controller::builder("work", &maps)
            .leader_election(elector(server.client(), "second"))
            .build();
        let second = Standby::start(controller).await;
        let text = format!("{injection:?}");
        faults.inject(Requests::watches().to("configmaps"), injection);
        faults.cut_now();
        sleep(100 * S).await;
        server.create(&map("b", "2")).unwrap();
        first.hand_over().await;
        while second.handle.status().phase == Phase::Standby {
            sleep(MS).await;
        }
        let (start, before) = (Instant::now(), maps.status().reflector);
        second.log.reaches(2).await;
        assert!(start.elapsed() < 5 * S, "{text}: {:?}", start.elapsed());
        let status = maps.status().reflector;
        assert!(status.lists - before.lists <= 2 && status.probes <= 3, "{text}: {status:?}");
        second.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn revoked_list_ends_run_and_frees_lease() {
    for code in [403, 404] {
        let server = server_with(&["a"]);
        let first = Predecessor::lead(&server).await;
        let faults = Faults::new();
        let client = faults.client(server.client());
        let maps = factory_of(client).informer::<ConfigMap>();
        let controller = Controller::builder("work", &maps)
            .sync_timeout(30 * S)
            .leader_election(elector(server.client(), "second"))
            .build();
        let second = Standby::start(controller).await;
        faults.inject(Requests::lists().to("configmaps"), Injection::status(code));
        first.hand_over().await;
        sleep(20 * S).await;
        let status = second.handle.status();
        assert_eq!((status.phase, second.log.len()), (Phase::TakingOver, 0));
        assert_eq!(status.missing, ["configmaps".into()]);
        let ended = timeout(30 * S, second.running).await.expect("the timeout counts").unwrap();
        let Err(error @ ControllerError::NotSynced { .. }) = ended else { panic!("{ended:?}") };
        let text = error.to_string();
        assert!(text.contains("configmaps was not listed since this replica took over"), "{text}");
        assert!(text.contains(&code.to_string()), "{text}");
        assert_eq!(second.log.len(), 0);
        let lease = Api::<Lease>::namespaced(server.client(), "shop").get("work").await.unwrap();
        let holder = lease.spec.and_then(|spec| spec.holder_identity);
        assert_eq!(holder.unwrap_or_default(), "", "another replica may try");
    }
}

#[tokio::test(start_paused = true)]
async fn broken_namespace_holds_up_only_its_own_keys() {
    let server = ApiServer::new();
    let mut other = map("b", "2");
    other.metadata.namespace = Some("bank".into());
    server.create(&map("a", "1")).unwrap();
    server.create(&other).unwrap();
    let first = Predecessor::lead(&server).await;
    let maps = factory(&server).in_namespaces::<ConfigMap>(["shop", "bank"]);
    let controller = Controller::builder("work", &maps)
        .leader_election(elector(server.client(), "second"))
        .build();
    let second = Standby::start(controller).await;
    forbid(&server, "/namespaces/bank/");
    first.hand_over().await;
    sleep(20 * S).await;
    assert_eq!(second.log.take(), ["1"]);
    let status = second.handle.status();
    assert_eq!((status.phase, status.missing), (Phase::Working, vec!["configmaps in bank".into()]));
    sleep(600 * S).await;
    assert_eq!(second.log.len(), 0);
    server.stop_intercepting();
    sleep(60 * S).await;
    assert_eq!(second.log.take(), ["2"]);
    assert!(second.handle.status().missing.is_empty());
    second.end().await;
}

#[tokio::test(start_paused = true)]
async fn controllers_share_the_request_of_an_informer() {
    let server = server_with(&["a"]);
    let first = Predecessor::lead(&server).await;
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.informer::<Secret>();
    let log = Log::new();
    let mut manager =
        Manager::builder(&factory).leader_election(elector(server.client(), "second"));
    for name in ["one", "two", "three"] {
        let (controller, logged) =
            (Controller::builder(name, &maps).owns(&secrets).build(), log.clone());
        manager = manager.controller(controller, move |_| {
            logged.add(name);
            async { Ok::<_, io::Error>(Action::done()) }
        });
    }
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.build().unwrap().run_until(stop.clone()));
    sleep(60 * S).await;
    first.hand_over().await;
    log.reaches(3).await;
    assert_eq!(maps.status().reflector.probes, 1);
    assert_eq!(secrets.status().reflector.probes, 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn term_that_ends_meanwhile_ends_the_wait() {
    for loses in [true, false] {
        let server = ApiServer::new();
        let first = Predecessor::lead(&server).await;
        let (source, maps) = informer(false);
        let cut = Arc::new(AtomicBool::new(false));
        let client = losing_its_lease(&server, &cut);
        let controller =
            Controller::builder("work", &maps).leader_election(elector(client, "second")).build();
        let second = Standby::start(controller).await;
        source.hangs.store(true, Ordering::Relaxed);
        first.hand_over().await;
        // Renewals go on during the wait.
        sleep(60 * S).await;
        let status = second.handle.status();
        assert_eq!((status.phase, second.log.len()), (Phase::TakingOver, 0));
        assert!(status.leadership.is_some_and(|leadership| leadership.is_leader));
        if loses {
            cut.store(true, Ordering::Relaxed);
            let ended = timeout(Duration::from_secs(20), second.running).await.unwrap().unwrap();
            assert!(matches!(ended, Err(ControllerError::Leadership { .. })), "{ended:?}");
        } else {
            second.stop.cancel();
            timeout(S, second.running).await.expect("at once").unwrap().unwrap();
        }
        assert_eq!(second.log.len(), 0);
    }
}

/// Another replica led between the two terms.
#[tokio::test(start_paused = true)]
async fn second_term_needs_a_proof_of_its_own() {
    let server = ApiServer::new();
    let (source, maps) = informer(true);
    let cut = Arc::new(AtomicBool::new(false));
    let controller = Controller::builder("work", &maps)
        .leader_election(elector(losing_its_lease(&server, &cut), "ours"))
        .rejoins_election(true)
        .build();
    let ours = Standby::spawn(controller);
    ours.log.reaches(1).await;
    cut.store(true, Ordering::Relaxed);
    let other = Predecessor::lead(&server).await;
    cut.store(false, Ordering::Relaxed);
    source.source.put(map("a", "new"));
    ours.log.take();
    other.hand_over().await;
    ours.log.reaches(1).await;
    assert_eq!(ours.log.take(), ["new"]);
    assert_eq!(ours.handle.status().leadership.map(|state| state.is_leader), Some(true));
    ours.end().await;
}

#[tokio::test(start_paused = true)]
async fn won_slots_wait_for_informers_without_shard() {
    let server = ApiServer::new();
    for name in ["shop", "bank", "a", "zoo", "lab", "harbour", "museum", "x-1", "9", "inn"] {
        let mut secret = secret_of(&map("none", "1"), name);
        secret.metadata.namespace = Some(name.into());
        server.create(&secret).unwrap();
    }
    for fails in [false, true] {
        let (source, settings) = informer(true);
        settings.start().unwrap();
        settings.wait_for_sync(10 * S).await.unwrap();
        source.source.put(map("a", "new"));
        source.hangs.store(fails, Ordering::Relaxed);
        let sharding = Sharding::builder(server.client(), "shop", "group", ShardBy::Namespace)
            .slots(8)
            .build()
            .unwrap();
        let spec = InformerSpec::new().shard(sharding.objects());
        let secrets = factory(&server).informer_with::<Secret>(spec).unwrap();
        let controller = Controller::builder("work", &secrets)
            .watches(&settings, |_| Vec::new())
            .sync_timeout(30 * S)
            .sharded(&sharding)
            .build();
        let (handle, log, stop) = (controller.handle(), Log::new(), CancellationToken::new());
        let (logged, store) = (log.clone(), settings.clone());
        let running = tokio::spawn(controller.run(stop.clone(), move |_| {
            let setting = store.indexer().get(&key("a")).and_then(|map| map.data.clone());
            logged.add(setting.unwrap_or_default()["value"].clone());
            async { Ok::<_, io::Error>(Action::done()) }
        }));
        let member = sharding.clone();
        let ends = stop.clone();
        let membership = tokio::spawn(async move { member.run(ends).await });
        if fails {
            let ended = timeout(60 * S, running).await.expect("the timeout counts").unwrap();
            let Err(error @ ControllerError::NotSynced { .. }) = ended else { panic!("{ended:?}") };
            let text = error.to_string();
            assert!(text.contains("configmaps was not listed since this replica"), "{text}");
            assert_eq!((log.len(), sharding.status().held.len()), (0, 8));
            stop.cancel();
            membership.await.unwrap().unwrap();
            continue;
        }
        log.reaches(10).await;
        assert_eq!(log.take(), ["new"; 10]);
        sleep(S).await;
        assert!(handle.status().missing.is_empty());
        assert!(probes(&source.source) <= 3, "{}", probes(&source.source));
        stop.cancel();
        running.await.unwrap().unwrap();
        membership.await.unwrap().unwrap();
    }
}
