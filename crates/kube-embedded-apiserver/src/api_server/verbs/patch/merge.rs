//! Merge patches (RFC 7386).

use serde_json::{Map, Value};

/// Applies a merge patch.
pub(super) fn apply(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = without_nulls(patch);
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (member, value) in members {
        if value.is_null() {
            target.as_object_mut().map(|target| target.remove(member));
        } else {
            apply(&mut target[member], value);
        }
    }
}

/// Returns a value without the null members of its objects. A real server removes them even where
/// they are in lists.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nulls_remove_members() {
        let mut object = json!({"a": {"b": 1, "c": 2}, "l": [1]});
        let patch = json!({"a": {"b": null}, "l": [{"x": null, "y": 1}, null], "n": {"m": null}});
        apply(&mut object, &patch);
        assert_eq!(object, json!({"a": {"c": 2}, "l": [{"y": 1}, null], "n": {}}));
    }
}
