//! Rules in CEL (`x-kubernetes-validations`): the checks of a rule when its definition is written.

use serde_json::Value;

use super::super::schema::{paths, rule_problems};
use crate::api_server::failure::Cause;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Returns the problems of the texts of a schema's rules.
pub(super) fn problems(schema: &Value, field: &str) -> Vec<Cause> {
    each(schema, field, |rule, field| text_problems(rule, schema, field))
}

/// Returns the problems of the expressions of a schema's rules, which see the types of `typed`.
pub(super) fn compilation_problems(
    schema: &Value,
    typed: &Value,
    whole: bool,
    unmatched: Option<&str>,
    field: &str,
) -> Vec<Cause> {
    each(schema, field, |rule, field| rule_problems(rule, typed, whole, unmatched, field))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[cfg(feature = "cel")]
    #[test]
    fn rules_need_typed_values_that_match() {
        use super::super::schema;

        let rule = |rule: &str| json!({ "type": "integer", "x-kubernetes-validations": [{ "rule": rule }] });
        let atomic = |a: Value| json!({"type": "object", "x-kubernetes-map-type": "atomic", "properties": { "a": a }});
        let untyped = |a: Value| json!({"x-kubernetes-preserve-unknown-fields": true, "properties": { "a": a }});
        let list = |a: Value| json!({ "type": "array", "items": a });
        let hidden = "unable to convert structural schema to CEL declarations";
        for (spec, expected) in [
            (rule("self == oldSelf"), ""),
            (atomic(rule("self == oldSelf")), ""),
            (json!({ "type": "object", "additionalProperties": rule("self == oldSelf") }), ""),
            (list(rule("self > 1")), ""),
            (list(rule("self == oldSelf")), "uncorrelatable portion of the schema within s.prop"),
            (list(atomic(rule("self == oldSelf"))), "uncorrelatable portion of the schema within"),
            (untyped(rule("self > 1")), hidden),
            (untyped(list(rule("self > 1"))), hidden),
            (untyped(atomic(rule("self > 1"))), hidden),
            (list(untyped(rule("self > 1"))), hidden),
        ] {
            let schema = json!({ "type": "object", "properties": { "spec": spec } });
            let causes = schema::problems(None, &schema, true, "s");
            let found = causes.first().map(ToString::to_string).unwrap_or_default();
            assert_eq!(found.is_empty(), expected.is_empty(), "{spec}: {found}");
            assert!(found.contains(expected), "{spec}: {found}");
        }
    }

    #[test]
    fn texts_are_judged_as_by_a_server() {
        let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer" }));
        let inner = json!({ "type": "object", "properties": { "x": number } });
        let unknown = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let mut resource = unknown.clone();
        resource["x-kubernetes-embedded-resource"] = true.into();
        let schema = json!({ "type": "object", "properties": {
            "n": number, "inner": inner, "list": { "type": "array", "items": inner },
            "labels": { "type": "object", "additionalProperties": text },
            "map": { "type": "object", "additionalProperties": inner },
            "port": { "x-kubernetes-int-or-string": true },
            "resource": resource, "unknown": unknown, "none": { "type": "object" },
        }});
        let path = "must be a valid path";
        let blank = "must be non-empty if specified";
        let breaks = "must not contain line breaks";
        let reasons = "supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\"";
        for (member, value, expected) in [
            ("fieldPath", ".n", ""),
            ("fieldPath", ".inner", ""),
            ("fieldPath", ".inner.x", ""),
            ("fieldPath", ".inner['x']", ""),
            ("fieldPath", "['n']", ""),
            ("fieldPath", ".list", ""),
            ("fieldPath", ".labels.a", ""),
            ("fieldPath", ".labels.a-b", ""),
            ("fieldPath", ".labels['a-b']", ""),
            ("fieldPath", ".map.a.x", ""),
            ("fieldPath", ".port", ""),
            ("fieldPath", "n", path),
            ("fieldPath", ".nope", path),
            ("fieldPath", ".n.x", path),
            ("fieldPath", ".list[0]", path),
            ("fieldPath", ".inner.", path),
            ("fieldPath", "..n", path),
            ("fieldPath", ".", path),
            ("fieldPath", ".resource.metadata.name", path),
            ("fieldPath", ".resource.kind", path),
            ("fieldPath", ".unknown.a", path),
            ("fieldPath", ".none.a", path),
            ("fieldPath", "  ", blank),
            ("reason", "FieldValueInvalid", ""),
            ("reason", "FieldValueForbidden", ""),
            ("reason", "FieldValueRequired", ""),
            ("reason", "FieldValueDuplicate", ""),
            ("reason", "Nope", reasons),
            ("reason", "", reasons),
            ("reason", " FieldValueInvalid", reasons),
            ("message", "a", ""),
            ("message", " ", blank),
            ("message", "\n", blank),
            ("message", "a\nb", breaks),
            ("messageExpression", " ", "messageExpression must be non-empty if specified"),
            ("rule", " ", "rule is not specified"),
            ("rule", "true &&\ntrue", "message must be specified if rule contains line breaks"),
        ] {
            let mut rule = json!({ "rule": "true" });
            rule[member] = value.into();
            let mut schema = schema.clone();
            schema["x-kubernetes-validations"] = json!([rule]);
            let causes = problems(&schema, "s");
            let found = causes.first().map(ToString::to_string).unwrap_or_default();
            assert_eq!(found.is_empty(), expected.is_empty(), "{member} {value:?}: {found}");
            assert!(found.contains(expected), "{member} {value:?}: {found}");
        }
    }
}
