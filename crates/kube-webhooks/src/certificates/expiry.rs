//! The time at which API servers begin to refuse a certificate.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use k8s_openapi::jiff::Timestamp;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, Error, RootCertStore};

/// The time before its expiry from which a certificate is a problem.
const SOON: Duration = Duration::from_secs(86_400);
/// A time after the expiry of every certificate: the year 9999.
const NEVER: Duration = Duration::from_secs(253_402_300_799);

/// Returns the earliest expiry of a chain's certificates. `None` if none can be read.
pub(super) fn not_after(chain: &[CertificateDer<'_>]) -> Option<SystemTime> {
    chain.iter().filter_map(end).min()
}

/// Returns the expiry of a certificate. A verifier that is asked about a later time refuses the
/// certificate and names its expiry. It checks the time before it looks for the issuer.
fn end(certificate: &CertificateDer<'_>) -> Option<SystemTime> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).ok()?;
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    let verifier = verifier.build().ok()?;
    let host = ServerName::try_from("any").ok()?;
    let late = UnixTime::since_unix_epoch(NEVER);
    match verifier.verify_server_cert(certificate, &[], &host, &[], late) {
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            Some(UNIX_EPOCH + Duration::from_secs(not_after.as_secs()))
        }
        _ => None,
    }
}

/// Returns the problem of a certificate that has expired or expires within a day.
pub(super) fn problem(source: &str, not_after: SystemTime, now: SystemTime) -> Option<String> {
    let at = shown(not_after);
    let advice = "renew it: a new one serves without a restart";
    match not_after.duration_since(now) {
        Ok(left) if left > SOON => None,
        Ok(_) => Some(format!("{source} expires at {at}, within a day: {advice}")),
        Err(_) => Some(format!("{source} expired at {at}, so API servers refuse it: {advice}")),
    }
}

/// Returns a time as certificates show it, in whole seconds.
pub(super) fn shown(time: SystemTime) -> String {
    Timestamp::try_from(time).map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string())
}
