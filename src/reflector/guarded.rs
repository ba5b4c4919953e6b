//! Requests of a source whose panics are errors.
//!
//! A [`ListerWatcher`](crate::ListerWatcher) is user code. What it returns may panic when it is
//! called, polled or dropped; the reflector reports that and asks again.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, StreamExt};

use crate::error::{Asked, Fault, SourceError};
use crate::panic::{catch, let_go};

/// A future or stream of a source, and the request that an error of it names.
pub(super) struct Guarded<T> {
    inner: Option<T>,
    asked: Asked,
}

/// The answer to a request that is being opened.
pub(super) type Opening<T> = Guarded<BoxFuture<'static, Result<T, SourceError>>>;

/// Calls what opens a request.
pub(super) fn open<T: Send + 'static>(
    asked: Asked,
    call: impl FnOnce() -> BoxFuture<'static, Result<T, SourceError>>,
) -> Opening<T> {
    let opening = catch(call).unwrap_or_else(|message| {
        let error = panicked(&asked, message);
        futures::future::ready(Err(error)).boxed()
    });
    Guarded::new(opening, asked)
}

/// The error that a source's panic becomes.
pub(super) fn panicked(asked: &Asked, message: String) -> SourceError {
    SourceError::new(asked.clone(), Fault::Panicked(message))
}

impl<T> Guarded<T> {
    pub(super) fn new(inner: T, asked: Asked) -> Self {
        Self { inner: Some(inner), asked }
    }

    /// Polls with `poll`; after a panic there is nothing left to poll.
    fn catch<R>(&mut self, poll: impl FnOnce(&mut T) -> R) -> Option<Result<R, SourceError>> {
        let inner = self.inner.as_mut()?;
        let polled = catch(|| poll(inner));
        Some(polled.map_err(|message| {
            self.release();
            panicked(&self.asked, message)
        }))
    }

    fn release(&mut self) {
        if let Some(inner) = self.inner.take()
            && let_go(inner)
        {
            tracing::error!(asked = %self.asked, "the source panicked while a request was dropped");
        }
    }
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
