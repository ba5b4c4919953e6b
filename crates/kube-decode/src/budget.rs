//! A memory limit for one decoded object, enforced before the object is built.
//!
//! A few bytes can encode a large value: an empty volume is two bytes in protobuf and three
//! kilobytes as a `Volume`. Every element of a list, entry of a map, boxed value and text is
//! therefore charged to a budget before it is built, by the size of its Rust type. If the budget
//! runs out, decoding fails.
//!
//! The charge is an estimate. A type that buffers its input first is charged for the buffer, but
//! not for the value that it builds from it: `#[serde(flatten)]`, and untagged and internally
//! tagged enums.

use std::cell::Cell;

use super::error::{Error, Result};

/// The default memory limit of one decoded object, in bytes.
pub const MEMORY_LIMIT: usize = 64 * 1024 * 1024;

/// The overhead of a text beside its bytes.
const TEXT: usize = 16;

/// The overhead of an element in a node of its own: two pointers, and that of the allocator.
const POINTERS: usize = 32;

/// The number of entries in a B-tree node.
const NODE: usize = 11;

/// The largest size of a value of a tree, in bytes.
const SMALL: usize = 64;

/// The largest vector that serde allocates because of a size hint, in bytes.
const HINTED: usize = 1024 * 1024;

thread_local! {
    /// The charge of the last value that was decoded on this thread, in bytes.
    static CHARGED: Cell<usize> = const { Cell::new(0) };
}

/// Runs a function that decodes one value. Also returns the memory that the value takes, in bytes,
/// without the size of its own type. Zero if nothing was decoded.
pub fn charged<T>(decode: impl FnOnce() -> T) -> (T, usize) {
    CHARGED.set(0);
    let decoded = decode();
    (decoded, CHARGED.get())
}

/// Runs a function that decodes a value which nobody keeps: it is not part of what [`charged`]
/// returns.
pub fn uncharged<T>(decode: impl FnOnce() -> T) -> T {
    let before = CHARGED.get();
    let decoded = decode();
    CHARGED.set(before);
    decoded
}

/// The memory that decoding may still take.
#[derive(Debug)]
pub(super) struct Budget {
    all: usize,
    left: Cell<usize>,
    exceeded: Cell<bool>,
}

impl Drop for Budget {
    fn drop(&mut self) {
        CHARGED.set(self.all - self.left.get());
    }
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self { all: bytes, left: Cell::new(bytes), exceeded: Cell::new(false) }
    }

    /// Returns whether a charge was refused.
    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    #[inline]
    pub(super) fn charge(&self, bytes: usize) -> Result<()> {
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return Ok(());
        }
        Err(self.refuse())
    }

    /// Charges these bytes, unless they exceed the budget. Returns whether it did.
    pub(super) fn try_charge(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(self.left.get()));
        left.is_some()
    }

    /// Returns the number of bytes that decoding may still take.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// Creates the error of a refused charge.
    #[cold]
    pub(super) fn refuse(&self) -> Error {
        self.exceeded.set(true);
        Error::nowhere("the object exceeds the memory limit")
    }

    /// Charges a text of this many bytes, which may be copied.
    #[inline]
    pub(super) fn charge_text(&self, bytes: usize) -> Result<()> {
        self.charge(text_size(bytes))
    }

    /// Charges a vector of elements of `size` bytes, before the first one is built.
    pub(super) fn charge_vec(&self, size: usize, elements: usize) -> Result<()> {
        self.charge(vec_size(size, elements))
    }

    /// Charges the growth of a vector of unknown length that is full, and returns its new capacity.
    pub(super) fn charge_growth(&self, size: usize, capacity: usize) -> Result<usize> {
        let grown = capacity.saturating_mul(2).max(4);
        self.charge((grown - capacity).saturating_mul(size))?;
        Ok(grown)
    }
}

/// Returns the charge of the next elements of a list that is no vector, and the number of elements
/// that it pays for. Each may lie in a node of its own, or in one of a B-tree or hash table.
pub(super) fn node_size(size: usize, taken: usize) -> (usize, usize) {
    match (size, taken) {
        // They are counted or passed over.
        (0, _) => (0, usize::MAX - taken),
        (_, 0) => (size.saturating_add(POINTERS).saturating_mul(NODE), NODE),
        _ => (size.saturating_add(POINTERS).saturating_mul(2), 1),
    }
}

/// Returns whether a visitor whose result has a type of this name keeps a list in a vector.
#[inline]
pub(super) fn is_vector(name: &str) -> bool {
    name.starts_with("alloc::vec::Vec<")
        || name == "serde_json::value::Value"
        // The buffer of serde's derived code, with or without its lifetime.
        || name.ends_with("::Content")
        || name.ends_with("::Content<'_>")
}

/// Returns the charge of a text of this many bytes.
#[inline]
pub(super) fn text_size(bytes: usize) -> usize {
    bytes.saturating_add(TEXT)
}

/// Returns the charge of a vector of elements of `size` bytes.
pub(super) fn vec_size(size: usize, elements: usize) -> usize {
    // Types that keep any tree grow their vectors by doubling, from four on.
    let exact = if size > SMALL { elements } else { elements.max(4).next_power_of_two() };
    // Serde allocates a larger vector in steps, each twice as large.
    let mut capacity = exact.min((HINTED / size.max(1)).max(1));
    while capacity < elements {
        capacity = capacity.saturating_mul(2);
    }
    capacity.saturating_mul(size)
}

/// Returns the charge of all entries of a map together. Each has a key and a value of `size` bytes.
pub(super) fn map_size(size: usize, entries: usize) -> usize {
    let nodes = NODE.saturating_add(entries.saturating_sub(NODE).saturating_mul(2));
    if entries == 0 { 0 } else { nodes.saturating_mul(size) }
}

/// The most bytes of memory that a byte of a tree's JSON becomes.
pub(super) const LARGEST_TREE: usize = (NODE + 2) * TREE_ENTRY + 2;

/// The size of an entry of a tree, in bytes.
const TREE_ENTRY: usize = size_of::<(String, serde_json::Value)>();

/// Returns the most bytes of memory that a tree with this JSON takes: one with a B-tree node for
/// each map, and with room for twice as many values as there are. Also returns the most lists and
/// maps that it can have.
pub(super) fn largest_tree(json: &[u8]) -> (usize, usize) {
    let (mut maps, mut lists, mut commas) = (0_usize, 0_usize, 0_usize);
    // In pieces whose counts fit a byte, so that the compiler counts many bytes at once.
    for piece in json.chunks(usize::from(u8::MAX)) {
        let mut counts = [0_u8; 3];
        for byte in piece {
            counts[0] += u8::from(*byte == b'{');
            counts[1] += u8::from(*byte == b'[');
            counts[2] += u8::from(*byte == b',');
        }
        maps += usize::from(counts[0]);
        lists += usize::from(counts[1]);
        commas += usize::from(counts[2]);
    }
    // A short text has a small allocation of its own.
    let entries = (maps + 1).saturating_mul(NODE + 1);
    let values = (commas + lists + 1).saturating_mul(2);
    let most = entries.saturating_add(values).saturating_mul(TREE_ENTRY);
    (most.saturating_add(json.len().saturating_mul(2)), maps + lists)
}

/// The charges of a map as its B-tree grows.
#[derive(Debug, Default)]
pub(super) struct MapCharge {
    count: usize,
}

impl MapCharge {
    /// Charges the next entry, whose key and value take `size` bytes.
    #[inline]
    pub(super) fn next(&mut self, budget: &Budget, size: usize) -> Result<()> {
        // Nodes are at least half full.
        let entries = if self.count == 0 { NODE } else { 2 * usize::from(self.count >= NODE) };
        self.count += 1;
        budget.charge(entries.saturating_mul(size))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet, LinkedList, VecDeque};

    use k8s_openapi::api::core::v1::{ConfigMap, Pod};
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use super::*;
    use crate::node::from_json_within;

    /// Returns the number of bytes charged for the value of a JSON text.
    fn charged<K: DeserializeOwned>(text: &str) -> usize {
        let (read, budget) = from_json_within::<K>(text.as_bytes(), usize::MAX);
        read.unwrap();
        usize::MAX - budget.left()
    }

    fn fits<K: DeserializeOwned>(text: &str, limit: usize) -> bool {
        let (read, budget) = from_json_within::<K>(text.as_bytes(), limit);
        assert_eq!(read.is_err(), budget.is_exceeded());
        read.is_ok()
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only its size matters")]
    enum Choice {
        Unit,
        One(Box<[u64; 32]>),
        Two(u8, Box<[u64; 32]>),
        Named { a: Box<[u64; 32]> },
    }

    #[test]
    fn value_that_nobody_keeps_is_not_charged() {
        let decode = |text: &str| from_json_within::<Value>(text.as_bytes(), usize::MAX).0.unwrap();
        let (_, kept) = super::charged(|| {
            uncharged(|| decode("[1,2,3]"));
            decode("[1]")
        });
        let (_, last) = super::charged(|| {
            decode("[1]");
            uncharged(|| decode("[1,2,3]"))
        });
        assert_ne!(kept, 0);
        assert_eq!(last, kept);
    }

    #[test]
    fn vector_is_charged_at_its_size() {
        assert_eq!(charged::<Vec<u64>>("[]"), 24);
        assert_eq!(charged::<Vec<u64>>("[1]"), 24 + 4 * 8);
        assert_eq!(charged::<Vec<u64>>("[1,2,3,4,5]"), 24 + 8 * 8);
        assert_eq!(charged::<Vec<String>>(r#"["abc"]"#), 24 + 4 * 24 + 3 + TEXT);
        assert_eq!(charged::<Vec<Pod>>("[{},{},{}]"), 24 + 3 * size_of::<Pod>());
        assert_eq!(charged::<[u64; 2]>("[1,2]"), 16);
    }

    #[test]
    fn other_lists_are_charged_for_their_nodes() {
        let bytes: Vec<_> = (0..100_u8).collect();
        let text = serde_json::to_string(&bytes).unwrap();
        // An allocation of two pointers and a byte takes 32 bytes.
        for charged in [
            charged::<LinkedList<u8>>(&text),
            charged::<BTreeSet<u8>>(&text),
            charged::<HashSet<u8>>(&text),
            charged::<VecDeque<u8>>(&text),
        ] {
            assert!((100 * 32..100 * 80).contains(&charged), "{charged}");
        }
        // The first element allocates a whole node of a B-tree.
        assert!(charged::<BTreeSet<[u64; 32]>>(&format!("[{:?}]", [1; 32])) > NODE * 256);
        assert!(!fits::<LinkedList<u8>>(&text, 1000));
    }

    #[test]
    fn map_is_charged_by_its_nodes() {
        let one = charged::<BTreeMap<String, u64>>(r#"{"a":1}"#);
        assert_eq!(one, 24 + NODE * 32 + 1 + TEXT);
        let many: BTreeMap<String, u64> = (0..100).map(|n| (format!("{n:03}"), n)).collect();
        let many = charged::<BTreeMap<String, u64>>(&serde_json::to_string(&many).unwrap());
        assert_eq!(many, 24 + NODE * 32 + 89 * 2 * 32 + 100 * (3 + TEXT));
    }

    #[test]
    fn fields_are_free_and_boxes_are_charged() {
        let empty = charged::<Pod>("{}");
        assert_eq!(empty, size_of::<Pod>());
        assert_eq!(charged::<Pod>(r#"{"spec":{"containers":[]},"status":{}}"#), empty);
        let schema = r#"{"not":{"not":{}}}"#;
        assert_eq!(charged::<JSONSchemaProps>(schema), 3 * size_of::<JSONSchemaProps>());
        for choice in [r#"{"One":[]}"#, r#"{"Two":[1,[]]}"#, r#"{"Named":{"a":[]}}"#] {
            assert!(!fits::<Choice>(&choice.replace("[]", &format!("{:?}", [1; 32])), 200));
        }
        assert!(fits::<Choice>(r#""Unit""#, 200));
    }

    #[test]
    fn skipped_values_are_free() {
        let text = format!(r#"{{"unknown":[{}1]}}"#, "1,".repeat(1000));
        assert_eq!(charged::<ConfigMap>(&text), size_of::<ConfigMap>());
        assert!(charged::<Value>(&text) > 32 * 1000);
    }

    #[test]
    fn exceeded_budget_is_an_error() {
        let text = format!("[{}{{}}]", "{},".repeat(9999));
        assert!(fits::<Vec<Pod>>(&text, 2 * 16384 * size_of::<Pod>()));
        assert!(!fits::<Vec<Pod>>(&text, 9999 * size_of::<Pod>()));
        assert!(!fits::<Pod>("{}", 0));
    }
}
