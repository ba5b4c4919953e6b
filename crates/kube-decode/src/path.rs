//! The path to a field, for errors.
//!
//! A path has only names that types or the table of built-in kinds have. Any other name is the
//! object's own, perhaps a key of a Secret, and shown as `*`.

use std::fmt::Write;

use crate::protobuf::is_name;

/// The names of a type's fields, as serde states them.
pub(crate) type Names = &'static [&'static str];

/// The number of characters after which a path is cut.
const LONGEST: usize = 100;

/// A path under construction.
pub(crate) struct Path<'n> {
    text: String,
    names: &'n [Names],
}

impl<'n> Path<'n> {
    /// Creates the path of the whole object, whose types have these names.
    pub(crate) fn new(names: &'n [Names]) -> Self {
        Self { text: String::new(), names }
    }

    /// Goes to the member with this name, or to the entry with this key.
    pub(crate) fn member(&mut self, name: &str) {
        if !self.text.is_empty() {
            self.text.push('.');
        }
        let is_known = self.names.iter().any(|names| names.contains(&name)) || is_name(name);
        self.text.push_str(if is_known { name } else { "*" });
    }

    /// Goes to the element with this index.
    pub(crate) fn element(&mut self, index: usize) {
        let _ = write!(self.text, "[{index}]");
    }

    /// Returns the length, for [`back_to`](Self::back_to).
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    /// Goes back to the path that had this length.
    pub(crate) fn back_to(&mut self, length: usize) {
        self.text.truncate(length);
    }

    /// Returns the problem at this path.
    pub(crate) fn describe(self, problem: &str) -> String {
        let mut text = self.text;
        if text.is_empty() {
            return problem.to_owned();
        }
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
        format!("{text}: {problem}")
    }
}
