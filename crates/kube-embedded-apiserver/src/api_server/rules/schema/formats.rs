//! The formats of texts and numbers that a schema may name.
//!
//! Other formats are only a warning when a definition is written, and objects are not checked
//! against them.

use std::net::Ipv6Addr;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::api_server::rules::formats::{is_address_range, is_digits, parse_address};

/// A check of a text.
pub(crate) type Check = fn(&str) -> bool;

/// The formats of texts, in their normal form without hyphens.
const TEXTS: &[(&str, Check)] = &[
    ("bsonobjectid", |text| text.len() == 24 && is_hexadecimal(text)),
    ("uri", is_uri),
    ("email", is_email),
    ("hostname", is_hostname),
    ("ipv4", |text| text.contains('.') && parse_address(text).is_some()),
    ("ipv6", |text| text.contains(':') && parse_address(text).is_some()),
    ("cidr", is_address_range),
    ("mac", is_mac),
    ("uuid", |text| is_uuid(text, None)),
    ("uuid3", |text| is_uuid(text, Some('3'))),
    ("uuid4", |text| is_uuid(text, Some('4'))),
    ("uuid5", |text| is_uuid(text, Some('5'))),
    ("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    ("isbn10", is_isbn10),
    ("isbn13", is_isbn13),
    ("creditcard", is_credit_card),
    ("ssn", |text| text.len() == 11 && PATTERNS.ssn.is_match(text)),
    ("hexcolor", is_hex_color),
    ("rgbcolor", |text| PATTERNS.rgb.is_match(text)),
    ("byte", is_base64),
    ("password", |_| true),
    ("date", is_date),
    ("duration", is_duration),
    ("datetime", is_date_time),
    ("k8sshortname", |text| text.len() <= 63 && is_label(text)),
    ("k8slongname", |text| text.len() <= 253 && text.split('.').all(is_label)),
];

const INTEGERS: &[&str] = &["int32", "int64"];
const NUMBERS: &[&str] = &["float", "double"];

/// Returns the check of a format of texts.
pub(super) fn of_texts(format: &str) -> Option<Check> {
    let normal = format.replace('-', "");
    TEXTS.iter().find(|(name, _)| *name == normal).map(|(_, check)| *check)
}

/// Returns the format of a schema, if a server knows it for the schema's values.
pub(super) fn known(schema: &Value) -> Option<&str> {
    if schema["x-kubernetes-int-or-string"] == true {
        return known_for("", schema);
    }
    known_by_type(schema)
}

/// Returns the format of a schema, if a server knows it for the schema's type.
pub(crate) fn known_by_type(schema: &Value) -> Option<&str> {
    known_for(schema["type"].as_str().unwrap_or_default(), schema)
}

fn known_for<'a>(kind: &str, schema: &'a Value) -> Option<&'a str> {
    let format = schema["format"].as_str().filter(|format| !format.is_empty())?;
    let known = match kind {
        "" | "string" => of_texts(format).is_some(),
        "integer" => INTEGERS.contains(&format),
        "number" => NUMBERS.contains(&format),
        _ => false,
    };
    known.then_some(format)
}

/// The formats that are patterns.
struct Patterns {
    hostname: Regex,
    credit_card: Regex,
    ssn: Regex,
    rgb: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    const LETTERS: &str = r"a-zA-Z0-9\p{S}\p{L}";
    let byte = "(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])";
    let hostname = format!(
        "^([{LETTERS}]((-?[{LETTERS}]{{0,62}})?)|([{LETTERS}](([-{LETTERS}]{{0,61}}[{LETTERS}])?)(\\.))\
         {{1,}}([a-zA-Z\\p{{L}}]){{2,63}})$"
    );
    let credit_card = "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|\
                       3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|\
                       (?:2131|1800|35[0-9]{3})[0-9]{11})$";
    let rgb = format!(r"^rgb\([ \t]*{byte}[ \t]*,[ \t]*{byte}[ \t]*,[ \t]*{byte}[ \t]*\)$");
    let compile = |pattern: &str| Regex::new(pattern).expect("the pattern is valid");
    Patterns {
        hostname: compile(&hostname),
        credit_card: compile(credit_card),
        ssn: compile("^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"),
        rgb: compile(&rgb),
    }
});

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Returns whether a text is an absolute URI or an absolute path.
pub(super) fn is_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    let scheme = text.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
    let scheme = scheme.filter(|end| {
        text[*end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let rest = match scheme {
        Some(end) => &text[end + 1..],
        None if text.starts_with(':') => return false,
        None => text,
    };
    let (rest, _query) = rest.split_once('?').unwrap_or((rest, ""));
    if !rest.starts_with('/') {
        return text == "*" || scheme.is_some();
    }
    let (authority, path) = match rest.strip_prefix("//").filter(|_| scheme.is_some()) {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    is_authority(authority) && has_valid_escapes(path)
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let in_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    let (name, port) = match host.strip_prefix('[').and_then(|inner| inner.rsplit_once(']')) {
        Some((address, port)) if is_scoped_address(address) => ("", port),
        _ => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    user.chars().all(in_user)
        && has_valid_escapes(user)
        && is_host(name)
        && (port.is_empty() || is_digits(port))
}

/// Returns whether a text is an address of version 6, perhaps with a zone: `fe80::1%25eth0`.
fn is_scoped_address(text: &str) -> bool {
    let (address, zone) = text.split_once("%25").unwrap_or((text, "0"));
    let is_escaped = |escape: &str| {
        let byte = escape.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_some_and(|byte| byte == b' ' || (byte.is_ascii() && in_host(byte.into())))
    };
    address.parse::<Ipv6Addr>().is_ok()
        && !zone.is_empty()
        && zone.chars().all(in_host)
        && zone.split('%').skip(1).all(is_escaped)
}

/// Returns whether a text is the name of a host. Only the percent sign and bytes of other
/// characters than those of ASCII may be escaped.
fn is_host(text: &str) -> bool {
    let is_escaped = |escape: &str| escape.starts_with("25") || escape >= "8";
    has_valid_escapes(text) && text.chars().all(in_host) && text.split('%').skip(1).all(is_escaped)
}

fn in_host(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:<>\"%]".contains(c)
}

fn has_valid_escapes(text: &str) -> bool {
    let mut escapes = text.split('%').skip(1);
    escapes.all(|escape| escape.get(..2).is_some_and(is_hexadecimal))
}

/// Returns whether a text is a mail address, perhaps with a name: `Ann <ann@example.com>`.
fn is_email(text: &str) -> bool {
    let text = text.trim();
    let address = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((_name, address)) => address,
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let literal = domain.starts_with('[') && domain.ends_with(']');
    (quoted || is_dotted_atom(local)) && (literal || is_dotted_atom(domain))
}

fn is_dotted_atom(text: &str) -> bool {
    let part =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    text.split('.').all(|atom| !atom.is_empty() && atom.chars().all(part))
}

fn is_hostname(text: &str) -> bool {
    let short = text.len() <= 255 && text.split('.').all(|label| label.len() <= 63);
    short && PATTERNS.hostname.is_match(text)
}

fn is_mac(text: &str) -> bool {
    let groups = |separator: char, width: usize, counts: &[usize]| {
        let parts: Vec<&str> = text.split(separator).collect();
        let whole = |part: &&str| part.len() == width && is_hexadecimal(part);
        counts.contains(&parts.len()) && parts.iter().all(whole)
    };
    groups(':', 2, &[6, 8, 20]) || groups('-', 2, &[6, 8, 20]) || groups('.', 4, &[3, 4, 10])
}

/// Returns whether a text is a UUID, of this version if one is given. Hyphens may be absent.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    let mut groups = Vec::new();
    for (n, width) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if n > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(width) else { return false };
        if !is_hexadecimal(group) {
            return false;
        }
        groups.push(group);
        rest = after;
    }
    let variant = groups[3].starts_with(|c: char| "89abAB".contains(c));
    let versioned = version.is_none_or(|version| groups[2].starts_with(version));
    rest.is_empty() && versioned && (variant || !matches!(version, Some('4' | '5')))
}

/// Returns the digits of an ISBN without its spaces and hyphens.
fn isbn(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'-').collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = isbn(text);
    let [first @ .., last] = &*digits else { return false };
    if first.len() != 9 || !first.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let last = match last {
        b'X' => 10,
        digit if digit.is_ascii_digit() => u32::from(digit - b'0'),
        _ => return false,
    };
    let sum: u32 = first.iter().zip(1..).map(|(digit, n)| n * u32::from(digit - b'0')).sum();
    (sum + 10 * last).is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let digits = isbn(text);
    if digits.len() != 13 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weighted = digits.iter().zip([1, 3].into_iter().cycle());
    weighted.map(|(digit, factor)| factor * u32::from(digit - b'0')).sum::<u32>().is_multiple_of(10)
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if !PATTERNS.credit_card.is_match(&digits) {
        return false;
    }
    let sum = digits.bytes().rev().zip([1, 2].into_iter().cycle()).map(|(digit, factor)| {
        let product = factor * u32::from(digit - b'0');
        product / 10 + product % 10
    });
    sum.sum::<u32>().is_multiple_of(10)
}

fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && is_hexadecimal(digits)
}

fn is_base64(text: &str) -> bool {
    let letters = text.trim_end_matches('=');
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let padded = text.len() - letters.len() <= 2 && text.len().is_multiple_of(4);
    !text.is_empty() && padded && letters.bytes().all(letter)
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = *parts else { return false };
    let widths = [(year, 4), (month, 2), (day, 2)];
    if widths.iter().any(|(part, width)| part.len() != *width || !is_digits(part)) {
        return false;
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or(0);
    let (year, day) = (number(year), number(day));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match number(month) {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && is_time(time)
}

/// Returns whether a text is a time of day with its offset: `12:30:00.5z`.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = *parts else { return false };
    let below = |part: &str, most: &str| part.len() == 2 && is_digits(part) && part <= most;
    if !below(hour, "23") || !below(minute, "59") || !below(second, "59") {
        return false;
    }
    // Any character may separate the fraction.
    let mut after = rest.chars();
    let fraction = after.next().is_some() && after.next().is_some_and(|c| c.is_ascii_digit());
    let offset = if fraction {
        after.as_str().trim_start_matches(|c: char| c.is_ascii_digit())
    } else {
        rest
    };
    is_offset(offset) || is_offset(rest)
}

fn is_offset(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(['+', '-']) else { return text == "z" };
    let parts = digits.split_once(':');
    parts.is_some_and(|(hours, minutes)| {
        [hours, minutes].iter().all(|part| part.len() == 2 && is_digits(part))
    })
}

/// The units of durations: the last name of each may be continued, as in `seconds`.
const UNITS: &[&[&str]] = &[
    &["ns", "nano"],
    &["us", "µs", "micro"],
    &["ms", "milli"],
    &["s", "sec"],
    &["m", "min"],
    &["h", "hr", "hour"],
    &["d", "day"],
    &["w", "wk", "week"],
];

/// Returns whether a text is a duration in the syntax of Go or of Scala: `1h30m`, `2 days`.
fn is_duration(text: &str) -> bool {
    if text.trim_start_matches(['+', '-']) == "0" || go_duration(text).is_some() {
        return true;
    }
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = rest[start..].trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let letter = |c: char| c.is_ascii_alphabetic() || c == 'µ';
        let unit = rest[..rest.find(|c| !letter(c)).unwrap_or(rest.len())].to_lowercase();
        let known = UNITS.iter().any(|names| {
            let continued = names.last().is_some_and(|last| unit.starts_with(last));
            continued || names.contains(&&*unit)
        });
        if known {
            return true;
        }
    }
    false
}

/// Returns the nanoseconds of a duration in the syntax of Go.
pub(super) fn go_duration(text: &str) -> Option<i64> {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    let mut total = 0;
    while !rest.is_empty() {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &rest[..rest.len() - after.len()];
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let unit = match &after[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000_i128,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = &fraction[..fraction.len().min(18)];
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
        total += digits.checked_mul(unit)? / scale;
        rest = &after[end..];
    }
    i64::try_from(if text.starts_with('-') { -total } else { total }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_tell_valid_texts_from_others() {
        for (format, valid, invalid) in [
            ("uri", "https://example.com:80/a%20b?c#d", "example.com"),
            ("uri", "/abs/path", "https://exa mple.com/"),
            ("uri", "http://[fe80::1%25en0]/", "http://[fe80::1%25]/"),
            ("uri", "http://us%20er@h/", "http://us er@h/"),
            ("uri", "http://%C3%A9/", "http://%41/"),
            ("email", "Ann <ann@example.com>", "ann@"),
            ("hostname", "a-b.example.com", "a_b.example"),
            ("ipv4", "010.2.3.4", "1.2.3.256"),
            ("ipv4", "10.0.0.1", "10.0.0.+1"),
            ("ipv6", "::1", "1.2.3.4"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("cidr", "::/0", "10.0.0.0/+8"),
            ("mac", "01:23:45:67:89:ab", "01:23:45:67:89"),
            ("uuid", "00000000-0000-0000-0000-000000000001", "00000000"),
            ("uuid4", "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d", "9b1deb4d-3b7d-3bad-9bdd-2b0d7b3dcb6d"),
            ("isbn", "978-0321751041", "978-0321751042"),
            ("isbn10", "0321751043", "0321751044"),
            ("creditcard", "4220 8554 2622 2389", "4220855426213389"),
            ("hexcolor", "#fff", "#ff12FG"),
            ("rgbcolor", "rgb(0,  31, 255)", "rgb(1,349,275)"),
            ("byte", "AA==", "nonsense !"),
            ("date", "2024-02-29", "2023-02-29"),
            ("date-time", "2024-01-01T00:00:00.25+01:00", "2024-01-01T24:00:00Z"),
            ("date-time", "2024-01-01T00:00:00Z", "2024-01-01 00:00:00Z"),
            ("duration", "1h30m", "1x"),
            ("duration", "2 days", "day"),
            ("k8s-short-name", "a-b", "a.b"),
            ("k8s-long-name", "a-b.c", "a..b"),
        ] {
            let check = of_texts(format).unwrap();
            assert!(check(valid), "{format} {valid}");
            assert!(!check(invalid), "{format} {invalid}");
        }
        assert!(of_texts("bogus").is_none());
    }
}
