//! The certificates that API servers refuse whatever they trust: for their time, purpose or names.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use k8s_openapi::jiff::Timestamp;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{CertificateError, Error, ExtendedKeyPurpose, RootCertStore};

/// The time before its expiry from which a certificate is a problem.
const SOON: Duration = Duration::from_secs(86_400);
/// A time after the expiry of every certificate: the year 9999.
const NEVER: Duration = Duration::from_secs(253_402_300_799);
/// The names of a certificate that are not those of hosts: addresses of mail are unsupported.
const NO_HOSTS: [&str; 3] = ["DirectoryName", "UniformResourceIdentifier", "Unsupported"];
/// A name for questions that are about no host.
const HOST: &str = "any";

/// Returns the earliest expiry of a chain's certificates. `None` if none can be read.
pub(super) fn not_after(chain: &[CertificateDer<'_>]) -> Option<SystemTime> {
    chain.iter().filter_map(end).min()
}

fn end(certificate: &CertificateDer<'_>) -> Option<SystemTime> {
    match fault(certificate, NEVER)? {
        CertificateError::ExpiredContext { not_after, .. } => {
            Some(UNIX_EPOCH + Duration::from_secs(not_after.as_secs()))
        }
        _ => None,
    }
}

/// Returns the reason why no API server accepts a chain before a later time, or ever. Those that
/// have expired are left to [`problem`].
pub(super) fn refusal(chain: &[CertificateDer<'_>], now: SystemTime) -> Option<String> {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let faults: Vec<_> = chain.iter().map(|certificate| fault(certificate, now)).collect();
    let begin = |fault: &CertificateError| match fault {
        CertificateError::NotValidYetContext { not_before, .. } => Some(not_before.as_secs()),
        _ => None,
    };
    if let Some(begin) = faults.iter().flatten().filter_map(begin).max() {
        let begin = shown(UNIX_EPOCH + Duration::from_secs(begin));
        return Some(format!("it is not valid before {begin}"));
    }
    if faults.contains(&Some(CertificateError::Expired)) {
        return Some("it ends before it begins".to_owned());
    }
    // Verifiers of API servers accept any purpose as that of a server.
    let any = ExtendedKeyPurpose::Other(vec![2, 5, 29, 37, 0]);
    match faults.into_iter().next()? {
        Some(CertificateError::InvalidPurposeContext { presented, .. })
            if !presented.contains(&any) =>
        {
            Some("its extended key usage lacks `serverAuth`".to_owned())
        }
        _ => names_nothing(chain.first()?).then(|| {
            "it has no name of a host: a common name is none, it needs `subjectAltName`".to_owned()
        }),
    }
}

/// Returns whether these bytes are no certificate. API servers refuse a chain with such a part.
pub(super) fn is_unreadable(certificate: &CertificateDer<'_>) -> bool {
    let added = RootCertStore::empty().add(certificate.clone());
    added == Err(Error::InvalidCertificate(CertificateError::BadEncoding))
}

/// Returns whether no host has this certificate.
fn names_nothing(certificate: &CertificateDer<'_>) -> bool {
    let (Ok(parsed), Ok(any)) =
        (ParsedCertificate::try_from(certificate), ServerName::try_from(HOST))
    else {
        return false;
    };
    let Err(Error::InvalidCertificate(CertificateError::NotValidForNameContext {
        presented, ..
    })) = verify_server_name(&parsed, &any)
    else {
        return false;
    };
    let is_other = |name: &String| NO_HOSTS.iter().any(|kind| name.starts_with(kind));
    presented.iter().all(is_other)
}

/// Returns what a verifier finds wrong with a certificate at a time since the epoch. It looks at
/// time and purpose, in this order, before it looks for the issuer.
fn fault(certificate: &CertificateDer<'_>, at: Duration) -> Option<CertificateError> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).ok()?;
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    let verifier = verifier.build().ok()?;
    let (host, at) = (ServerName::try_from(HOST).ok()?, UnixTime::since_unix_epoch(at));
    match verifier.verify_server_cert(certificate, &[], &host, &[], at) {
        Err(Error::InvalidCertificate(fault)) => Some(fault),
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
