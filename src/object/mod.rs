//! The values that move through the pipeline.
//!
//! Every stage takes some of these values and returns others. None of them depends on a stage.

mod cached;
mod change;
mod content;
mod digest;
mod event;
mod index_values;
pub(crate) mod key;
mod known;
mod name;
mod projection;
pub(crate) mod reach;
mod shard;
mod told;
#[cfg(test)]
mod value;
mod version;

pub use crate::collections::{ChunkedIntoIter, ChunkedVec};
pub(crate) use cached::Form;
pub use cached::{AnyObject, Cached};
pub(crate) use cached::{PassingRead, answers_of_wrapped, downcast};
pub use change::{Change, Delta, Replacement};
pub use content::ContentFilter;
pub(crate) use digest::Digest;
pub use event::{CachedEvent, Event, EventRef, ObjectEvent};
pub use index_values::IndexValues;
pub use key::{InvalidKey, ObjectKey};
pub(crate) use key::{KeyMap, KeyPositions, hash_parts, hash_str};
pub use known::{KnownChunks, KnownObjects, ObjectState};
#[doc(no_inline)]
pub use kube_decode::FieldSet;
pub use name::{InvalidName, NameRule};
pub(crate) use reach::KindReach;
pub use shard::{ShardKey, ShardSelector, ring_hash};
pub(crate) use shard::{controller, set_controller};
#[cfg(test)]
pub(crate) use value::Value;
pub use version::ResourceVersion;
#[cfg(not(any(test, feature = "testing")))]
pub(crate) use {cached::PackedObject, projection::Projection};
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use {cached::PackedObject, projection::Projection};
