//! Work that blocks a thread: the member Lease is renewed until it has ended.

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Sharding;
use super::error::ShardingError;
use super::run::Driver;
use crate::lease::DROP_TIMEOUT;

/// A driver that continues in a task of its runtime if it is dropped beside work that blocks a
/// thread. The task ends with the work, or with that runtime.
pub(super) struct Detaching {
    /// `None` once the membership has ended.
    driver: Option<Driver>,
    runtime: Handle,
}

impl Detaching {
    pub(super) fn new(driver: Driver) -> Self {
        Self { driver: Some(driver), runtime: Handle::current() }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) -> Result<(), ShardingError> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        let ended = driver.run(stop).await;
        self.driver = None;
        ended
    }
}

impl Drop for Detaching {
    fn drop(&mut self) {
        let Some(mut driver) = self.driver.take() else { return };
        driver.drop_work();
        if driver.rules.abandons_blocked || driver.inner.work.is_empty() {
            return;
        }
        let detached = driver.inner.detached.token();
        let ending = async move {
            // Dropped work normally ends at once.
            if timeout(DROP_TIMEOUT, driver.inner.work.wait()).await.is_err() {
                driver.machine.rules.grace = std::time::Duration::ZERO;
                let stop = CancellationToken::new();
                stop.cancel();
                if let Err(error) = driver.run(stop).await {
                    tracing::error!(%error, "a membership that was dropped ended");
                }
            }
            // This order lets the next run begin after this one has ended.
            drop(driver);
            drop(detached);
        };
        self.runtime.spawn(ending.boxed());
    }
}

impl Driver {
    /// Reports work that blocks a thread although it was dropped.
    pub(super) fn tell_blocked(&self, lost: bool) {
        let (group, identity) = (&self.rules.group, &self.rules.identity);
        let tracked = self.inner.work.len();
        if lost {
            tracing::error!(
                %group, %identity, tracked,
                "work outlived its lost session and blocks a thread; another replica may work on \
                 the same objects: end this process"
            );
        } else if !self.rules.abandons_blocked {
            tracing::error!(
                %group, %identity, tracked,
                "work exceeded the grace of a stop and blocks a thread; the member lease is renewed \
                 until the work ends: end this process"
            );
        }
    }
}

impl Sharding {
    /// Waits until nothing is left of memberships that have ended or were dropped.
    pub(super) async fn blocked_work_ended(&self) {
        self.0.work.wait().await;
        self.0.detached.wait().await;
    }

    /// Waits like [`blocked_work_ended`](Self::blocked_work_ended) if the membership was dropped
    /// beside blocked work and renews its Lease for it.
    pub(crate) async fn finish_blocked(&self) {
        // The manager has dropped the membership, if it ran it.
        tokio::time::sleep(DROP_TIMEOUT).await;
        if !self.0.detached.is_empty() {
            self.blocked_work_ended().await;
        }
    }
}
