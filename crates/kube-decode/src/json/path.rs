//! The path to a position in a text.

use super::Reader;
use crate::path::Path;

impl Reader<'_> {
    /// Goes to the innermost value that has not ended before this position, or ends at it. Returns
    /// whether there is one. The reader must stand before a value.
    #[cold]
    pub(crate) fn find_path(&self, end: usize, path: &mut Path<'_>) -> bool {
        let is_map = match self.peek() {
            Some(b'{') => true,
            Some(b'[') => false,
            _ => return self.skip().is_err() || self.position() >= end,
        };
        if self.open().is_err() || self.position() > end {
            return true;
        }
        let before = path.length();
        for index in 0.. {
            let first = index == 0;
            let next = if is_map { self.next_member(first) } else { self.next_element(first) };
            match next {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return true,
            }
            if is_map {
                let Ok(name) = self.text() else { return true };
                path.member(name.as_str());
                if self.position() >= end || self.colon().is_err() {
                    return true;
                }
            } else {
                path.element(index);
            }
            if self.find_path(end, path) {
                return true;
            }
            path.back_to(before);
        }
        self.position() >= end
    }
}
