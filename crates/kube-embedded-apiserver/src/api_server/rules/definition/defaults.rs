//! Defaults in a schema: each is valid, also by its rules, and has no unknown member.

use serde_json::Value;

use super::super::schema;
use crate::api_server::failure::Cause;

/// Returns the problems of all defaults of a structural schema.
pub(super) fn problems(schema: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    each(schema, field, true, &mut |schema, field, root| {
        let default = &schema["default"];
        let mut pruned = default.clone();
        if !schema::prune_value(schema, root, &mut pruned).is_empty() {
            let problem = "must not have unknown fields";
            causes.push(Cause::invalid_raw(field, &default.to_string(), problem));
        }
        causes.extend(schema::value_problems(field, schema, default));
    });
    causes
}

/// Returns the problems that the rules of a valid schema have with its defaults.
pub(super) fn rule_problems(schema: &Value, field: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    each(schema, field, true, &mut |schema, field, root| {
        causes.extend(schema::value_rule_problems(field, schema, root, &schema["default"]));
    });
    causes
}

/// Calls a function with each schema that has a default, and with the default's field.
fn each(schema: &Value, field: &str, root: bool, see: &mut impl FnMut(&Value, &str, bool)) {
    if !schema["default"].is_null() {
        see(schema, &format!("{field}.default"), root);
    }
    // Defaults inside of `additionalProperties` are forbidden elsewhere.
    if schema["items"].is_object() {
        each(&schema["items"], &format!("{field}.items"), false, see);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        each(property, &format!("{field}.properties[{name}]"), false, see);
    }
}

#[cfg(all(test, feature = "cel"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_satisfy_their_rules() {
        let ruled =
            |kind: &str, rule: Value| json!({"type": kind, "x-kubernetes-validations": [rule]});
        let number = || ruled("integer", json!({"rule": "self > 1"}));
        let with = |mut schema: Value, name: &str, value: Value| {
            schema[name] = value;
            schema
        };
        let object = |rule: Value, default: Value| {
            let schema =
                with(ruled("object", rule), "properties", json!({"a": {"type": "integer"}}));
            with(schema, "default", default)
        };
        let of_a = || json!({"rule": "self.a > 1"});
        let list = json!({"type": "array", "items": number(), "default": [5, 0]});
        let map = json!({"type": "object", "additionalProperties": number(), "default": {"k": 0}});
        let resource = json!({"rule": "self.metadata.name == 'b'"});
        let resource =
            with(ruled("object", resource), "x-kubernetes-embedded-resource", true.into());
        let resource = with(resource, "x-kubernetes-preserve-unknown-fields", true.into());
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
        let blames =
            json!({"rule": "self.a > 1", "reason": "FieldValueForbidden", "fieldPath": ".a"});
        let text = json!({"rule": "self > 1", "messageExpression": "'found ' + string(self)"});
        let old = |rule: &str| json!({ "rule": rule });
        for (schema, expected) in [
            (with(number(), "default", 2.into()), ""),
            (
                with(number(), "default", 0.into()),
                "s.x.default: Invalid value: 0: failed rule: self > 1",
            ),
            (
                with(ruled("integer", text), "default", 0.into()),
                "s.x.default: Invalid value: 0: found 0",
            ),
            (with(ruled("integer", old("self >= oldSelf")), "default", 0.into()), ""),
            (
                with(ruled("integer", old("self > oldSelf")), "default", 0.into()),
                "s.x.default: Invalid value: 0: failed rule: self > oldSelf",
            ),
            (object(of_a(), json!({"a": 2})), ""),
            (
                object(of_a(), json!({"a": 0})),
                "s.x.default: Invalid value: failed rule: self.a > 1",
            ),
            (object(of_a(), json!({})), "s.x.default: Invalid value: \"object\": no such key: a"),
            (object(of_a(), json!({"a": "x"})), "s.x.default.a: Invalid value: \"string\""),
            (object(blames, json!({"a": 0})), "s.x.default.a: Forbidden: failed rule: self.a > 1"),
            (list, "s.x.default[1]: Invalid value: 0: failed rule"),
            (map, "s.x.default[k]: Invalid value: 0: failed rule"),
            (
                with(resource, "default", pod),
                "s.x.default: Invalid value: failed rule: self.metadata",
            ),
        ] {
            let whole = json!({"type": "object", "properties": {"x": schema}});
            let causes = super::super::schema::problems(None, &whole, true, "s");
            let found = causes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            let found = found.replace("s.properties[x]", "s.x");
            assert_eq!(found.is_empty(), expected.is_empty(), "{schema}: {found}");
            assert!(found.starts_with(expected), "{schema}: {found}");
            assert!(causes.len() < 2, "{schema}: {found}");
        }
    }
}
