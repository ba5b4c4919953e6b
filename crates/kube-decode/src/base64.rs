//! Base64 that Go accepts and strict decoders refuse.

/// The digits, in the order of their values.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the text without line breaks and with zeros for the bits after the last byte. `None` if
/// the text is right as it is.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let breaks = ['\n', '\r'];
    if text.contains(breaks) {
        let text = text.replace(breaks, "");
        return Some(canonical(&text).unwrap_or(text));
    }
    let one = text.strip_suffix('=')?;
    let (digits, unused) = one.strip_suffix('=').map_or((one, 2), |digits| (digits, 4));
    let last = *digits.as_bytes().last()?;
    let value = DIGITS.iter().position(|digit| *digit == last)?;
    let cleared = value >> unused << unused;
    if cleared == value {
        return None;
    }
    let (before, padding) = (&digits[..digits.len() - 1], &text[digits.len()..]);
    Some(format!("{before}{}{padding}", char::from(DIGITS[cleared])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_go_reads_becomes_canonical() {
        for (text, expected) in [
            ("eB==", Some("eA==")),
            ("e\nB=\r\n=\n", Some("eA==")),
            ("eHl=", Some("eHk=")),
            ("eH\nk=", Some("eHk=")),
            ("a//=", Some("a/8=")),
            ("eA==", None),
            ("eHk=", None),
            ("eHl6", None),
            ("", None),
            ("==", None),
            ("?=", None),
            ("é=", None),
        ] {
            assert_eq!(canonical(text).as_deref(), expected, "{text}");
        }
    }
}
