//! A search for the end of a text, eight bytes at a time.

const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES << 7;

/// Returns the position of the first quote, backslash or control character from here on, or the
/// length of the text.
#[inline]
pub(super) fn special(text: &[u8], at: usize) -> usize {
    let mut rest = text.get(at..).unwrap_or_default();
    while let Some((chunk, tail)) = rest.split_first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        // With one bit turned, the quote follows the control characters.
        let control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
        // A subtraction borrows only from bytes behind one that is found.
        let found = (control | backslash) & !word & HIGHS;
        if found != 0 {
            return text.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = tail;
    }
    special_of_few(text, rest)
}

/// Searches the last few bytes of a text.
#[cold]
fn special_of_few(text: &[u8], rest: &[u8]) -> usize {
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    text.len() - rest.len() + found.unwrap_or(rest.len())
}
