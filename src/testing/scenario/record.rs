//! The history of a run: requests, events, and the times at which the world settled.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use tokio::time::Instant;

use super::schedule::{Position, Step};
use crate::object::ObjectKey;

/// A request or event of an undisturbed run.
pub(in crate::testing) struct Touch {
    /// The key of the reconcile that sent the request. `None` for an event, and outside of one.
    pub(in crate::testing) key: Option<ObjectKey>,
    /// A read has a name only, and no number.
    pub(in crate::testing) at: Position,
    /// The body, or the object of the event.
    pub(in crate::testing) content: Value,
    /// The times that the world had settled by then.
    pub(in crate::testing) settled: u64,
}

/// The history of a run.
pub(in crate::testing) struct Record {
    /// The number of requests and events of each name.
    pub(super) seen: HashMap<String, u64>,
    pub(super) requests: Vec<String>,
    /// The writes, each with the revision before it, but those of Leases and Events.
    pub(in crate::testing) writes: Vec<(Position, u64)>,
    /// The delivered events, but those of Leases and Events.
    pub(in crate::testing) events: Vec<Position>,
    /// All requests and events with their contents, in an undisturbed run of an exploration.
    pub(in crate::testing) touches: Vec<Touch>,
    /// The writes of Leases and Events.
    pub(in crate::testing) background: u64,
    /// The lists that may be answered at any version.
    pub(in crate::testing) lists_of_any_version: u64,
    /// The times that the world has settled.
    pub(in crate::testing) settled: u64,
    /// The number of writes and the revision when the world had settled for each time.
    pub(in crate::testing) settled_at: Vec<(usize, u64)>,
    /// The objects each time that it settled, in an exploration.
    pub(in crate::testing) states: Vec<Vec<Value>>,
    /// The times in a row that it settled, in an exploration, and no object had changed.
    pub(super) unchanged: u32,
    /// The disturbances that have happened, each with the numbers of writes and events by then.
    pub(in crate::testing) disturbed: Vec<(Step, (usize, usize))>,
    /// The number of requests when the world last settled.
    pub(super) settled_requests: usize,
    /// The revision of stale lists, and the disturbance that they belong to.
    pub(super) stale: Option<(u64, Step)>,
    /// The number of requests that were counted as in flight.
    pub(super) sent: u64,
    /// The requests without an answer, by their number.
    pub(super) in_flight: BTreeMap<u64, String>,
    pub(super) active: Instant,
    /// The write that the server has just accepted, while the rules are checked.
    pub(super) just_written: Option<String>,
    pub(super) broken: Option<String>,
    /// The starts after an end or a crash since the world last settled.
    pub(super) restarts: u32,
    /// True if the test has stopped the program, or crashed it.
    pub(super) stopped: bool,
    /// The reconciles of earlier lives.
    pub(super) reconciles: u64,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            seen: HashMap::new(),
            requests: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            touches: Vec::new(),
            background: 0,
            lists_of_any_version: 0,
            settled: 0,
            settled_at: Vec::new(),
            states: Vec::new(),
            unchanged: 0,
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

    pub(super) fn position(&mut self, name: String) -> Position {
        let nth = self.seen.entry(name.clone()).or_default();
        *nth += 1;
        Position { nth: *nth, name }
    }

    /// Notes that a disturbance has happened.
    pub(super) fn disturbs(&mut self, step: &Step) {
        if self.disturbed.iter().all(|(done, _)| done != step) {
            self.disturbed.push((step.clone(), (self.writes.len(), self.events.len())));
        }
    }

    pub(super) fn settles(&mut self, revision: u64) {
        self.settled += 1;
        self.settled_at.push((self.writes.len(), revision));
        self.settled_requests = self.requests.len();
        self.restarts = 0;
    }
}
