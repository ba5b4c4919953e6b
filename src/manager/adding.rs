//! Controllers that are added to a running manager, and removed from it.

use std::collections::VecDeque;
use std::mem;
use std::pin::pin;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use kube::Resource;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::status::ManagerState;
use super::{ManagerError, ManagerHandle};
use crate::basics::Mutex;
use crate::controller::{
    Action, AnyController, BoxError, Controller, ControllerError, ReconcileRequest, StopGuard,
};
use crate::informer::SharedInformer;
use crate::lease::{ScopeOwner, WorkScope};
use crate::object::ChunkedVec;
use crate::seams::{VecMap, drop_safely};
use crate::sharding::Sharding;

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
    /// All that were not removed, by name.
    of: VecMap<Arc<str>, Entry>,
    /// The names of those that were removed and have not ended.
    removed: Vec<Arc<str>>,
    /// The shardings of those that were removed and may have work that blocks a thread.
    shardings: Vec<Sharding>,
}

/// A controller of a manager, until it is removed.
struct Entry {
    controller: Arc<dyn AnyController>,
    /// Cancelled to end the controller.
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
    stop: CancellationToken,
    ended: CancellationToken,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        // One that was removed is visible until now.
        if let Some(state) = self.state.upgrade()
            && state.additions.note_end(&self.name, &self.stop)
        {
            state.hide(&self.name);
            state.additions.note_hidden(&self.name);
        }
        self.ended.cancel();
    }
}

impl ManagerHandle {
    /// Adds a controller, which begins when its informers have synced. With leader election it
    /// reconciles only while this replica leads.
    ///
    /// Needs the feature `coming-and-going`.
    ///
    /// It is a part of the manager like the others: if it fails, the manager ends with the error.
    /// One that is added before the manager runs begins once the others do. Its informers are
    /// started, and stopped at the end of the manager.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::manager::{ManagerError, ManagerHandle};
    /// use kube_informer::{Action, Controller, SharedInformerFactory};
    ///
    /// /// Reconciles the config maps of a tenant until it leaves.
    /// fn join(
    ///     manager: &ManagerHandle,
    ///     factory: &SharedInformerFactory,
    ///     tenant: &str,
    /// ) -> Result<(), ManagerError> {
    ///     let maps = factory.in_namespaces::<ConfigMap>([tenant]);
    ///     let controller = Controller::builder(format!("maps of {tenant}"), &maps).build();
    ///     manager.add_controller(controller, |request| async move {
    ///         println!("reconcile {}", request.key);
    ///         Ok::<_, kube::Error>(Action::done())
    ///     })
    /// }
    ///
    /// async fn leave(manager: &ManagerHandle, tenant: &str) {
    ///     manager.remove_controller(&format!("maps of {tenant}")).await;
    /// }
    /// ```
    ///
    /// # Errors
    /// - [`ManagerError::Ended`]: the manager stops or has ended.
    /// - [`ManagerError::DuplicateName`] and [`ManagerError::EmptyName`].
    /// - [`ManagerError::ControllerElection`], and [`ManagerError::ShardedController`] with leader
    ///   election.
    pub fn add_controller<K, C, F, Fut, E>(
        &self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), ManagerError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        self.add(controller, election.is_some(), true)
    }

    /// Adds a controller that reconciles whether or not this replica leads. Otherwise like
    /// [`add_controller`](Self::add_controller).
    ///
    /// # Errors
    /// Those of [`add_controller`](Self::add_controller), except
    /// [`ManagerError::ShardedController`].
    pub fn add_controller_on_every_replica<K, C, F, Fut, E>(
        &self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), ManagerError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        self.add(controller, election.is_some(), false)
    }

    fn add(
        &self,
        controller: Arc<dyn AnyController>,
        elected: bool,
        while_leading: bool,
    ) -> Result<(), ManagerError> {
        let (state, name) = (&self.0, controller.name().clone());
        if elected {
            return Err(ManagerError::ControllerElection { controller: name });
        }
        if while_leading && state.has_election() && controller.sharding().is_some() {
            return Err(ManagerError::ShardedController { controller: name });
        }
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let mut additions = state.additions.state.lock();
        if additions.closed {
            return Err(ManagerError::Ended);
        }
        state.show(controller.handle())?;
        let ends = EndGuard {
            state: Arc::downgrade(state),
            name: name.clone(),
            stop: stop.clone(),
            ended: ended.clone(),
        };
        additions.waiting.push_back(Added {
            stops: controller.stop_guard(),
            ends,
            controller: controller.clone(),
            while_leading,
            stop: stop.clone(),
        });
        additions.of.insert(name, Entry { controller, stop, ended, has_ended: false });
        drop(additions);
        state.additions.changed.send_replace(());
        Ok(())
    }

    /// Ends a controller that was added, and waits until its reconciles have ended, for at most its
    /// [grace](crate::controller::ControllerBuilder::grace). Returns false if there is none of this
    /// name. Everything else goes on, and so does the election.
    ///
    /// Keys that wait are dropped. Its informers run on: end them with
    /// [`remove`](crate::SharedInformerFactory::remove) or an
    /// [`Interest`](crate::factory::Interest), also before it has ended.
    ///
    /// Code that blocks a thread goes on after the grace. Until it returns, the name stays taken,
    /// and the controller visible.
    ///
    /// The call itself tells the controller to end. If the returned future is dropped, also before
    /// it is polled, the controller ends all the same, and is visible until then. A reconcile that
    /// removes its own controller must drop the future: awaited, it waits for itself, and is
    /// dropped after the grace.
    pub fn remove_controller(&self, name: &str) -> impl Future<Output = bool> + Send + use<> {
        let ended = self.0.remove(name);
        async move {
            let Some(ended) = ended else { return false };
            ended.cancelled().await;
            true
        }
    }
}

impl ManagerState {
    /// Tells a controller to end. Returns the token that is cancelled when it has.
    fn remove(&self, name: &str) -> Option<CancellationToken> {
        let mut state = self.additions.state.lock();
        let entry = state.of.remove(name)?;
        let place = state.waiting.iter().position(|one| &**one.controller.name() == name);
        let not_begun = place.and_then(|place| state.waiting.remove(place));
        let Entry { controller, stop, ended, has_ended } = entry;
        stop.cancel();
        if !has_ended {
            state.removed.push(controller.name().clone());
        }
        let mut forgotten = Vec::new();
        if let Some(sharding) = controller.sharding() {
            let idle = |one: &mut Sharding| !one.has_work() || one.is_same(sharding);
            forgotten = state.shardings.extract_if(.., idle).collect();
            state.shardings.push(sharding.clone());
        }
        drop(state);
        drop(forgotten);
        drop_safely(not_begun);
        drop_safely(controller);
        if has_ended {
            self.hide(name);
        }
        Some(ended)
    }
}

impl Additions {
    /// Notes the end of a controller. Returns whether it was removed before, by this token.
    fn note_end(&self, name: &str, stop: &CancellationToken) -> bool {
        let mut state = self.state.lock();
        if let Some(entry) = state.of.get_mut(name) {
            entry.has_ended = true;
        }
        stop.is_cancelled()
    }

    /// Notes that a controller that was removed is visible no more.
    fn note_hidden(&self, name: &str) {
        self.state.lock().removed.retain(|other| **other != *name);
    }

    /// Returns whether a controller was removed and has not ended.
    #[cfg(feature = "serve")]
    pub(super) fn is_leaving(&self, name: &str) -> bool {
        self.state.lock().removed.iter().any(|other| **other == *name)
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

    /// Returns the controllers that were not removed.
    pub(super) fn controllers(&self) -> ChunkedVec<Arc<dyn AnyController>> {
        let state = self.state.lock();
        state.of.values().map(|entry| entry.controller.clone()).collect()
    }

    /// Returns the shardings of all controllers that may have work.
    pub(super) fn shardings(&self) -> Vec<Sharding> {
        let state = self.state.lock();
        let present = state.of.values().filter_map(|entry| entry.controller.sharding());
        present.chain(&state.shardings).cloned().collect()
    }

    /// Returns the names of those that were not removed.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.state.lock().of.keys().cloned().collect()
    }

    /// Returns the informers that the controllers use.
    pub(super) fn informers(&self) -> Vec<SharedInformer> {
        let mut informers = Vec::new();
        self.controllers().iter().for_each(|one| informers.extend(one.informers()));
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
