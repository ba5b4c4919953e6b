//! Texts, compared apart from their volatile parts.

use super::binding::{Binding, Class};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Plain(&'a str),
    Uid(&'a str),
    Time(&'a str),
    Number(&'a str),
}

const UID: &str = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
const SECONDS: &str = "dddd-dd-dd?dd:dd:dd";

/// The texts before a number that no two servers share.
const BEFORE_VOLATILE: [&str; 4] =
    ["current: ", "too old resource version: 1 (", ".go:", "not decodable revision="];

/// Returns whether the text begins with the pattern: `d` is a digit, `h` a hexadecimal digit, `?`
/// any character.
fn begins_with(text: &[u8], pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text.iter().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
            b'd' => byte.is_ascii_digit(),
            b'h' => byte.is_ascii_hexdigit(),
            b'?' => *byte == b'T' || *byte == b' ',
            other => *byte == other,
        })
}

/// Returns the length of the time at the beginning of the text.
fn time_at(text: &[u8]) -> Option<usize> {
    if !begins_with(text, SECONDS) {
        return None;
    }
    let mut end = SECONDS.len();
    if text.get(end) == Some(&b'.') {
        end += 1;
        end += text[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    if text.get(end) == Some(&b'Z') {
        return Some(end + 1);
    }
    text[end..].starts_with(b" +0000 UTC").then_some(end + " +0000 UTC".len())
}

/// Returns whether the whole text is a time.
pub(crate) fn is_time(text: &str) -> bool {
    time_at(text.as_bytes()) == Some(text.len())
}

/// Returns whether the whole text is the age of an object, as tables show it: `3d4h`.
pub(crate) fn is_age(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.ends_with(['s', 'm', 'h', 'd', 'y'])
        && text.chars().all(|c| c.is_ascii_digit() || "smhdy".contains(c))
}

/// Returns whether the whole text is a uid.
pub(crate) fn is_uid(text: &str) -> bool {
    text.len() == UID.len() && begins_with(text.as_bytes(), UID)
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut plain) = (0, 0);
    while at < bytes.len() {
        let inside_word = at > plain && bytes[at - 1].is_ascii_alphanumeric();
        let found = if inside_word {
            None
        } else if begins_with(&bytes[at..], UID) {
            Some((UID.len(), Token::Uid as fn(_) -> _))
        } else if let Some(length) = time_at(&bytes[at..]) {
            Some((length, Token::Time as fn(_) -> _))
        } else {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits > 0).then_some((digits, Token::Number as fn(_) -> _))
        };
        let Some((length, token)) = found else {
            at += 1;
            continue;
        };
        if plain < at {
            tokens.push(Token::Plain(&text[plain..at]));
        }
        tokens.push(token(&text[at..at + length]));
        at += length;
        plain = at;
    }
    if plain < bytes.len() {
        tokens.push(Token::Plain(&text[plain..]));
    }
    tokens
}

/// Returns whether two texts say the same. Uids and versions that are bound must correspond; an
/// unknown uid is bound. Times only have to be times.
pub(crate) fn same(binding: &mut Binding, recorded: &str, ours: &str) -> bool {
    if recorded == ours {
        return true;
    }
    // A resolver's address.
    let recorded = binding.with_our_names(recorded).replace(" on DNS-SERVER:53", "");
    let (recorded, ours) = (tokens(&recorded), tokens(ours));
    let mut before = "";
    let mut uids = Vec::new();
    let same = recorded.len() == ours.len()
        && recorded.iter().zip(&ours).all(|pair| {
            let same = match pair {
                (Token::Uid(recorded), Token::Uid(ours)) => {
                    let bound = binding.ours(Class::Uid, recorded);
                    if bound.is_none() {
                        uids.push((*recorded, *ours));
                    }
                    bound.is_none_or(|bound| bound == *ours)
                }
                (Token::Time(recorded), Token::Time(ours)) => recorded.len() == ours.len(),
                (Token::Number(recorded), Token::Number(ours)) => {
                    recorded == ours
                        || binding.ours(Class::Version, recorded) == Some(ours)
                        || BEFORE_VOLATILE.iter().any(|volatile| before.ends_with(volatile))
                }
                (recorded, ours) => recorded == ours,
            };
            if let (Token::Plain(text), _) = pair {
                before = text;
            }
            same
        });
    same && uids.into_iter().all(|(one, other)| binding.bind(Class::Uid, one, other).is_ok())
}

/// Like [`same`], for a list of problems whose order is that of a map.
pub(crate) fn same_parts(binding: &mut Binding, recorded: &str, ours: &str) -> bool {
    if same(binding, recorded, ours) {
        return true;
    }
    let parts = |text: &str| {
        let text = text.replace(['[', ']', '{', '}'], "");
        let mut parts: Vec<String> = text.split([',', ' ']).map(str::to_owned).collect();
        parts.sort();
        parts.join(" ")
    };
    let recorded = binding.with_our_names(recorded);
    same(binding, &parts(&recorded), &parts(ours))
}
