//! The keys and certificates of a control plane: a certificate authority, the API server's
//! certificate, and the key that signs tokens of service accounts.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

use super::error::ControlPlaneError;

/// A user with all permissions, in the format of `--token-auth-file`.
const ADMIN: &str = "admin,admin,system:masters";

/// Writes the files of the API server into its folder. Returns the authority as PEM.
pub(super) fn write(
    folder: &Path,
    address: IpAddr,
    token: &str,
) -> Result<String, ControlPlaneError> {
    let (authority, certificate, key) =
        serving(address).map_err(|error| certificate_error(&error))?;
    let accounts = KeyPair::generate().map_err(|error| certificate_error(&error))?;
    let files = [
        ("apiserver.crt", certificate),
        ("apiserver.key", key),
        ("service-accounts.pub", accounts.public_key_pem()),
        ("service-accounts.key", accounts.serialize_pem()),
        ("tokens.csv", format!("{token},{ADMIN}\n")),
    ];
    for (name, text) in files {
        private(&folder.join(name), &text)
            .map_err(ControlPlaneError::io(format!("writing {name}")))?;
    }
    Ok(authority)
}

fn certificate_error(error: &rcgen::Error) -> ControlPlaneError {
    ControlPlaneError::Certificates(error.to_string())
}

fn serving(address: IpAddr) -> Result<(String, String, String), rcgen::Error> {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let names = CertificateParams::new(vec!["localhost".to_owned(), address.to_string()])?;
    let certificate = names.signed_by(&key, &authority)?;
    Ok((authority.pem(), certificate.pem(), key.serialize_pem()))
}

/// Writes a file that only its owner can read.
fn private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}
