//! `shardSelector`: a part of a collection, by the hash of a field.
//!
//! A shard is a half-open range of the 64-bit FNV-1a hash space.

mod expression;

use std::fmt;

use self::expression::{Expression, parse};

const FIELDS: [&str; 2] = ["object.metadata.uid", "object.metadata.namespace"];

/// The end of the hash space, as a bound.
const LAST: &str = "0x10000000000000000";

/// The number of digits of a bound.
const DIGITS: usize = 16;

/// A shard: the objects in any of the ranges. `Display` writes its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    by_uid: bool,
    ranges: Vec<Range>,
}

/// A range of hashes without its end, with the texts of both bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    start: u128,
    end: u128,
    texts: [String; 2],
}

impl Shard {
    /// Parses a selector. The error is a real server's.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            let problem = "empty shard selector is not allowed; omit the parameter for unfiltered \
                           lists";
            return Err(problem.to_owned());
        }
        let parsed = parse(text).map_err(|problem| format!("CEL parse error: {problem}"))?;
        let mut found = Vec::new();
        collect(&parsed, &mut found)?;
        let first = found.first().map_or("", |(field, _)| *field);
        if let Some((other, _)) = found.iter().find(|(field, _)| *field != first) {
            return Err(format!(
                "all shard ranges must use the same field, got {first:?} and {other:?}"
            ));
        }
        let by_uid = first == FIELDS[0];
        Ok(Self { by_uid, ranges: found.into_iter().map(|(_, range)| range).collect() })
    }

    /// Returns whether an object is in the shard, by the hash of its uid and its namespace.
    pub(crate) fn has(&self, uid: u64, namespace: &str) -> bool {
        let hash = u128::from(if self.by_uid { uid } else { hash(namespace) });
        self.ranges.iter().any(|range| (range.start..range.end).contains(&hash))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = FIELDS[usize::from(!self.by_uid)];
        for (n, Range { texts: [start, end], .. }) in self.ranges.iter().enumerate() {
            let joint = if n == 0 { "" } else { " || " };
            write!(f, "{joint}shardRange({field}, '{start}', '{end}')")?;
        }
        Ok(())
    }
}

/// Collects the ranges of an expression, each with its field.
fn collect(expression: &Expression, found: &mut Vec<(&'static str, Range)>) -> Result<(), String> {
    let (function, arguments) = match expression {
        Expression::Call(function, arguments) => (&**function, arguments),
        other => {
            let kind = other.kind();
            return Err(format!(
                "unexpected expression kind {kind}; expected shardRange() call or || operator"
            ));
        }
    };
    match (function, &**arguments) {
        ("_||_", sides) => sides.iter().try_for_each(|side| collect(side, found)),
        ("shardRange", [field, start, end]) => {
            found.push(range(field, start, end)?);
            Ok(())
        }
        ("shardRange", other) => {
            let count = other.len();
            Err(format!("shardRange() requires exactly 3 arguments, got {count}"))
        }
        (other, _) => {
            Err(format!("unsupported function {other:?}; only shardRange() and || are allowed"))
        }
    }
}

fn range(
    field: &Expression,
    start: &Expression,
    end: &Expression,
) -> Result<(&'static str, Range), String> {
    let path = field.path().map_err(|kind| {
        format!(
            "shardRange() first argument: expected field path (e.g. object.metadata.uid), got \
             expression kind {kind}"
        )
    })?;
    let known = FIELDS.iter().find(|known| **known == path).ok_or_else(|| {
        format!("unsupported field path {path:?}; supported: {}", FIELDS.join(", "))
    })?;
    let (start_text, start) = bound(start, "hexStart")?;
    let (end_text, end) = bound(end, "hexEnd")?;
    if start >= end {
        return Err(format!("shard range start {start_text} must be less than end {end_text}"));
    }
    Ok((*known, Range { start, end, texts: [start_text, end_text] }))
}

fn bound(expression: &Expression, name: &str) -> Result<(String, u128), String> {
    let text = match expression {
        Expression::Text(text) => text,
        Expression::Literal(go_type) => {
            return Err(format!("{name} must be a string literal, got {go_type}"));
        }
        other => {
            let kind = other.kind();
            return Err(format!(
                "{name} must be a string literal (e.g. '0xff'), got expression kind {kind}"
            ));
        }
    };
    let Some(digits) = text.strip_prefix("0x") else {
        return Err(format!("{name} must have '0x' prefix, got {text:?}"));
    };
    if digits.is_empty() {
        return Err(format!("{name}: hex value is required after '0x'"));
    }
    if digits.len() > DIGITS + 1 {
        let count = digits.len();
        return Err(format!("{name}: hex value too long ({count} chars, max 17): {digits:?}"));
    }
    if let Some(other) = digits.chars().find(|c| !matches!(c, '0'..='9' | 'a'..='f')) {
        let other = other.to_string();
        return Err(format!("{name}: invalid hex character {other:?} in {text:?}"));
    }
    if digits.len() > DIGITS && text != LAST {
        return Err(format!("{name}: 17-digit hex value must be '{LAST}' (2^64), got {text:?}"));
    }
    if digits.len() < DIGITS {
        return Err(format!(
            "{name} must be a 0x-prefixed 16-digit hex value, got {text:?} (did you mean \
             \"0x{digits:0>16}\"?)"
        ));
    }
    let value = u128::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
    Ok((text.clone(), value))
}

/// Returns the 64-bit FNV-1a hash.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOWER: &str =
        "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    const UPPER: &str =
        "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

    #[test]
    fn objects_are_in_the_same_shard_as_on_a_server() {
        let (lower, upper) = (Shard::parse(LOWER).unwrap(), Shard::parse(UPPER).unwrap());
        for (uid, low) in [
            ("881db0fc-8205-4571-b7d0-a3d48fe89ca3", true),
            ("d15c17c5-d512-4dcf-a044-47e897adf095", true),
            ("ff927264-82c1-431a-8b3c-38e801bbbdcb", false),
            ("834bc5ac-6581-4af4-b83b-879b4fe802a0", false),
        ] {
            assert_eq!((lower.has(hash(uid), ""), upper.has(hash(uid), "")), (low, !low), "{uid}");
        }
        let both = Shard::parse(&format!("{LOWER} || {UPPER}")).unwrap();
        assert!(both.has(0, "") && both.has(u64::MAX, ""));
    }

    #[test]
    fn invalid_shard_is_refused() {
        for text in [
            "",
            "shardRange()",
            "shardRange(object.spec.nodeName, '0x0', '0x1')",
            "shardRange(object.metadata.uid, '0x1', '0x1')",
            "shardRange(object.metadata.uid, '0', '0x1')",
            "shardRange(object.metadata.uid, '0x0', '0x8')",
            "shardRange(object.metadata.uid, '0x000000000000000A', '0x8000000000000000')",
            "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000001')",
        ] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_expressions_are_refused() {
        for text in ["(", "!", "a(", "a.", "a||", "a[", "a&&"] {
            assert!(Shard::parse(&text.repeat(100_000)).is_err(), "{text}");
        }
    }
}
