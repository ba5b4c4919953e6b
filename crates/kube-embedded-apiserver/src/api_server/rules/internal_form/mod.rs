//! The form in which messages show values: that of a server's internal types.
//!
//! The internal types have other names and orders of members than the types of requests, and they
//! show members that are empty. Values of types that the table does not have are shown as JSON.

mod diff;
mod types;

use serde_json::Value;

use self::types::{Field, Shape, TYPES};

/// A value as messages show it. The order of its members is that of the internal type.
#[derive(Clone, Debug)]
enum Node {
    /// The JSON of a scalar, or of something that is empty.
    Leaf(String),
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
}

/// Returns a value of an internal type, on one line.
pub(crate) fn shown(name: &str, value: &Value) -> String {
    let mut text = String::new();
    node(name, value).write(&mut text);
    text
}

/// Returns the difference between two values of an internal type, as changed lines with their
/// surroundings.
pub(crate) fn difference(name: &str, before: &Value, after: &Value) -> String {
    let lines = |value: &Value| {
        let mut text = String::new();
        node(name, value).write_indented(0, &mut text);
        text
    };
    diff::unified(&lines(before), &lines(after))
}

fn node(name: &str, value: &Value) -> Node {
    match TYPES.iter().find(|(known, _)| *known == name) {
        Some((_, fields)) => of_type(fields, value),
        None => plain(value),
    }
}

/// Returns a value as its JSON is.
fn plain(value: &Value) -> Node {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(name, value)| (name.clone(), plain(value)));
            Node::Object(members.collect())
        }
        Value::Array(elements) if !elements.is_empty() => {
            Node::List(elements.iter().map(plain).collect())
        }
        other => Node::Leaf(other.to_string()),
    }
}

fn of_type(fields: &[Field], value: &Value) -> Node {
    if value.is_null() {
        return Node::Leaf("null".to_owned());
    }
    let mut members = Vec::new();
    for (name, path, shape) in fields {
        let found = path.split('.').fold(value, |value, member| &value[member]);
        if *shape == Shape::Inlined {
            if let Node::Object(inner) = plain(found) {
                members.extend(inner);
            }
            continue;
        }
        if *shape != Shape::Own || !found.is_null() {
            members.push(((*name).to_owned(), of_shape(*shape, value, found)));
        }
    }
    Node::Object(members)
}

fn of_shape(shape: Shape, outer: &Value, value: &Value) -> Node {
    let or = |empty: &str| match value {
        Value::Null => Node::Leaf(empty.to_owned()),
        value => plain(value),
    };
    match shape {
        Shape::Text => or("\"\""),
        Shape::Number => or("0"),
        Shape::Flag => or("false"),
        Shape::Any | Shape::Inlined | Shape::Own => or("null"),
        Shape::Struct(fields) if value.is_null() => {
            of_type(fields, &Value::Object(serde_json::Map::new()))
        }
        Shape::Struct(fields) | Shape::Pointer(fields) => of_type(fields, value),
        Shape::List(fields) => match value.as_array() {
            None => or("null"),
            Some(elements) if elements.is_empty() => Node::Leaf("[]".to_owned()),
            Some(elements) => Node::List(elements.iter().map(|one| of_type(fields, one)).collect()),
        },
        // The internal type has members here that are beside the value in requests.
        Shape::Beside(fields) => {
            if value.is_null() {
                of_type(fields, &Value::Null)
            } else {
                of_type(fields, outer)
            }
        }
    }
}

impl Node {
    fn write(&self, out: &mut String) {
        match self {
            Self::Leaf(text) => out.push_str(text),
            Self::Object(members) => {
                out.push('{');
                for (n, (name, value)) in members.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
            Self::List(elements) => {
                out.push('[');
                for (n, value) in elements.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    value.write(out);
                }
                out.push(']');
            }
        }
    }

    /// Writes a member or an element a line, indented by a space for each level.
    fn write_indented(&self, level: usize, out: &mut String) {
        let line = |level: usize, out: &mut String| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', level));
        };
        let (open, close) = match self {
            Self::Leaf(text) => return out.push_str(text),
            Self::Object(_) => ('{', '}'),
            Self::List(_) => ('[', ']'),
        };
        out.push(open);
        match self {
            Self::Object(members) => {
                for (n, (name, value)) in members.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    line(level + 1, out);
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push_str(": ");
                    value.write_indented(level + 1, out);
                }
            }
            Self::List(elements) => {
                for (n, value) in elements.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    line(level + 1, out);
                    value.write_indented(level + 1, out);
                }
            }
            Self::Leaf(_) => {}
        }
        line(level, out);
        out.push(close);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_have_their_internal_names_and_order() {
        let reference = json!({ "name": "b", "kind": "Role" });
        let expected = r#"{"APIGroup":"","Kind":"Role","Name":"b"}"#;
        assert_eq!(shown("RoleRef", &reference), expected);
        assert_eq!(shown("unknown", &json!({ "b": [1], "a": {} })), r#"{"a":{},"b":[1]}"#);
    }

    #[test]
    fn host_settings_are_in_the_security_context() {
        let shown = shown("PodSpec", &json!({ "hostNetwork": true, "securityContext": {} }));
        assert!(
            shown.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false"#),
            "{shown}"
        );
    }
}
