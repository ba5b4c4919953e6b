//! The types of expressions, as a schema declares them, and how they agree.

use std::sync::Arc;

use serde_json::Value;

use super::super::flag;
use super::super::list_types::list_keys;
use super::request::Fields;
use super::{any_schema, values};

/// The name of the type of the value that a rule judges. A server adds a number.
const SELF_TYPE: &str = "selfType";

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type<'a> {
    /// Any type, which only the evaluation tells.
    Any,
    /// The type of an expression with a problem.
    Wrong,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    /// A type with a name of its own.
    Named(&'static str),
    /// The type of types.
    Kind(Box<Type<'a>>),
    Optional(Box<Type<'a>>),
    List(Box<Type<'a>>, Order),
    Map(Box<Type<'a>>, Box<Type<'a>>),
    Object(Object<'a>),
    /// A type that is not known yet.
    Variable(usize),
}

/// The meaning of a list's order, which does not tell types apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Kept,
    /// Lists are equal in any order.
    Ignored,
}

impl PartialEq for Order {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The members of an object.
#[derive(Clone, Copy, Debug)]
enum Members<'a> {
    Declared(&'a Value),
    /// Those of a schema, and those that every object of the API has.
    Resource(&'a Value),
    /// The metadata that every object of the API has.
    Metadata,
    /// Those of a type that no schema declares.
    Fixed(Fields),
}

/// A type of objects. Each place in a schema has one of its own.
#[derive(Clone, Debug)]
pub(super) struct Object<'a> {
    name: Arc<str>,
    members: Members<'a>,
}

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<'a> Object<'a> {
    /// Returns the type of a member by its name in expressions.
    pub(super) fn member(&self, field: &str) -> Option<Type<'a>> {
        let path = || format!("{}.{field}", self.name);
        let (schema, implied) = match self.members {
            Members::Declared(schema) => (schema, false),
            Members::Resource(schema) => (schema, !values::declares_metadata(schema)),
            Members::Fixed(fields) => {
                let field = fields.iter().find(|(name, _)| *name == field);
                return field.map(|(_, field)| field.kind());
            }
            Members::Metadata => {
                return matches!(field, "name" | "generateName").then_some(Type::String);
            }
        };
        match field {
            "kind" | "apiVersion" if implied => return Some(Type::String),
            "metadata" if implied => {
                let name = path().into();
                return Some(Type::Object(Object { name, members: Members::Metadata }));
            }
            _ => {}
        }
        let mut properties = schema["properties"].as_object().into_iter().flatten();
        let (_, schema) = properties.find(|(name, _)| values::is_named(name, field))?;
        Type::of(schema, flag(schema, "x-kubernetes-embedded-resource"), &path())
    }
}

/// Returns whether a schema is or has that of a list whose order a server ignores.
pub(super) fn has_unordered(schema: &Value) -> bool {
    any_schema(schema, &|schema| list_keys(schema).is_some())
}

impl<'a> Type<'a> {
    pub(super) const TIMESTAMP: Self = Self::Named("timestamp");
    pub(super) const DURATION: Self = Self::Named("duration");

    /// Returns the type of a value that a rule judges. Values without a type are hidden from rules.
    pub(super) fn of_self(schema: &'a Value, whole: bool) -> Option<Self> {
        Self::of(schema, whole, SELF_TYPE)
    }

    fn of(schema: &'a Value, whole: bool, name: &str) -> Option<Self> {
        if flag(schema, "x-kubernetes-int-or-string") {
            return Some(Self::Any);
        }
        let below = |schema: &'a Value, place: &str| {
            let whole = flag(schema, "x-kubernetes-embedded-resource");
            Some(Box::new(Self::of(schema, whole, &format!("{name}.{place}"))?))
        };
        let additional = &schema["additionalProperties"];
        Some(match (schema["type"].as_str()?, schema["format"].as_str()) {
            ("boolean", _) => Self::Bool,
            ("integer", _) => Self::Int,
            ("number", _) => Self::Double,
            ("string", Some("byte")) => Self::Bytes,
            ("string", Some("date" | "date-time")) => Self::TIMESTAMP,
            ("string", Some("duration")) => Self::DURATION,
            ("string", _) => Self::String,
            ("array", _) => {
                let order = if list_keys(schema).is_some() { Order::Ignored } else { Order::Kept };
                Self::List(below(&schema["items"], "@idx")?, order)
            }
            ("object", _) if additional.is_object() => {
                Self::Map(Box::new(Self::String), below(additional, "@elem")?)
            }
            ("object", _) => {
                let members =
                    if whole { Members::Resource(schema) } else { Members::Declared(schema) };
                Self::Object(Object { name: name.into(), members })
            }
            _ => return None,
        })
    }

    /// Returns a type that no schema declares.
    pub(super) fn fixed(name: &str, fields: Fields) -> Self {
        Self::Object(Object { name: name.into(), members: Members::Fixed(fields) })
    }

    /// Returns the type of a value that may be absent.
    pub(super) fn or_absent(self) -> Self {
        Self::Optional(Box::new(self))
    }

    pub(super) fn list(self) -> Self {
        Self::List(Box::new(self), Order::Kept)
    }

    fn is_unordered(&self) -> bool {
        matches!(self, Self::List(_, Order::Ignored))
    }

    /// Returns whether a value of the type is or has a list whose order a server ignores.
    pub(super) fn has_unordered(&self) -> bool {
        match self {
            Self::List(_, Order::Ignored) => true,
            Self::List(inner, _) | Self::Optional(inner) | Self::Map(_, inner) => {
                inner.has_unordered()
            }
            Self::Object(object) => match object.members {
                Members::Declared(schema) | Members::Resource(schema) => has_unordered(schema),
                Members::Metadata | Members::Fixed(_) => false,
            },
            _ => false,
        }
    }

    /// Returns the type of what an optional value holds; other types as they are.
    pub(super) fn held(self) -> (Self, bool) {
        match self {
            Self::Optional(inner) => (*inner, true),
            other => (other, false),
        }
    }

    /// Returns the type with others in place of the types that it is made of.
    fn map(&self, of: &mut impl FnMut(&Self) -> Self) -> Self {
        let mut inner = |inner: &Self| Box::new(of(inner));
        match self {
            Self::Kind(of) => Self::Kind(inner(of)),
            Self::Optional(held) => Self::Optional(inner(held)),
            Self::List(item, order) => Self::List(inner(item), *order),
            Self::Map(key, value) => Self::Map(inner(key), inner(value)),
            other => other.clone(),
        }
    }

    /// Returns the type with its variables counted from another number.
    pub(super) fn renumbered(&self, from: usize) -> Self {
        match self {
            Self::Variable(n) => Self::Variable(from + n),
            other => other.map(&mut |inner| inner.renumbered(from)),
        }
    }

    pub(super) fn is_any(&self) -> bool {
        matches!(self, Self::Any | Self::Wrong)
    }

    fn may_be_null(&self) -> bool {
        matches!(self, Self::Null | Self::Named(_) | Self::Optional(_) | Self::Object(_))
    }

    /// Returns whether this type says as much as another one, or less.
    fn is_as_general(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any | Self::Variable(_), _) | (Self::Kind(_), Self::Kind(_)) => true,
            (_, Self::Any | Self::Variable(_)) => false,
            (Self::List(one, _), Self::List(other, _))
            | (Self::Optional(one), Self::Optional(other)) => one.is_as_general(other),
            (Self::Map(key, value), Self::Map(other_key, other_value)) => {
                key.is_as_general(other_key) && value.is_as_general(other_value)
            }
            (one, other) => one == other,
        }
    }

    /// Returns the more general of two types that agree.
    pub(super) fn more_general(self, other: Self) -> Self {
        let unordered = self.is_unordered() || other.is_unordered();
        match if self.is_as_general(&other) { self } else { other } {
            Self::List(item, _) if unordered => Self::List(item, Order::Ignored),
            general => general,
        }
    }

    /// Returns the name of a type, without the names of the types that it is made of.
    pub(super) fn short_name(&self) -> String {
        match self {
            Self::Null => "null_type".to_owned(),
            Self::Kind(_) => "type".to_owned(),
            Self::Optional(_) => "optional_type".to_owned(),
            Self::List(..) => "list".to_owned(),
            Self::Map(..) => "map".to_owned(),
            Self::Named("timestamp") => "google.protobuf.Timestamp".to_owned(),
            Self::Named("duration") => "google.protobuf.Duration".to_owned(),
            other => other.name(),
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Any | Self::Variable(_) => "dyn".to_owned(),
            Self::Wrong => "!error!".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Uint => "uint".to_owned(),
            Self::Double => "double".to_owned(),
            Self::String => "string".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Named(name) => (*name).to_owned(),
            Self::Kind(of) => format!("type({})", of.name()),
            Self::Optional(inner) => format!("optional_type({})", inner.name()),
            Self::List(item, _) => format!("list({})", item.name()),
            Self::Map(key, value) => format!("map({}, {})", key.name(), value.name()),
            Self::Object(object) => object.name.to_string(),
        }
    }
}

/// The types that variables stand for, as far as they are known.
#[derive(Default)]
pub(super) struct Variables<'a> {
    known: Vec<Option<Type<'a>>>,
    /// The types before the changes of one comparison.
    undo: Vec<(usize, Option<Type<'a>>)>,
}

impl<'a> Variables<'a> {
    /// Adds variables, and returns the number of the first one.
    pub(super) fn add(&mut self, count: usize) -> usize {
        let first = self.known.len();
        self.known.resize(first + count, None);
        first
    }

    pub(super) fn fresh(&mut self) -> Type<'a> {
        Type::Variable(self.add(1))
    }

    /// Returns a type with the known types of its variables.
    pub(super) fn resolved(&self, kind: &Type<'a>) -> Type<'a> {
        match kind {
            Type::Variable(n) => {
                self.known[*n].as_ref().map_or_else(|| kind.clone(), |known| self.resolved(known))
            }
            other => other.map(&mut |inner| self.resolved(inner)),
        }
    }

    /// Returns a type with any type in place of each unknown one.
    pub(super) fn settled(&self, kind: &Type<'a>) -> Type<'a> {
        match self.resolved(kind) {
            Type::Variable(_) => Type::Any,
            other => other.map(&mut |inner| self.settled(inner)),
        }
    }

    /// Returns whether types agree in pairs, and notes the types of variables if they do.
    pub(super) fn agree(&mut self, ones: &[Type<'a>], others: &[Type<'a>]) -> bool {
        self.undo.clear();
        let agreed = ones.len() == others.len()
            && ones.iter().zip(others).all(|(one, other)| self.agrees(one, other));
        if !agreed {
            while let Some((n, before)) = self.undo.pop() {
                self.known[n] = before;
            }
        }
        agreed
    }

    fn agrees(&mut self, one: &Type<'a>, other: &Type<'a>) -> bool {
        match (one, other) {
            (_, Type::Variable(n)) => {
                let bound = self.known[*n].is_some();
                match one {
                    _ if self.stands_for(*n, one) => true,
                    Type::Variable(n) if !bound => self.stands_for(*n, other),
                    _ => false,
                }
            }
            (Type::Variable(n), _) => self.stands_for(*n, other),
            (one, other) if one.is_any() || other.is_any() => true,
            (Type::Kind(_), Type::Kind(_)) => true,
            (Type::Null, kind) | (kind, Type::Null) => kind.may_be_null(),
            (Type::List(one, _), Type::List(other, _))
            | (Type::Optional(one), Type::Optional(other)) => self.agrees(one, other),
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                self.agrees(key, other_key) && self.agrees(value, other_value)
            }
            (one, other) => one == other,
        }
    }

    /// Returns whether a variable can stand for a type, and notes it.
    fn stands_for(&mut self, n: usize, kind: &Type<'a>) -> bool {
        if *kind == Type::Variable(n) {
            return true;
        }
        let general = match self.known[n].clone() {
            Some(known) if known == *kind && !kind.is_unordered() => return true,
            Some(known) if !self.agrees(kind, &known) => return false,
            Some(known) => kind.clone().more_general(known),
            None if self.contains(kind, n) => return false,
            None => kind.clone(),
        };
        if !self.contains(&general, n) {
            let before = self.known[n].replace(general);
            self.undo.push((n, before));
        }
        true
    }

    /// Returns whether a variable is part of a type.
    fn contains(&self, kind: &Type<'a>, n: usize) -> bool {
        match kind {
            Type::Variable(other) => {
                *other == n
                    || self.known[*other].as_ref().is_some_and(|known| self.contains(known, n))
            }
            Type::Kind(inner) | Type::Optional(inner) | Type::List(inner, _) => {
                self.contains(inner, n)
            }
            Type::Map(key, value) => self.contains(key, n) || self.contains(value, n),
            _ => false,
        }
    }
}
