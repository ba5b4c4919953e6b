//! The row types of the table of built-in types.
//!
//! The table is constant data. The only pointers in it are the names of kinds. Nothing is parsed or
//! allocated when a program starts, and a field takes ten bytes.

use super::table::{FIELDS, MESSAGES, NAMES, ROOTS};

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub number: u16,
    name_at: u16,
    name_length: u8,
    pub kind: Kind,
    pub shape: Shape,
    flags: u8,
    target: u16,
}

/// The position of a message's fields in the table, and the fields that JSON always has.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    first: u16,
    count: u8,
    required: u64,
}

/// The number of a message in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId(u16);

/// The form of a value on the wire, and its form in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    String,
    /// Bytes. In JSON, a base64 text.
    Bytes,
    Int,
    Bool,
    Double,
    Message,
    /// A message that holds only a list. In JSON, the list.
    Items,
    /// Seconds since 1970. In JSON, a text, or null if the message is empty.
    Time,
    /// A `Time` with microseconds.
    MicroTime,
    /// A message that holds a text.
    Quantity,
    IntOrString,
    /// A message that holds JSON, or an object in an envelope.
    Raw,
    /// A message that holds a boolean and a schema. In JSON, one of them.
    SchemaOrBool,
    /// A message that holds a schema and a list. In JSON, one of them.
    SchemaOrArray,
}

/// The number of times that a field occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    One,
    Repeated,
    /// Repeated messages with a key and a value. The field's kind is the value's.
    Map,
}

/// JSON has the message's members among those of the outer message.
pub const INLINE: u8 = 1;
/// JSON leaves out the zero value.
pub const SKIP_ZERO: u8 = 2;
/// JSON always has the member.
pub const REQUIRED: u8 = 4;
/// JSON has null, and not zero, if nothing is there.
pub const NULLABLE: u8 = 8;

/// Creates a row of the table of fields.
pub const fn field(
    number: u16,
    name_at: u16,
    name_length: u8,
    kind: Kind,
    shape: Shape,
    flags: u8,
    target: u16,
) -> Field {
    Field { number, name_at, name_length, kind, shape, flags, target }
}

/// Creates a row of the table of messages.
pub const fn message(first: u16, count: u8, required: u64) -> Message {
    Message { first, count, required }
}

impl Field {
    #[inline]
    pub fn name(&self) -> &'static str {
        let at = usize::from(self.name_at);
        &NAMES[at..at + usize::from(self.name_length)]
    }

    pub fn target(&self) -> MessageId {
        MessageId(self.target)
    }

    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Returns whether a member of some message has this name.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && FIELDS.iter().any(|field| field.name() == name)
}

/// Returns whether the table has a kind of this group and version.
pub fn has_version(api_version: &str) -> bool {
    ROOTS.binary_search_by(|row| row.0.cmp(api_version)).is_ok()
}

impl MessageId {
    /// Returns the message of a kind. `None` if the table does not have it.
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        // Every group has the options of deletes: a client sends those of the object's own.
        let api_version = if kind == "DeleteOptions" { "v1" } else { api_version };
        let at = ROOTS.binary_search_by(|row| (row.0, row.1).cmp(&(api_version, kind))).ok()?;
        Some(Self(ROOTS[at].2))
    }

    /// Returns the message with a number, as [`number`](Self::number) tells it.
    pub const fn numbered(number: u16) -> Self {
        Self(number)
    }

    pub fn number(self) -> u16 {
        self.0
    }

    #[inline]
    pub fn fields(self) -> &'static [Field] {
        let message = &MESSAGES[usize::from(self.0)];
        let first = usize::from(message.first);
        &FIELDS[first..first + usize::from(message.count)]
    }

    /// Returns a bit for each field that JSON always has.
    pub fn required(self) -> u64 {
        MESSAGES[usize::from(self.0)].required
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_no_dangling_references() {
        assert!(ROOTS.is_sorted() && ROOTS.len() > 300);
        for (id, message) in MESSAGES.iter().enumerate() {
            let fields = MessageId(id.try_into().unwrap()).fields();
            assert!(fields.is_sorted_by(|a, b| a.number < b.number));
            for (n, field) in fields.iter().enumerate() {
                assert!(usize::from(field.target) < MESSAGES.len());
                assert_eq!(field.name().is_empty(), field.is(INLINE));
                assert_eq!(field.is(REQUIRED), message.required & (1 << n) != 0);
            }
        }
    }

    #[test]
    fn kinds_are_found_by_version_and_name() {
        let pod = MessageId::of("v1", "Pod").unwrap();
        let names: Vec<_> = pod.fields().iter().map(Field::name).collect();
        assert_eq!(names, ["metadata", "spec", "status"]);
        assert!(MessageId::of("apps/v1", "Pod").is_none());
        assert!(MessageId::of("apps/v1", "DeleteOptions").is_some());
        assert!(MessageId::of("apps/v1", "DeploymentList").is_some());
    }

    #[test]
    fn row_is_small() {
        assert!(size_of::<Field>() <= 12 && size_of::<Message>() <= 16);
    }
}
