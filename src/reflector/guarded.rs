//! Requests to a source, with panics turned into errors.
//!
//! A [`ListerWatcher`](crate::lister_watcher::ListerWatcher) is user code. It may panic when it is
//! called, and its futures and streams may panic when they are polled or dropped. The reflector
//! reports that as an error and retries.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, StreamExt};

use crate::error::{Fault, RequestName, SourceError};
use crate::panic::{catch, drop_safely};

/// A future or stream of a source, and the request that its errors name.
pub(crate) struct Guarded<T> {
    inner: Option<T>,
    request: RequestName,
}

/// A request that is being opened.
pub(crate) type Opening<T> = Guarded<BoxFuture<'static, Result<T, SourceError>>>;

/// Opens a request.
pub(crate) fn open<T: Send + 'static>(
    request: RequestName,
    call: impl FnOnce() -> BoxFuture<'static, Result<T, SourceError>>,
) -> Opening<T> {
    let opening = catch(call).unwrap_or_else(|message| {
        let error = panicked(&request, message);
        futures::future::ready(Err(error)).boxed()
    });
    Guarded::new(opening, request)
}

/// Returns the error for a panic of the source.
pub(crate) fn panicked(request: &RequestName, message: String) -> SourceError {
    SourceError::new(request.clone(), Fault::Panicked(message))
}

impl<T> Guarded<T> {
    pub(crate) fn new(inner: T, request: RequestName) -> Self {
        Self { inner: Some(inner), request }
    }

    /// Polls with `poll`. Returns `None` after a panic, because nothing is left to poll.
    fn catch<R>(&mut self, poll: impl FnOnce(&mut T) -> R) -> Option<Result<R, SourceError>> {
        let inner = self.inner.as_mut()?;
        let polled = catch(|| poll(inner));
        Some(polled.map_err(|message| {
            self.release();
            panicked(&self.request, message)
        }))
    }

    fn release(&mut self) {
        if let Some(inner) = self.inner.take()
            && drop_safely(inner)
        {
            report_drop(&self.request);
        }
    }
}

#[cold]
fn report_drop(request: &RequestName) {
    tracing::error!(%request, "the source panicked while a request was dropped");
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        self.release();
    }
}

impl<T> Future for Opening<T> {
    type Output = Result<T, SourceError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.catch(|opening| opening.poll_unpin(cx)) {
            Some(Ok(polled)) => polled,
            Some(Err(error)) => Poll::Ready(Err(error)),
            None => Poll::Pending,
        }
    }
}

impl<T> Stream for Guarded<BoxStream<'static, Result<T, SourceError>>> {
    type Item = Result<T, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.catch(|stream| stream.poll_next_unpin(cx)) {
            Some(Ok(polled)) => polled,
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => Poll::Ready(None),
        }
    }
}
