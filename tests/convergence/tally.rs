//! The counts of a world's events.

use std::collections::BTreeMap;
use std::fmt;

use kube_informer::error::FaultClass;

use super::handler::{Handler, Kind};
use super::world::Watched;

/// The counts of events in a world, to prove that the faults took place.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(super) writes: u64,
    pub(super) affected: u64,
    pub(super) unstreamed: u64,
    pub(super) errors: BTreeMap<&'static str, u64>,
    relists: BTreeMap<&'static str, u64>,
    events: u64,
    merged: u64,
    cancelled: u64,
    panics: u64,
    pub(super) restarts: u64,
    pub(super) audits: u64,
}

impl Tally {
    pub(super) fn note(&mut self, handler: &Handler) {
        self.events += handler.told.lock().events;
        if let Kind::Called(registration) = &handler.kind {
            let status = registration.status();
            self.merged += status.merged;
            self.cancelled += status.cancelled;
            self.panics += status.panics;
        }
    }

    pub(super) fn count(&mut self, watched: &Watched) {
        for handler in &watched.handlers {
            self.note(handler);
        }
        let reflector = watched.informer.status().reflector;
        let value = serde_json::to_value(&reflector.relists).unwrap();
        for (cause, times) in value.as_object().unwrap() {
            let mut known = CAUSES.iter().chain(&RARE_CAUSES);
            let known = known.find(|known| *known == cause);
            let cause = known.unwrap_or_else(|| panic!("a relist because of {cause}"));
            *self.relists.entry(cause).or_default() += times.as_u64().unwrap();
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, part) in [
            (&mut self.writes, other.writes),
            (&mut self.affected, other.affected),
            (&mut self.unstreamed, other.unstreamed),
            (&mut self.events, other.events),
            (&mut self.merged, other.merged),
            (&mut self.cancelled, other.cancelled),
            (&mut self.panics, other.panics),
            (&mut self.restarts, other.restarts),
            (&mut self.audits, other.audits),
        ] {
            *sum += part;
        }
        for (sums, parts) in
            [(&mut self.errors, &other.errors), (&mut self.relists, &other.relists)]
        {
            for (name, times) in parts {
                *sums.entry(name).or_default() += times;
            }
        }
    }

    /// A simulation in which nothing goes wrong proves nothing.
    pub(crate) fn assert_saw_everything(&self) {
        for (what, times) in [
            ("writes", self.writes),
            ("affected requests", self.affected),
            ("streaming lists that could not be had", self.unstreamed),
            ("events", self.events),
            ("merged events", self.merged),
            ("cancelled adds", self.cancelled),
            ("panics", self.panics),
            ("restarts", self.restarts),
            ("audits", self.audits),
        ] {
            assert!(times > 0, "no {what}: {self:?}");
        }
        for cause in CAUSES {
            assert!(self.relists.get(cause).is_some_and(|n| *n > 0), "no {cause}: {self:?}");
        }
        for class in [
            FaultClass::Expired,
            FaultClass::Throttled,
            FaultClass::Refused,
            FaultClass::Unauthorized,
            FaultClass::Forbidden,
            FaultClass::NotFound,
            FaultClass::Internal,
            FaultClass::Invalid,
            FaultClass::Undecodable,
            FaultClass::Other,
        ] {
            let seen = self.errors.get(class.name()).is_some_and(|n| *n > 0);
            assert!(seen, "no {class:?}: {self:?}");
        }
    }
}

/// The causes of relists that a thousand worlds see.
const CAUSES: [&str; 5] =
    ["expired", "stale_list", "watch_not_opened", "watch_failed", "undecodable_item"];

/// The causes for which several faults must come together. `replayed` is none of them: a watch of
/// this server goes on from its version.
const RARE_CAUSES: [&str; 3] = ["short_watch", "no_progress", "unproven"];

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} writes, {} affected requests, {} streaming lists not to be had, {} events, {} merged, {} cancelled, {} panics, {} restarts, {} audits; \
             errors {:?}; relists {:?}",
            self.writes,
            self.affected,
            self.unstreamed,
            self.events,
            self.merged,
            self.cancelled,
            self.panics,
            self.restarts,
            self.audits,
            self.errors,
            self.relists,
        )
    }
}
