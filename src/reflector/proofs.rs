//! Proofs that the changes handed on are current: of a watch, and on demand.

use std::pin::pin;

use tokio::time::Instant;

use super::demand::Demanded;
use super::driver::ReflectorDriver;
use super::gate::INTERVAL;
use super::machine::Machine;
use super::options::ReflectorOptions;
use super::probe::{Probe, Probed};
use super::step::End;
use crate::time::after;

impl ReflectorDriver {
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
            return Ok(future.await);
        }
        let mut future = pin!(future);
        loop {
            let demanded = tokio::select! {
                biased;
                output = &mut future => return Ok(output),
                demanded = self.proving.next() => demanded,
            };
            if let Some(end) = self.handle_demand(demanded, machine) {
                self.doubts_history |= end.is_outage();
                return Err(end);
            }
            if !self.prove_if_reached(machine) {
                return Err(End::Behind);
            }
        }
    }

    /// Meets a demand if the changes handed on have reached the version that it awaits. Returns
    /// false if a list is to show a change that is unknown.
    pub(super) fn prove_if_reached(&mut self, machine: &Machine) -> bool {
        if !self.proving.has_reached(machine.version()) {
            return true;
        }
        if machine.lacks_changes() {
            return list_pause(machine).is_some();
        }
        self.proving.prove();
        true
    }

    /// Handles the next event of a demand. Returns the reason why only a list can prove that the
    /// changes handed on are current, if there is one.
    pub(super) fn handle_demand(
        &mut self,
        demanded: Demanded,
        machine: &mut Machine,
    ) -> Option<End> {
        match demanded {
            Demanded::Due if machine.admits(Instant::now()) => {
                self.status.probes();
                self.proving.ask(machine.version());
            }
            Demanded::Due => self.proving.put_off(after(Instant::now(), INTERVAL)),
            Demanded::Answered => {
                self.status.heard(Instant::now());
                if let Some((version, begun)) = self.proving.awaited() {
                    machine.note_quorum(version, begun);
                }
            }
            Demanded::Failed(error) => self.report(&error),
            Demanded::Refused(error) => {
                self.report(&error);
                if list_pause(machine).is_none() {
                    self.listed_for_proof = Some(Instant::now());
                    return Some(End::Unanswered);
                }
            }
            // The watch may be late, or its version lost: its next probe tells.
            Demanded::Unproven => {
                let Some(until) = list_pause(machine) else {
                    self.proving.give_up();
                    return Some(End::Behind);
                };
                self.proving.put_off(until);
            }
        }
        None
    }

    /// Returns a probe of a watch that was opened at this moment.
    pub(super) fn probe(&self, opened: Instant) -> Probe {
        let ReflectorOptions { freshness_limit, list_idle_timeout, .. } = &self.options;
        let proved = self.proved.unwrap_or(opened);
        Probe::new(self.source.clone(), *freshness_limit, *list_idle_timeout, proved)
    }

    /// Handles the next event of a probe. Returns the reason to end the watch, if there is one.
    pub(super) fn handle_probe(
        &mut self,
        probe: &mut Probe,
        probed: Probed,
        machine: &mut Machine,
    ) -> Option<End> {
        let now = Instant::now();
        match probed {
            Probed::Due if machine.admits(now) => {
                self.status.probes();
                probe.ask(now, machine.version().cloned());
            }
            Probed::Due => probe.put_off(now, None),
            Probed::Answered { version, begun, asked, known, doubted } => {
                self.status.heard(now);
                if known.is_some_and(|known| version.is_older_than(&known)) {
                    // A quorum was behind the version that the watch had reached, so history was
                    // lost. Events of the watch have been proofs since then.
                    return Some(End::Unproven);
                }
                if doubted {
                    probe.ask_again(now);
                    return None;
                }
                probe.trust_history();
                // The watch may have gone on since the request.
                let reached = machine.version()?.is_at_least(&version);
                let proves = reached && machine.is_current();
                machine.note_quorum(&version, asked);
                if proves {
                    machine.note_good_list();
                    self.proved(machine, begun);
                    probe.proved(begun);
                } else {
                    probe.await_watch(begun, machine.lists_not_before());
                }
            }
            Probed::Failed(error) => {
                self.report(&error);
                let last = self.proved.max(self.listed_for_proof);
                let limit = self.options.freshness_limit;
                let over = last.zip(limit).map(|(last, limit)| {
                    // A list may take longer than the limit. The watch has its turn after it.
                    let over = after(last, limit);
                    let over = over.max(list_pause(machine).unwrap_or(over));
                    self.first_watch.map_or(over, |opened| over.max(after(opened, limit / 2)))
                });
                probe.put_off(now, over);
                if error.is_answer() && over.is_some_and(|over| over <= now) {
                    // The server answers, but not this question: a list is the proof.
                    self.listed_for_proof = Some(now);
                    return Some(End::Unanswered);
                }
            }
            Probed::WatchBehind => return Some(End::Behind),
        }
        None
    }

    /// Notes a proof that the collection had its current version at this moment.
    pub(super) fn proved(&mut self, machine: &mut Machine, at: Instant) {
        machine.note_proof(Instant::now());
        self.proved = self.proved.max(Some(at));
        self.status.proved(machine.version(), at);
    }
}

/// Returns the time until which no list is made that the watch can go on without.
fn list_pause(machine: &Machine) -> Option<Instant> {
    machine.lists_not_before().filter(|until| Instant::now() < *until)
}
