//! The driver of a membership: performs the machine's commands.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use futures::future::BoxFuture;
use futures::{FutureExt, future};
use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::detached::Detaching;
use super::error::{MembershipError, ShardingError};
use super::machine::{Command, Input, LeaseAnswer, Machine, Request, Rules, Subject};
use super::races::Races;
use super::record::{self, Reader};
use super::requests::{Answered, Requests};
use super::trouble::Loss;
use super::view::View;
use super::{Sharding, ShardingState, slots};
use crate::lease::WorkScope;
use kube_informer::informer::{Changes, InformerOptions, SharedInformer};
use kube_informer::object::ResourceVersion;
use kube_informer::reflector::{ReflectorOptions, from_backon};
use kube_informer::seams::Together;
use kube_informer::transport::ApiSource;

/// The number of the next run in this process. Tenures of two memberships are never the same.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// A membership that runs.
pub(super) struct Driver {
    pub(super) inner: Arc<ShardingState>,
    /// The number of this run.
    run: u64,
    pub(super) rules: Arc<Rules>,
    pub(super) machine: Machine,
    requests: Requests,
    informer: SharedInformer<Lease>,
    /// The changes of the informer's Leases.
    changes: Changes,
    /// The number of epochs before the informer's first.
    epochs: u64,
    reader: Reader,
    /// The last Lease from an answer, by name.
    answered: HashMap<String, Lease>,
    races: Races,
    /// True if an error since the last renewal tells why the session may be lost.
    pub(super) explained: bool,
    /// Cancelled when the session is over.
    session: CancellationToken,
    /// The scopes of slots whose work may not have ended.
    scopes: Vec<Option<WorkScope>>,
    /// The slots whose end of work is awaited.
    awaited: HashSet<usize>,
    /// The error to return when the membership has ended.
    failure: Option<ShardingError>,
    finished: Option<bool>,
    waits: Waits,
}

/// The pending waits of a driver.
#[derive(Default)]
struct Waits {
    requests: Together<'static, Answered>,
    idle: Together<'static, usize>,
    /// The end of the work of a lost session.
    lost: Option<BoxFuture<'static, ()>>,
}

impl Sharding {
    /// Runs the membership until `stop` is cancelled.
    ///
    /// A failed request does not end this function. The membership logs it, tries again, and shows
    /// it in the [status](Self::status).
    ///
    /// After a stop the replica tells all work to end, gives back each slot as its work ends, and
    /// deletes its member Lease. Work that exceeds the grace is dropped at its current await. If it
    /// blocks a thread, this function renews the member Lease until it has ended, and reports it:
    /// end the process then. [`abandon_blocked_work`](super::ShardingBuilder::abandon_blocked_work)
    /// changes that.
    ///
    /// # Cancel safety
    ///
    /// Dropping the returned future drops all tracked work. The Leases are then not released but
    /// expire. While work blocks a thread, a task of this runtime renews the member Lease. Nothing
    /// renews it once the runtime is dropped, which itself waits for closures of `spawn_blocking`:
    /// exit the process instead.
    ///
    /// # Errors
    /// Returns an error that only a person can resolve:
    ///
    /// - [`AlreadyRunning`](ShardingError::AlreadyRunning): a clone runs already.
    /// - [`OtherConfiguration`](ShardingError::OtherConfiguration): a Lease of the group has
    ///   another number of slots or another [`ShardBy`](super::ShardBy).
    /// - [`OpaqueVersion`](ShardingError::OpaqueVersion): a resource version is not decimal.
    /// - [`StillRunning`](ShardingError::StillRunning): work that blocks its thread after a stop is
    ///   abandoned, or its session is lost.
    /// - [`Informer`](ShardingError::Informer): the informer of the Leases failed.
    ///
    /// `run` may be called again after that. It joins only when the work of the last run has ended.
    ///
    /// # Panics
    /// Panics outside a tokio runtime with time enabled.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), ShardingError> {
        if self.0.running.swap(true, Ordering::AcqRel) {
            return Err(ShardingError::AlreadyRunning { group: self.0.rules.group.clone() });
        }
        let _running = Running(self.0.clone());
        self.0.has_run.store(true, Ordering::Release);
        if stop.run_until_cancelled(self.blocked_work_ended()).await.is_none() {
            return Ok(());
        }
        Detaching::new(Driver::new(self.0.clone())?).run(stop).await
    }
}

/// A guard. Its drop allows the next run.
struct Running(Arc<ShardingState>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.store(false, Ordering::Release);
    }
}

impl Driver {
    fn new(inner: Arc<ShardingState>) -> Result<Self, ShardingError> {
        let rules = Arc::new(inner.rules.clone());
        let informer = inner.follow_leases()?;
        Ok(Self {
            requests: Requests::new(inner.client.clone(), inner.namespace.clone(), rules.clone()),
            machine: Machine::new(inner.rules.clone(), Rng::new()),
            scopes: vec![None; rules.slots],
            run: RUNS.fetch_add(1, Ordering::Relaxed),
            inner,
            rules,
            changes: informer.changes(),
            informer,
            epochs: 0,
            reader: Reader::default(),
            answered: HashMap::new(),
            races: Races::default(),
            explained: false,
            session: CancellationToken::new(),
            awaited: HashSet::new(),
            failure: None,
            finished: None,
            waits: Waits::default(),
        })
    }

    /// Runs the membership until it has ended. The returned future may be dropped, and this
    /// function called again.
    pub(super) async fn run(&mut self, stop: CancellationToken) -> Result<(), ShardingError> {
        let (mut stopping, mut watching) = (false, true);
        while self.finished.is_none() {
            let wake = self.machine.wake_at();
            let waits = &mut self.waits;
            let input = tokio::select! {
                biased;
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    Input::Stop
                }
                Some(slot) = waits.idle.next() => {
                    self.awaited.remove(&slot);
                    Input::Idle(slot)
                }
                () = async { waits.lost.as_mut().unwrap_or(&mut future::pending().boxed()).await } => {
                    waits.lost = None;
                    // The slots are free as soon as the old Lease is deleted.
                    self.scopes.drain(..).flatten().for_each(|scope| scope.end());
                    self.scopes.resize(self.rules.slots, None);
                    Input::WorkEnded
                }
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => Input::Tick,
                Some(answered) = waits.requests.next() => self.take(answered),
                seen = self.changes.changed(), if watching => {
                    watching = seen.is_ok();
                    let view = if watching { self.view() } else { Err(self.informer_failed()) };
                    match view {
                        Ok(view) => Input::View(view),
                        // The slots are given back as after a stop.
                        Err(error) => {
                            self.failure.get_or_insert(error);
                            Input::Stop
                        }
                    }
                }
            };
            let before = self.machine.view.clone();
            let commands = self.machine.step(input, Instant::now());
            let renewal = commands
                .iter()
                .all(|command| matches!(command, Command::Send { .. } | Command::Extend(_)));
            for command in commands {
                self.perform(command);
            }
            // A renewal that came too late for the work has lost the session.
            for command in std::mem::take(&mut self.machine.out) {
                self.perform(command);
            }
            let quiet = renewal && self.shows_the_same(before.as_deref());
            self.inner.show(&self.machine, quiet);
        }
        let left = self.scopes.iter().flatten().filter(|scope| scope.tracked() > 0).count();
        match self.failure.take() {
            Some(error) => Err(error),
            None if self.finished == Some(true) && left > 0 => {
                Err(ShardingError::StillRunning { group: self.rules.group.clone(), slots: left })
            }
            None => Ok(()),
        }
    }

    fn informer_failed(&self) -> ShardingError {
        let message = self
            .informer
            .failure()
            .map_or_else(|| "it was stopped".to_owned(), |failure| failure.to_string());
        ShardingError::Informer { group: self.rules.group.clone(), message: message.into() }
    }

    /// Returns whether the present view differs from another one by renewals at most.
    fn shows_the_same(&self, before: Option<&View>) -> bool {
        match (before, self.machine.view.as_deref()) {
            (Some(before), Some(now)) => {
                Arc::ptr_eq(&before.slots, &now.slots) && before.has_same_members(now)
            }
            (None, None) => true,
            _ => false,
        }
    }

    fn view(&mut self) -> Result<Arc<View>, ShardingError> {
        let leases = self.informer.snapshot();
        let last = self.machine.view.as_deref();
        let view = self.reader.view(&leases, &self.rules, &self.inner.namespace, last)?;
        let view = View { epoch: self.epochs + view.epoch, ..view };
        for (explains_loss, problem) in std::mem::take(&mut self.reader.problems) {
            self.explained |= explains_loss;
            self.report(problem);
        }
        // Leases that the store has in a newer version are no longer bases of writes.
        self.answered.retain(|name, lease| {
            let stored = leases.get_by_name(Some(&self.inner.namespace), name);
            let version = stored.and_then(|stored| stored.metadata.resource_version.clone());
            version.is_none_or(|version| {
                let answered = lease.metadata.resource_version.as_deref().unwrap_or_default();
                ResourceVersion::from(&*version).is_older_than(&answered.into())
            })
        });
        Ok(Arc::new(view))
    }

    fn take(&mut self, answered: Answered) -> Input {
        let Answered { id, subject, answer, lease, error, write, raced } = answered;
        if let (Some(verb), Some(_)) = (write, &lease) {
            self.races.won(&subject, verb);
            self.explained &= !matches!(answer, LeaseAnswer::Member(_));
        }
        if let Some(lease) = lease
            && let Some(name) = lease.metadata.name.clone()
        {
            self.answered.insert(name, lease);
        }
        // An ordinary race is no error.
        if let Some(error) = error
            && (!raced || write.is_some_and(|verb| self.races.lost(&subject, verb, Instant::now())))
        {
            self.explained |= subject == Subject::Member;
            self.report(error);
        }
        Input::Answered { id, subject, answer }
    }

    /// Returns the Lease that a request writes.
    fn written(&self, request: &Request) -> Option<Lease> {
        let (name, version) = match request {
            Request::Renew { name, version, .. } => (name.to_string(), Some(version)),
            Request::Write { slot, base, .. } => {
                (record::slot_name(&self.rules.group, *slot), base.as_ref())
            }
            Request::Mark { slot, base } => {
                (record::slot_name(&self.rules.group, *slot), Some(base))
            }
            _ => (String::new(), None),
        };
        let base = version.map(ToString::to_string).and_then(|version| {
            let is = |lease: &Lease| lease.metadata.resource_version.as_ref() == Some(&version);
            let leases = self.informer.snapshot();
            let stored = leases.get_by_name(Some(&self.inner.namespace), &name);
            let answered = self.answered.get(&name).filter(|lease| is(lease)).cloned();
            answered.or_else(|| stored.filter(|lease| is(lease)).map(Arc::unwrap_or_clone))
        });
        record::write(request, base, &self.rules, crate::basics::now())
    }

    fn perform(&mut self, command: Command) {
        match command {
            Command::Send { id, subject, request } => {
                let lease = self.written(&request);
                let sending = self.requests.clone().send(id, subject, request, lease);
                self.waits.requests.push(sending.boxed());
            }
            Command::Begin(slot) => {
                if let Some(term) = self.machine.term() {
                    let token = self.session.child_token();
                    let scope = WorkScope::of_term(vec![self.inner.work.clone()], token, term);
                    self.scopes[slot] = Some(scope);
                    self.offer();
                }
            }
            Command::Extend(term) => {
                let scopes = self.scopes.iter().flatten();
                // Renews all scopes, and counts those whose work was told to stop meanwhile.
                let late = scopes.filter(|scope| !scope.renew(term)).count();
                if late > 0 {
                    self.machine.lose(Loss::Late, Instant::now());
                }
            }
            Command::Drain(slot) => {
                if let Some(scope) = self.scopes[slot].clone() {
                    scope.token().cancel();
                    self.await_idle(slot, scope);
                }
                self.offer();
            }
            Command::Abort(slot) => self.scopes[slot].iter().for_each(WorkScope::abort),
            Command::End(slot) => self.scopes[slot].take().iter().for_each(WorkScope::end),
            Command::Drop(slot) => {
                if let Some(scope) = self.scopes[slot].clone() {
                    tracing::error!(slot, group = %self.rules.group, "a slot was taken from a live member");
                    scope.token().cancel();
                    scope.end();
                    scope.abort();
                    self.await_idle(slot, scope);
                }
                self.offer();
            }
            Command::Lose { at_once } => {
                tracing::warn!(group = %self.rules.group, identity = %self.rules.identity, "lost the session");
                std::mem::take(&mut self.session).cancel();
                let scopes: Vec<_> = self.scopes.iter().flatten().cloned().collect();
                if at_once {
                    scopes.iter().for_each(WorkScope::end);
                    scopes.iter().for_each(WorkScope::abort);
                }
                self.waits.idle = Together::default();
                self.awaited.clear();
                self.answered.clear();
                self.offer();
                let ended = async move {
                    Together::all(scopes.iter().map(|scope| scope.end_when_idle().boxed())).await;
                };
                self.waits.lost = Some(ended.boxed());
            }
            Command::Look => match self.inner.follow_leases() {
                Ok(informer) => {
                    // The new list is not compared with what the old informer saw.
                    self.epochs += self.informer.snapshot().epoch() + 1;
                    (self.changes, self.informer) = (informer.changes(), informer);
                }
                Err(error) => {
                    self.failure.get_or_insert(error);
                    self.finished = Some(false);
                }
            },
            Command::AbortAll => self.scopes.iter().flatten().for_each(WorkScope::abort),
            Command::Tell(trouble) => self.tell(trouble),
            Command::TellBlocked { lost } => self.tell_blocked(lost),
            Command::Publish(held) => self.inner.publish(&held, self.run),
            Command::Finish { still_running } => self.finished = Some(still_running),
        }
    }

    fn await_idle(&mut self, slot: usize, scope: WorkScope) {
        if self.awaited.insert(slot) {
            let idle = async move {
                // Nothing may begin between this and the release of the slot.
                scope.end_when_idle().await;
                slot
            };
            self.waits.idle.push(idle.boxed());
        }
    }

    /// Drops the work, and shows the end of the membership.
    pub(super) fn drop_work(&self) {
        self.session.cancel();
        self.scopes.iter().flatten().for_each(WorkScope::abort);
        self.inner.scopes.store(Arc::new(vec![None; self.rules.slots]));
        self.inner.publish(&[], self.run);
        self.inner.show_end();
    }

    /// Publishes the scopes that work may begin in.
    fn offer(&self) {
        let open = |(slot, scope): (usize, &Option<WorkScope>)| {
            let scope = scope.clone().filter(|scope| !scope.token().is_cancelled())?;
            Some((scope, ShardingState::tenure(self.run, self.machine.tenure(slot))))
        };
        self.inner.scopes.store(Arc::new(self.scopes.iter().enumerate().map(open).collect()));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Nothing renews the Lease from now on.
        self.scopes.iter().flatten().for_each(WorkScope::refuse);
        self.drop_work();
    }
}

impl ShardingState {
    /// Returns a number that no other tenure of this process has.
    fn tenure(run: u64, tenure: u64) -> u64 {
        (run << 32) + tenure
    }

    /// Follows the Leases of the group, from a first list on.
    fn follow_leases(&self) -> Result<SharedInformer<Lease>, ShardingError> {
        let selector = format!("{}={}", record::GROUP, self.rules.group);
        let source = ApiSource::<Lease>::new(self.client.clone())
            .namespace(&*self.namespace)
            .labels(selector);
        let backoff = backon::ConstantBuilder::new().with_delay(self.rules.times.retry_period);
        let status = self.status.clone();
        // An answer of the Leases that is lost must not cost a slot's owner much time.
        let request = self.rules.times.request_timeout();
        let reflector = ReflectorOptions::new()
            .backoff(from_backon(backoff.without_max_times()))
            // Renewals arrive all the time. A watch without any is broken.
            .freshness_limit(self.rules.times.duration)
            .list_idle_timeout(request)
            .initial_events_idle_timeout(request)
            .watch_grace_period(request)
            .on_error(move |error| {
                tracing::warn!(%error, "watch of sharding leases failed, trying again");
                let error = MembershipError::Watch(error.clone());
                status.send_modify(|status| status.last_error = Some(error));
            });
        let options = InformerOptions::new().name("sharding").reflector(reflector);
        let informer = SharedInformer::new(Arc::new(source), options);
        let failed = |error: &dyn std::fmt::Display| ShardingError::Informer {
            group: self.rules.group.clone(),
            message: error.to_string().into(),
        };
        informer.start().map_err(|error| failed(&error))?;
        Ok(informer)
    }

    /// Publishes the ranges of these slots, each with its tenure.
    fn publish(&self, held: &[(usize, u64)], run: u64) {
        for (key, ranges) in [
            (self.rules.by.objects(), &self.objects),
            (self.rules.by.dependents(), &self.dependents),
        ] {
            let held = held.iter().map(|(slot, tenure)| (*slot, Self::tenure(run, *tenure)));
            let next = slots::selector(key, held, self.rules.slots);
            ranges.send_if_modified(|ranges| std::mem::replace(ranges, next.clone()) != next);
        }
    }
}
