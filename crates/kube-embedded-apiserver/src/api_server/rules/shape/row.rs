//! The row types of the table of Go types: what the wire format does not tell.

use kube_decode::protobuf::schema::MessageId;

/// A Go struct.
#[derive(Debug)]
pub(super) struct Row {
    /// The name after the package's path: `core/v1.Pod`.
    pub(super) path: &'static str,
    /// The message with its members.
    pub(super) message: MessageId,
    /// The apiVersion, if the struct is a kind.
    pub(super) api_version: Option<&'static str>,
    /// The positions of members in the message, in the order of Go. `None` if both orders agree.
    pub(super) order: Option<&'static [u8]>,
    /// The struct is owned as a whole, wherever it is.
    pub(super) atomic: bool,
    pub(super) rules: &'static [Rules],
}

/// The rules of a member, and the names of its types.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) name: &'static str,
    /// The type of the value, or of the elements or values in it. `None` if it is the usual one of
    /// its form on the wire; of a message, that is the first in the same package, or else of all.
    pub(super) go: Option<&'static str>,
    /// The name of the list's or map's type in Go; empty if it has none.
    pub(super) named: &'static str,
    pub(super) elements: Elements,
    /// The key by which a strategic merge patch merges the list; empty for plain values.
    pub(super) merge_key: Option<&'static str>,
    /// A strategic merge patch replaces the value.
    pub(super) replace: bool,
    /// The map or the struct is owned as a whole.
    pub(super) atomic: bool,
    /// JSON always has the member.
    pub(super) always: bool,
    /// True if a client must send the member, false if it may leave out one that JSON always has.
    pub(super) required: Option<bool>,
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

/// The rules of a member without a row.
pub(super) static NO_RULES: Rules = member("");

/// Creates a row of a type.
pub(super) const fn of_type(path: &'static str, message: u16) -> Row {
    let message = MessageId::numbered(message);
    Row { path, message, api_version: None, order: None, atomic: false, rules: &[] }
}

/// Creates a row of a member.
pub(super) const fn member(name: &'static str) -> Rules {
    Rules {
        name,
        go: None,
        named: "",
        elements: Elements::Whole,
        merge_key: None,
        replace: false,
        atomic: false,
        always: false,
        required: None,
    }
}

impl Row {
    pub(super) const fn kind(self, api_version: &'static str) -> Self {
        Self { api_version: Some(api_version), ..self }
    }

    pub(super) const fn order(self, order: &'static [u8]) -> Self {
        Self { order: Some(order), ..self }
    }

    pub(super) const fn atomic(self) -> Self {
        Self { atomic: true, ..self }
    }

    pub(super) const fn with(self, rules: &'static [Rules]) -> Self {
        Self { rules, ..self }
    }

    /// Returns the rules of a member.
    pub(super) fn rules(&self, name: &str) -> &'static Rules {
        self.rules.iter().find(|rules| rules.name == name).unwrap_or(&NO_RULES)
    }

    /// Returns the path without the name.
    pub(super) fn package(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(package, _)| package)
    }
}

impl Rules {
    pub(super) const fn go(self, name: &'static str) -> Self {
        Self { go: Some(name), ..self }
    }

    pub(super) const fn named(self, name: &'static str) -> Self {
        Self { named: name, ..self }
    }

    pub(super) const fn set(self) -> Self {
        Self { elements: Elements::Set, ..self }
    }

    pub(super) const fn keyed(self, keys: &'static [(&'static str, Option<&'static str>)]) -> Self {
        Self { elements: Elements::Keyed(keys), ..self }
    }

    pub(super) const fn merge(self, key: &'static str) -> Self {
        Self { merge_key: Some(key), ..self }
    }

    pub(super) const fn replace(self) -> Self {
        Self { replace: true, ..self }
    }

    pub(super) const fn atomic(self) -> Self {
        Self { atomic: true, ..self }
    }

    pub(super) const fn always(self) -> Self {
        Self { always: true, ..self }
    }

    pub(super) const fn required(self) -> Self {
        Self { required: Some(true), ..self }
    }

    pub(super) const fn optional(self) -> Self {
        Self { required: Some(false), ..self }
    }
}
