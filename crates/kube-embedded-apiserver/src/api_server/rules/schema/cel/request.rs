//! The type of the variable `request` of match conditions.

use super::types::Type;

/// The members of a type, with their types.
pub(super) type Fields = &'static [(&'static str, Field)];

/// The type of a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Any,
    Flag,
    Text,
    Texts,
    TextsByName,
    Object(&'static str, Fields),
}

const KIND: Field = Field::Object(
    "kubernetes.GroupVersionKind",
    &[("group", Field::Text), ("version", Field::Text), ("kind", Field::Text)],
);

const RESOURCE: Field = Field::Object(
    "kubernetes.GroupVersionResource",
    &[("group", Field::Text), ("version", Field::Text), ("resource", Field::Text)],
);

const USER: Field = Field::Object(
    "kubernetes.UserInfo",
    &[
        ("username", Field::Text),
        ("uid", Field::Text),
        ("groups", Field::Texts),
        ("extra", Field::TextsByName),
    ],
);

/// A request without its objects, which are variables of their own.
pub(super) const REQUEST: Field = Field::Object(
    "kubernetes.AdmissionRequest",
    &[
        ("kind", KIND),
        ("resource", RESOURCE),
        ("subResource", Field::Text),
        ("requestKind", KIND),
        ("requestResource", RESOURCE),
        ("requestSubResource", Field::Text),
        ("name", Field::Text),
        ("namespace", Field::Text),
        ("operation", Field::Text),
        ("userInfo", USER),
        ("dryRun", Field::Flag),
        ("options", Field::Any),
    ],
);

impl Field {
    pub(super) fn kind<'a>(self) -> Type<'a> {
        match self {
            Self::Any => Type::Any,
            Self::Flag => Type::Bool,
            Self::Text => Type::String,
            Self::Texts => Type::String.list(),
            Self::TextsByName => Type::Map(Box::new(Type::String), Box::new(Type::String.list())),
            Self::Object(name, fields) => Type::fixed(name, fields),
        }
    }
}
