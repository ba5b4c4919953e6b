//! The server: TLS on a port.

mod accept;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_util::sync::CancellationToken;

use self::accept::{End, accept};
use crate::{Certificates, Webhooks};

/// The end of a server, unless set otherwise.
const END: End = End { linger: Duration::from_secs(5), grace: Duration::from_secs(10) };

/// A server of webhooks that has its port.
#[derive(Debug)]
#[must_use = "a server serves only while `run` is awaited"]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Arc<ServerConfig>,
    webhooks: Webhooks,
    certificates: Certificates,
    end: End,
}

impl Webhooks {
    /// Binds a port for the webhooks. The server refuses handshakes until the certificates have
    /// been read.
    ///
    /// # Errors
    /// Returns an error if the address is not available, if managed certificates have a name that
    /// no API server takes, or if a path of certificates is empty.
    pub async fn listen(
        &self,
        address: impl Into<SocketAddr>,
        certificates: Certificates,
    ) -> io::Result<Server> {
        let address = address.into();
        let invalid = |problem| io::Error::new(io::ErrorKind::InvalidInput, problem);
        certificates.check(self).map_err(invalid)?;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot serve webhooks on {address}: {error}"))
        })?;
        let address = listener.local_addr()?;
        let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_cert_resolver(self.certificate.clone());
        let tls = Arc::new(tls);
        Ok(Server { listener, address, tls, webhooks: self.clone(), certificates, end: END })
    }
}

impl Server {
    /// Returns the address, with the port that the system chose for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the webhooks.
    pub fn webhooks(&self) -> &Webhooks {
        &self.webhooks
    }

    /// Sets the time after the stop for which the server still takes calls. API servers learn of a
    /// pod's end only after it began, and refused calls fail. Default: 5 seconds.
    pub fn linger(mut self, linger: Duration) -> Self {
        self.end.linger = linger;
        self
    }

    /// Sets the time that calls have to end after that. Default: 10 seconds.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.end.grace = grace;
        self
    }

    /// Serves until the token is cancelled, a while longer, and then until the calls have ended.
    /// Connections need TLS 1.2 or newer, and speak HTTP/1.1.
    ///
    /// Certificates are followed meanwhile. A new one serves from the next handshake on; no
    /// connection is refused or ended for it. A certificate that cannot be used changes nothing,
    /// and [`Webhooks::status`] tells of it.
    pub async fn run(self, stop: CancellationToken) {
        let tls = TlsAcceptor::from(self.tls);
        tracing::info!(address = %self.address, "serves webhooks");
        let serve = accept(self.listener, &tls, &self.webhooks, &stop, self.end);
        tokio::select! {
            () = serve => {}
            () = self.certificates.follow(&self.webhooks) => {}
        }
    }
}
