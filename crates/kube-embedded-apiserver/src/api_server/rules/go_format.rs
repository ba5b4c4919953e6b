//! Writes values as Go's `fmt` does, for messages that contain them.

use serde_json::Value;

/// Returns a value as `%v` writes it: `map[a:1 b:[x y]]`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(plain).collect();
            format!("[{}]", elements.join(" "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}

/// Returns a value as `%#v` writes it: `map[string]interface {}{"a":1}`.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(syntax).collect();
            format!("[]interface {{}}{{{}}}", elements.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
    }
}

/// Returns the name of a value in an error of Go's JSON decoder.
pub(crate) fn json_name(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(number) if number.is_f64() => format!("number {number}"),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(_) => "array".into(),
        Value::Object(_) => "object".into(),
    }
}

/// Returns the name of a value's kind in Go.
pub(crate) fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
        other => type_name(other),
    }
}

/// Returns the name of a value's Go type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_go_does() {
        let value = json!({"b": [1, null, "x y"], "a": {"c": true}});
        assert_eq!(plain(&value), "map[a:map[c:true] b:[1 <nil> x y]]");
        let written = "map[string]interface {}{\"a\":map[string]interface {}{\"c\":true}, \
                       \"b\":[]interface {}{1, interface {}(nil), \"x y\"}}";
        assert_eq!(syntax(&value), written);
    }
}
