//! A text of an object.

use std::borrow::Cow;

use serde::de::Visitor;

use super::error::Result;
use super::protobuf::Stamp;

/// A text, borrowed from the encoded object if possible.
#[derive(Debug)]
pub(super) enum Text<'de> {
    Borrowed(&'de str),
    Owned(String),
    /// A time, which most types parse and drop.
    Time(Stamp),
}

impl<'de> Text<'de> {
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text,
            Self::Time(stamp) => stamp.as_str(),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.as_str().len()
    }

    pub(super) fn into_cow(self) -> Cow<'de, str> {
        match self {
            Self::Borrowed(text) => Cow::Borrowed(text),
            Self::Owned(text) => Cow::Owned(text),
            Self::Time(stamp) => Cow::Owned(stamp.as_str().to_owned()),
        }
    }

    pub(super) fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Borrowed(text) => visitor.visit_borrowed_str(text),
            Self::Owned(text) => visitor.visit_string(text),
            Self::Time(stamp) => visitor.visit_str(stamp.as_str()),
        }
    }

    pub(super) fn visit_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            text => visitor.visit_bytes(text.as_str().as_bytes()),
        }
    }
}

impl<'de> From<Cow<'de, str>> for Text<'de> {
    fn from(text: Cow<'de, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Borrowed(text),
            Cow::Owned(text) => Self::Owned(text),
        }
    }
}
