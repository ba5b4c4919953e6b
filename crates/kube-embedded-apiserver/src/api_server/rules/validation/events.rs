//! Events, which have two versions of one type.

use serde_json::Value;

use super::rows::Rule::Check;
use super::rows::{self, Row, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const OF_CORE: &[Row] = &[(
    "",
    Check(|event, _, causes| {
        check(event, ["involvedObject", "message", "reportingComponent"], causes);
    }),
)];

pub(super) const OF_EVENTS: &[Row] =
    &[("", Check(|event, _, causes| check(event, ["regarding", "note", REPORTER], causes)))];

pub(super) const NEW: &[Row] = &[("", Check(new))];

const REPORTER: &str = "reportingController";

/// Checks an event. The names of three members differ between the versions.
fn check(event: &Value, [subject, note, reporter]: [&str; 3], causes: &mut Vec<Cause>) {
    let (subject, own) =
        (text(&event[subject], "namespace"), text(&event["metadata"], "namespace"));
    let old = event["eventTime"].is_null();
    // The event of a cluster-scoped object is in a namespace of the system.
    let good = match (subject, old) {
        ("", true) => matches!(own, "default" | ""),
        ("", false) => matches!(own, "default" | "kube-system"),
        (subject, old) => !old || subject == own,
    };
    if !good {
        let problem = "does not match event.namespace";
        causes.push(Cause::invalid("involvedObject.namespace", subject, problem));
    }
    if old {
        return;
    }
    let name = text(event, reporter);
    if name.is_empty() {
        causes.push(Cause::required(reporter, ""));
    }
    rows::is(formats::label_key, name, reporter, causes);
    for name in ["reportingInstance", "action", "reason"] {
        if is_empty(&event[name]) {
            causes.push(Cause::required(name, ""));
        }
        at_most(128, text(event, name), name, causes);
    }
    at_most(1024, text(event, note), "message", causes);
}

fn at_most(most: usize, text: &str, path: &str, causes: &mut Vec<Cause>) {
    if text.len() > most {
        let problem = format!("can have at most {most} characters");
        causes.push(Cause::invalid(path, "", &problem));
    }
}

/// Checks a new event of the newer version.
fn new(event: &Value, _: &str, causes: &mut Vec<Cause>) {
    let series = &event["series"];
    if !series.is_null() && series["count"].as_i64().unwrap_or(0) < 2 {
        causes.push(Cause::invalid("series.count", "", "should be at least 2"));
    }
    if !series.is_null() && series["lastObservedTime"].is_null() {
        causes.push(Cause::required("series.lastObservedTime", ""));
    }
    if event["eventTime"].is_null() {
        causes.push(Cause::required("eventTime", ""));
    }
    let kind = text(event, "type");
    if !matches!(kind, "Normal" | "Warning") {
        causes.push(Cause::invalid("type", "", &format!("has invalid value: {kind}")));
    }
    for (member, shown) in [
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
    ] {
        if !event[member].is_null() {
            causes.push(Cause::invalid(shown, "", "needs to be unset"));
        }
    }
    let source = &event["deprecatedSource"];
    if !text(source, "component").is_empty() || !text(source, "host").is_empty() {
        causes.push(Cause::invalid("source", "", "needs to be unset"));
    }
}
