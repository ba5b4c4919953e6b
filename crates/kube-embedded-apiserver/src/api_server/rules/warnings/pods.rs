//! Warnings about pods and their templates.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::addresses::address;
use super::{claim_spec, elements, keys, str_of};
use crate::api_server::names::label_value_problems;
use crate::api_server::rules::quantity::Quantity;

/// Labels of nodes that newer ones replace.
const NODE_LABELS: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
    ),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// Annotations of pods that do nothing.
const ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

/// The sources of volumes that clusters no longer have.
pub(super) const VOLUMES: &[(&str, &str)] = &[
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

const SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";

/// Adds the warnings about a pod, or about a template at a path that ends with a dot.
pub(super) fn add(pod: &Value, path: &str, warnings: &mut Vec<String>) {
    let (spec, annotations) = (&pod["spec"], &pod["metadata"]["annotations"]);
    scheduling(spec, path, warnings);
    for (key, problem) in ANNOTATIONS {
        if !annotations[*key].is_null() {
            warnings.push(format!("{path}metadata.annotations[{key}]: {problem}"));
        }
    }
    volumes(spec, path, warnings);
    repeated(&spec["hostAliases"], "ip", &format!("{path}spec.hostAliases"), warnings);
    let secrets = format!("{path}spec.imagePullSecrets");
    repeated(&spec["imagePullSecrets"], "name", &secrets, warnings);
    for (n, secret) in elements(&spec["imagePullSecrets"]) {
        if str_of(&secret["name"]).is_empty() {
            warnings.push(format!("{secrets}[{n}].name: invalid empty name \"\""));
        }
    }
    fractions(&spec["overhead"], &format!("{path}spec.overhead"), warnings);
    let key = "seccomp.security.alpha.kubernetes.io/pod";
    if spec["securityContext"]["seccompProfile"].is_null() && !annotations[key].is_null() {
        warnings.push(format!("{path}metadata.annotations[{key}]: {SECCOMP}"));
    }
    for (at, container) in containers(spec, path) {
        let name = str_of(&container["name"]);
        let security = &container["securityContext"];
        let mut unused = |key: String, field: &str, problem: &str| {
            if security[field].is_null() && !annotations[&key].is_null() {
                warnings.push(format!("{path}metadata.annotations[{key}]: {problem}"));
            }
        };
        let seccomp = format!("container.seccomp.security.alpha.kubernetes.io/{name}");
        unused(seccomp, "seccompProfile", SECCOMP);
        // A pod with such an annotation gets the profile in its place.
        if !path.is_empty() && spec["securityContext"]["appArmorProfile"].is_null() {
            let armor = format!("container.apparmor.security.beta.kubernetes.io/{name}");
            let problem = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
            unused(armor, "appArmorProfile", problem);
        }
        for member in ["limits", "requests"] {
            let at = format!("{at}.resources.{member}");
            fractions(&container["resources"][member], &at, warnings);
        }
        variables(&container["env"], &at, warnings);
    }
    ports(spec, path, warnings);
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        warnings.push(format!(
            "{path}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid \
             and will be treated as 1"
        ));
    }
    affinity(&spec["affinity"], path, warnings);
    for (n, server) in elements(&spec["dnsConfig"]["nameservers"]) {
        let at = format!("{path}spec.dnsConfig.nameservers[{n}]");
        warnings.extend(address(&at, str_of(server)));
    }
    for (n, alias) in elements(&spec["hostAliases"]) {
        let at = format!("{path}spec.hostAliases[{n}].ip");
        warnings.extend(address(&at, str_of(&alias["ip"])));
    }
}

/// Returns the warning about a label of nodes.
pub(super) fn node_label(label: &str) -> Option<&'static str> {
    NODE_LABELS.iter().find(|(known, _)| *known == label).map(|(_, problem)| *problem)
}

/// Adds the warnings about the labels in a term that selects nodes.
pub(super) fn node_term(term: &Value, at: &str, values_too: bool, warnings: &mut Vec<String>) {
    for (n, wanted) in elements(&term["matchExpressions"]) {
        let at = format!("{at}.matchExpressions[{n}]");
        let key = str_of(&wanted["key"]);
        let deprecated = node_label(key);
        warnings.extend(deprecated.map(|problem| format!("{at}.key: {key} is {problem}")));
        for (m, value) in elements(&wanted["values"]).filter(|_| values_too) {
            let value = str_of(value);
            let problems = label_value_problems(value);
            warnings.extend(
                problems
                    .iter()
                    .map(|problem| format!("{at}.values[{m}]: {value} is invalid, {problem}")),
            );
        }
    }
}

fn scheduling(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    for label in keys(&spec["nodeSelector"]) {
        let problem = node_label(label);
        warnings.extend(problem.map(|p| format!("{path}spec.nodeSelector[{label}]: {p}")));
    }
    let at = format!("{path}spec.affinity.nodeAffinity.");
    let node = &spec["affinity"]["nodeAffinity"];
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    for (n, term) in elements(&node[required]["nodeSelectorTerms"]) {
        node_term(term, &format!("{at}{required}.nodeSelectorTerms[{n}]"), false, warnings);
    }
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (n, term) in elements(&node[preferred]) {
        node_term(&term["preference"], &format!("{at}{preferred}[{n}].preference"), true, warnings);
    }
    for (n, spread) in elements(&spec["topologySpreadConstraints"]) {
        let at = format!("{path}spec.topologySpreadConstraints[{n}]");
        let key = str_of(&spread["topologyKey"]);
        let deprecated = node_label(key);
        warnings.extend(deprecated.map(|p| format!("{at}.topologyKey: {key} is {p}")));
        no_selector(spread, &at, warnings);
    }
}

fn no_selector(value: &Value, at: &str, warnings: &mut Vec<String>) {
    if value["labelSelector"].is_null() {
        let problem = "a null labelSelector results in matching no pod";
        warnings.push(format!("{at}.labelSelector: {problem}"));
    }
}

fn affinity(affinity: &Value, path: &str, warnings: &mut Vec<String>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let at = format!("{path}spec.affinity.{kind}.");
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        for (n, term) in elements(&affinity[kind][required]) {
            no_selector(term, &format!("{at}{required}[{n}]"), warnings);
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        for (n, term) in elements(&affinity[kind][preferred]) {
            let at = format!("{at}{preferred}[{n}].podAffinityTerm");
            no_selector(&term["podAffinityTerm"], &at, warnings);
        }
    }
}

fn volumes(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    for (n, volume) in elements(&spec["volumes"]) {
        let at = format!("{path}spec.volumes[{n}]");
        for (source, problem) in VOLUMES.iter().filter(|(source, _)| !volume[*source].is_null()) {
            // Go's name of the field.
            let source = if *source == "storageos" { "storageOS" } else { source };
            warnings.push(format!("{at}.{source}: {problem}"));
        }
        let claim = &volume["ephemeral"]["volumeClaimTemplate"]["spec"];
        claim_spec(claim, &format!("{at}.ephemeral.volumeClaimTemplate.spec"), warnings);
    }
    for (_, volume) in elements(&spec["volumes"]) {
        overlaps(volume, warnings);
    }
}

/// Adds the warnings about files of a volume that have the same path, or one below another.
fn overlaps(volume: &Value, warnings: &mut Vec<String>) {
    let name = str_of(&volume["name"]);
    let named = |kind: &str, value: &Value| format!("{kind} {:?}", str_of(value));
    let described = |source: &Value| {
        [
            ("configMap", named("ConfigMap", &source["configMap"]["name"])),
            ("secret", named("Secret", either(&source["secret"], "secretName", "name"))),
            ("downwardAPI", "DownwardAPI".to_owned()),
        ]
    };
    for (member, description) in described(volume) {
        let mut known = Vec::new();
        for (_, item) in elements(&volume[member]["items"]) {
            collide(str_of(&item["path"]), "", &mut known, |both| {
                warnings
                    .push(format!("volume {name:?} ({description}): overlapping paths: {both}"));
            });
        }
    }
    let mut known = Vec::new();
    for (_, source) in elements(&volume["projected"]["sources"]) {
        if source.as_object().is_some_and(serde_json::Map::is_empty) {
            warnings.push(format!("volume {name:?} (Projected) has no sources provided"));
        }
        let mut paths: Vec<(&str, String)> = Vec::new();
        for (member, description) in described(source) {
            let items = elements(&source[member]["items"]);
            paths.extend(items.map(|(_, item)| (str_of(&item["path"]), description.clone())));
        }
        let (token, bundle) = (&source["serviceAccountToken"], &source["clusterTrustBundle"]);
        if !token.is_null() {
            paths.push((str_of(&token["path"]), "ServiceAccountToken".to_owned()));
        }
        if !bundle.is_null() {
            let name = either(bundle, "name", "signerName");
            paths.push((str_of(&bundle["path"]), named("ClusterTrustBundle", name)));
        }
        for (path, description) in &paths {
            collide(path, description, &mut known, |both| {
                warnings.push(format!("volume {name:?} (Projected): overlapping paths: {both}"));
            });
        }
    }
}

/// Returns one of two members.
fn either<'a>(value: &'a Value, first: &str, second: &str) -> &'a Value {
    if value[first].is_null() { &value[second] } else { &value[first] }
}

/// Compares a path and its source with those before it.
fn collide(
    path: &str,
    source: &str,
    known: &mut Vec<(String, String)>,
    mut warn: impl FnMut(String),
) {
    let path = path.trim_end_matches('/');
    let shown = |path: &str, source: &str| match source {
        "" => format!("{path:?}"),
        source => format!("{path:?} ({source})"),
    };
    let is_in = |inner: &str, outer: &str| format!("{inner}/").starts_with(&format!("{outer}/"));
    for (other, from) in known.iter().filter(|(other, _)| !path.is_empty() && !other.is_empty()) {
        if is_in(other, path) || is_in(path, other) {
            warn(format!("{} with {}", shown(path, source), shown(other, from)));
        }
    }
    known.push((path.to_owned(), source.to_owned()));
}

/// Warns about elements that have the same member as one before.
fn repeated(list: &Value, member: &str, at: &str, warnings: &mut Vec<String>) {
    let mut known = HashSet::new();
    for (n, element) in elements(list) {
        let value = str_of(&element[member]);
        if !known.insert(value) {
            warnings.push(format!("{at}[{n}].{member}: duplicate {member} {value:?}"));
        }
    }
}

/// Warns about bytes that are no whole number.
fn fractions(resources: &Value, at: &str, warnings: &mut Vec<String>) {
    for resource in ["memory", "ephemeral-storage"] {
        let value = &resources[resource];
        if let Some(quantity) = Quantity::of(value).filter(|quantity| !quantity.is_whole()) {
            let value = quantity.canonical();
            warnings.push(format!(
                "{at}[{resource}]: fractional byte value {value:?} is invalid, must be an integer"
            ));
        }
    }
}

/// Warns about variables that hide others. One that refers to the variable before it does not.
fn variables(list: &Value, at: &str, warnings: &mut Vec<String>) {
    let mut known = HashSet::new();
    for (n, variable) in elements(list) {
        let (name, value) = (str_of(&variable["name"]), str_of(&variable["value"]));
        if known.insert(name) {
            continue;
        }
        let reference = format!("$({name})");
        let extends = value != reference && value.contains(&reference);
        if !extends || !variable["valueFrom"].is_null() {
            warnings.push(format!(
                "{at}.env[{n}]: hides previous definition of {name:?}, which may be dropped when \
                 using apply"
            ));
        }
    }
}

/// Returns the containers of all kinds, each with its path.
fn containers<'a>(spec: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let of = |member: &'static str| {
        elements(&spec[member])
            .map(move |(n, container)| (format!("{path}spec.{member}[{n}]"), container))
    };
    of("initContainers").chain(of("containers")).chain(of("ephemeralContainers")).collect()
}

/// A port of a container: its path, and the address and port of the host.
type Port<'a> = (String, &'a str, i64);

/// Warns about ports that two containers share, or that have the same name.
fn ports(spec: &Value, path: &str, warnings: &mut Vec<String>) {
    let mut known: HashMap<(i64, &str), Vec<Port<'_>>> = HashMap::new();
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut ambiguous = Vec::new();
    for (at, container) in containers(spec, path) {
        for (n, port) in elements(&container["ports"]) {
            let at = format!("{at}.ports[{n}]");
            let number = |member: &str| port[member].as_i64().unwrap_or(0);
            let (host, host_ip) = (number("hostPort"), str_of(&port["hostIP"]));
            let (name, protocol) = (str_of(&port["name"]), str_of(&port["protocol"]));
            if !host_ip.is_empty() && host == 0 {
                warnings.push(format!(
                    "{at}: hostIP set without hostPort: {{Name:{name} HostPort:0 ContainerPort:{} \
                     Protocol:{protocol} HostIP:{host_ip}}}",
                    number("containerPort")
                ));
            }
            let others = known.entry((number("containerPort"), protocol)).or_default();
            for (other, other_ip, other_host) in &*others {
                let problem = if (host_ip, host) == (*other_ip, *other_host) {
                    "duplicate"
                } else if host == 0 || *other_host == 0 {
                    "overlapping"
                } else if host == *other_host && host_ip.is_empty() != other_ip.is_empty() {
                    "dangerously ambiguous"
                } else {
                    continue;
                };
                warnings.push(format!("{at}: {problem} port definition with {other}"));
            }
            others.push((at.clone(), host_ip, host));
            match names.get(name).filter(|_| !name.is_empty()) {
                None => drop(names.insert(name, at)),
                Some(other) => ambiguous.push(format!(
                    "{at}: duplicate port name {name:?} with {other}, services and probes that \
                     select ports by name will use {other}"
                )),
            }
        }
    }
    warnings.extend(ambiguous);
}
