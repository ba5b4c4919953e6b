//! Texts without those parts in which equal runs differ.

use std::collections::HashMap;

use k8s_openapi::jiff::Timestamp;

/// The length of a uid.
const UID: usize = 36;

/// The length of the longest name of an object.
const LONGEST: usize = 253;

/// Returns a text in which uids, times, and the keys of `names` are replaced, also inside of it.
///
/// A key of `names` is replaced where no letter or digit touches it.
pub(super) fn without_names(text: &str, names: &HashMap<String, String>) -> String {
    if let Some(name) = names.get(text) {
        return name.clone();
    }
    if text.len() >= 20 && text.parse::<Timestamp>().is_ok() {
        return "time".into();
    }
    let mut replaced = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < text.len() {
        let found = name_at(text, at, names)
            .or_else(|| uid_at(text, at, names))
            .or_else(|| Some((time_at(text, at)?, "time")));
        let Some((length, by)) = found else {
            at += 1;
            continue;
        };
        replaced += &text[copied..at];
        replaced += by;
        at += length;
        copied = at;
    }
    replaced + &text[copied..]
}

/// Returns the longest key of `names` that begins here, as its length, and the text in its place.
fn name_at<'n>(
    text: &str,
    at: usize,
    names: &'n HashMap<String, String>,
) -> Option<(usize, &'n str)> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    if !is_word(at) || at.checked_sub(1).is_some_and(is_word) {
        return None;
    }
    let of_a_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-.:".contains(byte);
    let longest = bytes[at..].iter().take(LONGEST).take_while(of_a_name).count();
    let ends = (at + 1..=at + longest).rev().filter(|end| is_word(end - 1) && !is_word(*end));
    let mut found = ends.filter_map(|end| Some((end - at, names.get(&text[at..end])?.as_str())));
    found.next()
}

fn uid_at<'n>(
    text: &str,
    at: usize,
    names: &'n HashMap<String, String>,
) -> Option<(usize, &'n str)> {
    has_form(text.as_bytes().get(at..at + UID)?, b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh").then(
        || {
            let name = names.get(&text[at..at + UID]);
            (UID, name.map_or("uid of no object", String::as_str))
        },
    )
}

/// Returns the length of a time that begins here, such as `2026-01-01T00:00:00.5Z`.
fn time_at(text: &str, at: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[at..];
    let form = b"dddd-dd-ddTdd:dd:dd";
    if !has_form(bytes.get(..form.len())?, form) {
        return None;
    }
    let mut length = form.len();
    if bytes.get(length) == Some(&b'.') {
        length += 1 + bytes[length + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let zones: [&[u8]; 3] = [b"Z", b"+dd:dd", b"-dd:dd"];
    let zone = zones.into_iter().find(|zone| {
        bytes.get(length..length + zone.len()).is_some_and(|bytes| has_form(bytes, zone))
    });
    Some(length + zone.map_or(0, <[u8]>::len))
}

/// Compares bytes with a form, in which `h` is a hexadecimal digit and `d` a decimal one.
fn has_form(bytes: &[u8], form: &[u8]) -> bool {
    bytes.iter().zip(form).all(|(byte, form)| match form {
        b'h' => byte.is_ascii_hexdigit(),
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_texts_are_replaced() {
        let uid = "6d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f";
        let names = [(uid, "uid of Pod/a"), ("a-x7k2p", "a-*"), ("10.0.0.5", "address")];
        let names = names.map(|(name, by)| (name.to_owned(), by.to_owned())).into();
        let other = "7d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f";
        for (text, expected) in [
            (uid, "uid of Pod/a"),
            (&format!("key-{uid}"), "key-uid of Pod/a"),
            (&format!("x{other}y"), "xuid of no objecty"),
            ("shop/a-x7k2p", "shop/a-*"),
            ("a-x7k2p-copy, b-a-x7k2p.shop", "a-*-copy, b-a-*.shop"),
            ("http://10.0.0.5:80", "http://address:80"),
            ("10.0.0.55 110.0.0.5 aa-x7k2p", "10.0.0.55 110.0.0.5 aa-x7k2p"),
            ("2026-01-01T00:00:00Z", "time"),
            ("since 2026-01-01T00:00:00.25Z, é 2026-01-01T00:00:00+01:00.", "since time, é time."),
            ("2026-01-01", "2026-01-01"),
            ("", ""),
        ] {
            assert_eq!(without_names(text, &names), expected);
        }
    }
}
