//! The subresources of pods: `eviction`, a delete that a disruption budget may refuse, and
//! `binding`, a scheduler's choice of a node.
//!
//! The status of a budget decides what it allows, as on a real server. No controller counts pods
//! here: a test sets the status.

use serde_json::{Value, json};

use super::options::{DeleteOptions, WriteOptions};
use super::scale::selector_text;
use super::{Part, WriteTarget, admission, delete, update};
use crate::api_server::failure::Failure;
use crate::api_server::names::now;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::conditions::set_condition;
use crate::api_server::rules::members::at;
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;
use kube_decode::labels::LabelSelector;

/// The largest number of disrupted pods that one budget may list.
const MOST_DISRUPTED: usize = 2000;

/// Evicts the pod that `target` names, or returns the budget that refuses it.
pub(crate) fn evict(
    store: &mut Store,
    target: WriteTarget<'_>,
    eviction: &Value,
    options: &WriteOptions,
) -> Result<Value, Failure> {
    if eviction["metadata"]["name"].as_str() != target.name {
        let message = "name in URL does not match name in Eviction object";
        return Err(Failure::bad_request(message));
    }
    let options = DeleteOptions::of(&eviction["deleteOptions"], options)?;
    let target = WriteTarget { part: Part::Object, dry_run: options.dry_run, ..target };
    let stored = target.current(store)?;
    let pod = stored.value(target.resource);
    if !has_ended(&pod)
        && let Some(types) = store.served("policy", "v1", "poddisruptionbudgets").cloned()
    {
        match &*budgets(store, &types, &stored) {
            [] => {}
            [budget] if allows_unready(&pod, budget) => {}
            [budget] => take_disruption(store, &types, target, budget.clone())?,
            _ => {
                // A real server reports this as an internal error.
                let message = "This pod has more than one PodDisruptionBudget, which the eviction \
                               subresource does not support.";
                return Err(Failure::without_reason(message));
            }
        }
    }
    let stored = target.current(store)?;
    options.check(target.resource, target.name(), &stored)?;
    if !graceless(&pod, &options) {
        let mut pod = pod;
        set_disrupted(&mut pod);
        target.put(store, pod)?;
    }
    // The version was checked, and has changed.
    delete(store, target, &DeleteOptions { version: None, ..options })?;
    Ok(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
    }))
}

/// Returns whether the pod does not run, so that its eviction disrupts nothing.
fn has_ended(pod: &Value) -> bool {
    matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed" | "Pending"))
        || !pod["metadata"]["deletionTimestamp"].is_null()
}

/// Returns whether the pod goes at once, so that nobody sees its conditions.
fn graceless(pod: &Value, options: &DeleteOptions) -> bool {
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    node.is_empty() || options.dry_run || !pod["metadata"]["deletionTimestamp"].is_null()
}

/// Adds the condition that the pod is evicted.
fn set_disrupted(pod: &mut Value) {
    let disrupted = json!({
        "type": "DisruptionTarget", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": now(), "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    });
    set_condition(pod, disrupted);
}

/// Returns the budgets that select the pod.
fn budgets(store: &Store, types: &ResourceType, pod: &Stored) -> Vec<Value> {
    let all = store.of(types).into_iter().flat_map(|all| all.objects.values());
    let here = all.filter(|budget| budget.namespace == pod.namespace);
    here.map(|budget| budget.value(types))
        .filter(|budget| {
            let selector = &budget["spec"]["selector"];
            let labels = selector_text(selector).parse::<LabelSelector>();
            // An empty selector selects every pod; an absent one selects none.
            selector.is_object() && labels.is_ok_and(|labels| labels.matches(Some(&pod.labels)))
        })
        .collect()
}

/// Returns whether the budget allows the eviction because the pod is not ready.
fn allows_unready(pod: &Value, budget: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    if conditions.into_iter().any(|c| c["type"] == "Ready" && c["status"] == "True") {
        return false;
    }
    let (healthy, needed) = health(budget);
    budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
        || (needed > 0 && healthy >= needed)
}

/// Returns the numbers of healthy and of required pods.
fn health(budget: &Value) -> (i64, i64) {
    let count = |member: &str| budget["status"][member].as_i64().unwrap_or(0);
    (count("currentHealthy"), count("desiredHealthy"))
}

/// Takes one disruption off a budget, for the pod that `target` names.
fn take_disruption(
    store: &mut Store,
    types: &ResourceType,
    target: WriteTarget<'_>,
    mut budget: Value,
) -> Result<(), Failure> {
    let name = budget["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let status = &budget["status"];
    let allowed = status["disruptionsAllowed"].as_i64().unwrap_or(0);
    let disrupted = status["disruptedPods"].as_object().map_or(0, serde_json::Map::len);
    if status["observedGeneration"].as_i64() < budget["metadata"]["generation"].as_i64() {
        let cause = format!("The disruption budget {name} is still being processed by the server.");
        return Err(Failure::over_budget(&cause, 10));
    }
    let refused = |problem| Err(Failure::forbidden_by_budget(&name, problem));
    if allowed < 0 {
        return refused("pdb disruptions allowed is negative");
    }
    if disrupted > MOST_DISRUPTED {
        return refused(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        );
    }
    if allowed == 0 {
        let (healthy, needed) = health(&budget);
        let cause = if healthy <= needed {
            format!(
                "The disruption budget {name} needs {needed} healthy pods and has {healthy} \
                 currently"
            )
        } else {
            format!("The disruption budget {name} does not allow evicting pods currently")
        };
        return Err(Failure::over_budget(&cause, 0));
    }
    budget["status"]["disruptionsAllowed"] = (allowed - 1).into();
    at(&mut budget, &["status", "disruptedPods"])[target.name()] = now().into();
    set_allowed(&mut budget, allowed > 1);
    let part = Part::Status;
    let target = WriteTarget {
        resource: types,
        name: Some(&name),
        part,
        manager: "kube-apiserver",
        ..target
    };
    let current = target.current(store)?;
    update(store, target, &current, budget)?;
    Ok(())
}

/// Sets the condition that says whether the budget allows disruptions.
fn set_allowed(budget: &mut Value, allowed: bool) {
    let (reason, status) =
        if allowed { ("SufficientPods", "True") } else { ("InsufficientPods", "False") };
    let condition = json!({
        "type": "DisruptionAllowed", "status": status, "reason": reason, "message": "",
        "lastTransitionTime": now(), "observedGeneration": budget["status"]["observedGeneration"],
    });
    set_condition(budget, condition);
}

/// Binds the pod that the binding names to a node.
pub(crate) fn bind_named(
    store: &mut Store,
    target: WriteTarget<'_>,
    binding: &Value,
) -> Result<Value, Failure> {
    let name = binding["metadata"]["name"].as_str().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Failure::bad_request("Name parameter required."))?;
    let pods = store.served("", "v1", "pods").cloned().ok_or_else(Failure::not_served)?;
    bind(store, WriteTarget { resource: &pods, name: Some(name), ..target }, binding)
}

/// Binds the pod that `target` names to a node.
pub(crate) fn bind(
    store: &mut Store,
    target: WriteTarget<'_>,
    binding: &Value,
) -> Result<Value, Failure> {
    let metadata = &binding["metadata"];
    if metadata["name"].as_str() != target.name {
        let message = "name in URL does not match name in Binding object";
        return Err(Failure::bad_request(message));
    }
    let node = &binding["target"];
    let (kind, node) = (node["kind"].as_str(), node["name"].as_str().unwrap_or_default());
    if let Some(kind) = kind.filter(|kind| !matches!(*kind, "" | "Node")) {
        let problem = format!(
            "target.kind: Unsupported value: {kind:?}: supported values: \"Node\", \"<empty>\""
        );
        return Err(Failure::without_reason(&problem));
    }
    if node.is_empty() {
        return Err(Failure::without_reason("target.name: Required value"));
    }
    let target = WriteTarget { part: Part::Both, ..target };
    let current = target.current(store)?;
    let mut pod = current.value(target.resource);
    let assigned = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    let name = target.name();
    let problem = if !pod["metadata"]["deletionTimestamp"].is_null() {
        Some(format!("pod {name} is being deleted, cannot be assigned to a host"))
    } else if !assigned.is_empty() {
        Some(format!("pod {name} is already assigned to node {assigned:?}"))
    } else if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        Some(format!("pod {name} has non-empty .spec.schedulingGates"))
    } else {
        None
    };
    if let Some(problem) = problem {
        return Err(Failure::not_bound(name, &problem));
    }
    at(&mut pod, &["spec"])["nodeName"] = node.into();
    for member in ["labels", "annotations"] {
        for (key, value) in metadata[member].as_object().into_iter().flatten() {
            at(&mut pod, &["metadata", member])[key.as_str()] = value.clone();
        }
    }
    admission::label_by_node(store, node, &mut pod);
    set_scheduled(&mut pod);
    // The uid and version in the binding are preconditions of the pod.
    target.check_uid(metadata, &current)?;
    let version = metadata["resourceVersion"].as_str().unwrap_or_default();
    if !version.is_empty() && version != current.revision.to_string() {
        return Err(Failure::conflict(target.resource, name));
    }
    // Neither the generation nor the owners of fields change.
    target.put(store, pod)?;
    Ok(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
    }))
}

/// Sets the `PodScheduled` condition.
fn set_scheduled(pod: &mut Value) {
    let scheduled = json!({
        "type": "PodScheduled", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": now(),
    });
    set_condition(pod, scheduled);
}
