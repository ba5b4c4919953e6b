//! The closure that sees each request first.

use std::fmt;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::wire::query::RequestInfo;

/// The time for which a request waits for the closure to return from another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// The response to a request that has waited for so long.
const STUCK: &str = "the closure of ApiServer::intercept does not return: does it wait for a \
                     request that another thread sends?";

pub(super) type AnswerFn = Box<dyn FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send>;

/// The closure, if there is one. No lock is held while it runs, so that it may replace or remove
/// itself, send requests, and panic.
#[derive(Default)]
pub(super) struct Intercept(Mutex<Option<Arc<Closure>>>);

/// A closure that one thread at a time calls.
struct Closure {
    state: Mutex<ClosureState>,
    /// Wakes the requests that wait for the closure to return.
    returned: Notify,
}

enum ClosureState {
    Idle(AnswerFn),
    /// The thread has taken the closure, and calls it.
    Called(ThreadId),
}

/// A closure that is being called. Dropping it gives the closure back.
struct Call<'c> {
    closure: &'c Closure,
    answer: Option<AnswerFn>,
}

impl Intercept {
    /// Replaces the closure. Drops the old one without the lock.
    pub(super) fn set(&self, answer: Option<AnswerFn>) {
        let closure = answer.map(|answer| {
            let state = Mutex::new(ClosureState::Idle(answer));
            Arc::new(Closure { state, returned: Notify::new() })
        });
        let before = std::mem::replace(&mut *self.0.lock(), closure);
        drop(before);
    }

    /// Returns the closure's response. A request that the closure itself sends, on the thread that
    /// calls it, is not passed to it.
    pub(super) async fn answer(&self, info: &RequestInfo) -> Option<Response<Bytes>> {
        let closure = self.0.lock().clone()?;
        loop {
            // Waits from here on, so that no wake-up is missed.
            let mut returned = std::pin::pin!(closure.returned.notified());
            returned.as_mut().enable();
            match closure.begin() {
                Ok(mut call) => return call.answer.as_mut().and_then(|answer| answer(info)),
                Err(thread) if thread == thread::current().id() => return None,
                Err(_) => {}
            }
            if tokio::time::timeout(PATIENCE, returned).await.is_err() {
                let mut response = Response::new(Bytes::from_static(STUCK.as_bytes()));
                *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
                return Some(response);
            }
        }
    }
}

impl Closure {
    /// Takes the closure for a call. The error is the thread that calls it already.
    fn begin(&self) -> Result<Call<'_>, ThreadId> {
        let mut state = self.state.lock();
        match std::mem::replace(&mut *state, ClosureState::Called(thread::current().id())) {
            ClosureState::Idle(answer) => Ok(Call { closure: self, answer: Some(answer) }),
            ClosureState::Called(thread) => {
                *state = ClosureState::Called(thread);
                Err(thread)
            }
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            *self.closure.state.lock() = ClosureState::Idle(answer);
        }
        self.closure.returned.notify_waiters();
    }
}

impl fmt::Debug for Intercept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Intercept").field(&self.0.lock().is_some()).finish()
    }
}
