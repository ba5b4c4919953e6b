//! Bytes as Go reads them from JSON: base64, in which line breaks and the bits after the last byte
//! do not count.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Returns the bytes that a text encodes, or the position of the first byte that is not base64.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    if let Some(at) = problem_of(text.as_bytes()) {
        return Err(at);
    }
    LENIENT.decode(text.replace(['\n', '\r'], "")).map_err(|_| text.len())
}

/// Returns the position of the first byte that is not base64. Line breaks do not count.
fn problem_of(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut quantum = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        match byte {
            b'\n' | b'\r' => {}
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => quantum = (quantum + 1) % 4,
            b'=' if quantum >= 2 => return padding_problem(text, at, quantum),
            _ => return Some(at - 1),
        }
    }
    (quantum != 0).then(|| at - quantum)
}

/// Returns the position of the first byte that must not follow the first `=`, which is before `at`.
fn padding_problem(text: &[u8], mut at: usize, quantum: usize) -> Option<usize> {
    let skip = |mut at: usize| {
        while matches!(text.get(at), Some(b'\n' | b'\r')) {
            at += 1;
        }
        at
    };
    at = skip(at);
    if quantum == 2 {
        match text.get(at) {
            Some(b'=') => at = skip(at + 1),
            Some(_) => return Some(at - 1),
            None => return Some(text.len()),
        }
    }
    (at < text.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_by_go() {
        for (text, bytes) in [
            ("AA==", Ok(vec![0])),
            ("", Ok(vec![])),
            ("a", Err(0)),
            ("AA=", Err(3)),
            ("AA=A", Err(2)),
            ("AA==A", Err(4)),
            ("A\nA==\n", Ok(vec![0])),
            ("eA=\r\n=", Ok(b"x".to_vec())),
            ("eB==", Ok(b"x".to_vec())),
            ("eHl=", Ok(b"xy".to_vec())),
            ("AAA=", Ok(vec![0, 0])),
            ("=", Err(0)),
            ("AAA", Err(0)),
        ] {
            assert_eq!(decode(text), bytes, "{text}");
        }
    }
}
