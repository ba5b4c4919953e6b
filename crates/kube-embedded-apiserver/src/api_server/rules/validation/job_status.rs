//! Statuses of jobs.

use std::collections::HashSet;

use serde_json::Value;

use super::job_policies::indexes;
use super::rows::Rule::{Check, NotNegative};
use super::rows::{Row, child, elements, invalid, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::internal_form;

pub(super) const STATUS: &[Row] = &[
    ("status.active", NotNegative),
    ("status.succeeded", NotNegative),
    ("status.failed", NotNegative),
    ("status.ready", NotNegative),
    ("status.terminating", NotNegative),
    ("status.uncountedTerminatedPods", Check(uncounted)),
    ("", Check(times)),
    ("status", Check(conditions)),
    ("", Check(ended)),
    ("", Check(counted_indexes)),
    ("status", Check(ready)),
];

/// Returns whether a condition is true.
pub(crate) fn is(status: &Value, kind: &str) -> bool {
    elements(&status["conditions"])
        .any(|condition| text(condition, "type") == kind && condition["status"] == "True")
}

fn has_ended(status: &Value) -> bool {
    is(status, "Complete") || is(status, "Failed")
}

fn number(status: &Value, name: &str) -> i64 {
    status[name].as_i64().unwrap_or(0)
}

/// Checks that no pod is listed twice.
fn uncounted(pods: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut known = HashSet::new();
    for list in ["succeeded", "failed"] {
        for (n, uid) in elements(&pods[list]).enumerate() {
            let path = format!("{path}.{list}[{n}]");
            let uid = uid.as_str().unwrap_or_default();
            if uid.is_empty() {
                causes.push(Cause::invalid(&path, uid, "must not be empty"));
            } else if !known.insert(uid) {
                causes.push(Cause::duplicate(&path, &format!("{uid:?}")));
            }
        }
    }
}

fn times(job: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let (status, path) = (&job["status"], "status.completionTime");
    let (start, end) = (status["startTime"].as_str(), status["completionTime"].as_str());
    match (end, is(status, "Complete")) {
        (Some(end), false) => {
            let problem = "cannot set completionTime when there is no Complete=True condition";
            causes.push(Cause::invalid(path, end, problem));
        }
        (None, true) => {
            causes.push(Cause::required(path, "completionTime is required for Complete jobs"));
        }
        _ => {}
    }
    // Times in normal form have the order of their texts.
    if let (Some(start), Some(end)) = (start, end)
        && end < start
    {
        causes.push(Cause::invalid(path, end, "must be equal to or after `startTime`"));
    }
}

/// The conditions that exclude each other, or need each other, with a server's words.
fn conditions(status: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "conditions");
    let is = |kind: &str| is(status, kind);
    for (bad, problem) in [
        (is("Complete") && is("Failed"), "cannot set Complete=True and Failed=true conditions"),
        (
            is("Complete") && is("FailureTarget"),
            "cannot set Complete=True and FailureTarget=true conditions",
        ),
        (
            is("Failed") && !is("FailureTarget"),
            "cannot set Failed=True condition without the FailureTarget=true condition",
        ),
        (
            is("Complete") && !is("SuccessCriteriaMet"),
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        ),
        (
            is("SuccessCriteriaMet") && is("Failed"),
            "cannot set SuccessCriteriaMet=True and Failed=true conditions",
        ),
        (
            is("SuccessCriteriaMet") && is("FailureTarget"),
            "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
        ),
    ] {
        if bad {
            causes.push(Cause::invalid_shown(&path, None, problem));
        }
    }
}

/// Checks that nothing runs any more in a job that has ended.
fn ended(job: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let (spec, status) = (&job["spec"], &job["status"]);
    if !spec["successPolicy"].is_null()
        && is(status, "Complete")
        && !is(status, "SuccessCriteriaMet")
    {
        let problem = "cannot set Complete=True for Job with SuccessPolicy unless \
                       SuccessCriteriaMet=True";
        causes.push(Cause::invalid_shown("status.conditions", None, problem));
    }
    if !has_ended(status) {
        return;
    }
    for name in ["active", "terminating"] {
        if number(status, name) > 0 {
            let problem = format!("{name}>0 is invalid for finished job");
            causes.push(invalid(&child("status", name), &status[name], &problem));
        }
    }
    let nothing_to_do = spec["suspend"] == true && spec["completions"] == 0;
    if status["startTime"].is_null() && !nothing_to_do {
        causes.push(Cause::required("status.startTime", "startTime is required for finished job"));
    }
    let pods = &status["uncountedTerminatedPods"];
    if !is_empty(&pods["succeeded"]) || !is_empty(&pods["failed"]) {
        let shown = internal_form::shown("Job.status.uncountedTerminatedPods", pods);
        let path = "status.uncountedTerminatedPods";
        causes.push(Cause::invalid_raw(path, &shown, "must be empty for finished job"));
    }
}

/// Checks the lists of indexes, which are apart.
fn counted_indexes(job: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let (spec, status) = (&job["spec"], &job["status"]);
    let completed = text(status, "completedIndexes");
    let failed = status["failedIndexes"].as_str();
    let limited = !spec["backoffLimitPerIndex"].is_null();
    let mut find = |name: &str, shown: &str, problem: &str| {
        causes.push(Cause::invalid(&child("status", name), shown, problem));
    };
    if let Some(completions) = spec["completions"].as_i64() {
        let mut read = |name: &str, list: &str| match indexes(list, completions) {
            Ok(ranges) => ranges,
            Err(problem) => {
                find(name, list, &format!("error parsing {name}: {problem}"));
                Vec::new()
            }
        };
        let completed = read("completedIndexes", completed);
        let listed = failed.filter(|_| limited).unwrap_or_default();
        let failures = read("failedIndexes", listed);
        let both = failures.iter().find_map(|(from, until)| {
            let common = completed.iter().find(|(start, end)| start <= until && from <= end);
            common.map(|(start, _)| start.max(from))
        });
        if let Some(index) = both {
            let problem = format!("failedIndexes and completedIndexes overlap at index: {index}");
            find("failedIndexes", listed, &problem);
        }
    }
    if !completed.is_empty() && text(spec, "completionMode") != "Indexed" {
        let problem = "cannot set non-empty completedIndexes when non-indexed completion mode";
        find("completedIndexes", completed, problem);
    }
    if let Some(failed) = failed.filter(|_| !limited) {
        let problem = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
        find("failedIndexes", failed, problem);
    }
}

fn ready(status: &Value, path: &str, causes: &mut Vec<Cause>) {
    if status["ready"].as_i64().is_some_and(|ready| ready > number(status, "active")) {
        let problem = "cannot set more ready pods than active";
        causes.push(invalid(&child(path, "ready"), &status["ready"], problem));
    }
}
