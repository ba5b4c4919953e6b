//! Values that are passed over. They are checked like `serde_json` checks values that it ignores.

use serde::de::IgnoredAny;

use super::{Reader, scan};
use crate::error::Result;

impl<'de> Reader<'de> {
    /// Takes a value without building anything.
    pub(crate) fn skip(&self) -> Result<()> {
        let _ = self.peek();
        let start = self.at.get();
        let mut at = start;
        match pass(self.bytes.get(), &mut at) {
            Some(()) => {
                self.at.set(at);
                Ok(())
            }
            // Not JSON, or an uncommon form of it.
            None => self.delegate::<IgnoredAny>().map(|_| ()),
        }
    }

    /// Goes to the value of this member of the map that comes next. Returns the position behind the
    /// member before it, or behind the map's brace, and whether it is the first. `None` if there is
    /// none, or no map.
    pub(crate) fn find(&self, member: &str) -> Option<(usize, bool)> {
        if self.peek()? != b'{' {
            return None;
        }
        self.open().ok()?;
        let mut first = true;
        loop {
            let before = self.at.get();
            if !self.next_member(first).ok()? {
                return None;
            }
            let name = self.text().ok()?;
            self.colon().ok()?;
            if name.as_str() == member {
                return Some((before, first));
            }
            self.skip().ok()?;
            first = false;
        }
    }

    /// Returns the position, in bytes.
    pub(crate) fn position(&self) -> usize {
        self.at.get()
    }

    /// Takes a value, and returns its text.
    pub(crate) fn raw(&self) -> Result<&'de str> {
        let _ = self.peek();
        let start = self.at.get();
        self.skip()?;
        let end = self.at.get();
        self.text.get().get(start..end).ok_or_else(|| {
            let prefix = self.text.get().len();
            self.at.set(end.min(prefix.max(start) + 1));
            super::malformed(false)
        })
    }
}

/// Passes over a value without whitespace, and returns `None` if it is anything else. Floats are
/// something else, too.
fn pass(bytes: &[u8], position: &mut usize) -> Option<()> {
    // The open values, the innermost in the lowest bit: 1 is a map, 0 a list. The highest bit
    // stands before all of them.
    let mut open = 1_u128;
    let mut at = *position;
    loop {
        at = match bytes.get(at)? {
            b'"' => pass_text(bytes, at + 1)?,
            b'{' if bytes.get(at + 1) == Some(&b'}') => at + 2,
            b'[' if bytes.get(at + 1) == Some(&b']') => at + 2,
            kind @ (b'{' | b'[') => {
                if open.leading_zeros() == 0 {
                    return None;
                }
                let is_map = *kind == b'{';
                open = open << 1 | u128::from(is_map);
                at = if is_map { pass_name(bytes, at + 1)? } else { at + 1 };
                continue;
            }
            b'-' => pass_integer(bytes, at + 1)?,
            b'0'..=b'9' => pass_integer(bytes, at)?,
            b'n' => pass_literal(bytes, at, b"null")?,
            b't' => pass_literal(bytes, at, b"true")?,
            b'f' => pass_literal(bytes, at, b"false")?,
            _ => return None,
        };
        loop {
            if open == 1 {
                *position = at;
                return Some(());
            }
            let is_map = open & 1 == 1;
            match bytes.get(at)? {
                b',' => {
                    at = if is_map { pass_name(bytes, at + 1)? } else { at + 1 };
                    break;
                }
                b'}' if is_map => {}
                b']' if !is_map => {}
                _ => return None,
            }
            open >>= 1;
            at += 1;
        }
    }
}

/// Passes over a name and its colon.
#[expect(clippy::inline_always, reason = "a call for each name costs a third of passing over it")]
#[inline(always)]
fn pass_name(bytes: &[u8], at: usize) -> Option<usize> {
    if *bytes.get(at)? != b'"' {
        return None;
    }
    let end = pass_text(bytes, at + 1)?;
    (*bytes.get(end)? == b':').then_some(end + 1)
}

/// Passes over a text whose quote lies before this position.
#[expect(clippy::inline_always, reason = "a call for each text costs a third of passing over it")]
#[inline(always)]
pub(super) fn pass_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = scan::special(bytes, at);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = pass_escape(bytes, at + 1)?,
            _ => return None,
        }
    }
}

fn pass_escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        _ => None,
    }
}

fn pass_integer(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || (digits > 1 && bytes[at] == b'0') {
        return None;
    }
    let end = at + digits;
    (!matches!(bytes.get(end), Some(b'.' | b'e' | b'E'))).then_some(end)
}

fn pass_literal(bytes: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    bytes.get(at..)?.starts_with(literal).then_some(at + literal.len())
}
