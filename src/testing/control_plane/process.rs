//! One program, and the shell that sees to its end.
//!
//! The program and a shell are a process group of their own. The shell reads a pipe that only this
//! process holds: whatever happens to this process, even `SIGKILL`, ends the pipe, and the shell then
//! kills the group. Output of both goes to one log file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// On `stop` the program is asked to end, at the end of the pipe it is killed. When it has ended so
/// does what is left of the group.
const GUARD: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{
  read -r order
  if [ "$order" = stop ]; then kill -TERM "$program"; read -r order; fi
  kill -KILL "$program"
} <&3 &
wait "$program"
echo "$1 ended with status $?" >&2
kill -KILL 0
"#;

/// How much of the end of a log is read for an error.
const TAIL: usize = 16 * 1024;
/// How many lines of it are shown.
const LINES: usize = 20;

/// A program that runs. Dropping it kills it and everything it started.
#[derive(Debug)]
pub(super) struct Process {
    name: &'static str,
    child: Child,
    /// The life of the group.
    pipe: Option<ChildStdin>,
    log: PathBuf,
}

impl Process {
    pub(super) fn start(
        name: &'static str,
        program: &Path,
        arguments: &[String],
        log: PathBuf,
    ) -> io::Result<Self> {
        let output = File::create(&log)?;
        let mut child = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()?;
        let pipe = child.stdin.take();
        Ok(Self { name, child, pipe, log })
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    /// How it ended, if it has. The shell ends by a signal; the program's own status is in the log.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The last lines of its log.
    pub(super) fn tail(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL)..]).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let lines = &lines[lines.len().saturating_sub(LINES)..];
        if lines.is_empty() { "(empty)".to_owned() } else { lines.join("\n") }
    }

    /// Asks it to end by itself.
    pub(super) fn ask_to_end(&mut self) {
        if let Some(pipe) = &mut self.pipe {
            // The group has ended already where nobody reads.
            let _ = pipe.write_all(b"stop\n");
        }
    }

    /// What happens when this process dies.
    #[cfg(test)]
    pub(super) fn lose_pipe(&mut self) {
        self.pipe = None;
    }

    /// Whether it ended in time.
    pub(super) async fn has_ended_by(&mut self, deadline: Instant) -> bool {
        while !matches!(self.ended(), Ok(Some(_))) {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.pipe = None;
        // Killed, or ended before: this takes no longer than a signal.
        let _ = self.child.wait();
    }
}
