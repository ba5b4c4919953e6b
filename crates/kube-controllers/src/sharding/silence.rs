//! Members that are silent: the times at which their Leases changed last, and their fencing.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::holdings::PARALLEL;
use super::machine::{LeaseAnswer, RequestFailure, Rules, min};
use super::pause;
use super::view::{Member, View};
use crate::basics::after;
use kube_informer::object::ResourceVersion;

/// The largest number of times that the pause after a failed delete doubles.
const MOST_DOUBLINGS: u32 = 3;

/// The last changes of member Leases that this replica saw, in the order of the view.
#[derive(Debug, Default)]
pub(super) struct Silence {
    observed: Vec<Observed>,
    /// The part of a retry period by which this replica fences later than the first one, so that
    /// not all replicas send the same delete.
    delay: Duration,
}

#[derive(Clone, Debug)]
struct Observed {
    uid: Arc<str>,
    version: ResourceVersion,
    /// The time at which this replica saw the last change.
    seen: Instant,
    /// The time for which the Lease may stay unchanged.
    duration: Duration,
    /// True for a Lease of this replica: the present one, or one of an earlier session.
    own: bool,
    pending: Option<u64>,
    /// The time before which no delete is sent.
    not_before: Instant,
    /// The number of deletes in a row after which the view still shows the Lease.
    failures: u32,
    /// True once an answer said that the Lease is gone.
    gone: bool,
}

/// A member Lease to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silent {
    pub(super) name: Arc<str>,
    pub(super) uid: Arc<str>,
    /// `None` for an old Lease of this replica, which is deleted in any version.
    pub(super) version: Option<ResourceVersion>,
}

impl Silence {
    /// Notes the changes of the member Leases.
    pub(super) fn observe(&mut self, view: &View, rules: &Rules, now: Instant) {
        let known = |observed: &Vec<Observed>| {
            observed.len() == view.members.len()
                && observed.iter().zip(&*view.members).all(|(one, member)| one.uid == member.uid)
        };
        if !known(&self.observed) {
            let before = std::mem::take(&mut self.observed);
            let observe = |member: &Member| {
                let old = before.iter().find(|old| old.uid == member.uid);
                old.cloned().unwrap_or_else(|| Observed::new(member, rules, now))
            };
            self.observed = view.members.iter().map(observe).collect();
        }
        for (observed, member) in self.observed.iter_mut().zip(&*view.members) {
            if observed.version != member.version {
                observed.version = member.version.clone();
                (observed.seen, observed.duration) = (now, member.duration);
                observed.not_before = now;
            }
        }
        let rank = self.observed.iter().position(|observed| observed.own).unwrap_or(0);
        let part = u32::try_from(rank).unwrap_or(0);
        let parts = u32::try_from(self.observed.len()).unwrap_or(1).max(1);
        self.delay = rules.times.retry_period * part / parts;
    }

    /// Starts all observations again.
    pub(super) fn restart(&mut self, now: Instant) {
        for observed in &mut self.observed {
            observed.seen = now;
        }
    }

    /// Forgets the requests that have no answer yet.
    pub(super) fn forget_requests(&mut self) {
        for observed in &mut self.observed {
            observed.pending = None;
        }
    }

    /// Returns the Leases whose time is over, and that have no pending request.
    pub(super) fn due(
        &mut self,
        session: &str,
        view: &View,
        rules: &Rules,
        now: Instant,
    ) -> Vec<Silent> {
        // A view that shows no renewals of this replica is not the newest: its watch is broken.
        let own = self.observed.iter().find(|observed| *observed.uid == *session);
        let fresh = own.is_some_and(|own| now < own.seen + rules.times.renew_deadline);
        let free = self.free_requests();
        let mut due = Vec::new();
        for (observed, member) in self.observed.iter_mut().zip(&*view.members) {
            let Some(at) = observed.due_at(self.delay) else { continue };
            if *observed.uid == *session || now < at {
                continue;
            }
            if !fresh && !observed.own {
                observed.not_before = now + rules.times.retry_period;
                continue;
            }
            if due.len() == free {
                break;
            }
            let version = (!observed.own).then(|| observed.version.clone());
            due.push(Silent { name: member.name.clone(), uid: member.uid.clone(), version });
        }
        due
    }

    /// Returns those Leases of these names that are to be deleted now, in any version.
    pub(super) fn left(&self, names: &[Arc<str>], view: &View, now: Instant) -> Vec<Silent> {
        let left = self.left_due(names, view).filter(|(_, at)| now >= *at);
        let silent = |member: &Member| Silent {
            name: member.name.clone(),
            uid: member.uid.clone(),
            version: None,
        };
        left.map(|(member, _)| silent(member)).collect()
    }

    /// Returns the time at which the first of them is to be deleted.
    pub(super) fn left_at(&self, names: &[Arc<str>], view: &View) -> Option<Instant> {
        self.left_due(names, view).map(|(_, at)| at).min()
    }

    fn left_due<'a>(
        &'a self,
        names: &'a [Arc<str>],
        view: &'a View,
    ) -> impl Iterator<Item = (&'a Member, Instant)> {
        let members = self.observed.iter().zip(&*view.members);
        let left = members.filter(|(_, member)| names.contains(&member.name));
        left.filter_map(|(observed, member)| Some((member, observed.due_at(Duration::ZERO)?)))
    }

    /// Returns the number of deletes that may be sent now.
    fn free_requests(&self) -> usize {
        PARALLEL.saturating_sub(self.observed.iter().filter(|one| one.pending.is_some()).count())
    }

    pub(super) fn sent(&mut self, uid: &str, id: u64) {
        if let Some(observed) = self.observed.iter_mut().find(|observed| *observed.uid == *uid) {
            observed.pending = Some(id);
        }
    }

    /// Takes an answer. Returns whether another member was fenced.
    pub(super) fn answered(
        &mut self,
        uid: &str,
        id: u64,
        answer: &LeaseAnswer,
        rules: &Rules,
        now: Instant,
    ) -> bool {
        let Some(observed) = self.observed.iter_mut().find(|observed| *observed.uid == *uid) else {
            return false;
        };
        if observed.pending.take_if(|pending| *pending == id).is_none() {
            return false;
        }
        // A proxy may have answered, so only the view shows that the Lease is gone.
        let first = *answer == LeaseAnswer::Absent && !std::mem::replace(&mut observed.gone, true);
        match answer {
            // The member has renewed its Lease: the observation starts again.
            LeaseAnswer::Failed(RequestFailure::Conflict) if !observed.own => {
                (observed.seen, observed.not_before) = (now, now);
            }
            LeaseAnswer::Failed(RequestFailure::Throttled(pause)) => {
                observed.not_before = now + pause::pause_for(*pause, rules.times.retry_period);
            }
            _ => {
                // The others fence an old Lease of this replica, too.
                let doublings =
                    if observed.own { observed.failures.min(MOST_DOUBLINGS) } else { 0 };
                observed.failures = observed.failures.saturating_add(1);
                observed.not_before = now + rules.times.retry_period * (1 << doublings);
            }
        }
        first && !observed.own
    }

    /// Returns the time of the next delete.
    pub(super) fn wake_at(&self, session: &str) -> Option<Instant> {
        let sends = self.free_requests() > 0;
        let others = self.observed.iter().filter(|other| sends && *other.uid != *session);
        others.map(|observed| observed.due_at(self.delay)).fold(None, min)
    }

    /// Returns whether the view has old Leases of this replica.
    pub(super) fn has_old_own(&self, session: &str) -> bool {
        self.observed.iter().any(|observed| observed.own && *observed.uid != *session)
    }
}

impl Observed {
    fn new(member: &Member, rules: &Rules, now: Instant) -> Self {
        Self {
            uid: member.uid.clone(),
            version: member.version.clone(),
            seen: now,
            duration: member.duration,
            own: member.identity == rules.identity,
            pending: None,
            not_before: now,
            failures: 0,
            gone: false,
        }
    }

    /// Returns the time at which the Lease is to be deleted if it does not change.
    fn due_at(&self, delay: Duration) -> Option<Instant> {
        if self.pending.is_some() {
            return None;
        }
        if self.own {
            return Some(self.not_before);
        }
        Some(self.not_before.max(after(self.seen, self.duration.saturating_add(delay))))
    }
}
