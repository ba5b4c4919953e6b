//! The two questions that go against the stream.
//!
//! A relist must make deletes visible, so somebody has to say which keys are known; and it need not
//! tell again what has not changed, so somebody has to say which version is known. The store
//! answers through this trait, and through nothing else.

use std::sync::Arc;

use super::ObjectKey;

/// What is known of a collection at one moment.
pub trait KnownObjects<K>: Send + Sync {
    /// The object of this key, if it is known.
    fn get(&self, key: &ObjectKey) -> Option<Arc<K>>;

    /// Shows each known object once, in no particular order, all as of one moment.
    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Arc<K>));
}
