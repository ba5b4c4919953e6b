//! Warnings about objects that are valid and still not what a client means.

use serde_json::Value;

use crate::api_server::names::label_problems;

/// A function that adds the warnings about an object.
type Warn = fn(&Value, &mut Vec<String>);

/// The kinds whose names become names of hosts, by API version and kind, each with the words for
/// that use.
const HOSTS: &[(&str, &str, &str)] = &[
    ("v1", "Pod", "the Pod's hostname"),
    ("v1", "ReplicationController", "Pod names and hostnames"),
    ("apps/v1", "Deployment", "Pod names and hostnames"),
    ("apps/v1", "ReplicaSet", "Pod names and hostnames"),
    ("batch/v1", "Job", "Pod names and hostnames"),
    ("batch/v1", "CronJob", "Pod names and hostnames"),
];

/// The warnings of each kind, by API version and kind.
const KINDS: &[(&str, &str, Warn)] = &[
    ("v1", "Pod", |pod, warnings| pod_spec(&pod["spec"], "spec", warnings)),
    ("v1", "ReplicationController", template),
    ("apps/v1", "Deployment", template),
    ("apps/v1", "StatefulSet", template),
    ("apps/v1", "DaemonSet", template),
    ("apps/v1", "ReplicaSet", template),
    ("batch/v1", "Job", template),
    ("batch/v1", "CronJob", |object, warnings| {
        let spec = &object["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        pod_spec(spec, "spec.jobTemplate.spec.template.spec", warnings);
    }),
];

/// The API versions and kinds that newer ones replace, with the warning about their use.
const DEPRECATED: &[(&str, &str, &str)] = &[(
    "v1",
    "Endpoints",
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
)];

/// Returns the warnings about a new object or a new state.
pub(crate) fn of(api_version: &str, kind: &str, object: &Value) -> Vec<String> {
    let found = KINDS.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    let mut warnings = Vec::new();
    if let Some((.., warn)) = found {
        warn(object, &mut warnings);
    }
    warnings
}

/// Returns the warning about the name of a new object that is no good name of a host.
pub(crate) fn of_name(api_version: &str, kind: &str, name: &str) -> Option<String> {
    let found = HOSTS.iter().find(|(version, known, _)| (*version, *known) == (api_version, kind));
    let (.., used) = found?;
    let problems = label_problems(name);
    (!problems.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in {used}, which can result in surprising behavior; a \
             DNS label is recommended: [{}]",
            problems.join(" ")
        )
    })
}

/// Returns the warning about any use of a kind.
pub(crate) fn of_use(api_version: &str, kind: &str) -> Option<String> {
    let found =
        DEPRECATED.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
    found.map(|(.., warning)| (*warning).to_owned())
}

fn template(object: &Value, warnings: &mut Vec<String>) {
    pod_spec(&object["spec"]["template"]["spec"], "spec.template.spec", warnings);
}

fn elements(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    value.as_array().into_iter().flatten().enumerate()
}

fn pod_spec(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    for (n, spread) in elements(&spec["topologySpreadConstraints"]) {
        if spread["labelSelector"].is_null() {
            warnings.push(format!(
                "{path}.topologySpreadConstraints[{n}].labelSelector: a null labelSelector results \
                 in matching no pod"
            ));
        }
    }
    ports(spec, path, warnings);
}

/// Warns about ports that two containers share.
fn ports(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    let mut known = std::collections::HashMap::new();
    for (n, container) in elements(&spec["containers"]) {
        for (m, port) in elements(&container["ports"]) {
            let path = format!("{path}.containers[{n}].ports[{m}]");
            let text = |member: &str| port[member].as_str().unwrap_or_default();
            let number = |member: &str| port[member].as_i64().unwrap_or(0);
            let key =
                (number("containerPort"), number("hostPort"), text("protocol"), text("hostIP"));
            match known.get(&key) {
                None => drop(known.insert(key, (n, path))),
                Some((other, _)) if *other == n => {}
                Some((_, first)) => {
                    warnings.push(format!("{path}: duplicate port definition with {first}"));
                }
            }
        }
    }
}
