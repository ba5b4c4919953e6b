//! Certificates of our own making, and the check that an API server would accept one.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use k8s_openapi::ByteString;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use crate::BoxError;

/// The time by which a certificate is valid before it is made: clocks differ.
const CLOCK_SKEW: Duration = Duration::from_secs(3_600);

/// A certificate with its key and the authority that signed it, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Makes an authority and a certificate for a host. Both end at the same time. The authority's key
/// is forgotten, so that nothing else is ever signed with it.
pub(crate) fn issue(
    host: &str,
    now: SystemTime,
    lifetime: Duration,
) -> Result<Issued, rcgen::Error> {
    let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let epoch = date_time_ymd(1970, 1, 1);
    let params = |hosts: Vec<String>| {
        CertificateParams::new(hosts).map(|mut params| {
            params.not_before = epoch + since_epoch.saturating_sub(CLOCK_SKEW);
            params.not_after = epoch + since_epoch + lifetime;
            params
        })
    };
    let mut authority = params(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    authority.distinguished_name.push(DnType::CommonName, "kube-webhooks");
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

    let mut leaf = params(vec![host.to_owned()])?;
    leaf.use_authority_key_identifier_extension = true;
    leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    leaf.distinguished_name.push(DnType::CommonName, "kube-webhooks server");
    let key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&key, &authority)?;
    Ok(Issued {
        authority: authority.pem(),
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

/// Checks that a client which trusts the authorities would accept the certificate at a time.
pub(super) fn check(
    certificate: &str,
    authorities: &str,
    host: &str,
    at: SystemTime,
) -> Result<(), BoxError> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        roots.add(authority?)?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(
        Arc::new(roots),
        Arc::new(ring::default_provider()),
    );
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<_, _>>()?;
    let (leaf, others) = chain.split_first().ok_or("there is no certificate")?;
    let at = UnixTime::since_unix_epoch(at.duration_since(UNIX_EPOCH).unwrap_or_default());
    let host = ServerName::try_from(host.to_owned())?;
    verifier.build()?.verify_server_cert(leaf, others, &host, &[], at)?;
    Ok(())
}

/// Returns certificates as PEM in one form. API servers read fewer forms than we do, and pass over
/// the others. A text that cannot be read stays as it is.
pub(super) fn bundle(text: &str) -> String {
    let certificates = CertificateDer::pem_slice_iter(text.as_bytes());
    let certificates: Result<Vec<_>, _> = certificates.map(|one| pem(&one?)).collect();
    certificates.map_or_else(|_: BoxError| text.to_owned(), |all| all.concat())
}

fn pem(certificate: &CertificateDer<'_>) -> Result<String, BoxError> {
    let base64: String =
        serde_json::from_value(serde_json::to_value(ByteString(certificate.to_vec()))?)?;
    let mut text = "-----BEGIN CERTIFICATE-----\n".to_owned();
    for line in base64.as_bytes().chunks(64) {
        text.push_str(std::str::from_utf8(line)?);
        text.push('\n');
    }
    Ok(text + "-----END CERTIFICATE-----\n")
}

/// Returns each certificate of a bundle as PEM.
pub(super) fn split(bundle: &str) -> impl Iterator<Item = &str> {
    const END: &str = "-----END CERTIFICATE-----";
    bundle.split_inclusive(END).map(str::trim).filter(|part| part.ends_with(END))
}
