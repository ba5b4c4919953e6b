//! Tolerations, affinities and spreads of pods.

use serde_json::Value;

use super::pods::greater_than_zero;
use super::rows::Rule::{Always, Check, Is, OneOf, RequiredSince};
use super::rows::{self, Row, child, elements, invalid, text, unsupported};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const TOLERATION: &[Row] = &[("", Check(toleration))];

pub(super) const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

pub(super) const SPREAD: &[Row] = &[
    ("maxSkew", Check(greater_than_zero)),
    ("topologyKey", RequiredSince("can not be empty")),
    ("whenUnsatisfiable", OneOf(&["DoNotSchedule", "ScheduleAnyway"])),
    ("minDomains", Check(greater_than_zero)),
    ("", Check(domains)),
    ("nodeAffinityPolicy", OneOf(&["Honor", "Ignore"])),
    ("nodeTaintsPolicy", OneOf(&["Honor", "Ignore"])),
    ("", Check(keys_of_selector)),
    ("labelSelector", Check(selectors::selector)),
];

/// Checks that a spread with a least number of domains is strict.
fn domains(spread: &Value, path: &str, causes: &mut Vec<Cause>) {
    let action = text(spread, "whenUnsatisfiable");
    if !spread["minDomains"].is_null() && action != "DoNotSchedule" {
        let problem =
            format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        causes.push(invalid(&child(path, "minDomains"), &spread["minDomains"], &problem));
    }
}

/// Checks the keys of labels that are added to a selector.
fn keys_of_selector(outer: &Value, path: &str, causes: &mut Vec<Cause>) {
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        let path = child(path, list);
        if !rows::is_empty(&outer[list]) && outer["labelSelector"].is_null() {
            let problem = "must not be specified when labelSelector is not set";
            causes.push(Cause::forbidden(&path, problem));
            continue;
        }
        for (n, key) in elements(&outer[list]).enumerate() {
            let path = format!("{path}[{n}]");
            rows::is(formats::label_key, key.as_str().unwrap_or_default(), &path, causes);
        }
    }
    for (n, key) in elements(&outer["matchLabelKeys"]).enumerate() {
        if elements(&outer["mismatchLabelKeys"]).any(|other| other == key) {
            let path = format!("{}[{n}]", child(path, "matchLabelKeys"));
            let problem = "exists in both matchLabelKeys and mismatchLabelKeys";
            causes.push(invalid(&path, key, problem));
        }
    }
}

/// Checks that spreads differ. A server reports each one that is there once more after it.
pub(super) fn unique_spreads(spreads: &Value, path: &str, causes: &mut Vec<Cause>) {
    let spreads: Vec<&Value> = elements(spreads).collect();
    let mut known = std::collections::HashSet::new();
    let mut found = Vec::new();
    for (n, spread) in spreads.into_iter().enumerate().rev() {
        let (key, action) = (text(spread, "topologyKey"), text(spread, "whenUnsatisfiable"));
        if !known.insert((key, action)) {
            let path = format!("{path}[{n}].{{topologyKey, whenUnsatisfiable}}");
            found.push(Cause::duplicate(&path, &format!("{:?}", format!("{{{key}, {action}}}"))));
        }
    }
    causes.extend(found.into_iter().rev());
}

fn toleration(toleration: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let at = |name: &str| child(path, name);
    if !key.is_empty() {
        rows::is(formats::label_key, key, &at("key"), causes);
    } else if operator != "Exists" {
        let problem = "operator must be Exists when `key` is empty, which means \"match all values \
                       and all keys\"";
        causes.push(Cause::invalid(&at("operator"), operator, problem));
    }
    if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
        let problem = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        causes.push(Cause::invalid(&at("effect"), effect, problem));
    }
    match operator {
        "Equal" | "" => rows::is(formats::label_value, value, &at("operator"), causes),
        "Exists" if !value.is_empty() => {
            let problem = "value must be empty when `operator` is 'Exists'";
            causes.push(Cause::invalid(&at("operator"), value, problem));
        }
        "Exists" => {}
        other => causes.push(unsupported(&at("operator"), other, &["Equal", "Exists"])),
    }
    if !effect.is_empty() && !EFFECTS.contains(&effect) {
        causes.push(unsupported(&at("effect"), effect, &EFFECTS));
    }
}

const NODE_TERM: &[Row] = &[
    ("matchExpressions[]", Check(node_expression)),
    ("matchExpressions[].values[]", Is(formats::label_value)),
    ("matchFields[]", Check(node_field)),
];

/// A term that need not hold. A server does not check the values of labels in it.
const PREFERRED_NODE_TERM: &[Row] =
    &[("matchExpressions[]", Check(node_expression)), ("matchFields[]", Check(node_field))];

const POD_TERM: &[Row] = &[
    ("labelSelector", Check(selectors::selector)),
    ("namespaceSelector", Check(selectors::selector)),
    ("namespaces", Check(namespaces)),
    ("", Check(keys_of_selector)),
    ("topologyKey", RequiredSince("can not be empty")),
    ("topologyKey", Always(formats::label_key)),
];

/// Checks the names of namespaces. A server leaves their numbers out of the path.
fn namespaces(names: &Value, path: &str, causes: &mut Vec<Cause>) {
    let path = path.strip_suffix('s').unwrap_or(path);
    for name in elements(names) {
        rows::is(formats::label, name.as_str().unwrap_or_default(), path, causes);
    }
}

/// Checks a field of nodes, which is their name.
fn node_field(field: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (operator, key) = (text(field, "operator"), text(field, "key"));
    let values = child(path, "values");
    if !matches!(operator, "In" | "NotIn") {
        let path = child(path, "operator");
        causes.push(Cause::invalid(&path, operator, "not a valid selector operator"));
    } else if elements(&field["values"]).count() != 1 {
        let problem =
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
        causes.push(Cause::required(&values, problem));
    }
    if key != "metadata.name" {
        return causes.push(Cause::invalid(
            &child(path, "key"),
            key,
            "not a valid field selector key",
        ));
    }
    for (n, value) in elements(&field["values"]).enumerate() {
        let value = value.as_str().unwrap_or_default();
        rows::is(formats::subdomain, value, &format!("{values}[{n}]"), causes);
    }
}

/// Checks an affinity.
pub(super) fn affinity(affinity: &Value, path: &str, causes: &mut Vec<Cause>) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let node = &affinity["nodeAffinity"];
    let node_path = child(path, "nodeAffinity");
    let required = &node[REQUIRED];
    if required.is_object() {
        node_selector(required, &child(&node_path, REQUIRED), causes);
    }
    for (n, preferred) in elements(&node[PREFERRED]).enumerate() {
        let path = format!("{node_path}.{PREFERRED}[{n}]");
        weight(preferred, &path, causes);
        rows::check(
            PREFERRED_NODE_TERM,
            &child(&path, "preference"),
            &preferred["preference"],
            causes,
        );
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let pods = &affinity[kind];
        for (n, term) in elements(&pods[REQUIRED]).enumerate() {
            rows::check(POD_TERM, &format!("{path}.{kind}.{REQUIRED}[{n}]"), term, causes);
        }
        for (n, preferred) in elements(&pods[PREFERRED]).enumerate() {
            let path = format!("{path}.{kind}.{PREFERRED}[{n}]");
            weight(preferred, &path, causes);
            let term = &preferred["podAffinityTerm"];
            rows::check(POD_TERM, &child(&path, "podAffinityTerm"), term, causes);
        }
    }
}

/// Checks a selector of nodes.
pub(super) fn node_selector(selector: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (terms, path) = (&selector["nodeSelectorTerms"], child(path, "nodeSelectorTerms"));
    if rows::is_empty(terms) {
        causes.push(Cause::required(&path, "must have at least one node selector term"));
    }
    for (n, term) in elements(terms).enumerate() {
        rows::check(NODE_TERM, &format!("{path}[{n}]"), term, causes);
    }
}

fn weight(preferred: &Value, path: &str, causes: &mut Vec<Cause>) {
    let weight = &preferred["weight"];
    if weight.as_i64().is_none_or(|weight| !(1..=100).contains(&weight)) {
        causes.push(invalid(&child(path, "weight"), weight, "must be in the range 1-100"));
    }
}

fn node_expression(expression: &Value, path: &str, causes: &mut Vec<Cause>) {
    let values = &expression["values"];
    let path_of_values = child(path, "values");
    match text(expression, "operator") {
        "In" | "NotIn" if rows::is_empty(values) => {
            let problem = "must be specified when `operator` is 'In' or 'NotIn'";
            causes.push(Cause::required(&path_of_values, problem));
        }
        "Exists" | "DoesNotExist" if !rows::is_empty(values) => {
            let problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            causes.push(Cause::forbidden(&path_of_values, problem));
        }
        "Gt" | "Lt" if values.as_array().map_or(0, Vec::len) != 1 => {
            let problem = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            causes.push(Cause::required(&path_of_values, problem));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => {
            let path = child(path, "operator");
            causes.push(Cause::invalid(&path, other, "not a valid selector operator"));
        }
    }
    rows::is(formats::label_key, text(expression, "key"), &child(path, "key"), causes);
}
