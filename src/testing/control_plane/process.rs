//! A child program, and the shell that guarantees its end.
//!
//! The program and a shell form a process group. The shell reads a pipe that only this process
//! holds. When this process ends, even by `SIGKILL`, the pipe ends, and the shell kills the group.
//! The output of both goes to one log file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// `stop` asks the program to end; the end of the pipe kills it. When the program has ended, the
/// rest of the group is killed.
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

/// The number of bytes at the end of a log that an error reads.
const TAIL_BYTES: usize = 16 * 1024;
/// The number of lines that an error shows.
const TAIL_LINES: usize = 20;

/// A running program. Dropping it kills the program and everything that it started.
#[derive(Debug)]
pub(super) struct Process {
    name: &'static str,
    child: Child,
    /// The pipe that keeps the group alive.
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

    /// Returns the exit status of the shell, if it has ended. The program's own status is in the
    /// log.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Returns the last lines of the log.
    pub(super) fn tail(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let text =
            String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let lines = &lines[lines.len().saturating_sub(TAIL_LINES)..];
        if lines.is_empty() { "(empty)".to_owned() } else { lines.join("\n") }
    }

    /// Asks the program to end by itself.
    pub(super) fn ask_to_end(&mut self) {
        if let Some(pipe) = &mut self.pipe {
            // The write fails if the group has ended already.
            let _ = pipe.write_all(b"stop\n");
        }
    }

    /// Simulates the death of this process.
    #[cfg(test)]
    pub(super) fn lose_pipe(&mut self) {
        self.pipe = None;
    }

    /// Waits until the program has ended or the deadline passes. Returns whether it has ended.
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
        // The group was killed or has ended, so this returns at once.
        let _ = self.child.wait();
    }
}
