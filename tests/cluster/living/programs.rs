//! The programs of a cluster beside etcd and the API server, and what all of them use.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kube_embedded_apiserver::ControlPlane;
use kube_embedded_apiserver::control_plane::Binaries;

use super::super::harness::Skip;

pub(super) const NAMES: [&str; 4] =
    ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/// Ends the program when its input ends, so that nothing outlives a test that is killed.
const GUARD: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r order; kill -KILL "$program"; } <&3 &
wait "$program"
kill -KILL 0
"#;

/// The paths of the controllers and of the scheduler.
pub(super) struct Controllers([PathBuf; 2]);

impl Controllers {
    /// Finds them beside the API server, where envtest's rules find that.
    pub(super) fn find() -> Result<Self, Skip> {
        let binaries = Binaries::find().map_err(|missing| Skip(missing.to_string()))?;
        let paths = ["kube-controller-manager", "kube-scheduler"]
            .map(|name| binaries.kube_apiserver.with_file_name(name));
        match paths.iter().find(|path| !path.is_file()) {
            Some(path) => {
                let path = path.display();
                Err(Skip(format!("{path} is not there: `.ci/scheduled living` builds it with Go")))
            }
            None => Ok(Self(paths)),
        }
    }

    /// Starts both on a control plane.
    pub(super) fn start(&self, plane: &ControlPlane) -> io::Result<[Guarded; 2]> {
        let folder = plane.folder();
        let kubeconfig = folder.join("controllers.kubeconfig");
        fs::write(&kubeconfig, plane.kubeconfig())?;
        let file = |name: &str| folder.join(name).display().to_string();
        let common = [
            format!("--kubeconfig={}", kubeconfig.display()),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
            "--kube-api-qps=300".to_owned(),
            "--kube-api-burst=600".to_owned(),
        ];
        let of_controllers = [
            format!("--service-account-private-key-file={}", file("service-accounts.key")),
            format!("--root-ca-file={}", file("authority.crt")),
            "--node-monitor-period=2s".to_owned(),
            "--node-monitor-grace-period=20s".to_owned(),
            "--unhealthy-zone-threshold=0.9".to_owned(),
            "--node-eviction-rate=5".to_owned(),
        ];
        let [manager, scheduler] = &self.0;
        let manager = Guarded::start(manager, common.iter().chain(&of_controllers), folder)?;
        Ok([manager, Guarded::start(scheduler, common.iter(), folder)?])
    }
}

/// A program that is killed when this is dropped. Its log is in the folder of the control plane.
pub(super) struct Guarded(Child);

impl Guarded {
    fn start<'a>(
        program: &Path,
        arguments: impl Iterator<Item = &'a String>,
        folder: &Path,
    ) -> io::Result<Self> {
        let name = program.file_name().unwrap_or_default();
        let log = fs::File::create(folder.join(name).with_extension("log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "sh"]).arg(program).args(arguments).process_group(0);
        let command = command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        command.spawn().map(Self)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Processor time and memory of the programs of one control plane, also of those that were killed.
#[derive(Default)]
pub(super) struct Usage {
    /// By program and process.
    times: BTreeMap<(&'static str, String), Duration>,
    /// The largest resident memory, in bytes.
    memory: BTreeMap<&'static str, u64>,
}

impl Usage {
    /// Reads what the programs have used. The folder is in their arguments.
    pub(super) fn sample(&mut self, folder: &Path) {
        let folder = folder.display().to_string();
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Ok(arguments) = fs::read_to_string(process.path().join("cmdline")) else {
                continue;
            };
            let program = arguments.split('\0').next().unwrap_or_default();
            let is = |name: &&&str| Path::new(program).ends_with(name);
            let Some(name) = NAMES.iter().find(is).filter(|_| arguments.contains(&folder)) else {
                continue;
            };
            let pid = process.file_name().to_string_lossy().into_owned();
            if let Some(time) = time_of(&process.path()) {
                self.times.insert((name, pid), time);
            }
            let most = self.memory.entry(name).or_default();
            *most = memory_of(&process.path()).unwrap_or_default().max(*most);
        }
    }

    pub(super) fn time(&self, name: &str) -> Duration {
        self.times.iter().filter(|((known, _), _)| *known == name).map(|(_, time)| *time).sum()
    }

    pub(super) fn memory(&self, name: &str) -> u64 {
        self.memory.get(name).copied().unwrap_or_default()
    }
}

/// Returns the processor time of a process, or of one of its threads.
fn time_of(folder: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name, in parentheses, may have spaces. User and system time are the 12th and 13th after.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    // A tick is a hundredth of a second on every Linux.
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

fn memory_of(folder: &Path) -> Option<u64> {
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok().map(|kib| 1024 * kib)
}

/// Returns the processor time of this process's threads of a name.
pub(super) fn time_of_threads(name: &str) -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let named = threads.filter(|thread| {
        fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim() == name)
    });
    named.filter_map(|thread| time_of(&thread.path())).sum()
}

/// Returns the resident memory of this process, in bytes.
pub(super) fn own_memory() -> u64 {
    memory_of(Path::new("/proc/self")).unwrap_or_default()
}
