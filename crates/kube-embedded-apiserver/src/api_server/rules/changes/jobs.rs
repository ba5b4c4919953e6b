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
        causes.push(immutable("spec.selector", &new["selector"].to_string()));
    }
    template(before, after, causes);
    for name in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"] {
        if old[name] != new[name] {
            causes.push(immutable(&format!("spec.{name}"), &new[name].to_string()));
        }
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
