//! Writes of Leases that lose a race each time.
//!
//! A server answers 409 or 404 to a write that another one has overtaken. That is ordinary, and the
//! next write succeeds. A proxy or an admission webhook may answer so for ever.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::machine::Subject;
use crate::lease::LeaseVerb;

/// The number of lost races in a row about a Lease of the group that is reported.
const MOST: u32 = 8;

/// That number for the own member Lease, which no other replica writes.
const MOST_OWN: u32 = 2;

/// The time after which a lost race no longer counts.
const PERIOD: Duration = Duration::from_secs(600);

/// The lost races in a row, for each subject and verb.
#[derive(Debug, Default)]
pub(super) struct Races(HashMap<(Subject, LeaseVerb), (u32, Instant)>);

impl Races {
    /// Notes a write that succeeded.
    pub(super) fn won(&mut self, subject: &Subject, verb: LeaseVerb) {
        self.0.remove(&(subject.clone(), verb));
    }

    /// Notes a write that lost. Returns whether it is one of many in a row.
    pub(super) fn lost(&mut self, subject: &Subject, verb: LeaseVerb, now: Instant) -> bool {
        self.0.retain(|_, (_, last)| now.saturating_duration_since(*last) < PERIOD);
        let (count, last) = self.0.entry((subject.clone(), verb)).or_insert((0, now));
        (*count, *last) = (*count + 1, now);
        *count >= if *subject == Subject::Member { MOST_OWN } else { MOST }
    }
}
