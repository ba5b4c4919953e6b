//! The Go types of the built-in kinds.
//!
//! The decoders' table of the wire format has their members. This module's table has all that the
//! wire format does not tell.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kube_decode::protobuf::schema::{self, INLINE, Kind, MessageId, NULLABLE, REQUIRED, Shape};

use super::row::{NO_RULES, Row, Rules};
use super::table::ROWS;

/// The types, by their numbers.
pub(super) static TYPES: LazyLock<Vec<Type>> =
    LazyLock::new(|| ROWS.iter().map(Type::new).collect());

/// The kinds: apiVersion, kind, number of the type; in order.
pub(super) static KINDS: LazyLock<Vec<(&str, &str, u16)>> = LazyLock::new(|| {
    let kind = |(number, row): (u16, &'static Row)| {
        Some((row.api_version?, row.path.rsplit('.').next()?, number))
    };
    let mut kinds: Vec<_> = (0..).zip(&ROWS).filter_map(kind).collect();
    kinds.sort_unstable();
    kinds
});

/// The numbers of the types that have a message in common, by its number.
static OF_MESSAGE: LazyLock<BTreeMap<u16, Vec<u16>>> = LazyLock::new(|| {
    let mut types: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
    for (number, row) in (0..).zip(&ROWS) {
        types.entry(row.message.number()).or_default().push(number);
    }
    types
});

/// A Go struct: its package and name, and its members in JSON, in the order of Go.
#[derive(Debug)]
pub(super) struct Type {
    /// The name after the package's path: `core/v1.Pod`.
    pub(super) path: &'static str,
    pub(super) fields: Vec<Field>,
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) many: Many,
    /// The value, or the elements or values in it.
    pub(super) value: Value,
    pub(super) rules: &'static Rules,
    /// Only null is left out of JSON.
    pub(super) pointer: bool,
    /// JSON always has the member.
    pub(super) always: bool,
    /// A client must send the member.
    pub(super) required: bool,
    /// The map or the struct is owned as a whole.
    pub(super) atomic: bool,
    /// So is each element of the list, or each value of the map.
    pub(super) of_atomic: bool,
}

/// The number of values in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Many {
    One,
    List,
    Map,
}

/// The type of a value. Texts are types in Go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Text(&'static str),
    /// A list of texts with a name.
    Texts(&'static str),
    /// An integer of this many bits.
    Int(&'static str, u32),
    Bool,
    Float,
    /// Bytes, which are base64 in JSON.
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any JSON.
    Raw(&'static str),
    /// The struct with this number.
    Struct(u16),
}

impl Type {
    fn new(row: &Row) -> Self {
        let mut members = Vec::new();
        flatten(row.message, &mut members);
        if let Some(order) = row.order {
            members = order.iter().map(|at| members[usize::from(*at)]).collect();
        }
        let mut fields = Vec::new();
        if row.api_version.is_some() {
            fields.extend(["kind", "apiVersion"].map(Field::text));
        }
        fields.extend(members.into_iter().map(|member| Field::new(row, member)));
        Self { path: row.path, fields }
    }

    /// Returns the name as Go writes it: `v1.Pod`.
    pub(super) fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// Adds the members of a message, with those of inlined messages.
fn flatten(message: MessageId, into: &mut Vec<&'static schema::Field>) {
    for member in message.fields() {
        if member.is(INLINE) {
            flatten(member.target(), into);
        } else {
            into.push(member);
        }
    }
}

impl Field {
    /// Returns a text that may be left out.
    fn text(name: &'static str) -> Self {
        Self {
            name,
            many: Many::One,
            value: Value::Text("string"),
            rules: &NO_RULES,
            pointer: false,
            always: false,
            required: false,
            atomic: false,
            of_atomic: false,
        }
    }

    fn new(row: &Row, member: &schema::Field) -> Self {
        let rules = row.rules(member.name());
        let many = match member.shape {
            Shape::One => Many::One,
            Shape::Repeated => Many::List,
            Shape::Map => Many::Map,
        };
        let value = Value::new(row, member, rules.go);
        let atomic = matches!(value, Value::Struct(number) if ROWS[usize::from(number)].atomic);
        let one = many == Many::One;
        let list = !one || matches!(member.kind, Kind::Bytes | Kind::Items);
        let pointer = !list && member.is(NULLABLE);
        let always = rules.always || member.is(REQUIRED);
        // JSON always has a plain struct, which most clients may leave out.
        let plain = matches!(member.kind, Kind::Message | Kind::Time | Kind::MicroTime);
        let plain = plain && one && !pointer;
        Self {
            name: member.name(),
            many,
            value,
            rules,
            pointer,
            always,
            required: rules.required.unwrap_or(always && !plain),
            atomic: rules.atomic || (one && atomic),
            of_atomic: !one && atomic,
        }
    }
}

impl Value {
    /// Returns the type of a member's values. `go` is its name, if it is not the usual one.
    fn new(outer: &Row, member: &schema::Field, go: Option<&'static str>) -> Self {
        match member.kind {
            Kind::String => Self::Text(go.unwrap_or("string")),
            Kind::Items => Self::Texts(go.unwrap_or("v1.ExtraValue")),
            Kind::Int => go.map_or(Self::Int("int32", 32), |go| Self::Int(go, 64)),
            Kind::Bool => Self::Bool,
            Kind::Double => Self::Float,
            Kind::Bytes => Self::Bytes,
            Kind::Time => Self::Time,
            Kind::MicroTime => Self::MicroTime,
            Kind::Quantity => Self::Quantity,
            Kind::IntOrString => Self::IntOrString,
            Kind::Raw | Kind::SchemaOrBool | Kind::SchemaOrArray => {
                Self::Raw(go.unwrap_or("runtime.RawExtension"))
            }
            Kind::Message => {
                let types = &OF_MESSAGE[&member.target().number()];
                let found = types.iter().find(|number| {
                    let row = &ROWS[usize::from(**number)];
                    go.map_or(row.package() == outer.package(), |path| row.path == path)
                });
                Self::Struct(*found.unwrap_or(&types[0]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::table::DIGEST;
    use super::*;

    #[test]
    fn tables_tell_all_of_the_go_types() {
        let mut text = String::new();
        for (go, row) in TYPES.iter().zip(&ROWS) {
            writeln!(text, "{}", go.path).unwrap();
            // The generator checks that all kinds have these two.
            let of_all = if row.api_version.is_some() { 2 } else { 0 };
            for field in &go.fields[of_all..] {
                let Field { name, many, value, rules, .. } = field;
                write!(text, "{name} {many:?} {value:?} {} ", rules.named).unwrap();
                write!(text, "{:?} {:?} {} ", rules.elements, rules.merge_key, rules.replace)
                    .unwrap();
                let Field { pointer, always, required, atomic, of_atomic, .. } = field;
                writeln!(text, "{pointer} {always} {required} {atomic} {of_atomic}").unwrap();
            }
        }
        // FNV-1a.
        let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!(digest, DIGEST);
    }
}
