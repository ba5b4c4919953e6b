//! The temporary folder of a control plane, and the keys and certificates in it: a certificate
//! authority, the certificates of the API server, of etcd and of its clients, and the key that
//! signs tokens of service accounts.

use std::fs::{self, DirBuilder};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

use super::error::ControlPlaneError;
use crate::draws::draw_unseeded;

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
        let name = format!("kube-informer-control-plane-{:016x}", draw_unseeded());
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

/// A certificate with its key, as PEM.
#[derive(Clone)]
pub(super) struct Identity {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// The credentials of the clients of both programs.
pub(super) struct Credentials {
    /// The authority that signed all certificates, as PEM.
    pub(super) authority: String,
    /// The identity of clients of etcd, which refuses all others.
    pub(super) etcd_client: Identity,
}

/// Writes the files of both programs into their folder.
pub(super) fn write_credentials(
    folder: &Path,
    address: IpAddr,
    token: &str,
) -> Result<Credentials, ControlPlaneError> {
    let (authority, [apiserver, etcd, client]) =
        certificates(address).map_err(|error| certificate_error(&error))?;
    let accounts = KeyPair::generate().map_err(|error| certificate_error(&error))?;
    let etcd_client = client.clone();
    let files = [
        ("authority.crt", authority.clone()),
        ("apiserver.crt", apiserver.certificate),
        ("apiserver.key", apiserver.key),
        ("etcd.crt", etcd.certificate),
        ("etcd.key", etcd.key),
        ("etcd-client.crt", client.certificate),
        ("etcd-client.key", client.key),
        ("service-accounts.pub", accounts.public_key_pem()),
        ("service-accounts.key", accounts.serialize_pem()),
        ("tokens.csv", format!("{token},{ADMIN}\n")),
    ];
    for (name, text) in files {
        private(&folder.join(name), &text)
            .map_err(ControlPlaneError::io(format!("writing {name}")))?;
    }
    Ok(Credentials { authority, etcd_client })
}

fn certificate_error(error: &rcgen::Error) -> ControlPlaneError {
    ControlPlaneError::Certificates(error.to_string())
}

/// Returns a new authority, and certificates of the API server, of etcd, and of etcd's clients.
/// They name no purpose, because etcd uses its own as a client, too.
fn certificates(address: IpAddr) -> Result<(String, [Identity; 3]), rcgen::Error> {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let identity = || {
        let key = KeyPair::generate()?;
        let names = CertificateParams::new(vec!["localhost".to_owned(), address.to_string()])?;
        let certificate = names.signed_by(&key, &authority)?.pem();
        Ok::<_, rcgen::Error>(Identity { certificate, key: key.serialize_pem() })
    };
    let identities = [identity()?, identity()?, identity()?];
    Ok((authority.pem(), identities))
}

/// Writes a file that only its owner can read.
fn private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}
