//! Work that may block for long, outside the runtime.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::basics::Mutex;
use kube_informer::seams::catch;

/// One run.
#[derive(Clone)]
struct Run<T> {
    /// Empty if the work panicked.
    result: Arc<OnceLock<T>>,
    /// Closed at the end.
    running: watch::Receiver<()>,
}

/// Work that runs on a thread of its own, one run at a time. A request that comes while it runs
/// gets the result of that run, so that work that hangs takes one thread.
///
/// Neither the runtime's workers nor its end wait for it.
pub(super) struct SharedRun<T> {
    thread: &'static str,
    last: Mutex<Option<Run<T>>>,
}

impl<T: Clone + Send + Sync + 'static> SharedRun<T> {
    pub(super) fn new(thread: &'static str) -> Self {
        Self { thread, last: Mutex::new(None) }
    }

    /// Runs the work, or joins the run that has not ended. Returns `None` if it panicked.
    ///
    /// # Errors
    /// No thread could be started.
    pub(super) async fn run(
        &self,
        work: impl FnOnce(&Handle) -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        let mut run = self.start(work)?;
        let _ended = run.running.changed().await;
        Ok(run.result.get().cloned())
    }

    fn start(&self, work: impl FnOnce(&Handle) -> T + Send + 'static) -> io::Result<Run<T>> {
        let mut last = self.last.lock();
        if let Some(run) = last.as_ref().filter(|run| run.running.has_changed().is_ok()) {
            return Ok(run.clone());
        }
        let (ended, running) = watch::channel(());
        let run = Run { result: Arc::default(), running };
        let (runtime, result) = (Handle::current(), run.result.clone());
        std::thread::Builder::new().name(self.thread.into()).spawn(move || {
            let _entered = runtime.enter();
            if let Ok(done) = catch(|| work(&runtime)) {
                let _first = result.set(done);
            }
            drop(ended);
        })?;
        *last = Some(run.clone());
        Ok(run)
    }
}
