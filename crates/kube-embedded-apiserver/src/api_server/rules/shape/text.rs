//! The text of an object, as a server has it while it patches the object.

use serde_json::Value;

use super::Shape;

/// Returns the JSON of a patched object. Members come in the order of Go's types, except in objects
/// that the patch went through: there they are sorted. `touched` has the members on its way.
pub(crate) fn text(shape: Shape<'_>, object: &Value, touched: &Value) -> String {
    // The server has custom objects without a type.
    let shape = if shape.names().is_empty() { Shape::ANY } else { shape };
    let mut text = String::new();
    write(shape, object, Some(touched), &mut text);
    escaped(&text)
}

/// Returns a JSON text as Go writes it, with the characters escaped that HTML reserves.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn write(shape: Shape<'_>, value: &Value, touched: Option<&Value>, into: &mut String) {
    match value {
        Value::Array(elements) => {
            let element = shape.element();
            into.push('[');
            for (n, value) in elements.iter().enumerate() {
                if n > 0 {
                    into.push(',');
                }
                write(element, value, None, into);
            }
            into.push(']');
        }
        Value::Object(members) => {
            let sorted = touched.is_some_and(Value::is_object);
            let first = if sorted { Vec::new() } else { shape.names() };
            let declared = first.iter().filter(|name| members.contains_key(**name)).copied();
            let others = members.keys().map(String::as_str);
            let others = others.filter(|name| !first.contains(name));
            into.push('{');
            for (n, name) in declared.chain(others).enumerate() {
                if n > 0 {
                    into.push(',');
                }
                into.push_str(&Value::from(name).to_string());
                into.push(':');
                let inner = shape.member(name).unwrap_or(Shape::ANY);
                let touched = touched.and_then(|touched| touched.get(name));
                write(inner, &members[name], touched, into);
            }
            into.push('}');
        }
        plain => into.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_where_the_patch_was() {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"l": "<", "k": 1},
            "metadata": {"annotations": {"a": "b"}, "name": "n", "labels": {"c": "d"}},
        });
        let shape = Shape::of_kind("v1", "ConfigMap");
        let metadata = r#""metadata":{"name":"n","labels":{"c":"d"},"annotations":{"a":"b"}}"#;
        let rest = r#"{"apiVersion":"v1","data":{"k":1,"l":"\u003c"},"kind":"ConfigMap","#;
        assert_eq!(text(shape, &map, &json!({"data": {}})), format!("{rest}{metadata}}}"));
        let sorted = r#""metadata":{"annotations":{"a":"b"},"labels":{"c":"d"},"name":"n"}"#;
        assert_eq!(text(shape, &map, &json!({"metadata": {}})), format!("{rest}{sorted}}}"));
    }
}
