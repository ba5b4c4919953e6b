//! Indexes over the members of a set.

use std::sync::Arc;

use kube::Resource;

use super::{AddIndex, Members, Tag};
use crate::indexer::IndexError;
use crate::informer::{GroupIndex, SharedInformer};

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
    ) -> Result<GroupIndex<K>, IndexError>
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
        let present = move || members.upgrade().map(|members| members.indexes_named(&name));
        Ok(GroupIndex::of_set(move || present().unwrap_or_default()))
    }
}
