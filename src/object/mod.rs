//! The values that move through the pipeline.
//!
//! Every stage takes some of these values and returns others. None of them depends on a stage.

mod cached;
mod change;
mod event;
mod field_set;
mod index_values;
mod key;
mod known;
mod scope;
mod shard;
mod version;

pub use cached::{Cached, PackedObject};
pub use change::{Change, Delta, Replacement};
pub use event::{CachedEvent, Event, EventRef, ObjectEvent};
pub use field_set::FieldSet;
pub(crate) use field_set::Wanted;
pub use index_values::IndexValues;
pub(crate) use index_values::{IndexExtractor, NotEnough};
pub use key::{InvalidKey, ObjectKey};
pub(crate) use key::{KeyPositions, hash_parts, hash_str};
pub use known::{KnownChunks, KnownObjects, ObjectState};
pub(crate) use scope::KindScope;
pub use shard::{ShardKey, ShardSelector, ring_hash};
pub use version::{IncomparableVersion, ResourceVersion};
