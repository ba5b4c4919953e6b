//! Fills in defaults, and removes nulls that the schema does not allow.

use serde_json::{Map, Value};

use super::{flag, member};

/// Removes the nulls that a schema does not allow, and for which it has no default.
pub(super) fn drop_nulls(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| {
                let schema = member(schema, name);
                drop_nulls(schema, value);
                !is_refused_null(schema, value) || !schema["default"].is_null()
            });
        }
        Value::Array(elements) => {
            for element in elements {
                drop_nulls(&schema["items"], element);
            }
        }
        _ => {}
    }
}

/// Applies the defaults of a schema to an object.
pub(super) fn apply(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => object(schema, members),
        Value::Array(elements) => {
            let schema = &schema["items"];
            for element in elements {
                if is_refused_null(schema, element) && !schema["default"].is_null() {
                    *element = schema["default"].clone();
                }
                apply(schema, element);
            }
        }
        Value::Number(number) => {
            // As a real server writes it: without a fraction if it is whole.
            if let Some(whole) = whole(number) {
                *value = whole.into();
            }
        }
        _ => {}
    }
}

fn object(schema: &Value, members: &mut Map<String, Value>) {
    let declared = schema["properties"].as_object().into_iter().flatten();
    for (name, schema) in declared.filter(|(_, schema)| !schema["default"].is_null()) {
        if members.get(name).is_none_or(|value| is_refused_null(schema, value)) {
            members.insert(name.clone(), schema["default"].clone());
        }
    }
    for (name, value) in members {
        let schema = member(schema, name);
        if is_refused_null(schema, value) && !schema["default"].is_null() {
            *value = schema["default"].clone();
        }
        apply(schema, value);
    }
}

fn is_refused_null(schema: &Value, value: &Value) -> bool {
    value.is_null() && schema.is_object() && !flag(schema, "nullable")
}

fn whole(number: &serde_json::Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    // Up to here every whole number is exact.
    let exact = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
    exact.then_some(value as i64)
}
