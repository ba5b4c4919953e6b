//! Formats of texts: names, keys of labels, ports, addresses.
//!
//! A check returns the problems of a text, in the words of a server. No problems mean that the text
//! is valid.

use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use crate::api_server::names;
pub(crate) use crate::api_server::names::{
    label_problems as label, label_value_problems as label_value,
    letter_label_problems as old_label, qualified_problems as label_key,
};

const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or \
    '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
    '[-._a-zA-Z0-9]+')";
const VARIABLE: &str = "a valid environment variable name must consist only of printable ASCII \
    characters other than '='";
const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid \
    DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end \
    with an alphanumeric character (e.g. '*.example.com', regex used for validation is \
    '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const UNDERLINED: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. \
    'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' \
    (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// A check of a text.
pub(crate) type Format = fn(&str) -> Vec<String>;

fn collect(problems: impl IntoIterator<Item = (bool, String)>) -> Vec<String> {
    problems.into_iter().filter_map(|(bad, problem)| bad.then_some(problem)).collect()
}

/// Checks a domain name.
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    names::subdomain_problems(text, "characters")
}

/// Checks a domain name whose labels may have underlines.
pub(crate) fn underlined_subdomain(text: &str) -> Vec<String> {
    let part = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part).as_bytes();
        let end = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let inner = |byte: &u8| end(Some(byte)) || matches!(byte, b'-' | b'_');
        end(part.first()) && end(part.last()) && part.iter().all(inner)
    };
    collect([
        (text.len() > 253, "must be no more than 253 characters".to_owned()),
        (!text.split('.').all(part), UNDERLINED.to_owned()),
    ])
}

/// Checks the name of a header of HTTP.
pub(crate) fn header(text: &str) -> Vec<String> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    collect([(text.is_empty() || !text.bytes().all(known), HEADER.to_owned())])
}

/// Checks a domain name whose first label is a star.
pub(crate) fn wildcard(text: &str) -> Vec<String> {
    let good = text.strip_prefix("*.").is_some_and(|rest| subdomain(rest).is_empty());
    collect([
        (text.len() > 253, "must be no more than 253 characters".to_owned()),
        (!good, WILDCARD.to_owned()),
    ])
}

/// Checks a key of a config map or a secret.
pub(crate) fn config_key(text: &str) -> Vec<String> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let good = !text.is_empty() && text.bytes().all(inner);
    let upwards = match text {
        "." => Some("must not be '.'"),
        ".." => Some("must not be '..'"),
        _ if text.starts_with("..") => Some("must not start with '..'"),
        _ => None,
    };
    collect([
        (text.len() > 253, "must be no more than 253 characters".to_owned()),
        (!good, CONFIG_KEY.to_owned()),
        (upwards.is_some(), upwards.unwrap_or_default().to_owned()),
    ])
}

/// Checks the name of an environment variable.
pub(crate) fn variable(text: &str) -> Vec<String> {
    let good = text.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=');
    collect([
        (text.is_empty(), "environment variable name must be non-empty".to_owned()),
        (!good, VARIABLE.to_owned()),
    ])
}

/// Checks the name of a port.
pub(crate) fn port_name(text: &str) -> Vec<String> {
    let letter = |byte: u8| byte.is_ascii_lowercase();
    let ends = text.starts_with('-') || text.ends_with('-');
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let bad = text.is_empty() || !text.bytes().all(known);
    collect([
        (text.len() > 15, "must be no more than 15 characters".to_owned()),
        (bad, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned()),
        (!text.bytes().any(letter), "must contain at least one letter (a-z)".to_owned()),
        (text.contains("--"), "must not contain consecutive hyphens".to_owned()),
        (ends, "must not begin or end with a hyphen".to_owned()),
    ])
}

/// Checks an IP address.
pub(crate) fn address(text: &str) -> Vec<String> {
    let problem = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    collect([(parse_address(text).is_none(), problem.to_owned())])
}

/// Returns the address. Zeros in front of its numbers do not count.
pub(crate) fn parse_address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = IpAddr::from_str(text) {
        return Some(address);
    }
    let number = |part: &str| match part.trim_start_matches('0') {
        _ if !is_digits(part) => None,
        "" => Some(0),
        rest => rest.parse::<u8>().ok(),
    };
    let parts: Option<Vec<u8>> = text.split('.').map(number).collect();
    let parts: [u8; 4] = parts?.try_into().ok()?;
    Some(Ipv4Addr::from(parts).into())
}

/// Checks a range of IP addresses.
pub(crate) fn address_range(text: &str) -> Vec<String> {
    let problem = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    collect([(!is_address_range(text), problem.to_owned())])
}

/// Returns whether a text is an IP address, a slash and the length of a prefix.
pub(crate) fn is_address_range(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let most = match parse_address(address) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    is_digits(length) && length.parse::<u8>().is_ok_and(|length| length <= most)
}

/// Returns whether a text has digits and nothing else.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks a percentage.
pub(crate) fn percent(text: &str) -> Vec<String> {
    let good = text.strip_suffix('%').is_some_and(is_digits);
    collect([(!good, PERCENT.to_owned())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_texts_have_no_problems() {
        let good: [(Format, &[&str]); 9] = [
            (label, &["a", "a-1", "0"]),
            (subdomain, &["a.b", "1.2"]),
            (old_label, &["a", "a-1"]),
            (label_key, &["a", "A_b.c", "example.com/a"]),
            (label_value, &["", "A", "a.b_c"]),
            (config_key, &["a", "..data".trim_start_matches('.'), "A_B-c.d"]),
            (port_name, &["http", "a-1"]),
            (address, &["10.0.0.1", "::1", "010.0.0.1"]),
            (address_range, &["10.0.0.0/8", "::/0"]),
        ];
        for (format, texts) in good {
            for text in texts {
                assert_eq!(format(text), Vec::<String>::new(), "{text}");
            }
        }
    }

    #[test]
    fn bad_texts_have_problems() {
        let bad: [(Format, &[&str]); 9] = [
            (label, &["", "-a", "a.b", "A", "é"]),
            (subdomain, &["", "a..b", "."]),
            (old_label, &["1", ""]),
            (label_key, &["", "/a", "a/", "a/b/c", "a b", "-a"]),
            (label_value, &["-", "a b"]),
            (config_key, &["", ".", "..", "..a", "a b"]),
            (port_name, &["", "1", "a--b", "-a", "TOO_LONG_FOR_A_PORT_NAME"]),
            (address, &["", "x", "1.2.3", "1.2.3.256", "1.2.3.4.5", "1..2.3", "10.0.0.+1"]),
            (address_range, &["", "x", "10.0.0.0", "10.0.0.0/33", "/8", "10.0.0.0/+8"]),
        ];
        for (format, texts) in bad {
            for text in texts {
                assert!(!format(text).is_empty(), "{text}");
            }
        }
    }
}
