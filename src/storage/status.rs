//! One look at a storage that packs.

use super::PackError;

/// What is packed, and how well reads do without unpacking.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StorageStatus {
    /// How many packed objects there are: in the store, in queues and backlogs, and with users.
    pub objects: usize,
    /// How many bytes they take, packed.
    pub bytes: usize,
    /// How many objects are held unpacked.
    pub hot_objects: usize,
    /// How many bytes these take, by estimate.
    pub hot_bytes: usize,
    /// How many reads found the object unpacked.
    pub hits: u64,
    /// How many unpacked it.
    pub misses: u64,
    /// How many objects came that could not be packed and are kept decoded.
    pub kept_decoded: u64,
    /// How many packed objects could not be unpacked when they were read. They are missing from what
    /// was asked.
    pub unreadable: u64,
    /// Why every object is kept decoded, if so.
    pub refused: Option<PackError>,
}
