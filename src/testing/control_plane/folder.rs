//! The temporary folder of a control plane, and the keys and certificates in it: a certificate
//! authority, the API server's certificate, and the key that signs tokens of service accounts.

use std::fs::{self, DirBuilder};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

use super::error::ControlPlaneError;

/// The number of attempts to remove the folder: a killed program may still write its last bytes.
const REMOVE_ATTEMPTS: u32 = 20;

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    logs_stay: bool,
}

impl Folder {
    /// Creates a folder that only its owner can read, because it will hold keys.
    pub(super) fn new() -> io::Result<Self> {
        let name = format!("kube-informer-control-plane-{:016x}", fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, logs_stay: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the logs when the folder is removed.
    pub(super) fn keep_logs(&mut self) {
        self.logs_stay = true;
    }

    fn remove(&self) -> io::Result<()> {
        if !self.logs_stay {
            return fs::remove_dir_all(&self.path);
        }
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(path)?;
            } else if path.extension().is_none_or(|extension| extension != "log") {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for _ in 0..REMOVE_ATTEMPTS {
            match self.remove() {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    sleep(Duration::from_millis(10));
                }
                _ => return,
            }
        }
    }
}

/// A user with all permissions, in the format of `--token-auth-file`.
const ADMIN: &str = "admin,admin,system:masters";

/// Writes the files of the API server into its folder. Returns the authority as PEM.
pub(super) fn write_credentials(
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
