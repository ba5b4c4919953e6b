//! The error of an object that cannot be decoded, in words that come from no object.

use std::borrow::Cow;

/// The reason why an object cannot be decoded, in words that are fit for a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DecodeError {
    problem: String,
    offset: Option<usize>,
}

impl DecodeError {
    /// Creates an error with a decoder's own text. The text must not quote the object.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), offset: None }
    }

    /// Creates an error with the problem at this byte of the object.
    pub(crate) fn at(problem: &str, offset: usize) -> Self {
        Self { problem: format!("{problem} at byte {offset}"), offset: Some(offset) }
    }

    /// Creates an error of an object that exceeds this memory limit.
    pub(crate) fn too_large(memory: usize) -> Self {
        Self::new(format!(
            "it would take more than {memory} bytes of memory; raise the memory limit if it may be \
             this large"
        ))
    }

    /// Sets the offset, unless the error has one.
    pub(crate) fn or_at(mut self, offset: usize) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// Returns the offset of the problem in the decoded bytes. Always set for protobuf. `None` for
    /// JSON, whose errors state line and column.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(describe(&error))
    }
}

/// The problem of a value that its type refuses, in words that may quote it.
pub(crate) const NO_FIT: &str = "a value does not fit its type";

/// The problem of JSON that ends too early.
pub(crate) const INCOMPLETE: &str = "the object is incomplete";

/// The problem of text that is not JSON.
pub(crate) const NOT_JSON: &str = "not JSON";

/// The problem of an object that is nested too deep, in either encoding.
pub(crate) const TOO_DEEP: &str = "lists and maps are nested deeper than the limit of 127 levels";

/// The beginnings of `serde_json`'s texts, and the problems that they state.
const PROBLEMS: [(&str, &str); 5] = [
    ("recursion limit exceeded", TOO_DEEP),
    ("number out of range", OUT_OF_RANGE),
    ("lone leading surrogate", HALF_A_PAIR),
    ("unexpected end of hex escape", HALF_A_PAIR),
    ("invalid unicode code point", "found a text that is not UTF-8"),
];

/// The problem of a number that is too large.
pub(crate) const OUT_OF_RANGE: &str = "found a number that no 64-bit float holds";

/// The problem of a text with half of the escapes of a character.
const HALF_A_PAIR: &str = "found a text with half of a surrogate pair";

/// Describes a problem in JSON and its place. No word comes from the object.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    describe_place(&describe_problem(error), error.line(), error.column())
}

/// Describes a problem in JSON. No word comes from the object.
pub(crate) fn describe_problem(error: &serde_json::Error) -> Cow<'static, str> {
    match error.classify() {
        serde_json::error::Category::Data => redact(&error.to_string()).into(),
        serde_json::error::Category::Eof => INCOMPLETE.into(),
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            // `serde_json` states these only in its text.
            let text = error.to_string();
            let known = PROBLEMS.iter().find(|(begin, _)| text.starts_with(begin));
            known.map_or(NOT_JSON, |(_, problem)| problem).into()
        }
    }
}

/// Adds the place to the description of a problem.
pub(crate) fn describe_place(problem: &str, line: usize, column: usize) -> String {
    format!("{problem} at line {line} column {column}")
}

/// Returns the parts of serde's text that do not come from the object: the type of the value found,
/// and the expected type. The value itself is left out.
fn redact(message: &str) -> String {
    if message.starts_with("missing field `") {
        // The field name comes from the type.
        return message.split(" at line ").next().unwrap_or_default().to_owned();
    }
    let Some(rest) = message.strip_prefix("invalid type: ") else {
        return NO_FIT.into();
    };
    let found = ["string", "integer", "floating point", "boolean", "null", "map", "sequence"]
        .into_iter()
        .find(|kind| rest.starts_with(kind))
        .unwrap_or("a value");
    // Use the last one, because the value before it may contain the same words.
    let expected = rest.rsplit_once(", expected ").map_or("something else", |(_, tail)| {
        tail.rsplit_once(" at line ").map_or(tail, |(expected, _)| expected)
    });
    format!("found {found}, expected {expected}")
}
