//! The command-line arguments of the programs: envtest's flags.

use std::net::SocketAddr;
use std::path::Path;

/// Flags by name, without dashes. The first value that a user sets replaces the default; further
/// values are added.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Vec<(String, Vec<String>)>);

impl Arguments {
    fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.to_owned(), vec![value.into()]));
        self
    }

    /// Returns the defaults, overridden by a user's flags.
    fn with(mut self, extra: &[(String, String)]) -> Self {
        let mut own: Vec<&str> = Vec::new();
        for (name, value) in extra {
            let known = self.0.iter_mut().find(|(known, _)| known == name);
            match known {
                Some((_, values)) if own.contains(&&**name) => values.push(value.clone()),
                Some((_, values)) => *values = vec![value.clone()],
                None => self.0.push((name.clone(), vec![value.clone()])),
            }
            own.push(name);
        }
        self
    }

    fn into_list(self) -> Vec<String> {
        let flag = |name: &str, value: String| format!("--{name}={value}");
        let flags = self.0.into_iter().flat_map(|(name, values)| {
            values.into_iter().map(move |value| flag(&name, value)).collect::<Vec<_>>()
        });
        flags.collect()
    }
}

/// The addresses and files of a control plane.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) folder: &'a Path,
    pub(super) etcd: SocketAddr,
    pub(super) peers: SocketAddr,
    pub(super) apiserver: SocketAddr,
}

impl Layout<'_> {
    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    pub(super) fn etcd_arguments(&self, extra: &[(String, String)]) -> Vec<String> {
        let clients = format!("http://{}", self.etcd);
        Arguments::default()
            .set("data-dir", self.file("etcd"))
            .set("listen-client-urls", &clients)
            .set("advertise-client-urls", &clients)
            .set("listen-peer-urls", format!("http://{}", self.peers))
            // The data is not kept after the program ends.
            .set("unsafe-no-fsync", "true")
            .with(extra)
            .into_list()
    }

    pub(super) fn apiserver_arguments(&self, extra: &[(String, String)]) -> Vec<String> {
        Arguments::default()
            .set("etcd-servers", format!("http://{}", self.etcd))
            .set("bind-address", self.apiserver.ip().to_string())
            .set("secure-port", self.apiserver.port().to_string())
            .set("cert-dir", self.folder.display().to_string())
            .set("tls-cert-file", self.file("apiserver.crt"))
            .set("tls-private-key-file", self.file("apiserver.key"))
            .set("token-auth-file", self.file("tokens.csv"))
            .set("authorization-mode", "RBAC")
            .set("service-cluster-ip-range", "10.0.0.0/24")
            .set("service-account-issuer", format!("https://{}/", self.apiserver))
            .set("service-account-key-file", self.file("service-accounts.pub"))
            .set("service-account-signing-key-file", self.file("service-accounts.key"))
            // No controller creates the default service account that this plugin requires of each
            // pod.
            .set("disable-admission-plugins", "ServiceAccount")
            .set("allow-privileged", "true")
            .with(extra)
            .into_list()
    }
}
