//! The keys and certificates of a control plane: an authority, the API server's certificate, and the
//! key that signs the tokens of service accounts.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

use super::error::ControlPlaneError;

/// The user that may do everything, in the words of `--token-auth-file`.
const ADMIN: &str = "admin,admin,system:masters";

/// Writes what the API server needs into its folder, and gives the authority as PEM.
pub(super) fn write(
    folder: &Path,
    address: IpAddr,
    token: &str,
) -> Result<String, ControlPlaneError> {
    let (authority, certificate, key) = serving(address).map_err(|error| unmade(&error))?;
    let accounts = KeyPair::generate().map_err(|error| unmade(&error))?;
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

fn unmade(error: &rcgen::Error) -> ControlPlaneError {
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

/// Keys are for their owner only.
fn private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}
