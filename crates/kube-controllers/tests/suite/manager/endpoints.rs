//! The endpoints over sockets.

use std::any::type_name;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use kube_controllers::manager::serve::{Addresses, Serve};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::*;
use crate::helpers::spawn;
use crate::http::exchange;

fn any_port() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// The time in which everything here happens on any machine.
const SOON: Duration = Duration::from_secs(30);

/// Endpoints on free ports, without metrics: the recorder is the whole process's.
fn serve() -> Serve {
    Serve::new().health_address(any_port()).metrics_address(any_port()).without_metrics()
}

/// Sends a request with this host. Returns the status and the body.
async fn get(at: SocketAddr, path: &str, host: &str) -> (u16, String) {
    let (code, _, body) = exchange(at, "GET", path, host).await;
    (code, body)
}

async fn start(builder: ManagerBuilder, stop: &CancellationToken) -> (Addresses, Running) {
    let manager = builder.build().unwrap();
    let handle = manager.handle();
    let running = spawn(manager.run_until(stop.clone()));
    loop {
        if let Some(addresses) = handle.addresses() {
            return (addresses, running);
        }
        assert!(!running.is_finished(), "{:?}", running.await);
        sleep(MS).await;
    }
}

type Running = JoinHandle<Result<(), ManagerError>>;

#[tokio::test]
async fn health_and_status_are_served_at_their_addresses() {
    let server = ApiServer::new();
    let (factory, _) = maps(&server, "maps");
    let stop = CancellationToken::new();
    let (at, running) = start(Manager::builder(&factory).serve(serve()), &stop).await;
    while get(at.health, "/readyz", "localhost").await.0 != 200 {
        sleep(MS).await;
    }
    assert_eq!(get(at.health, "/livez", "10.1.2.3:8081").await, (200, "ok".into()));
    let (code, body) = get(at.metrics, "/status", "127.0.0.1:8080").await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((code, &body["phase"]), (200, &"running".into()));
    assert_eq!(get(at.metrics, "/status", "evil.example").await.0, 421, "DNS rebinding");
    assert_eq!(get(at.metrics, "/livez", "localhost").await.0, 404);
    assert_eq!(get(at.health, "/status", "localhost").await.0, 404);
    assert_eq!(get(at.metrics, "/metrics", "localhost").await.0, 404, "left out");
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(TcpStream::connect(at.health).await.is_err(), "nothing listens any more");
}

#[tokio::test]
async fn one_address_may_serve_everything() {
    let free = TcpListener::bind(any_port()).await.unwrap().local_addr().unwrap();
    let server = ApiServer::new();
    let stop = CancellationToken::new();
    let endpoints =
        serve().health_address(free).metrics_address(free).metrics_from(|| "up 1\n".into());
    let (at, running) = start(Manager::builder(&factory(&server)).serve(endpoints), &stop).await;
    assert_eq!((at.health, at.metrics), (free, free));
    assert_eq!(get(free, "/livez", "localhost").await.0, 200);
    assert_eq!(get(free, "/status", "localhost").await.0, 200);
    assert_eq!(get(free, "/metrics", "localhost").await, (200, "up 1\n".into()));
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn address_in_use_is_an_error_before_anything_starts() {
    let taken = TcpListener::bind(any_port()).await.unwrap();
    let address = taken.local_addr().unwrap();
    let server = ApiServer::new();
    for (endpoints, endpoint) in
        [(serve().health_address(address), "health"), (serve().metrics_address(address), "metrics")]
    {
        let (factory, _) = maps(&server, "maps");
        let manager = Manager::builder(&factory).serve(endpoints);
        let error = run(manager, &CancellationToken::new()).await.unwrap().unwrap_err();
        assert!(matches!(error, ManagerError::Address { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("cannot listen on {address} for {endpoint}: ")),
            "{text}"
        );
        assert!(text.ends_with(&format!("or set Serve::{endpoint}_address")), "{text}");
        assert!(!factory.status().informers[0].stopped, "the factory is as it was");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn address_error_names_a_method_of_serve() {
    fn name<F: Fn(Serve, SocketAddr) -> Serve>(_: F) -> String {
        let path = type_name::<F>().split('<').next().unwrap();
        path[path.rfind("Serve::").unwrap()..].to_owned()
    }
    let (health, metrics) = (name(Serve::health_address), name(Serve::metrics_address));
    for (endpoints, method) in
        [("health", &health), ("metrics", &metrics), ("health and metrics", &health)]
    {
        for kind in [ErrorKind::AddrInUse, ErrorKind::PermissionDenied] {
            let (address, source) = (any_port(), kind.into());
            let text = ManagerError::Address { endpoints, address, source }.to_string();
            assert!(text.ends_with(&**method), "{text} of {method}");
        }
    }
}

#[tokio::test]
async fn endpoints_answer_during_the_stop() {
    let server = ApiServer::new();
    let (stop, release) = (CancellationToken::new(), CancellationToken::new());
    let released = release.clone();
    let slow = Manager::builder(&factory(&server)).serve(serve()).task_on_every_replica(
        "slow",
        |scope| async move {
            scope.token().cancelled().await;
            released.cancelled().await;
            Ok::<_, BoxError>(())
        },
    );
    let (at, running) = start(slow, &stop).await;
    while get(at.health, "/readyz", "localhost").await.0 != 200 {
        sleep(MS).await;
    }
    stop.cancel();
    let refused = loop {
        let (status, body) = get(at.health, "/readyz", "localhost").await;
        if status != 200 {
            break body;
        }
        sleep(MS).await;
    };
    assert!(refused.contains("[-]manager failed: it is stopping"), "{refused}");
    assert_eq!(get(at.health, "/livez", "localhost").await.0, 200);
    release.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn silent_peers_do_not_keep_others_away() {
    let server = ApiServer::new();
    let stop = CancellationToken::new();
    let (at, running) = start(Manager::builder(&factory(&server)).serve(serve()), &stop).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        let mut socket = TcpStream::connect(at.health).await.unwrap();
        let _closed = socket.write_all(b"GET /livez HTTP/1.1\r\nX: ").await;
        silent.push(socket);
        if silent.len() % 50 == 0 {
            assert_eq!(get(at.health, "/livez", "localhost").await.0, 200);
        }
    }
    // The oldest ones were closed.
    let closed = timeout(Duration::from_secs(60), silent[0].read(&mut [0; 16])).await.unwrap();
    assert!(matches!(closed, Ok(0) | Err(_)), "{closed:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn large_header_is_refused() {
    let server = ApiServer::new();
    let stop = CancellationToken::new();
    let (at, running) = start(Manager::builder(&factory(&server)).serve(serve()), &stop).await;
    let mut socket = TcpStream::connect(at.health).await.unwrap();
    let large = format!("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(20_000));
    let _refused = socket.write_all(large.as_bytes()).await;
    let mut answer = Vec::new();
    let _reset = socket.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn idle_connections_do_not_cut_a_probe_that_is_answered() {
    let (factory, controller) = maps(&ApiServer::new(), "maps");
    let (asked, answered) = (CancellationToken::new(), CancellationToken::new());
    let (begun, goes_on) = (asked.clone(), answered.clone());
    let checking = serve().ready_check("slow", move || {
        let (begun, goes_on) = (begun.clone(), goes_on.clone());
        async move {
            begun.cancel();
            goes_on.cancelled().await;
            Ok::<_, BoxError>(())
        }
    });
    let manager = Manager::builder(&factory)
        .controller(controller, |_| async { Ok::<_, BoxError>(kube_controllers::Action::done()) })
        .serve(checking);
    let stop = CancellationToken::new();
    let (addresses, running) = start(manager, &stop).await;
    let at = addresses.health;
    let probe = spawn(async move { get(at, "/readyz/check/slow", "localhost").await });
    timeout(SOON, asked.cancelled()).await.expect("the check begins");
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(timeout(SOON, TcpStream::connect(at)).await.expect("it listens").unwrap());
    }
    // By now the server has accepted them all: this one comes after them.
    let alive = timeout(SOON, get(at, "/livez", "localhost")).await.expect("it answers");
    assert_eq!(alive.0, 200);
    answered.cancel();
    let probed = timeout(SOON, probe).await.expect("it is not cut").unwrap();
    assert_eq!(probed, (200, "ok".to_owned()));
    stop.cancel();
    running.await.unwrap().unwrap();
}
