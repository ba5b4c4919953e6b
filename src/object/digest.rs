//! A digest of an object's encoded form, which shows that two copies are one state.

use std::hash::BuildHasher;
use std::num::NonZeroU64;
use std::sync::LazyLock;

/// The hash function of this process. Its seed is random, so that no server can choose contents
/// that collide.
static HASHER: LazyLock<foldhash::quality::RandomState> = LazyLock::new(Default::default);

/// A digest of the bytes that an object was decoded from.
///
/// Equal bytes have equal digests. Different bytes have equal digests with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(NonZeroU64);

impl Digest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(NonZeroU64::new(HASHER.hash_one(bytes)).unwrap_or(NonZeroU64::MIN))
    }

    /// Returns the digest of the same bytes as an object of another version.
    pub(crate) fn in_version(self, version: &str) -> Self {
        Self(NonZeroU64::new(HASHER.hash_one((self.0, version))).unwrap_or(NonZeroU64::MIN))
    }
}
