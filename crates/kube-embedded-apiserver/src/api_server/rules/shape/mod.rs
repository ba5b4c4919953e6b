//! The shape of objects: which members they have, how their lists merge, and which parts of them
//! are owned as a whole.
//!
//! Built-in kinds follow their Go types, custom types follow their schema. Both are walked the same
//! way: a [`Shape`] is the type of one value, and leads to the shapes of the values in it.

mod go;
mod openapi;
mod row;
#[rustfmt::skip] // generated
mod table;
mod text;
mod time;
mod types;

use serde_json::Value;

use self::row::Elements;
use self::table::OBJECT_META;
use self::types::{Field, KINDS, Many, TYPES, Type, Value as Row};
use crate::api_server::resource::ResourceType;

pub(crate) use self::go::{Source, decode, decode_metadata, empty};
pub(crate) use self::openapi::{kind, schemas};
pub(crate) use self::text::{escaped, text};

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a>(Described<'a>);

/// The description that a shape is read from.
#[derive(Clone, Copy, Debug)]
enum Described<'a> {
    /// A Go struct.
    Struct(&'static Type),
    Member(&'static Field),
    /// An element of a list, or a value of a map.
    Inside(&'static Field),
    /// An object of a custom type, whose metadata is that of all objects.
    Object(&'a Value),
    Schema(&'a Value),
    Text,
    Any,
}

/// The parts of a value for field ownership.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnedParts<'a> {
    Scalar(Scalar),
    /// Members are owned one by one.
    Members,
    /// Elements are identified by these members, some of which have defaults.
    Keyed(Vec<(&'a str, Option<Value>)>),
    /// Elements are identified by their values.
    Set,
    /// An object that is owned as a whole.
    AtomicMembers,
    /// A list that is owned as a whole.
    AtomicElements,
}

/// The type of a value without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Text,
    Number,
    Bool,
    /// Any of these.
    Any,
}

/// The rule of a strategic merge patch for a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Merge {
    /// The key by which elements are merged. Empty for a list of plain values; `None` if the list
    /// is replaced.
    pub(crate) key: Option<&'static str>,
    /// True if an object is replaced, not merged.
    pub(crate) replace: bool,
}

/// Returns the Go type of a kind. A version that is not in the table has that of another version.
fn go_type(api_version: &str, kind: &str) -> Option<&'static Type> {
    let at = KINDS.binary_search_by(|row| (row.0, row.1).cmp(&(api_version, kind)));
    let number = at.map(|at| KINDS[at].2).ok().or_else(|| {
        let (group, _) = api_version.split_once('/')?;
        let same = |row: &&(&str, &str, u16)| {
            row.1 == kind && row.0.split_once('/').is_some_and(|(other, _)| other == group)
        };
        KINDS.iter().find(same).map(|row| row.2)
    })?;
    TYPES.get(usize::from(number))
}

static NO_SCHEMA: Value = Value::Null;

impl<'a> Shape<'a> {
    /// The shape of a value that may be anything.
    pub(crate) const ANY: Self = Self(Described::Any);

    /// Returns the shape of a type's objects.
    pub(crate) fn of(resource: &'a ResourceType) -> Self {
        if resource.custom {
            return Self(Described::Object(&resource.schema));
        }
        Self::of_kind(&resource.api_version(), &resource.kind)
    }

    /// Returns the shape of a built-in kind's objects. Other kinds have only metadata.
    pub(crate) fn of_kind(api_version: &str, kind: &str) -> Self {
        go_type(api_version, kind)
            .map_or(Self(Described::Object(&NO_SCHEMA)), |go| Self(Described::Struct(go)))
    }

    /// Returns the struct of this shape.
    fn go_struct(self) -> Option<&'static Type> {
        let (Described::Member(field) | Described::Inside(field)) = self.0 else {
            return match self.0 {
                Described::Struct(go) => Some(go),
                _ => None,
            };
        };
        match (self.0, field.many, field.value) {
            (Described::Member(_), Many::One, Row::Struct(number))
            | (Described::Inside(_), _, Row::Struct(number)) => TYPES.get(usize::from(number)),
            _ => None,
        }
    }

    /// Returns whether the value may be any JSON.
    fn is_raw(self) -> bool {
        match self.0 {
            Described::Member(field) => {
                field.many == Many::One && matches!(field.value, Row::Raw(_))
            }
            Described::Inside(field) => matches!(field.value, Row::Raw(_)),
            _ => false,
        }
    }

    /// Returns the shape of a member of an object; `None` if the object has no such member.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        if let Some(go) = self.go_struct() {
            return go
                .fields
                .iter()
                .find(|field| field.name == name)
                .map(|f| Self(Described::Member(f)));
        }
        match self.0 {
            Described::Member(field) if field.many == Many::Map => {
                Some(Self(Described::Inside(field)))
            }
            Described::Object(_) if name == "metadata" => {
                TYPES.get(usize::from(OBJECT_META)).map(|go| Self(Described::Struct(go)))
            }
            Described::Object(_) if matches!(name, "kind" | "apiVersion") => {
                Some(Self(Described::Text))
            }
            Described::Object(Value::Null) | Described::Any => Some(Self(Described::Any)),
            Described::Member(_) | Described::Inside(_) if self.is_raw() => {
                Some(Self(Described::Any))
            }
            Described::Object(schema) | Described::Schema(schema) => schema_member(schema, name),
            _ => None,
        }
    }

    /// Returns the shape of a list's elements.
    pub(crate) fn element(self) -> Self {
        match self.0 {
            Described::Member(field) if field.many == Many::List => Self(Described::Inside(field)),
            Described::Member(_) | Described::Inside(_) if self.is_raw() => Self(Described::Any),
            Described::Member(_) | Described::Inside(_) => Self(Described::Text),
            Described::Object(schema) | Described::Schema(schema) => match &schema["items"] {
                Value::Null => Self(Described::Any),
                items => Self(of_schema(items)),
            },
            Described::Struct(_) | Described::Text | Described::Any => Self(Described::Any),
        }
    }

    /// Returns whether the members of an object have names of their own, as those of a struct. The
    /// members of a map have not.
    pub(crate) fn declares(self, name: &str) -> bool {
        if let Some(go) = self.go_struct() {
            return go.fields.iter().any(|field| field.name == name);
        }
        match self.0 {
            Described::Object(_) if matches!(name, "kind" | "apiVersion" | "metadata") => true,
            Described::Object(schema) | Described::Schema(schema) => {
                !schema["properties"][name].is_null()
            }
            _ => false,
        }
    }

    /// Returns the parts of a value. A type that has several forms takes that of the value.
    pub(crate) fn parts(self, value: &Value) -> OwnedParts<'a> {
        let by_value = || match value {
            Value::Object(_) | Value::Null => OwnedParts::Members,
            Value::Array(_) => OwnedParts::AtomicElements,
            _ => OwnedParts::Scalar(Scalar::Any),
        };
        match self.0 {
            Described::Object(schema) if schema["x-kubernetes-map-type"] == "atomic" => {
                OwnedParts::AtomicMembers
            }
            Described::Struct(_) | Described::Object(_) => OwnedParts::Members,
            Described::Schema(schema) => schema_parts(schema).unwrap_or_else(by_value),
            Described::Text => OwnedParts::Scalar(Scalar::Text),
            Described::Any => by_value(),
            Described::Member(field) => field_parts(field, value),
            Described::Inside(field) => one_parts(field.value, field.of_atomic, value),
        }
    }

    /// Returns the rule of a strategic merge patch.
    pub(crate) fn merge(self) -> Merge {
        match self.0 {
            Described::Member(field) => {
                Merge { key: field.rules.merge_key, replace: field.rules.replace }
            }
            _ => Merge::default(),
        }
    }

    /// Returns the names of the members that a Go type has, in its order.
    fn names(self) -> Vec<&'static str> {
        self.go_struct().map_or_else(Vec::new, |go| go.fields.iter().map(|f| f.name).collect())
    }

    /// Returns the name of a built-in type in messages: `v1.PodSpec`.
    pub(crate) fn type_name(self) -> &'static str {
        self.go_struct().map_or("", Type::name)
    }
}

/// Returns the description of a value with this schema.
fn of_schema(schema: &Value) -> Described<'_> {
    if schema["x-kubernetes-embedded-resource"] == true {
        Described::Object(schema)
    } else {
        Described::Schema(schema)
    }
}

fn schema_member<'a>(schema: &'a Value, name: &str) -> Option<Shape<'a>> {
    let declared = &schema["properties"][name];
    if !declared.is_null() {
        return Some(Shape(of_schema(declared)));
    }
    let others = &schema["additionalProperties"];
    if others.is_object() {
        return Some(Shape(of_schema(others)));
    }
    let kept = schema["x-kubernetes-preserve-unknown-fields"] == true || *others == true;
    kept.then_some(Shape(Described::Any))
}

fn schema_parts(schema: &Value) -> Option<OwnedParts<'_>> {
    if schema["x-kubernetes-int-or-string"] == true {
        return Some(OwnedParts::Scalar(Scalar::Any));
    }
    match schema["type"].as_str()? {
        "object" if schema["x-kubernetes-map-type"] == "atomic" => Some(OwnedParts::AtomicMembers),
        "object" => Some(OwnedParts::Members),
        "array" => Some(match schema["x-kubernetes-list-type"].as_str() {
            Some("set") => OwnedParts::Set,
            Some("map") => {
                let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
                let declared = &schema["items"]["properties"];
                let default = |key: &str| match &declared[key]["default"] {
                    Value::Null => None,
                    value => Some(value.clone()),
                };
                OwnedParts::Keyed(keys.filter_map(Value::as_str).map(|k| (k, default(k))).collect())
            }
            _ => OwnedParts::AtomicElements,
        }),
        // A server does not type a text that has a format, except bytes.
        "string" => Some(OwnedParts::Scalar(match schema["format"].as_str() {
            None | Some("" | "byte") => Scalar::Text,
            _ => Scalar::Any,
        })),
        "integer" | "number" => Some(OwnedParts::Scalar(Scalar::Number)),
        "boolean" => Some(OwnedParts::Scalar(Scalar::Bool)),
        _ => None,
    }
}

fn field_parts(field: &'static Field, value: &Value) -> OwnedParts<'static> {
    match field.many {
        Many::One => one_parts(field.value, field.atomic, value),
        Many::Map if field.atomic => OwnedParts::AtomicMembers,
        Many::Map => OwnedParts::Members,
        Many::List => match field.rules.elements {
            Elements::Whole => OwnedParts::AtomicElements,
            Elements::Set => OwnedParts::Set,
            Elements::Keyed(keys) => {
                let default = |key: &str, value: Option<&str>| {
                    value.map(Value::from).or_else(|| go::key_default(field.value, key))
                };
                OwnedParts::Keyed(
                    keys.iter().map(|(key, value)| (*key, default(key, *value))).collect(),
                )
            }
        },
    }
}

fn one_parts(row: Row, atomic: bool, value: &Value) -> OwnedParts<'static> {
    match row {
        Row::Struct(_) if atomic => OwnedParts::AtomicMembers,
        Row::Struct(_) => OwnedParts::Members,
        Row::Text(_) | Row::Bytes => OwnedParts::Scalar(Scalar::Text),
        Row::Texts(_) => OwnedParts::AtomicElements,
        Row::Int(..) | Row::Float => OwnedParts::Scalar(Scalar::Number),
        Row::Bool => OwnedParts::Scalar(Scalar::Bool),
        Row::Time | Row::MicroTime | Row::Quantity | Row::IntOrString => {
            OwnedParts::Scalar(Scalar::Any)
        }
        Row::Raw(_) => match value {
            Value::Array(_) => OwnedParts::AtomicElements,
            Value::Object(_) => OwnedParts::AtomicMembers,
            _ => OwnedParts::Scalar(Scalar::Any),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at<'a>(shape: Shape<'a>, path: &[&str]) -> Shape<'a> {
        path.iter().fold(shape, |shape, name| match *name {
            "[]" => shape.element(),
            name => shape.member(name).unwrap(),
        })
    }

    #[test]
    fn built_in_kinds_have_the_rules_of_their_go_types() {
        let pod = Shape::of_kind("v1", "Pod");
        let containers = at(pod, &["spec", "containers"]);
        assert_eq!(
            containers.parts(&json!([])),
            OwnedParts::Keyed(vec![("name", Some(json!("")))])
        );
        assert_eq!(containers.merge().key, Some("name"));
        let ports = at(containers, &["[]", "ports"]);
        let keys = vec![("containerPort", Some(json!(0))), ("protocol", Some(json!("TCP")))];
        assert_eq!(ports.parts(&json!([])), OwnedParts::Keyed(keys));
        assert_eq!(ports.merge().key, Some("containerPort"));
        assert_eq!(at(pod, &["metadata", "finalizers"]).parts(&json!([])), OwnedParts::Set);
        assert_eq!(at(pod, &["spec", "nodeSelector"]).parts(&json!({})), OwnedParts::AtomicMembers);
        assert!(pod.member("nope").is_none() && pod.declares("spec"));
        assert!(!at(pod, &["metadata", "labels"]).declares("app"));
    }

    #[test]
    fn any_json_may_have_any_members() {
        let definition = Shape::of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        let path = ["spec", "versions", "[]", "schema", "openAPIV3Schema", "items", "properties"];
        let inside = at(definition, &path);
        assert_eq!(inside.parts(&json!({})), OwnedParts::Members);
        assert_eq!(inside.element().parts(&json!("x")), OwnedParts::Scalar(Scalar::Any));
    }

    #[test]
    fn custom_types_have_the_rules_of_their_schema() {
        let mut resource = ResourceType::new("example.com", "v1", "Thing", "things", true);
        resource.schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "map": {
                    "type": "array", "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name", "port"],
                    "items": {"type": "object", "properties": {
                        "name": {"type": "string"}, "port": {"type": "integer", "default": 80},
                    }},
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }},
        }});
        let thing = Shape::of(&resource);
        let keys = vec![("name", None), ("port", Some(json!(80)))];
        assert_eq!(at(thing, &["spec", "map"]).parts(&json!([])), OwnedParts::Keyed(keys));
        assert_eq!(at(thing, &["metadata", "finalizers"]).parts(&json!([])), OwnedParts::Set);
        assert_eq!(
            at(thing, &["spec", "free", "x"]).parts(&json!([1])),
            OwnedParts::AtomicElements
        );
        assert!(at(thing, &["spec"]).member("nope").is_none());
    }
}
