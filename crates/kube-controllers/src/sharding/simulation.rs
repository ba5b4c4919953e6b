//! Several machines that share slots in simulated time: clocks that run at different rates, late or
//! lost messages, watches that lag or go back, partitions, crashes, suspensions and slow drains.
//!
//! The simulation performs the driver's commands, and checks at every moment that no two replicas
//! work on one slot. Time is in microseconds of its own clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::Instant;

use super::machine::{Command, Input, LeaseAnswer, Machine, Request, RequestFailure};
use super::status::ShardingCounts;
use super::store::Store;
use super::view::View;
use super::world::{Call, Event, Faults, Replica, Report, SECOND, micros, rules};

pub(super) struct Simulation {
    faults: Faults,
    rng: Rng,
    epoch: Instant,
    now: u64,
    order: u64,
    /// The events by time and order, each with its replica and process.
    events: BTreeMap<(u64, u64), (usize, u64, Event)>,
    replicas: Vec<Replica>,
    store: Store,
    views: Vec<Arc<View>>,
    /// The replica that works on each slot, or the time from which none does.
    workers: Vec<Result<usize, u64>>,
    works: u64,
    /// The time without work of all slots, up to their last work.
    unowned: Duration,
    /// The number of events in a row without a passage of time.
    idle_events: u32,
    pub(super) report: Report,
}

impl Simulation {
    pub(super) fn new(faults: Faults) -> Self {
        let mut rng = Rng::with_seed(faults.seed);
        let epoch = Instant::now();
        let mut store = Store::new(faults.slots);
        store.duration = Duration::from_secs(faults.duration);
        let replicas = (0..faults.rates.len()).map(|index| Replica {
            machine: Machine::new(rules(index, &faults), rng.fork()),
            process: 0,
            running: false,
            rate: faults.rates[index],
            slow: rng.bool(),
            identity: index,
            cut_until: 0,
            deaf_until: 0,
            unsure: (0, false),
            suspended_until: 0,
            seen: 0,
            watching: false,
            lists: false,
            tick: 0,
            work: vec![0; faults.slots],
            term: None,
            losing: false,
            published: Vec::new(),
        });
        let replicas = replicas.collect();
        let views = vec![store.view()];
        let workers = vec![Err(0); faults.slots];
        let mut simulation = Self {
            rng,
            epoch,
            now: 0,
            order: 0,
            events: BTreeMap::new(),
            replicas,
            store,
            views,
            workers,
            works: 0,
            unowned: Duration::ZERO,
            idle_events: 0,
            report: Report::default(),
            faults,
        };
        for index in 0..simulation.replicas.len() {
            let at =
                if simulation.faults.trouble == 0 { 0 } else { simulation.rng.u64(0..9 * SECOND) };
            simulation.schedule(at, index, Event::Start);
            simulation.schedule_trouble(index);
        }
        simulation
    }

    /// Runs a whole simulation.
    pub(super) fn run(faults: Faults) -> Report {
        let mut simulation = Self::new(faults);
        let end = (simulation.faults.faulty + simulation.faults.calm) * SECOND;
        simulation.run_until(end);
        simulation.finish()
    }

    pub(super) fn finish(mut self) -> Report {
        for replica in &self.replicas {
            self.report.add(&replica.machine);
            let held: Vec<_> =
                (0..self.faults.slots).filter(|slot| replica.work[*slot] > 0).collect();
            let ranges = held.iter().filter(|slot| !held.contains(&(**slot + 1))).count();
            if replica.running && held != replica.published {
                self.report.violation.get_or_insert((
                    format!("published {:?}, holds {held:?}", replica.published),
                    Duration::from_micros(self.now),
                ));
            }
            self.report.shares.push(held.len());
            self.report.ranges.push(ranges);
        }
        self.report
    }

    pub(super) fn run_until(&mut self, end: u64) {
        while let Some(((at, order), (index, process, event))) = self.events.pop_first() {
            if at >= end || self.report.violation.is_some() {
                self.events.insert((at, order), (index, process, event));
                break;
            }
            // A machine that is due at once again and again makes no progress.
            self.idle_events = if at == self.now { self.idle_events + 1 } else { 0 };
            self.now = at;
            if self.idle_events > 10_000 {
                self.violate(format!("{index} makes no progress"));
            }
            let at_replica = !matches!(event, Event::Arrives(_) | Event::Start | Event::Trouble);
            if at_replica && self.replicas[index].process != process {
                continue;
            }
            let until = self.replicas[index].suspended_until;
            if at_replica && until > self.now {
                self.schedule(until, index, event);
                continue;
            }
            self.handle(index, process, event);
        }
        self.now = self.now.max(end);
    }

    fn schedule(&mut self, at: u64, index: usize, event: Event) {
        self.schedule_of(at, index, self.replicas[index].process, event);
    }

    fn schedule_of(&mut self, at: u64, index: usize, process: u64, event: Event) {
        self.order += 1;
        self.events.insert((at.max(self.now), self.order), (index, process, event));
    }

    fn is_calm(&self) -> bool {
        self.now >= self.faults.faulty * SECOND
    }

    fn schedule_trouble(&mut self, index: usize) {
        if self.faults.trouble > 0 {
            let delay = self.rng.u64(0..2 * self.faults.trouble * SECOND);
            self.schedule(self.now + delay, index, Event::Trouble);
        }
    }

    /// Returns the present moment on a replica's clock.
    fn clock(&self, index: usize) -> Instant {
        self.epoch + Duration::from_micros(self.now).mul_f64(self.replicas[index].rate)
    }

    /// Returns when a replica's clock will show a moment. Timers are never early.
    fn when(&self, index: usize, local: Instant) -> u64 {
        let local = local.saturating_duration_since(self.epoch).as_secs_f64();
        micros(local / self.replicas[index].rate) + 1
    }

    fn handle(&mut self, index: usize, process: u64, event: Event) {
        match event {
            Event::Start => self.start(index),
            Event::Trouble => {
                if !self.is_calm() {
                    self.trouble(index);
                    self.schedule_trouble(index);
                }
            }
            Event::Arrives(call) => {
                let (call, request) = *call;
                self.report.requests += 1;
                let before = self.store.version();
                let mut answer = self.store.serve(&request, &call.identity);
                let (unsure_until, reads) = self.replicas[index].unsure;
                let read = matches!(request, Request::Find { .. } | Request::Read { .. });
                if self.now < unsure_until && (reads || !read) {
                    answer = LeaseAnswer::Failed(RequestFailure::Unknown);
                }
                if self.store.version() != before {
                    self.views.push(self.store.view());
                    for other in 0..self.replicas.len() {
                        self.watch(other);
                    }
                }
                let (lost, delay) = self.delivery(index);
                if !lost {
                    self.schedule_of(
                        self.now + delay,
                        index,
                        process,
                        Event::Answered(Box::new((call, answer))),
                    );
                }
            }
            Event::Answered(call) => {
                let (Call { id, subject, .. }, answer) = *call;
                self.step(index, Input::Answered { id, subject, answer });
            }
            Event::Watched => self.watched(index),
            Event::Tick { at } => {
                if self.replicas[index].tick == at {
                    self.replicas[index].tick = 0;
                    self.step(index, Input::Tick);
                }
            }
            Event::Ends { slot, work } => {
                if self.replicas[index].work[slot] == work {
                    self.end_work(index, slot);
                    if self.replicas[index].losing {
                        self.check_lost(index);
                    } else {
                        self.step(index, Input::Idle(slot));
                    }
                }
            }
        }
    }

    /// Starts a process, under the same identity as before or under a new one.
    pub(super) fn start(&mut self, index: usize) {
        if self.replicas[index].running {
            return;
        }
        if self.faults.trouble > 0 && self.rng.bool() {
            self.replicas[index].identity += 100;
        }
        let rules = rules(self.replicas[index].identity, &self.faults);
        let machine = Machine::new(rules, self.rng.fork());
        let replica = &mut self.replicas[index];
        (replica.machine, replica.running, replica.losing) = (machine, true, false);
        (replica.tick, replica.watching, replica.seen) = (0, false, 0);
        replica.lists = false;
        replica.published.clear();
        self.watch(index);
    }

    /// Ends a process at once.
    pub(super) fn crash(&mut self, index: usize) {
        for slot in 0..self.faults.slots {
            if self.replicas[index].work[slot] > 0 {
                self.end_work(index, slot);
            }
        }
        let replica = &mut self.replicas[index];
        self.report.add(&replica.machine);
        replica.machine.counts = ShardingCounts::default();
        replica.process += 1;
        replica.running = false;
    }

    pub(super) fn stop(&mut self, index: usize) {
        if self.replicas[index].running {
            self.step(index, Input::Stop);
        }
    }

    /// Makes the results of a replica's writes unknown for this time, and those of its reads.
    pub(super) fn lose_results(&mut self, index: usize, seconds: u64, reads: bool) {
        self.replicas[index].unsure = (self.now + seconds * SECOND, reads);
    }

    /// Returns the time without work of all slots so far.
    pub(super) fn unowned(&self) -> Duration {
        let open = self.workers.iter().filter_map(|worker| worker.err());
        let open = open.map(|since| Duration::from_micros(self.now - since)).sum::<Duration>();
        self.unowned + open
    }

    /// Returns the number of requests that a replica's present process has sent.
    pub(super) fn requests_of(&self, index: usize) -> u64 {
        self.replicas[index].machine.counts.requests
    }

    fn trouble(&mut self, index: usize) {
        let delay = self.rng.u64(0..30 * SECOND);
        match self.rng.u8(0..7) {
            6 => {
                let until = (self.now + delay).min(self.faults.faulty * SECOND);
                self.replicas[index].unsure = (until, self.rng.bool());
            }
            5 => self.replicas[index].deaf_until = self.now + delay,
            0 | 1 => self.replicas[index].cut_until = self.now + delay,
            2 if self.replicas[index].running => {
                self.crash(index);
                self.schedule(self.now + delay, index, Event::Start);
            }
            3 => self.stop(index),
            4 if self.faults.suspended > 0 => {
                let time = self.rng.u64(0..self.faults.suspended) * 1_000;
                self.replicas[index].suspended_until = self.now + time;
            }
            _ => {}
        }
    }

    /// Schedules a delivery of the watch, unless there is one.
    fn watch(&mut self, index: usize) {
        let replica = &self.replicas[index];
        if !replica.running || replica.watching || replica.seen + 1 > self.views.len() {
            return;
        }
        let cut = if self.is_calm() { 0 } else { replica.cut_until.max(replica.deaf_until) };
        self.replicas[index].watching = true;
        let (_, delay) = self.delivery(index);
        self.schedule(self.now.max(cut) + delay, index, Event::Watched);
    }

    fn watched(&mut self, index: usize) {
        let newest = self.views.len() - 1;
        let seen = self.replicas[index].seen.min(newest);
        self.replicas[index].watching = false;
        // Often the newest state, sometimes an older one, and rarely one before the last.
        let lists = std::mem::take(&mut self.replicas[index].lists);
        let next = match if lists || self.is_calm() { 9 } else { self.rng.u8(0..10) } {
            0 => seen.saturating_sub(3),
            1 | 2 => self.rng.usize(seen..=newest),
            _ => newest,
        };
        self.replicas[index].seen = seen.max(next);
        self.step(index, Input::View(self.views[next].clone()));
        if self.replicas[index].seen < self.views.len() - 1 {
            self.watch(index);
        }
    }

    /// Returns whether a message gets lost, and the time that it takes.
    fn delivery(&mut self, index: usize) -> (bool, u64) {
        if self.is_calm() || self.faults.trouble == 0 {
            return (false, self.rng.u64(1_000..20_000));
        }
        let cut = self.now < self.replicas[index].cut_until;
        let lost = cut || self.rng.u8(0..100) < self.faults.lost;
        // A fast request may have a slow answer.
        let slow = self.replicas[index].slow && self.rng.bool();
        let slowest = if slow { self.faults.slowest } else { 50 };
        (lost, self.rng.u64(0..=slowest * 1_000))
    }

    fn step(&mut self, index: usize, input: Input) {
        if !self.replicas[index].running {
            return;
        }
        let now = self.clock(index);
        let term = self.replicas[index].machine.term();
        self.replicas[index].term = term.or(self.replicas[index].term);
        for command in self.replicas[index].machine.step(input, now) {
            self.perform(index, command);
        }
        let Some(wake) = self.replicas[index].machine.wake_at() else { return };
        let at = self.when(index, wake).max(self.now);
        // A tick that is due earlier schedules the next one.
        if self.replicas[index].tick <= self.now || at < self.replicas[index].tick {
            self.replicas[index].tick = at;
            self.schedule(at, index, Event::Tick { at });
        }
    }

    fn perform(&mut self, index: usize, command: Command) {
        match command {
            Command::Send { id, subject, request } => {
                let timeout =
                    self.clock(index) + self.replicas[index].machine.rules.times.request_timeout();
                let unknown = LeaseAnswer::Failed(RequestFailure::Unknown);
                let identity = self.replicas[index].machine.rules.identity.clone();
                let call = Call { id, subject, identity };
                let at = self.when(index, timeout);
                self.schedule(at, index, Event::Answered(Box::new((call.clone(), unknown))));
                let (lost, delay) = self.delivery(index);
                if !lost {
                    self.schedule(
                        self.now + delay,
                        index,
                        Event::Arrives(Box::new((call, request))),
                    );
                }
            }
            Command::Begin(slot) => self.begin_work(index, slot),
            Command::Extend(_) | Command::Tell(_) | Command::TellBlocked { .. } => {}
            Command::Drain(slot) => {
                let longest = if self.rng.bool() { self.faults.drains * SECOND } else { 0 };
                let delay = self.rng.u64(0..=longest);
                self.end_later(index, slot, delay);
            }
            Command::Abort(slot) => self.end_later(index, slot, 0),
            Command::End(slot) => {
                if self.replicas[index].work[slot] > 0 {
                    self.violate(format!("{index} ends slot {slot} at work"));
                }
            }
            Command::Drop(slot) => self.violate(format!("{index} finds slot {slot} taken")),
            Command::Lose { at_once } => self.lose(index, at_once),
            Command::AbortAll => {
                for slot in 0..self.faults.slots {
                    self.end_later(index, slot, 0);
                }
            }
            Command::Look => {
                self.replicas[index].lists = true;
                self.watch(index);
            }
            Command::Publish(slots) => {
                self.replicas[index].published = slots.into_iter().map(|(slot, _)| slot).collect();
            }
            Command::Finish { still_running } => {
                if still_running {
                    self.violate(format!("{index} is still running"));
                }
                self.crash(index);
                let delay = self.rng.u64(0..10 * SECOND);
                if self.faults.trouble > 0 {
                    self.schedule(self.now + delay, index, Event::Start);
                }
            }
        }
    }

    fn lose(&mut self, index: usize, at_once: bool) {
        self.replicas[index].losing = true;
        let abort = self.replicas[index].term.map(|term| term.abort).filter(|_| !at_once);
        let last = abort.map_or(self.now, |abort| self.when(index, abort));
        for slot in 0..self.faults.slots {
            let at =
                if self.rng.bool() { last } else { self.rng.u64(self.now..=last.max(self.now)) };
            self.end_later(index, slot, at.saturating_sub(self.now));
        }
        self.check_lost(index);
    }

    fn check_lost(&mut self, index: usize) {
        if self.replicas[index].work.iter().all(|work| *work == 0) {
            self.replicas[index].losing = false;
            self.step(index, Input::WorkEnded);
        }
    }

    fn begin_work(&mut self, index: usize, slot: usize) {
        let term = self.replicas[index].machine.term();
        if term.is_none_or(|term| self.clock(index) >= term.cancel) {
            self.violate(format!("{index} begins slot {slot} after its term"));
        }
        match self.workers[slot] {
            Ok(other) => self.violate(format!("{index} begins slot {slot} beside {other}")),
            Err(since) => {
                let gap = Duration::from_micros(self.now - since);
                self.report.longest_gap = self.report.longest_gap.max(gap);
                self.unowned += gap;
            }
        }
        self.workers[slot] = Ok(index);
        self.works += 1;
        self.replicas[index].work[slot] = self.works;
        self.report.begins += 1;
        self.report.last_change = Duration::from_micros(self.now);
    }

    fn end_later(&mut self, index: usize, slot: usize, delay: u64) {
        let work = self.replicas[index].work[slot];
        if work > 0 {
            self.schedule(self.now + delay, index, Event::Ends { slot, work });
        }
    }

    fn end_work(&mut self, index: usize, slot: usize) {
        self.replicas[index].work[slot] = 0;
        if self.workers[slot] == Ok(index) {
            self.workers[slot] = Err(self.now);
        }
        self.report.last_change = Duration::from_micros(self.now);
    }

    fn violate(&mut self, what: String) {
        self.report.violation.get_or_insert((what, Duration::from_micros(self.now)));
    }
}
