//! Decodes objects as a server's Go types do: members that a type does not have are dropped and
//! named, and values of the wrong type are refused in Go's words.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::table::OBJECT_META;
use super::time::{self, Fraction};
use super::types::{Field, Many, TYPES, Type, Value as Row};
use super::{Described, Shape};
use crate::api_server::rules::go_format::{json_name, kind_name, type_name};

/// The source of an object, which decides about the words of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    #[default]
    Json,
    /// An object that the server has in memory.
    Memory,
}

/// Removes the members that a built-in kind does not have, and returns their paths. Fails with
/// Go's message for the first value of a wrong type. Objects of custom types stay as they are.
pub(crate) fn decode(
    shape: Shape<'_>,
    source: Source,
    object: &mut Value,
) -> Result<Vec<String>, String> {
    let Described::Struct(go) = shape.0 else { return Ok(Vec::new()) };
    run(go, source, object)
}

/// Decodes the metadata of a custom object, which a server decodes on its own.
pub(crate) fn decode_metadata(metadata: &mut Value) -> Result<Vec<String>, String> {
    TYPES.get(usize::from(OBJECT_META)).map_or(Ok(Vec::new()), |go| run(go, Source::Json, metadata))
}

fn run(go: &'static Type, source: Source, value: &mut Value) -> Result<Vec<String>, String> {
    let mut decoding = Decoding { source, ..Decoding::default() };
    decoding.object(go, value);
    match decoding.problem {
        Some(problem) => Err(problem),
        None => Ok(decoding.unknown),
    }
}

#[derive(Default)]
struct Decoding {
    source: Source,
    /// The current path in the object, such as `spec.containers[0]`.
    path: String,
    /// The current members, as an error of Go names them: without indexes and keys.
    members: Vec<&'static str>,
    unknown: Vec<String>,
    problem: Option<String>,
}

impl Decoding {
    fn object(&mut self, go: &'static Type, value: &mut Value) {
        let Value::Object(members) = value else {
            if !value.is_null() {
                let problem = self.mismatch(None, value, go.name());
                self.fail(problem);
            }
            return;
        };
        self.fields(go, members);
    }

    fn fields(&mut self, go: &'static Type, members: &mut Map<String, Value>) {
        let above = self.path.len();
        members.retain(|name, value| {
            if above > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            let field = go.fields.iter().find(|field| field.name == name);
            if let Some(field) = field {
                self.members.push(field.name);
                self.field(go, field, value);
                self.members.pop();
            } else {
                self.unknown.push(self.path.clone());
            }
            self.path.truncate(above);
            // A null sets nothing.
            field.is_some() && !value.is_null()
        });
    }

    fn field(&mut self, go: &'static Type, field: &'static Field, value: &mut Value) {
        let above = self.path.len();
        match (field.many, value) {
            (_, Value::Null) => {}
            (Many::One, value) => self.one(go, field, value),
            (Many::List, Value::Array(elements)) => {
                for (n, element) in elements.iter_mut().enumerate() {
                    let _ = write!(self.path, "[{n}]");
                    self.one(go, field, element);
                    self.path.truncate(above);
                }
            }
            (Many::Map, Value::Object(values)) => {
                for (key, value) in values {
                    self.path.push('.');
                    self.path.push_str(key);
                    self.one(go, field, value);
                    self.path.truncate(above);
                    if value.is_null() && matches!(field.value, Row::Text(_)) {
                        *value = "".into();
                    }
                }
            }
            (_, value) => {
                let problem = match (self.source, field.many) {
                    (Source::Json, _) => self.mismatch(Some(go), value, &type_of(field)),
                    (_, Many::Map) => format!("cannot restore map from {}", kind_name(value)),
                    _ => format!("cannot restore slice from {}", kind_name(value)),
                };
                self.fail(problem);
            }
        }
    }

    fn one(&mut self, go: &'static Type, field: &'static Field, value: &mut Value) {
        let is_integer = |row| matches!(row, Row::Int(..) | Row::IntOrString);
        let fits = match (field.value, &mut *value) {
            (Row::Struct(number), value @ (Value::Object(_) | Value::Null)) => {
                if let Some(inner) = TYPES.get(usize::from(number)) {
                    self.object(inner, value);
                }
                true
            }
            (row @ (Row::Int(..) | Row::IntOrString), Value::Number(number)) => {
                let wide = matches!(row, Row::Int(_, 64));
                let limit = if wide { i64::MAX } else { i64::from(i32::MAX) };
                number.as_i64().is_some_and(|number| number <= limit && number >= -limit - 1)
            }
            (row @ (Row::Time | Row::MicroTime), Value::String(text)) => {
                let micro = matches!(row, Row::MicroTime);
                let fraction = if micro { Fraction::Micros } else { Fraction::Any };
                if let Err(problem) = time::check(text, fraction) {
                    self.fail(problem);
                }
                true
            }
            (Row::Time | Row::MicroTime, Value::Null) => true,
            (Row::Time | Row::MicroTime, value) if !value.is_string() => {
                let problem = unmarshaler_mismatch(value, "string");
                self.fail(problem);
                true
            }
            (Row::IntOrString, value @ (Value::Bool(_) | Value::Object(_) | Value::Array(_))) => {
                let problem = unmarshaler_mismatch(value, "int32");
                self.fail(problem);
                true
            }
            (Row::Texts(_), Value::Array(texts)) => texts.iter().all(Value::is_string),
            (Row::Text(_) | Row::Bytes, Value::String(_))
            | (Row::Bool, Value::Bool(_))
            | (Row::Float, Value::Number(_))
            | (Row::IntOrString | Row::Raw(_) | Row::Quantity, _)
            | (_, Value::Null) => true,
            _ => false,
        };
        if !fits {
            let wanted = type_of_one(field);
            let problem = match self.source {
                Source::Json => self.mismatch(Some(go), value, &wanted),
                Source::Memory if matches!(field.value, Row::IntOrString) => {
                    self.mismatch(None, value, &wanted)
                }
                Source::Memory => unconvertible(field.value, value, &wanted),
            };
            // Go shows a number that is no integer of the type.
            let problem = match value {
                Value::Number(number) if is_integer(field.value) && !number.is_f64() => {
                    problem.replacen(" number ", &format!(" number {number} "), 1)
                }
                _ => problem,
            };
            self.fail(problem);
        }
    }

    /// Returns the message for a value that does not fit a type. `outer` has the current member.
    fn mismatch(&self, outer: Option<&'static Type>, value: &Value, wanted: &str) -> String {
        let found = json_name(value);
        let Some(outer) = outer else {
            return format!("json: cannot unmarshal {found} into Go value of type {wanted}");
        };
        let outer = outer.path.rsplit('.').next().unwrap_or_default();
        let members = self.members.join(".");
        format!(
            "json: cannot unmarshal {found} into Go struct field {outer}.{members} of type {wanted}"
        )
    }

    /// Keeps the first problem; decoding goes on.
    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }
}

/// Returns the message for a value in memory that does not fit a type.
fn unconvertible(row: Row, value: &Value, wanted: &str) -> String {
    match (row, value) {
        (Row::Struct(_), value) => format!("cannot restore struct from: {}", kind_name(value)),
        (Row::Bytes | Row::Texts(_), value) => {
            format!("cannot restore slice from {}", kind_name(value))
        }
        (Row::Text(_), Value::Number(number)) if !number.is_f64() => {
            format!("cannot convert int64 to {wanted}")
        }
        (Row::Int(..), Value::Number(_)) => {
            format!("cannot convert {} to {wanted}", type_name(value))
        }
        (Row::Text(_), _) => "unrecognized type: string".into(),
        (Row::Int(_, bits), _) => format!("unrecognized type: int{bits}"),
        (Row::Bool, _) => "unrecognized type: bool".into(),
        _ => "unrecognized type: float64".into(),
    }
}

/// Returns the message of a type that decodes itself.
fn unmarshaler_mismatch(value: &Value, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into Go value of type {wanted}", json_name(value))
}

fn type_of(field: &Field) -> String {
    let one = type_of_one(field);
    match field.many {
        _ if !field.rules.named.is_empty() => field.rules.named.to_owned(),
        Many::One => one,
        Many::List => format!("[]{one}"),
        Many::Map => format!("map[string]{one}"),
    }
}

fn type_of_one(field: &Field) -> String {
    match field.value {
        Row::Text(name) | Row::Texts(name) | Row::Int(name, _) | Row::Raw(name) => name,
        Row::Bool => "bool",
        Row::Float => "float64",
        Row::Bytes => "[]uint8",
        Row::Time => "v1.Time",
        Row::MicroTime => "v1.MicroTime",
        Row::Quantity => "resource.Quantity",
        Row::IntOrString => "int32",
        Row::Struct(number) => TYPES.get(usize::from(number)).map_or("", Type::name),
    }
    .to_owned()
}

/// Returns the object that Go writes for a kind if no member is set.
pub(crate) fn empty(shape: Shape<'_>) -> Value {
    match shape.0 {
        Described::Struct(go) => empty_struct(go),
        _ => Value::Object(Map::new()),
    }
}

fn empty_struct(go: &'static Type) -> Value {
    let written = go.fields.iter().filter(|field| field.always);
    Value::Object(written.map(|field| (field.name.to_owned(), zero(field))).collect())
}

/// Returns the value of a key that an element lacks: a member that is always written has one.
pub(super) fn key_default(element: Row, key: &str) -> Option<Value> {
    let Row::Struct(number) = element else { return None };
    let go = TYPES.get(usize::from(number))?;
    let field = go.fields.iter().find(|field| field.name == key)?;
    (field.always && !field.pointer).then(|| zero(field))
}

fn zero(field: &'static Field) -> Value {
    if field.pointer || field.many != Many::One {
        return Value::Null;
    }
    match field.value {
        Row::Text(_) => "".into(),
        Row::Int(..) | Row::Float | Row::IntOrString => 0.into(),
        Row::Bool => false.into(),
        Row::Quantity => "0".into(),
        Row::Struct(number) => TYPES.get(usize::from(number)).map_or(Value::Null, empty_struct),
        Row::Texts(_) | Row::Bytes | Row::Time | Row::MicroTime | Row::Raw(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decoded(kind: (&str, &str), object: &Value) -> Result<Vec<String>, String> {
        decode(Shape::of_kind(kind.0, kind.1), Source::Json, &mut object.clone())
    }

    #[test]
    fn unknown_members_are_named_by_their_paths() {
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {
            "Replicas": 1, "nope": {}, "selector": {"matchLabels": {"any": "thing"}},
            "template": {"spec": {"containers": [{"name": "c", "foo": "bar"}]}},
        }});
        let unknown = ["spec.Replicas", "spec.nope", "spec.template.spec.containers[0].foo"];
        assert_eq!(decoded(("apps/v1", "Deployment"), &deployment).unwrap(), unknown);
    }

    #[test]
    fn wrong_types_are_refused_in_the_words_of_go() {
        let pod = ("v1", "Pod");
        for (object, problem) in [
            (
                json!({"spec": {"containers": "x"}}),
                "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of \
                 type []v1.Container",
            ),
            (
                json!({"metadata": {"labels": {"a": 1}}}),
                "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of \
                 type string",
            ),
            (
                json!({"metadata": []}),
                "json: cannot unmarshal array into Go struct field Pod.metadata of type \
                 v1.ObjectMeta",
            ),
            (
                json!({"spec": {"priority": 1.5}}),
                "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of \
                 type int32",
            ),
            (
                json!({"spec": {"priority": 2_147_483_648_i64}}),
                "json: cannot unmarshal number 2147483648 into Go struct field \
                 PodSpec.spec.priority of type int32",
            ),
            (
                json!({"spec": {"containers": [
                    {"lifecycle": {"preStop": {"httpGet": {"port": 1.5}}}},
                ]}}),
                "json: cannot unmarshal number 1.5 into Go struct field \
                 HTTPGetAction.spec.containers.lifecycle.preStop.httpGet.port of type int32",
            ),
            (
                json!({"spec": {"containers": [{"livenessProbe": {"httpGet": {"port": true}}}]}}),
                "json: cannot unmarshal bool into Go value of type int32",
            ),
            (
                json!({"metadata": {"creationTimestamp": "yesterday"}}),
                "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \
                 \"yesterday\" as \"2006\"",
            ),
        ] {
            assert_eq!(decoded(pod, &object).unwrap_err(), problem);
        }
        let mut metadata = json!({"labels": {"a": 1}});
        let problem = "json: cannot unmarshal number into Go struct field ObjectMeta.labels of \
                       type string";
        assert_eq!(decode_metadata(&mut metadata).unwrap_err(), problem);
    }

    #[test]
    fn empty_objects_are_those_of_go() {
        let deployment = empty(Shape::of_kind("apps/v1", "Deployment"));
        let expected = json!({
            "metadata": {}, "status": {},
            "spec": {
                "selector": null, "strategy": {},
                "template": {"metadata": {}, "spec": {"containers": null}},
            },
        });
        assert_eq!(deployment, expected);
    }
}
