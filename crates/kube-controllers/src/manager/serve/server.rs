//! Listeners and connections.
//!
//! Peers may be slow, silent or many. Each connection answers one request and has a time limit. An
//! address has a limited number of connections; a new one replaces the oldest, so that peers that
//! only hold connections do not keep kubelet away.
//!
//! `axum` would save 30 lines that match paths and methods, for three more crates and 30 s to
//! compile on one core. It has no such limits.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use http::Request;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::answers::{Paths, Site};
use crate::manager::error::ManagerError;
use crate::manager::status::Addresses;

/// The limit of open connections of one address.
const CONNECTIONS: usize = 64;

/// The time that a peer has to send its request's header.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest time of a connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// The limit of a request's header, in bytes. It is the smallest that the HTTP library accepts.
const HEADER_LIMIT: usize = 8 * 1_024;

/// The delay after a connection could not be accepted: the process has too many open files.
const ACCEPT_DELAY: Duration = Duration::from_millis(100);

/// The port of the health checks.
const HEALTH_PORT: u16 = 8081;

/// Listeners that are bound.
pub(super) struct Listeners {
    listeners: Vec<(TcpListener, Paths)>,
    addresses: Addresses,
}

impl Listeners {
    /// Binds the addresses. Without an address, the health checks are served on all interfaces.
    pub(super) async fn bind(
        health: Option<SocketAddr>,
        metrics: SocketAddr,
    ) -> Result<Self, ManagerError> {
        let local = metrics.ip().is_loopback();
        if health == Some(metrics) && metrics.port() != 0 {
            let listener = listen(metrics, "health and metrics").await?;
            let at = address(&listener, metrics);
            let listeners = vec![(listener, Paths { health: true, metrics: true, local })];
            return Ok(Self { listeners, addresses: Addresses { health: at, metrics: at } });
        }
        let bound = match health {
            Some(at) => vec![listen(at, "health").await?],
            None => everywhere(HEALTH_PORT).await?,
        };
        let figures = listen(metrics, "metrics").await?;
        let health_at = address(&bound[0], SocketAddr::from(([0, 0, 0, 0], HEALTH_PORT)));
        let addresses = Addresses { health: health_at, metrics: address(&figures, metrics) };
        let paths = Paths { health: true, metrics: false, local: health_at.ip().is_loopback() };
        let mut listeners: Vec<_> = bound.into_iter().map(|listener| (listener, paths)).collect();
        listeners.push((figures, Paths { health: false, metrics: true, local }));
        Ok(Self { listeners, addresses })
    }
}

fn address(listener: &TcpListener, fallback: SocketAddr) -> SocketAddr {
    listener.local_addr().unwrap_or(fallback)
}

async fn listen(address: SocketAddr, endpoints: &'static str) -> Result<TcpListener, ManagerError> {
    let refused = |source| ManagerError::Address { endpoints, address, source };
    TcpListener::bind(address).await.map_err(refused)
}

/// Binds a port of all interfaces, for IPv6 and for IPv4. Where one listener serves both, the
/// second one is not needed; where there is no IPv6, the first one fails.
async fn everywhere(port: u16) -> Result<Vec<TcpListener>, ManagerError> {
    let v6 = match listen(SocketAddr::from(([0_u16; 8], port)), "health").await {
        Ok(listener) => Some(listener),
        Err(ManagerError::Address { source, address, endpoints })
            if source.kind() == io::ErrorKind::AddrInUse =>
        {
            return Err(ManagerError::Address { source, address, endpoints });
        }
        Err(_) => None,
    };
    match listen(SocketAddr::from(([0, 0, 0, 0], port)), "health").await {
        Ok(v4) => Ok(v6.into_iter().chain([v4]).collect()),
        Err(error) => v6.map(|v6| vec![v6]).ok_or(error),
    }
}

/// The tasks that serve. Dropping this ends every connection.
pub(crate) struct Server {
    _tasks: JoinSet<()>,
}

impl Server {
    pub(super) fn start(listeners: Listeners, site: &Arc<Site>) -> (Self, Addresses) {
        let Listeners { listeners, addresses } = listeners;
        let mut tasks = JoinSet::new();
        for (listener, paths) in listeners {
            tasks.spawn(accept(listener, paths, site.clone()).boxed());
        }
        tracing::info!(health = %addresses.health, metrics = %addresses.metrics, "serves");
        (Self { _tasks: tasks }, addresses)
    }
}

/// A connection, and whether its request is being answered.
struct Connection {
    task: AbortHandle,
    is_asked: Arc<AtomicBool>,
}

/// Accepts connections until the future is dropped, which ends all of them. When there are too
/// many, the oldest without a request is ended, or else the oldest.
async fn accept(listener: TcpListener, paths: Paths, site: Arc<Site>) {
    let mut tasks = JoinSet::new();
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        let socket = match listener.accept().await {
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
            let idle = |one: &Connection| !one.is_asked.load(Ordering::Relaxed);
            let oldest = connections.iter().position(idle).unwrap_or(0);
            connections.remove(oldest).task.abort();
        }
        let is_asked = Arc::new(AtomicBool::new(false));
        let task = tasks.spawn(serve(socket, paths, site.clone(), is_asked.clone()).boxed());
        connections.push(Connection { task, is_asked });
    }
}

/// Answers one request.
async fn serve(socket: TcpStream, paths: Paths, site: Arc<Site>, is_asked: Arc<AtomicBool>) {
    let service = service_fn(|request: Request<Incoming>| {
        is_asked.store(true, Ordering::Relaxed);
        let site = site.clone();
        async move { Ok::<_, Infallible>(site.answer(paths, request).await.map(Full::new)) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_LIMIT)
        .keep_alive(false);
    let connection = http.serve_connection(TokioIo::new(socket), service);
    // A peer that disconnects or is too slow is not our error.
    let _ended = timeout(CONNECTION_TIMEOUT, connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_interfaces_are_bound_once() {
        let (port, listeners) = loop {
            let free = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            // Another test may have the port.
            if let Ok(listeners) = everywhere(port).await {
                break (port, listeners);
            }
        };
        assert!(!listeners.is_empty());
        TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let taken = everywhere(port).await.unwrap_err();
        let in_use = |source: &io::Error| source.kind() == io::ErrorKind::AddrInUse;
        assert!(
            matches!(&taken, ManagerError::Address { source, .. } if in_use(source)),
            "{taken}"
        );
    }
}
