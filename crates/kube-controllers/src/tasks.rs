//! Tasks with labels, and places for the outputs of tasks.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::task::{Id, JoinError, JoinSet};

use crate::basics::Mutex;
use kube_informer::seams::{SafeDrop, into_message};

/// The place of the output of one future. Futures that fill such places have one type, whatever
/// their outputs are. So the code that runs them is compiled once. An output that nobody takes may
/// panic when it is dropped: it is often a user's value.
pub(crate) struct Output<T>(Arc<Mutex<Option<SafeDrop<T>>>>);

impl<T> Default for Output<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Output<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Send> Output<T> {
    /// Returns a future that puts the output of this one here.
    pub(crate) fn of<'a>(&self, future: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, ()>
    where
        T: 'a,
    {
        let place = self.0.clone();
        let filling = async move {
            let output = SafeDrop::new(future.await);
            *place.lock() = Some(output);
        };
        filling.boxed()
    }

    /// Takes the output. `None` if the future has not ended, or panicked.
    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().take()?.take()
    }
}

/// Tasks with labels. Dropping them drops each task at its next await.
pub(crate) struct LabelledTasks<L, T> {
    tasks: JoinSet<()>,
    labels: Vec<(Id, L, Output<T>)>,
}

impl<L, T> Default for LabelledTasks<L, T> {
    fn default() -> Self {
        Self { tasks: JoinSet::new(), labels: Vec::new() }
    }
}

impl<L, T: Send + 'static> LabelledTasks<L, T> {
    /// Spawns a task.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub(crate) fn spawn(&mut self, label: L, task: BoxFuture<'static, T>) {
        let output = Output::default();
        let id = self.tasks.spawn(output.of(task)).id();
        self.labels.push((id, label, output));
    }

    /// Waits until a task ends. Returns its label, and its output or the message of its panic.
    /// Returns `None` if there is no task. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<(L, Result<T, String>)> {
        let ended = self.tasks.join_next_with_id().await?;
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        let place = self.labels.iter().position(|(of, ..)| *of == id)?;
        let (_, label, output) = self.labels.swap_remove(place);
        let failed = |error: JoinError| match error.try_into_panic() {
            Ok(payload) => into_message(payload),
            Err(_) => "it was aborted".to_owned(),
        };
        let message = ended.err().map(failed).unwrap_or_default();
        Some((label, output.take().ok_or(message)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;
    use crate::helpers::Bomb;

    #[tokio::test(start_paused = true)]
    async fn task_that_panics_is_named() {
        let mut tasks = LabelledTasks::default();
        tasks.spawn("ends", sleep(Duration::from_secs(2)).boxed());
        tasks.spawn("panics", async { panic!("as the test wants") }.boxed());
        let (label, panicked) = tasks.next().await.unwrap();
        assert_eq!((label, panicked), ("panics", Err("as the test wants".to_owned())));
        assert_eq!(tasks.next().await, Some(("ends", Ok(()))));
        assert_eq!(tasks.next().await, None);
    }

    #[tokio::test]
    async fn outputs_that_nobody_takes_may_panic_when_they_are_dropped() {
        let mut tasks = LabelledTasks::default();
        for label in 0..2 {
            tasks.spawn(label, async { Bomb }.boxed());
        }
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
        drop(tasks);
    }
}
