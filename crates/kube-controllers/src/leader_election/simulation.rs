//! Several machines that compete for one Lease in simulated time: clocks that run at different
//! rates, wall clocks that are hours apart, late or lost messages, stops and crashes.
//!
//! The simulation performs the elector's steps without tasks and sockets, and checks at every
//! moment that no two candidates work. Time is in microseconds of a clock that no candidate has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::machine::{LossCause, Machine, Now, RequestFailure, Rules, Step, StepOutcome};
use super::record::Marks;
use crate::lease::{Term, Times};

const SECOND: u64 = 1_000_000;

/// The faults that happen in the first half of a simulation.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    pub(super) seed: u64,
    /// The rate of each candidate's clock.
    pub(super) rates: Vec<f64>,
    /// The retry period. A shorter one lets a rival notice earlier that a lease has expired.
    pub(super) retry_period: Duration,
    /// The percentage of requests, and of answers, that get lost.
    pub(super) lost: u8,
    /// The longest time a request or an answer takes, in milliseconds, for about half of the
    /// candidates. The others are fast.
    pub(super) slowest: u64,
    /// The percentage of terms during which the candidate loses the server.
    pub(super) cut: u8,
    /// The percentage of terms that end with a stop, and with a crash.
    pub(super) stopped: u8,
    pub(super) crashed: u8,
    /// True if all candidates have one identity.
    pub(super) namesakes: bool,
}

/// The result of a simulation.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Two candidates that worked at once, and the time.
    pub(super) overlap: Option<(usize, usize, Duration)>,
    pub(super) terms: usize,
    pub(super) losses: usize,
    pub(super) releases: usize,
    /// The time from the end of the faults to the first work after it.
    pub(super) recovered: Option<Duration>,
    /// The time when the last term began.
    pub(super) last_change: Duration,
    /// The number of candidates that worked at the end.
    pub(super) at_work: usize,
}

#[derive(Debug)]
enum Event {
    /// A request reaches the server.
    Arrives {
        index: usize,
        step_number: u64,
        step: Step,
    },
    /// A step completes: with an answer, a timeout, or the end of a wait.
    Comes {
        index: usize,
        step_number: u64,
        outcome: StepOutcome,
    },
    /// The term may have to end.
    Due {
        index: usize,
    },
    /// Work that was told to stop has ended.
    WorkEnds {
        index: usize,
        term: u64,
    },
    /// A leader is stopped.
    Stop {
        index: usize,
        term: u64,
    },
    Crash {
        index: usize,
        term: u64,
    },
    /// The connection is lost until the second time.
    Cut {
        index: usize,
        until: u64,
    },
    /// A candidate returns after a stop or crash.
    Returns {
        index: usize,
        return_number: u64,
    },
}

struct Candidate {
    machine: Machine,
    rate: f64,
    wall: SignedDuration,
    /// The number of the current step. Answers to earlier steps are ignored.
    step_number: u64,
    term: u64,
    at_work: bool,
    away: bool,
    /// The number of this candidate's last return. Earlier ones are ignored.
    return_number: u64,
    cut_until: u64,
    slow: bool,
}

pub(super) struct Simulation {
    faults: Faults,
    rng: Rng,
    epoch: Instant,
    now: u64,
    faults_end: u64,
    order: u64,
    queue: BinaryHeap<Reverse<(u64, u64)>>,
    events: std::collections::HashMap<u64, Event>,
    candidates: Vec<Candidate>,
    lease: Option<Lease>,
    version: u64,
    report: Report,
}

fn identity(index: usize, faults: &Faults) -> String {
    if faults.namesakes { "c".into() } else { format!("c{index}") }
}

fn rules(identity: String, retry_period: Duration) -> Rules {
    Rules {
        name: "x".into(),
        identity: identity.into(),
        times: Times { retry_period, ..Times::default() },
        marks: Marks::default(),
    }
}

impl Simulation {
    /// Runs with faults for `seconds`, then without faults for as long again.
    pub(super) fn run(faults: Faults, seconds: u64) -> Report {
        let mut rng = Rng::with_seed(faults.seed);
        let epoch = Instant::now();
        let candidates = (0..faults.rates.len()).map(|index| Candidate {
            machine: Machine::new(
                rules(identity(index, &faults), faults.retry_period),
                rng.fork(),
                epoch,
            ),
            rate: faults.rates[index],
            wall: SignedDuration::from_secs(rng.i64(-10_000..10_000)),
            step_number: 0,
            term: 0,
            at_work: false,
            away: true,
            return_number: 0,
            cut_until: 0,
            slow: rng.bool(),
        });
        let candidates = candidates.collect::<Vec<_>>();
        let mut simulation = Self {
            rng,
            epoch,
            now: 0,
            faults_end: seconds * SECOND,
            order: 0,
            queue: BinaryHeap::new(),
            events: std::collections::HashMap::new(),
            candidates,
            lease: None,
            version: 0,
            report: Report::default(),
            faults,
        };
        for index in 0..simulation.candidates.len() {
            let delay = simulation.rng.u64(0..5 * SECOND);
            simulation.schedule_return(index, delay);
        }
        simulation.run_until(2 * seconds * SECOND);
        let at_work = simulation.candidates.iter().filter(|candidate| candidate.at_work).count();
        Report { at_work, ..simulation.report }
    }

    fn run_until(&mut self, end: u64) {
        while let Some(Reverse((at, id))) = self.queue.pop() {
            self.now = at;
            if at >= end || self.report.overlap.is_some() {
                return;
            }
            let Some(event) = self.events.remove(&id) else { continue };
            self.handle(event);
            let recovered = self.candidates.iter().any(|candidate| candidate.at_work);
            if self.now >= self.faults_end && recovered {
                let after = Duration::from_micros(self.now - self.faults_end);
                self.report.recovered.get_or_insert(after);
            }
        }
    }

    fn schedule(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.queue.push(Reverse((at.max(self.now), self.order)));
        self.events.insert(self.order, event);
    }

    fn draw(&mut self, percent: u8) -> bool {
        self.now < self.faults_end && self.rng.u8(0..100) < percent
    }

    /// Returns the current moment on a candidate's clocks.
    fn clocks(&self, index: usize) -> Now {
        let candidate = &self.candidates[index];
        let local = Duration::from_micros(self.now).mul_f64(candidate.rate);
        let wall = SignedDuration::try_from(local).unwrap() + candidate.wall;
        let wall = Timestamp::from_second(1_800_000_000).unwrap() + wall;
        Now { at: self.epoch + local, wall }
    }

    /// Returns when a candidate's clock will show a moment.
    fn when(&self, index: usize, local: Instant) -> u64 {
        let local = local.duration_since(self.epoch).as_secs_f64();
        // Timers are never early.
        seconds(local / self.candidates[index].rate) + 1
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrives { index, step_number, step } => {
                let outcome = self.serve(step);
                let (lost, delay) = self.draw_delivery(index);
                if !lost {
                    self.schedule(self.now + delay, Event::Comes { index, step_number, outcome });
                }
            }
            Event::Comes { index, step_number, outcome } => {
                self.step_completes(index, step_number, outcome);
            }
            Event::Due { index } => {
                let now = self.clocks(index);
                let term = self.candidates[index].machine.term();
                if let Some(term) = term.filter(|term| now.at >= term.cancel) {
                    let cause = self.candidates[index].machine.give_up();
                    self.lost(index, &cause, term);
                }
            }
            Event::WorkEnds { index, term } if self.candidates[index].term == term => {
                if self.candidates[index].at_work {
                    self.end_work(index);
                }
            }
            Event::Stop { index, term } if self.candidates[index].term == term => {
                // The work takes its time; the candidate renews the lease meanwhile.
                let at = self.now + self.rng.u64(0..25 * SECOND);
                self.schedule(at, Event::WorkEnds { index, term });
            }
            Event::Crash { index, term } if self.candidates[index].term == term => {
                let same = self.rng.bool();
                let mut identity = identity(index, &self.faults);
                identity.push_str(if same { "" } else { "'" });
                let at = self.clocks(index).at;
                let machine =
                    Machine::new(rules(identity, self.faults.retry_period), self.rng.fork(), at);
                let candidate = &mut self.candidates[index];
                (candidate.at_work, candidate.machine) = (false, machine);
                self.leave(index);
            }
            Event::Cut { index, until } => self.candidates[index].cut_until = until,
            Event::Returns { index, return_number }
                if self.candidates[index].return_number == return_number =>
            {
                let now = self.clocks(index);
                self.candidates[index].away = false;
                let step = self.candidates[index].machine.start_candidacy(now);
                self.perform(index, step);
            }
            // The event belongs to a term or a wait that is over.
            Event::WorkEnds { .. }
            | Event::Stop { .. }
            | Event::Crash { .. }
            | Event::Returns { .. } => {}
        }
    }

    fn step_completes(&mut self, index: usize, step_number: u64, outcome: StepOutcome) {
        if self.candidates[index].step_number != step_number || self.candidates[index].away {
            return;
        }
        let now = self.clocks(index);
        let before = self.candidates[index].machine.term();
        let step = self.candidates[index].machine.next(outcome, now);
        match (step, before) {
            (Step::Released, _) => {
                self.report.releases += 1;
                self.leave(index);
            }
            (Step::Lost(cause), Some(term)) => self.lost(index, &cause, term),
            (Step::Lost(_), None) => {
                let step = self.candidates[index].machine.start_candidacy(now);
                self.perform(index, step);
            }
            (step, before) => {
                if before.is_none() && self.candidates[index].machine.term().is_some() {
                    self.begin_work(index);
                }
                if let Some(term) = self.candidates[index].machine.term() {
                    let due = self.when(index, term.cancel);
                    self.schedule(due, Event::Due { index });
                }
                self.perform(index, step);
            }
        }
    }

    fn begin_work(&mut self, index: usize) {
        let at_work = self.candidates.iter().position(|candidate| candidate.at_work);
        if let Some(other) = at_work {
            self.report.overlap = Some((other, index, Duration::from_micros(self.now)));
        }
        self.report.terms += 1;
        self.report.last_change = Duration::from_micros(self.now);
        let candidate = &mut self.candidates[index];
        candidate.at_work = true;
        candidate.term += 1;

        let term = candidate.term;
        if self.draw(self.faults.cut) {
            let at = self.now + self.rng.u64(0..30 * SECOND);
            self.schedule(at, Event::Cut { index, until: at + 60 * SECOND });
        }
        if self.draw(self.faults.stopped) {
            let at = self.now + self.rng.u64(0..20 * SECOND);
            self.schedule(at, Event::Stop { index, term });
        }
        if self.draw(self.faults.crashed) {
            let at = self.now + self.rng.u64(0..60 * SECOND);
            self.schedule(at, Event::Crash { index, term });
        }
    }

    /// Ends the work at the latest moment allowed, or some time before.
    fn lost(&mut self, index: usize, cause: &LossCause, term: Term) {
        self.report.losses += 1;
        self.candidates[index].step_number += 1;
        let at = match cause {
            LossCause::RenewDeadline if self.rng.bool() => self.when(index, term.abort),
            LossCause::RenewDeadline => {
                let latest = self.when(index, term.abort).max(self.now + 1);
                self.rng.u64(self.now..latest)
            }
            _ => self.now,
        };
        let term = self.candidates[index].term;
        self.schedule(at, Event::WorkEnds { index, term });
    }

    fn end_work(&mut self, index: usize) {
        let now = self.clocks(index);
        let candidate = &mut self.candidates[index];
        candidate.at_work = false;
        let step = candidate.machine.release(now);
        match step {
            // The leadership was lost: become a candidate again.
            Step::Released => {
                let step = candidate.machine.start_candidacy(now);
                self.perform(index, step);
            }
            step => {
                // The candidate does not retry the release for ever.
                self.schedule_return(index, 5 * SECOND);
                self.perform(index, step);
            }
        }
    }

    fn leave(&mut self, index: usize) {
        self.candidates[index].away = true;
        self.candidates[index].step_number += 1;
        self.candidates[index].term += 1;
        let delay = self.rng.u64(0..10 * SECOND);
        self.schedule_return(index, delay);
    }

    fn schedule_return(&mut self, index: usize, delay: u64) {
        self.candidates[index].return_number += 1;
        let return_number = self.candidates[index].return_number;
        self.schedule(self.now + delay, Event::Returns { index, return_number });
    }

    fn perform(&mut self, index: usize, step: Step) {
        self.candidates[index].step_number += 1;
        let step_number = self.candidates[index].step_number;
        let local = self.clocks(index).at;
        if let Step::Wait(delay) = step {
            let at = self.when(index, local + delay);
            self.schedule(at, Event::Comes { index, step_number, outcome: StepOutcome::Waited });
            return;
        }
        let timeout = self.when(index, local + Duration::from_secs(5));
        let outcome = StepOutcome::Failed(RequestFailure::Other);
        self.schedule(timeout, Event::Comes { index, step_number, outcome });
        let (lost, delay) = self.draw_delivery(index);
        if !lost {
            self.schedule(self.now + delay, Event::Arrives { index, step_number, step });
        }
    }

    /// Returns whether a message gets lost, and how long it takes.
    fn draw_delivery(&mut self, index: usize) -> (bool, u64) {
        let cut = self.now < self.candidates[index].cut_until.min(self.faults_end);
        let lost = cut || self.draw(self.faults.lost);
        let slow = self.candidates[index].slow && self.now < self.faults_end;
        let slowest = if slow { self.faults.slowest } else { 50 };
        (lost, self.rng.u64(0..=slowest * 1_000))
    }

    /// Executes a request as an API server does.
    fn serve(&mut self, step: Step) -> StepOutcome {
        let lease = match step {
            Step::Get => return StepOutcome::Got(self.lease.clone().map(Box::new)),
            Step::Create(lease) if self.lease.is_none() => lease,
            Step::Replace(lease)
                if self.lease.as_ref().is_some_and(|stored| {
                    stored.metadata.resource_version == lease.metadata.resource_version
                }) =>
            {
                lease
            }
            _ => return StepOutcome::Failed(RequestFailure::Conflict),
        };
        self.version += 1;
        let mut lease = *lease;
        lease.metadata.resource_version = Some(self.version.to_string());
        self.lease = Some(lease.clone());
        StepOutcome::Written(Box::new(lease))
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hours at most")]
fn seconds(seconds: f64) -> u64 {
    (seconds * 1e6).ceil() as u64
}
