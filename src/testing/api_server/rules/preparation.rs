//! The members that a server computes when an object is written.
//!
//! Here are only those that follow from the object itself, and from its state before. Members that
//! depend on other objects are the work of admission.

use serde_json::{Map, Value, json};

/// A function that completes an object of one kind.
type Prepare = fn(&mut Value);
/// A function that completes an update, given the state before.
type PrepareUpdate = fn(&Value, &mut Value);

/// What a create of each kind completes, by API version and kind.
const CREATES: &[(&str, &str, Prepare)] = &[
    ("v1", "Pod", new_pod),
    ("v1", "Node", |node| taint(node, "node.kubernetes.io/not-ready", "NoSchedule")),
    ("v1", "PersistentVolumeClaim", |claim| protect(claim, "kubernetes.io/pvc-protection")),
    ("v1", "PersistentVolume", |volume| protect(volume, "kubernetes.io/pv-protection")),
    ("storage.k8s.io/v1", "VolumeAttributesClass", |class| {
        protect(class, "kubernetes.io/vac-protection");
    }),
    ("apps/v1", "DaemonSet", |set| count_templates(set, 1)),
    ("batch/v1", "Job", new_job),
];

const UPDATES: &[(&str, &str, PrepareUpdate)] = &[
    ("v1", "Pod", updated_pod),
    ("v1", "Secret", |before, after| keep(before, after, &[], "type")),
    ("apps/v1", "DaemonSet", updated_daemon_set),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", |before, after| {
        keep_whole(before, after, "spec");
    }),
];

/// Completes a new object.
pub(crate) fn create(api_version: &str, kind: &str, object: &mut Value) {
    let found = CREATES.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    if let Some((.., prepare)) = found {
        prepare(object);
    }
}

/// Completes a changed object.
pub(crate) fn update(api_version: &str, kind: &str, before: &Value, after: &mut Value) {
    let found = UPDATES.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    if let Some((.., prepare)) = found {
        prepare(before, after);
    }
}

/// Returns a member as an object, and makes it one.
fn object<'a>(value: &'a mut Value, path: &[&str]) -> &'a mut Map<String, Value> {
    let mut value = value;
    for name in path {
        if !value.is_object() {
            *value = json!({});
        }
        value = &mut value[*name];
    }
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(members) => members,
        _ => unreachable!("the value was made an object"),
    }
}

/// Copies a member from the state before, unless it is given.
fn keep(before: &Value, after: &mut Value, path: &[&str], name: &str) {
    let old = path.iter().fold(before, |value, name| &value[*name]);
    let members = object(after, path);
    if !old[name].is_null() && members.get(name).is_none_or(Value::is_null) {
        members.insert(name.to_owned(), old[name].clone());
    }
}

fn keep_whole(before: &Value, after: &mut Value, name: &str) {
    after[name] = before[name].clone();
}

/// Adds a finalizer, once.
fn protect(owned: &mut Value, finalizer: &str) {
    let finalizers = object(owned, &["metadata"]).entry("finalizers").or_insert(Value::Null);
    match finalizers {
        Value::Array(all) if all.iter().any(|found| found == finalizer) => {}
        Value::Array(all) => all.push(finalizer.into()),
        other => *other = json!([finalizer]),
    }
}

fn new_pod(pod: &mut Value) {
    tolerate_outages(pod);
    let spec = object(pod, &["spec"]);
    if spec.get("terminationGracePeriodSeconds").and_then(Value::as_i64).is_some_and(|n| n < 0) {
        spec.insert("terminationGracePeriodSeconds".into(), 1.into());
    }
}

fn updated_pod(before: &Value, pod: &mut Value) {
    tolerate_outages(pod);
    for name in ["priority", "preemptionPolicy"] {
        keep(before, pod, &["spec"], name);
    }
}

/// A pod stays for five minutes on a node that fails, unless it says something else.
fn tolerate_outages(pod: &mut Value) {
    let tolerations = object(pod, &["spec"]).entry("tolerations").or_insert(Value::Null);
    if tolerations.is_null() {
        *tolerations = json!([]);
    }
    let Some(tolerations) = tolerations.as_array_mut() else { return };
    let given = tolerations.len();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let matches = |toleration: &Value, name: &str, wanted: &str| {
            matches!(toleration[name].as_str(), None | Some("")) || toleration[name] == wanted
        };
        let tolerated = tolerations[..given].iter().any(|toleration| {
            matches(toleration, "key", key) && matches(toleration, "effect", "NoExecute")
        });
        if !tolerated {
            tolerations.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
            }));
        }
    }
}

/// Adds a taint, unless the node has it.
fn taint(node: &mut Value, key: &str, effect: &str) {
    let taints = object(node, &["spec"]).entry("taints").or_insert(Value::Null);
    if taints.is_null() {
        *taints = json!([]);
    }
    let Some(taints) = taints.as_array_mut() else { return };
    if !taints.iter().any(|taint| taint["key"] == key && taint["effect"] == effect) {
        taints.push(json!({ "key": key, "effect": effect }));
    }
}

/// The annotation that counts the templates of a daemon set.
const TEMPLATES: &str = "deprecated.daemonset.template.generation";

fn count_templates(set: &mut Value, generation: i64) {
    let annotations = object(set, &["metadata", "annotations"]);
    annotations.insert(TEMPLATES.into(), generation.to_string().into());
}

fn updated_daemon_set(before: &Value, set: &mut Value) {
    let count = before["metadata"]["annotations"][TEMPLATES].as_str();
    let count: i64 = count.and_then(|count| count.parse().ok()).unwrap_or(1);
    let changed = before["spec"]["template"] != set["spec"]["template"];
    count_templates(set, count.saturating_add(i64::from(changed)));
}

/// Labels the pods of a job with its name and uid, by which its selector finds them.
fn new_job(job: &mut Value) {
    if job["spec"]["manualSelector"] == true {
        return;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, uid) = (text(&job["metadata"]["name"]), text(&job["metadata"]["uid"]));
    let template = object(job, &["spec", "template", "metadata", "labels"]);
    for (legacy, current, value) in [
        ("job-name", "batch.kubernetes.io/job-name", &name),
        ("controller-uid", "batch.kubernetes.io/controller-uid", &uid),
    ] {
        // A label that was given is another job's, which validation reports.
        template.entry(legacy).or_insert_with(|| value.clone().into());
        template.entry(current).or_insert_with(|| value.clone().into());
    }
    let labels = Value::from(template.clone());
    let selector = object(job, &["spec", "selector", "matchLabels"]);
    selector
        .entry("batch.kubernetes.io/controller-uid")
        .or_insert_with(|| uid.clone().into());
    let metadata = object(job, &["metadata"]);
    if metadata.get("labels").is_none_or(Value::is_null) {
        metadata.insert("labels".into(), labels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_tolerate_outages_once() {
        let mut pod = json!({ "spec": {} });
        create("v1", "Pod", &mut pod);
        let first = pod.clone();
        update("v1", "Pod", &first, &mut pod);
        assert_eq!(pod, first);
        assert_eq!(pod["spec"]["tolerations"].as_array().map(Vec::len), Some(2));
        let mut tolerant = json!({ "spec": { "tolerations": [{ "operator": "Exists" }] } });
        create("v1", "Pod", &mut tolerant);
        assert_eq!(tolerant["spec"]["tolerations"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn only_templates_count_for_daemon_sets() {
        let mut set = json!({ "metadata": {}, "spec": { "template": { "a": 1 } } });
        create("apps/v1", "DaemonSet", &mut set);
        let before = set.clone();
        set["spec"]["minReadySeconds"] = 3.into();
        update("apps/v1", "DaemonSet", &before, &mut set);
        assert_eq!(set["metadata"]["annotations"][TEMPLATES], "1");
        set["spec"]["template"]["a"] = 2.into();
        update("apps/v1", "DaemonSet", &before, &mut set);
        assert_eq!(set["metadata"]["annotations"][TEMPLATES], "2");
    }
}
