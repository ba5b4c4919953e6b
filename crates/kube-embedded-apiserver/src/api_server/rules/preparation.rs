//! The members that a server computes when an object is written.
//!
//! Here are only those that follow from the object itself, and from its state before. Members that
//! depend on other objects are the work of admission.

use serde_json::{Map, Value, json};

use super::members::at;
use crate::api_server::names;

/// Changes the object at a path, which is created. Other values on the path are replaced.
fn change(value: &mut Value, path: &[&str], change: impl FnOnce(&mut Map<String, Value>)) {
    if let Value::Object(members) = at(value, path) {
        change(members);
    }
}

/// Changes the list that is a member of an object, which is created. Another value is left alone.
fn change_list(value: &mut Value, path: &[&str], name: &str, edit: impl FnOnce(&mut Vec<Value>)) {
    change(value, path, |members| {
        let list = members.entry(name).or_insert(Value::Null);
        if list.is_null() {
            *list = json!([]);
        }
        if let Value::Array(elements) = list {
            edit(elements);
        }
    });
}

/// Copies a member from the state before, unless it is given.
fn keep(before: &Value, after: &mut Value, path: &[&str], name: &str) {
    let old = &path.iter().fold(before, |value, name| &value[*name])[name];
    change(after, path, |members| {
        if !old.is_null() && members.get(name).is_none_or(Value::is_null) {
            members.insert(name.to_owned(), old.clone());
        }
    });
}

/// Adds a finalizer, once.
fn protect(owned: &mut Value, finalizer: &str) {
    change_list(owned, &["metadata"], "finalizers", |all| {
        if !all.iter().any(|found| found == finalizer) {
            all.push(finalizer.into());
        }
    });
}

/// Completes a new pod: its class, its first condition, and what it tolerates.
pub(super) fn new_pod(pod: &mut Value) {
    tolerate_outages(pod);
    let gated = pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty());
    let class = quality_of_service(&pod["spec"]);
    pod["status"] = json!({ "phase": "Pending", "qosClass": class });
    if gated {
        pod["status"]["conditions"] = json!([{
            "type": "PodScheduled", "status": "False", "lastProbeTime": null,
            "lastTransitionTime": names::now(), "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }]);
    }
    change(pod, &["spec"], |spec| {
        let grace = spec.get("terminationGracePeriodSeconds").and_then(Value::as_i64);
        if grace.is_some_and(|seconds| seconds < 0) {
            spec.insert("terminationGracePeriodSeconds".into(), 1.into());
        }
    });
}

/// Completes a change of a pod, whose class never changes.
pub(super) fn updated_pod(before: &Value, pod: &mut Value) {
    tolerate_outages(pod);
    for name in ["priority", "preemptionPolicy"] {
        keep(before, pod, &["spec"], name);
    }
    keep(before, pod, &["status"], "qosClass");
}

/// Returns the quality of service class of a pod.
pub(crate) fn quality_of_service(spec: &Value) -> &'static str {
    let containers = ["containers", "initContainers"].map(|member| spec[member].as_array());
    let (mut any, mut all) = (false, true);
    for container in containers.into_iter().flatten().flatten() {
        let resources = &container["resources"];
        for name in ["cpu", "memory"] {
            let (request, limit) = (&resources["requests"][name], &resources["limits"][name]);
            any |= !request.is_null() || !limit.is_null();
            all &= !limit.is_null() && (request.is_null() || request == limit);
        }
    }
    match (any, all) {
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
        (false, _) => "BestEffort",
    }
}

/// Adds the tolerations with which a pod stays on a failed node for five minutes.
pub(crate) fn tolerate_outages(pod: &mut Value) {
    let matches = |toleration: &Value, name: &str, wanted: &str| {
        matches!(toleration[name].as_str(), None | Some("")) || toleration[name] == wanted
    };
    change_list(pod, &["spec"], "tolerations", |tolerations| {
        let given = tolerations.len();
        for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
            let tolerated = tolerations[..given].iter().any(|toleration| {
                matches(toleration, "key", key) && matches(toleration, "effect", "NoExecute")
            });
            if !tolerated {
                tolerations.push(json!({
                    "key": key, "operator": "Exists", "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }));
            }
        }
    });
}

/// Taints a node that is not known to be ready.
pub(super) fn new_node(node: &mut Value) {
    let (key, effect) = ("node.kubernetes.io/not-ready", "NoSchedule");
    change_list(node, &["spec"], "taints", |taints| {
        if !taints.iter().any(|taint| taint["key"] == key && taint["effect"] == effect) {
            taints.push(json!({ "key": key, "effect": effect }));
        }
    });
}

/// Protects a volume, and notes the time of its phase.
pub(super) fn new_volume(volume: &mut Value) {
    protect(volume, "kubernetes.io/pv-protection");
    change(volume, &["status"], |status| {
        status.insert("phase".into(), "Pending".into());
        status.insert("lastPhaseTransitionTime".into(), names::now().into());
    });
}

/// Notes the time of a volume's phase if it changes.
pub(super) fn updated_volume(before: &Value, volume: &mut Value) {
    if before["status"]["phase"] == volume["status"]["phase"] {
        keep(before, volume, &["status"], "lastPhaseTransitionTime");
    } else {
        change(volume, &["status"], |status| {
            status.insert("lastPhaseTransitionTime".into(), names::now().into());
        });
    }
}

/// Protects a claim.
pub(super) fn new_claim(claim: &mut Value) {
    protect(claim, "kubernetes.io/pvc-protection");
    change(claim, &["status"], |status| drop(status.insert("phase".into(), "Pending".into())));
}

/// The annotation that counts the templates of a daemon set.
const TEMPLATES: &str = "deprecated.daemonset.template.generation";

fn count_templates(set: &mut Value, generation: i64) {
    change(set, &["metadata", "annotations"], |annotations| {
        annotations.insert(TEMPLATES.into(), generation.to_string().into());
    });
}

/// Restores everything in a pod but its ephemeral containers.
pub(crate) fn only_ephemeral(before: &Value, pod: &mut Value) {
    let containers = pod["spec"]["ephemeralContainers"].take();
    restore_pod(before, pod);
    change(pod, &["spec"], |spec| {
        spec.remove("ephemeralContainers");
        if !containers.is_null() {
            spec.insert("ephemeralContainers".into(), containers);
        }
    });
}

/// Restores everything in a pod but the resources of its containers.
pub(crate) fn only_resources(before: &Value, pod: &mut Value) {
    let wanted = pod["spec"].clone();
    restore_pod(before, pod);
    for list in ["containers", "initContainers"] {
        let containers = pod["spec"].get_mut(list).and_then(Value::as_array_mut);
        for (n, container) in containers.into_iter().flatten().enumerate() {
            let given = &wanted[list][n];
            if given["name"] != container["name"] {
                continue;
            }
            for name in ["resources", "resizePolicy"] {
                match &given[name] {
                    Value::Null => drop(container.as_object_mut().map(|one| one.remove(name))),
                    value => container[name] = value.clone(),
                }
            }
        }
    }
}

/// Restores a pod but for the owners of its fields and the version that a client knows.
fn restore_pod(before: &Value, pod: &mut Value) {
    let owners = pod["metadata"]["managedFields"].take();
    *pod = before.clone();
    change(pod, &["metadata"], |metadata| {
        metadata.remove("managedFields");
        if !owners.is_null() {
            metadata.insert("managedFields".into(), owners);
        }
    });
}

/// Counts the templates of a daemon set.
pub(super) fn updated_daemon_set(before: &Value, set: &mut Value) {
    let count = before["metadata"]["annotations"][TEMPLATES].as_str();
    let count: i64 = count.and_then(|count| count.parse().ok()).unwrap_or(1);
    let changed = before["spec"]["template"] != set["spec"]["template"];
    count_templates(set, count.saturating_add(i64::from(changed)));
}

/// Labels the pods of a job with its name and uid, by which its selector finds them.
pub(super) fn new_job(job: &mut Value) {
    if job["spec"]["manualSelector"] == true {
        return;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, uid) = (text(&job["metadata"]["name"]), text(&job["metadata"]["uid"]));
    change(job, &["spec", "template", "metadata", "labels"], |labels| {
        for (legacy, value) in [("job-name", &name), ("controller-uid", &uid)] {
            // A label that was given is another job's, which validation reports.
            let current = format!("batch.kubernetes.io/{legacy}");
            labels.entry(legacy).or_insert_with(|| value.clone().into());
            labels.entry(current).or_insert_with(|| value.clone().into());
        }
    });
    change(job, &["spec", "selector", "matchLabels"], |labels| {
        let key = "batch.kubernetes.io/controller-uid";
        labels.entry(key).or_insert_with(|| uid.clone().into());
    });
}

/// Protects a class of volumes' attributes.
pub(super) fn new_attributes_class(class: &mut Value) {
    protect(class, "kubernetes.io/vac-protection");
}

/// Counts the first template of a daemon set.
pub(super) fn new_daemon_set(set: &mut Value) {
    count_templates(set, 1);
}

/// Keeps the type of a secret.
pub(super) fn updated_secret(before: &Value, secret: &mut Value) {
    keep(before, secret, &[], "type");
}

/// Keeps what was requested, which never changes.
pub(super) fn updated_certificate_request(before: &Value, request: &mut Value) {
    request["spec"] = before["spec"].clone();
    let conditions = request["status"].get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter(|condition| condition.is_object()) {
        for member in ["lastUpdateTime", "lastTransitionTime"] {
            if condition[member].is_null() {
                condition[member] = names::now().into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_tolerate_outages_once() {
        let mut pod = json!({ "spec": {} });
        new_pod(&mut pod);
        let first = pod.clone();
        updated_pod(&first, &mut pod);
        assert_eq!(pod, first);
        assert_eq!(pod["spec"]["tolerations"].as_array().map(Vec::len), Some(2));
        let mut tolerant = json!({ "spec": { "tolerations": [{ "operator": "Exists" }] } });
        new_pod(&mut tolerant);
        assert_eq!(tolerant["spec"]["tolerations"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn only_templates_count_for_daemon_sets() {
        let mut set = json!({ "metadata": {}, "spec": { "template": { "a": 1 } } });
        new_daemon_set(&mut set);
        let before = set.clone();
        set["spec"]["minReadySeconds"] = 3.into();
        updated_daemon_set(&before, &mut set);
        assert_eq!(set["metadata"]["annotations"][TEMPLATES], "1");
        set["spec"]["template"]["a"] = 2.into();
        updated_daemon_set(&before, &mut set);
        assert_eq!(set["metadata"]["annotations"][TEMPLATES], "2");
    }
}
