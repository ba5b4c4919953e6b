//! Values of objects as rules see them.

use std::collections::HashMap;
use std::sync::Arc;

use cel::Value as CelValue;
use cel::objects::{Key, Map, Opaque};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::super::flag;
use super::unreadable;
use crate::api_server::rules::bytes;

/// The names of the types of points in time and of durations, which the interpreter lacks.
pub(super) const TIMES: [&str; 2] = ["google.protobuf.Timestamp", "google.protobuf.Duration"];

/// The words that cannot be names of members in an expression.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns a value as its schema types it. Members that the schema does not declare are absent.
pub(super) fn of(schema: &Value, whole: bool, value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => CelValue::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) if schema["type"] != "number" => CelValue::Int(integer),
            _ => unreadable::of_number(schema)
                .unwrap_or_else(|| CelValue::Float(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => formatted(schema, text),
        Value::Array(elements) => {
            let items = &schema["items"];
            let of_item =
                |item: &Value| of(items, flag(items, "x-kubernetes-embedded-resource"), item);
            CelValue::List(Arc::new(elements.iter().map(of_item).collect()))
        }
        Value::Object(_) => object(schema, whole, value),
    }
}

/// Returns a value without a schema. All of its members are present.
pub(super) fn untyped(value: &Value) -> CelValue {
    match value {
        Value::Array(elements) => CelValue::List(Arc::new(elements.iter().map(untyped).collect())),
        Value::Object(members) => {
            let members = members.iter();
            let members: HashMap<Key, CelValue> =
                members.map(|(name, value)| (Key::from(name.clone()), untyped(value))).collect();
            CelValue::Map(Map { map: Arc::new(members) })
        }
        plain => of(&Value::Null, false, plain),
    }
}

fn formatted(schema: &Value, text: &str) -> CelValue {
    let plain = || CelValue::String(Arc::new(text.to_owned()));
    match schema["format"].as_str() {
        Some("byte") => unreadable::of_bytes(text).unwrap_or_else(|| {
            bytes::decode(text).map_or_else(|_| plain(), |bytes| CelValue::Bytes(bytes.into()))
        }),
        Some("duration") => {
            let parsed = text.parse::<SignedDuration>().map(|parsed| parsed.to_string());
            Time::value(TIMES[1], parsed.unwrap_or_else(|_| text.to_owned()))
        }
        Some("date-time") => {
            let parsed = text.parse::<Timestamp>().map(|parsed| parsed.to_string());
            Time::value(TIMES[0], parsed.unwrap_or_else(|_| text.to_owned()))
        }
        Some("date") => Time::value(TIMES[0], format!("{text}T00:00:00Z")),
        _ => plain(),
    }
}

/// A point in time or a duration, which can be compared for equality and nothing else.
#[derive(Debug, PartialEq, Eq)]
struct Time(&'static str, String);

impl Time {
    fn value(kind: &'static str, text: String) -> CelValue {
        CelValue::Opaque(Arc::new(Self(kind, text)))
    }
}

impl Opaque for Time {
    fn runtime_type_name(&self) -> &str {
        self.0
    }
}

fn object(schema: &Value, whole: bool, value: &Value) -> CelValue {
    let mut members: HashMap<Key, CelValue> = HashMap::new();
    let properties = schema["properties"].as_object().filter(|all| !all.is_empty());
    let below = |schema: &Value, value: &Value| {
        of(schema, flag(schema, "x-kubernetes-embedded-resource"), value)
    };
    let given = value.as_object().into_iter().flatten();
    if properties.is_none() && schema["additionalProperties"].is_object() {
        let additional = &schema["additionalProperties"];
        members.extend(given.map(|(name, v)| (Key::from(name.clone()), below(additional, v))));
    } else {
        let declared = |name: &str| properties.and_then(|all| all.get(name));
        // A null counts as an absent member here, and as a value in a map.
        for (name, value) in given.filter(|(_, value)| !value.is_null()) {
            if let (Some(schema), Some(escaped)) = (declared(name), escaped(name)) {
                let value = below(schema, value);
                if RESERVED.contains(&&**name) {
                    members.insert(Key::from(name.clone()), value.clone());
                }
                members.insert(Key::from(escaped), value);
            }
        }
    }
    if whole && !declares_metadata(schema) {
        for name in ["apiVersion", "kind"] {
            if let Some(text) = value[name].as_str() {
                members.insert(Key::from(name), CelValue::from(text));
            }
        }
        let mut metadata: HashMap<Key, CelValue> = HashMap::new();
        for name in ["name", "generateName"] {
            if let Some(text) = value["metadata"][name].as_str() {
                metadata.insert(Key::from(name), CelValue::from(text));
            }
        }
        members.insert(Key::from("metadata"), CelValue::Map(Map { map: Arc::new(metadata) }));
    }
    CelValue::Map(Map { map: Arc::new(members) })
}

/// Returns whether an expression may call a member by a name. Reserved words stand for themselves,
/// too, where they follow a dot.
pub(super) fn is_named(member: &str, name: &str) -> bool {
    escaped(member).as_deref() == Some(name) || (member == name && RESERVED.contains(&name))
}

/// Returns whether a schema declares what every object of the API has, so that rules see the
/// metadata that it declares.
pub(super) fn declares_metadata(schema: &Value) -> bool {
    let (members, metadata) = (&schema["properties"], &schema["properties"]["metadata"]);
    let text = |schema: &Value| schema["type"] == "string";
    text(&members["kind"])
        && text(&members["apiVersion"])
        && metadata["type"] == "object"
        && text(&metadata["properties"]["name"])
        && text(&metadata["properties"]["generateName"])
}

/// Returns the name of a member in an expression, if it can have one.
fn escaped(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let valid = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || "_.-/".contains(c));
    if !starts || !name.chars().all(valid) {
        return None;
    }
    let escaped = name.replace("__", "__underscores__");
    Some(escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__"))
}
