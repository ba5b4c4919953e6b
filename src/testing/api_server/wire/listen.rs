//! The server on a TCP port, for clients in other processes: plain HTTP, or TLS with the feature
//! `testing-tls`.
//!
//! One task accepts and owns all connections. Dropping the handle ends the task and its
//! connections.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::task::{JoinHandle, JoinSet};

use crate::testing::api_server::ApiServer;

/// The pause after a failed accept, most likely because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// A handle of a server on a TCP port. Dropping it closes the port and every connection.
///
/// A test of a program that reads its address from a kubeconfig:
///
/// ```no_run
/// use std::io;
/// use std::process::{Command, ExitStatus};
/// use kube_informer::testing::{ApiServer, api_server::ListeningServer};
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
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let server = kube_informer::testing::ApiServer::new();
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
        let server = self.clone();
        let accepting = tokio::spawn(accept(listener, move |stream, connections| {
            connections.spawn(serve(server.clone(), stream));
        }));
        Ok(ListeningServer { address, authority: None, accepting })
    }

    /// Serves on a TCP port over TLS, with a new certificate for `localhost` and the address. The
    /// kubeconfig trusts the certificate. kubectl sends tokens only over TLS.
    ///
    /// # Errors
    /// Returns an error if the address is not available or no certificate can be created.
    #[cfg(feature = "testing-tls")]
    pub async fn listen_tls(&self, address: impl ToSocketAddrs) -> io::Result<ListeningServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (acceptor, authority) = tls_acceptor(address.ip()).map_err(io::Error::other)?;
        let server = self.clone();
        let accepting = tokio::spawn(accept(listener, move |stream, connections| {
            let (server, acceptor) = (server.clone(), acceptor.clone());
            connections.spawn(async move {
                // A client without a handshake is not served.
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(server, stream).await;
                }
            });
        }));
        Ok(ListeningServer { address, authority: Some(authority), accepting })
    }
}

async fn accept(listener: TcpListener, mut serve: impl FnMut(TcpStream, &mut JoinSet<()>)) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // Events are small and must not be delayed.
                    let _ = stream.set_nodelay(true);
                    serve(stream, &mut connections);
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(server: ApiServer, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let service = hyper::service::service_fn(move |request| {
        let server = server.clone();
        async move { Ok::<_, std::convert::Infallible>(server.handle(request).await) }
    });
    let mut connection = hyper::server::conn::http1::Builder::new();
    connection.timer(TokioTimer::new());
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
#[cfg(feature = "testing-tls")]
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
    let config = ServerConfig::builder_with_provider(std::sync::Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config)), authority.pem()))
}
