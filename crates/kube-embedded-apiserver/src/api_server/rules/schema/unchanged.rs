//! The comparison of a value with its former one. A problem of a value that is the same is
//! tolerated.

use serde_json::Value;

use super::list_types::{KeyedList, list_keys};
use super::member;

/// Returns whether two values are equal, as a server compares them: lists of objects with keys are
/// equal in any order, and objects differ if a member has no schema.
pub(super) fn is_same(schema: &Value, before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Array(old), Value::Array(new)) => {
            let keys = list_keys(schema).filter(|keys| !keys.is_empty());
            let Some(keys) = keys else { return old == new };
            let known = KeyedList::new(keys, old);
            old.len() == new.len()
                && new.iter().all(|element| {
                    known.get(element).is_some_and(|old| is_same(&schema["items"], old, element))
                })
        }
        (Value::Object(old), Value::Object(new)) => {
            old.len() == new.len()
                && new.iter().all(|(name, value)| {
                    let schema = member(schema, name);
                    let old = old.get(name).filter(|_| schema.is_object());
                    old.is_some_and(|old| is_same(schema, old, value))
                })
        }
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_without_a_schema_are_never_the_same() {
        let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let keyed = json!({
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "properties": {"k": {"type": "integer"}}},
        });
        for (schema, value, same) in [
            (&free, json!({}), true),
            (&free, json!([{"a": 1}]), true),
            (&free, json!(null), true),
            (&free, json!({"a": 1}), false),
            (&texts, json!({"a": "b"}), true),
            (&keyed, json!([{"k": 1}, {"k": 2}]), true),
            (&keyed, json!([{"k": 1}, {}]), false),
            (&keyed, json!([{"k": {}}]), false),
            (&keyed, json!([5]), false),
        ] {
            assert_eq!(is_same(schema, &value, &value), same, "{value}");
            let around = json!({"type": "object", "properties": {"m": schema}});
            let object = json!({ "m": value });
            assert_eq!(is_same(&around, &object, &object), same, "{object}");
        }
    }
}
