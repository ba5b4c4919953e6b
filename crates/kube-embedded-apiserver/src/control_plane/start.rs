//! The start of a control plane from its two binaries, with envtest's command-line arguments.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::ControlPlane;
use super::builder::{Binaries, ControlPlaneBuilder};
use super::error::ControlPlaneError;
use super::folder::{Credentials, Folder, Identity, write_credentials};
use super::process::{Probe, Process};
use crate::draws::draw_unseeded;

/// Tries to start once, with its own ports.
pub(super) async fn start(
    options: &ControlPlaneBuilder,
    binaries: &Binaries,
) -> Result<ControlPlane, ControlPlaneError> {
    let mut folder = Folder::new().map_err(ControlPlaneError::io("making a temporary folder"))?;
    match start_in(options, binaries, folder.path()).await {
        Ok((etcd, apiserver, access)) => {
            Ok(ControlPlane { apiserver, etcd, folder, access, grace: options.grace })
        }
        Err(error) => {
            if names_a_log(&error) {
                folder.keep_logs();
            }
            Err(error)
        }
    }
}

/// The credentials of the API server.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) address: SocketAddr,
    pub(super) etcd: SocketAddr,
    pub(super) authority: String,
    pub(super) token: String,
    pub(super) etcd_client: Identity,
}

async fn start_in(
    options: &ControlPlaneBuilder,
    binaries: &Binaries,
    folder: &Path,
) -> Result<(Program, Program, Access), ControlPlaneError> {
    let [etcd, peers, apiserver] =
        free_ports().map_err(ControlPlaneError::io("looking for free ports"))?;
    let layout = Layout { folder, etcd, peers, apiserver };
    let token = format!("{:016x}{:016x}", draw_unseeded(), draw_unseeded());
    let Credentials { authority, etcd_client } = write_credentials(folder, apiserver.ip(), &token)?;
    let program = |name, path: &Path, arguments, probe| Command {
        name,
        path: path.to_owned(),
        arguments,
        log: folder.join(format!("{name}.log")),
        probe,
        limit: options.start_timeout,
    };

    let probe = Probe {
        address: etcd,
        path: "/health",
        authority: authority.clone(),
        token: None,
        identity: Some(etcd_client.clone()),
    };
    let store = program("etcd", &binaries.etcd, layout.etcd_arguments(), probe).run().await?;
    let probe = Probe {
        address: apiserver,
        path: "/readyz",
        authority: authority.clone(),
        token: Some(token.clone()),
        identity: None,
    };
    let arguments = layout.apiserver_arguments(&options.apiserver);
    let server = program("kube-apiserver", &binaries.kube_apiserver, arguments, probe);
    let server = server.run().await?;
    Ok((store, server, Access { address: apiserver, etcd, authority, token, etcd_client }))
}

/// A program with its arguments, its log and its health check.
#[derive(Clone)]
struct Command {
    name: &'static str,
    path: PathBuf,
    arguments: Vec<String>,
    log: PathBuf,
    probe: Probe,
    limit: Duration,
}

impl Command {
    /// Starts the program, and returns when it is ready.
    async fn run(self) -> Result<Program, ControlPlaneError> {
        let Self { name, path, arguments, log, probe, limit } = &self;
        let started = Process::start(name, path, arguments, log.clone());
        let mut process =
            started.map_err(ControlPlaneError::io(format!("starting {}", path.display())))?;
        probe.wait(&mut process, Instant::now() + *limit, *limit).await?;
        Ok(Program { command: self, process: Some(process) })
    }
}

/// A program of a control plane. Dropping it kills it.
pub(super) struct Program {
    command: Command,
    /// `None` while it is killed.
    process: Option<Process>,
}

impl Program {
    /// Kills the program, and starts it again after a pause.
    pub(super) async fn restart(&mut self, pause: Duration) -> Result<(), ControlPlaneError> {
        self.process = None;
        sleep(pause).await;
        *self = self.command.clone().run().await?;
        Ok(())
    }

    /// Asks the program to end. Returns whether it has ended by the deadline.
    pub(super) async fn end(&mut self, grace: Duration) -> bool {
        let Some(process) = &mut self.process else { return true };
        process.ask_to_end();
        process.has_ended_by(Instant::now() + grace).await
    }
}

fn names_a_log(error: &ControlPlaneError) -> bool {
    matches!(error, ControlPlaneError::Ended { .. } | ControlPlaneError::NotReady { .. })
}

/// Returns different ports of the loopback that are free now.
fn free_ports() -> std::io::Result<[SocketAddr; 3]> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let held = [listen()?, listen()?, listen()?];
    Ok([held[0].local_addr()?, held[1].local_addr()?, held[2].local_addr()?])
}

/// Flags by name, without dashes. The first value that a user sets replaces the default; further
/// values are added.
#[derive(Clone, Debug, Default)]
struct Arguments(Vec<(String, Vec<String>)>);

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

    pub(super) fn etcd_arguments(&self) -> Vec<String> {
        let clients = format!("https://{}", self.etcd);
        Arguments::default()
            .set("data-dir", self.file("etcd"))
            .set("listen-client-urls", &clients)
            .set("advertise-client-urls", &clients)
            .set("cert-file", self.file("etcd.crt"))
            .set("key-file", self.file("etcd.key"))
            // Every user of this machine reaches the ports.
            .set("client-cert-auth", "true")
            .set("trusted-ca-file", self.file("authority.crt"))
            .set("listen-peer-urls", format!("https://{}", self.peers))
            .set("peer-cert-file", self.file("etcd.crt"))
            .set("peer-key-file", self.file("etcd.key"))
            .set("peer-client-cert-auth", "true")
            .set("peer-trusted-ca-file", self.file("authority.crt"))
            // The data is not kept after the program ends.
            .set("unsafe-no-fsync", "true")
            .into_list()
    }

    pub(super) fn apiserver_arguments(&self, extra: &[(String, String)]) -> Vec<String> {
        Arguments::default()
            .set("etcd-servers", format!("https://{}", self.etcd))
            .set("etcd-cafile", self.file("authority.crt"))
            .set("etcd-certfile", self.file("etcd-client.crt"))
            .set("etcd-keyfile", self.file("etcd-client.key"))
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
