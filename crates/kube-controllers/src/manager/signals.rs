//! The signals that end a process.

use std::io;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// The two ways in which a manager is told to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Stops {
    /// Asks for a graceful stop.
    pub(super) graceful: CancellationToken,
    /// Ends everything at once.
    pub(super) at_once: CancellationToken,
}

impl Stops {
    /// Listens to SIGTERM and SIGINT, or to Ctrl-C where these do not exist. The first signal asks
    /// for a graceful stop, the second one ends everything at once.
    pub(super) fn on_signals() -> io::Result<(Self, AbortOnDropHandle<()>)> {
        let mut signals = Signals::install()?;
        let stops = Self::default();
        let told = stops.clone();
        let listening = async move {
            signals.next().await;
            tracing::info!("stopping after a signal; another one ends the process at once");
            told.graceful.cancel();
            signals.next().await;
            told.at_once.cancel();
        };
        let listening = tokio::spawn(listening.boxed());
        Ok((stops, AbortOnDropHandle::new(listening)))
    }
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn install() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn install() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
