//! A scanner for the end of a JSON value that comes in pieces.
//!
//! The scanner reads each byte once and keeps a few words of state. Neither the size of a value nor
//! its depth costs memory. It does not validate the value, because the decoder does.

use memchr::memchr2;

/// The state of the scan of one value.
#[derive(Debug, Default, PartialEq)]
pub(in crate::transport) struct Scanner {
    state: ScanState,
    /// The number of open brackets.
    depth: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum ScanState {
    /// No byte was read.
    #[default]
    Start,
    /// Inside an object or array, outside any string.
    Inside,
    String,
    /// After a backslash in a string.
    Escape,
    /// Inside a number or literal at the top level, which ends before the next byte that is not
    /// part of it.
    Scalar,
}

/// The number of bytes in a word, which are tested together.
const WORD: usize = size_of::<u64>();

/// A word with a one in each byte.
const ONES: u64 = u64::MAX / 0xff;

/// The number of words after which another search finds a string's end faster.
const LONG: usize = 4;

impl Scanner {
    /// Reads more bytes. Returns `Some(n)` if the value ends before byte `n` of them.
    ///
    /// The first byte must be the first byte of the value.
    pub(in crate::transport) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            at += self.pass(&bytes[at..]);
            for &byte in bytes[at..].iter().take(WORD) {
                if let Some(taken) = self.step(byte) {
                    return Some(at + taken);
                }
                at += 1;
            }
        }
        None
    }

    /// Reads one byte. Returns `Some(0)` if the value ends before it, and `Some(1)` if it ends with
    /// it.
    #[inline]
    fn step(&mut self, byte: u8) -> Option<usize> {
        match self.state {
            ScanState::String => match byte {
                b'\\' => self.state = ScanState::Escape,
                b'"' if self.depth == 0 => return Some(1),
                b'"' => self.state = ScanState::Inside,
                _ => {}
            },
            ScanState::Escape => self.state = ScanState::String,
            ScanState::Scalar => {
                if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}') {
                    return Some(0);
                }
            }
            ScanState::Start | ScanState::Inside => match byte {
                b'"' => self.state = ScanState::String,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.state = ScanState::Inside;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(1);
                    }
                }
                _ if self.depth == 0 => self.state = ScanState::Scalar,
                _ => {}
            },
        }
        None
    }

    /// Skips whole words that have no escapes and in which the value does not end. Returns the
    /// number of bytes skipped. The state is the same as after that many steps.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut within = match self.state {
            ScanState::Inside => 0,
            ScanState::String if self.depth > 0 => 1,
            ScanState::String => return memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len()),
            _ => return 0,
        };
        let (mut passed, mut quiet) = (0, 0);
        for word in bytes.as_chunks::<WORD>().0 {
            let word = u64::from_le_bytes(*word);
            if holds(word, b'\\') {
                break;
            }
            let marks = equal(word, b'"');
            if marks == 0 && within == 1 {
                quiet += 1;
                passed += WORD;
                if quiet == LONG {
                    let rest = &bytes[passed..];
                    passed += memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                    break;
                }
                continue;
            }
            quiet = 0;
            // Each byte: the number of quotes up to it, which is odd inside a string.
            let quoted = marks.wrapping_mul(ONES) ^ (ONES * within);
            // In lower case, an opening square bracket equals an opening brace.
            let folded = word | (ONES * 0x20);
            let (opened, closed) = (equal(folded, b'{') & !quoted, equal(folded, b'}') & !quoted);
            let closed = count(closed);
            if closed >= self.depth {
                break;
            }
            self.depth = self.depth + count(opened) - closed;
            within = quoted >> (8 * (WORD - 1)) & 1;
            passed += WORD;
        }
        self.state = if within == 1 { ScanState::String } else { ScanState::Inside };
        passed
    }
}

/// Returns a word with a one in each byte that equals this byte.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = ONES * 0x7f;
    let differs = word ^ (ONES * u64::from(byte));
    !(((differs & LOW) + LOW) | differs) >> 7 & ONES
}

/// Returns whether a byte of a word equals this byte.
#[inline]
fn holds(word: u64, byte: u8) -> bool {
    let differs = word ^ (ONES * u64::from(byte));
    differs.wrapping_sub(ONES) & !differs & (ONES * 0x80) != 0
}

/// Returns the number of bytes that are one, if all others are zero.
#[inline]
fn count(ones: u64) -> usize {
    usize::from(ones.wrapping_mul(ONES).to_be_bytes()[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any_json::any_json;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::seeds::kept())]

        #[test]
        fn scanner_finds_the_end_of_any_value(value in any_json(), cut in 1usize..9) {
            let text = value.to_string();
            let whole = format!("{text},{{}}");
            let mut scanner = Scanner::default();
            let mut end = None;
            for (n, piece) in whole.as_bytes().chunks(cut).enumerate() {
                if let Some(at) = scanner.feed(piece) {
                    end = Some(n * cut + at);
                    break;
                }
            }
            prop_assert_eq!(end, Some(text.len()));
        }

        #[test]
        fn skipping_words_equals_single_steps(
            bytes in proptest::collection::vec(
                prop_oneof![
                    4 => proptest::sample::select(&br#""\\{}[],: a"#[..]),
                    1 => any::<u8>(),
                ],
                0..200,
            ),
            quiet in 0usize..80,
        ) {
            let long = vec![b'x'; quiet];
            let bytes = [&b"{\""[..], &long, b"\",", &bytes].concat();
            let (mut scanner, mut stepped) = (Scanner::default(), Scanner::default());
            let end = scanner.feed(&bytes);
            let by_steps = bytes.iter().enumerate().find_map(|(at, byte)| Some(at + stepped.step(*byte)?));
            prop_assert_eq!(end, by_steps);
            if end.is_none() {
                prop_assert_eq!(scanner, stepped);
            }
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut scanner = Scanner::default();
            let end = scanner.feed(&bytes);
            prop_assert!(end.is_none_or(|end| end <= bytes.len()));
        }
    }
}
