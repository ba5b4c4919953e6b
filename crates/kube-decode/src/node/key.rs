//! The deserializer of a key.

use k8s_openapi::jiff::Timestamp;
use serde::de::value::CowStrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::is;
use crate::error::{Error, Result};
use crate::private_keys::{self, is_private};
use crate::text::Text;
use crate::time;

/// The largest size of the number of a field, in bytes.
const NUMBERED: usize = size_of::<u16>();

/// The name of a member, or the key of an entry: a text, or the number or boolean in it if the type
/// asks for one.
///
/// It takes two words, so that it is passed in registers.
pub(super) enum Key<'k, 'de> {
    Plain(&'de str),
    /// Any other text, which is taken.
    Other(&'k mut Option<Text<'de>>),
}

impl<'de> Key<'_, 'de> {
    fn as_str(&self) -> &str {
        match self {
            Self::Plain(name) => name,
            Self::Other(name) => name.as_ref().map_or("", Text::as_str),
        }
    }

    #[inline]
    fn borrowed(&self) -> Option<&'de str> {
        match self {
            Self::Plain(name) | Self::Other(Some(Text::Borrowed(name))) => Some(name),
            Self::Other(_) => None,
        }
    }

    /// Shows a name to a type that keeps the names of other members. It buffers their values.
    fn deserialize_kept<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if is_private(self.as_str()) {
            return Err(private_keys::refuse());
        }
        match self.borrowed() {
            Some(name) => visitor.visit_borrowed_str(name),
            None => visitor.visit_str(self.as_str()),
        }
    }

    fn text(self) -> Text<'de> {
        match self {
            Self::Plain(name) => Text::Borrowed(name),
            Self::Other(name) => name.take().unwrap_or(Text::Borrowed("")),
        }
    }
}

/// Reads a key as a number or boolean. As in `serde_json`, it must stand in the key as it stands in
/// JSON, without escapes and whitespace.
macro_rules! parsed {
    ($($method:ident $visit:ident $type:ty,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let text = self.text();
            let bare = |text: &str| text.bytes().all(|byte| byte > b' ');
            if let Text::Borrowed(text) = text
                && bare(text)
                && let Ok(value) = serde_json::from_str::<$type>(text)
            {
                return visitor.$visit(value);
            }
            text.visit(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Plain(name) => visitor.visit_borrowed_str(name),
            Self::Other(_) => self.text().visit(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if is::<V::Value, Timestamp>()
            && !time::is_usual(self.as_str())
            && let Some(time) = time::readable(self.as_str())
        {
            return visitor.visit_str(&time);
        }
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        // A type that has a number for each name keeps no name.
        if const { size_of::<V::Value>() <= NUMBERED } {
            visitor.visit_str(self.as_str())
        } else {
            self.deserialize_kept(visitor)
        }
    }

    parsed! {
        deserialize_bool visit_bool bool,
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let text: CowStrDeserializer<'_, Error> = self.text().into_cow().into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        char string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
}
