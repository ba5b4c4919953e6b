//! Named tasks; every end is reported.

use std::future::pending;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::ManagerError;
use super::status::{ManagerState, Role, TaskState};
use crate::basics::{Mutex, text};
use crate::lease::{ScopeOwner, WorkScope};
use crate::tasks::LabelledTasks;
use kube_informer::seams::{catch_async, drop_safely};

/// The work of a part. Boxed, so that what surrounds it is compiled once.
pub(super) type PartFuture = BoxFuture<'static, Result<(), ManagerError>>;

/// The end of a task of a crew: its result, and the wait for the work that it left.
type Ended = (Result<(), ManagerError>, Option<BoxFuture<'static, ()>>);

/// A set of named tasks. Dropping it drops them, and everything that they track, at their next
/// await.
pub(super) struct Crew {
    state: Arc<ManagerState>,
    tasks: LabelledTasks<Arc<str>, Ended>,
}

impl Crew {
    pub(super) fn new(state: Arc<ManagerState>) -> Self {
        Self { state, tasks: LabelledTasks::default() }
    }

    /// Runs a part. Its panic becomes an error.
    pub(super) fn spawn(&mut self, name: &Arc<str>, role: Role, work: PartFuture) {
        self.begin(name, role, async { Some(work.await) }.boxed(), None);
    }

    /// Runs a part of a term of leadership: the lease is not released before it has ended.
    pub(super) fn spawn_in(
        &mut self,
        scope: &WorkScope,
        name: &Arc<str>,
        role: Role,
        work: PartFuture,
    ) {
        self.begin(name, role, scope.track(work).boxed(), None);
    }

    /// Runs a part like [`spawn_in`](Self::spawn_in), within a scope of its own. The part ends when
    /// everything that it tracks has ended. A failure is reported before that.
    pub(super) fn spawn_scoped(
        &mut self,
        scope: &WorkScope,
        name: &Arc<str>,
        role: Role,
        work: impl FnOnce(WorkScope) -> PartFuture + Send + 'static,
    ) {
        let owner = ScopeOwner { name: name.clone(), key: None };
        let own = scope.within(scope.token().child_token(), &[], owner);
        let given = own.clone();
        let work = async move { work(given).await };
        self.begin(name, role, scope.track(work.boxed()).boxed(), Some(own));
    }

    /// Runs a part. Its output is `None` if its scope dropped it.
    fn begin(
        &mut self,
        name: &Arc<str>,
        role: Role,
        work: BoxFuture<'static, Option<Result<(), ManagerError>>>,
        own: Option<WorkScope>,
    ) {
        let mut guard = self.state.begin(name.clone(), role);
        let part = name.clone();
        let own = own.map(|own| (own.end_on_drop(), own));
        let work = async move {
            let result = match catch_async(work).await {
                Ok(Some(result)) => result,
                // Not failed: the elector reports the end of the term.
                Ok(None) => return (Ok(()), None),
                Err(message) => Err(ManagerError::Panicked { name: part, message }),
            };
            let end = if result.is_err() { TaskState::Failed } else { TaskState::Ended };
            let Some((ends, own)) = own else {
                guard.note(end);
                return (result, None);
            };
            // The scope stays open for work that comes later in the term.
            let rest = async move {
                let _ends = ends;
                let idle = async {
                    own.wait_until_idle().await;
                    guard.note(end);
                    pending::<()>().await;
                };
                own.token().run_until_cancelled(idle).await.unwrap_or(());
                guard.note(TaskState::Running);
                let whole = own.end_when_idle().await;
                guard.note(if whole { end } else { TaskState::Dropped });
            };
            (result, Some(rest.boxed()))
        };
        self.tasks.spawn(name.clone(), work.boxed());
    }

    /// Waits until a task ends. Returns `None` if there is no task. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Result<(), ManagerError>> {
        let (name, ended) = self.tasks.next().await?;
        let (result, rest) = match ended {
            Ok(ended) => ended,
            // Its own handling of panics failed: a value panicked when it was dropped.
            Err(message) => (Err(ManagerError::Panicked { name: name.clone(), message }), None),
        };
        if let Some(rest) = rest {
            let ending = async move {
                rest.await;
                (Ok(()), None)
            };
            self.tasks.spawn(name, ending.boxed());
        }
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
}

/// The error that came first, which is the cause of the others.
#[derive(Debug, Default)]
pub(super) struct FirstError(Mutex<Option<ManagerError>>);

impl FirstError {
    /// Logs an error, and keeps it if it is the first one.
    pub(super) fn note(&self, error: ManagerError) {
        tracing::error!(error = text(|| error.to_string()), "a part of the manager failed");
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
