//! Jobs and schedules of jobs.

use serde_json::Value;

use super::rows::Rule::{Check, Given, NotNegative, OneOf, Rows};
use super::rows::{self, Row, child, invalid, text, unsupported};
use super::workloads::TEMPLATE;
use super::{job_policies, names, selectors};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

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
    ("managedBy", Given(manager)),
    ("completionMode", OneOf(&["NonIndexed", "Indexed"])),
    ("", Check(indexed)),
    ("", Check(job_policies::failure)),
    ("", Check(job_policies::success)),
    ("", Check(replacement)),
    ("template", Rows(TEMPLATE)),
    ("", Check(restart)),
];

/// The rules of a new job.
pub(super) const NEW_JOB: &[Row] = &[("", Check(host_names))];

pub(super) const CRON_JOB: &[Row] = &[
    ("spec.schedule", Check(schedule)),
    ("spec.startingDeadlineSeconds", NotNegative),
    ("spec.concurrencyPolicy", Check(concurrency)),
    ("spec.jobTemplate.spec", Rows(JOB_SPEC)),
    ("spec.jobTemplate.spec", Check(made_later)),
    ("spec.successfulJobsHistoryLimit", NotNegative),
    ("spec.failedJobsHistoryLimit", NotNegative),
    ("spec.timeZone", Check(time_zone)),
];

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
        let before = causes.len();
        selectors::selector(selector, &path_of_selector, causes);
        if causes.len() > before {
            return;
        }
    }
    selectors::matches(selector, spec, path, causes);
}

/// Checks that the names of pods with indexes are names of hosts.
fn host_names(job: &Value, _path: &str, causes: &mut Vec<Cause>) {
    let (spec, name) = (&job["spec"], text(&job["metadata"], "name"));
    let Some(last @ 0..) = spec["completions"].as_i64().map(|count| count - 1) else { return };
    let longest = format!("{name}-{last}");
    if text(spec, "completionMode") == "Indexed" && !formats::label(&longest).is_empty() {
        let problem = format!("will not able to create pod with invalid DNS label: {longest}");
        causes.push(Cause::invalid("metadata.name", name, &problem));
    }
}

/// Checks the name of the controller of a job.
fn manager(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    names::prefixed_path(name, path, causes);
    if name.as_str().is_some_and(|name| name.len() > 63) {
        causes.push(Cause::too_long(path, 63));
    }
}

/// The most pods of a job with indexes that run at a time, and the most failed indexes.
const MOST: i64 = 100_000;
/// The same for a job that has more indexes than `MOST` and a limit of failures for each.
const MOST_OF_MANY: i64 = 10_000;

/// Checks the numbers of a job whose pods have indexes.
fn indexed(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let number = |name: &str| spec[name].as_i64();
    let mut find = |name: &str, problem: Option<&str>| {
        let path = child(path, name);
        causes.extend(problem.map(|problem| match number(name) {
            None => Cause::required(&path, problem),
            Some(_) => invalid(&path, &spec[name], problem),
        }));
    };
    let (limit, failed) = (number("backoffLimitPerIndex"), number("maxFailedIndexes"));
    if failed.is_some() && limit.is_none() {
        find("backoffLimitPerIndex", Some("when maxFailedIndexes is specified"));
    }
    let chosen = spec["completionMode"].as_str().unwrap_or("NonIndexed");
    if chosen != "Indexed" {
        let plain = chosen == "NonIndexed";
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            let problem = "requires indexed completion mode";
            find(name, number(name).filter(|_| plain).map(|_| problem));
        }
        return;
    }
    let more = |name: &str, most: i64| number(name).is_some_and(|number| number > most);
    let completions = number("completions");
    if completions.is_none() {
        find("completions", Some("when completion mode is Indexed"));
    }
    if more("parallelism", MOST) {
        let problem =
            format!("must be less than or equal to {MOST} when completion mode is Indexed");
        find("parallelism", Some(&problem));
    }
    if failed > completions && completions.is_some() {
        find("maxFailedIndexes", Some("must be less than or equal to completions"));
    }
    if more("maxFailedIndexes", MOST) {
        find("maxFailedIndexes", Some(&format!("must be less than or equal to {MOST}")));
    }
    if more("completions", MOST) && limit.is_some() {
        if failed.is_none() {
            let problem = format!("must be specified when completions is above {MOST}");
            find("maxFailedIndexes", Some(&problem));
        }
        for name in ["parallelism", "maxFailedIndexes"] {
            let problem = format!(
                "must be less than or equal to {MOST_OF_MANY} when completions are above {MOST} \
                 and used with backoff limit per index"
            );
            find(name, more(name, MOST_OF_MANY).then_some(&*problem));
        }
    }
}

/// Checks when failed pods are replaced.
fn replacement(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let both: &[&str] = &["Failed", "TerminatingOrFailed"];
    let supported = if spec["podFailurePolicy"].is_null() { both } else { &both[..1] };
    let path = child(path, "podReplacementPolicy");
    rows::one_of(supported, &spec["podReplacementPolicy"], &path, causes);
}

/// Checks that a template of jobs leaves the selector to the server.
fn made_later(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !spec["selector"].is_null() {
        let problem = "`selector` will be auto-generated";
        causes.push(invalid(&child(path, "selector"), &spec["selector"], problem));
    }
    if spec["manualSelector"] == true {
        let path = child(path, "manualSelector");
        causes.push(Cause::unsupported_raw(&path, "true", "\"nil\", \"false\""));
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
        other if other != "Never" && !spec["podFailurePolicy"].is_null() => {
            let problem = "only \"Never\" is supported when podFailurePolicy is specified";
            causes.push(Cause::invalid(&path, other, problem));
        }
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
    let known = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
    let bad = |part: &str| {
        matches!(part, "." | ".." | "")
            || part.starts_with('-')
            || part.len() > 14
            || !part.chars().all(known)
    };
    let mut find = |problem: &str| causes.push(Cause::invalid(path, zone, problem));
    if zone.is_empty() {
        return find("timeZone must be nil or non-empty string");
    }
    if zone.split('/').any(bad) {
        return find(&format!("unknown time zone {zone}"));
    }
    if zone.eq_ignore_ascii_case("local") {
        find(
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
        );
    }
}
