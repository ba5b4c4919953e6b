//! The Go programs, which `.ci/go-programs` builds, run as children.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::harness::Skip;

/// Finds the program of a folder beside this one, which `.ci/go-programs` has built. Never builds
/// it: the first build downloads modules and takes minutes.
pub(crate) fn find(folder: &str) -> Result<PathBuf, Skip> {
    if std::env::var("KUBE_INFORMER_GO").is_ok_and(|value| value == "0") {
        return Err(Skip("KUBE_INFORMER_GO=0".into()));
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("go-{folder}"));
    if !program.exists() {
        let missing = program.display();
        return Err(Skip(format!("{missing} is not there: `.ci/go-programs` builds it with Go")));
    }
    Ok(program)
}

/// A program that speaks a line at a time, and ends when nobody speaks to it any more.
pub(crate) struct Program {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Program {
    /// Its errors go into a log, which goes with it unless something panics.
    pub(crate) fn start(command: &mut Command, name: &str) -> Self {
        let log = format!("{name}-{:08x}.log", fastrand::u32(..));
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(log);
        let errors = std::fs::File::create(&log).expect("a log can be written");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("the program starts");
        let (to, from) = (child.stdin.take(), child.stdout.take().expect("it is piped"));
        Self { child, to, from: BufReader::new(from), log }
    }

    /// The next line. Blocks.
    ///
    /// # Panics
    /// When the program has ended.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.from.read_line(&mut line);
        assert!(matches!(read, Ok(1..)), "the program ended; its log is {}", self.log.display());
        line.trim_end().to_owned()
    }

    pub(crate) fn tell(&mut self, line: &str) {
        let to = self.to.as_mut().expect("it is there until the end");
        to.write_all(format!("{line}\n").as_bytes()).expect("the program listens");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
        if !std::thread::panicking() {
            let _ = std::fs::remove_file(&self.log);
        }
    }
}
