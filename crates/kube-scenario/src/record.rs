//! The history of a run: requests, events, and the times at which the world settled.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use tokio::time::Instant;

use crate::schedule::{Position, Step};
use kube_informer::ObjectKey;

/// A request or event of an undisturbed run.
pub(crate) struct Touch {
    /// The key of the reconcile that sent the request. `None` for an event, and outside of one.
    pub(crate) key: Option<ObjectKey>,
    /// A read has a name only, and no number.
    pub(crate) at: Position,
    /// The body, or the object of the event.
    pub(crate) content: Value,
    /// The times that the world had settled by then.
    pub(crate) settled: u64,
}

/// The numbers of positions that have come.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reached {
    pub(crate) writes: usize,
    pub(crate) events: usize,
    pub(crate) keeping: usize,
    pub(crate) settled: u64,
}

/// The history of a run.
pub(crate) struct Record {
    /// The number of requests and events of each name.
    pub(crate) seen: HashMap<String, u64>,
    pub(crate) requests: Vec<String>,
    /// The writes, each with the revision before it, but those of Leases and Events.
    pub(crate) writes: Vec<(Position, u64)>,
    /// The delivered events, but those of Leases and Events.
    pub(crate) events: Vec<Position>,
    /// The writes of kept caches, but those of Leases and Events.
    pub(crate) keeping: Vec<Position>,
    /// True if the program has kept caches.
    pub(crate) keeps: bool,
    /// True if a disturbance has ended the program until the next act of the test.
    pub(crate) away: bool,
    /// All requests and events with their contents, in an undisturbed run of an exploration.
    pub(crate) touches: Vec<Touch>,
    /// The writes of Leases and Events.
    pub(crate) background: u64,
    /// The lists that may be answered at any version.
    pub(crate) lists_of_any_version: u64,
    /// The times that the world has settled.
    pub(crate) settled: u64,
    /// The number of writes and the revision when the world had settled for each time.
    pub(crate) settled_at: Vec<(usize, u64)>,
    /// The objects each time that it settled, in an exploration.
    pub(crate) states: Vec<Vec<Value>>,
    /// The times in a row that it settled, in an exploration, and no object had changed.
    pub(crate) unchanged: u32,
    /// The failed keys that waited for their next try when it settled last, for a report.
    pub(crate) waits: String,
    /// The disturbances that have happened, each with the positions by then.
    pub(crate) disturbed: Vec<(Step, Reached)>,
    /// The number of requests when the world last settled.
    pub(crate) settled_requests: usize,
    /// The revision of stale lists, and the disturbance that they belong to.
    pub(crate) stale: Option<(u64, Step)>,
    /// The number of requests that were counted as in flight.
    pub(crate) sent: u64,
    /// The requests without an answer, by their number.
    pub(crate) in_flight: BTreeMap<u64, String>,
    pub(crate) active: Instant,
    /// The write that the server has just accepted, while the rules are checked.
    pub(crate) just_written: Option<String>,
    pub(crate) broken: Option<String>,
    /// The starts after an end or a crash since the world last settled.
    pub(crate) restarts: u32,
    /// True if the test has stopped the program, or crashed it.
    pub(crate) stopped: bool,
    /// The reconciles of earlier lives.
    pub(crate) reconciles: u64,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self {
            seen: HashMap::new(),
            requests: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            keeping: Vec::new(),
            keeps: false,
            away: false,
            touches: Vec::new(),
            background: 0,
            lists_of_any_version: 0,
            settled: 0,
            settled_at: Vec::new(),
            states: Vec::new(),
            unchanged: 0,
            waits: String::new(),
            disturbed: Vec::new(),
            settled_requests: 0,
            stale: None,
            sent: 0,
            in_flight: BTreeMap::new(),
            active: Instant::now(),
            just_written: None,
            broken: None,
            restarts: 0,
            stopped: false,
            reconciles: 0,
        }
    }

    pub(crate) fn position(&mut self, name: String) -> Position {
        let nth = self.seen.entry(name.clone()).or_default();
        *nth += 1;
        Position { nth: *nth, name }
    }

    /// Notes that a disturbance has happened.
    pub(crate) fn disturbs(&mut self, step: &Step) {
        if self.disturbed.iter().any(|(done, _)| done == step) {
            return;
        }
        let reached = Reached {
            writes: self.writes.len(),
            events: self.events.len(),
            keeping: self.keeping.len(),
            settled: self.settled,
        };
        self.disturbed.push((step.clone(), reached));
    }

    pub(crate) fn settles(&mut self, revision: u64) {
        self.settled += 1;
        self.settled_at.push((self.writes.len(), revision));
        self.settled_requests = self.requests.len();
        self.restarts = 0;
    }
}
