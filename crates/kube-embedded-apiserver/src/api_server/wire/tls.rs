//! TLS, and HTTP/2 for clients that offer it.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::body::{Aborted, ResponseBody};
use super::listen::{HEAD_TIMEOUT, ListeningServer, Port, accept, serve};
use crate::api_server::ApiServer;

/// The name of HTTP/2 in a TLS handshake.
const HTTP_2: &[u8] = b"h2";
/// The number of bytes with which every client of HTTP/2 begins.
const PREFACE_LENGTH: usize = 24;

impl ApiServer {
    /// Serves on a TCP port over TLS, with a new certificate for `localhost` and the address. The
    /// kubeconfig trusts the certificate. kubectl sends tokens only over TLS. A client that offers
    /// HTTP/2 gets it, as kubectl and all other clients in Go do.
    ///
    /// # Errors
    /// Returns an error if the address is not available or no certificate can be created.
    pub async fn listen_tls(&self, address: impl ToSocketAddrs) -> io::Result<ListeningServer> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (acceptor, authority) = tls_acceptor(address.ip()).map_err(io::Error::other)?;
        let port = Port::new(self, address);
        let accepting = tokio::spawn(accept(listener, port, move |port, stream| {
            let acceptor = acceptor.clone();
            async move {
                let handshake = timeout(HEAD_TIMEOUT, acceptor.accept(stream)).await;
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

/// Serves a client that shares one connection among its requests. Each request is a task, which
/// ends with the connection.
async fn serve_http2(port: Port, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let (mut reader, writer) = tokio::io::split(stream);
    // hyper would wait for ever for the first bytes.
    let mut preface = [0; PREFACE_LENGTH];
    let begun = timeout(HEAD_TIMEOUT, reader.read_exact(&mut preface)).await;
    if !matches!(begun, Ok(Ok(_))) {
        return;
    }
    let stream = tokio::io::join((&preface[..]).chain(reader), writer);
    let mut connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    // A client that does not answer a ping is disconnected.
    connection.timer(TokioTimer::new()).keep_alive_interval(HEAD_TIMEOUT);
    let broken = Arc::new(Notify::new());
    let service = service_fn(|request: Request<Incoming>| {
        let (port, broken) = (port.clone(), broken.clone());
        async move {
            let response = port.handle(request).await;
            Ok::<_, Infallible>(response.map(|body| Unbroken { body, broken }))
        }
    });
    tokio::select! {
        _ = connection.serve_connection(TokioIo::new(stream), service) => {}
        () = broken.notified() => {}
    }
}

/// A body that ends its connection where it breaks. HTTP/2 would only reset the stream, which
/// clients take for a fault of the server: after it client-go lists again, and after a dropped
/// connection it goes on.
struct Unbroken {
    body: ResponseBody,
    broken: Arc<Notify>,
}

impl Body for Unbroken {
    type Data = Bytes;
    type Error = Aborted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if matches!(frame, Some(Err(Aborted))) {
            self.broken.notify_one();
            return Poll::Pending;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Returns a TLS acceptor with a new certificate, and as PEM the authority that clients have to
/// trust.
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
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    config.alpn_protocols = vec![HTTP_2.to_vec(), b"http/1.1".to_vec()];
    Ok((tokio_rustls::TlsAcceptor::from(Arc::new(config)), authority.pem()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::header::HOST;
    use tokio::net::TcpStream;

    use super::*;

    /// A connection over the protocol that the client offers.
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
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![protocol.to_vec()];
        let stream = TcpStream::connect(listening.address()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        connector.connect(name, stream).await.unwrap()
    }

    /// The protocol of the response to a list.
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

    #[tokio::test]
    async fn clients_choose_their_protocol_over_tls() {
        let listening = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap();
        assert_eq!(listed_over(&listening, HTTP_2).await, http::Version::HTTP_2);
        assert_eq!(listed_over(&listening, b"http/1.1").await, http::Version::HTTP_11);
        listening.shutdown().await;
    }

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

    #[tokio::test]
    async fn broken_watch_of_http2_ends_its_connection() {
        use http_body_util::{BodyExt, Empty};
        use hyper::client::conn::http2;

        let server = ApiServer::new();
        let listening = server.listen_tls("127.0.0.1:0").await.unwrap();
        let io = TokioIo::new(connected(&listening, HTTP_2).await);
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
        let connection = tokio::spawn(connection);
        let uri = format!("https://{}/api/v1/configmaps?watch=true", listening.address());
        let request = Request::get(uri).body(Empty::<Bytes>::new()).unwrap();
        let watch = sender.send_request(request).await.unwrap().into_body();
        server.drop_connections();
        assert!(watch.collect().await.is_err());
        let ended = timeout(Duration::from_secs(60), connection).await;
        assert!(ended.expect("the connection ends, too").is_ok());
    }
}
