//! The values that move through the pipeline, and nothing that moves them.
//!
//! Every stage takes some of these and gives others; none of them knows a stage.

mod cached;
mod change;
mod encoded;
mod event;
mod field_set;
mod filed;
mod key;
mod known;
mod places;
pub(crate) mod seconds;
mod version;

pub use cached::{AsDecoded, Cached, Pack, PackedObject};
pub use change::{Change, Delta, Replacement};
pub use encoded::{Arrived, Encoded, ObjectEncoding};
pub use event::{CachedEvent, Event};
pub use field_set::FieldSet;
pub(crate) use field_set::Wanted;
pub use filed::Filed;
pub(crate) use filed::{Filing, NotEnough};
pub use key::{InvalidKey, ObjectKey};
pub(crate) use key::{hash_parts, hash_str};
pub use known::{KnownObjects, KnownParts, ObjectState};
pub(crate) use places::Places;
pub use version::{IncomparableVersion, ResourceVersion};
