//! Rules in CEL (`x-kubernetes-validations`): the checks of a rule when its definition is written.

use serde_json::Value;

use super::super::schema::rule_problems;
use super::paths;
use crate::api_server::failure::Cause;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Returns the problems of the texts of a schema's rules.
pub(super) fn problems(schema: &Value, field: &str) -> Vec<Cause> {
    each(schema, field, |rule, field| text_problems(rule, schema, field))
}

/// Returns the problems of the expressions of a schema's rules.
pub(super) fn compilation_problems(
    schema: &Value,
    whole: bool,
    unmatched: Option<&str>,
    field: &str,
) -> Vec<Cause> {
    each(schema, field, |rule, field| rule_problems(rule, schema, whole, unmatched, field))
}

fn each(schema: &Value, field: &str, of: impl Fn(&Value, &str) -> Vec<Cause>) -> Vec<Cause> {
    let rules = schema["x-kubernetes-validations"].as_array().into_iter().flatten().enumerate();
    let of = |(n, rule)| of(rule, &format!("{field}.x-kubernetes-validations[{n}]"));
    rules.flat_map(of).collect()
}

fn text_problems(rule: &Value, schema: &Value, field: &str) -> Vec<Cause> {
    let text = |name: &str| rule[name].as_str().unwrap_or_default();
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let mut causes = Vec::new();
    let (source, message) = (text("rule").trim(), text("message"));
    let message_field = format!("{field}.message");
    if source.is_empty() {
        causes.push(Cause::required(&format!("{field}.rule"), "rule is not specified"));
    } else if blank(message) {
        causes.push(Cause::invalid(&message_field, message, "must be non-empty if specified"));
    } else if breaks(message.trim()) {
        causes.push(Cause::invalid(&message_field, message, "must not contain line breaks"));
    } else if breaks(source) && message.is_empty() {
        let problem = "message must be specified if rule contains line breaks";
        causes.push(Cause::required(&message_field, problem));
    }
    if blank(text("messageExpression")) {
        let problem = "messageExpression must be non-empty if specified";
        causes.push(Cause::required(&format!("{field}.messageExpression"), problem));
    }
    if let Some(reason) = rule["reason"].as_str().filter(|reason| !REASONS.contains(reason)) {
        let supported = REASONS.map(|reason| format!("{reason:?}")).join(", ");
        causes.push(Cause::unsupported(&format!("{field}.reason"), reason, &supported));
    }
    let path = text("fieldPath");
    let path_field = format!("{field}.fieldPath");
    if blank(path) {
        causes.push(Cause::invalid(&path_field, path, "must be non-empty if specified"));
    }
    if breaks(path) {
        causes.push(Cause::invalid(&path_field, path, "must not contain line breaks"));
    }
    if !path.is_empty() && paths::resolve(path, schema, true).is_err() {
        causes.push(Cause::invalid(&path_field, path, "must be a valid path"));
    }
    causes
}
