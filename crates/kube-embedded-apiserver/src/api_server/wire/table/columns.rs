//! The columns of built-in types, and the values of their cells.

use serde_json::Value;

use super::{duration, pod};
use crate::api_server::resource::ResourceType;

/// A column: its name, its type, its priority (1 for a wide table only), and its cells.
pub(super) struct BuiltinColumn {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) wide: i64,
    pub(super) cell: fn(&Value) -> Value,
    /// The documentation; empty for that of the name.
    pub(super) description: &'static str,
}

impl BuiltinColumn {
    const fn described(self, description: &'static str) -> Self {
        Self { description, ..self }
    }
}

const fn text(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "string", wide: 0, cell, description: "" }
}

const fn wide(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "string", wide: 1, cell, description: "" }
}

const fn integer(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "integer", wide: 0, cell, description: "" }
}

const NAME: BuiltinColumn = text("Name", |o| o["metadata"]["name"].clone());
const AGE: BuiltinColumn = text("Age", |o| duration::since(&o["metadata"]["creationTimestamp"]));
const CONTAINERS: BuiltinColumn = wide("Containers", |o| of_containers(o, "name"));
const IMAGES: BuiltinColumn = wide("Images", |o| of_containers(o, "image"));
const SELECTOR: BuiltinColumn = wide("Selector", |o| pairs(&o["spec"]["selector"]["matchLabels"]));

const GENERIC: &[BuiltinColumn] = &[NAME, AGE];

const PODS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", pod::ready),
    text("Status", pod::status),
    text("Restarts", pod::restarts),
    AGE,
    wide("IP", |o| or_none(&o["status"]["podIP"])),
    wide("Node", |o| or_none(&o["spec"]["nodeName"])),
    wide("Nominated Node", |o| or_none(&o["status"]["nominatedNodeName"])),
    wide("Readiness Gates", pod::gates),
];

const NODES: &[BuiltinColumn] = &[
    NAME,
    text("Status", node_status),
    text("Roles", node_roles),
    AGE,
    text("Version", |o| o["status"]["nodeInfo"]["kubeletVersion"].as_str().into()),
    wide("Internal-IP", |o| node_address(o, "InternalIP")),
    wide("External-IP", |o| node_address(o, "ExternalIP")),
    wide("OS-Image", |o| or_unknown(&o["status"]["nodeInfo"]["osImage"])),
    wide("Kernel-Version", |o| or_unknown(&o["status"]["nodeInfo"]["kernelVersion"])),
    wide("Container-Runtime", |o| or_unknown(&o["status"]["nodeInfo"]["containerRuntimeVersion"])),
];

const SERVICES: &[BuiltinColumn] = &[
    NAME,
    text("Type", |o| o["spec"]["type"].as_str().unwrap_or("ClusterIP").into()),
    text("Cluster-IP", |o| or_none(&o["spec"]["clusterIP"])),
    text("External-IP", external_ip),
    text("Port(s)", ports),
    AGE,
    wide("Selector", |o| pairs(&o["spec"]["selector"])),
];

const DEPLOYMENTS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", |o| ratio(&o["status"]["readyReplicas"], &o["spec"]["replicas"], 1)),
    text("Up-to-date", |o| count(&o["status"]["updatedReplicas"])),
    text("Available", |o| count(&o["status"]["availableReplicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const REPLICA_SETS: &[BuiltinColumn] = &[
    NAME,
    integer("Desired", |o| o["spec"]["replicas"].as_u64().unwrap_or(1).into()),
    integer("Current", |o| count(&o["status"]["replicas"])),
    integer("Ready", |o| count(&o["status"]["readyReplicas"])),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const STATEFUL_SETS: &[BuiltinColumn] = &[
    NAME,
    text("Ready", |o| ratio(&o["status"]["readyReplicas"], &o["spec"]["replicas"], 1)),
    AGE,
    CONTAINERS,
    IMAGES,
];

const DAEMON_SETS: &[BuiltinColumn] = &[
    NAME,
    integer("Desired", |o| count(&o["status"]["desiredNumberScheduled"])),
    integer("Current", |o| count(&o["status"]["currentNumberScheduled"])),
    integer("Ready", |o| count(&o["status"]["numberReady"])),
    integer("Up-to-date", |o| count(&o["status"]["updatedNumberScheduled"])),
    integer("Available", |o| count(&o["status"]["numberAvailable"])),
    text("Node Selector", |o| pairs(&o["spec"]["template"]["spec"]["nodeSelector"])),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const JOBS: &[BuiltinColumn] = &[
    NAME,
    text("Status", job_status),
    text("Completions", |o| ratio(&o["status"]["succeeded"], &o["spec"]["completions"], 1)),
    text("Duration", job_duration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const EVENTS: &[BuiltinColumn] = &[
    text("Last Seen", |o| {
        let last = ["lastTimestamp", "eventTime", "firstTimestamp"].map(|member| &o[member]);
        duration::since(last.into_iter().find(|time| time.is_string()).unwrap_or(&Value::Null))
    }),
    text("Type", |o| o["type"].clone()),
    text("Reason", |o| o["reason"].clone()),
    text("Object", |o| {
        let about = &o["involvedObject"];
        let (kind, name) = (about["kind"].as_str(), about["name"].as_str());
        format!("{}/{}", kind.unwrap_or_default().to_lowercase(), name.unwrap_or_default()).into()
    }),
    wide("Subobject", |o| o["involvedObject"]["fieldPath"].as_str().unwrap_or_default().into()),
    wide("Source", |o| o["source"]["component"].as_str().unwrap_or_default().into()),
    text("Message", |o| o["message"].as_str().unwrap_or_default().trim().into()),
    wide("First Seen", |o| duration::since(&o["firstTimestamp"])),
    wide("Count", |o| o["count"].as_u64().unwrap_or(1).into()),
    wide("Name", |o| o["metadata"]["name"].clone()),
];

const CONFIG_MAPS: &[BuiltinColumn] = &[
    NAME,
    text("Data", |o| entries(o, "binaryData")).described(
        "Data contains the configuration data. Each key must consist of alphanumeric characters, \
         '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The \
         keys stored in Data must not overlap with the keys in the BinaryData field, this is \
         enforced during validation process.",
    ),
    AGE,
];

const SECRETS: &[BuiltinColumn] = &[
    NAME,
    text("Type", |o| o["type"].as_str().unwrap_or("Opaque").into()),
    text("Data", |o| entries(o, "stringData")),
    AGE,
];

const NAMESPACES: &[BuiltinColumn] = &[NAME, text("Status", |o| o["status"]["phase"].clone()), AGE];

const SERVICE_ACCOUNTS: &[BuiltinColumn] =
    &[NAME, text("Secrets", |o| o["secrets"].as_array().map_or(0, Vec::len).into()), AGE];

const LEASES: &[BuiltinColumn] =
    &[NAME, text("Holder", |o| o["spec"]["holderIdentity"].as_str().into()), AGE];

const DEFINITIONS: &[BuiltinColumn] =
    &[NAME, text("Created At", |o| o["metadata"]["creationTimestamp"].clone())];

pub(super) fn of(resource: &ResourceType) -> &'static [BuiltinColumn] {
    match &*resource.qualified() {
        "pods" => PODS,
        "nodes" => NODES,
        "services" => SERVICES,
        "events" => EVENTS,
        "configmaps" => CONFIG_MAPS,
        "secrets" => SECRETS,
        "namespaces" => NAMESPACES,
        "serviceaccounts" => SERVICE_ACCOUNTS,
        "deployments.apps" => DEPLOYMENTS,
        "replicasets.apps" => REPLICA_SETS,
        "statefulsets.apps" => STATEFUL_SETS,
        "daemonsets.apps" => DAEMON_SETS,
        "jobs.batch" => JOBS,
        "leases.coordination.k8s.io" => LEASES,
        "customresourcedefinitions.apiextensions.k8s.io" => DEFINITIONS,
        _ => GENERIC,
    }
}

fn or_none(value: &Value) -> Value {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or("<none>").into()
}

fn or_unknown(value: &Value) -> Value {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or("<unknown>").into()
}

fn count(value: &Value) -> Value {
    value.as_u64().unwrap_or(0).into()
}

/// Returns `part/whole`.
fn ratio(part: &Value, whole: &Value, default: u64) -> Value {
    format!("{}/{}", part.as_u64().unwrap_or(0), whole.as_u64().unwrap_or(default)).into()
}

fn entries(object: &Value, other: &str) -> Value {
    let count = |member: &str| object[member].as_object().map_or(0, serde_json::Map::len);
    (count("data") + count(other)).into()
}

fn of_containers(object: &Value, member: &str) -> Value {
    let containers = object["spec"]["template"]["spec"]["containers"].as_array();
    let texts = containers.into_iter().flatten().filter_map(|container| container[member].as_str());
    texts.collect::<Vec<_>>().join(",").into()
}

/// Returns `a=b,c=d`.
fn pairs(map: &Value) -> Value {
    let pairs: Vec<String> = map
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() { "<none>".into() } else { pairs.join(",").into() }
}

fn external_ip(service: &Value) -> Value {
    let texts = |values: &Value, members: &[&str]| -> Vec<String> {
        let values = values.as_array().into_iter().flatten();
        let text = |value: &Value| {
            let mut inner = members.iter().map(|member| &value[*member]);
            let found =
                if members.is_empty() { Some(value) } else { inner.find(|v| v.is_string()) };
            found.and_then(Value::as_str).map(str::to_owned)
        };
        values.filter_map(text).collect()
    };
    let mut found = texts(&service["spec"]["externalIPs"], &[]);
    match service["spec"]["type"].as_str() {
        Some("ExternalName") => return or_none(&service["spec"]["externalName"]),
        Some("LoadBalancer") => {
            found.extend(texts(&service["status"]["loadBalancer"]["ingress"], &["ip", "hostname"]));
            if found.is_empty() {
                return "<pending>".into();
            }
        }
        _ => {}
    }
    if found.is_empty() { "<none>".into() } else { found.join(",").into() }
}

fn ports(service: &Value) -> Value {
    let ports: Vec<String> = service["spec"]["ports"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|port| {
            let protocol = port["protocol"].as_str().unwrap_or("TCP");
            let number = &port["port"];
            match port["nodePort"].as_u64().filter(|node| *node > 0) {
                Some(node) => format!("{number}:{node}/{protocol}"),
                None => format!("{number}/{protocol}"),
            }
        })
        .collect();
    if ports.is_empty() { "<none>".into() } else { ports.join(",").into() }
}

fn job_status(job: &Value) -> Value {
    let conditions = job["status"]["conditions"].as_array();
    let mut met = conditions.into_iter().flatten().filter(|c| c["status"] == "True");
    match met.find_map(|c| c["type"].as_str()) {
        Some(word @ ("Complete" | "Failed" | "Suspended")) => word.into(),
        _ if !job["metadata"]["deletionTimestamp"].is_null() => "Terminating".into(),
        _ => "Running".into(),
    }
}

fn job_duration(job: &Value) -> Value {
    let (from, to) = (&job["status"]["startTime"], &job["status"]["completionTime"]);
    match duration::between(from, to) {
        Some(text) => text.into(),
        None if from.is_null() => "".into(),
        None => duration::since(from),
    }
}

fn node_status(node: &Value) -> Value {
    let mut conditions = node["status"]["conditions"].as_array().into_iter().flatten();
    let ready = conditions.find(|condition| condition["type"] == "Ready");
    let mut words = vec![match ready.map(|condition| condition["status"] == "True") {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    }];
    if node["spec"]["unschedulable"] == true {
        words.push("SchedulingDisabled");
    }
    words.join(",").into()
}

fn node_roles(node: &Value) -> Value {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let mut roles: Vec<&str> = labels
        .filter_map(|(label, value)| match label.strip_prefix("node-role.kubernetes.io/") {
            None if label == "kubernetes.io/role" => value.as_str(),
            role => role.filter(|role| !role.is_empty()),
        })
        .collect();
    roles.sort_unstable();
    if roles.is_empty() { "<none>".into() } else { roles.join(",").into() }
}

fn node_address(node: &Value, kind: &str) -> Value {
    let mut addresses = node["status"]["addresses"].as_array().into_iter().flatten();
    let found = addresses.find(|address| address["type"] == kind);
    found.map_or_else(|| "<none>".into(), |address| address["address"].clone())
}
