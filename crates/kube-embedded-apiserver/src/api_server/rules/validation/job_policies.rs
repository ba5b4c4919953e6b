//! Policies of jobs: which failures count, and when a job has succeeded.

use std::collections::HashSet;

use serde_json::Value;

use super::rows::Rule::{AtMost, Check, Is, Rows};
use super::rows::{self, Row, child, elements, invalid, is_empty, text, unsupported};
use crate::api_server::failure::Cause;
use crate::api_server::rules::{formats, internal_form};

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

const FAILURE: &[Row] = &[("rules", AtMost(20)), ("rules[]", Rows(FAILURE_RULE))];

const FAILURE_RULE: &[Row] = &[
    ("action", Check(|action, path, causes| listed(&ACTIONS, action, path, causes))),
    ("onExitCodes", Rows(EXIT_CODES)),
    ("onPodConditions", AtMost(20)),
    ("onPodConditions[].type", Is(formats::label_key)),
    (
        "onPodConditions[].status",
        Check(|status, path, causes| listed(&STATUSES, status, path, causes)),
    ),
    ("", Check(one_requirement)),
];

const EXIT_CODES: &[Row] = &[
    ("operator", Check(|operator, path, causes| listed(&OPERATORS, operator, path, causes))),
    ("values", AtMost(255)),
    ("", Check(exit_codes)),
];

/// Checks a text that is there and one of these. The reason shows them as a list.
fn listed(supported: &[&str], value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value.as_str().unwrap_or_default() {
        "" => {
            let all: Vec<String> = supported.iter().map(|name| format!("{name:?}")).collect();
            causes.push(Cause::required(path, &format!("valid values: [{}]", all.join(" "))));
        }
        text if !supported.contains(&text) => causes.push(unsupported(path, text, supported)),
        _ => {}
    }
}

/// Checks the policy about failures of a job's pods.
pub(super) fn failure(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let policy = &spec["podFailurePolicy"];
    if policy.is_null() {
        return;
    }
    let path = child(path, "podFailurePolicy");
    rows::check(FAILURE, &path, policy, causes);
    let pod = &spec["template"]["spec"];
    let names: HashSet<&str> = ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| elements(&pod[list]).map(|container| text(container, "name")))
        .collect();
    for (n, rule) in elements(&policy["rules"]).enumerate() {
        let path = format!("{path}.rules[{n}]");
        if rule["action"] == "FailIndex" && spec["backoffLimitPerIndex"].is_null() {
            let problem = "requires the backoffLimitPerIndex to be set";
            causes.push(Cause::invalid(&child(&path, "action"), "FailIndex", problem));
        }
        let name = rule["onExitCodes"]["containerName"].as_str();
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            let problem = "must be one of the container or initContainer names in the pod template";
            causes.push(Cause::invalid(&child(&path, "onExitCodes.containerName"), name, problem));
        }
    }
}

fn one_requirement(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    let problem = match (rule["onExitCodes"].is_null(), is_empty(&rule["onPodConditions"])) {
        (false, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (true, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    causes.push(Cause::invalid_shown(path, None, problem));
}

/// Checks that there are exit codes, that they rise, and that success is none of them.
fn exit_codes(codes: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (path, values) = (child(path, "values"), &codes["values"]);
    if is_empty(values) {
        return causes.push(Cause::invalid_raw(&path, "[]", "at least one value is required"));
    }
    let numbers: Vec<i64> = elements(values).filter_map(Value::as_i64).collect();
    let mut known = HashSet::new();
    for (n, number) in numbers.iter().enumerate() {
        let path = format!("{path}[{n}]");
        if *number == 0 && text(codes, "operator") == "In" {
            causes.push(Cause::invalid_raw(&path, "0", "must not be 0 for the In operator"));
        }
        if !known.insert(number) {
            causes.push(Cause::duplicate(&path, &number.to_string()));
        }
    }
    if !numbers.is_sorted() {
        causes.push(invalid(&path, values, "must be ordered"));
    }
}

/// Checks the policy about the success of a job with indexes.
pub(super) fn success(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let policy = &spec["successPolicy"];
    if policy.is_null() {
        return;
    }
    let path = child(path, "successPolicy");
    if text(spec, "completionMode") != "Indexed" {
        let shown = internal_form::shown("Job.spec.successPolicy", policy);
        let problem = "requires indexed completion mode";
        return causes.push(Cause::invalid_raw(&path, &shown, problem));
    }
    let path = child(&path, "rules");
    if is_empty(&policy["rules"]) {
        let problem = "at least one rules must be specified when the successPolicy is specified";
        causes.push(Cause::required(&path, problem));
    }
    rows::at_most(20, &policy["rules"], &path, causes);
    let completions = spec["completions"].as_i64().unwrap_or(i64::MAX);
    for (n, rule) in elements(&policy["rules"]).enumerate() {
        success_rule(rule, completions, &format!("{path}[{n}]"), causes);
    }
}

fn success_rule(rule: &Value, completions: i64, path: &str, causes: &mut Vec<Cause>) {
    let (count, listed) = (rule["succeededCount"].as_i64(), rule["succeededIndexes"].as_str());
    if count.is_none() && listed.is_none() {
        let problem = "at least one of succeededCount or succeededIndexes must be specified";
        causes.push(Cause::required(path, problem));
    }
    let mut total = 0;
    if let Some(listed) = listed {
        let path = child(path, "succeededIndexes");
        if listed.len() > 64 * 1024 {
            causes.push(Cause::too_long(&path, 64 * 1024));
        }
        match indexes(listed, completions) {
            Ok(found) => total = found.iter().map(|(from, until)| until - from + 1).sum(),
            Err(problem) => {
                let problem = format!("error parsing succeededIndexes: {problem}");
                causes.push(Cause::invalid(&path, listed, &problem));
            }
        }
    }
    let Some(count) = count else { return };
    let path = child(path, "succeededCount");
    rows::not_negative(&rule["succeededCount"], &path, causes);
    for (most, of) in [
        (Some(completions), "specified completions"),
        (listed.map(|_| total), "indexes in the specified succeededIndexes field"),
    ] {
        if let Some(most) = most.filter(|most| count > *most) {
            let problem = format!("must be less than or equal to {most} (the number of {of})");
            causes.push(Cause::invalid_raw(&path, &count.to_string(), &problem));
        }
    }
}

/// Returns the ranges of a list of indexes (`0,3-5`), which rise and are below `completions`.
pub(super) fn indexes(list: &str, completions: i64) -> Result<Vec<(i64, i64)>, String> {
    let index = |text: &str| {
        let number: i64 = text
            .parse()
            .map_err(|_| format!("cannot convert string to integer for index: {text:?}"))?;
        if number < completions { Ok(number) } else { Err(format!("too large index: {text:?}")) }
    };
    let mut found: Vec<(i64, i64)> = Vec::new();
    for part in list.split(',').filter(|_| !list.is_empty()) {
        let ends: Vec<&str> = part.split('-').collect();
        let (from, until) = match ends[..] {
            [one] => (index(one)?, index(one)?),
            [from, until] => (index(from)?, index(until)?),
            _ => {
                return Err(format!(
                    "the fragment {part:?} violates the requirement that an index interval can \
                     have at most two parts separated by '-'"
                ));
            }
        };
        let before = found.last().map(|(_, until)| *until).filter(|before| *before >= from);
        let wrong = if ends.len() == 2 && from >= until {
            Some((from, until))
        } else {
            before.map(|before| (before, from))
        };
        if let Some((previous, current)) = wrong {
            return Err(format!("non-increasing order, previous: {previous}, current: {current}"));
        }
        found.push((from, until));
    }
    Ok(found)
}
