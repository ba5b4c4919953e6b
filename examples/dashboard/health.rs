//! `/healthz` and `/readyz`, worded as Kubernetes' own servers word theirs.
//!
//! Healthy: the process answers and no informer was stopped. Ready: every informer holds its first
//! population, and nothing is older than a limit: a watch that is refused serves stale data. What
//! fails is named with its reason, which here is no secret: errors never quote objects. `?verbose`
//! lists what passes, too, `?exclude=name` leaves a check out, and `/readyz/name` asks for one
//! alone.

use std::time::Duration;

use http::{Response, StatusCode};
use kube_informer::reflector::ReflectorState;
use kube_informer::{FactoryStatus, InformerStatus};

/// One thing that can be well or not.
pub(crate) struct Check {
    name: String,
    /// Why it is not.
    failure: Option<String>,
}

/// The checks of `/healthz`.
pub(crate) fn live(status: &FactoryStatus) -> Vec<Check> {
    let stopped = |informer: &InformerStatus| {
        let stopped = informer.reflector.state == ReflectorState::Stopped;
        stopped.then(|| "it was stopped".to_owned())
    };
    checks(status, "informer", stopped)
}

/// The greatest age of the data of a ready process. API servers send a bookmark each minute.
const FRESH: Duration = Duration::from_secs(300);

/// The checks of `/readyz`.
pub(crate) fn ready(status: &FactoryStatus) -> Vec<Check> {
    checks(status, "informer-sync", |informer| match informer.freshness {
        _ if !informer.synced => Some(unsynced(informer)),
        _ if informer.is_fresh(FRESH) => None,
        Some(age) => Some(format!("the data is {age:.0?} old: {}", unsynced(informer))),
        None => Some(unsynced(informer)),
    })
}

fn checks(
    status: &FactoryStatus,
    what: &str,
    failure: impl Fn(&InformerStatus) -> Option<String>,
) -> Vec<Check> {
    let ping = Check { name: "ping".into(), failure: None };
    let informers = status.informers.iter().map(|informer| {
        let collection = &informer.collection;
        let namespace = collection.namespace.iter().map(|namespace| format!("{namespace}/"));
        let name = format!("{what}/{}{}", namespace.collect::<String>(), collection.resource);
        Check { name, failure: failure(informer) }
    });
    [ping].into_iter().chain(informers).collect()
}

fn unsynced(informer: &InformerStatus) -> String {
    let reflector = &informer.reflector;
    let doing = match reflector.state {
        ReflectorState::Idle => "not started".into(),
        ReflectorState::Listing { loaded, total: Some(total) } => {
            format!("listed {loaded} of {total}")
        }
        ReflectorState::Listing { loaded, total: None } => format!("listed {loaded}"),
        ReflectorState::Watching => "being processed".into(),
        ReflectorState::Waiting(delay) => format!("asks again every {delay:.1?}"),
        ReflectorState::Stopped => "stopped".into(),
        _ => String::new(),
    };
    match &reflector.last_error {
        Some((error, ago)) => format!("{doing}; {ago:.1?} ago: {error}"),
        None => doing,
    }
}

/// The answer of `endpoint`, such as `readyz`, to the rest of the path and the query.
pub(crate) fn answer(
    endpoint: &str,
    checks: &[Check],
    rest: &str,
    query: &str,
) -> Response<String> {
    let parameters = || query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let verbose = parameters().any(|(name, _)| name == "verbose");
    let excluded = |check: &Check| {
        parameters().any(|(name, value)| name == "exclude" && *value == *check.name)
    };
    let alone = rest.strip_prefix('/').unwrap_or("");
    if !alone.is_empty() {
        return match checks.iter().find(|check| check.name == alone) {
            None => text(StatusCode::NOT_FOUND, "404 page not found\n".into()),
            Some(Check { failure: None, .. }) => text(StatusCode::OK, "ok".into()),
            Some(Check { failure: Some(why), .. }) => {
                text(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {why}\n"))
            }
        };
    }
    let mut lines = String::new();
    let mut failed = false;
    for check in checks {
        let name = &check.name;
        let (sign, outcome) = match &check.failure {
            _ if excluded(check) => ("+", "excluded: ok".to_owned()),
            None => ("+", "ok".to_owned()),
            Some(why) => ("-", format!("failed: {why}")),
        };
        failed |= sign == "-";
        lines.extend(["[", sign, "]", name, " ", &outcome, "\n"]);
    }
    match (failed, verbose) {
        (true, _) => {
            text(StatusCode::INTERNAL_SERVER_ERROR, format!("{lines}{endpoint} check failed\n"))
        }
        (false, true) => text(StatusCode::OK, format!("{lines}{endpoint} check passed\n")),
        (false, false) => text(StatusCode::OK, "ok".into()),
    }
}

fn text(status: StatusCode, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}
