//! The wait for a view that work may begin with: synced, and as new as a takeover.
//!
//! A replica that takes over must not act on an older state than its predecessor did. So before
//! the first reconcile, each informer that the controller follows proves by a quorum read that it
//! is as new as the takeover.

use std::time::Duration;

use futures::FutureExt;
use futures::future::join;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::following::Group;
use super::membership::Membership;
use super::{ControllerError, ControllerParts, Phase};
use crate::informer::{ReadBarrier as Moment, SyncError};
use crate::seams::Together;

/// The period of the check whether enough members of each group have a view.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

impl ControllerParts {
    /// Waits until each kind has an informer that is fresh since this moment, and every other
    /// informer is fresh, too, or fails. The keys of the others wait. Additions are awaited only at
    /// a takeover.
    pub(super) async fn await_view(&self, since: Moment) -> Result<(), ControllerError> {
        let (start, takes_over) = (Instant::now(), since > Moment::START);
        let view = |member: &Membership| {
            let (member, limit) = (member.clone(), self.limits.sync);
            let view = async move {
                tokio::select! {
                    biased;
                    fresh = member.fresh(since, limit) => fresh,
                    // It is awaited later, without a limit.
                    () = member.kind_awaited() => Ok(()),
                }
            };
            view.boxed()
        };
        let all = Together::all(self.members().map(view));
        let additions = async {
            if takes_over {
                self.await_additions(since, start).await;
            }
        };
        let some = async {
            loop {
                // An error from before the takeover says nothing of the view since then.
                let within = if takes_over { start.elapsed() } else { Duration::MAX };
                if self.can_begin_without_the_rest(since, within) {
                    return;
                }
                if takes_over {
                    self.note_missing(since, &|member| member.is_failing(since, within)).await;
                }
                sleep(POLL_INTERVAL).await;
            }
        };
        let built = async {
            tokio::select! {
                biased;
                all = all => all,
                () = some => Vec::new(),
            }
        };
        let (waits, ()) = join(built, additions).await;
        let begins = waits.iter().all(Result::is_ok)
            || self.groups.iter().all(|group| group.has_some(since));
        if begins || takes_over {
            self.note_missing(since, &|_| true).await;
        }
        if !begins {
            let controller = self.name.clone();
            return SyncError::join(waits, start)
                .map_err(|source| ControllerError::NotSynced { controller, source });
        }
        Ok(())
    }

    /// Waits until each informer of an addition is fresh since this moment, fails, or has had the
    /// sync timeout. Work begins without those that are not.
    async fn await_additions(&self, since: Moment, start: Instant) {
        let view = |(member, removed): (Membership, CancellationToken)| {
            let limit = self.limits.sync;
            let view = async move {
                let fails = async {
                    // An error from before the takeover says nothing of the view since then.
                    while !member.is_failing(since, start.elapsed()) {
                        sleep(POLL_INTERVAL).await;
                    }
                };
                tokio::select! {
                    biased;
                    _fresh = member.fresh(since, limit) => {}
                    () = fails => {}
                    () = removed.cancelled() => {}
                    () = member.kind_awaited() => {}
                }
            };
            view.boxed()
        };
        Together::all(self.additions.members().into_iter().map(view)).await;
    }

    /// Waits until the kinds are served that were not when the others had synced. Until then the
    /// status names them as missing.
    pub(super) async fn await_kinds(&self) {
        if !self.members().any(Membership::awaits_kind) {
            return;
        }
        self.status.enter(Phase::Syncing);
        self.note_missing(Moment::START, &Membership::awaits_kind).await;
        let awaited = self.members().filter(|member| member.awaits_kind());
        Together::all(awaited.map(|member| member.synced().boxed())).await;
        self.note_missing(Moment::START, &|_| false).await;
    }

    /// Returns whether each kind has an informer that is fresh, and every other informer fails.
    fn can_begin_without_the_rest(&self, since: Moment, within: Duration) -> bool {
        let begins = |group: &Group| {
            let mut missing = group.members().filter(|member| !member.is_fresh(since));
            group.has_some(since) && missing.all(|member| member.is_failing(since, within))
        };
        self.groups.iter().all(begins)
    }

    /// Lists as missing each informer that is not fresh, if `is_missing` says so. Removes those
    /// that are fresh.
    async fn note_missing(&self, since: Moment, is_missing: &(dyn Fn(&Membership) -> bool + Sync)) {
        for (place, member) in self.members().enumerate() {
            if member.is_fresh(since) {
                self.unpark_waiting_for(place).await;
            } else if is_missing(member) && self.missing_informers.add(place, member.collection()) {
                let (controller, collection) = (&*self.name, member.collection());
                if since > Moment::START {
                    tracing::warn!(
                        controller,
                        %collection,
                        "an informer was not listed since the takeover: its keys wait"
                    );
                } else {
                    tracing::warn!(
                        controller,
                        %collection,
                        "works without an informer that has not synced"
                    );
                }
            }
        }
    }
}
