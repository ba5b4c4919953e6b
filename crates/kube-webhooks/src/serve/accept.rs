//! Listeners and connections.
//!
//! Peers may be slow, silent or many. A handshake and a request's header have time limits, calls
//! have those of their webhook, and the number of connections is limited: a new one then replaces
//! the oldest that is idle.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::Webhooks;

/// The limit of open connections. API servers keep some tens each.
const CONNECTIONS: usize = 1_000;
/// The time of a handshake, and of a request's header. An idle connection ends after it, and API
/// servers open another one.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The limit of a request's header, and of what is read at a time, in bytes.
const HEADER_LIMIT: usize = 64 * 1_024;
/// The delay after a connection could not be accepted: the process has too many open files.
const ACCEPT_DELAY: Duration = Duration::from_millis(100);

struct Connection {
    task: AbortHandle,
    calls: Arc<AtomicUsize>,
}

/// The end of a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The time after the stop for which connections are still accepted.
    pub(super) linger: Duration,
    /// The time that calls have after that.
    pub(super) grace: Duration,
}

/// Accepts connections until the stop and the time after it. Then it waits until the connections
/// have ended, or the grace is over.
pub(super) async fn accept(
    listener: TcpListener,
    tls: &TlsAcceptor,
    webhooks: &Webhooks,
    stop: &CancellationToken,
    end: End,
) {
    let closes = CancellationToken::new();
    let mut over = pin!(async {
        stop.cancelled().await;
        sleep(end.linger).await;
    });
    // Dropping the tasks ends every connection.
    let mut tasks = JoinSet::new();
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        let accepted = tokio::select! {
            () = &mut over => break,
            accepted = listener.accept() => accepted,
        };
        let socket = match accepted {
            Ok((socket, _)) => socket,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_DELAY).await;
                continue;
            }
        };
        while tasks.try_join_next().is_some() {}
        connections.retain(|connection| !connection.task.is_finished());
        if connections.len() >= CONNECTIONS {
            let idle = |one: &Connection| one.calls.load(Ordering::Relaxed) == 0;
            let oldest = connections.iter().position(idle).unwrap_or(0);
            connections.remove(oldest).task.abort();
        }
        let calls = Arc::new(AtomicUsize::new(0));
        let serving = serve(socket, tls.clone(), webhooks.clone(), calls.clone(), closes.clone());
        connections.push(Connection { task: tasks.spawn(serving), calls });
    }
    drop(listener);
    closes.cancel();
    let ended = timeout(end.grace, async { while tasks.join_next().await.is_some() {} });
    if ended.await.is_err() {
        tracing::warn!(connections = tasks.len(), "calls of webhooks did not end in time");
    }
}

/// Answers the requests of a connection.
async fn serve(
    socket: TcpStream,
    tls: TlsAcceptor,
    webhooks: Webhooks,
    calls: Arc<AtomicUsize>,
    closes: CancellationToken,
) {
    let handshake = timeout(HANDSHAKE_TIMEOUT, tls.accept(socket));
    let stream = match closes.run_until_cancelled(handshake).await {
        Some(Ok(Ok(stream))) => stream,
        Some(Ok(Err(error))) => {
            webhooks.certificate.handshake_failed(&error);
            return tracing::debug!(%error, "a TLS handshake failed");
        }
        Some(Err(_)) | None => return,
    };
    let service = service_fn(|request: http::Request<Incoming>| {
        let (webhooks, call) = (webhooks.clone(), Call::enter(&calls));
        async move {
            let response = webhooks.answer(request).await;
            drop(call);
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE_TIMEOUT).max_buf_size(HEADER_LIMIT);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // A peer that disconnects is not our error.
        _ = connection.as_mut() => return,
        () = closes.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ended = connection.await;
}

/// A call that runs.
struct Call(Arc<AtomicUsize>);

impl Call {
    fn enter(calls: &Arc<AtomicUsize>) -> Self {
        calls.fetch_add(1, Ordering::Relaxed);
        Self(calls.clone())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
