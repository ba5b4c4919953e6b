//! A walk over an object by the rows of the direct decoders. It accepts exactly the objects that
//! the direct decoder of their kind accepts, with the same charges, and builds only the metadata.
//!
//! The rows are data, so that all kinds share this code.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as k8s;
use kube::core::ObjectMeta;

use super::field::{NO_QUANTITY, TIME, data, entry, int_or_text, quantity};
use super::reader::Reader;
use super::{Field, Kind};
use crate::budget::{Budget, map_size, text_size, vec_size};
use crate::protobuf::{ProtobufObject, text};

/// The numbers of an object's metadata, and of the fields with which these begin.
const METADATA: u32 = 1;
const NAME: u32 = 1;
const GENERATE_NAME: u32 = 2;
const NAMESPACE: u32 = 3;

/// The rules for the objects of a kind.
#[derive(Debug, Hash)]
pub(super) struct Rules {
    /// apiVersion and kind.
    pub(super) types: (&'static str, &'static str),
    /// The size of the struct.
    pub(super) size: usize,
    /// The rules for its fields, with that for its metadata.
    rows: &'static [Row],
}

impl Rules {
    pub(super) const fn of<K: Kind>() -> Self {
        Self { types: (K::API_VERSION, K::KIND), size: size_of::<K>(), rows: K::ROWS }
    }
}

/// The rule for one field of a message.
#[derive(Debug, Hash)]
pub(crate) struct Row {
    pub(super) number: u32,
    pub(super) mode: Mode,
    pub(super) form: Form,
}

/// The presence of a field in JSON, see [`rows`](super::rows).
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum Mode {
    Given,
    Omit,
    Always,
    Managed,
    Inline,
    /// The struct does not have the field.
    Unknown,
    /// The struct does not have the field, which is a list.
    UnknownMany,
}

/// The content of a field.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum Form {
    Leaf(Leaf),
    /// An empty message is null.
    Nullable {
        of: &'static Form,
    },
    /// A list. An element of the vector has this size.
    List {
        of: &'static Form,
        size: usize,
    },
    /// A map. A key and its value have this size.
    Map {
        of: &'static Form,
        size: usize,
    },
    Message {
        rows: &'static [Row],
    },
}

/// Content without parts.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum Leaf {
    Number,
    Int32,
    Text,
    Bytes,
    Quantity,
    IntOrString,
    Time,
    MicroTime,
    Tree,
}

/// Creates the rule for the field that a function returns. The function states only the type.
pub(super) const fn row_of<M, T: Field>(number: u32, mode: Mode, _: fn(&M) -> &T) -> Row {
    Row::new(number, mode, T::FORM)
}

impl Row {
    pub(super) const fn new(number: u32, mode: Mode, form: Form) -> Self {
        Self { number, mode, form }
    }

    /// Creates the rule for a field that the struct does not have.
    pub(super) const fn unknown(number: u32, mode: Mode) -> Self {
        Self { number, mode, form: Form::Message { rows: &[] } }
    }

    /// Checks the field, whose content comes next.
    fn check(&self, reader: &mut Reader<'_, Budget>) -> Option<()> {
        match self.mode {
            Mode::Omit if reader.is_zero()? => reader.pass(),
            Mode::Managed if reader.skips_managed => reader.pass_run(),
            Mode::Unknown => reader.pass(),
            Mode::UnknownMany => reader.pass_run(),
            _ => self.form.check(reader),
        }
    }

    /// Checks that JSON can do without the field, which the wire leaves out.
    fn fill(&self, reader: &Reader<'_, Budget>) -> Option<()> {
        match self.mode {
            Mode::Always | Mode::Inline => self.form.fill(reader),
            _ => Some(()),
        }
    }
}

impl Form {
    /// Checks the content that comes next.
    fn check(&self, reader: &mut Reader<'_, Budget>) -> Option<()> {
        match *self {
            Self::Leaf(leaf) => leaf.check(reader),
            Self::Nullable { .. } if reader.is_zero()? => reader.bytes().map(drop),
            Self::Nullable { of } => of.check(reader),
            Self::List { of, size } => {
                let count = reader.count()?;
                reader.charge(vec_size(size, count))?;
                of.check(reader)?;
                for _ in 1..count {
                    reader.head()?;
                    of.check(reader)?;
                }
                Some(())
            }
            Self::Map { of, size } => {
                let count = reader.count()?;
                reader.charge(map_size(size, count))?;
                for n in 0..count {
                    if n > 0 {
                        reader.head()?;
                    }
                    entry(
                        reader,
                        |reader, found| {
                            if found { of.check(reader) } else { of.fill(reader) }
                        },
                    )?;
                }
                Some(())
            }
            Self::Message { rows } => {
                let rest = reader.enter()?;
                check_fields(rows, 0, reader)?;
                reader.leave(rest);
                Some(())
            }
        }
    }

    /// Checks that JSON can have the zero value.
    fn fill(&self, reader: &Reader<'_, Budget>) -> Option<()> {
        match *self {
            Self::Leaf(Leaf::Text | Leaf::Bytes) => reader.charge(text_size(0)),
            Self::Leaf(Leaf::Quantity) => reader.charge(text_size(NO_QUANTITY.len())),
            Self::Leaf(Leaf::Number | Leaf::Int32 | Leaf::IntOrString) | Self::Nullable { .. } => {
                Some(())
            }
            Self::Leaf(Leaf::Time | Leaf::MicroTime) => reader.charge(text_size(TIME)),
            Self::Leaf(Leaf::Tree) | Self::List { .. } | Self::Map { .. } => None,
            Self::Message { rows } => rows.iter().try_for_each(|row| row.fill(reader)),
        }
    }
}

impl Leaf {
    fn check(self, reader: &mut Reader<'_, Budget>) -> Option<()> {
        match self {
            Self::Number => reader.int().map(drop),
            Self::Int32 => i32::try_from(reader.int()?).ok().map(drop),
            Self::Text => {
                let bytes = reader.bytes()?;
                // Nearly every text is, and to find that is quicker than to check for UTF-8.
                if bytes.is_ascii() {
                    return reader.charge(text_size(bytes.len()));
                }
                reader.charge_text(bytes).map(drop)
            }
            Self::Bytes => data(reader).map(drop),
            Self::Quantity => quantity(reader).map(drop),
            Self::IntOrString => int_or_text(reader).map(drop),
            Self::Time => read::<k8s::Time>(reader),
            Self::MicroTime => read::<k8s::MicroTime>(reader),
            // Only templates have managed fields that are not skipped.
            Self::Tree => read::<k8s::FieldsV1>(reader),
        }
    }
}

/// Reads a value and drops it.
fn read<T: Field>(reader: &mut Reader<'_, Budget>) -> Option<()> {
    T::absent().read(reader)
}

/// Checks the fields of a message that come after the field of this number.
fn check_fields(mut rows: &[Row], mut last: u32, reader: &mut Reader<'_, Budget>) -> Option<()> {
    loop {
        let number = reader.head()?;
        if number <= last && number > 0 {
            return None;
        }
        last = number;
        while let [row, rest @ ..] = rows
            && (number == 0 || row.number < number)
        {
            row.fill(reader)?;
            rows = rest;
        }
        match rows {
            _ if number == 0 => return Some(()),
            [row, rest @ ..] if row.number == number => {
                row.check(reader)?;
                rows = rest;
            }
            _ => reader.pass_run()?,
        }
    }
}

/// Returns namespace and name of an object, with which its metadata begins.
fn key(mut reader: Reader<'_, Budget>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if reader.head()? != METADATA {
        return None;
    }
    reader.enter()?;
    let (mut namespace, mut name) = (&b""[..], &b""[..]);
    loop {
        match reader.head()? {
            GENERATE_NAME => reader.pass()?,
            NAME | NAMESPACE if reader.is_zero()? => reader.pass()?,
            NAME => name = reader.bytes()?,
            NAMESPACE => namespace = reader.bytes()?,
            _ => return Some((text(namespace), text(name))),
        }
    }
}

/// Checks an object by the rules of its kind, see [`check`](super::check).
pub(super) fn object(
    object: &ProtobufObject<'_>,
    rules: &Rules,
    managed_fields: bool,
    budget: &Budget,
    accepted: bool,
    wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
) -> Option<ObjectMeta> {
    let mut reader = Reader::new(object.message(), budget);
    let (namespace, name) = key(Reader::new(object.message(), budget))?;
    if !wanted((!namespace.is_empty()).then_some(&*namespace), &name) {
        return None;
    }
    let mut metadata = ObjectMeta::default();
    super::metadata(object, rules, managed_fields, &mut reader, &mut metadata)?;
    if !accepted {
        check_fields(&rules.rows[1..], 1, &mut reader)?;
    }
    Some(metadata)
}
