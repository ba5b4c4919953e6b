//! The objects of a [`FakeSource`](super::FakeSource), as it sends them.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use futures::{StreamExt, stream};
use kube::Resource;

use super::shard;
use crate::error::{Fault, RequestName, SourceError, Verb};
use crate::lister_watcher::{
    Collection, ListItem, ListMetadata, ListQuery, ListStream, SourceForm, SourceObject,
    Undecodable, WatchItem, WatchQuery,
};
use crate::object::{Cached, Digest, ObjectKey, ResourceVersion, ShardSelector};

/// The objects of a list or of initial events. They are read without the lock, because their
/// clones and their metadata are user code.
pub(super) struct Objects<K> {
    pub(super) by_key: BTreeMap<ObjectKey, Arc<K>>,
    pub(super) version: u64,
    pub(super) poisoned: HashSet<ObjectKey>,
    /// The key after which a page begins.
    pub(super) start: Option<String>,
    pub(super) nameless: bool,
}

impl<K: Resource + Clone + Send + Sync + 'static> Objects<K> {
    /// Returns a page of a list.
    pub(super) fn page(&self, query: &ListQuery, at: &Collection) -> ListStream<K> {
        let Self { by_key, version, start, .. } = self;
        let request = at.request_name(Verb::List);
        let rest = by_key.iter().filter(|(key, object)| {
            start.as_deref() < Some(key.as_str())
                && shard::is_selected(query.shard.as_ref(), &***object)
        });
        let paged = query.version != Some(ResourceVersion::ANY);
        let limit = query.limit.filter(|_| paged).map_or(usize::MAX, |limit| limit as usize);
        let mut rest = rest.peekable();
        let mut items = Vec::new();
        let mut last = String::new();
        while items.len() < limit
            && let Some((key, object)) = rest.next()
        {
            last = key.to_string();
            let poisoned = self.poisoned.contains(key);
            let object = decoded(object, key, poisoned, request.clone());
            items.push(Ok(ListItem::Object(object)));
        }
        let more = rest.peek().is_some();
        if self.nameless && !query.shard.as_ref().is_some_and(ShardSelector::is_empty) {
            let problem = "nameless".to_owned();
            let error = SourceError::new(request, Fault::Undecodable { key: None, problem });
            let undecodable = Undecodable { key: None, version: None, error };
            items.push(Ok(ListItem::Object(Err(undecodable))));
        }
        let metadata = ListMetadata {
            version: Some((*version).into()),
            continue_token: more.then(|| format!("{version}:{last}")),
            remaining: more.then(|| rest.count() as u64),
            sharded: false,
        };
        items.push(Ok(ListItem::Meta(metadata)));
        stream::iter(items).boxed()
    }

    /// Returns the initial events of a streaming list.
    pub(super) fn initial(&self, query: &WatchQuery, at: &Collection) -> VecDeque<WatchItem<K>> {
        let item = |(key, object): (&ObjectKey, &Arc<K>)| {
            let outside = shard::outside(query.shard.as_ref(), &**object);
            outside.unwrap_or_else(|| {
                let (poisoned, request) =
                    (self.poisoned.contains(key), at.request_name(Verb::Watch));
                WatchItem::Added(decoded(object, key, poisoned, request))
            })
        };
        self.by_key.iter().map(item).collect()
    }
}

/// Returns a copy of an object, as a source decodes it.
pub(super) fn decoded<K: Resource + Clone + Send + Sync + 'static>(
    object: &Arc<K>,
    key: &ObjectKey,
    poisoned: bool,
    request: RequestName,
) -> Result<SourceObject<K>, Undecodable> {
    if poisoned {
        let (key, problem) = (Some(key.clone()), "poisoned".to_owned());
        let version = object.meta().resource_version.as_deref().map(Into::into);
        let error = SourceError::new(request, Fault::Undecodable { key: key.clone(), problem });
        return Err(Undecodable { key, version, error });
    }
    // No state is dropped before the source, so the address of a state identifies it.
    let digest = Digest::of(&Arc::as_ptr(object).addr().to_ne_bytes());
    let copy = Cached::any(Arc::new(K::clone(object))).with_digest(Some(digest));
    Ok(SourceForm::Decoded(copy).into())
}
