//! The worlds of the simulation: its replicas, the faults of a run, its events, and its result.

use std::sync::Arc;
use std::time::Duration;

use super::machine::{LeaseAnswer, Machine, Request, Rules, Subject};
use super::slots::ShardBy;
use crate::lease::{Term, Times};

/// A replica, its process and its connections.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) machine: Machine,
    /// The number of the process. Events of an earlier process are ignored.
    pub(super) process: u64,
    pub(super) running: bool,
    pub(super) rate: f64,
    pub(super) slow: bool,
    pub(super) identity: usize,
    pub(super) cut_until: u64,
    /// The time until which only the watch is cut.
    pub(super) deaf_until: u64,
    /// The time until which writes are executed and their results unknown, and whether the answers
    /// to reads are unreadable, too.
    pub(super) unsure: (u64, bool),
    pub(super) suspended_until: u64,
    /// The newest view that was delivered, and whether a delivery is on its way.
    pub(super) seen: usize,
    pub(super) watching: bool,
    /// True if the next delivery is a list, which shows the newest state.
    pub(super) lists: bool,
    /// The time of the next tick; zero for none.
    pub(super) tick: u64,
    /// The number of the work on each slot; zero for none.
    pub(super) work: Vec<u64>,
    /// The times of the last session.
    pub(super) term: Option<Term>,
    pub(super) losing: bool,
    pub(super) published: Vec<usize>,
}

/// One second of the simulation's clock.
pub(super) const SECOND: u64 = 1_000_000;

/// The faults that happen in the first part of a simulation.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    pub(super) seed: u64,
    pub(super) slots: usize,
    /// The duration of each stored member Lease, in seconds.
    pub(super) duration: u64,
    /// The rate of each replica's clock.
    pub(super) rates: Vec<f64>,
    /// The percentage of requests, and of answers, that get lost.
    pub(super) lost: u8,
    /// The longest time that a message takes, in milliseconds, for half of the replicas.
    pub(super) slowest: u64,
    /// The mean time between two troubles of a replica, in seconds; zero for none. A trouble is a
    /// partition, a crash, a stop with a restart, a suspension, or answers that tell nothing.
    pub(super) trouble: u64,
    /// The longest suspension, in milliseconds.
    pub(super) suspended: u64,
    /// The longest time that the work on a slot takes to end, in seconds.
    pub(super) drains: u64,
    /// The times of the two parts, in seconds.
    pub(super) faulty: u64,
    pub(super) calm: u64,
}

/// The result of a simulation.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// A broken promise, and its time.
    pub(super) violation: Option<(String, Duration)>,
    pub(super) begins: usize,
    pub(super) losses: u64,
    pub(super) fenced: u64,
    pub(super) conflicts: u64,
    pub(super) requests: u64,
    /// The time when work last began or ended.
    pub(super) last_change: Duration,
    /// The longest time for which a slot had no work.
    pub(super) longest_gap: Duration,
    /// The number of slots on which each replica works at the end.
    pub(super) shares: Vec<usize>,
    /// The number of ranges of each replica at the end.
    pub(super) ranges: Vec<usize>,
}

impl Report {
    /// Adds the counts of a process that has ended.
    pub(super) fn add(&mut self, machine: &Machine) {
        self.losses += machine.counts.losses;
        self.fenced += machine.counts.fenced;
        self.conflicts += machine.counts.conflicts;
    }
}

/// An event of the simulation.
#[derive(Debug)]
pub(super) enum Event {
    /// A request reaches the server.
    Arrives(Box<(Call, Request)>),
    /// An answer reaches a replica, or the time for it is over.
    Answered(Box<(Call, LeaseAnswer)>),
    /// The watch of a replica delivers.
    Watched,
    Tick {
        at: u64,
    },
    /// The work on a slot has ended.
    Ends {
        slot: usize,
        work: u64,
    },
    Trouble,
    Start,
}

/// A request of a replica, without its content.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) subject: Subject,
    pub(super) identity: Arc<str>,
}

/// Returns the configuration of a replica.
pub(super) fn rules(identity: usize, faults: &Faults) -> Rules {
    Rules {
        group: "g".into(),
        identity: format!("r{identity:05}").into(),
        by: ShardBy::Uid,
        slots: faults.slots,
        times: Times::default(),
        grace: Duration::from_secs(25),
        abandons_blocked: false,
    }
}

/// Returns seconds as microseconds, rounded up.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hours at most")]
pub(super) fn micros(seconds: f64) -> u64 {
    (seconds * 1e6).ceil() as u64
}
