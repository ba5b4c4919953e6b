//! `shardSelector`: a part of a collection, by the hash of a field.
//!
//! A shard is a half-open range of the 64-bit FNV-1a hash space.

use crate::testing::api_server::failure::Failure;

const FIELDS: [&str; 2] = ["object.metadata.uid", "object.metadata.namespace"];

/// A shard: the objects in any of the ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// The text of the request, which the response repeats.
    pub(crate) text: String,
    ranges: Vec<Range>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    by_uid: bool,
    start: u128,
    end: u128,
}

impl Shard {
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let ranges: Option<Vec<Range>> = text.split("||").map(Range::parse).collect();
        let invalid = || Failure::bad_request(format!("invalid shardSelector: {text:?}"));
        Ok(Self { text: text.to_owned(), ranges: ranges.ok_or_else(invalid)? })
    }

    /// Returns whether an object is in the shard, by the hash of its uid and its namespace.
    pub(crate) fn has(&self, uid: u64, namespace: &str) -> bool {
        self.ranges.iter().any(|range| {
            let hash = u128::from(if range.by_uid { uid } else { hash(namespace) });
            (range.start..range.end).contains(&hash)
        })
    }
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix("shardRange(")?.strip_suffix(')')?;
        let [field, start, end] = inner.split(',').map(str::trim).collect::<Vec<_>>()[..] else {
            return None;
        };
        let number = |text: &str| {
            let quoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
            let digits = quoted('\'').or_else(|| quoted('"'))?.strip_prefix("0x")?;
            u128::from_str_radix(digits, 16).ok().filter(|number| *number <= 1 << 64)
        };
        let at = FIELDS.iter().position(|known| *known == field)?;
        let (start, end) = (number(start)?, number(end)?);
        (start < end).then_some(Self { by_uid: at == 0, start, end })
    }
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
            "shardRange(object.metadata.uid, '0x0', '0x10000000000000001')",
        ] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }
}
