//! The server on a TCP port, for clients in other processes: plain HTTP, or TLS and HTTP/2 with the
//! feature `tls`.
//!
//! One task accepts and owns all connections. Dropping the handle ends the task and its
//! connections. Slow clients are disconnected, and only so many are served at once.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http::header::HOST;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
#[cfg(feature = "tls")]
use hyper_util::rt::TokioExecutor;
use hyper_util::rt::{TokioIo, TokioTimer};
#[cfg(feature = "tls")]
use tokio::io::AsyncReadExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::{JoinHandle, JoinSet};
#[cfg(feature = "tls")]
use tokio::time::timeout;

use super::body::ResponseBody;
use super::form::Encoding;
use super::state::ListenOptions;
use crate::api_server::ApiServer;
use crate::api_server::failure::Failure;

/// The pause after a failed accept, most likely because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);
/// The name of HTTP/2 in a TLS handshake.
#[cfg(feature = "tls")]
const HTTP_2: &[u8] = b"h2";
/// The number of bytes with which every client of HTTP/2 begins.
#[cfg(feature = "tls")]
const PREFACE_LENGTH: usize = 24;

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
    address: SocketAddr,
    /// The authority that signed the server's certificate, as PEM; `None` without TLS.
    authority: Option<String>,
    accepting: JoinHandle<()>,
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

    /// Serves on a TCP port over TLS, with a new certificate for `localhost` and the address. The
    /// kubeconfig trusts the certificate. kubectl sends tokens only over TLS. A client that offers
    /// HTTP/2 gets it, as kubectl and all other clients in Go do.
    ///
    /// # Errors
    /// Returns an error if the address is not available or no certificate can be created.
    #[cfg(feature = "tls")]
    pub async fn listen_tls(&self, address: impl ToSocketAddrs) -> io::Result<ListeningServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (acceptor, authority) = tls_acceptor(address.ip()).map_err(io::Error::other)?;
        let port = Port::new(self, address);
        let accepting = tokio::spawn(accept(listener, port, move |port, stream| {
            let acceptor = acceptor.clone();
            async move {
                let handshake = timeout(port.options.head_timeout, acceptor.accept(stream)).await;
                // A client without a handshake is not served.
                let Ok(Ok(stream)) = handshake else { return };
                if stream.get_ref().1.alpn_protocol() == Some(HTTP_2) {
                    serve_http2(port, stream).await;
                } else {
                    serve(port, stream).await;
                }
            }
        }));
        Ok(ListeningServer { address, authority: Some(authority), accepting })
    }
}

/// The server behind a port.
#[derive(Clone)]
struct Port {
    server: ApiServer,
    address: SocketAddr,
    options: ListenOptions,
}

impl Port {
    fn new(server: &ApiServer, address: SocketAddr) -> Self {
        let options = server.inner.server.options.listen.clone();
        Self { server: server.clone(), address, options }
    }

    /// Answers a request.
    async fn handle(&self, request: Request<Incoming>) -> Response<ResponseBody> {
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
async fn accept<F>(listener: TcpListener, port: Port, serve: impl Fn(Port, TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        let free = connections.len() < port.options.connections;
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

async fn serve(port: Port, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut connection = hyper::server::conn::http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(port.options.head_timeout);
    let service = service_fn(move |request| answer(port.clone(), request));
    // A client may disconnect in the middle of a response.
    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
}

/// Serves a client that shares one connection among its requests. Each request is a task, which
/// ends with the connection.
#[cfg(feature = "tls")]
async fn serve_http2(port: Port, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let head_timeout = port.options.head_timeout;
    let (mut reader, writer) = tokio::io::split(stream);
    // hyper would wait for ever for the first bytes.
    let mut preface = [0; PREFACE_LENGTH];
    let begun = timeout(head_timeout, reader.read_exact(&mut preface)).await;
    if !matches!(begun, Ok(Ok(_))) {
        return;
    }
    let stream = tokio::io::join((&preface[..]).chain(reader), writer);
    let mut connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    // A client that does not answer a ping is disconnected.
    connection.timer(TokioTimer::new()).keep_alive_interval(head_timeout);
    let service = service_fn(move |request| answer(port.clone(), request));
    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    port: Port,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    Ok(port.handle(request).await)
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
        let user = token.map_or_else(|| "{}".to_owned(), |token| format!("\n    token: {token:?}"));
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

/// Returns a TLS acceptor with a new certificate, and as PEM the authority that clients have to
/// trust.
#[cfg(feature = "tls")]
fn tls_acceptor(
    address: std::net::IpAddr,
) -> Result<(tokio_rustls::TlsAcceptor, String), Box<dyn std::error::Error + Send + Sync>> {
    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose,
    };
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use tokio_rustls::rustls::{ServerConfig, version};

    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let names = vec!["localhost".to_owned(), address.to_string(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names)?.signed_by(&key, &authority)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config =
        ServerConfig::builder_with_provider(std::sync::Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)?;
    config.alpn_protocols = vec![HTTP_2.to_vec(), b"http/1.1".to_vec()];
    Ok((tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config)), authority.pem()))
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

    /// A connection over the protocol that the client offers.
    #[cfg(feature = "tls")]
    async fn connected(
        listening: &ListeningServer,
        protocol: &[u8],
    ) -> tokio_rustls::client::TlsStream<TcpStream> {
        use tokio_rustls::rustls::pki_types::pem::PemObject;
        use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
        use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

        let authority = listening.authority.as_ref().unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let provider = std::sync::Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![protocol.to_vec()];
        let stream = TcpStream::connect(listening.address()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
        connector.connect(name, stream).await.unwrap()
    }

    /// The protocol of the response to a list.
    #[cfg(feature = "tls")]
    async fn listed_over(listening: &ListeningServer, protocol: &[u8]) -> http::Version {
        use http_body_util::{BodyExt, Empty};
        use hyper::client::conn::{http1, http2};

        let io = TokioIo::new(connected(listening, protocol).await);
        let request = || {
            let uri = format!("https://{}/api/v1/configmaps", listening.address());
            let host = listening.address().to_string();
            Request::get(uri).header(HOST, host).body(Empty::<bytes::Bytes>::new()).unwrap()
        };
        let response = if protocol == HTTP_2 {
            let (mut sender, connection) =
                http2::handshake(TokioExecutor::new(), io).await.unwrap();
            tokio::spawn(connection);
            // Two at once share the connection.
            let mut other = sender.clone();
            let both = tokio::join!(sender.send_request(request()), other.send_request(request()));
            assert_eq!(both.1.unwrap().status(), 200);
            both.0.unwrap()
        } else {
            let (mut sender, connection) = http1::handshake(io).await.unwrap();
            tokio::spawn(connection);
            sender.send_request(request()).await.unwrap()
        };
        assert_eq!(response.status(), 200);
        let version = response.version();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(body.starts_with(b"{\"kind\":\"ConfigMapList\""), "{body:?}");
        version
    }

    #[cfg(feature = "tls")]
    #[tokio::test]
    async fn clients_choose_their_protocol_over_tls() {
        let listening = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap();
        assert_eq!(listed_over(&listening, HTTP_2).await, http::Version::HTTP_2);
        assert_eq!(listed_over(&listening, b"http/1.1").await, http::Version::HTTP_11);
        listening.shutdown().await;
    }

    #[cfg(feature = "tls")]
    #[tokio::test]
    async fn silent_client_of_http2_is_disconnected() {
        let listening = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap();
        let mut stream = connected(&listening, HTTP_2).await;
        // From here on, waiting takes no time.
        tokio::time::pause();
        let mut answer = Vec::new();
        let ended = timeout(Duration::from_secs(600), stream.read_to_end(&mut answer)).await;
        assert!(ended.is_ok() && answer.is_empty(), "{answer:?}");
    }
}
