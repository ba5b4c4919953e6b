//! Values that a type keeps as they are, such as a `serde_json::Value`. They are decoded by
//! `serde_json` itself, which costs less than going through the reader.

use serde::de::IgnoredAny;
use serde_json::de::StrRead;

use super::{MAX_DEPTH, Reader, too_deep};
use crate::budget::{Budget, LARGEST_TREE, largest_tree};
use crate::decode_error::NO_FIT;
use crate::error::{Error, Result};
use crate::private_keys;

impl<'de> Reader<'de> {
    /// Returns a deserializer of the value at the reader's position, if it is a map or list. `None`
    /// if the value could exceed the budget.
    pub(crate) fn tree(&self, budget: &Budget) -> Option<serde_json::Deserializer<StrRead<'de>>> {
        if !matches!(self.peek(), Some(b'{' | b'[')) {
            return None;
        }
        let text = self.text.get();
        let rest = text.get(self.at.get()..)?;
        let most = rest.len().saturating_mul(LARGEST_TREE);
        // Only of a whole text, which nothing counts twice.
        let is_whole = rest.len() == text.len();
        let fits =
            most <= budget.left() || is_whole && largest_tree(rest.as_bytes()).0 <= budget.left();
        // In text that is not UTF-8, the reader finds the place.
        (fits && text.len() == self.bytes.get().len() && !self.may_have_private_keys())
            .then(|| serde_json::Deserializer::from_str(rest))
    }

    /// Returns whether the text may have a key that `serde_json` reads as something else.
    fn may_have_private_keys(&self) -> bool {
        self.private_keys.get().unwrap_or_else(|| {
            let may = private_keys::may_be_in(self.bytes.get());
            self.private_keys.set(Some(may));
            may
        })
    }

    /// Takes the value that was decoded, and charges the most that it can take. Returns its text.
    /// The reader and `serde_json` count the depth apart, so it can be counted again here.
    pub(crate) fn take_tree(
        &self,
        json: serde_json::Deserializer<StrRead<'de>>,
        check_depth: bool,
        budget: &Budget,
    ) -> Result<&'de [u8]> {
        let start = self.at.get();
        let end = start + json.into_iter::<IgnoredAny>().byte_offset();
        let tree = self.bytes.get().get(start..end).unwrap_or_default();
        let (most, opened) = largest_tree(tree);
        budget.charge(most)?;
        let room = MAX_DEPTH - self.depth.get();
        if check_depth
            && opened > room.into()
            && let Some(at) = first_too_deep(tree, room)
        {
            self.at.set((start + at + 1).min(self.bytes.get().len()));
            return Err(too_deep());
        }
        self.at.set(end);
        Ok(tree)
    }

    /// Creates the error of a value that `serde_json` refused.
    #[cold]
    pub(crate) fn refuse_tree(&self, error: &serde_json::Error) -> Error {
        let (start, room) = (self.at.get(), MAX_DEPTH - self.depth.get());
        let mut refused = self.refused(start, error);
        // The text may be a visitor's own, and quote the object.
        if error.is_data() {
            refused = Error::nowhere(NO_FIT);
        }
        // It may lie deeper than is allowed here, and less deep than `serde_json` allows.
        let tree = self.bytes.get().get(start..self.at.get()).unwrap_or_default();
        let Some(at) = first_too_deep(tree, room) else { return refused };
        self.at.set(start + at + 1);
        too_deep()
    }
}

/// Returns the number of levels of a tree.
pub(crate) fn levels(tree: &[u8]) -> usize {
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    while let Some(byte) = tree.get(at) {
        match byte {
            b'"' => {
                let Some(end) = super::skip::pass_text(tree, at + 1) else { break };
                at = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

/// Returns the position of the first list or map of a tree that lies deeper than this.
#[cold]
pub(crate) fn first_too_deep(tree: &[u8], room: u8) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while let Some(byte) = tree.get(at) {
        match byte {
            b'"' => {
                at = super::skip::pass_text(tree, at + 1)?;
                continue;
            }
            b'{' | b'[' if depth == room => return Some(at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}
