//! Answers without sockets, in paused time.

mod election;
mod webhooks;

use std::convert::Infallible;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Request, Response};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::Api;
use kube::api::{ListParams, ObjectMeta};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::answers::Paths;
use super::*;
use crate::controller::OwnWrites;
use crate::helpers::Bomb;
use crate::manager::ManagerBuilder;
use crate::sharding::ShardBy;
use crate::{Action, Controller, LeaderElector, Manager, Sharding};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{InformerGroup, InformerSpec, SharedInformerFactory};

const S: Duration = Duration::from_secs(1);
const ALL: Paths = Paths { health: true, metrics: true, local: false };

/// A manager of one controller, its endpoints, and the faults of its connection.
struct Rig {
    site: Site,
    faults: Faults,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ManagerError>>,
}

impl Rig {
    fn start(
        serve: Serve,
        with: impl FnOnce(ManagerBuilder, kube::Client) -> ManagerBuilder,
    ) -> Self {
        let faults = Faults::new();
        let client = faults.client(ApiServer::new().client());
        let factory = SharedInformerFactory::builder(client.clone()).on_error(|_| {}).build();
        let controller = Controller::builder("maps", &factory.informer::<ConfigMap>()).build();
        let manager = Manager::builder(&factory)
            .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) });
        Self::run(serve, faults, with(manager, client))
    }

    fn run(serve: Serve, faults: Faults, manager: ManagerBuilder) -> Self {
        let (manager, stop) = (manager.build().unwrap(), CancellationToken::new());
        let state = manager.handle().0;
        let Serve { fresh_within, check_timeout, live, ready, routes, figures, .. } = serve;
        let health = Health::new(state.clone(), fresh_within, check_timeout, live, ready);
        let site = Site::new(state, health, figures, routes);
        let running = tokio::spawn(manager.run_until(stop.clone()));
        Self { site, faults, stop, running }
    }

    fn new(serve: Serve) -> Self {
        Self::start(serve, |builder, _| builder)
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let request = Request::get(path).body(String::new()).unwrap();
        let response = self.site.answer(ALL, request).await;
        let body = String::from_utf8(response.body().to_vec()).unwrap();
        (response.status().as_u16(), body)
    }

    async fn status(&self, path: &str) -> u16 {
        self.get(path).await.0
    }
}

#[tokio::test(start_paused = true)]
async fn lacking_objects_of_a_slot_is_unready() {
    let faults = Faults::new();
    let forbidden = Requests::all().to("/namespaces/b/secrets");
    let forbidden = faults.inject(forbidden, Injection::status(403));
    let client = faults.client(ApiServer::new().client());
    let sharding = Sharding::builder(client.clone(), "home", "g", ShardBy::Uid).build().unwrap();
    let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
    let group = InformerGroup::new(["a", "b"].map(|namespace| {
        let spec = InformerSpec::new().namespace(namespace).shard(sharding.objects());
        factory.informer_with::<Secret>(spec).unwrap()
    }));
    let controller = Controller::builder("secrets", group).sharded(&sharding).build();
    let manager = Manager::builder(&factory)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) })
        .task_on_every_replica("membership", |scope| async move {
            sharding.run(scope.token().clone()).await
        });
    let rig = Rig::run(Serve::new(), faults, manager);
    sleep(100 * S).await;
    assert_eq!(rig.status("/readyz").await, 200);
    sleep(30 * S).await;
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 500);
    assert!(body.contains("informer-sync/b/secrets failed: lacks objects"), "{body}");
    forbidden.remove();
    sleep(120 * S).await;
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    rig.stop.cancel();
    rig.running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn informers_of_another_cluster_are_owned() {
    let faults = Faults::new();
    faults.inject(Requests::lists(), Injection::status(503));
    let client = faults.client(ApiServer::new().client());
    let west = SharedInformerFactory::builder(client).on_error(|_| {}).build();
    let (maps, secrets) = (west.informer::<ConfigMap>(), west.informer::<Secret>());
    let (followed, written) = (maps.clone(), secrets.clone());
    let rig = Rig::start(Serve::new(), |builder, _| {
        let writes = OwnWrites::new(&written);
        let west = Controller::builder("west", &followed).reads_own_writes(&writes).build();
        let again = Controller::builder("again", &followed).build();
        let nothing = |_| async { Ok::<_, Infallible>(Action::done()) };
        builder.controller(west, nothing).controller(again, nothing)
    });
    sleep(S).await;
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 500);
    assert!(body.contains("[+]informer-sync/configmaps ok"), "{body}");
    for waits in ["configmaps-2", "secrets"] {
        assert!(body.contains(&format!("[-]informer-sync/{waits} failed: tries again")), "{body}");
    }
    faults.clear();
    sleep(60 * S).await;
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    let (_, body) = rig.get("/livez?verbose").await;
    assert!(body.contains("[+]informer/configmaps-2 ok\n[+]informer/secrets ok\n"), "{body}");
    rig.stop.cancel();
    rig.running.await.unwrap().unwrap();
    assert!(maps.is_stopped() && secrets.is_stopped(), "the manager stops them");
    let status = rig
        .site
        .answer(ALL, Request::get("/status").body(String::new()).unwrap())
        .await
        .into_body();
    let status: serde_json::Value = serde_json::from_slice(&status).unwrap();
    let informers = status["factory"]["informers"].as_array().unwrap();
    assert_eq!(informers.len(), 3, "their last status stays");
}

#[tokio::test(start_paused = true)]
async fn closed_cluster_of_a_group_leaves_others_ready() {
    let (here, there) = (Faults::new(), Faults::new());
    there.inject(Requests::lists(), Injection::status(403));
    let factory = |faults: &Faults| {
        let client = faults.client(ApiServer::new().client());
        SharedInformerFactory::builder(client).on_error(|_| {}).build()
    };
    let own = factory(&here);
    let group = [own.informer::<ConfigMap>(), factory(&there).informer()];
    let controller = Controller::builder("both", InformerGroup::new(group)).build();
    let manager = Manager::builder(&own)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) });
    let rig = Rig::run(Serve::new(), here, manager);
    sleep(300 * S).await;
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    rig.stop.cancel();
    rig.running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn blocked_work_of_a_slot_holds_up_the_end() {
    let server = ApiServer::new();
    let name = |name: &str| ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    let namespaced = ObjectMeta { namespace: Some("home".into()), ..name("a") };
    server.create(&Namespace { metadata: name("home"), ..Namespace::default() }).unwrap();
    server.create(&Secret { metadata: namespaced, ..Secret::default() }).unwrap();
    let client = server.client();
    let sharding = Sharding::builder(client.clone(), "home", "g", ShardBy::Uid).build().unwrap();
    let factory = SharedInformerFactory::builder(client).build();
    let spec = InformerSpec::new().shard(sharding.objects());
    let secrets = factory.informer_with::<Secret>(spec).unwrap();
    let controller = Controller::builder("secrets", &secrets).sharded(&sharding).build();
    let (sender, mut guards) = tokio::sync::mpsc::unbounded_channel();
    let membership = sharding.clone();
    let manager = Manager::builder(&factory)
        .controller(controller, move |request| {
            sender.send(request.guard()).unwrap();
            async { Ok::<_, Infallible>(Action::done()) }
        })
        .task_before_sync("membership", |scope| async move {
            membership.run(scope.token().clone()).await
        });
    let rig = Rig::run(Serve::new(), Faults::new(), manager);
    let guard = guards.recv().await.unwrap();
    assert_eq!(rig.status("/livez").await, 200);
    rig.stop.cancel();
    sleep(300 * S).await;
    assert!(!rig.running.is_finished());
    let status = sharding.status();
    assert!(status.overdue && status.session.is_some(), "{status:?}");
    let (code, body) = rig.get("/livez").await;
    assert_eq!(code, 500);
    assert!(body.contains("sharding/g failed") && body.contains("secrets on home/a"), "{body}");
    drop(guard);
    let ended = rig.running.await.unwrap();
    assert!(matches!(ended, Err(ManagerError::Controller(_))), "{ended:?}");
    let leases: Api<Lease> = Api::namespaced(server.client(), "home");
    let left = leases.list(&ListParams::default()).await.unwrap().items;
    let members =
        left.iter().filter(|lease| lease.metadata.name.iter().any(|n| n.contains("member")));
    assert_eq!(members.count(), 0, "its slots are free");
}

#[tokio::test(start_paused = true)]
async fn manager_is_ready_after_the_sync_and_alive_all_the_time() {
    let rig = Rig::new(Serve::new());
    rig.faults.inject(Requests::lists(), Injection::status(503));
    sleep(S).await;
    assert_eq!(rig.get("/livez").await, (200, "ok".into()));
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 500);
    assert!(body.contains("[+]ping ok\n[-]manager failed: informers are syncing\n"), "{body}");
    assert!(body.contains("[-]informer-sync/configmaps failed: tries again in "), "{body}");
    assert!(body.ends_with("readyz check failed\n"), "{body}");
    rig.faults.clear();
    sleep(60 * S).await;
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    let (_, body) = rig.get("/livez?verbose").await;
    let expected =
        "[+]ping ok\n[+]controller/maps ok\n[+]informer/configmaps ok\nlivez check passed\n";
    assert_eq!(body, expected);
    rig.stop.cancel();
    let Rig { site, running, .. } = rig;
    running.await.unwrap().unwrap();
    let probe = |path: &str| Request::get(path).body(String::new()).unwrap();
    assert_eq!(site.answer(ALL, probe("/livez")).await.status(), 200);
    assert_eq!(site.answer(ALL, probe("/readyz")).await.status(), 500);
}

#[tokio::test(start_paused = true)]
async fn stale_informer_is_not_ready() {
    let rig = Rig::new(Serve::new().fresh_within(200 * S));
    sleep(300 * S).await;
    assert_eq!(rig.status("/readyz").await, 200, "bookmarks prove the watch");
    rig.faults.inject(Requests::all(), Injection::status(503));
    rig.faults.cut_now();
    sleep(300 * S).await;
    let (status, body) = rig.get("/readyz/informer-sync/configmaps").await;
    assert_eq!(status, 500);
    assert!(body.contains("the limit is 200s"), "{body}");
    assert_eq!(rig.status("/livez").await, 200);
    rig.faults.clear();
    sleep(60 * S).await;
    assert_eq!(rig.status("/readyz").await, 200);
}

#[tokio::test(start_paused = true)]
async fn limit_of_age_leaves_time_for_a_proof() {
    let rig = Rig::new(Serve::new().fresh_within(Duration::ZERO));
    sleep(Duration::from_millis(1_500)).await;
    assert_eq!(rig.status("/readyz").await, 200);
    sleep(S).await;
    assert_eq!(rig.status("/readyz").await, 500);
}

#[tokio::test(start_paused = true)]
async fn synced_standby_is_ready() {
    let rig = Rig::start(Serve::new(), |builder, client| {
        let elector = LeaderElector::builder(client, "shop", "maps").build().unwrap();
        builder.leader_election(elector)
    });
    // No candidate gets the lease.
    rig.faults.inject(Requests::all().to("leases"), Injection::status(403));
    sleep(60 * S).await;
    assert_eq!(rig.status("/readyz").await, 200);
    assert_eq!(rig.status("/livez/leader-election").await, 200);
}

#[tokio::test]
async fn failed_check_is_named_without_its_reason() {
    let rig = Rig::new(
        Serve::new()
            .check_timeout(300 * S)
            .live_check("fine", || async { Ok::<_, BoxError>(()) })
            .live_check("disk: 95 %", || async { Ok::<_, BoxError>(()) })
            .live_check("fails", || async { Err::<(), _>(BoxError::from("password: 1234")) })
            .live_check("panics", || async {
                assert_eq!(1, 2, "in the check");
                Ok::<_, BoxError>(())
            }),
    );
    for _ in 0..2 {
        let (status, body) = rig.get("/livez").await;
        assert_eq!(status, 500);
        assert!(body.contains("[+]check/fine ok\n"), "{body}");
        assert!(body.contains("[-]check/fails failed: reason withheld: see the log\n"), "{body}");
        assert!(body.contains("[-]check/panics failed: reason withheld: see the log\n"), "{body}");
    }
    assert_eq!(rig.status("/livez/check/panics").await, 500);
    assert_eq!(rig.status("/livez/check/disk:%2095%20%25").await, 200);
    let (status, body) = rig.get("/livez?verbose&exclude=check/fails&exclude=check%2Fpanics").await;
    assert_eq!(status, 200);
    assert!(body.contains("[+]check/fails excluded: ok\n"), "{body}");
}

#[tokio::test]
async fn check_whose_error_panics_when_dropped_fails() {
    let serve = Serve::new().check_timeout(300 * S);
    let rig = Rig::new(serve.live_check("bomb", || async { Err::<(), _>(Bomb) }));
    for _ in 0..2 {
        assert_eq!(rig.status("/livez").await, 500);
    }
}

#[tokio::test]
async fn check_that_does_not_end_takes_one_thread() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = parking_lot::Mutex::new(blocked);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let rig = Rig::new(
        Serve::new()
            .check_timeout(Duration::from_millis(50))
            .ready_check("hangs", || async {
                pending::<()>().await;
                Ok::<_, BoxError>(())
            })
            .ready_check("blocks", move || {
                counted.fetch_add(1, Ordering::Relaxed);
                let _released = blocked.lock().recv();
                async { Ok::<_, BoxError>(()) }
            }),
    );
    for _ in 0..3 {
        let (status, body) = rig.get("/readyz").await;
        assert_eq!(status, 500);
        assert!(body.contains("[-]check/hangs failed: it has not ended after 50ms\n"), "{body}");
        assert!(body.contains("[-]check/blocks failed: it has not ended after 50ms\n"), "{body}");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    // A check that has ended runs again.
    drop(release);
    while rig.status("/readyz/check/blocks").await != 200 {
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn slow_metrics_are_shared_and_hold_up_nothing() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let (blocked, runtime) = (parking_lot::Mutex::new(blocked), std::thread::current().id());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let rig = Rig::new(Serve::new().metrics_from(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        // On this runtime's only thread this would wait for ever.
        if std::thread::current().id() != runtime {
            let _released = blocked.lock().recv();
        }
        "figures".into()
    }));
    let scrapes = futures::future::join_all((0..50).map(|_| rig.get("/metrics")));
    let probe = async {
        while calls.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(rig.status("/livez").await, 200);
        drop(release);
    };
    let (answers, ()) = tokio::join!(scrapes, probe);
    assert!(answers.iter().all(|answer| *answer == (200, "figures".to_owned())), "{answers:?}");
    assert_eq!(calls.load(Ordering::Relaxed), 1, "one rendering at a time, for all");
    assert_eq!(rig.status("/metrics").await, 200);
    assert_eq!(calls.load(Ordering::Relaxed), 2, "the next request is rendered again");
}

#[tokio::test]
async fn panicking_metrics_are_an_error_each_time() {
    let rig = Rig::new(Serve::new().metrics_from(|| panic!("in the exporter")));
    for _ in 0..2 {
        assert_eq!(rig.get("/metrics").await, (500, "no metrics\n".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_paths_and_methods_are_refused() {
    let rig = Rig::new(Serve::new().without_metrics());
    for path in ["/page", "/livezz", "/livez/none", "/status/x", "/metrics", "/readyz/check/none"] {
        assert_eq!(rig.status(path).await, 404, "{path}");
    }
    let page = rig.site.answer(ALL, Request::get("/").body(String::new()).unwrap()).await;
    assert_eq!(page.status().as_u16(), 200);
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let post = Request::post("/livez").body(String::new()).unwrap();
    let refused = rig.site.answer(ALL, post).await;
    assert_eq!(refused.status().as_u16(), 405);
    assert_eq!(refused.headers()["allow"], "GET, HEAD");
    let (status, body) = rig.get("/status").await;
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["controllers"][0]["name"]), (200, &"maps".into()));
}

#[tokio::test(start_paused = true)]
async fn local_address_answers_only_its_own_names() {
    let rig = Rig::new(Serve::new());
    let local = Paths { local: true, ..ALL };
    for (host, status) in [
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:8080", 200),
        ("LOCALHOST", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
    ] {
        let request = Request::get("/status").header("host", host).body(String::new()).unwrap();
        assert_eq!(rig.site.answer(local, request).await.status().as_u16(), status, "{host}");
    }
    let twice = Request::get("/status").header("host", "localhost").header("host", "127.0.0.1");
    assert_eq!(
        rig.site.answer(local, twice.body(String::new()).unwrap()).await.status().as_u16(),
        421
    );
}

#[test]
fn names_of_checks_must_differ() {
    let check = || async { Ok::<_, BoxError>(()) };
    let twice = Serve::new().without_metrics().ready_check("a", check).ready_check("a", check);
    assert!(matches!(twice.prepare().err(), Some(ManagerError::DuplicateName { .. })));
    let both = Serve::new().without_metrics().ready_check("a", check).live_check("a", check);
    assert!(both.prepare().is_ok());
}

#[tokio::test]
async fn route_of_the_user_is_served() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let rig =
        Rig::new(
            Serve::new().route("/debug/calls", move |_| {
                let call = counted.fetch_add(1, Ordering::Relaxed);
                let answer = Response::builder().status(202).header("content-length", "77");
                async move {
                    answer.header("cache-control", "no-cache").body(format!("{call}")).unwrap()
                }
            }),
        );
    assert_eq!(rig.get("/debug/calls?a=b").await, (202, "0".into()));
    let request = |path: &str| Request::get(path).body(String::new()).unwrap();
    let answer = rig.site.answer(ALL, request("/debug/calls")).await;
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    assert_eq!(answer.headers()["cache-control"], "no-cache", "the route's own");
    assert!(!answer.headers().contains_key("content-length"));
    for path in ["/debug", "/debug/calls/", "/debug/calls/x", "/calls"] {
        assert_eq!(rig.status(path).await, 404, "{path}");
    }
    let health = Paths { metrics: false, ..ALL };
    assert_eq!(rig.site.answer(health, request("/debug/calls")).await.status(), 404);
    let foreign =
        Request::get("/debug/calls").header("host", "evil.example").body(String::new()).unwrap();
    let local = Paths { local: true, ..ALL };
    assert_eq!(rig.site.answer(local, foreign).await.status(), 421);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn route_sees_method_query_and_body() {
    let rig = Rig::new(Serve::new().route("/level", |request: Request<bytes::Bytes>| async move {
        let (head, body) = request.into_parts();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Response::new(format!("{} {:?} {body}", head.method, head.uri.query()))
    }));
    let put =
        |body: String| Request::put("/level?dry=1").header("host", "10.0.0.1:8080").body(body);
    let sent = rig.site.answer(ALL, put("debug".into()).unwrap()).await;
    assert_eq!(sent.body(), "PUT Some(\"dry=1\") debug");
    assert_eq!(rig.site.answer(ALL, put("x".repeat(2 << 20)).unwrap()).await.status(), 413);
    for (origin, status) in
        [("http://10.0.0.1:8080", 200), ("https://evil.example", 403), ("null", 403)]
    {
        let mut sent = put("debug".into()).unwrap();
        sent.headers_mut().insert("origin", origin.parse().unwrap());
        assert_eq!(rig.site.answer(ALL, sent).await.status(), status, "{origin}");
    }
}

#[tokio::test]
async fn failed_route_is_an_error_each_time() {
    let rig = Rig::new(
        Serve::new()
            .route("/call", |_| -> std::future::Ready<Response<String>> { panic!("secret") })
            .route("/poll", |_| async { panic!("secret") as Response<String> })
            .route("/drop", |_| async { Response::builder().extension(Bomb).body("fine").unwrap() })
            .route("/large", |_| async { Response::new(vec![0; 17 << 20]) })
            .route("/early", |_| async { Response::builder().status(101).body("").unwrap() }),
    );
    for path in ["/call", "/poll", "/drop", "/large", "/early", "/call"] {
        let expected = (500, "this route failed: see the log\n".to_owned());
        assert_eq!(rig.get(path).await, expected, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn route_that_hangs_is_told_and_holds_up_nothing() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = parking_lot::Mutex::new(blocked);
    let rig = Rig::new(Serve::new().route("/hangs", |_| pending::<Response<String>>()).route(
        "/blocks",
        move |_| {
            let _released = blocked.lock().recv();
            async { Response::new("free") }
        },
    ));
    for path in ["/hangs", "/blocks", "/blocks"] {
        assert_eq!(rig.get(path).await, (503, "no answer after 30s\n".into()), "{path}");
    }
    sleep(S).await;
    assert_eq!(rig.status("/livez").await, 200);
    drop(release);
}

#[test]
fn unreachable_routes_are_refused() {
    let route = |serve: Serve, path: &str| serve.route(path, |_| async { Response::new("") });
    let serve = || Serve::new().without_metrics();
    for path in [
        "",
        "/",
        "debug",
        "//debug",
        "/debug/",
        "/a//b",
        "/a/../b",
        "/.",
        "/a?b",
        "/a#b",
        "/a b",
        "/%6civez",
        "/é",
        "/livez",
        "/healthz/a",
        "/readyz",
        "/status/mine",
        "/metrics",
    ] {
        let refused = route(serve(), path).prepare().err();
        assert!(matches!(refused, Some(ManagerError::Route { .. })), "{path}");
    }
    let twice = route(route(serve(), "/a"), "/a").prepare().err().unwrap();
    let expected = "route \"/a\" cannot be served: it was added twice: leave one out";
    assert_eq!(twice.to_string(), expected);
    for path in ["/a", "/debug/pprof", "/livezz", "/a/livez", "/v1.2/a-b_c~d"] {
        assert!(route(serve(), path).prepare().is_ok(), "{path}");
    }
}
