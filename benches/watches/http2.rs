//! A service that shares connections of HTTP/2 among requests, as Go's client does: a connection
//! takes a number of open requests, then the next one is opened.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kube::client::{Body, ClientBuilder, ConfigExt};
use kube::{Client, Config};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsConnector;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// As large as the protocol allows. The bodies that nobody reads then hold up no other: each takes
/// its own window of 2 MB at most.
pub(crate) const LARGEST_WINDOW: Option<u32> = Some((1 << 31) - 1);

/// A connection, and its room for requests.
type Connection = (SendRequest<Body>, Arc<Semaphore>);

/// Connections of one server.
#[derive(Clone)]
struct Shared {
    address: SocketAddr,
    tls: TlsConnector,
    /// The number of open requests in a connection.
    streams: usize,
    /// The bytes that all unread bodies of a connection may have; 5 MB unless set.
    window: Option<u32>,
    connections: Arc<Mutex<Vec<Connection>>>,
}

/// Returns a client whose connections take so many open requests, and so many unread bytes.
pub(crate) fn client(config: &Config, streams: usize, window: Option<u32>) -> Client {
    let mut tls = config.rustls_client_config().expect("TLS");
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let authority = config.cluster_url.authority().expect("an address");
    let shared = Shared {
        address: authority.as_str().parse().expect("an address"),
        tls: Arc::new(tls).into(),
        streams,
        window,
        connections: Arc::default(),
    };
    let service = tower::service_fn(move |request| shared.clone().send(request));
    ClientBuilder::new(service, "default").with_layer(&config.base_uri_layer()).build()
}

impl Shared {
    fn send(self, request: Request<Body>) -> BoxFuture<'static, Result<Response<Counted>, Error>> {
        Box::pin(async move {
            let (mut connection, permit) = self.connection().await?;
            let response = connection.send_request(request).await?;
            Ok(response.map(|body| Counted { body, _permit: permit }))
        })
    }

    async fn connection(&self) -> Result<(SendRequest<Body>, OwnedSemaphorePermit), Error> {
        let mut connections = self.connections.lock().await;
        connections.retain(|(connection, _)| !connection.is_closed());
        for (connection, free) in &*connections {
            if let Ok(permit) = free.clone().try_acquire_owned() {
                return Ok((connection.clone(), permit));
            }
        }
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let stream = self.tls.connect(self.address.ip().into(), stream).await?;
        let mut builder = Builder::new(TokioExecutor::new());
        if let Some(window) = self.window {
            builder.initial_connection_window_size(window);
        }
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
        // It ends with the last sender, or with the connection.
        tokio::spawn(connection);
        let free = Arc::new(Semaphore::new(self.streams));
        let permit = free.clone().try_acquire_owned()?;
        connections.push((sender.clone(), free));
        Ok((sender, permit))
    }
}

/// A body that counts as an open request of its connection.
struct Counted {
    body: Incoming,
    _permit: OwnedSemaphorePermit,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}
