//! The checks of `/livez` and `/readyz`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use super::checks::Check;
use crate::controller::Phase;
use crate::leader_election::LeadershipState;
use crate::manager::status::{ManagerPhase, ManagerState, ManagerStatus};
use kube_informer::informer::InformerStatus;
use kube_informer::reflector::ReflectorState;
use kube_informer::seams::Together;

/// The time after the end of a lease within which its work must have ended, or the leader is stuck.
const TERM_MARGIN: Duration = Duration::from_secs(5);

/// The result of one check.
pub(super) struct CheckResult {
    pub(super) name: String,
    /// The reason why it failed.
    pub(super) failure: Option<String>,
    /// The thing that it waits for, which is no failure.
    pub(super) waits: Option<String>,
}

impl CheckResult {
    pub(super) fn new(name: impl Into<String>, failure: Option<String>) -> Self {
        Self { name: name.into(), failure, waits: None }
    }
}

/// One of the two probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    Live,
    Ready,
}

/// The sources of all checks.
pub(super) struct Health {
    state: Arc<ManagerState>,
    fresh_within: Option<Duration>,
    check_timeout: Duration,
    live: Vec<Check>,
    ready: Vec<Check>,
}

impl Health {
    pub(super) fn new(
        state: Arc<ManagerState>,
        fresh_within: Option<Duration>,
        check_timeout: Duration,
        live: Vec<Check>,
        ready: Vec<Check>,
    ) -> Self {
        Self { state, fresh_within, check_timeout, live, ready }
    }

    /// Runs the checks of a probe, without those that `wanted` leaves out.
    pub(super) async fn check(
        &self,
        probe: Probe,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<CheckResult> {
        let status = self.state.read();
        let (mut results, added) = match probe {
            Probe::Live => (self.live(&status), &self.live),
            Probe::Ready => (self.ready(&status), &self.ready),
        };
        let added = added.iter().map(|check| {
            let name = format!("check/{}", check.name());
            let wanted = wanted(&name);
            let run = async move {
                let failure = if wanted { check.run(self.check_timeout).await } else { None };
                CheckResult::new(name, failure)
            };
            run.boxed()
        });
        results.extend(Together::all(added).await);
        results
    }

    fn live(&self, status: &ManagerStatus) -> Vec<CheckResult> {
        // Before the start nothing runs yet, and during a stop things end.
        let works = matches!(status.phase, ManagerPhase::Syncing | ManagerPhase::Running);
        let mut results = vec![CheckResult::new("ping", None)];
        if status.leadership.is_some() {
            let overdue = self.state.term_overdue().filter(|overdue| *overdue > TERM_MARGIN);
            let expired = overdue
                .map(|overdue| format!("the lease ended {overdue:.0?} ago, but its work has not"));
            let blocked = status.leadership.as_ref().is_some_and(|leadership| leadership.overdue);
            let failure = expired.or_else(|| blocked.then(|| blocked_work(status)));
            results.push(CheckResult::new("leader-election", failure));
        }
        results.extend(shardings(status));
        results.extend(status.controllers.iter().map(|controller| {
            let ended = works && controller.phase == Phase::Stopped;
            let leaves = ended && self.state.additions.is_leaving(&controller.name);
            let failure = (ended && !leaves).then(|| "it has ended".to_owned());
            let waits = leaves.then(|| "it was removed, and its code blocks a thread".to_owned());
            let name = format!("controller/{}", controller.name);
            CheckResult { waits, ..CheckResult::new(name, failure) }
        }));
        let any = |_: &InformerStatus| false;
        results.extend(named("informer", &status.factory.informers, &any, &|informer| {
            let failure = informer.failure.as_ref().map(ToString::to_string);
            failure
                .or_else(|| informer.stopped.then(|| "it was stopped".to_owned()))
                .filter(|_| works)
        }));
        results
    }

    fn ready(&self, status: &ManagerStatus) -> Vec<CheckResult> {
        let running = status.phase == ManagerPhase::Running;
        let webhooks = self.state.check_webhooks();
        let started = match status.phase {
            ManagerPhase::Running => None,
            // The checks of the informers tell. Those that wait for a conversion do not count.
            ManagerPhase::Syncing if webhooks.is_some() => None,
            ManagerPhase::Idle | ManagerPhase::Syncing => Some("informers are syncing".to_owned()),
            ManagerPhase::Stopping | ManagerPhase::Stopped => Some("it is stopping".to_owned()),
        };
        let mut results =
            vec![CheckResult::new("ping", None), CheckResult::new("manager", started)];
        results.extend(webhooks.map(|reachable| CheckResult::new("webhooks", reachable.err())));
        results.extend(status.leadership.as_ref().map(same_identity));
        let mut missing: HashSet<&str> = HashSet::new();
        for controller in &status.controllers {
            missing.extend(controller.missing.iter().map(|collection| &**collection));
        }
        let informers = &status.factory.informers;
        // Informers of several clusters may have equal collections. An unsynced one explains why
        // the collection is missing.
        let unsynced = informers.iter().filter(|informer| !informer.synced);
        let unsynced: HashSet<_> = unsynced.map(|informer| &informer.collection).collect();
        let is_missing = |informer: &InformerStatus| {
            let waits = !informer.synced && self.state.converts(&informer.collection.resource);
            waits || running && missing.contains(&*informer.collection.to_string())
        };
        results.extend(named("informer-sync", informers, &is_missing, &|informer| {
            if !informer.is_awaited() {
                return None;
            }
            let missing = is_missing(informer);
            if !informer.synced {
                return (!missing).then(|| progress(informer));
            }
            if missing && !unsynced.contains(&informer.collection) {
                let progress = progress(informer);
                return Some(format!(
                    "lacks objects of this replica's slots, or a view since its takeover: {progress}"
                ));
            }
            let limit = self.fresh_within.filter(|limit| !informer.is_fresh(*limit))?;
            let age = informer.freshness.unwrap_or_default();
            let progress = progress(informer);
            Some(format!("its data is {age:.0?} old, the limit is {limit:.0?}: {progress}"))
        }));
        results.extend(super::clusters::checks(status));
        results
    }
}

/// Returns a check for each group that shares objects. It fails while work blocks a thread.
fn shardings(status: &ManagerStatus) -> Vec<CheckResult> {
    let shardings = status.controllers.iter().filter_map(|controller| controller.sharding.as_ref());
    let groups = shardings.map(|sharding| (&*sharding.group, sharding.overdue));
    let groups: kube_informer::seams::VecMap<_, _> = groups.collect();
    let checks = groups.iter().map(|(group, overdue)| {
        let failure = overdue.then(|| blocked_work(status));
        CheckResult::new(format!("sharding/{group}"), failure)
    });
    checks.collect()
}

/// Returns the check of an election. It fails for a replica that led until another process of its
/// identity took the lease. One that never led beside the other only waits.
fn same_identity(leadership: &LeadershipState) -> CheckResult {
    let identity = leadership.leader.as_deref().unwrap_or_default();
    let namesake = leadership.same_identity.then(|| {
        format!(
            "another process renews the lease under the identity {identity} of this replica, which \
             therefore does not lead: give each its own identity"
        )
    });
    let (failure, waits) = if leadership.gave_way { (namesake, None) } else { (None, namesake) };
    CheckResult { waits, ..CheckResult::new("leader-election", failure) }
}

/// Names the work that blocks a stop.
fn blocked_work(status: &ManagerStatus) -> String {
    let held = status.controllers.iter().filter(|controller| !controller.reconciling.is_empty());
    let held = held
        .map(|controller| format!("{} on {}", controller.name, controller.reconciling.join(", ")));
    let held: Vec<_> = held.collect();
    format!("work exceeded the grace and blocks a thread: {}", held.join("; "))
}

/// Checks each informer. Several with the same name get numbers. Controllers work without those
/// that are missing.
fn named(
    what: &str,
    informers: &[InformerStatus],
    is_missing: &dyn Fn(&InformerStatus) -> bool,
    failure: &dyn Fn(&InformerStatus) -> Option<String>,
) -> Vec<CheckResult> {
    let mut seen = HashSet::new();
    let checks = informers.iter().map(|informer| {
        let collection = &informer.collection;
        let namespace = collection.namespace.iter().map(|namespace| format!("{namespace}/"));
        let name = format!("{what}/{}{}", namespace.collect::<String>(), collection.resource);
        let mut unique = name.clone();
        for number in 2.. {
            if seen.insert(unique.clone()) {
                break;
            }
            unique = format!("{name}-{number}");
        }
        let waits = if informer.reflector.not_served.is_some() {
            Some(progress(informer))
        } else {
            let InformerStatus { of_set, name, .. } = informer;
            let known = informer.synced || !(*of_set || is_missing(informer));
            let named = *of_set && !name.is_empty();
            let selects = if named { &format!("{name}: ") } else { "" };
            (!known).then(|| format!("{selects}{}", progress(informer)))
        };
        CheckResult { waits, ..CheckResult::new(unique, failure(informer)) }
    });
    checks.collect()
}

/// Describes the work of an informer that is not synced or not fresh.
pub(super) fn progress(informer: &InformerStatus) -> String {
    let reflector = &informer.reflector;
    let doing = match reflector.state {
        ReflectorState::Idle => "not started".to_owned(),
        ReflectorState::AwaitingPermit => "waits to list".to_owned(),
        ReflectorState::AwaitingShard => "has no shard to follow".to_owned(),
        ReflectorState::AwaitingKind => match &reflector.not_served {
            Some(reason) => return format!("waits until its kind is served: {reason}"),
            None => "waits to learn whether its kind is served".to_owned(),
        },
        ReflectorState::Listing { pages, loaded, total } => {
            let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
            let pages = if pages == 0 { "" } else { &format!(" in {pages} pages") };
            format!("listed {loaded}{total}{pages}")
        }
        ReflectorState::Watching => "watches".to_owned(),
        ReflectorState::Waiting(delay) => match delay.saturating_sub(reflector.state_age) {
            Duration::ZERO => "tries again now".to_owned(),
            left => format!("tries again in {left:.1?}"),
        },
        ReflectorState::Stopped => "stopped".to_owned(),
        other => format!("{other:?}"),
    };
    match &reflector.last_error {
        Some((error, ago)) => format!("{doing}; {ago:.1?} ago: {error}"),
        None => doing,
    }
}
