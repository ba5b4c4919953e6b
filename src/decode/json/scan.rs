//! A search for the end of a text, eight bytes at a time.

const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES << 7;

/// Returns the position of the first quote, backslash or control character from here on, or the
/// length of the text.
#[inline]
pub(super) fn special(text: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*chunk);
        // With one bit turned, the quote follows the control characters.
        let control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
        // A subtraction borrows only from bytes behind one that is found.
        let found = (control | backslash) & !word & HIGHS;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = text.get(at)
        && !matches!(byte, b'"' | b'\\' | 0..0x20)
    {
        at += 1;
    }
    at
}
