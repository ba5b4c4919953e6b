//! The pair of certificate and key that handshakes use now.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use k8s_openapi::jiff::Timestamp;
use parking_lot::RwLock;
use serde::Serialize;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{AlertDescription, Error};

use super::expiry;
use crate::BoxError;

/// The state of the server's certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CertificateStatus {
    /// The certificates that came to serve.
    pub exchanged: u64,
    /// The attempts to read, make or publish certificates that failed.
    pub failed: u64,
    /// The reason why the last attempt failed. If the attempt succeeded, a text that says that the
    /// certificate has expired or expires within a day. `None` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The time at which the certificate in use expires. `None` if there is none, or if the time
    /// cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_after: Option<Timestamp>,
    /// The times that others took the authority out of a configuration, and it was written again.
    pub rewritten: u64,
    /// The handshakes that clients ended because they do not accept the certificate. An API server
    /// is one of them where `caBundle` lacks the authority, or the certificate the Service's name.
    pub refused: u64,
}

/// The pair that serves, and the state of its source.
#[derive(Debug, Default)]
pub(crate) struct Slot(RwLock<Content>);

#[derive(Debug, Default)]
struct Content {
    pair: Option<(Vec<u8>, Arc<CertifiedKey>)>,
    not_after: Option<SystemTime>,
    /// A client refused the certificate that serves.
    is_refused: bool,
    status: CertificateStatus,
}

impl Slot {
    /// Has a chain and its key serve, both as PEM.
    ///
    /// # Errors
    /// Returns why they are no pair, or why no API server accepts the certificate now.
    pub(super) fn set(&self, chain: &[u8], key: &[u8], now: SystemTime) -> Result<(), BoxError> {
        // Also a key that no longer fits is told, before the next process starts with it.
        let pair = certified(chain, key)?;
        if let Some(reason) = expiry::refusal(&pair.cert, now) {
            return Err(format!("API servers refuse the certificate: {reason}").into());
        }
        let not_after = expiry::not_after(&pair.cert);
        let is_over = |end: Option<SystemTime>| end.is_some_and(|end| end < now);
        let mut content = self.0.write();
        if content.pair.as_ref().is_some_and(|(now, _)| now == chain) {
            return Ok(());
        }
        if let Some(end) = not_after.filter(|_| is_over(not_after))
            && content.pair.is_some()
            && !is_over(content.not_after)
        {
            let end = expiry::shown(end);
            return Err(
                format!("the certificate expired at {end}, so the last one serves on").into()
            );
        }
        content.not_after = not_after;
        content.status.not_after = content.not_after.and_then(|end| end.try_into().ok());
        content.pair = Some((chain.to_vec(), Arc::new(pair)));
        content.is_refused = false;
        content.status.exchanged += 1;
        tracing::info!("another certificate serves");
        Ok(())
    }

    /// Notes the result of an attempt to bring the certificate up to date. `source` names the place
    /// from which it is read.
    pub(super) fn told(&self, source: &str, result: Result<(), String>, now: SystemTime) {
        #[cfg(feature = "metrics")]
        crate::metrics::certificate_read(result.is_ok());
        let mut content = self.0.write();
        content.status.failed += u64::from(result.is_err());
        let not_after = content.not_after;
        let ends = || not_after.and_then(|end| expiry::problem(source, end, now));
        let problem = result.err().or_else(ends);
        if let Some(problem) = problem.as_ref().filter(|_| content.status.problem != problem) {
            tracing::warn!(error = problem, "the certificate is not up to date");
        }
        content.status.problem = problem;
    }

    #[cfg(feature = "managed-certificates")]
    pub(super) fn rewritten(&self) {
        self.0.write().status.rewritten += 1;
    }

    /// Counts a handshake that failed because the client does not accept the certificate. The first
    /// one of each certificate is logged.
    pub(crate) fn handshake_failed(&self, error: &io::Error) {
        use AlertDescription as Alert;
        let failure = error.get_ref().and_then(|failure| failure.downcast_ref());
        let Some(Error::AlertReceived(
            Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            // Those of a certificate that cannot be read, and of a signature by another key.
            | Alert::DecodeError
            | Alert::DecryptError,
        )) = failure
        else {
            return;
        };
        let mut content = self.0.write();
        content.status.refused += 1;
        let was_refused = std::mem::replace(&mut content.is_refused, true);
        // A subscriber of logs may ask for the status.
        drop(content);
        if !was_refused {
            tracing::warn!(
                %error,
                "a client refuses the certificate: if it is an API server, `caBundle` must have the \
                 authority that signed it, and it must name the Service as `<name>.<namespace>.svc`"
            );
        }
    }

    pub(crate) fn status(&self) -> CertificateStatus {
        self.0.read().status.clone()
    }

    /// Checks that there is a pair that API servers accept, without which handshakes fail.
    pub(crate) fn check(&self, now: SystemTime) -> Result<(), String> {
        let content = self.0.read();
        let problem = || content.status.problem.clone();
        if content.pair.is_none() {
            let missing = || "the server has no certificate yet".to_owned();
            return Err(problem().unwrap_or_else(missing));
        }
        match content.not_after.filter(|end| *end < now) {
            None => Ok(()),
            Some(end) => Err(problem().unwrap_or_else(|| {
                format!("the server's certificate expired at {}", expiry::shown(end))
            })),
        }
    }

    /// Returns whether this chain serves.
    #[cfg(test)]
    pub(super) fn serves(&self, chain: &[u8]) -> bool {
        self.0.read().pair.as_ref().is_some_and(|(now, _)| now == chain)
    }
}

impl ResolvesServerCert for Slot {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().pair.as_ref().map(|(_, pair)| pair.clone())
    }
}

/// Returns a pair that fits together.
pub(super) fn certified(chain: &[u8], key: &[u8]) -> Result<CertifiedKey, BoxError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("cannot read the certificate: {error}"))?;
    if chain.is_empty() {
        return Err("there is no certificate".into());
    }
    if let Some(nth) = chain.iter().position(expiry::is_unreadable) {
        let of = chain.len();
        return Err(
            format!("the certificate {} of {of} in the chain cannot be read", nth + 1).into()
        );
    }
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| format!("cannot read the key of the certificate: {error}"))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider())
        .map_err(|error| format!("cannot use the certificate with its key: {error}").into())
}
