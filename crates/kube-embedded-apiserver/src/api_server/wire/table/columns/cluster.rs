//! The columns of nodes, events, access, admission, and of what all parts of a cluster use.

use serde_json::Value;

use super::{
    AGE, BuiltinColumn, NAME, boolean, condition, count, elements, integer, joined, number_of, or,
    or_none, or_unset, plain, selector, str_of, text, wide,
};
use crate::api_server::wire::table::duration;

const NODES: &[BuiltinColumn] = &[
    NAME,
    text("Status", node_status),
    text("Roles", node_roles),
    AGE,
    text("Version", |o| plain(&o["status"]["nodeInfo"]["kubeletVersion"])),
    wide("Internal-IP", |o| node_address(o, "InternalIP")),
    wide("External-IP", |o| node_address(o, "ExternalIP")),
    wide("OS-Image", |o| or(&o["status"]["nodeInfo"]["osImage"], "<unknown>")),
    wide("Kernel-Version", |o| {
        let info = &o["status"]["nodeInfo"];
        let version = or(&info["kernelVersion"], "<unknown>");
        match str_of(&info["architecture"]) {
            "" => version,
            architecture => format!("{} ({architecture})", str_of(&version)).into(),
        }
    }),
    wide("Container-Runtime", |o| {
        or(&o["status"]["nodeInfo"]["containerRuntimeVersion"], "<unknown>")
    }),
];

const EVENTS: &[BuiltinColumn] = &[
    text("Last Seen", |o| {
        let last = [&o["series"]["lastObservedTime"], &o["lastTimestamp"]];
        let last = last.into_iter().chain([&o["deprecatedLastTimestamp"]]);
        last.into_iter()
            .find(|time| time.is_string())
            .map_or_else(|| first_seen(o), duration::since)
    }),
    text("Type", |o| plain(&o["type"])),
    text("Reason", |o| plain(&o["reason"])),
    text("Object", |o| {
        let about = about(o);
        let kind = str_of(&about["kind"]).to_lowercase();
        match str_of(&about["name"]) {
            "" => kind.into(),
            name => format!("{kind}/{name}").into(),
        }
    }),
    wide("Subobject", |o| plain(&about(o)["fieldPath"])),
    wide("Source", |o| {
        let source = either(o, "source", "deprecatedSource");
        let component = or(&source["component"], str_of(&reporter(o)));
        match (str_of(&source["host"]), str_of(&o["reportingInstance"])) {
            ("", "") => component,
            ("", host) | (host, _) => format!("{}, {host}", str_of(&component)).into(),
        }
    }),
    text("Message", |o| str_of(either(o, "message", "note")).trim().into()),
    wide("First Seen", first_seen),
    wide("Count", |o| {
        let counts = [&o["series"]["count"], &o["count"], &o["deprecatedCount"]];
        counts.into_iter().find_map(|count| count.as_u64().filter(|n| *n > 0)).unwrap_or(1).into()
    }),
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
    text("Type", |o| or(&o["type"], "Opaque")),
    text("Data", |o| entries(o, "stringData")),
    AGE,
];

const NAMESPACES: &[BuiltinColumn] = &[NAME, text("Status", |o| plain(&o["status"]["phase"])), AGE];

const LEASES: &[BuiltinColumn] =
    &[NAME, text("Holder", |o| plain(&o["spec"]["holderIdentity"])), AGE];

const QUOTAS: &[BuiltinColumn] = &[
    NAME,
    text("Request", |o| usage(o, |name| !name.starts_with("limits."))),
    text("Limit", |o| usage(o, |name| name.starts_with("limits."))),
    AGE,
];

const BINDINGS: &[BuiltinColumn] = &[
    NAME,
    text("Role", |o| {
        let role = &o["roleRef"];
        format!("{}/{}", str_of(&role["kind"]), str_of(&role["name"])).into()
    }),
    AGE,
    wide("Users", |o| subjects(o, "User")),
    wide("Groups", |o| subjects(o, "Group")),
    wide("ServiceAccounts", |o| subjects(o, "ServiceAccount")),
];

const SIGNING_REQUESTS: &[BuiltinColumn] = &[
    NAME,
    AGE,
    text("SignerName", |o| or_none(&o["spec"]["signerName"])),
    text("Requestor", |o| plain(&o["spec"]["username"])),
    text("RequestedDuration", |o| {
        let seconds = o["spec"]["expirationSeconds"].as_i64();
        seconds.map_or_else(|| "<none>".to_owned(), duration::human).into()
    }),
    text("Condition", |o| {
        let first = match (condition(o, "Denied"), condition(o, "Approved")) {
            (Some(_), _) => "Denied",
            (None, Some(_)) => "Approved",
            (None, None) => "Pending",
        };
        let failed = condition(o, "Failed").map(|_| "Failed");
        let issued = (!str_of(&o["status"]["certificate"]).is_empty()).then_some("Issued");
        joined([Some(first), failed, issued].into_iter().flatten().map(str::to_owned), ",")
    }),
];

const PRIORITIES: &[BuiltinColumn] = &[
    NAME,
    integer("Value", |o| count(&o["value"])),
    boolean("Global-Default", |o| super::truth(&o["globalDefault"])),
    AGE,
    text("PreemptionPolicy", |o| plain(&o["preemptionPolicy"])),
];

const RUNTIMES: &[BuiltinColumn] = &[NAME, text("Handler", |o| plain(&o["handler"])), AGE];

const API_SERVICES: &[BuiltinColumn] = &[
    NAME,
    text("Service", |o| match &o["spec"]["service"] {
        Value::Null => "Local".into(),
        service => format!("{}/{}", str_of(&service["namespace"]), str_of(&service["name"])).into(),
    }),
    text("Available", |o| {
        let Some(condition) = condition(o, "Available") else { return "Unknown".into() };
        match (str_of(&condition["status"]), str_of(&condition["reason"])) {
            (status @ "True", _) | (status, "") => status.into(),
            (status, reason) => format!("{status} ({reason})").into(),
        }
    }),
    AGE,
];

const WEBHOOKS: &[BuiltinColumn] = &[NAME, integer("Webhooks", |o| number_of(&o["webhooks"])), AGE];

const VALIDATING_POLICIES: &[BuiltinColumn] = &[
    NAME,
    integer("Validations", |o| number_of(&o["spec"]["validations"])),
    text("ParamKind", parameter_kind),
    AGE,
];

const MUTATING_POLICIES: &[BuiltinColumn] = &[
    NAME,
    integer("Mutations", |o| number_of(&o["spec"]["mutations"])),
    text("ParamKind", parameter_kind),
    AGE,
];

const POLICY_BINDINGS: &[BuiltinColumn] = &[
    NAME,
    text("PolicyName", |o| plain(&o["spec"]["policyName"])),
    text("ParamRef", |o| {
        let parameter = &o["spec"]["paramRef"];
        match str_of(&parameter["name"]) {
            "" => or_unset(&selector(&parameter["selector"]).into()),
            name => format!("{}/{name}", str_of(&or(&parameter["namespace"], "*"))).into(),
        }
    }),
    AGE,
];

const FLOW_SCHEMAS: &[BuiltinColumn] = &[
    NAME,
    text("PriorityLevel", |o| plain(&o["spec"]["priorityLevelConfiguration"]["name"])),
    text("MatchingPrecedence", |o| count(&o["spec"]["matchingPrecedence"])),
    text("DistinguisherMethod", |o| or_none(&o["spec"]["distinguisherMethod"]["type"])),
    AGE,
    text("MissingPL", |o| {
        condition(o, "Dangling").map_or("?".into(), |dangling| plain(&dangling["status"]))
    }),
];

const PRIORITY_LEVELS: &[BuiltinColumn] = &[
    NAME,
    text("Type", |o| plain(&o["spec"]["type"])),
    text("NominalConcurrencyShares", |o| {
        limited(&o["spec"]["limited"], |limited| &limited["nominalConcurrencyShares"])
    }),
    text("Queues", |o| queuing(o, "queues")),
    text("HandSize", |o| queuing(o, "handSize")),
    text("QueueLengthLimit", |o| queuing(o, "queueLengthLimit")),
    AGE,
];

const CLAIMS: &[BuiltinColumn] = &[
    NAME,
    text("State", |o| {
        let allocated = !o["status"]["allocation"].is_null();
        let deleted = !o["metadata"]["deletionTimestamp"].is_null();
        let reserved = allocated && elements(&o["status"]["reservedFor"]).next().is_some();
        let states = [
            (deleted, "deleted"),
            (!allocated && !deleted, "pending"),
            (allocated, "allocated"),
            (reserved, "reserved"),
        ];
        joined(states.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned()), ",")
    }),
    AGE,
];

const SLICES: &[BuiltinColumn] = &[
    NAME,
    text("Node", |o| plain(&o["spec"]["nodeName"])),
    text("Driver", |o| plain(&o["spec"]["driver"])),
    text("Pool", |o| plain(&o["spec"]["pool"]["name"])),
    AGE,
];

pub(super) fn of(name: &str) -> Option<&'static [BuiltinColumn]> {
    Some(match name {
        "nodes" => NODES,
        "events" | "events.events.k8s.io" => EVENTS,
        "configmaps" => CONFIG_MAPS,
        "secrets" => SECRETS,
        "namespaces" => NAMESPACES,
        "resourcequotas" => QUOTAS,
        "leases.coordination.k8s.io" => LEASES,
        "rolebindings.rbac.authorization.k8s.io"
        | "clusterrolebindings.rbac.authorization.k8s.io" => BINDINGS,
        "certificatesigningrequests.certificates.k8s.io" => SIGNING_REQUESTS,
        "priorityclasses.scheduling.k8s.io" => PRIORITIES,
        "runtimeclasses.node.k8s.io" => RUNTIMES,
        "apiservices.apiregistration.k8s.io" => API_SERVICES,
        "mutatingwebhookconfigurations.admissionregistration.k8s.io"
        | "validatingwebhookconfigurations.admissionregistration.k8s.io" => WEBHOOKS,
        "validatingadmissionpolicies.admissionregistration.k8s.io" => VALIDATING_POLICIES,
        "mutatingadmissionpolicies.admissionregistration.k8s.io" => MUTATING_POLICIES,
        "validatingadmissionpolicybindings.admissionregistration.k8s.io"
        | "mutatingadmissionpolicybindings.admissionregistration.k8s.io" => POLICY_BINDINGS,
        "flowschemas.flowcontrol.apiserver.k8s.io" => FLOW_SCHEMAS,
        "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io" => PRIORITY_LEVELS,
        "resourceclaims.resource.k8s.io" => CLAIMS,
        "resourceslices.resource.k8s.io" => SLICES,
        _ => return None,
    })
}

fn entries(object: &Value, other: &str) -> Value {
    let count = |member: &str| object[member].as_object().map_or(0, serde_json::Map::len);
    (count("data") + count(other)).into()
}

/// Returns a member that the two versions of events name differently.
fn either<'a>(event: &'a Value, old: &str, new: &str) -> &'a Value {
    if event[old].is_null() { &event[new] } else { &event[old] }
}

/// Returns the object that an event is about.
fn about(event: &Value) -> &Value {
    either(event, "involvedObject", "regarding")
}

fn reporter(event: &Value) -> Value {
    plain(either(event, "reportingComponent", "reportingController"))
}

fn first_seen(event: &Value) -> Value {
    let times = [either(event, "firstTimestamp", "deprecatedFirstTimestamp"), &event["eventTime"]];
    duration::since(times.into_iter().find(|time| time.is_string()).unwrap_or(&Value::Null))
}

fn usage(quota: &Value, shown: fn(&str) -> bool) -> Value {
    let (hard, used) = (&quota["status"]["hard"], &quota["status"]["used"]);
    let names = hard.as_object().into_iter().flatten().filter(|(name, _)| shown(name));
    let of = |value: &Value| str_of(&or(value, "0")).to_owned();
    joined(names.map(|(name, hard)| format!("{name}: {}/{}", of(&used[name]), of(hard))), ", ")
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let found = elements(&binding["subjects"]).filter(|subject| subject["kind"] == kind);
    let named = found.map(|subject| match str_of(&subject["namespace"]) {
        "" => str_of(&subject["name"]).to_owned(),
        namespace => format!("{namespace}/{}", str_of(&subject["name"])),
    });
    joined(named, ", ")
}

fn parameter_kind(policy: &Value) -> Value {
    match &policy["spec"]["paramKind"] {
        Value::Null => "<unset>".into(),
        kind => format!("{}/{}", str_of(&kind["apiVersion"]), str_of(&kind["kind"])).into(),
    }
}

fn limited(limited: &Value, member: fn(&Value) -> &Value) -> Value {
    match member(limited) {
        Value::Null => "<none>".into(),
        value => value.clone(),
    }
}

fn queuing(level: &Value, member: &str) -> Value {
    match &level["spec"]["limited"]["limitResponse"]["queuing"][member] {
        Value::Null => "<none>".into(),
        value => value.clone(),
    }
}

fn node_status(node: &Value) -> Value {
    let mut words = vec![match condition(node, "Ready").map(|c| c["status"] == "True") {
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
    or_none(&roles.join(",").into())
}

fn node_address(node: &Value, kind: &str) -> Value {
    let mut addresses = elements(&node["status"]["addresses"]);
    let found = addresses.find(|address| address["type"] == kind);
    or_none(found.map_or(&Value::Null, |address| &address["address"]))
}
