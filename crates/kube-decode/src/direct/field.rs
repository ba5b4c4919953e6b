//! The fields of the types: texts, numbers, times, lists, maps and messages.
//!
//! Each is the value that [`node`](crate::node) hands to serde for the same bytes, and costs
//! the same memory.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;

use super::reader::Reader;
use super::walk::{Form, Leaf};
use super::{Charge, Message};
use crate::budget::{largest_tree, map_size, text_size, vec_size};
use crate::json::first_too_deep;
use crate::private_keys;
use crate::protobuf::{MAGIC, SECONDS};

/// A depth of JSON that no object of these types makes too deep.
const DEEP: u8 = 100;

/// The length of the text of a time, and of one with microseconds.
pub(super) const TIME: usize = "2000-01-01T00:00:00Z".len();
const MICRO_TIME: usize = "2000-01-01T00:00:00.000000Z".len();

/// A field of a message, an element of a list, or a value of a map.
pub(crate) trait Field: Sized {
    /// True if JSON has null for an empty message.
    const EMPTY_IS_NULL: bool = false;

    /// The rule by which the field is checked and not read.
    const FORM: Form;

    /// Returns the value of a field that JSON does not have, or any value if the type needs one.
    fn absent() -> Self;

    /// Reads the field from the wire into an absent value.
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()>;

    /// Turns an absent value into that of a field that JSON has and the wire leaves out.
    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()>;
}

/// Replaces an absent value, which owns no memory. To forget it saves the code that would free it.
#[inline]
fn put<T>(absent: &mut T, value: T) {
    std::mem::forget(std::mem::replace(absent, value));
}

impl<T: Message> Field for T {
    const FORM: Form = Form::Message { rows: T::ROWS };

    fn absent() -> Self {
        T::absent()
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let rest = reader.enter()?;
        self.fields(reader, 0)?;
        reader.leave(rest);
        Some(())
    }

    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let rest = reader.enter_empty();
        self.fields(reader, 0)?;
        reader.leave(rest);
        Some(())
    }
}

impl<T: Field> Field for Option<T> {
    const FORM: Form = if T::EMPTY_IS_NULL { Form::Nullable { of: &T::FORM } } else { T::FORM };

    fn absent() -> Self {
        None
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        if T::EMPTY_IS_NULL && reader.is_zero()? {
            return reader.bytes().map(drop);
        }
        put(self, Some(T::absent()));
        self.as_mut()?.read(reader)
    }

    #[inline]
    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        if T::EMPTY_IS_NULL {
            return Some(());
        }
        put(self, Some(T::absent()));
        self.as_mut()?.fill(reader)
    }
}

impl<T: Field> Field for Vec<T> {
    const FORM: Form = Form::List { of: &T::FORM, size: size_of::<T>() };

    fn absent() -> Self {
        Vec::new()
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let count = reader.count()?;
        reader.charge(vec_size(size_of::<T>(), count))?;
        // A loop is a quarter of the code of an iterator.
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push(T::absent());
        }
        put(self, elements);
        let (first, others) = self.split_first_mut()?;
        first.read(reader)?;
        for element in others {
            reader.head()?;
            element.read(reader)?;
        }
        Some(())
    }

    /// The table has null for a list.
    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        None
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    const FORM: Form = Form::Map { of: &T::FORM, size: size_of::<String>() + size_of::<T>() };

    fn absent() -> Self {
        BTreeMap::new()
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let mut left = reader.count()?;
        reader.charge(map_size(size_of::<String>() + size_of::<T>(), left))?;
        loop {
            let mut value = T::absent();
            let key = entry(
                reader,
                |reader, found| {
                    if found { value.read(reader) } else { value.fill(reader) }
                },
            )?;
            self.insert(key.into_owned(), value);
            left -= 1;
            if left == 0 {
                return Some(());
            }
            reader.head()?;
        }
    }

    /// The table has null for a map.
    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        None
    }
}

/// Reads an entry of a map: a message with a key and a value. Calls `value` once, with true if the
/// value comes next and with false if there is none. Returns the key.
pub(super) fn entry<'a, C: Charge>(
    reader: &mut Reader<'a, C>,
    mut value: impl FnMut(&mut Reader<'a, C>, bool) -> Option<()>,
) -> Option<Cow<'a, str>> {
    let rest = reader.enter()?;
    let (mut key, mut found) = (&b""[..], false);
    loop {
        match reader.head()? {
            0 => break,
            1 => key = reader.bytes()?,
            2 if !found => {
                value(reader, true)?;
                found = true;
            }
            2 => return None,
            _ => reader.pass()?,
        }
    }
    if !found {
        value(reader, false)?;
    }
    reader.leave(rest);
    reader.charge_text(key)
}

impl Field for String {
    const FORM: Form = Form::Leaf(Leaf::Text);

    fn absent() -> Self {
        String::new()
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        put(self, reader.text()?);
        Some(())
    }

    #[inline]
    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        reader.charge(text_size(0))
    }
}

impl Field for bool {
    const FORM: Form = Form::Leaf(Leaf::Number);

    fn absent() -> Self {
        false
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        *self = reader.int()? != 0;
        Some(())
    }

    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        Some(())
    }
}

impl Field for i32 {
    const FORM: Form = Form::Leaf(Leaf::Int32);

    fn absent() -> Self {
        0
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        *self = reader.int()?.try_into().ok()?;
        Some(())
    }

    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        Some(())
    }
}

impl Field for i64 {
    const FORM: Form = Form::Leaf(Leaf::Number);

    fn absent() -> Self {
        0
    }

    #[inline]
    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        *self = reader.int()?;
        Some(())
    }

    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        Some(())
    }
}

impl Field for ByteString {
    const FORM: Form = Form::Leaf(Leaf::Bytes);

    fn absent() -> Self {
        Self::default()
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        put(&mut self.0, data(reader)?.to_vec());
        Some(())
    }

    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        reader.charge(text_size(0))
    }
}

/// Reads bytes. The charge is that of the base64 text in JSON.
pub(super) fn data<'a, C: Charge>(reader: &mut Reader<'a, C>) -> Option<&'a [u8]> {
    let bytes = reader.bytes()?;
    reader.charge(text_size(bytes.len().div_ceil(3) * 4))?;
    Some(bytes)
}

/// The text of a quantity that the wire leaves out.
pub(super) const NO_QUANTITY: &[u8] = b"0";

/// Reads the text of a quantity.
pub(super) fn quantity<'a, C: Charge>(reader: &mut Reader<'a, C>) -> Option<Cow<'a, str>> {
    let rest = reader.enter()?;
    let mut text = NO_QUANTITY;
    loop {
        match reader.head()? {
            0 => break,
            1 => text = reader.bytes()?,
            _ => reader.pass()?,
        }
    }
    reader.leave(rest);
    reader.charge_text(text)
}

impl Field for Quantity {
    const FORM: Form = Form::Leaf(Leaf::Quantity);

    fn absent() -> Self {
        Self(String::new())
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        put(&mut self.0, quantity(reader)?.into_owned());
        Some(())
    }

    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        put(&mut self.0, reader.charge_text(NO_QUANTITY)?.into_owned());
        Some(())
    }
}

/// Reads a number, or else a text.
pub(super) fn int_or_text<'a, C: Charge>(
    reader: &mut Reader<'a, C>,
) -> Option<Result<i32, Cow<'a, str>>> {
    let rest = reader.enter()?;
    let (mut form, mut int, mut text) = (0, 0, &b""[..]);
    loop {
        match reader.head()? {
            0 => break,
            1 => form = reader.int()?,
            2 => int = reader.int()?,
            3 => text = reader.bytes()?,
            _ => reader.pass()?,
        }
    }
    reader.leave(rest);
    Some(match form {
        0 => Ok(int.try_into().ok()?),
        1 => Err(reader.charge_text(text)?),
        _ => return None,
    })
}

impl Field for IntOrString {
    const FORM: Form = Form::Leaf(Leaf::IntOrString);

    fn absent() -> Self {
        Self::Int(0)
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        *self = match int_or_text(reader)? {
            Ok(int) => Self::Int(int),
            Err(text) => Self::String(text.into_owned()),
        };
        Some(())
    }

    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        Some(())
    }
}

/// Reads seconds and nanoseconds since 1970. An empty message is the zero time. For a type with a
/// null it is null, which the caller has read.
fn time<C: Charge>(reader: &mut Reader<'_, C>, length: usize) -> Option<(i64, i32)> {
    let rest = reader.enter()?;
    let (mut seconds, mut nanos, mut empty) = (0, 0, true);
    loop {
        match reader.head()? {
            0 => break,
            1 => seconds = reader.int()?,
            2 => nanos = reader.int()?,
            _ => reader.pass()?,
        }
        empty = false;
    }
    reader.leave(rest);
    if empty {
        return zero_time(reader);
    }
    if !SECONDS.contains(&seconds) || !(0..1_000_000_000).contains(&nanos) {
        return None;
    }
    reader.charge(text_size(length))?;
    Some((seconds, i32::try_from(nanos).ok()?))
}

/// Returns the time that Go writes as null.
fn zero_time<C: Charge>(reader: &Reader<'_, C>) -> Option<(i64, i32)> {
    reader.charge(text_size(TIME))?;
    Some((*SECONDS.start(), 0))
}

impl Field for Time {
    const EMPTY_IS_NULL: bool = true;
    const FORM: Form = Form::Leaf(Leaf::Time);

    fn absent() -> Self {
        Self(Timestamp::UNIX_EPOCH)
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let (seconds, _) = time(reader, TIME)?;
        self.0 = Timestamp::from_second(seconds).ok()?;
        Some(())
    }

    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        self.0 = Timestamp::from_second(zero_time(reader)?.0).ok()?;
        Some(())
    }
}

impl Field for MicroTime {
    const EMPTY_IS_NULL: bool = true;
    const FORM: Form = Form::Leaf(Leaf::MicroTime);

    fn absent() -> Self {
        Self(Timestamp::UNIX_EPOCH)
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let (seconds, nanos) = time(reader, MICRO_TIME)?;
        self.0 = Timestamp::new(seconds, nanos / 1000 * 1000).ok()?;
        Some(())
    }

    fn fill<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        self.0 = Timestamp::from_second(zero_time(reader)?.0).ok()?;
        Some(())
    }
}

impl Field for FieldsV1 {
    const EMPTY_IS_NULL: bool = true;
    const FORM: Form = Form::Leaf(Leaf::Tree);

    fn absent() -> Self {
        Self::default()
    }

    fn read<C: Charge>(&mut self, reader: &mut Reader<'_, C>) -> Option<()> {
        let rest = reader.enter()?;
        let mut json = &b""[..];
        loop {
            match reader.head()? {
                0 => break,
                1 => json = reader.bytes()?,
                _ => reader.pass()?,
            }
        }
        reader.leave(rest);
        // Nothing is null, the other is an object in an envelope, and some keys are refused.
        if json.is_empty() || json.starts_with(MAGIC) || private_keys::may_be_in(json) {
            return None;
        }
        let (most, _) = largest_tree(json);
        if most > reader.allowance() {
            return None;
        }
        reader.charge(most)?;
        self.0 = serde_json::from_str(std::str::from_utf8(json).ok()?).ok()?;
        // Elsewhere, its depth counts from the object's beginning.
        if !reader.in_metadata && first_too_deep(json, DEEP).is_some() {
            return None;
        }
        // JSON has null for it.
        if self.0.is_null() { None } else { Some(()) }
    }

    /// The table has null for it.
    fn fill<C: Charge>(&mut self, _: &mut Reader<'_, C>) -> Option<()> {
        None
    }
}
