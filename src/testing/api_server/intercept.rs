//! A user's closure that answers requests instead of the server.
//!
//! The slot of the closure is not locked while the closure runs, so that the closure may replace or
//! remove itself.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use parking_lot::{Mutex, ReentrantMutex};

use super::RequestInfo;

type Answer = Box<dyn FnMut(&RequestInfo) -> Option<Response<Bytes>> + Send>;

/// The closure that sees each request first, if there is one.
#[derive(Default)]
pub(super) struct Intercept(Mutex<Option<Arc<Closure>>>);

/// A closure that one thread at a time may call.
struct Closure(ReentrantMutex<RefCell<Answer>>);

impl Intercept {
    /// Replaces the closure. Drops the old one after the slot is free.
    pub(super) fn set(&self, answer: Option<Answer>) {
        let closure = answer.map(|answer| Closure(ReentrantMutex::new(RefCell::new(answer))));
        let before = std::mem::replace(&mut *self.0.lock(), closure.map(Arc::new));
        drop(before);
    }

    /// Returns the closure's response. A request that the closure itself sends is not passed to it.
    pub(super) fn answer(&self, info: &RequestInfo) -> Option<Response<Bytes>> {
        let closure = self.0.lock().clone()?;
        let calling = closure.0.lock();
        let mut answer = calling.try_borrow_mut().ok()?;
        answer(info)
    }
}

impl fmt::Debug for Intercept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Intercept").field(&self.0.lock().is_some()).finish()
    }
}
