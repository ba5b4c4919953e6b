//! Jobs and schedules of jobs.

use serde_json::Value;

use super::rows::Rule::{Check, NotNegative, OneOf, Rows};
use super::rows::{Row, child, elements, invalid, text, unsupported};
use super::selectors;
use super::workloads::TEMPLATE;
use crate::api_server::failure::Cause;

pub(super) const JOB: &[Row] = &[("", Check(made_selector)), ("", Rows(SPEC))];

/// A job's specification, with its selector.
pub(super) const SPEC: &[Row] = &[("spec", Check(selected)), ("spec", Rows(JOB_SPEC))];

const JOB_SPEC: &[Row] = &[
    ("parallelism", NotNegative),
    ("completions", NotNegative),
    ("activeDeadlineSeconds", NotNegative),
    ("backoffLimit", NotNegative),
    ("ttlSecondsAfterFinished", NotNegative),
    ("backoffLimitPerIndex", NotNegative),
    ("maxFailedIndexes", NotNegative),
    ("completionMode", OneOf(&["NonIndexed", "Indexed"])),
    ("", Check(indexed)),
    ("podReplacementPolicy", OneOf(&["Failed", "TerminatingOrFailed"])),
    ("template", Rows(TEMPLATE)),
    ("", Check(restart)),
];

pub(super) const CRON_JOB: &[Row] = &[
    ("spec.schedule", Check(schedule)),
    ("spec.startingDeadlineSeconds", NotNegative),
    ("spec.concurrencyPolicy", Check(concurrency)),
    ("spec.jobTemplate.spec", Rows(JOB_SPEC)),
    ("spec.successfulJobsHistoryLimit", NotNegative),
    ("spec.failedJobsHistoryLimit", NotNegative),
    ("spec.timeZone", Check(time_zone)),
];

pub(super) const STATUS: &[Row] = &[("status", Check(ended))];

/// The conditions of a job that has ended, each with the condition that comes before it.
const ENDS: [(&str, &str); 2] = [("Failed", "FailureTarget"), ("Complete", "SuccessCriteriaMet")];

/// Checks the conditions and the times of a job that has ended.
fn ended(status: &Value, path: &str, causes: &mut Vec<Cause>) {
    let is = |kind: &str| {
        elements(&status["conditions"])
            .any(|condition| text(condition, "type") == kind && condition["status"] == "True")
    };
    if is("Complete") && status["completionTime"].is_null() {
        let problem = "completionTime is required for Complete jobs";
        causes.push(Cause::required(&child(path, "completionTime"), problem));
    }
    for (end, before) in ENDS {
        if is(end) && !is(before) {
            let problem =
                format!("cannot set {end}=True condition without the {before}=true condition");
            causes.push(Cause::invalid_shown(&child(path, "conditions"), None, &problem));
        }
    }
    if ENDS.iter().any(|(end, _)| is(end)) && status["startTime"].is_null() {
        let problem = "startTime is required for finished job";
        causes.push(Cause::required(&child(path, "startTime"), problem));
    }
}

/// The labels by which the pods of a job are found.
const MADE: [(&str, &str); 2] =
    [("batch.kubernetes.io/controller-uid", "uid"), ("controller-uid", "uid")];

/// Checks that the selector is the one that the server made.
fn made_selector(job: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let spec = &job["spec"];
    if spec["manualSelector"] == true || spec["selector"].is_null() {
        return;
    }
    let uid = &job["metadata"]["uid"];
    let labels = &spec["template"]["metadata"]["labels"];
    for (label, member) in MADE {
        let found = &labels[label];
        if found.is_null() {
            let path = format!("spec.template.metadata.labels[{label}]");
            causes.push(Cause::required(
                &path,
                &format!("must be '{}'", text(&job["metadata"], member)),
            ));
        } else if found != uid {
            let path = format!("spec.template.metadata.labels[{label}]");
            let problem = format!("must be '{}'", text(&job["metadata"], member));
            causes.push(Cause::invalid_raw(&path, &labels.to_string(), &problem));
        }
    }
    let key = "batch.kubernetes.io/controller-uid";
    let expected = serde_json::json!({ "matchLabels": { key: uid } });
    if spec["selector"] != expected {
        causes.push(invalid("spec.selector", &spec["selector"], "`selector` not auto-generated"));
    }
}

/// Checks the selector of a job.
fn selected(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let selector = &spec["selector"];
    let path_of_selector = child(path, "selector");
    if selector.is_null() {
        causes.push(Cause::required(&path_of_selector, ""));
    } else {
        selectors::selector(selector, &path_of_selector, causes);
    }
    selectors::matches(selector, spec, path, causes);
}

/// Checks the numbers of a job whose pods have indexes.
fn indexed(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if text(spec, "completionMode") == "Indexed" && spec["completions"].is_null() {
        let problem = "when completion mode is Indexed";
        causes.push(Cause::required(&child(path, "completions"), problem));
    }
    if spec["completions"].is_null() || text(spec, "completionMode") == "Indexed" {
        return;
    }
    for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
        if !spec[name].is_null() {
            let problem = "requires indexed completion mode";
            causes.push(invalid(&child(path, name), &spec[name], problem));
        }
    }
}

/// Checks that the pods of a job end.
fn restart(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = child(path, "template.spec.restartPolicy");
    let supported = ["OnFailure", "Never"];
    match text(&spec["template"]["spec"], "restartPolicy") {
        // A server names the default as if nothing had been given.
        "" | "Always" => {
            let problem = "valid values: \"OnFailure\", \"Never\"";
            causes.push(Cause::required(&path, problem));
        }
        other if !supported.contains(&other) => causes.push(unsupported(&path, other, &supported)),
        _ => {}
    }
}

fn concurrency(policy: &Value, path: &str, causes: &mut Vec<Cause>) {
    let supported = ["Allow", "Forbid", "Replace"];
    match policy.as_str().unwrap_or_default() {
        "" => causes.push(Cause::required(path, "")),
        policy if supported.contains(&policy) => {}
        policy => causes.push(unsupported(path, policy, &supported)),
    }
}

fn schedule(schedule: &Value, path: &str, causes: &mut Vec<Cause>) {
    let schedule = schedule.as_str().unwrap_or_default();
    if schedule.is_empty() {
        return causes.push(Cause::required(path, ""));
    }
    if schedule.contains("TZ") {
        let problem = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        return causes.push(Cause::invalid(path, schedule, problem));
    }
    if let Some(problem) = schedule_problem(schedule) {
        causes.push(Cause::invalid(path, schedule, &problem));
    }
}

/// The least and the greatest value of each field of a schedule.
const FIELDS: [(u32, u32); 5] = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
const DESCRIPTORS: [&str; 7] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Returns the problem of a schedule.
fn schedule_problem(schedule: &str) -> Option<String> {
    if schedule.starts_with('@') {
        let known = DESCRIPTORS.contains(&schedule) || schedule.starts_with("@every ");
        return (!known).then(|| format!("unrecognized descriptor: {schedule}"));
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let list = fields.join(" ");
        return Some(format!("expected exactly 5 fields, found {}: [{list}]", fields.len()));
    }
    fields
        .iter()
        .zip(FIELDS)
        .find_map(|(field, range)| field.split(',').find_map(|part| part_problem(part, range)))
}

const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
const DAYS: &str = "sun mon tue wed thu fri sat";

/// Returns the problem of one part of a field: `*`, `1`, `1-5`, `*/2`.
fn part_problem(part: &str, (least, most): (u32, u32)) -> Option<String> {
    let (range, step) =
        part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
    let names = match (least, most) {
        (1, 12) => MONTHS,
        (0, 6) => DAYS,
        _ => "",
    };
    let number = |text: &str| -> Result<u32, String> {
        let name = text.to_lowercase();
        if let Some(at) = names.split(' ').position(|known| !known.is_empty() && known == name) {
            return Ok(u32::try_from(at).unwrap_or(0) + least);
        }
        let failed = || {
            format!(
                "failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax"
            )
        };
        text.parse().map_err(|_| failed())
    };
    if !matches!(range, "*" | "?") {
        let ends = range.split_once('-').unwrap_or((range, range));
        let (from, until) = match (number(ends.0), number(ends.1)) {
            (Ok(from), Ok(until)) => (from, until),
            (Err(problem), _) | (_, Err(problem)) => return Some(problem),
        };
        if from < least {
            return Some(format!("beginning of range ({from}) below minimum ({least}): {part}"));
        }
        if until > most {
            return Some(format!("end of range ({until}) above maximum ({most}): {part}"));
        }
        if from > until {
            return Some(format!(
                "beginning of range ({from}) beyond end of range ({until}): {part}"
            ));
        }
    }
    match step.map(number) {
        Some(Ok(0)) => Some(format!("step of range should be a positive number: {part}")),
        Some(Err(problem)) => Some(problem),
        _ => None,
    }
}

/// Checks the name of a time zone. Names themselves are not looked up.
fn time_zone(zone: &Value, path: &str, causes: &mut Vec<Cause>) {
    let Some(zone) = zone.as_str() else { return };
    if zone.is_empty() {
        causes.push(Cause::invalid(path, zone, "timeZone must be nil or non-empty string"));
    } else if zone.eq_ignore_ascii_case("local") {
        causes.push(Cause::invalid(
            path,
            zone,
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
        ));
    }
}
