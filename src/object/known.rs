//! The questions that go against the stream.
//!
//! A relist must make deletes visible, so somebody has to say which keys are known; and it need not
//! decode nor tell again what has not changed, so somebody has to say which version is known. The
//! store answers through this trait, and through nothing else.

use super::{Cached, ObjectKey};

/// What is known of a collection at one moment.
pub trait KnownObjects<K>: Send + Sync {
    /// The object of this key, if it is known.
    fn get(&self, key: &ObjectKey) -> Option<Cached<K>>;

    /// Shows each known object once, in no particular order, all as of one moment.
    fn for_each(&self, visit: &mut dyn FnMut(&ObjectKey, &Cached<K>));

    /// As [`for_each`](Self::for_each), in chunks, for who lets others work in between. What is not
    /// changed meanwhile is shown once. Unless implemented, all is one chunk.
    fn chunks(&self) -> Box<dyn KnownChunks<K> + '_> {
        Box::new(WholeChunk(Some(self)))
    }

    /// The known object that is in this very state, with its key: uid and version both equal. None
    /// where the server is known to have a newer state of it that could not be decoded.
    ///
    /// Who asks need not decode the object. Unless implemented, nothing is known so well.
    fn unchanged(&self, state: &ObjectState<'_>) -> Option<(ObjectKey, Cached<K>)> {
        let _ = state;
        None
    }
}

/// The known objects, in chunks.
pub trait KnownChunks<K>: Send {
    /// Shows the objects of the next chunk; `false`: there was none left.
    fn next(&mut self, visit: &mut dyn FnMut(&ObjectKey, &Cached<K>)) -> bool;
}

/// All known objects, as one chunk.
struct WholeChunk<'a, S: ?Sized>(Option<&'a S>);

impl<K, S: KnownObjects<K> + ?Sized> KnownChunks<K> for WholeChunk<'_, S> {
    fn next(&mut self, visit: &mut dyn FnMut(&ObjectKey, &Cached<K>)) -> bool {
        self.0.take().map(|known| known.for_each(visit)).is_some()
    }
}

/// What an object says of itself before it is decoded: which object it is, and in which state.
///
/// One uid is one object for all time, and a version of it is one state. The same version under
/// another uid is another object's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectState<'a> {
    /// The namespace, `None` of a cluster-scoped object.
    pub namespace: Option<&'a str>,
    /// The name.
    pub name: &'a str,
    /// `metadata.uid`, never empty.
    pub uid: &'a str,
    /// `metadata.resourceVersion`, never empty.
    pub version: &'a str,
}
