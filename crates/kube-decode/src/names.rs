//! The forms of names that an API server accepts.
//!
//! The forms are those of Kubernetes' `apimachinery`: `pkg/util/validation` and
//! `pkg/api/validation`.

/// The longest label of a domain, and the longest name without its domain, in bytes.
const LONGEST_LABEL: usize = 63;

/// The longest domain, in bytes.
const LONGEST_SUBDOMAIN: usize = 253;

/// Returns whether this is a label of RFC 1123, as the name of a namespace is.
pub fn is_label(text: &str) -> bool {
    text.len() <= LONGEST_LABEL && is_part(text)
}

/// Returns whether this is a subdomain of RFC 1123: labels joined by dots. The labels may be longer
/// than those of a domain.
pub fn is_subdomain(text: &str) -> bool {
    text.len() <= LONGEST_SUBDOMAIN && text.split('.').all(is_part)
}

/// Returns whether this is a name, with or without a domain before it. Keys of labels and
/// annotations have this form, and finalizers.
pub fn is_qualified(text: &str) -> bool {
    let (domain, name) = text.split_once('/').map_or((None, text), |(d, n)| (Some(d), n));
    is_name(name) && domain.is_none_or(is_subdomain)
}

/// Returns whether a label can have this value.
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name(text)
}

/// Returns whether this can be the name of an object of some kind: a segment of a path.
pub fn is_path_segment(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '%'])
}

/// Returns the first character that Go does not print, and its offset in bytes.
pub fn unprintable(text: &str) -> Option<(usize, char)> {
    // `Debug` escapes such characters, and these three. As the first one, it also escapes a
    // character that combines with the one before it.
    let is_print = |c: char| {
        matches!(c, '"' | '\'' | '\\') || {
            let mut buffer = [b'x'; 5];
            let end = 1 + c.encode_utf8(&mut buffer[1..]).len();
            let shown = std::str::from_utf8(&buffer[..end]).unwrap_or_default();
            shown.escape_debug().eq(shown.chars())
        }
    };
    text.char_indices().find(|(_, c)| !is_print(*c))
}

/// Returns whether this has letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
pub(crate) fn is_name(text: &str) -> bool {
    let is_end = |c: u8| c.is_ascii_alphanumeric();
    text.len() <= LONGEST_LABEL
        && has_ends(text, is_end)
        && text.bytes().all(|c| is_end(c) || matches!(c, b'-' | b'_' | b'.'))
}

/// Returns whether this has lower-case letters, digits and `-`, with a letter or digit at both
/// ends.
fn is_part(text: &str) -> bool {
    let is_end = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    has_ends(text, is_end) && text.bytes().all(|c| is_end(c) || c == b'-')
}

fn has_ends(text: &str, is_end: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|c| is_end(*c)) && bytes.last().is_some_and(|c| is_end(*c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_those_of_go() {
        for text in ["", "a b", "é", "e\u{301}", "\u{301}", "日本", "\"'\\", "€", "😀"] {
            assert_eq!(unprintable(text), None, "{text:?}");
        }
        for c in ['\n', '\0', '\u{7f}', '\u{a0}', '\u{ad}', '\u{200b}', '\u{2028}', '\u{e000}'] {
            assert_eq!(unprintable(&format!("é{c}")), Some((2, c)));
        }
    }
}
