//! Calls and drops of user code that catch a panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use futures::FutureExt;

/// Returns the message of a panic's payload, and drops the payload.
pub fn into_message(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned();
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // A payload that panics again is leaked.
        std::mem::forget(another);
    }
    text
}

/// Calls user code. The error is the message of its panic.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(into_message)
}

/// Polls user code. The error is the message of its panic.
#[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
pub async fn catch_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(into_message)
}

/// Drops a value. Catches and logs a panic of its `Drop`. Returns whether it panicked.
pub fn drop_safely<T>(value: T) -> bool {
    match catch(|| drop(value)) {
        Ok(()) => false,
        Err(message) => {
            report_drop(&message);
            true
        }
    }
}

/// Passes a reference to a call and drops the value afterwards, even if the call panics.
pub(crate) fn lend<T, R>(value: T, call: impl FnOnce(&T) -> R) -> R {
    let called = catch_unwind(AssertUnwindSafe(|| call(&value)));
    drop_safely(value);
    called.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Logs the panic of a `Drop`. Not generic, because a `tracing` event is much code for each type.
#[cold]
fn report_drop(message: &str) {
    // A subscriber may panic, too. During unwinding, that would end the process.
    let _told = catch(|| tracing::error!(message, "a value panicked when it was dropped"));
}
