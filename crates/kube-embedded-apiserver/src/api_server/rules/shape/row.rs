//! The row types of the table of Go types.

/// A Go struct: its package and name, and its members in JSON, in the order of Go.
#[derive(Debug)]
pub(super) struct Type {
    /// The name after the package's path: `core/v1.Pod`.
    pub(super) path: &'static str,
    pub(super) fields: &'static [Field],
}

impl Type {
    /// Returns the name as Go writes it: `v1.Pod`.
    pub(super) fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) many: Many,
    /// The value, or the elements or values in it.
    pub(super) value: Value,
    /// The name of the list's or map's type in Go; empty if it has none.
    pub(super) named: &'static str,
    pub(super) elements: Elements,
    /// The key by which a strategic merge patch merges the list; empty for plain values.
    pub(super) merge_key: Option<&'static str>,
    flags: u8,
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

/// The rule of a list for field ownership.
#[derive(Clone, Copy, Debug)]
pub(super) enum Elements {
    /// The list is owned as a whole.
    Whole,
    /// Elements are identified by their values.
    Set,
    /// Elements are identified by these members, some of which have defaults.
    Keyed(&'static [(&'static str, Option<&'static str>)]),
}

/// A map or a struct is owned as a whole.
const ATOMIC: u8 = 1;
/// So is each element of a list, or each value of a map.
const OF_ATOMIC: u8 = 2;
/// Only null is left out of JSON.
const POINTER: u8 = 4;
/// JSON always has the member.
const ALWAYS: u8 = 8;
/// A strategic merge patch replaces the value.
const REPLACE: u8 = 16;
/// JSON always has the member, and still a client may leave it out.
const OPTIONAL: u8 = 32;

/// Creates a row of a type.
pub(super) const fn of_type(path: &'static str, fields: &'static [Field]) -> Type {
    Type { path, fields }
}

/// Creates a row of a member.
pub(super) const fn field(name: &'static str, many: Many, value: Value) -> Field {
    Field { name, many, value, named: "", elements: Elements::Whole, merge_key: None, flags: 0 }
}

impl Field {
    const fn with(mut self, flag: u8) -> Self {
        self.flags |= flag;
        self
    }

    pub(super) const fn named(mut self, name: &'static str) -> Self {
        self.named = name;
        self
    }

    pub(super) const fn set(mut self) -> Self {
        self.elements = Elements::Set;
        self
    }

    pub(super) const fn keyed(
        mut self,
        keys: &'static [(&'static str, Option<&'static str>)],
    ) -> Self {
        self.elements = Elements::Keyed(keys);
        self
    }

    pub(super) const fn merge(mut self, key: &'static str) -> Self {
        self.merge_key = Some(key);
        self
    }

    pub(super) const fn atomic(self) -> Self {
        self.with(ATOMIC)
    }

    pub(super) const fn of_atomic(self) -> Self {
        self.with(OF_ATOMIC)
    }

    pub(super) const fn pointer(self) -> Self {
        self.with(POINTER)
    }

    pub(super) const fn always(self) -> Self {
        self.with(ALWAYS)
    }

    pub(super) const fn optional(self) -> Self {
        self.with(OPTIONAL)
    }

    pub(super) const fn replace(self) -> Self {
        self.with(REPLACE)
    }

    pub(super) fn is_atomic(&self) -> bool {
        self.flags & ATOMIC != 0
    }

    pub(super) fn has_atomic_elements(&self) -> bool {
        self.flags & OF_ATOMIC != 0
    }

    pub(super) fn is_pointer(&self) -> bool {
        self.flags & POINTER != 0
    }

    pub(super) fn is_always_written(&self) -> bool {
        self.flags & ALWAYS != 0
    }

    /// Returns whether a client must send the member.
    pub(super) fn is_required(&self) -> bool {
        self.flags & (ALWAYS | OPTIONAL) == ALWAYS
    }

    pub(super) fn is_replaced(&self) -> bool {
        self.flags & REPLACE != 0
    }
}
