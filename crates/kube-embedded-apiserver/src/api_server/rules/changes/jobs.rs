//! Changes of jobs.

use serde_json::{Value, json};

use super::immutable;
use crate::api_server::failure::Cause;
use crate::api_server::rules::{internal_form, validation};

/// Checks a job, whose template can change only while it is suspended and has not started.
pub(super) fn job(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    // A server checks the specification of a changed job twice.
    causes.extend(validation::job_spec_problems(after));
    let (old, new) = (&before["spec"], &after["spec"]);
    completions(old, new, causes);
    if old["selector"] != new["selector"] {
        let shown = internal_form::shown("LabelSelector", &new["selector"]);
        causes.push(immutable("spec.selector", &shown));
    }
    template(before, after, causes);
    for name in
        ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]
    {
        if old[name] != new[name] {
            let shown = internal_form::shown(&format!("Job.spec.{name}"), &new[name]);
            causes.push(immutable(&format!("spec.{name}"), &shown));
        }
    }
}

/// Checks the status of a job, which goes forward.
pub(super) fn status(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (spec, old, new) = (&after["spec"], &before["status"], &after["status"]);
    let mut find = |name: &str, shown: Option<&str>, problem: &str| {
        causes.push(Cause::invalid_shown(&format!("status.{name}"), shown, problem));
    };
    let lost = |kind: &str| validation::job_is(old, kind) && !validation::job_is(new, kind);
    for kind in ["Failed", "Complete", "FailureTarget"] {
        if lost(kind) {
            let problem = format!("cannot disable the terminal {kind}=True condition");
            find("conditions", None, &problem);
        }
    }
    // A job with as many pods as indexes can become smaller.
    let elastic = spec["completionMode"] == "Indexed" && spec["completions"] == spec["parallelism"];
    let number = |status: &Value, name: &str| status[name].as_i64().unwrap_or(0);
    for (name, counts) in [("failed", true), ("succeeded", !elastic)] {
        let now = number(new, name);
        if counts && now < number(old, name) {
            let problem = format!("cannot decrease the {name} counter");
            find(name, Some(&now.to_string()), &problem);
        }
    }
    let changed = |name: &str| !old[name].is_null() && old[name] != new[name];
    if changed("completionTime") && !new["completionTime"].is_null() {
        let shown = new["completionTime"].to_string();
        find("completionTime", Some(&shown), "field is immutable");
    }
    let suspended = |status: &Value, value: &str| {
        let conditions = status["conditions"].as_array().into_iter().flatten();
        conditions.clone().any(|one| one["type"] == "Suspended" && one["status"] == value)
    };
    let resumed = suspended(old, "True") && suspended(new, "False");
    if changed("startTime") && spec["suspend"] != true && !resumed {
        let problem = "field is immutable for unsuspended job once set";
        find("startTime", Some(&new["startTime"].to_string()), problem);
    }
    if lost("SuccessCriteriaMet") {
        find("conditions", None, "cannot disable the SuccessCriteriaMet=True condition");
    }
    if validation::job_is(old, "Complete")
        && !validation::job_is(old, "SuccessCriteriaMet")
        && validation::job_is(new, "SuccessCriteriaMet")
    {
        let problem = "cannot set SuccessCriteriaMet=True for Job already has Complete=true \
                       conditions";
        find("conditions", None, problem);
    }
}

/// Checks the completions. Those of indexed pods can change together with the parallelism.
fn completions(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    if old["completions"] == new["completions"] {
        return;
    }
    let shown = new["completions"].to_string();
    let elastic = new["completionMode"] == "Indexed" && !new["completions"].is_null();
    if !elastic {
        causes.push(immutable("spec.completions", &shown));
    } else if new["completions"] != new["parallelism"] {
        let problem = "can only be modified in tandem with spec.parallelism";
        causes.push(Cause::invalid_raw("spec.completions", &shown, problem));
    }
}

/// The members of a pod's specification that change while a job is suspended.
const SCHEDULING: [&str; 4] = ["nodeSelector", "tolerations", "schedulingGates", "affinity"];

fn template(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (&before["spec"]["template"], &after["spec"]["template"]);
    if old == new {
        return;
    }
    // The metadata of the template can change then, too.
    if before["spec"]["suspend"] != true || !before["status"]["startTime"].is_null() {
        causes.push(immutable("spec.template", &internal_form::shown("PodTemplateSpec", new)));
        return;
    }
    let mut allowed = old["spec"].clone();
    for name in SCHEDULING {
        match &new["spec"][name] {
            Value::Null => drop(allowed.as_object_mut().map(|spec| spec.remove(name))),
            value => allowed[name] = value.clone(),
        }
    }
    resources(&mut allowed, &new["spec"]);
    if allowed != new["spec"] {
        let shown = internal_form::shown("PodSpec", &new["spec"]);
        causes.push(immutable("spec.template.spec", &shown));
    }
}

/// Takes over the resources of containers.
fn resources(allowed: &mut Value, new: &Value) {
    for list in ["containers", "initContainers"] {
        let containers = allowed.get_mut(list).and_then(Value::as_array_mut);
        for (n, container) in containers.into_iter().flatten().enumerate() {
            if container.is_object() {
                let given = &new[list][n]["resources"];
                container["resources"] = if given.is_null() { json!({}) } else { given.clone() };
            }
        }
    }
}
