//! Work that may block for long, outside the runtime.

use std::io;

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::panic::catch;
use crate::sync::Mutex;

/// The result of one run; `None` while it runs.
type Progress<T> = watch::Receiver<Option<T>>;

/// Work that runs on a thread of its own, one run at a time. A request that comes while it runs
/// gets the result of that run, so that work that hangs takes one thread.
///
/// Neither the runtime's workers nor its end wait for it.
pub(super) struct SharedRun<T> {
    thread: &'static str,
    running: Mutex<Option<Progress<T>>>,
}

impl<T: Clone + Send + Sync + 'static> SharedRun<T> {
    pub(super) fn new(thread: &'static str) -> Self {
        Self { thread, running: Mutex::new(None) }
    }

    /// Runs the work, or joins the run that has not ended. Returns `None` if it panicked.
    ///
    /// # Errors
    /// No thread could be started.
    pub(super) async fn run(
        &self,
        work: impl FnOnce(&Handle) -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        let mut progress = self.start(work)?;
        let ended = progress.wait_for(Option::is_some).await;
        Ok(ended.ok().and_then(|ended| ended.clone()))
    }

    fn start(&self, work: impl FnOnce(&Handle) -> T + Send + 'static) -> io::Result<Progress<T>> {
        let mut running = self.running.lock();
        if let Some(progress) = running.as_ref().filter(|progress| is_running(progress)) {
            return Ok(progress.clone());
        }
        let (ended, progress) = watch::channel(None);
        let runtime = Handle::current();
        std::thread::Builder::new().name(self.thread.into()).spawn(move || {
            let _entered = runtime.enter();
            if let Ok(result) = catch(|| work(&runtime)) {
                ended.send_replace(Some(result));
            }
        })?;
        *running = Some(progress.clone());
        Ok(progress)
    }
}

fn is_running<T>(progress: &Progress<T>) -> bool {
    progress.borrow().is_none() && progress.has_changed().is_ok()
}
