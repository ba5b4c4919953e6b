//! One term of a controller's work: connect, reconcile, restart what ends, stop.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::try_join;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::action::Reconcile;
use super::connections::Connections;
use super::error_policy::OwnFailures;
use super::reconciler::Reconciler;
use super::sources::{Source, members};
use super::status::count;
use super::waiting::Awaited;
use super::{ControllerError, ControllerParts, Phase};
use crate::lease::{DROP_TIMEOUT, WorkScope, closed_tracker};
use kube_informer::informer::{InformerStopped, ReadBarrier, SyncError};
use kube_informer::lister_watcher::Collection;
use kube_informer::object::ObjectKey;
use kube_informer::seams::{Together, catch_async};

/// The pause before a task that panicked is started again.
const RESTART_PAUSE: Duration = Duration::from_secs(1);

impl ControllerParts {
    /// Reconciles until the scope's token is cancelled, and then for at most the grace.
    pub(super) async fn work(
        self: &Arc<Self>,
        scope: WorkScope,
        reconcile: &Reconcile,
        grace: Duration,
    ) -> Result<(), ControllerError> {
        // Cancelled with the term of leadership, and earlier if an informer stops.
        let stop = scope.token().child_token();
        let _ends = stop.clone().drop_guard();
        // Another replica may have worked until now. Work begins only with a newer view.
        let won = scope.won();
        self.sources.begin(won);
        let mut connections = Connections::new(self.clone(), won);
        let takes_over = async {
            self.await_kinds().await;
            if won > ReadBarrier::START {
                self.status.enter(Phase::TakingOver);
                self.await_view(won).await?;
            }
            Ok(())
        };
        let connect = self.connect(&mut connections);
        match stop.run_until_cancelled(try_join(takes_over, connect)).await {
            None => return Ok(()),
            Some(begins) => drop(begins?),
        }
        // Nothing watches the cache any more for keys that an earlier term parked.
        self.waiting.wake(Awaited::OwnWrites, &self.queue).await;
        // No connection of an earlier term wakes them any more.
        self.sources.queue_unseen(&self.queue).await;
        let _works = self.all_requests.begin_work();
        self.status.begin_work(self.limits.workers);
        let reconciler = Arc::new(Reconciler {
            parts: self.clone(),
            own_failures: OwnFailures::default(),
            stop: stop.clone(),
            scope: scope.clone(),
            watchers: TaskTracker::new(),
            tracked: closed_tracker(),
            aborted: CancellationToken::new(),
            reconcile: reconcile.clone(),
            no_context: Arc::new(()),
        });
        // Even if this future is dropped, no tracked task outlives it.
        let _aborts = reconciler.aborted.clone().drop_guard();
        let mut workers = JoinSet::new();
        for number in 0..self.limits.workers {
            workers.spawn(reconciler.clone().worker(number));
        }
        let ended = self.supervise(&scope, &reconciler, &mut workers, &mut connections).await;
        stop.cancel();
        let tracked = reconciler.tracked.clone();
        let finish = async |workers: &mut JoinSet<()>| {
            while workers.join_next().await.is_some() {}
            tracked.wait().await;
        };
        if timeout(grace, finish(&mut workers)).await.is_err() {
            workers.abort_all();
            reconciler.aborted.cancel();
            // Code that blocks its thread may take forever: do not wait for it.
            let _blocked = timeout(DROP_TIMEOUT, finish(&mut workers)).await;
        }
        let keys = self.status.end_work();
        if !keys.is_empty() {
            let some: Vec<_> = keys.iter().take(10).map(ObjectKey::as_str).collect();
            tracing::error!(
                controller = &*self.name,
                number = keys.len(),
                keys = ?some,
                "reconciles had not ended within the grace and were dropped; code that blocks a \
                 thread goes on until it returns"
            );
        }
        ended.and(unfinished(&self.name, keys))
    }

    /// Wakes the keys that wait for the informer at this place, which is not missing any more.
    pub(super) async fn unpark_waiting_for(&self, place: usize) {
        self.missing_informers.remove(place);
        self.waiting.wake(Awaited::Informer(place), &self.queue).await;
    }

    /// Restarts workers and connections that end unexpectedly, until the stop.
    async fn supervise(
        &self,
        scope: &WorkScope,
        reconciler: &Arc<Reconciler>,
        workers: &mut JoinSet<()>,
        connections: &mut Connections,
    ) -> Result<(), ControllerError> {
        let mut informer_ends = pin!(first_end(&self.groups));
        let mut uncovered = pin!(self.uncovered());
        let mut slow = pin!(self.status.tell_slow(&self.name));
        // Includes informers that synced meanwhile.
        let missing_informers =
            self.members().enumerate().filter(|(place, _)| self.missing_informers.contains(*place));
        let latecomers = missing_informers.map(|(place, member)| {
            let latecomer = async move {
                let _fresh = member.fresh(scope.won(), Duration::MAX).await;
                place
            };
            latecomer.boxed()
        });
        let mut latecomers: Together<_> = latecomers.collect();
        let mut next_number = self.limits.workers;
        let unwatched = self.groups.iter().map(|group| group.unwatched(self.limits.sync).boxed());
        let mut unwatched = pin!(Together::first(unwatched));
        let began = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = reconciler.stop.cancelled() => return Ok(()),
                collection = &mut informer_ends => return Err(stopped(&self.name, collection)),
                error = &mut uncovered => return Err(error),
                unsynced = &mut unwatched => {
                    let controller = self.name.clone();
                    let source = SyncError::new(unsynced, began.elapsed());
                    return Err(ControllerError::NotSynced { controller, source });
                }
                never = &mut slow => match never {},
                Some(place) = latecomers.next() => {
                    self.unpark_waiting_for(place).await;
                }
                Some(_) = workers.join_next() => {
                    count(&self.status.counts.restarts);
                    tracing::error!(controller = &*self.name, "a worker ended unexpectedly");
                    workers.spawn(reconciler.clone().worker(next_number));
                    next_number += 1;
                }
                () = connections.next_panic() => {
                    count(&self.status.counts.restarts);
                    tracing::error!(controller = &*self.name, "a connection ended unexpectedly");
                }
            }
        }
    }

    /// Connects to every informer, and waits until the keys of all objects are queued that required
    /// informers have. So priorities count from the first reconcile on.
    async fn connect(
        self: &Arc<Self>,
        connections: &mut Connections,
    ) -> Result<(), ControllerError> {
        connections.follow_sources();
        connections.fed().await;
        if let Some(collection) = first_end(&self.groups).now_or_never() {
            return Err(stopped(&self.name, collection));
        }
        if let Some(slots) = self.slots.clone() {
            let (gate, groups) = (slots.clone(), self.groups.clone());
            let proving = async move {
                Together::all(members(&groups).map(|member| gate.prove(member).boxed())).await;
                pending::<()>().await;
            };
            connections.spawn(proving.boxed());
            let parts = self.clone();
            let feeding = async move {
                loop {
                    let feeding = slots.feed(&parts);
                    // Unpacking an object runs its type's deserializer.
                    if let Err(message) = catch_async(feeding).await {
                        count(&parts.status.counts.restarts);
                        tracing::error!(
                            controller = &*parts.name,
                            message,
                            "the slots' feed panicked"
                        );
                    }
                    sleep(RESTART_PAUSE).await;
                }
            };
            connections.spawn(feeding.boxed());
        }
        for stream in &self.streams {
            let (queue, status) = (self.queue.clone(), self.status.clone());
            let (history, all) = (self.history.clone(), self.all_requests.clone());
            let feeding = stream.clone().feed(queue, status, history, all);
            connections.spawn(feeding.boxed());
        }
        Ok(())
    }
}

/// Waits until the first informer stops.
pub(super) async fn first_end(groups: &[Arc<Source>]) -> &Collection {
    let ends = members(groups).map(|member| {
        let end = async move {
            member.stopped().await;
            member.collection()
        };
        end.boxed()
    });
    Together::first(ends).await
}

pub(super) fn stopped(controller: &Arc<str>, collection: &Collection) -> ControllerError {
    ControllerError::Stopped {
        controller: controller.clone(),
        collection: collection.to_string(),
        source: InformerStopped,
    }
}

pub(super) fn unfinished(
    controller: &Arc<str>,
    keys: Vec<ObjectKey>,
) -> Result<(), ControllerError> {
    if keys.is_empty() {
        return Ok(());
    }
    Err(ControllerError::Unfinished { controller: controller.clone(), keys })
}
