//! The certificate that the server shows, and where it comes from.

mod expiry;
mod files;
#[cfg(feature = "managed-certificates")]
mod issue;
#[cfg(feature = "managed-certificates")]
mod managed;
#[cfg(feature = "managed-certificates")]
mod publish;
#[cfg(feature = "managed-certificates")]
mod rotation;
mod slot;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use self::files::Files;
#[cfg(test)]
pub(crate) use self::issue::{Issued, issue};
#[cfg(feature = "managed-certificates")]
pub use self::managed::ManagedCertificates;
pub use self::slot::CertificateStatus;
pub(crate) use self::slot::Slot;
use crate::Webhooks;

/// The time between two looks at the files.
const POLL: Duration = Duration::from_secs(10);

/// The source of the server's certificate.
#[derive(Clone, Debug)]
pub struct Certificates(Source);

#[derive(Clone, Debug)]
enum Source {
    Files(Files),
    #[cfg(feature = "managed-certificates")]
    Managed(Box<ManagedCertificates>),
}

impl Certificates {
    /// Reads `tls.crt` and `tls.key` from a folder, where a Secret or a CSI driver is mounted, such
    /// as one of cert-manager. The files are read every ten seconds. If they cannot be used, as
    /// with half of a pair, the last good pair serves on. [`CertificateStatus::problem`] and a
    /// warning say so. They also report a certificate that has expired or expires within a day.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        // An empty path is the value of a variable that is not set, and not the working directory.
        let file =
            |name| if folder.as_os_str().is_empty() { PathBuf::new() } else { folder.join(name) };
        Self::files(file("tls.crt"), file("tls.key"))
    }

    /// Reads a chain and its key, both as PEM, from two files.
    pub fn files(chain: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self(Source::Files(Files { chain: chain.into(), key: key.into(), poll: POLL }))
    }

    /// Sets the time between two looks at the source, at least a millisecond. Default: 10 seconds
    /// for files, and a minute for `ManagedCertificates`, whose Secret is looked at twelve times in
    /// the life of a certificate or more often.
    #[must_use]
    pub fn poll(mut self, every: Duration) -> Self {
        let every = every.max(Duration::from_millis(1));
        match &mut self.0 {
            Source::Files(files) => files.poll = every,
            #[cfg(feature = "managed-certificates")]
            Source::Managed(managed) => managed.poll = every,
        }
        self
    }

    /// Checks the names and paths that are known.
    ///
    /// # Errors
    /// Returns the name that no server takes, and the rule, or that a path is empty.
    #[cfg_attr(
        not(feature = "managed-certificates"),
        expect(unused_variables, reason = "files have no names in configurations")
    )]
    pub(crate) fn check(&self, webhooks: &Webhooks) -> Result<(), String> {
        match &self.0 {
            Source::Files(Files { chain, key, .. }) => {
                let is_empty = |path: &PathBuf| path.as_os_str().is_empty();
                if is_empty(chain) || is_empty(key) {
                    return Err("the path of the certificate or of its key is empty".to_owned());
                }
                Ok(())
            }
            #[cfg(feature = "managed-certificates")]
            Source::Managed(managed) => managed.check(webhooks),
        }
    }

    /// Keeps the slot up to date. Never ends.
    pub(crate) async fn follow(self, webhooks: &Webhooks) {
        let slot = &*webhooks.certificate;
        match self.0 {
            Source::Files(files) => files.follow(slot).await,
            #[cfg(feature = "managed-certificates")]
            Source::Managed(managed) => managed.follow(webhooks, slot).await,
        }
    }
}

#[cfg(feature = "managed-certificates")]
impl From<ManagedCertificates> for Certificates {
    fn from(managed: ManagedCertificates) -> Self {
        Self(Source::Managed(Box::new(managed)))
    }
}
