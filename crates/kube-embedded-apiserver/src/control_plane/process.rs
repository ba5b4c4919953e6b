//! A child program, the shell that guarantees its end, and the health checks of its start.
//!
//! The program and a shell form a process group. The shell reads a pipe that only this process
//! holds. When this process ends, even by `SIGKILL`, the pipe ends, and the shell kills the group.
//! The output of both goes to one log file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::error::ControlPlaneError;
use super::folder::Identity;

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
        // A program that is started again appends to its log.
        let output = File::options().create(true).append(true).open(&log)?;
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

/// The pause between two checks.
const CHECK_PAUSE: Duration = Duration::from_millis(100);
/// The timeout of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of bytes of a response that are read.
const ANSWER_LIMIT: u64 = 4096;

/// A health check of a program.
#[derive(Clone)]
pub(super) struct Probe {
    pub(super) address: SocketAddr,
    pub(super) path: &'static str,
    /// The authority that signed the program's certificate, as PEM.
    pub(super) authority: String,
    pub(super) token: Option<String>,
    pub(super) identity: Option<Identity>,
}

impl Probe {
    /// Waits until the program is ready.
    pub(super) async fn wait(
        &self,
        process: &mut Process,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(), ControlPlaneError> {
        loop {
            let asked = timeout(CHECK_TIMEOUT, self.ask()).await;
            let last = match asked {
                Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200 ") => return Ok(()),
                Ok(Ok(answer)) => reason(&answer),
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("no answer in {CHECK_TIMEOUT:?}"),
            };
            let (program, log) = (process.name(), process.log().to_owned());
            let ended = process.ended().map_err(ControlPlaneError::io("waiting for a program"))?;
            if ended.is_some() {
                return Err(ControlPlaneError::Ended { program, log, tail: process.tail() });
            }
            if Instant::now() >= deadline {
                let tail = process.tail();
                return Err(ControlPlaneError::NotReady {
                    program,
                    waited: limit,
                    last,
                    log,
                    tail,
                });
            }
            sleep(CHECK_PAUSE).await;
        }
    }

    async fn ask(&self) -> io::Result<String> {
        let stream = TcpStream::connect(self.address).await?;
        let certificate =
            |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).map_err(io::Error::other);
        let mut trusted = RootCertStore::empty();
        let authority = certificate(&self.authority)?;
        trusted.add(authority).map_err(io::Error::other)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(trusted);
        let config = match &self.identity {
            None => config.with_no_client_auth(),
            Some(identity) => {
                let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes());
                let key = key.map_err(io::Error::other)?;
                let chain = vec![certificate(&identity.certificate)?];
                config.with_client_auth_cert(chain, key).map_err(io::Error::other)?
            }
        };
        let name = ServerName::from(self.address.ip());
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        let header = |token| format!("Authorization: Bearer {token}\r\n");
        self.get(stream, &self.token.as_ref().map_or_else(String::new, header)).await
    }

    async fn get(
        &self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        header: &str,
    ) -> io::Result<String> {
        let Self { address, path, .. } = self;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        // A server may close TLS without a notice; what it sent before counts.
        match stream.take(ANSWER_LIMIT).read_to_end(&mut answer).await {
            Err(error) if answer.is_empty() => Err(error),
            _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
        }
    }
}

/// Returns the status line of an answer, and the checks that failed.
fn reason(answer: &str) -> String {
    let mut lines = answer.lines();
    let status = lines.next().unwrap_or("an empty answer");
    let failed = lines.filter(|line| line.starts_with("[-]"));
    std::iter::once(status).chain(failed).collect::<Vec<_>>().join(", ")
}
