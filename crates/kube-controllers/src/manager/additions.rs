//! The controllers that were added to a manager, and their life.

use std::collections::VecDeque;
use std::mem;
use std::pin::pin;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::status::ManagerState;
use crate::basics::Mutex;
use crate::controller::{AnyController, ControllerError, StopGuard};
use crate::lease::{ScopeOwner, WorkScope};
use crate::sharding::Sharding;
use kube_informer::informer::SharedInformer;
use kube_informer::object::ChunkedVec;
use kube_informer::seams::VecMap;
use kube_informer::seams::drop_safely;

/// The controllers that were added to a manager.
#[derive(Default)]
pub(super) struct Additions {
    state: Mutex<State>,
    /// Woken when a controller was added.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// True if the manager stops.
    closed: bool,
    /// Those that do not run yet.
    waiting: VecDeque<Added>,
    /// All by name, until those that were removed have ended.
    of: VecMap<Arc<str>, Entry>,
}

/// A controller of a manager.
struct Entry {
    controller: Arc<dyn AnyController>,
    /// Cancelled when the controller is removed.
    stop: CancellationToken,
    /// Cancelled when the controller has ended.
    ended: CancellationToken,
    has_ended: bool,
}

/// A controller that is to run.
pub(super) struct Added {
    controller: Arc<dyn AnyController>,
    while_leading: bool,
    stop: CancellationToken,
    stops: StopGuard,
    /// Dropped last: the queue and the status have ended when others learn of the end.
    ends: EndGuard,
}

impl Added {
    pub(super) fn name(&self) -> &Arc<str> {
        self.controller.name()
    }
}

/// A guard that notes the end of a controller when it is dropped.
struct EndGuard {
    state: Weak<ManagerState>,
    name: Arc<str>,
    ended: CancellationToken,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade() {
            let mut additions = state.additions.state.lock();
            if let Some(entry) = additions.of.get_mut(&self.name) {
                entry.has_ended = true;
            }
            drop(additions);
            state.forget_removed(&self.name);
        }
        self.ended.cancel();
    }
}

impl ManagerState {
    /// Adds a controller that is to run.
    ///
    /// # Errors
    /// The manager stops or has ended, or the name is empty or used.
    pub(super) fn add(
        self: &Arc<Self>,
        controller: Arc<dyn AnyController>,
        while_leading: bool,
    ) -> Result<(), ManagerError> {
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let mut state = self.additions.state.lock();
        if state.closed {
            return Err(ManagerError::Ended);
        }
        self.show(controller.handle())?;
        let name = controller.name().clone();
        let ends =
            EndGuard { state: Arc::downgrade(self), name: name.clone(), ended: ended.clone() };
        state.waiting.push_back(Added {
            stops: controller.stop_guard(),
            ends,
            controller: controller.clone(),
            while_leading,
            stop: stop.clone(),
        });
        state.of.insert(name, Entry { controller, stop, ended, has_ended: false });
        drop(state);
        self.additions.changed.send_replace(());
        Ok(())
    }

    /// Tells a controller to end. Returns the token that is cancelled when it has.
    pub(super) fn remove(&self, name: &str) -> Option<CancellationToken> {
        let mut state = self.additions.state.lock();
        let entry = state.of.get(name).filter(|entry| !entry.stop.is_cancelled())?;
        entry.stop.cancel();
        let ended = entry.ended.clone();
        let place = state.waiting.iter().position(|one| &**one.name() == name);
        let not_begun = place.and_then(|place| state.waiting.remove(place));
        drop(state);
        drop_safely(not_begun);
        self.forget_removed(name);
        Some(ended)
    }

    /// Forgets a controller that was removed, if it has ended. It was visible until now.
    fn forget_removed(&self, name: &str) {
        let mut state = self.additions.state.lock();
        let is_over = |entry: &Entry| entry.has_ended && entry.stop.is_cancelled();
        let over = state.of.get(name).is_some_and(is_over).then(|| state.of.remove(name));
        drop(state);
        if over.is_some() {
            self.hide(name);
        }
        drop_safely(over);
    }
}

impl Additions {
    /// Returns whether a controller was removed and has not ended.
    #[cfg(feature = "serve")]
    pub(super) fn is_leaving(&self, name: &str) -> bool {
        let state = self.state.lock();
        state.of.get(name).is_some_and(|entry| entry.stop.is_cancelled())
    }

    /// Waits for a controller that is to run. Cancel safe.
    pub(super) async fn next(&self) -> Added {
        let mut changed = self.changed.subscribe();
        loop {
            let first = self.state.lock().waiting.pop_front();
            if let Some(added) = first {
                return added;
            }
            // The sender lives as long as `self`.
            let _changed = changed.changed().await;
        }
    }

    /// Refuses further controllers. Those that do not run yet never will.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let waiting = mem::take(&mut state.waiting);
        drop(state);
        drop_safely(waiting);
    }

    /// Forgets all controllers.
    pub(super) fn clear(&self) {
        self.close();
        let of = mem::take(&mut self.state.lock().of);
        drop(of.into_values().collect::<ChunkedVec<_>>());
    }

    /// Returns the controllers of which this is true.
    fn controllers(&self, is: fn(&Entry) -> bool) -> ChunkedVec<Arc<dyn AnyController>> {
        let state = self.state.lock();
        let entries = state.of.values().filter(|entry| is(entry));
        entries.map(|entry| entry.controller.clone()).collect()
    }

    /// Returns the shardings of all controllers that may have work.
    pub(super) fn shardings(&self) -> Vec<Sharding> {
        self.controllers(|_| true).iter().filter_map(|one| one.sharding().cloned()).collect()
    }

    /// Returns the names of the controllers.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.state.lock().of.keys().cloned().collect()
    }

    /// Returns the informers of the controllers that were not removed.
    pub(super) fn informers(&self) -> Vec<SharedInformer> {
        let mut informers = Vec::new();
        let present = self.controllers(|entry| !entry.stop.is_cancelled());
        present.iter().for_each(|one| informers.extend(one.informers()));
        informers
    }
}

/// Runs a controller that was added, until it is removed or the manager stops.
pub(super) async fn host(
    state: Arc<ManagerState>,
    added: Added,
    manager_stop: CancellationToken,
) -> Result<(), ManagerError> {
    let (controller, removed) = (added.controller.clone(), added.stop.clone());
    let stop = manager_stop.child_token();
    // The work of all terms.
    let whole = WorkScope::new(stop.clone());
    let ends = async {
        removed.cancelled().await;
        stop.cancel();
        std::future::pending().await
    };
    let working = async {
        let mut working = pin!(work(&state, &*controller, added.while_leading, &whole));
        tokio::select! {
            biased;
            ended = &mut working => ended,
            // The sync and a standby do not notice it. Reconciles get the grace.
            error = controller.informer_stopped() => {
                let stops = stop.is_cancelled();
                stop.cancel();
                let ended = working.await;
                if stops { ended } else { ended.and(Err(error)) }
            }
        }
    };
    let ended = tokio::select! {
        biased;
        ended = working => ended,
        never = ends => never,
    };
    drop_safely(controller);
    let Added { controller, stops, ends, .. } = added;
    drop_safely((controller, stops));
    if whole.tracked() > 0 {
        // Code that blocks a thread. Another controller of this name would work beside it.
        ends.ended.cancel();
        let blocked = async move {
            whole.wait_until_idle().await;
            drop(ends);
        };
        tokio::spawn(blocked.boxed());
    } else {
        drop(ends);
    }
    match ended {
        Err(error) if removed.is_cancelled() && !manager_stop.is_cancelled() => {
            tracing::error!(%error, "a controller that was removed did not end well");
            Ok(())
        }
        ended => ended.map_err(ManagerError::Controller),
    }
}

/// Reconciles until the stop. All work counts in `whole`, too, whose token is the stop.
async fn work(
    state: &ManagerState,
    controller: &dyn AnyController,
    while_leading: bool,
    whole: &WorkScope,
) -> Result<(), ControllerError> {
    let stop = whole.token();
    if !controller.sync(stop).await? {
        return Ok(());
    }
    if !while_leading || !state.has_election() {
        return controller.work(whole.clone()).await;
    }
    let mut terms = state.terms();
    loop {
        controller.stand_by();
        let term = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            term = terms.wait_for(Option::is_some) => term.ok().and_then(|term| term.clone()),
        };
        let Some(term) = term else { return Ok(()) };
        let owner = ScopeOwner { name: controller.name().clone(), key: None };
        let own = term.within(term.token().child_token(), &whole.trackers(), owner);
        let ends = own.end_on_drop();
        let working = term.track(controller.work(own.clone()));
        let stopping = async {
            stop.cancelled().await;
            own.token().cancel();
            std::future::pending().await
        };
        let ended = tokio::select! {
            biased;
            ended = working => ended,
            never = stopping => never,
        };
        drop(ends);
        match ended {
            // The elector reports the end of the term.
            Some(Err(error)) if term.token().is_cancelled() && !stop.is_cancelled() => {
                tracing::error!(%error, "a controller did not end well with its term");
            }
            Some(Err(error)) => return Err(error),
            Some(Ok(())) | None => {}
        }
        let over = |now: &Option<WorkScope>| now.as_ref().is_none_or(|now| !now.is_same(&term));
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            _over = terms.wait_for(over) => {}
        }
    }
}
