//! The error of an object that does not fit its type, or of malformed protobuf, with its place.
//!
//! No word of it comes from the object. Serde's own texts quote the refused value, so only the type
//! of the value and the expected type are taken from them.

use std::borrow::Cow;
use std::fmt;

use serde::de;

use super::decode_error::{DecodeError, NO_FIT, OUT_OF_RANGE};
use super::path::Names;

/// A problem, and its offset if it is in protobuf. One pointer wide, because it is a part of every
/// result.
///
/// A problem in JSON is where its reader stopped.
#[derive(Debug)]
#[doc(hidden)]
pub struct Error(Box<Problem>);

#[derive(Debug)]
struct Problem {
    text: Cow<'static, str>,
    offset: Option<usize>,
    /// The names of the fields of the structs around the problem.
    names: Vec<Names>,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(super) fn new(problem: impl Into<Cow<'static, str>>, offset: usize) -> Self {
        Self::nowhere(problem).or(offset)
    }

    pub(super) fn nowhere(problem: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Problem { text: problem.into(), offset: None, names: Vec::new() }))
    }

    /// Sets the offset, unless the error has one. Serde's errors have none.
    #[cold]
    pub(super) fn or(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Notes the fields of the struct in which the problem is.
    #[cold]
    pub(super) fn within(mut self, names: Names) -> Self {
        self.0.names.push(names);
        self
    }

    /// States this problem of a number that is too large for its type.
    #[cold]
    pub(super) fn of_number(mut self, problem: &'static str) -> Self {
        if self.0.text == OUT_OF_RANGE {
            self.0.text = problem.into();
        }
        self
    }

    /// Returns whether serde's words for the problem were left out.
    pub(super) fn is_no_fit(&self) -> bool {
        self.0.text == NO_FIT
    }

    pub(super) fn names(&self) -> &[Names] {
        &self.0.names
    }

    pub(super) fn offset(&self) -> Option<usize> {
        self.0.offset
    }
}

impl From<Error> for DecodeError {
    fn from(error: Error) -> Self {
        match *error.0 {
            Problem { text, offset: Some(offset), .. } => Self::at(&text, offset),
            Problem { text, .. } => Self::new(text),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(_: T) -> Self {
        // The text may quote the object.
        Self::nowhere(NO_FIT)
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::nowhere(format!("found {}, expected {expected}", kind(&found)))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::nowhere(format!("found another {}, expected {expected}", kind(&found)))
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::nowhere(NO_FIT)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::nowhere(format!("missing field `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::nowhere(format!("duplicate field `{field}`"))
    }
}

/// Returns the words for the type of a value.
fn kind(found: &de::Unexpected<'_>) -> &'static str {
    match found {
        de::Unexpected::Bool(_) => "boolean",
        de::Unexpected::Unsigned(_) | de::Unexpected::Signed(_) => "integer",
        de::Unexpected::Float(_) => "floating point",
        de::Unexpected::Str(_) | de::Unexpected::Char(_) => "string",
        de::Unexpected::Unit | de::Unexpected::Option => "null",
        de::Unexpected::Seq => "sequence",
        de::Unexpected::Map => "map",
        _ => "value",
    }
}
