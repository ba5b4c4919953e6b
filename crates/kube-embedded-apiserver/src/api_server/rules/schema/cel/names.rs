//! The names of types and messages, which rules may use as values.

use super::types::Type;

/// The names of types, which are values of their own.
pub(super) const TYPES: [(&str, Type<'static>); 14] = [
    ("bool", Type::Bool),
    ("bytes", Type::Bytes),
    ("double", Type::Double),
    ("duration", Type::DURATION),
    ("google.protobuf.Duration", Type::DURATION),
    ("google.protobuf.Timestamp", Type::TIMESTAMP),
    ("int", Type::Int),
    ("net.CIDR", Type::Named("net.CIDR")),
    ("net.IP", Type::Named("net.IP")),
    ("null_type", Type::Null),
    ("string", Type::String),
    ("timestamp", Type::TIMESTAMP),
    ("type", Type::Any),
    ("uint", Type::Uint),
];

/// The names of types that have no value under these names.
pub(super) const UNDEFINED: [&str; 2] = ["duration", "timestamp"];

/// The names of types that are made of others.
const OPEN_TYPES: [&str; 3] = ["list", "map", "optional_type"];

/// The names of messages, after `google.protobuf.`, with the names of their fields.
pub(super) const MESSAGES: [(&str, &str); 16] = [
    ("Any", "type_url value"),
    ("BoolValue", "value"),
    ("BytesValue", "value"),
    ("DoubleValue", "value"),
    ("Duration", "seconds nanos"),
    ("Empty", ""),
    ("FloatValue", "value"),
    ("Int32Value", "value"),
    ("Int64Value", "value"),
    ("ListValue", "values"),
    ("StringValue", "value"),
    ("Struct", "fields"),
    ("Timestamp", "seconds nanos"),
    ("UInt32Value", "value"),
    ("UInt64Value", "value"),
    ("Value", "null_value number_value string_value bool_value struct_value list_value"),
];

/// Returns the type of the name of a type.
pub(super) fn type_named<'s>(name: &str) -> Option<Type<'s>> {
    let known = TYPES.iter().find(|(known, _)| *known == name);
    let known = known.map(|(_, kind)| kind.clone());
    known
        .or_else(|| OPEN_TYPES.contains(&name).then_some(Type::Any))
        .map(|kind| Type::Kind(Box::new(kind)))
}
