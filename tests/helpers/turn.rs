//! The end of the run queue, where every other task has a turn before.

use std::future::poll_fn;
use std::task::Poll;

/// Waits until every other task that can go on was polled once.
pub(crate) async fn turn() {
    let mut waited = false;
    poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
