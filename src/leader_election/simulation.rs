//! Several machines against one Lease, in simulated time: clocks that run at different rates, wall
//! clocks that are hours apart, requests and answers that come late or never, stops and crashes.
//!
//! It does what the elector does with a step, without tasks and sockets, and checks at every moment
//! that no two are at work. Time is in microseconds of a clock that no candidate has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::machine::{Failure, LossCause, Machine, Now, Outcome, Rules, Step, Term};

const SECOND: u64 = 1_000_000;

/// What goes wrong until the faults end.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    pub(super) seed: u64,
    /// Each candidate's clock: how fast it runs.
    pub(super) rates: Vec<f64>,
    /// The shorter, the sooner a rival notices that a lease has run out.
    pub(super) retry_period: Duration,
    /// How many of a hundred requests, and of a hundred answers, get lost.
    pub(super) lost: u8,
    /// The longest time a request or an answer takes, in milliseconds, for about half of the
    /// candidates; those of the others are fast.
    pub(super) slowest: u64,
    /// How many of a hundred terms are cut off from the server at some moment.
    pub(super) cut: u8,
    /// How many of a hundred terms end with a stop, and with a crash.
    pub(super) stopped: u8,
    pub(super) crashed: u8,
}

/// What a simulation came to.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Two were at work at the same time: who, and when.
    pub(super) overlap: Option<(usize, usize, Duration)>,
    pub(super) terms: usize,
    pub(super) losses: usize,
    pub(super) releases: usize,
    /// How long after the faults ended somebody was at work.
    pub(super) recovered: Option<Duration>,
    /// When a term last began.
    pub(super) last_change: Duration,
    /// How many were at work in the end.
    pub(super) at_work: usize,
}

#[derive(Debug)]
enum Event {
    /// A request reaches the server.
    Arrives {
        who: usize,
        asked: u64,
        step: Step,
    },
    /// What comes of a step: an answer, no answer in time, or the end of a wait.
    Comes {
        who: usize,
        asked: u64,
        outcome: Outcome,
    },
    /// The time may be up for this term.
    Due {
        who: usize,
    },
    /// Work that was told to stop is over.
    WorkEnds {
        who: usize,
        term: u64,
    },
    /// Somebody stops a leader.
    Stop {
        who: usize,
        term: u64,
    },
    Crash {
        who: usize,
        term: u64,
    },
    /// The connection goes until the second time.
    Cut {
        who: usize,
        until: u64,
    },
    /// Comes back after a stop or crash.
    Returns {
        who: usize,
        visit: u64,
    },
}

struct Candidate {
    machine: Machine,
    rate: f64,
    wall: SignedDuration,
    /// Which step is under way; answers to others come too late.
    asked: u64,
    term: u64,
    at_work: bool,
    away: bool,
    /// Which of its returns is the one that counts.
    visit: u64,
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

fn rules(identity: String, retry_period: Duration) -> Rules {
    Rules {
        name: "x".into(),
        identity: identity.into(),
        lease_duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period,
    }
}

impl Simulation {
    /// Faults for so many seconds, then none for as long again.
    pub(super) fn run(faults: Faults, seconds: u64) -> Report {
        let mut rng = Rng::with_seed(faults.seed);
        let epoch = Instant::now();
        let candidates = (0..faults.rates.len()).map(|who| Candidate {
            machine: Machine::new(rules(format!("c{who}"), faults.retry_period), rng.fork(), epoch),
            rate: faults.rates[who],
            wall: SignedDuration::from_secs(rng.i64(-10_000..10_000)),
            asked: 0,
            term: 0,
            at_work: false,
            away: true,
            visit: 0,
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
        for who in 0..simulation.candidates.len() {
            let delay = simulation.rng.u64(0..5 * SECOND);
            simulation.returns(who, delay);
        }
        simulation.go_on(2 * seconds * SECOND);
        let at_work = simulation.candidates.iter().filter(|candidate| candidate.at_work).count();
        Report { at_work, ..simulation.report }
    }

    fn go_on(&mut self, end: u64) {
        while let Some(Reverse((at, id))) = self.queue.pop() {
            self.now = at;
            if at >= end || self.report.overlap.is_some() {
                return;
            }
            let Some(event) = self.events.remove(&id) else { continue };
            self.happens(event);
            let recovered = self.candidates.iter().any(|candidate| candidate.at_work);
            if self.now >= self.faults_end && recovered {
                let after = Duration::from_micros(self.now - self.faults_end);
                self.report.recovered.get_or_insert(after);
            }
        }
    }

    fn at(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.queue.push(Reverse((at.max(self.now), self.order)));
        self.events.insert(self.order, event);
    }

    fn faulty(&mut self, percent: u8) -> bool {
        self.now < self.faults_end && self.rng.u8(0..100) < percent
    }

    /// The moment as this candidate's clocks have it.
    fn clocks(&self, who: usize) -> Now {
        let candidate = &self.candidates[who];
        let local = Duration::from_micros(self.now).mul_f64(candidate.rate);
        let wall = SignedDuration::try_from(local).unwrap() + candidate.wall;
        let wall = Timestamp::from_second(1_800_000_000).unwrap() + wall;
        Now { at: self.epoch + local, wall }
    }

    /// When a candidate's clock will show a moment.
    fn when(&self, who: usize, local: Instant) -> u64 {
        let local = local.duration_since(self.epoch).as_secs_f64();
        // Timers are never early.
        seconds(local / self.candidates[who].rate) + 1
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Arrives { who, asked, step } => {
                let outcome = self.serve(step);
                let (lost, delay) = self.way(who);
                if !lost {
                    self.at(self.now + delay, Event::Comes { who, asked, outcome });
                }
            }
            Event::Comes { who, asked, outcome } => self.comes(who, asked, outcome),
            Event::Due { who } => {
                let now = self.clocks(who);
                let term = self.candidates[who].machine.term();
                if let Some(term) = term.filter(|term| now.at >= term.cancel) {
                    let cause = self.candidates[who].machine.give_up();
                    self.lost(who, &cause, term);
                }
            }
            Event::WorkEnds { who, term } if self.candidates[who].term == term => {
                if self.candidates[who].at_work {
                    self.work_ends(who);
                }
            }
            Event::Stop { who, term } if self.candidates[who].term == term => {
                // The work takes its time; the lease is renewed meanwhile.
                let at = self.now + self.rng.u64(0..25 * SECOND);
                self.at(at, Event::WorkEnds { who, term });
            }
            Event::Crash { who, term } if self.candidates[who].term == term => {
                let same = self.rng.bool();
                let identity = format!("c{who}{}", if same { "" } else { "'" });
                let at = self.clocks(who).at;
                let machine =
                    Machine::new(rules(identity, self.faults.retry_period), self.rng.fork(), at);
                let candidate = &mut self.candidates[who];
                (candidate.at_work, candidate.machine) = (false, machine);
                self.leaves(who);
            }
            Event::Cut { who, until } => self.candidates[who].cut_until = until,
            Event::Returns { who, visit } if self.candidates[who].visit == visit => {
                let now = self.clocks(who);
                self.candidates[who].away = false;
                let step = self.candidates[who].machine.stand(now);
                self.perform(who, step);
            }
            // What was meant for a term or a wait that is over.
            Event::WorkEnds { .. }
            | Event::Stop { .. }
            | Event::Crash { .. }
            | Event::Returns { .. } => {}
        }
    }

    fn comes(&mut self, who: usize, asked: u64, outcome: Outcome) {
        if self.candidates[who].asked != asked || self.candidates[who].away {
            return;
        }
        let now = self.clocks(who);
        let before = self.candidates[who].machine.term();
        let step = self.candidates[who].machine.next(outcome, now);
        match (step, before) {
            (Step::Released, _) => {
                self.report.releases += 1;
                self.leaves(who);
            }
            (Step::Lost(cause), Some(term)) => self.lost(who, &cause, term),
            (Step::Lost(_), None) => {
                let step = self.candidates[who].machine.stand(now);
                self.perform(who, step);
            }
            (step, before) => {
                if before.is_none() && self.candidates[who].machine.term().is_some() {
                    self.work_begins(who);
                }
                if let Some(term) = self.candidates[who].machine.term() {
                    let due = self.when(who, term.cancel);
                    self.at(due, Event::Due { who });
                }
                self.perform(who, step);
            }
        }
    }

    fn work_begins(&mut self, who: usize) {
        let at_work = self.candidates.iter().position(|candidate| candidate.at_work);
        if let Some(other) = at_work {
            self.report.overlap = Some((other, who, Duration::from_micros(self.now)));
        }
        self.report.terms += 1;
        self.report.last_change = Duration::from_micros(self.now);
        let candidate = &mut self.candidates[who];
        candidate.at_work = true;
        candidate.term += 1;

        let term = candidate.term;
        if self.faulty(self.faults.cut) {
            let at = self.now + self.rng.u64(0..30 * SECOND);
            self.at(at, Event::Cut { who, until: at + 60 * SECOND });
        }
        if self.faulty(self.faults.stopped) {
            let at = self.now + self.rng.u64(0..20 * SECOND);
            self.at(at, Event::Stop { who, term });
        }
        if self.faulty(self.faults.crashed) {
            let at = self.now + self.rng.u64(0..60 * SECOND);
            self.at(at, Event::Crash { who, term });
        }
    }

    /// The work ends at the latest moment allowed, or some time before.
    fn lost(&mut self, who: usize, cause: &LossCause, term: Term) {
        self.report.losses += 1;
        self.candidates[who].asked += 1;
        let at = match cause {
            LossCause::RenewDeadline if self.rng.bool() => self.when(who, term.abort),
            LossCause::RenewDeadline => {
                let latest = self.when(who, term.abort).max(self.now + 1);
                self.rng.u64(self.now..latest)
            }
            _ => self.now,
        };
        let term = self.candidates[who].term;
        self.at(at, Event::WorkEnds { who, term });
    }

    fn work_ends(&mut self, who: usize) {
        let now = self.clocks(who);
        let candidate = &mut self.candidates[who];
        candidate.at_work = false;
        let step = candidate.machine.release(now);
        match step {
            // It was lost: in line again.
            Step::Released => {
                let step = candidate.machine.stand(now);
                self.perform(who, step);
            }
            step => {
                // Releasing is not tried for ever.
                self.returns(who, 5 * SECOND);
                self.perform(who, step);
            }
        }
    }

    fn leaves(&mut self, who: usize) {
        self.candidates[who].away = true;
        self.candidates[who].asked += 1;
        self.candidates[who].term += 1;
        let delay = self.rng.u64(0..10 * SECOND);
        self.returns(who, delay);
    }

    fn returns(&mut self, who: usize, delay: u64) {
        self.candidates[who].visit += 1;
        let visit = self.candidates[who].visit;
        self.at(self.now + delay, Event::Returns { who, visit });
    }

    fn perform(&mut self, who: usize, step: Step) {
        self.candidates[who].asked += 1;
        let asked = self.candidates[who].asked;
        let local = self.clocks(who).at;
        if let Step::Wait(delay) = step {
            let at = self.when(who, local + delay);
            self.at(at, Event::Comes { who, asked, outcome: Outcome::Waited });
            return;
        }
        let timeout = self.when(who, local + Duration::from_secs(5));
        let outcome = Outcome::Failed(Failure::Other);
        self.at(timeout, Event::Comes { who, asked, outcome });
        let (lost, delay) = self.way(who);
        if !lost {
            self.at(self.now + delay, Event::Arrives { who, asked, step });
        }
    }

    /// Whether a message gets lost on its way, and how long it takes.
    fn way(&mut self, who: usize) -> (bool, u64) {
        let cut = self.now < self.candidates[who].cut_until.min(self.faults_end);
        let lost = cut || self.faulty(self.faults.lost);
        let slow = self.candidates[who].slow && self.now < self.faults_end;
        let slowest = if slow { self.faults.slowest } else { 50 };
        (lost, self.rng.u64(0..=slowest * 1_000))
    }

    /// What an API server does.
    fn serve(&mut self, step: Step) -> Outcome {
        let lease = match step {
            Step::Get => return Outcome::Got(self.lease.clone().map(Box::new)),
            Step::Create(lease) if self.lease.is_none() => lease,
            Step::Replace(lease)
                if self.lease.as_ref().is_some_and(|stored| {
                    stored.metadata.resource_version == lease.metadata.resource_version
                }) =>
            {
                lease
            }
            _ => return Outcome::Failed(Failure::Conflict),
        };
        self.version += 1;
        let mut lease = *lease;
        lease.metadata.resource_version = Some(self.version.to_string());
        self.lease = Some(lease.clone());
        Outcome::Written(Box::new(lease))
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hours at most")]
fn seconds(seconds: f64) -> u64 {
    (seconds * 1e6).ceil() as u64
}
