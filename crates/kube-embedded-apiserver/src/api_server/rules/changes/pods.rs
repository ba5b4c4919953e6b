//! Changes of pods: few members of a pod can change.

use serde_json::Value;

use crate::api_server::failure::Cause;
use crate::api_server::rules::internal_form::{self, difference};
use crate::api_server::rules::preparation::quality_of_service;
use crate::api_server::rules::validation;

const PROBLEM: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Checks a changed pod.
pub(super) fn pod(before: &Value, after: &Value, causes: &mut Vec<Cause>) {
    let (old, new) = (&before["spec"], &after["spec"]);
    if !same_containers(old, new, causes) {
        return;
    }
    images(new, causes);
    if !deadline(old, new, causes) {
        return;
    }
    tolerations(old, new, causes);
    gates(old, new, causes);
    // Members that can change are made equal. Others cannot change.
    let mut munged = new.clone();
    for list in ["containers", "initContainers"] {
        for n in 0..old[list].as_array().map_or(0, Vec::len) {
            if munged[list][n].is_object() {
                munged[list][n]["image"] = old[list][n]["image"].clone();
            }
        }
    }
    for name in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
        restore(&mut munged, old, name);
    }
    let grace = "terminationGracePeriodSeconds";
    if old[grace].as_i64().is_some_and(|seconds| seconds < 0) && new[grace] == 1 {
        restore(&mut munged, old, grace);
    }
    if is_gated(old) {
        selector(old, new, &mut munged, causes);
        affinity(old, &mut munged, causes);
    }
    if munged != *old {
        let shown = difference("PodSpec", old, &munged);
        causes.push(Cause::forbidden("spec", &format!("{PROBLEM}\n{shown}")));
    }
}

fn restore(spec: &mut Value, old: &Value, name: &str) {
    match &old[name] {
        Value::Null => drop(spec.as_object_mut().map(|spec| spec.remove(name))),
        value => spec[name] = value.clone(),
    }
}

fn is_gated(spec: &Value) -> bool {
    spec["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty())
}

fn same_containers(old: &Value, new: &Value, causes: &mut Vec<Cause>) -> bool {
    let count = |spec: &Value, list: &str| spec[list].as_array().map_or(0, Vec::len);
    let mut same = true;
    for (list, name) in [("containers", "containers"), ("initContainers", "init containers")] {
        if count(old, list) != count(new, list) {
            let problem = format!("pod updates may not add or remove {name}");
            causes.push(Cause::forbidden(&format!("spec.{list}"), &problem));
            same = false;
        }
    }
    same
}

/// Checks the images, which a server checks twice for a changed pod.
fn images(new: &Value, causes: &mut Vec<Cause>) {
    for list in ["containers", "initContainers"] {
        for (n, container) in new[list].as_array().into_iter().flatten().enumerate() {
            let path = format!("spec.{list}[{n}].image");
            match container["image"].as_str().unwrap_or_default() {
                "" => causes.push(Cause::required(&path, "")),
                image if image.trim() != image => {
                    let problem = "must not have leading or trailing whitespace";
                    causes.push(Cause::invalid(&path, image, problem));
                }
                _ => {}
            }
        }
    }
}

/// Returns false if the deadline is later, which ends all checks.
fn deadline(old: &Value, new: &Value, causes: &mut Vec<Cause>) -> bool {
    let path = "spec.activeDeadlineSeconds";
    let (old, new) = (&old["activeDeadlineSeconds"], &new["activeDeadlineSeconds"]);
    match (old.as_i64(), new.as_i64()) {
        (Some(old), Some(seconds)) if seconds > old => {
            let problem = "must be less than or equal to previous value";
            causes.push(Cause::invalid_raw(path, &new.to_string(), problem));
            return false;
        }
        (Some(_), None) => {
            let problem = "must not update from a positive integer to nil value";
            causes.push(Cause::invalid_raw(path, "null", problem));
        }
        _ => {}
    }
    true
}

/// Checks the tolerations. They can be added, and their seconds can change.
fn tolerations(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let bare = |toleration: &Value| {
        let mut toleration = toleration.clone();
        if let Some(members) = toleration.as_object_mut() {
            members.remove("tolerationSeconds");
        }
        toleration.to_string()
    };
    let all = |spec: &Value| spec["tolerations"].as_array().cloned().unwrap_or_default();
    let known: std::collections::HashSet<String> = all(new).iter().map(bare).collect();
    if all(old).iter().any(|toleration| !known.contains(&bare(toleration))) {
        let problem = "existing toleration can not be modified except its tolerationSeconds";
        causes.push(Cause::forbidden("spec.tolerations", problem));
    }
}

/// Checks the gates, which can only be removed.
fn gates(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let names = |spec: &Value| -> Vec<String> {
        let gates = spec["schedulingGates"].as_array().into_iter().flatten();
        gates.map(|gate| gate["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let known: std::collections::HashSet<String> = names(old).into_iter().collect();
    for (n, name) in names(new).iter().enumerate() {
        if !known.contains(name) {
            let problem =
                format!("only deletion is allowed, but found new scheduling gate '{name}'");
            causes.push(Cause::forbidden(&format!("spec.schedulingGates[{n}].name"), &problem));
        }
    }
}

/// Checks the node selector of a gated pod, which can become narrower.
fn selector(old: &Value, new: &Value, munged: &mut Value, causes: &mut Vec<Cause>) {
    let kept = old["nodeSelector"].as_object().into_iter().flatten();
    if kept.into_iter().all(|(key, value)| new["nodeSelector"][key] == *value) {
        restore(munged, old, "nodeSelector");
    } else {
        let problem = "only additions are allowed (no mutations or deletions)";
        let shown = new["nodeSelector"].to_string();
        causes.push(Cause::invalid_raw("spec.nodeSelector", &shown, problem));
        restore(munged, old, "nodeSelector");
    }
}

/// Checks the affinity of a gated pod to nodes. What it requires can become narrower.
fn affinity(old: &Value, munged: &mut Value, causes: &mut Vec<Cause>) {
    let node = "nodeAffinity";
    if old["affinity"][node] == munged["affinity"][node] {
        return;
    }
    let terms = |spec: &Value| {
        let required = &spec["affinity"][node]["requiredDuringSchedulingIgnoredDuringExecution"];
        required["nodeSelectorTerms"].as_array().cloned().unwrap_or_default()
    };
    let path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution\
                .nodeSelectorTerms";
    let (known, wanted) = (terms(old), terms(munged));
    if !known.is_empty() && known.len() != wanted.len() {
        let problem = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        let shown = wanted.iter().map(|term| internal_form::shown("NodeSelectorTerm", term));
        let shown = format!("[{}]", shown.collect::<Vec<_>>().join(","));
        let shown = if wanted.is_empty() { "null" } else { &shown };
        causes.push(Cause::invalid_raw(path, shown, problem));
    } else {
        for (n, (known, wanted)) in known.iter().zip(&wanted).enumerate() {
            if !is_narrower(known, wanted) {
                let problem = "only additions are allowed (no mutations or deletions)";
                let shown = internal_form::shown("NodeSelectorTerm", wanted);
                causes.push(Cause::invalid_raw(&format!("{path}[{n}]"), &shown, problem));
            }
        }
    }
    let mut all = munged["affinity"].as_object().cloned().unwrap_or_default();
    all.remove(node);
    if !old["affinity"][node].is_null() {
        all.insert(node.to_owned(), old["affinity"][node].clone());
    }
    if let Some(munged) = munged.as_object_mut() {
        if all.is_empty() && old["affinity"].is_null() {
            munged.remove("affinity");
        } else {
            munged.insert("affinity".to_owned(), all.into());
        }
    }
}

/// Returns whether a term has all requirements of another one, in the same places.
fn is_narrower(known: &Value, wanted: &Value) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    let list = |term: &Value, name: &str| term[name].as_array().cloned().unwrap_or_default();
    let was_empty = lists.iter().all(|name| list(known, name).is_empty());
    let stays_empty = lists.iter().all(|name| list(wanted, name).is_empty());
    lists.iter().all(|name| list(wanted, name).starts_with(&list(known, name)))
        && (!was_empty || stays_empty)
}

/// Checks ephemeral containers, which can only be added.
pub(super) fn ephemeral(before: &Value, after: &Value) -> Vec<Cause> {
    let mut causes = validation::ephemeral_problems(after);
    let list =
        |pod: &Value| pod["spec"]["ephemeralContainers"].as_array().cloned().unwrap_or_default();
    let new = list(after);
    let path = "spec.ephemeralContainers";
    for old in list(before) {
        let name = old["name"].as_str().unwrap_or_default();
        match new.iter().find(|container| container["name"] == old["name"]) {
            None => {
                let problem =
                    format!("existing ephemeral containers {name:?} may not be removed\n");
                causes.push(Cause::forbidden(path, &problem));
            }
            Some(new) if *new != old => {
                let shown = difference("Container", &old, new);
                let problem =
                    format!("existing ephemeral containers {name:?} may not be changed\n{shown}");
                causes.push(Cause::forbidden(path, &problem));
            }
            Some(_) => {}
        }
    }
    causes
}

/// Checks new resources, which may not change the class of the pod.
pub(super) fn resize(before: &Value, after: &Value) -> Vec<Cause> {
    let class = quality_of_service(&before["spec"]);
    if class == quality_of_service(&after["spec"]) {
        return Vec::new();
    }
    vec![Cause::invalid("spec", class, "Pod QOS Class may not change as a result of resizing")]
}
