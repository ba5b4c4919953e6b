//! Proofs that the changes handed on are current, and the lists that take their place.

use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::driver::ReflectorDriver;
use super::list_permit::ListForProof;
use super::machine::Machine;
use super::prover::ProverEvent;
use super::quiet::{QUIET, SHORT_WATCH};
use super::step::End;
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{WatchQuery, WatchStream};
use crate::time::after;

/// The time after the opening of a watch in which a doubt about the server's history is settled. A
/// lost server breaks the watches of many clients at once, so their questions are spread.
const HISTORY_PERIOD: Duration = Duration::from_secs(30);

/// A short watch that is being opened, and its query.
pub(super) type ShortWatch = BoxFuture<'static, (WatchQuery, Result<WatchStream, SourceError>)>;

impl ReflectorDriver {
    /// Begins to prove a watch that was opened at this time.
    pub(super) fn prove_watch(&mut self, opened: Instant, machine: &mut Machine) {
        self.first_watch.get_or_insert(opened);
        let history = self.prover.doubt.map(|_| after(opened, machine.spread(HISTORY_PERIOD)));
        self.prover.watch(opened, history);
    }

    /// Waits for a future while no watch is open, and meets demands for a proof meanwhile.
    ///
    /// # Errors
    /// The reason why only a list can prove that the changes handed on are current.
    pub(super) async fn prove_beside<T>(
        &mut self,
        future: impl Future<Output = T>,
        machine: &mut Machine,
    ) -> Result<T, End> {
        if !machine.serves_demands() {
            // Others would wait for a permit that is granted meanwhile.
            self.permit.leave_queue();
            return Ok(future.await);
        }
        let mut future = pin!(future);
        loop {
            let event = tokio::select! {
                biased;
                output = &mut future => return Ok(output),
                event = self.next_proof_event() => event,
            };
            let end = self.handle_prover(event, machine);
            if let Some(end) = end.or_else(|| self.prove_if_reached(machine)) {
                if end.is_outage() {
                    self.prover.doubt_history(None);
                }
                return Err(end);
            }
        }
    }

    /// Waits for the next event of the prover, or for the permit of a queued list. The watch may
    /// still reach the version that the prover awaits. Cancel safe.
    pub(super) async fn next_proof_event(&mut self) -> ProverEvent {
        let asks = !self.permit.queued().is_some_and(|list| matches!(list.end, End::Behind));
        tokio::select! {
            biased;
            list = self.permit.granted() => ProverEvent::MayList(list),
            event = self.prover.next(), if asks => event,
        }
    }

    /// Handles the next event of the prover while this watch is open, whose last item came at
    /// `last`. Returns the reason to end it. `opening` is the short watch that is to replace it.
    pub(super) fn handle_prover_beside(
        &mut self,
        event: ProverEvent,
        query: &WatchQuery,
        last: Instant,
        opening: &mut Option<ShortWatch>,
        machine: &mut Machine,
    ) -> Option<End> {
        if !matches!(event, ProverEvent::Quiet) {
            return self.handle_prover(event, machine);
        }
        if opening.is_none() {
            *opening = self.open_short_watch(query, last, machine);
        }
        None
    }

    /// Opens a short watch beside this one, if that is quiet and the last bookmark of a short one
    /// may be the proof. `last` is the time of the watch's last item.
    fn open_short_watch(
        &mut self,
        query: &WatchQuery,
        last: Instant,
        machine: &mut Machine,
    ) -> Option<ShortWatch> {
        let now = Instant::now();
        let quiet = after(last, QUIET).max(after(now, machine.request_delay(now)));
        if quiet > now {
            self.prover.put_off_short_watch(quiet);
            return None;
        }
        if machine.lacks_changes() || !self.prover.begin_short_watch() || !machine.admits(now) {
            return None;
        }
        let mut query = WatchQuery { timeout: SHORT_WATCH, initial_events: false, ..query.clone() };
        query.version = machine.version().cloned();
        let opening = timeout(SHORT_WATCH, self.opening(&query, &self.packing_hints()));
        let silent = self.error(Verb::Watch, Fault::Silent(SHORT_WATCH));
        Some(async move { (query, opening.await.unwrap_or(Err(silent))) }.boxed())
    }

    /// Notes a proof if the changes handed on have reached the version that it awaits. Returns the
    /// reason why only a list can be the proof, if a demand awaits it, and a change is unknown.
    pub(super) fn prove_if_reached(&mut self, machine: &mut Machine) -> Option<End> {
        if !self.prover.has_reached(machine.version()) {
            return None;
        }
        if machine.lacks_changes() {
            let lists = self.prover.is_wanted() && list_pause(machine).is_none();
            return if lists { self.list_for_proof(End::Behind, true, machine) } else { None };
        }
        if machine.is_current()
            && let Some(begun) = self.prover.prove()
        {
            machine.note_good_list();
            if !self.prover.lacks_list() {
                self.permit.leave_queue();
            }
            self.proved(machine, begun);
        }
        None
    }

    /// Handles the next event of the prover. Returns the reason why only a list can prove that the
    /// changes handed on are current, if there is one.
    pub(super) fn handle_prover(
        &mut self,
        event: ProverEvent,
        machine: &mut Machine,
    ) -> Option<End> {
        let now = Instant::now();
        match event {
            ProverEvent::Due if machine.admits(now) => {
                self.status.probes();
                self.prover.ask(machine.newest().cloned());
                None
            }
            ProverEvent::Due => {
                self.prover.put_off();
                None
            }
            ProverEvent::Answered(version, question) => {
                self.status.heard(now);
                if question.known.as_ref().is_some_and(|known| version.is_older_than(known)) {
                    // A quorum was behind the version that the watch had reached, so history was
                    // lost. Events of the watch have been proofs since then.
                    return Some(End::Unproven);
                }
                // Without a watch, only a list refutes a newer version that the server has named.
                if question.demanded || !self.prover.is_unwatched() {
                    machine.note_quorum(&version, question.asked);
                }
                let soon = machine.lists_not_before().is_some();
                let over = self.limit_over(machine);
                let awaits = self.prover.await_version(version, question, soon, over);
                if awaits { None } else { self.list_if_behind(machine) }
            }
            ProverEvent::Failed(error, question) => {
                self.report(&error);
                machine.note_refusal(&error);
                let over = self.limit_over(machine);
                let demanded = self.prover.note_failure(&error, &question, over);
                let over = over.is_some_and(|over| over <= now);
                let lists = over || (demanded && list_pause(machine).is_none());
                if !lists || !error.is_answer() {
                    return None;
                }
                // The server answers, but not this question: a list is the proof.
                self.list_for_proof(End::Unanswered, !over, machine)
            }
            ProverEvent::Quiet => {
                // No watch is open that another one could replace.
                self.prover.put_off_short_watch(after(now, QUIET));
                None
            }
            // The watch may be late, or its version lost.
            ProverEvent::Behind => self.list_if_behind(machine),
            ProverEvent::MayList(list) => self.begin_list_for_proof(list, machine),
        }
    }

    /// Returns the time at which the limit of the data's age is over. A list may take longer than
    /// the limit. The watch has its turn after it.
    fn limit_over(&self, machine: &Machine) -> Option<Instant> {
        let limit = self.options.freshness_limit?;
        let last = self.prover.proved.max(self.listed_for_proof)?;
        let over = after(last, limit).max(list_pause(machine).unwrap_or(last));
        Some(self.first_watch.map_or(over, |opened| over.max(after(opened, limit / 2))))
    }

    /// Makes a list the proof, unless the last one has failed a moment ago.
    fn list_if_behind(&mut self, machine: &Machine) -> Option<End> {
        if let Some(until) = list_pause(machine) {
            self.prover.put_off_list(until);
            return None;
        }
        self.list_for_proof(End::Behind, !self.prover.is_late(), machine)
    }

    /// Queues a list that is to be the proof. Returns the end of the watch if the list may begin at
    /// once. Otherwise the watch goes on.
    fn list_for_proof(&mut self, end: End, demanded: bool, machine: &Machine) -> Option<End> {
        let list = ListForProof { end, demanded };
        self.permit.queue(list);
        let granted = machine.lists_next().then_some(list);
        let list = granted.or_else(|| self.permit.granted().now_or_never())?;
        self.begin_list_for_proof(list, machine)
    }

    /// Returns the end of the watch if a list that has its permit is still wanted, and the rate
    /// limit admits it.
    fn begin_list_for_proof(&mut self, list: ListForProof, machine: &Machine) -> Option<End> {
        let now = Instant::now();
        let delay = machine.request_delay(now);
        let wanted = !list.demanded || self.prover.is_wanted();
        if wanted && !delay.is_zero() && !machine.lists_next() {
            self.permit.put_off(list, delay);
            return None;
        }
        self.prover.give_up();
        if !wanted {
            self.permit.take();
            return None;
        }
        if matches!(list.end, End::Unanswered) {
            self.listed_for_proof = Some(now);
        }
        Some(list.end)
    }

    /// Notes a proof that the collection had its current version at this moment.
    pub(super) fn proved(&mut self, machine: &mut Machine, at: Instant) {
        machine.note_proof(Instant::now());
        self.prover.proved(at);
        if !self.prover.is_wanted() {
            self.permit.leave_queue();
        }
        self.status.proved(machine.version(), at);
    }
}

/// Returns the time until which no list is made that the watch can go on without.
fn list_pause(machine: &Machine) -> Option<Instant> {
    machine.lists_not_before().filter(|until| Instant::now() < *until)
}
