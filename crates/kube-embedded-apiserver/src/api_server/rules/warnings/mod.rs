//! Warnings about objects that are valid and still not what a client means.

mod addresses;
mod pods;

use serde_json::Value;

use self::addresses::{address, range};
use crate::api_server::names::label_problems;
use crate::api_server::rules::quantity::Quantity;

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

/// The warnings about what the object runs, by API version and kind: given for a new object, and
/// about one whose specification changed.
const RUNS: &[(&str, &str, Warn)] = &[
    ("v1", "Pod", |pod, warnings| pods::add(pod, "", warnings)),
    ("v1", "ReplicationController", template),
    ("v1", "PodTemplate", |object, warnings| {
        pods::add(&object["template"], "template.", warnings);
    }),
    ("apps/v1", "Deployment", template),
    ("apps/v1", "StatefulSet", template),
    ("apps/v1", "DaemonSet", template),
    ("apps/v1", "ReplicaSet", template),
    ("batch/v1", "Job", |job, warnings| job_spec(&job["spec"], "spec", warnings)),
    ("batch/v1", "CronJob", |object, warnings| {
        job_spec(&object["spec"]["jobTemplate"]["spec"], "spec.jobTemplate.spec", warnings);
    }),
];

/// The other warnings, by API version and kind: given for every write.
const KINDS: &[(&str, &str, Warn)] = &[
    ("v1", "Endpoints", endpoints),
    ("v1", "Node", node),
    ("v1", "PersistentVolume", volume),
    ("v1", "PersistentVolumeClaim", |claim, warnings| {
        old_class(
            claim,
            "deprecated since v1.8; use \"storageClassName\" attribute instead",
            warnings,
        );
        claim_spec(&claim["spec"], "spec", warnings);
    }),
    ("v1", "Service", service),
    ("apps/v1", "StatefulSet", stateful_set),
    ("discovery.k8s.io/v1", "EndpointSlice", |slice, warnings| {
        for (n, endpoint) in elements(&slice["endpoints"]) {
            for (m, ip) in elements(&endpoint["addresses"]) {
                warnings.extend(address(&format!("endpoints[{n}].addresses[{m}]"), str_of(ip)));
            }
        }
    }),
    ("networking.k8s.io/v1", "NetworkPolicy", network_policy),
    ("node.k8s.io/v1", "RuntimeClass", |class, warnings| {
        let problems = keys(&class["scheduling"]["nodeSelector"]).filter_map(pods::node_label);
        warnings.extend(problems.map(|problem| format!("scheduling.nodeSelector: {problem}")));
    }),
    ("storage.k8s.io/v1", "CSIStorageCapacity", |capacity, warnings| {
        let topology = &capacity["nodeTopology"];
        pods::node_term(topology, "nodeTopology", false, warnings);
        for label in keys(&topology["matchLabels"]) {
            let problem = pods::node_label(label);
            warnings.extend(problem.map(|p| format!("nodeTopology.matchLabels.{label}: {p}")));
        }
    }),
    ("storage.k8s.io/v1", "StorageClass", |class, warnings| {
        for (n, topology) in elements(&class["allowedTopologies"]) {
            for (m, wanted) in elements(&topology["matchLabelExpressions"]) {
                let at = format!("allowedTopologies[{n}].matchLabelExpressions[{m}].key");
                let problem = pods::node_label(str_of(&wanted["key"]));
                warnings.extend(problem.map(|problem| format!("{at}: {problem}")));
            }
        }
    }),
];

/// The API versions and kinds that newer ones replace, with the warning about their use.
const DEPRECATED: &[(&str, &str, &str)] = &[(
    "v1",
    "Endpoints",
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
)];

/// The annotation that named a volume's class before there was a member for it.
const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the warnings about a new object, or about a new state of an object.
pub(crate) fn of(
    api_version: &str,
    kind: &str,
    before: Option<&Value>,
    object: &Value,
) -> Vec<String> {
    let find = |kinds: &[(&str, &str, Warn)]| {
        let found =
            kinds.iter().find(|(version, name, _)| (*version, *name) == (api_version, kind));
        found.map(|(.., warn)| *warn)
    };
    let mut warnings = Vec::new();
    let is_same = |member: &str| before.is_some_and(|before| before[member] == object[member]);
    // People do not change pods, so a change has no warnings.
    let told = is_same("spec") && is_same("template") || before.is_some() && kind == "Pod";
    if let Some(warn) = find(RUNS).filter(|_| !told) {
        warn(object, &mut warnings);
    }
    if let Some(warn) = find(KINDS) {
        warn(object, &mut warnings);
    }
    match kind {
        "Ingress" if before.is_none() => ingress(object, &mut warnings),
        "EndpointSlice" if before.is_none() && object["addressType"] == "FQDN" => {
            warnings.push("spec.addressType: FQDN endpoints are deprecated".into());
        }
        "CSIDriver" => csi_driver(before, object, &mut warnings),
        "CronJob" if before.is_some() && str_of(&object["spec"]["schedule"]).contains("TZ") => {
            warnings.push(
                "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
                 https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more \
                 details"
                    .into(),
            );
        }
        _ => {}
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

fn elements(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    value.as_array().into_iter().flatten().enumerate()
}

fn keys(value: &Value) -> impl Iterator<Item = &str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str())
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn template(object: &Value, warnings: &mut Vec<String>) {
    pods::add(&object["spec"]["template"], "spec.template.", warnings);
}

fn job_spec(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    let number = |member: &str| spec[member].as_i64().unwrap_or(0);
    let many = number("completions") > 100_000 && number("parallelism") > 10_000;
    if spec["completionMode"] == "Indexed" && many {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a \
             parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes \
             when a big number of indexes fail"
        ));
    }
    pods::add(&spec["template"], &format!("{path}.template."), warnings);
}

/// Warns about sizes of a claim that are no whole number of bytes.
fn claim_spec(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    for member in ["requests", "limits"] {
        let size = Quantity::of(&spec["resources"][member]["storage"]);
        if let Some(size) = size.filter(|size| !size.is_whole()) {
            let size = size.canonical();
            warnings.push(format!(
                "{path}.resources.{member}[storage]: fractional byte value {size:?} is invalid, \
                 must be an integer"
            ));
        }
    }
}

fn old_class(object: &Value, problem: &str, warnings: &mut Vec<String>) {
    if !object["metadata"]["annotations"][OLD_CLASS].is_null() {
        warnings.push(format!("metadata.annotations[{OLD_CLASS}]: {problem}"));
    }
}

fn stateful_set(object: &Value, warnings: &mut Vec<String>) {
    for (n, claim) in elements(&object["spec"]["volumeClaimTemplates"]) {
        claim_spec(&claim["spec"], &format!("spec.volumeClaimTemplates[{n}]"), warnings);
    }
    if object["spec"]["revisionHistoryLimit"].as_i64().is_some_and(|limit| limit < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value \
             >= 0 is recommended"
                .into(),
        );
    }
}

fn volume(object: &Value, warnings: &mut Vec<String>) {
    let problem = "deprecated since v1.8; use \"storageClassName\" attribute instead";
    old_class(object, problem, warnings);
    let options = "volume.beta.kubernetes.io/mount-options";
    if !object["metadata"]["annotations"][options].is_null() {
        warnings.push(format!(
            "metadata.annotations[{options}]: deprecated since v1.31; use \"mountOptions\" \
             attribute instead"
        ));
    }
    let spec = &object["spec"];
    if spec["persistentVolumeReclaimPolicy"] == "Recycle" {
        warnings.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. \
             Instead, the recommended approach is to use dynamic provisioning."
                .into(),
        );
    }
    for (n, term) in elements(&spec["nodeAffinity"]["required"]["nodeSelectorTerms"]) {
        let at = format!("spec.nodeAffinity.required.nodeSelectorTerms[{n}]");
        pods::node_term(term, &at, false, warnings);
    }
    for (source, problem) in pods::VOLUMES.iter().filter(|(source, _)| !spec[*source].is_null()) {
        // Of these two, volumes of pods alone are deprecated.
        if !matches!(*source, "flocker" | "quobyte") {
            let source = if *source == "storageos" { "storageOS" } else { source };
            warnings.push(format!("spec.{source}: {problem}"));
        }
    }
}

fn service(object: &Value, warnings: &mut Vec<String>) {
    let spec = &object["spec"];
    let hints = "service.kubernetes.io/topology-aware-hints";
    if !object["metadata"]["annotations"][hints].is_null() {
        warnings.push(format!(
            "annotation {hints} is deprecated, please use service.kubernetes.io/topology-mode \
             instead"
        ));
    }
    let mut addresses = |member: &str| {
        for (n, ip) in elements(&spec[member]) {
            warnings.extend(address(&format!("spec.{member}[{n}]"), str_of(ip)));
        }
    };
    addresses("clusterIPs");
    addresses("externalIPs");
    let kind = str_of(&spec["type"]);
    let has_external = elements(&spec["externalIPs"]).next().is_some();
    let headless = kind == "ClusterIP" && spec["clusterIP"] == "None";
    let ip = str_of(&spec["loadBalancerIP"]);
    let ranges = elements(&spec["loadBalancerSourceRanges"]);
    let is_name = kind == "ExternalName";
    let told = [
        (headless && !ip.is_empty(), "spec.loadBalancerIP is ignored for headless services"),
        (headless && has_external, "spec.externalIPs is ignored for headless services"),
        (
            headless && spec["sessionAffinity"] != "None",
            "spec.SessionAffinity is ignored for headless services",
        ),
        (
            has_external && !headless && !is_name,
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
        ),
        (has_external && is_name, "spec.externalIPs is ignored when spec.type is \"ExternalName\""),
        (
            !is_name && !str_of(&spec["externalName"]).is_empty(),
            "spec.externalName is ignored when spec.type is not \"ExternalName\"",
        ),
        (
            spec["trafficDistribution"] == "PreferClose",
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
        ),
    ];
    warnings.extend(told.iter().filter(|(is, _)| *is).map(|(_, text)| (*text).to_owned()));
    warnings.extend(address("spec.loadBalancerIP", ip));
    for (n, text) in ranges {
        warnings.extend(range(&format!("spec.loadBalancerSourceRanges[{n}]"), str_of(text)));
    }
}

fn node(object: &Value, warnings: &mut Vec<String>) {
    let spec = &object["spec"];
    if !spec["configSource"].is_null() {
        warnings.push("spec.configSource: the feature is removed".into());
    }
    if !str_of(&spec["externalID"]).is_empty() {
        let text = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        warnings.push(text.into());
    }
    for (n, text) in elements(&spec["podCIDRs"]) {
        warnings.extend(range(&format!("spec.podCIDRs[{n}]"), str_of(text)));
    }
}

fn endpoints(object: &Value, warnings: &mut Vec<String>) {
    for (n, subset) in elements(&object["subsets"]) {
        for member in ["addresses", "notReadyAddresses"] {
            for (m, one) in elements(&subset[member]) {
                let at = format!("subsets[{n}].{member}[{m}].ip");
                warnings.extend(address(&at, str_of(&one["ip"])));
            }
        }
    }
}

fn network_policy(object: &Value, warnings: &mut Vec<String>) {
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (n, rule) in elements(&object["spec"][direction]) {
            for (m, peer) in elements(&rule[peers]) {
                let at = format!("spec.{direction}[{n}].{peers}[{m}].ipBlock");
                let block = &peer["ipBlock"];
                warnings.extend(range(&format!("{at}.cidr"), str_of(&block["cidr"])));
                for (k, except) in elements(&block["except"]) {
                    warnings.extend(range(&format!("{at}.except[{k}]"), str_of(except)));
                }
            }
        }
    }
}

fn ingress(object: &Value, warnings: &mut Vec<String>) {
    let class = "kubernetes.io/ingress.class";
    let set = !object["metadata"]["annotations"][class].is_null();
    if set && object["spec"]["ingressClassName"].is_null() {
        warnings.push(format!(
            "annotation {class:?} is deprecated, please use 'spec.ingressClassName' instead"
        ));
    }
}

fn csi_driver(before: Option<&Value>, object: &Value, warnings: &mut Vec<String>) {
    let tokens = |object: &Value| object["spec"]["tokenRequests"].clone();
    let changed = before.is_none_or(|before| tokens(before) != tokens(object));
    let has_some = elements(&object["spec"]["tokenRequests"]).next().is_some();
    if changed && has_some && object["spec"]["serviceAccountTokenInSecrets"].is_null() {
        warnings.push(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to \
             true to prevent possible logging of tokens in volume attributes"
                .into(),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(api_version: &str, kind: &str, object: &Value) -> Vec<String> {
        of(api_version, kind, None, object)
    }

    #[test]
    fn doubtful_templates_are_told_in_a_real_servers_words() {
        let spec = json!({
            "nodeSelector": {"beta.kubernetes.io/os": "linux"},
            "imagePullSecrets": [{"name": "a"}, {"name": "a"}, {}],
            "hostAliases": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}],
            "terminationGracePeriodSeconds": -1,
            "volumes": [
                {"name": "g", "gitRepo": {}},
                {"name": "m", "configMap": {"name": "c", "items": [
                    {"key": "a", "path": "x"}, {"key": "b", "path": "x/y"}, {"key": "c", "path": "xy"},
                ]}},
            ],
            "containers": [
                {
                    "name": "a",
                    "env": [
                        {"name": "A", "value": "1"}, {"name": "A", "value": "2"},
                        {"name": "A", "value": "$(A)3"},
                    ],
                    "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}],
                    "resources": {"limits": {"memory": "100m"}},
                },
                {"name": "b", "ports": [
                    {"containerPort": 80, "name": "http", "protocol": "TCP", "hostPort": 8080},
                ]},
            ],
        });
        let deployment = json!({"spec": {"template": {"spec": spec}}});
        let at = "spec.template.spec.";
        let wanted = [
            "nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" \
             instead",
            "volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
            "volume \"m\" (ConfigMap \"c\"): overlapping paths: \"x/y\" with \"x\"",
            "hostAliases[1].ip: duplicate ip \"10.0.0.1\"",
            "imagePullSecrets[1].name: duplicate name \"a\"",
            "imagePullSecrets[2].name: invalid empty name \"\"",
            "containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, \
             must be an integer",
            "containers[0].env[1]: hides previous definition of \"A\", which may be dropped when \
             using apply",
            "containers[1].ports[0]: overlapping port definition with containers[0].ports[0]",
            "containers[1].ports[0]: duplicate port name \"http\" with containers[0].ports[0], \
             services and probes that select ports by name will use containers[0].ports[0]",
            "terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be \
             treated as 1",
        ];
        let told = new("apps/v1", "Deployment", &deployment);
        let told: Vec<String> = told.iter().map(|text| text.replace(at, "")).collect();
        assert_eq!(told, wanted);
        let mut labelled = deployment.clone();
        labelled["metadata"] = json!({"labels": {"a": "b"}});
        let unchanged = of("apps/v1", "Deployment", Some(&deployment), &labelled);
        assert_eq!(unchanged, Vec::<String>::new(), "what was told once is not told again");
    }

    #[test]
    fn other_kinds_have_warnings_of_their_own() {
        for (version, kind, object, wanted) in [
            (
                "v1",
                "Service",
                json!({"spec": {
                    "type": "ClusterIP", "clusterIP": "None", "sessionAffinity": "ClientIP",
                }}),
                "spec.SessionAffinity is ignored for headless services",
            ),
            (
                "networking.k8s.io/v1",
                "Ingress",
                json!({"metadata": {"annotations": {"kubernetes.io/ingress.class": "nginx"}}}),
                "annotation \"kubernetes.io/ingress.class\" is deprecated, please use \
                 'spec.ingressClassName' instead",
            ),
            (
                "v1",
                "PersistentVolume",
                json!({"spec": {"cephfs": {}}}),
                "spec.cephfs: deprecated in v1.28, non-functional in v1.31+",
            ),
            (
                "networking.k8s.io/v1",
                "NetworkPolicy",
                json!({"spec": {"ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.1/8"}}]}]}}),
                "spec.ingress[0].from[0].ipBlock.cidr: CIDR value \"10.0.0.1/8\" is ambiguous in \
                 this context (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)",
            ),
        ] {
            assert_eq!(new(version, kind, &object), [wanted], "{kind}");
        }
    }
}
