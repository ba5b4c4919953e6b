//! The life of a controller: sync, then work, in each term of leadership or always.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::action::Reconcile;
use super::error::CannotOwn;
use super::membership::Membership;
use super::sources::{Sources, members};
use super::status::StatusCell;
use super::supervision::{first_end, stopped, unfinished};
use super::{ControllerError, ControllerHandle, ControllerParts, Phase};
use crate::leader_election::{LeaderElectionError, LeaderElector, Outcome};
use crate::lease::WorkScope;
use crate::sharding::Sharding;
use kube_informer::informer::{ReadBarrier, SharedInformer, StartError};
use kube_informer::lister_watcher::Collection;
use kube_informer::object::ObjectKey;
use kube_informer::workqueue::WorkQueue;

/// A controller with its reconcile, of any object type. It may work for several terms of
/// leadership. Dropping it stops its queue.
#[allow(dead_code, reason = "without the manager, one controller runs alone")]
pub(crate) trait AnyController: Send + Sync {
    fn name(&self) -> &Arc<str>;
    fn handle(&self) -> ControllerHandle;
    /// Returns its sharding. With one, every replica works, on its own slots.
    fn sharding(&self) -> Option<&Sharding>;
    /// Limits the grace.
    fn limit_grace(&mut self, limit: Duration);
    /// Returns the informers that it follows.
    fn followed(&self) -> Vec<SharedInformer>;
    /// Returns the informers whose caches show its own writes.
    fn written(&self) -> Vec<SharedInformer>;
    /// Returns the informers of both.
    fn informers(&self) -> Vec<SharedInformer> {
        let mut informers = self.followed();
        informers.extend(self.written());
        informers
    }
    /// Returns the resource of the controller's own objects, once for each of their namespaces.
    /// Empty if the controller follows no objects that these own. A namespace of `None` stands for
    /// every namespace, or for namespaces that are known only at run time.
    fn owners(&self) -> Vec<(Arc<str>, Option<Arc<str>>)>;
    /// Starts the informers and waits until work can begin. Returns false if stopped before.
    fn sync<'a>(
        &'a self,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<bool, ControllerError>>;
    /// Notes that it waits to become the leader.
    fn stand_by(&self);
    /// Reconciles until the scope's token is cancelled, and then for at most the grace.
    fn work(&self, scope: WorkScope) -> BoxFuture<'_, Result<(), ControllerError>>;
    /// Waits until an informer that it follows stops.
    fn informer_stopped(&self) -> BoxFuture<'_, ControllerError>;
    /// Returns a guard that stops the queue and the status when it is dropped: at once, even if a
    /// task still holds the controller.
    fn stop_guard(&self) -> StopGuard;
    /// Returns the error for work that was dropped.
    fn unfinished(&self) -> Result<(), ControllerError>;
}

/// A candidate for the leadership of one controller or of several.
pub(crate) struct Election {
    pub(crate) elector: LeaderElector,
    /// True if it stands by again after it lost leadership.
    pub(crate) rejoins: bool,
}

/// Runs a controller that does not wait for leadership.
pub(super) async fn run_always(
    controller: Arc<dyn AnyController>,
    stop: CancellationToken,
) -> Result<(), ControllerError> {
    let _ends = controller.stop_guard();
    if controller.sync(&stop).await? {
        controller.work(WorkScope::new(stop)).await?;
    }
    Ok(())
}

/// Runs a controller in each term in which this replica leads.
pub(crate) async fn run_elected(
    controller: Arc<dyn AnyController>,
    election: Election,
    stop: CancellationToken,
) -> Result<(), ControllerError> {
    let _ends = controller.stop_guard();
    let Election { mut elector, rejoins } = election;
    if !controller.sync(&stop).await? {
        return Ok(());
    }
    loop {
        let ended = lead(&controller, &mut elector, &stop).await;
        match ended {
            Err(ControllerError::Leadership {
                source: LeaderElectionError::Lost { .. }, ..
            }) if rejoins && !stop.is_cancelled() => {
                // The elector logged the loss. It waits until the lost work has ended.
            }
            ended => return ended,
        }
    }
}

/// Waits until this replica leads, and works for one term.
async fn lead(
    controller: &Arc<dyn AnyController>,
    elector: &mut LeaderElector,
    stop: &CancellationToken,
) -> Result<(), ControllerError> {
    controller.stand_by();
    // A standby, too, has to end when an informer stops.
    let stop = stop.child_token();
    let worker = controller.clone();
    let work = move |scope| async move { worker.work(scope).await };
    let mut leading = pin!(elector.run_scoped(stop.clone(), work));
    let (outcome, ended) = tokio::select! {
        biased;
        outcome = &mut leading => (outcome, None),
        ended = controller.informer_stopped() => {
            stop.cancel();
            (leading.await, Some(ended))
        }
    };
    let result = match outcome {
        Ok(Outcome::NeverLed) => Ok(()),
        Ok(Outcome::Stopped(Some(done)) | Outcome::Finished(done)) => done,
        // The elector dropped the work: its grace was shorter than the controller's.
        Ok(Outcome::Stopped(None)) => controller.unfinished(),
        Err(source) => {
            let controller = controller.name().clone();
            Err(ControllerError::Leadership { controller, source })
        }
    };
    // The work may end because of this stop before it sees that the informer has stopped.
    result.and(ended.map_or(Ok(()), Err))
}

/// A controller with its reconcile.
pub(super) struct ControlLoop {
    pub(super) parts: Arc<ControllerParts>,
    pub(super) reconcile: Reconcile,
    pub(super) grace: Duration,
}

impl AnyController for ControlLoop {
    fn name(&self) -> &Arc<str> {
        &self.parts.name
    }

    fn handle(&self) -> ControllerHandle {
        self.parts.handle()
    }

    fn sharding(&self) -> Option<&Sharding> {
        Some(self.parts.slots.as_deref()?.sharding())
    }

    fn limit_grace(&mut self, limit: Duration) {
        self.grace = self.grace.min(limit);
    }

    fn followed(&self) -> Vec<SharedInformer> {
        let mut followed: Vec<_> =
            self.parts.members().map(Membership::informer).cloned().collect();
        let others = self.parts.sources.members();
        followed.extend(others.iter().map(|(member, _)| member.informer().clone()));
        followed
    }

    fn written(&self) -> Vec<SharedInformer> {
        self.parts.writes.informers()
    }

    fn owners(&self) -> Vec<(Arc<str>, Option<Arc<str>>)> {
        let mut owners = Vec::new();
        for own in self.parts.sources.owners() {
            if !own.is_group() {
                owners.push((self.parts.resource.clone(), None));
                continue;
            }
            for informer in own.informers() {
                let Collection { resource, namespace, .. } = informer.collection();
                owners.push((resource.clone(), namespace.clone()));
            }
        }
        owners
    }

    fn sync<'a>(
        &'a self,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<bool, ControllerError>> {
        self.parts.status.enter(Phase::Syncing);
        let synced = async move {
            let synced = stop.run_until_cancelled(self.parts.sync()).await;
            Ok(synced.transpose()?.is_some())
        };
        synced.boxed()
    }

    fn stand_by(&self) {
        // The end of the last term dropped these reconciles before they could note it.
        self.parts.status.end_work();
        self.parts.deletes.stand_by();
        self.parts.status.enter(Phase::Standby);
    }

    fn work(&self, scope: WorkScope) -> BoxFuture<'_, Result<(), ControllerError>> {
        self.parts.work(scope, &self.reconcile, self.grace).boxed()
    }

    fn informer_stopped(&self) -> BoxFuture<'_, ControllerError> {
        let stopped = async { stopped(&self.parts.name, first_end(&self.parts.groups).await) };
        stopped.boxed()
    }

    fn stop_guard(&self) -> StopGuard {
        self.parts.stop_guard()
    }

    fn unfinished(&self) -> Result<(), ControllerError> {
        unfinished(&self.parts.name, self.parts.status.end_work())
    }
}

impl ControllerParts {
    fn stop_guard(&self) -> StopGuard {
        let sources = self.sources.clone();
        StopGuard { queue: self.queue.clone(), status: self.status.clone(), sources }
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Membership> {
        members(&self.groups)
    }

    /// Starts the informers and waits until work can begin.
    async fn sync(&self) -> Result<(), ControllerError> {
        let controller = || self.name.clone();
        if let Some(refused) = &self.cannot_own {
            let CannotOwn { owner, dependent } = refused.clone();
            return Err(ControllerError::CannotOwn { controller: controller(), owner, dependent });
        }
        if let Some(problem) = self.wrong_sharding() {
            return Err(ControllerError::WrongSharding { controller: controller(), problem });
        }
        let not_started = |source| ControllerError::NotStarted { controller: controller(), source };
        // Before the first list, which may show deletes that happened while no process ran.
        for source in self.groups.iter().filter(|source| source.is_own()) {
            let members = source.members();
            members.for_each(|one| self.deletes.follow(one.informer(), &self.name, false));
        }
        for member in self.members() {
            member.start().map_err(|error| match error {
                StartError::Stopped => stopped(&self.name, member.collection()),
                error => not_started(error),
            })?;
        }
        self.writes.start().map_err(not_started)?;
        self.sources.begin(ReadBarrier::START);
        self.await_view(ReadBarrier::START).await
    }

    /// Returns the contradiction between the sharding and the informers.
    fn wrong_sharding(&self) -> Option<&'static str> {
        let Some(slots) = &self.slots else {
            let shared = self.objects.informers().iter().any(|informer| {
                informer.wanted_shard().is_some_and(|shard| shard.borrow().is_stamped())
            });
            return shared.then_some(
                "its own objects follow the shard of a `Sharding` that does not bound its \
                 reconciles, so two replicas could reconcile one key at once: build it with \
                 `.sharded(&sharding)`",
            );
        };
        if let Some(problem) = self.sources.wrong_if_sharded() {
            return Some(problem);
        }
        if self.elected {
            return Some(
                "a sharding and leader election exclude each other: with a sharding every replica \
                 works; leave one of them out",
            );
        }
        let other = self.objects.informers().iter().any(|informer| {
            informer.snapshot().shard().is_some_and(|shard| shard.key() != slots.key())
        });
        if other {
            return Some(
                "its own objects follow a shard by another field than its sharding: let them \
                 follow `Sharding::objects`",
            );
        }
        if self.scattered_dependents.is_some() {
            return self.scattered_dependents;
        }
        let strange = self.members().any(|member| !member.is_of(slots.sharding()));
        strange.then_some(
            "an informer follows the shard of another membership: let it follow \
             `Sharding::objects` or `Sharding::dependents` of the controller's own sharding",
        )
    }
}

/// A guard that stops the queue and the status with the controller, even if it never ran.
pub(crate) struct StopGuard {
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) status: Arc<StatusCell>,
    pub(super) sources: Arc<Sources>,
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.queue.shutdown();
        self.sources.end();
        self.status.end_work();
        self.status.enter(Phase::Stopped);
    }
}
