//! Tasks that have names, and of which none ends unnoticed.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{Id, JoinError, JoinSet};

use super::ManagerError;
use super::status::{ManagerState, Role};
use crate::leader_election::WorkScope;
use crate::panic::{catch, catch_async, drop_safely, into_message};
use crate::sync::Mutex;

/// A set of named tasks. Dropping it drops them at their next await.
pub(super) struct Crew {
    state: Arc<ManagerState>,
    tasks: JoinSet<Result<(), ManagerError>>,
    names: HashMap<Id, Arc<str>>,
}

impl Crew {
    pub(super) fn new(state: Arc<ManagerState>) -> Self {
        Self { state, tasks: JoinSet::new(), names: HashMap::new() }
    }

    /// Runs a part. Its panic becomes an error.
    pub(super) fn spawn(
        &mut self,
        name: &Arc<str>,
        role: Role,
        work: impl Future<Output = Result<(), ManagerError>> + Send + 'static,
    ) {
        let guard = self.state.begin(name.clone(), role);
        let part = name.clone();
        let work = async move {
            let ended = catch_async(work).await;
            let result =
                ended.unwrap_or_else(|message| Err(ManagerError::Panicked { name: part, message }));
            guard.ended(&result);
            result
        };
        self.names.insert(self.tasks.spawn(work).id(), name.clone());
    }

    /// Runs a part of a term of leadership: the lease is not released before it has ended.
    pub(super) fn spawn_in(
        &mut self,
        scope: &WorkScope,
        name: &Arc<str>,
        role: Role,
        work: impl Future<Output = Result<(), ManagerError>> + Send + 'static,
    ) {
        let tracked = scope.track(work);
        // Work that the elector drops has not failed: the elector reports the end of the term.
        self.spawn(name, role, async move { tracked.await.unwrap_or(Ok(())) });
    }

    /// Waits until a task ends. Returns `None` if there is no task. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Result<(), ManagerError>> {
        let ended = self.tasks.join_next_with_id().await?;
        let (id, result) = match ended {
            Ok((id, result)) => (id, result),
            Err(error) => (error.id(), Err(self.failed(error))),
        };
        self.names.remove(&id);
        Some(result)
    }

    /// Waits until a task fails. Never returns if none does.
    pub(super) async fn next_failure(&mut self) -> ManagerError {
        loop {
            match self.next().await {
                Some(Err(error)) => return error,
                Some(Ok(())) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Waits until every task has ended, and notes their errors.
    pub(super) async fn finish(&mut self, first: &FirstError) {
        while let Some(result) = self.next().await {
            if let Err(error) = result {
                first.note(error);
            }
        }
    }

    /// Returns the error of a task whose own handling of panics failed: a value panicked when it
    /// was dropped.
    fn failed(&self, error: JoinError) -> ManagerError {
        let name = self.names.get(&error.id()).cloned().unwrap_or_default();
        let message = match error.try_into_panic() {
            Ok(payload) => into_message(payload),
            Err(_) => "it was aborted".to_owned(),
        };
        ManagerError::Panicked { name, message }
    }
}

/// The error that came first, which is the cause of the others.
#[derive(Debug, Default)]
pub(super) struct FirstError(Mutex<Option<ManagerError>>);

impl FirstError {
    /// Logs an error, and keeps it if it is the first one.
    pub(super) fn note(&self, error: ManagerError) {
        let text = catch(|| error.to_string())
            .unwrap_or_else(|message| format!("an error whose text panicked: {message}"));
        tracing::error!(error = text, "a part of the manager failed");
        let mut first = self.0.lock();
        if first.is_none() {
            *first = Some(error);
        } else {
            drop(first);
            // A task's error is user code.
            drop_safely(error);
        }
    }

    /// Returns the first error, if there was one.
    pub(super) fn take(&self) -> Result<(), ManagerError> {
        self.0.lock().take().map_or(Ok(()), Err)
    }
}
