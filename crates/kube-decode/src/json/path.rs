//! The path to a value of a text.

use super::Reader;
use crate::path::Path;
use crate::time;

/// The value whose path is sought.
#[derive(Clone, Copy)]
pub(crate) enum Sought {
    /// The innermost value that has not ended before this position, or ends at it. In a malformed
    /// text, the last one that is well-formed.
    At(usize),
    /// The first text that is a time which a `Timestamp` does not hold.
    ClampedTime,
}

impl Sought {
    fn ends_at(self, position: usize) -> bool {
        matches!(self, Self::At(end) if position >= end)
    }

    fn begins_before(self, position: usize) -> bool {
        matches!(self, Self::At(end) if position > end)
    }

    fn is_malformed(self) -> bool {
        matches!(self, Self::At(_))
    }
}

impl Reader<'_> {
    /// Goes to the sought value. Returns whether there is one. The reader must stand before a
    /// value.
    #[cold]
    pub(crate) fn find_path(&self, sought: Sought, path: &mut Path<'_>) -> bool {
        let is_map = match self.peek() {
            Some(b'{') => true,
            Some(b'[') => false,
            Some(b'"') if matches!(sought, Sought::ClampedTime) => {
                return self.text().is_ok_and(|text| time::is_clamped(text.as_str()));
            }
            _ => match self.skip() {
                Ok(()) => return sought.ends_at(self.position()),
                Err(_) => return sought.is_malformed(),
            },
        };
        if self.open().is_err() {
            return sought.is_malformed();
        }
        if sought.begins_before(self.position()) {
            return true;
        }
        let before = path.length();
        for index in 0.. {
            let first = index == 0;
            let next = if is_map { self.next_member(first) } else { self.next_element(first) };
            match next {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return sought.is_malformed(),
            }
            if is_map {
                let Ok(name) = self.text() else { return sought.is_malformed() };
                path.member(name.as_str());
                if sought.ends_at(self.position()) {
                    return true;
                }
                if self.colon().is_err() {
                    return sought.is_malformed();
                }
            } else {
                path.element(index);
            }
            if self.find_path(sought, path) {
                return true;
            }
            path.back_to(before);
        }
        sought.ends_at(self.position())
    }
}
