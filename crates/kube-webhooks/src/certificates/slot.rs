//! The pair of certificate and key that handshakes use now.

use std::sync::Arc;

use parking_lot::RwLock;
use serde::Serialize;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

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
    /// The reason why the last attempt failed. It is gone after one that succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The times that others took the authority out of a configuration, and it was written again.
    pub rewritten: u64,
}

/// The pair that serves, and the state of its source.
#[derive(Debug, Default)]
pub(crate) struct Slot(RwLock<Content>);

#[derive(Debug, Default)]
struct Content {
    pair: Option<(Vec<u8>, Arc<CertifiedKey>)>,
    status: CertificateStatus,
}

impl Slot {
    /// Has a chain and its key serve, both as PEM.
    pub(super) fn set(&self, chain: &[u8], key: &[u8]) -> Result<(), BoxError> {
        // Also a key that no longer fits is told, before the next process starts with it.
        let pair = certified(chain, key)?;
        let mut content = self.0.write();
        if content.pair.as_ref().is_some_and(|(now, _)| now == chain) {
            return Ok(());
        }
        content.pair = Some((chain.to_vec(), Arc::new(pair)));
        content.status.exchanged += 1;
        tracing::info!("another certificate serves");
        Ok(())
    }

    /// Tells the result of an attempt to bring the certificate up to date.
    pub(super) fn told(&self, result: Result<(), String>) {
        #[cfg(feature = "metrics")]
        crate::metrics::certificate_read(result.is_ok());
        let mut content = self.0.write();
        match result {
            Ok(()) => content.status.problem = None,
            Err(problem) => {
                if content.status.problem.as_ref() != Some(&problem) {
                    tracing::warn!(error = problem, "the certificate is not up to date");
                }
                content.status.failed += 1;
                content.status.problem = Some(problem);
            }
        }
    }

    pub(super) fn rewritten(&self) {
        self.0.write().status.rewritten += 1;
    }

    pub(crate) fn status(&self) -> CertificateStatus {
        self.0.read().status.clone()
    }

    /// Returns whether there is a pair, without which handshakes fail.
    pub(crate) fn has_pair(&self) -> bool {
        self.0.read().pair.is_some()
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
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| format!("cannot read the key of the certificate: {error}"))?;
    CertifiedKey::from_der(chain, key, &ring::default_provider())
        .map_err(|error| format!("cannot use the certificate with its key: {error}").into())
}
