//! The health checks of a starting program.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::error::ControlPlaneError;
use super::process::Process;

/// The pause between two checks.
const CHECK_PAUSE: Duration = Duration::from_millis(100);
/// The timeout of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of bytes of a response that are read.
const ANSWER_LIMIT: u64 = 4096;

/// A health check of a program.
pub(super) struct Probe {
    pub(super) address: SocketAddr,
    pub(super) path: &'static str,
    /// The authority of an API server as PEM, and a token.
    pub(super) secured: Option<(String, String)>,
}

impl Probe {
    /// Waits until the program is ready.
    pub(super) async fn wait(
        &self,
        process: &mut Process,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(), ControlPlaneError> {
        loop {
            let asked = timeout(CHECK_TIMEOUT, self.ask()).await;
            let last = match asked {
                Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200 ") => return Ok(()),
                Ok(Ok(answer)) => answer.lines().next().unwrap_or("an empty answer").to_owned(),
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("no answer in {CHECK_TIMEOUT:?}"),
            };
            let (program, log) = (process.name(), process.log().to_owned());
            let ended = process.ended().map_err(ControlPlaneError::io("waiting for a program"))?;
            if ended.is_some() {
                return Err(ControlPlaneError::Ended { program, log, tail: process.tail() });
            }
            if Instant::now() >= deadline {
                let tail = process.tail();
                return Err(ControlPlaneError::NotReady {
                    program,
                    waited: limit,
                    last,
                    log,
                    tail,
                });
            }
            sleep(CHECK_PAUSE).await;
        }
    }

    async fn ask(&self) -> io::Result<String> {
        let stream = TcpStream::connect(self.address).await?;
        let Some((authority, token)) = &self.secured else { return self.get(stream, "").await };
        let mut trusted = RootCertStore::empty();
        let authority =
            CertificateDer::from_pem_slice(authority.as_bytes()).map_err(io::Error::other)?;
        trusted.add(authority).map_err(io::Error::other)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        let name = ServerName::from(self.address.ip());
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        self.get(stream, &format!("Authorization: Bearer {token}\r\n")).await
    }

    async fn get(
        &self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        header: &str,
    ) -> io::Result<String> {
        let Self { address, path, .. } = self;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        // A server may close TLS without a notice; what it sent before counts.
        match stream.take(ANSWER_LIMIT).read_to_end(&mut answer).await {
            Err(error) if answer.is_empty() => Err(error),
            _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
        }
    }
}
