//! Indexes over the members of a set.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use super::{AddIndex, Members, Tag};
use crate::indexer::IndexError;
use crate::informer::{GroupIndex, SharedInformer};

/// An index over the informers that a set of informers has now. They come and go: see
/// [`SelectedNamespaces`](crate::factory::SelectedNamespaces::add_index) and
/// [`Referenced`](crate::factory::Referenced::add_index).
///
/// It does not keep the set. After the set was dropped, the index has no informers.
pub struct SetIndex<K> {
    now: Box<dyn Fn() -> GroupIndex<K> + Send + Sync>,
}

impl<K> SetIndex<K> {
    /// Returns the index over the informers that the set has now.
    pub fn group(&self) -> GroupIndex<K> {
        (self.now)()
    }
}

impl<K> fmt::Debug for SetIndex<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetIndex").finish_non_exhaustive()
    }
}

impl<K, T> Members<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    /// Adds an index to all members, present and future ones.
    pub(in crate::factory) fn add_index<F, I>(
        self: &Arc<Self>,
        name: &str,
        values: F,
    ) -> Result<SetIndex<K>, IndexError>
    where
        F: Fn(&K) -> I + Clone + Send + Sync + 'static,
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let name: Arc<str> = name.into();
        let own = name.clone();
        let add: AddIndex<K> = Arc::new(move |informer: &SharedInformer<K>| {
            // Another holder of the informer, or an earlier membership, may have added it.
            let _added_before = informer.add_index(&own, values.clone());
        });
        self.add_any_index(name.clone(), add)?;
        let members = Arc::downgrade(self);
        let now = move || members.upgrade().map(|members| members.index(&name));
        Ok(SetIndex { now: Box::new(move || now().unwrap_or_else(|| GroupIndex::new(Vec::new()))) })
    }
}
