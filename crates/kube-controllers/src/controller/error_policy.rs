//! The rules for errors that reconciles return.

use std::error::Error;
use std::fmt;
use std::iter::successors;

use super::action::Action;
use super::finalizer::FinalizerError;
use crate::basics::Mutex;
use kube_informer::error::BoxError;
use kube_informer::object::ObjectKey;
use kube_informer::seams::KeyMap;

/// The largest number of an error's causes that are read. A user's error may have endless causes.
const MOST_CAUSES: usize = 100;

/// A failed try, as an [error policy](super::ControllerBuilder::error_policy) gets it.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedTry<'a> {
    /// The object's key.
    pub key: &'a ObjectKey,
    /// The error that the reconcile returned.
    pub error: &'a (dyn Error + Send + Sync + 'static),
    /// The number of tries of this key that failed in a row, including this one.
    pub failures: u32,
}

/// An error that no retry resolves: the key waits for the next event or trigger.
/// controller-runtime's `TerminalError`.
///
/// The default [error policy](super::ControllerBuilder::error_policy) looks for it in the error and
/// its first causes, up to 100. Text and [`source`](Error::source) are those of the error inside.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_controllers::controller::{BoxError, Permanent};
/// use kube_controllers::{Action, ReconcileRequest};
///
/// async fn reconcile(request: ReconcileRequest<ConfigMap>) -> Result<Action, BoxError> {
///     let Some(map) = request.object.present() else { return Ok(Action::done()) };
///     let text = map.data.as_ref().and_then(|data| data.get("replicas"));
///     let text = text.ok_or_else(|| Permanent::new("the key `replicas` is missing"))?;
///     let replicas: u32 = text.parse().map_err(Permanent::new)?;
///     println!("{replicas} replicas");
///     Ok(Action::done())
/// }
/// ```
#[derive(Debug)]
pub struct Permanent(BoxError);

impl Permanent {
    /// Wraps an error, or a text.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }

    /// Returns the error inside.
    pub fn into_inner(self) -> BoxError {
        self.0
    }
}

impl fmt::Display for Permanent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Permanent {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

type Policy = dyn Fn(&FailedTry<'_>) -> Action + Send + Sync;

/// The rules for failed tries.
pub(super) struct ErrorRules {
    pub(super) policy: Box<Policy>,
    pub(super) max_retries: Option<u32>,
}

impl Default for ErrorRules {
    fn default() -> Self {
        Self { policy: Box::new(retry_unless_permanent), max_retries: None }
    }
}

/// The failures in a row of the user's own code, by key. The queue's count also includes waits for
/// the cache, which do not call that code.
#[derive(Debug, Default)]
pub(super) struct OwnFailures(Mutex<KeyMap<u32>>);

impl OwnFailures {
    /// Counts one more failure of a key, and returns the new count. `failures` is the queue's
    /// count, which is 1 for the first failure after a success or a new spec.
    pub(super) fn count(&self, key: &ObjectKey, failures: u32) -> u32 {
        let mut own = self.0.lock();
        let before = if failures == 1 { None } else { own.get(key).copied() };
        let count = before.unwrap_or_default().saturating_add(1);
        own.insert(key.clone(), count);
        count
    }

    pub(super) fn forget(&self, key: &ObjectKey) {
        let mut own = self.0.lock();
        // The map is mostly empty: this saves hashing the key.
        if own.len() > 0 {
            own.remove(key);
        }
    }
}

fn retry_unless_permanent(failure: &FailedTry<'_>) -> Action {
    let first: &(dyn Error + 'static) = failure.error;
    let causes = successors(Some(first), |&error| match error.downcast_ref() {
        // The wrapper stands for the error inside, so `source` skips that one.
        Some(FinalizerError::Failed(inside)) => Some(&**inside),
        _ => error.source(),
    });
    let permanent = causes.take(MOST_CAUSES).any(<dyn Error>::is::<Permanent>);
    if permanent { Action::done() } else { Action::retry() }
}
