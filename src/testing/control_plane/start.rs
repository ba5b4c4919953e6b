//! The start of a control plane from its two binaries.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::arguments::Layout;
use super::binaries::Binaries;
use super::builder::ControlPlaneBuilder;
use super::error::ControlPlaneError;
use super::folder::Folder;
use super::process::Process;
use super::ready::Probe;
use super::{ControlPlane, certificates};

/// Tries to start once, with its own ports.
pub(super) async fn start(
    options: &ControlPlaneBuilder,
    binaries: &Binaries,
) -> Result<ControlPlane, ControlPlaneError> {
    let mut folder = Folder::new().map_err(ControlPlaneError::io("making a temporary folder"))?;
    match start_in(options, binaries, folder.path()).await {
        Ok((etcd, apiserver, access)) => {
            Ok(ControlPlane::new(apiserver, etcd, folder, access, options.stop_timeout))
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
}

async fn start_in(
    options: &ControlPlaneBuilder,
    binaries: &Binaries,
    folder: &Path,
) -> Result<(Process, Process, Access), ControlPlaneError> {
    let [etcd, peers, apiserver] =
        free_ports().map_err(ControlPlaneError::io("looking for free ports"))?;
    let layout = Layout { folder, etcd, peers, apiserver };
    let token = format!("{:032x}", fastrand::u128(..));
    let authority = certificates::write(folder, apiserver.ip(), &token)?;
    let limit = options.start_timeout;

    let arguments = layout.etcd_arguments(&options.etcd);
    let mut etcd_process = run("etcd", &binaries.etcd, &arguments, folder)?;
    let probe = Probe { address: etcd, path: "/health", secured: None };
    probe.wait(&mut etcd_process, Instant::now() + limit, limit).await?;

    let arguments = layout.apiserver_arguments(&options.apiserver);
    let mut process = run("kube-apiserver", &binaries.kube_apiserver, &arguments, folder)?;
    let secured = Some((authority.clone(), token.clone()));
    let probe = Probe { address: apiserver, path: "/readyz", secured };
    probe.wait(&mut process, Instant::now() + limit, limit).await?;
    Ok((etcd_process, process, Access { address: apiserver, etcd, authority, token }))
}

fn run(
    name: &'static str,
    program: &Path,
    arguments: &[String],
    folder: &Path,
) -> Result<Process, ControlPlaneError> {
    let log: PathBuf = folder.join(format!("{name}.log"));
    let started = Process::start(name, program, arguments, log);
    started.map_err(ControlPlaneError::io(format!("starting {}", program.display())))
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
