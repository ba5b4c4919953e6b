//! Selectors of labels.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rows::{self, child, elements, invalid, is_empty, members, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats::{label_key, label_value};
use crate::api_server::rules::internal_form;

/// Checks a selector.
pub(super) fn selector(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    labels(&value["matchLabels"], &child(path, "matchLabels"), causes);
    let path = child(path, "matchExpressions");
    for (n, expression) in elements(&value["matchExpressions"]).enumerate() {
        let path = format!("{path}[{n}]");
        let (operator, values) = (text(expression, "operator"), &expression["values"]);
        match operator {
            "In" | "NotIn" if is_empty(values) => {
                let problem = "must be specified when `operator` is 'In' or 'NotIn'";
                causes.push(Cause::required(&child(&path, "values"), problem));
            }
            "Exists" | "DoesNotExist" if !is_empty(values) => {
                let problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(Cause::forbidden(&child(&path, "values"), problem));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => {
                let path = child(&path, "operator");
                causes.push(Cause::invalid(&path, operator, "not a valid selector operator"));
            }
        }
        rows::is(label_key, text(expression, "key"), &child(&path, "key"), causes);
        for (n, value) in elements(values).enumerate() {
            let path = format!("{}[{n}]", child(&path, "values"));
            rows::is(label_value, value.as_str().unwrap_or_default(), &path, causes);
        }
    }
}

/// Checks labels.
pub(super) fn labels(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (key, value) in members(value) {
        rows::is(label_key, key, path, causes);
        rows::is(label_value, value.as_str().unwrap_or_default(), path, causes);
    }
}

/// Returns whether a selector selects these labels. A selector that is not there selects nothing.
pub(super) fn selects(selector: &Value, labels: &Value) -> bool {
    let found = |key: &str| labels[key].as_str();
    let exact = members(&selector["matchLabels"])
        .all(|(key, value)| found(key).is_some() && found(key) == value.as_str());
    let expressions = elements(&selector["matchExpressions"]).all(|expression| {
        let value = found(text(expression, "key"));
        let listed = elements(&expression["values"]).any(|one| one.as_str() == value);
        match text(expression, "operator") {
            "In" => value.is_some() && listed,
            "NotIn" => value.is_none() || !listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    });
    !selector.is_null() && exact && expressions
}

/// Checks the selector of a workload, and that it selects the labels of the template in `spec`.
/// Returns false if the selector is not valid.
pub(super) fn workload(spec: &Value, path: &str, kind: &str, causes: &mut Vec<Cause>) -> bool {
    let selector_path = child(path, "selector");
    let value = &spec["selector"];
    let before = causes.len();
    if value.is_null() {
        causes.push(Cause::required(&selector_path, ""));
    } else {
        selector(value, &selector_path, causes);
        if is_empty(&value["matchLabels"]) && is_empty(&value["matchExpressions"]) {
            let problem = format!("empty selector is invalid for {kind}");
            causes.push(invalid(&selector_path, value, &problem));
        }
    }
    // An invalid selector is not compared.
    if !value.is_null() && before != causes.len() {
        if causes[before..].iter().any(|cause| !cause.field().ends_with("selector")) {
            let problem = if kind == "statefulset" { "" } else { "invalid label selector" };
            let shown = internal_form::shown("LabelSelector", value);
            causes.push(Cause::invalid_raw(&selector_path, &shown, problem));
            return false;
        }
        return true;
    }
    matches(value, spec, path, causes);
    true
}

/// Checks the selector of a daemon set. Only a valid one is compared with the labels of the
/// template.
pub(super) fn daemons(spec: &Value, path: &str, empty: &str, causes: &mut Vec<Cause>) {
    let (value, path_of_selector) = (&spec["selector"], child(path, "selector"));
    let before = causes.len();
    selector(value, &path_of_selector, causes);
    if before == causes.len() {
        matches(value, spec, path, causes);
    }
    if !value.is_null() && is_empty(&value["matchLabels"]) && is_empty(&value["matchExpressions"]) {
        causes.push(invalid(&path_of_selector, value, empty));
    }
}

/// Adds a problem unless the selector selects the labels of the template in `spec`.
pub(super) fn matches(selector: &Value, spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let labels = &spec["template"]["metadata"]["labels"];
    if !selects(selector, labels) {
        let path = format!("{path}.template.metadata.labels");
        let problem = "`selector` does not match template `labels`";
        causes.push(invalid(&path, &sorted(labels), problem));
    }
}

/// Returns an object with its members in the order of messages.
fn sorted(labels: &Value) -> Value {
    match labels.as_object() {
        Some(all) => {
            let sorted: BTreeMap<_, _> = all.iter().collect();
            sorted.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        None => Value::Null,
    }
}
