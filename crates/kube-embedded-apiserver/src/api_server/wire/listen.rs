//! The server on a TCP port, for clients in other processes.
//!
//! One task accepts and owns all connections. Dropping the handle ends the task and its
//! connections. Slow clients are disconnected, and the number of connections is limited.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http::header::HOST;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::{JoinHandle, JoinSet};

use super::body::ResponseBody;
use super::form::Encoding;
use crate::api_server::ApiServer;
use crate::api_server::failure::Failure;

/// The time that the head of a request may take, and a TLS handshake. A connection without a
/// request is closed after this time, too. One of HTTP/2 stays as long as its client answers pings.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// The pause after a failed accept, most likely because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// A handle of a server on a TCP port. Dropping it closes the port and every connection.
///
/// A test of a program that reads its address from a kubeconfig:
///
/// ```no_run
/// use std::io;
/// use std::process::{Command, ExitStatus};
/// use kube_embedded_apiserver::{ApiServer, api_server::ListeningServer};
///
/// # async fn f() -> io::Result<ExitStatus> {
/// let listening: ListeningServer = ApiServer::new().listen("127.0.0.1:0").await?;
/// std::fs::write("kubeconfig", listening.kubeconfig(None))?;
/// let mut program = Command::new("target/debug/my-controller");
/// program.env("KUBECONFIG", "kubeconfig");
/// let status = tokio::task::spawn_blocking(move || program.status()).await??;
/// listening.shutdown().await;
/// # Ok(status) }
/// ```
#[must_use = "dropping it stops the listening"]
pub struct ListeningServer {
    pub(super) address: SocketAddr,
    /// The authority that signed the server's certificate, as PEM; `None` without TLS.
    pub(super) authority: Option<String>,
    pub(super) accepting: JoinHandle<()>,
}

impl ApiServer {
    /// Serves on a TCP port without TLS. Port 0 chooses a free one.
    ///
    /// On a loopback address, requests with the name of another host are answered 403, so that no
    /// page in a browser reaches the server by DNS rebinding.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let server = kube_embedded_apiserver::ApiServer::new();
    /// let listening = server.listen("127.0.0.1:0").await?;
    /// println!("{}", listening.kubeconfig(None));
    /// # Ok::<(), std::io::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Returns an error if the address is not available.
    pub async fn listen(&self, address: impl ToSocketAddrs) -> io::Result<ListeningServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let port = Port::new(self, address);
        let accepting = tokio::spawn(accept(listener, port, serve));
        Ok(ListeningServer { address, authority: None, accepting })
    }
}

/// The server behind a port.
#[derive(Clone)]
pub(super) struct Port {
    server: ApiServer,
    address: SocketAddr,
}

impl Port {
    pub(super) fn new(server: &ApiServer, address: SocketAddr) -> Self {
        Self { server: server.clone(), address }
    }

    /// Answers a request.
    pub(super) async fn handle(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        match foreign_host(self.address.ip(), &request) {
            None => self.server.handle(request).await,
            Some(host) => {
                let message = format!(
                    "{host:?} is not a name of this server, which listens on {} and is reached as \
                     localhost or by that address",
                    self.address
                );
                Failure::new(403, "Forbidden", message).response(Encoding::Json)
            }
        }
    }
}

/// Returns the host of a request if it is not one of a server on this address. A server on a
/// loopback address has only local names: a page in a browser must not reach it through a name of
/// its own that leads to the loopback.
fn foreign_host<B>(address: IpAddr, request: &Request<B>) -> Option<String> {
    if !address.is_loopback() {
        return None;
    }
    let headers = request.headers().get_all(HOST).iter();
    let headers = headers.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let authority = request.uri().authority().map(ToString::to_string);
    headers.chain(authority).find(|host| !is_local(host))
}

/// Returns whether a host, with or without a port, is local.
fn is_local(host: &str) -> bool {
    if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// Accepts connections, up to the limit at once. Further clients wait in the backlog of the port.
pub(super) async fn accept<F>(
    listener: TcpListener,
    port: Port,
    serve: impl Fn(Port, TcpStream) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        let free = connections.len() < port.server.inner.server.options.max_connections;
        tokio::select! {
            accepted = listener.accept(), if free => match accepted {
                Ok((stream, _)) => {
                    // Events are small and must not be delayed.
                    let _ = stream.set_nodelay(true);
                    connections.spawn(serve(port.clone(), stream));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

pub(super) async fn serve(port: Port, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut connection = hyper::server::conn::http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let service = service_fn(async |request| Ok::<_, Infallible>(port.handle(request).await));
    // A client may disconnect in the middle of a response.
    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
}

impl ListeningServer {
    /// Returns the address of the server, with its actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Returns a kubeconfig for this server as YAML, with a bearer token if one is given.
    #[must_use]
    pub fn kubeconfig(&self, token: Option<&str>) -> String {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;
        let authority = self.authority.as_ref().map_or_else(String::new, |pem| {
            format!("\n    certificate-authority-data: {}", STANDARD.encode(pem))
        });
        // A string of JSON is one of YAML.
        let token = token.map(|token| format!("\n    token: {}", serde_json::Value::from(token)));
        let user = token.as_deref().unwrap_or("{}");
        format!(
            "apiVersion: v1
kind: Config
clusters:
- name: embedded
  cluster:
    server: {}{authority}
users:
- name: embedded
  user: {user}
contexts:
- name: embedded
  context:
    cluster: embedded
    user: embedded
    namespace: default
current-context: embedded
",
            self.url()
        )
    }

    /// Stops the server, and waits until every connection is closed.
    pub async fn shutdown(mut self) {
        self.accepting.abort();
        // The task was cancelled, as intended.
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for ListeningServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl fmt::Debug for ListeningServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListeningServer").field("url", &self.url()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_hosts_reach_a_loopback_address() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let foreign = |address, host: &str| {
            let request = Request::get("/api").header(HOST, host).body(()).unwrap();
            foreign_host(address, &request).is_some()
        };
        for host in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.1.2.3", "[::1]:1", "[::1]"]
        {
            assert!(!foreign(loopback, host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", "[::2]:1", "", "[x"] {
            assert!(foreign(loopback, host), "{host}");
            assert!(!foreign(IpAddr::V4(Ipv4Addr::UNSPECIFIED), host), "{host}");
        }
        assert_eq!(foreign_host(loopback, &Request::get("/api").body(()).unwrap()), None);
        let absolute = Request::get("http://evil.example/api").body(()).unwrap();
        assert!(foreign_host(loopback, &absolute).is_some());
    }
}
