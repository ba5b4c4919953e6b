//! Containment of panics in the program and in the test's rules.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

/// Returns the message of a panic's payload.
#[allow(clippy::needless_pass_by_value, reason = "the payload is dropped")]
pub(crate) fn into_message(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned()
}

/// Calls user code. The error is the message of its panic.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(into_message)
}

/// Polls user code. The error is the message of its panic.
pub(crate) async fn catch_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(into_message)
}
