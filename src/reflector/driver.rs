//! The driver, which executes the machine's steps.

use std::fmt::Display;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::Span;

use super::ChangeSink;
use super::guarded::{self, Guarded, Opening};
use super::heartbeat::Heartbeat;
use super::list_accumulator::ListAccumulator;
use super::list_permit::ListPermit;
use super::machine::Machine;
use super::options::ReflectorOptions;
use super::pages::Pages;
use super::prover::Prover;
use super::status::ReflectorState;
use super::status_cell::StatusWriter;
use super::step::{End, RequestFailure, Step, StepOutcome};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{ListHints, ListerWatcher, WatchQuery, WatchStream};
use crate::metrics::Origin;
use crate::object::{Change, ResourceVersion, ShardSelector};
use crate::panic::catch;
use crate::time::{ReadBarrier, after};

/// The time for which a sink without room may hold up the lists of other informers.
const FULL_SINK: Duration = Duration::from_secs(5);

/// The driver, which executes the machine's steps.
pub(super) struct ReflectorDriver {
    pub(super) source: Arc<dyn ListerWatcher>,
    pub(super) options: ReflectorOptions,
    pub(super) status: StatusWriter,
    pub(super) accumulator: ListAccumulator,
    pub(super) pages: Pages,
    pub(super) heartbeat: Heartbeat,
    pub(super) permit: ListPermit,
    /// The stream that sent the initial events, until the driver follows it.
    pub(super) stream: Option<(Guarded<WatchStream>, WatchQuery)>,
    /// The time at which the current list was requested.
    pub(super) listed: Instant,
    /// The same moment, in the order of the process's actions.
    pub(super) list_begun: ReadBarrier,
    /// The version that the current list has named.
    pub(super) list_version: Option<ResourceVersion>,
    pub(super) prover: Prover,
    /// The time of the last list that only a failed proof caused.
    pub(super) listed_for_proof: Option<Instant>,
    /// The opening of the first watch since the last list.
    pub(super) first_watch: Option<Instant>,
    /// The remaining part of the shard, until the sink was told that it became smaller.
    pub(super) narrowed: Option<ShardSelector>,
    /// True if the sink has a list of everything.
    pub(super) handed_on: bool,
    /// The last version that was seen before the kind was withdrawn.
    pub(super) last_version: Option<ResourceVersion>,
}

impl ReflectorDriver {
    pub(super) fn new(
        source: Arc<dyn ListerWatcher>,
        options: ReflectorOptions,
        status: StatusWriter,
    ) -> Self {
        Self {
            prover: Prover::new(status.cell().clone(), source.clone(), &options),
            permit: ListPermit::new(options.list_permits.clone()),
            source,
            options,
            status,
            accumulator: ListAccumulator::default(),
            pages: Pages::default(),
            heartbeat: Heartbeat::default(),
            stream: None,
            listed: Instant::now(),
            list_begun: ReadBarrier::START,
            list_version: None,
            listed_for_proof: None,
            first_watch: None,
            narrowed: None,
            handed_on: false,
            last_version: None,
        }
    }

    /// Waits for a permit if this step needs one, or gives it back. A list that the server was too
    /// busy for gives it back later, while it waits.
    pub(super) async fn take_permit(&mut self, step: &Step) {
        if step.is_idle() {
            if self.permit.busy_for.is_none() {
                self.permit.take();
            }
            return;
        }
        let Some(mut permit) = self.permit.request() else { return };
        let permit = if let Some(permit) = (&mut permit).now_or_never() {
            permit
        } else {
            let (before, waits) = (self.status.cell().state(), Instant::now());
            self.status.enter(ReflectorState::AwaitingPermit);
            let permit = permit.await;
            self.pages.waited(waits.elapsed());
            if matches!(step, Step::List { fresh: false, .. }) {
                self.status.enter(before);
            }
            permit
        };
        self.permit.hold(permit);
    }

    /// Follows the shard that is wanted now.
    pub(super) fn take_shard(&mut self, machine: &mut Machine) {
        let Some(wanted) = &mut self.options.shard else { return };
        if machine.shard().followed().is_some() && !wanted.has_changed().unwrap_or(false) {
            return;
        }
        let shard = wanted.borrow_and_update().clone();
        if let Some(kept) = machine.follow_shard(&shard) {
            self.narrowed = Some(kept);
        }
    }

    /// Reports a panic that only the driver's loop caught.
    pub(super) fn panicked(&mut self, message: String) -> StepOutcome {
        let request = self.source.collection().request_name(Verb::List);
        self.report(&guarded::panicked(&request, message));
        self.stream = None;
        StepOutcome::Panicked
    }

    pub(super) async fn perform(
        &mut self,
        step: Step,
        machine: &mut Machine,
        sink: &impl ChangeSink,
    ) -> StepOutcome {
        if let Some(shard) = self.narrowed.clone() {
            // Before any list: objects outside of the shard are not missing from it.
            self.emit(Change::Narrowed(shard), sink).await;
            self.narrowed = None;
        }
        match step {
            Step::Wait(delay) => self.wait(delay, machine).await,
            Step::List { query, fresh } => {
                if fresh {
                    self.begin_list().await;
                }
                let outcome = match self.list(&query, machine).await {
                    Ok(outcome) => outcome,
                    Err(error) => self.list_failed(&error, machine).await,
                };
                // A list that failed may have named its version before.
                let failed = !matches!(outcome, StepOutcome::Listed { .. });
                if let Some(version) = self.list_version.take_if(|_| failed) {
                    machine.note_named(version, ReadBarrier::now());
                }
                outcome
            }
            Step::StreamingList(query) => {
                self.begin_list().await;
                match self.stream(query, machine).await {
                    Ok(outcome) => outcome,
                    Err(error) => self.list_failed(&error, machine).await,
                }
            }
            Step::Replace { version, restored } => {
                self.replace(&version, restored, machine, sink).await
            }
            Step::Arrive { version } => {
                self.list_version = None;
                // The watch may be behind this version.
                machine.note_named(version.clone(), ReadBarrier::now());
                let mut list = self.accumulator.take(version, false).await;
                (list.shard, list.grown) = (machine.shard_after_list(), true);
                self.emit(Change::Arrived(list), sink).await;
                machine.note_list_emitted();
                StepOutcome::Replaced { news: true }
            }
            Step::AwaitShard => self.await_shard().await,
            Step::Watch { query, at_most } => {
                self.stream = None;
                if let Some(time) = self.permit.busy_for.take() {
                    let time = machine.spread(time);
                    self.status.enter(ReflectorState::Waiting(time));
                    sleep(time).await;
                    self.permit.take();
                }
                self.status.enter(ReflectorState::Watching);
                self.status.at(machine.version());
                self.prover.open_watch();
                let opening = self.opening(&query, &self.packing_hints());
                let opening = timeout(self.options.watch_grace_period, opening);
                let opened = match self.prove_beside(opening, machine).await {
                    Err(end) => return StepOutcome::Unproven(end),
                    Ok(Ok(opened)) => opened,
                    Ok(Err(_)) => {
                        Err(self.error(Verb::Watch, Fault::Silent(self.options.watch_grace_period)))
                    }
                };
                self.status.watches(opened.as_ref().err());
                match opened {
                    Ok(stream) => {
                        let stream = self.guarded(stream);
                        self.follow(stream, &query, at_most, machine, sink).await
                    }
                    Err(error) => {
                        self.prover.unwatch();
                        if error.code() == Some(404) {
                            self.await_news_of_kind().await;
                        }
                        self.report(&error);
                        machine.note_refusal(&error);
                        let failure = RequestFailure::from(&error);
                        self.prover.note_end(failure.is_outage());
                        StepOutcome::WatchNotOpened(failure)
                    }
                }
            }
            Step::Follow { at_most } => {
                self.status.enter(ReflectorState::Watching);
                self.status.follows();
                self.status.at(machine.version());
                match self.stream.take() {
                    Some((stream, query)) => {
                        self.follow(stream, &query, at_most, machine, sink).await
                    }
                    None => StepOutcome::WatchEnded { end: End::Ordinary, lasted: Duration::ZERO },
                }
            }
        }
    }

    /// Hands a whole list on.
    async fn replace(
        &mut self,
        version: &ResourceVersion,
        restored: bool,
        machine: &mut Machine,
        sink: &impl ChangeSink,
    ) -> StepOutcome {
        let news = self.accumulator.has_news();
        let mut list = self.accumulator.take(version.clone(), restored).await;
        list.shard = machine.shard_after_list();
        list.grown = machine.shard().arriving().is_some();
        let (complete, proves) = (list.complete, machine.list_proves(version));
        self.list_version = None;
        self.prover.objects = list.items.len();
        self.handed_on = true;
        self.emit(Change::Replace(list), sink).await;
        machine.note_list_emitted();
        if machine.is_quorum_read() {
            self.prover.listed(self.list_begun);
        }
        // A server that lost history would refuse the version, or answer with an older one. A
        // lagging cache would repeat it.
        self.prover.doubt.take_if(|_| proves || machine.is_quorum_read());
        if complete && proves {
            self.prover.proved(self.listed);
            self.status.proved(Some(version), self.listed);
        }
        StepOutcome::Replaced { news }
    }

    /// Hands a change on. A sink may have no room for hours: other informers list meanwhile.
    pub(super) async fn emit(&mut self, change: Change, sink: &impl ChangeSink) {
        let mut emitting = pin!(sink.emit(change));
        if emitting.as_mut().now_or_never().is_some() {
            return;
        }
        if timeout(FULL_SINK, emitting.as_mut()).await.is_err() {
            self.permit.give_back();
            emitting.await;
        }
    }

    async fn await_shard(&mut self) -> StepOutcome {
        self.status.enter(ReflectorState::AwaitingShard);
        self.permit.leave_queue();
        // Nothing is held that could age: only demands are to be met.
        self.prover.forget();
        loop {
            tokio::select! {
                biased;
                true = shard_changed(self.options.shard.as_mut()) => {
                    return StepOutcome::ShardCame;
                }
                // No request can show more than this view, which is empty.
                _ = self.prover.next() => self.prover.listed(ReadBarrier::now()),
            }
        }
    }

    async fn wait(&mut self, delay: Duration, machine: &mut Machine) -> StepOutcome {
        if !machine.is_between_pages() {
            self.status.enter(ReflectorState::Waiting(delay));
        }
        // At random, so that those who get the permits next do not all come at the same moment.
        let time = self.permit.busy_for.take().map(|time| machine.spread(time.min(delay)));
        let held = self.permit.take().zip(time);
        let until = after(Instant::now(), delay);
        let waiting = async move {
            if let Some((permit, time)) = held {
                sleep(time).await;
                drop(permit);
            }
            sleep_until(until).await;
        };
        let waited = self.prove_beside(waiting, machine).await;
        waited.map_or_else(StepOutcome::Unproven, |()| StepOutcome::Waited)
    }

    /// Opens a watch. The future does not borrow `self`.
    pub(super) fn opening(&self, query: &WatchQuery, hints: &ListHints) -> Opening<WatchStream> {
        let request = self.source.collection().request_name(Verb::Watch);
        guarded::open(request, || self.source.watch(query, hints))
    }

    pub(super) fn guarded(&self, stream: WatchStream) -> Guarded<WatchStream> {
        Guarded::new(stream, self.source.collection().request_name(Verb::Watch))
    }

    pub(super) fn error(&self, verb: Verb, fault: Fault) -> SourceError {
        SourceError::new(self.source.collection().request_name(verb), fault)
    }

    pub(super) fn report(&self, error: &SourceError) {
        self.status.failed(error);
        if let Err(message) = catch(|| (self.options.on_error)(error)) {
            tracing::error!(%error, message, "error handler panicked");
        }
    }
}

/// Waits until another shard is wanted. Returns false if none ever will be. Leaves the change
/// unseen.
pub(super) async fn shard_changed(shard: Option<&mut watch::Receiver<ShardSelector>>) -> bool {
    let Some(shard) = shard else { return false };
    let changed = shard.changed().await.is_ok();
    if changed {
        shard.mark_changed();
    }
    changed
}

/// Returns the span of a step's request, with the version that it starts from.
pub(super) fn span(step: &Step, known: Option<&ResourceVersion>, origin: &Origin) -> Span {
    fn text(version: Option<&ResourceVersion>) -> Option<&dyn Display> {
        version.map(|version| version as &dyn Display)
    }
    match step {
        Step::Wait(_) | Step::Replace { .. } | Step::Arrive { .. } | Step::AwaitShard => {
            Span::none()
        }
        Step::List { query, .. } => {
            origin.list(text(query.version.as_ref()), query.continue_token.is_some(), false)
        }
        Step::StreamingList(query) => origin.list(text(query.version.as_ref()), false, true),
        Step::Watch { query, .. } => origin.watch(text(query.version.as_ref())),
        Step::Follow { .. } => origin.watch(text(known)),
    }
}
