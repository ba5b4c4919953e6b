//! Catching panics of the user's code.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a panic's payload.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// Takes the message out of a panic's payload. A payload that panics while it is dropped is leaked.
pub(crate) fn into_message(payload: Box<dyn Any + Send>) -> String {
    let message = message(&*payload).to_owned();
    if let Err(worse) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(worse);
    }
    message
}

/// Calls the user's code.
///
/// # Errors
/// The message of its panic.
pub(crate) fn catch<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(into_message)
}
