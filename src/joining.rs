//! Futures that run together.
//!
//! `FuturesUnordered` is compiled again for each type of future, thousands of lines each time. Here
//! it holds boxed futures without an output, so all callers share one. Used directly, it would save
//! 80 lines and no crate.

use std::fmt;
use std::future::pending;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};

use crate::panic::SafeDrop;
use crate::sorting::sort_by;
use crate::sync::Mutex;

/// Futures that run together. Their outputs come in the order in which the futures end.
pub struct Together<'a, T> {
    running: FuturesUnordered<BoxFuture<'a, ()>>,
    /// The number of futures that were ever pushed.
    pushed: usize,
    ended: Arc<Mutex<Vec<Ended<T>>>>,
}

/// An output that was not taken yet, with the number of its future.
type Ended<T> = (usize, SafeDrop<T>);

impl<T> fmt::Debug for Together<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").field("running", &self.running.len()).finish_non_exhaustive()
    }
}

impl<T> Default for Together<'_, T> {
    fn default() -> Self {
        Self { running: FuturesUnordered::new(), pushed: 0, ended: Arc::default() }
    }
}

impl<'a, T: Send + 'a> Together<'a, T> {
    /// Adds a future. It runs while another call of this type is awaited.
    pub fn push(&mut self, future: BoxFuture<'a, T>) {
        let (number, ended) = (self.pushed, self.ended.clone());
        let running = async move {
            let output = SafeDrop::new(future.await);
            ended.lock().push((number, output));
        };
        self.running.push(running.boxed());
        self.pushed += 1;
    }

    /// Waits until a future ends. Returns `None` if there is none. Cancel safe.
    pub async fn next(&mut self) -> Option<T> {
        self.running.next().await?;
        self.ended.lock().pop()?.1.take()
    }

    /// Waits until all futures have ended. Returns their outputs in the order of the futures.
    pub fn all(futures: impl IntoIterator<Item = BoxFuture<'a, T>>) -> BoxFuture<'a, Vec<T>> {
        let mut together: Self = futures.into_iter().collect();
        let all = async move {
            while together.running.next().await.is_some() {}
            let mut ended = std::mem::take(&mut *together.ended.lock());
            sort_by(&mut ended, |one, other| one.0.cmp(&other.0));
            ended.into_iter().filter_map(|(_, mut output)| output.take()).collect()
        };
        all.boxed()
    }

    /// Waits until the first future ends. Without futures, it waits until it is dropped.
    pub fn first(futures: impl IntoIterator<Item = BoxFuture<'a, T>>) -> BoxFuture<'a, T> {
        let mut together: Self = futures.into_iter().collect();
        let first = async move {
            match together.next().await {
                Some(output) => output,
                None => pending().await,
            }
        };
        first.boxed()
    }
}

impl<'a, T: Send + 'a> FromIterator<BoxFuture<'a, T>> for Together<'a, T> {
    fn from_iter<I: IntoIterator<Item = BoxFuture<'a, T>>>(futures: I) -> Self {
        let mut together = Self::default();
        for future in futures {
            together.push(future);
        }
        together
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;
    use crate::helpers::Bomb;

    fn after(seconds: u64) -> BoxFuture<'static, u64> {
        let wait = async move {
            sleep(Duration::from_secs(seconds)).await;
            seconds
        };
        wait.boxed()
    }

    #[tokio::test(start_paused = true)]
    async fn outputs_keep_the_order_of_their_futures() {
        let start = tokio::time::Instant::now();
        assert_eq!(Together::all([3, 1, 2].map(after)).await, [3, 1, 2]);
        assert_eq!(start.elapsed(), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn outputs_come_as_their_futures_end() {
        let mut together: Together<_> = [3, 1].map(after).into_iter().collect();
        assert_eq!(together.next().await, Some(1));
        together.push(after(1));
        assert_eq!(together.next().await, Some(1));
        assert_eq!(together.next().await, Some(3));
        assert_eq!(together.next().await, None);
    }

    #[tokio::test]
    async fn outputs_that_nobody_takes_may_panic_when_they_are_dropped() {
        let bomb = || async { Bomb }.boxed();
        let mut together = Together::default();
        together.push(bomb());
        together.push(bomb());
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
        // Both end in one poll, and the first is leaked.
        std::mem::forget(together.next().await);
        drop(together);
    }

    #[tokio::test(start_paused = true)]
    async fn first_of_no_futures_never_ends() {
        assert_eq!(Together::first([3, 1].map(after)).await, 1);
        let never = Together::first(Vec::<BoxFuture<'_, ()>>::new());
        assert!(tokio::time::timeout(Duration::from_secs(9), never).await.is_err());
    }
}
