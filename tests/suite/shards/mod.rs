//! Shards of a collection, over the wire: several sources, each with a part of the ring.

mod answers;
mod fake_source;
mod together;

use std::time::Duration;

use futures::StreamExt;
use kube::Resource;
use kube_informer::lister_watcher::{
    ListHints, ListItem, ListMetadata, ListQuery, ListerWatcher, SourceObject, Undecodable,
    WatchItem, WatchQuery,
};
use kube_informer::object::{ResourceVersion, ShardKey, ShardSelector};
use kube_informer::{ObjectKey, SourceError};

const KEYS: [ShardKey; 4] =
    [ShardKey::Uid, ShardKey::Namespace, ShardKey::Name, ShardKey::ControllerUid];

/// Returns whether servers can select by this field.
fn is_selectable(key: ShardKey) -> bool {
    matches!(key, ShardKey::Uid | ShardKey::Namespace)
}

/// Returns equal parts of the ring, which are the whole ring together.
fn parts(key: ShardKey, count: u64) -> Vec<ShardSelector> {
    let width = u64::MAX / count;
    let part = |n: u64| {
        let end = if n + 1 == count { u64::MAX } else { (n + 1) * width - 1 };
        ShardSelector::new(key, [n * width..=end])
    };
    (0..count).map(part).collect()
}

/// Returns the key and version of an object.
fn state<K: Resource + Send + Sync + 'static>(
    object: Result<SourceObject<K>, Undecodable>,
) -> String {
    match object {
        Ok(object) => {
            let object = object.into_decoded().expect("nothing was known");
            let version = object.meta().resource_version.as_deref().unwrap_or("none");
            let key =
                ObjectKey::of(&object).map_or_else(|_| "nameless".into(), |key| key.to_string());
            format!("{key} {version}")
        }
        Err(undecodable) => {
            let key = undecodable.key.map(|key| key.to_string());
            format!("undecodable {}", key.as_deref().unwrap_or("object"))
        }
    }
}

/// Lists all pages. Returns the objects, and the metadata of the last page.
async fn list<K, S>(
    source: &S,
    mut query: ListQuery,
) -> Result<(Vec<String>, ListMetadata), SourceError>
where
    K: Resource + Send + Sync + 'static,
    S: ListerWatcher<K>,
{
    let mut states = vec![];
    loop {
        let mut items = source.list(&query, &ListHints::none()).await?;
        let mut last = None;
        while let Some(item) = items.next().await {
            match item? {
                ListItem::Object(object) => states.push(state(object)),
                ListItem::Outside(_) => {}
                ListItem::Meta(metadata) => last = Some(metadata),
            }
        }
        let metadata = last.expect("a list has metadata");
        query.continue_token.clone_from(&metadata.continue_token);
        if query.continue_token.is_none() {
            return Ok((states, metadata));
        }
    }
}

/// The items of a watch.
#[derive(Debug, Default)]
struct Watched {
    /// The events, each with its type.
    events: Vec<String>,
    /// The keys, if given, and versions of objects outside.
    outside: Vec<String>,
    bookmarks: usize,
    skipped: Vec<String>,
}

impl Watched {
    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a String> {
        self.events.iter().filter(move |event| event.starts_with(kind))
    }
}

/// Watches until the watch ends.
async fn watch<K, S>(source: &S, query: &WatchQuery) -> Result<Watched, SourceError>
where
    K: Resource + Send + Sync + 'static,
    S: ListerWatcher<K>,
{
    let mut watched = Watched::default();
    let mut items = source.watch(query, &ListHints::none()).await?;
    while let Some(item) = items.next().await {
        match item? {
            WatchItem::Added(object) => watched.events.push(format!("added {}", state(object))),
            WatchItem::Modified(object) => {
                watched.events.push(format!("modified {}", state(object)));
            }
            WatchItem::Deleted(object) => watched.events.push(format!("deleted {}", state(object))),
            WatchItem::Bookmark { .. } => watched.bookmarks += 1,
            WatchItem::Outside { key, version } => {
                let key = key.map_or_else(|| "-".to_owned(), |key| key.to_string());
                watched.outside.push(format!("{key} {}", version.expect("a version")));
            }
            WatchItem::Failed(error) => return Err(error),
            WatchItem::Skipped(error) => watched.skipped.push(error.to_string()),
        }
    }
    Ok(watched)
}

fn listing(shard: Option<&ShardSelector>) -> ListQuery {
    let mut query = ListQuery::default();
    query.shard = shard.cloned();
    query
}

/// Returns the query of a watch that lasts a second.
fn watching(version: impl Into<ResourceVersion>, shard: Option<&ShardSelector>) -> WatchQuery {
    let mut query = WatchQuery::new(Duration::from_secs(1));
    query.version = Some(version.into());
    query.shard = shard.cloned();
    query
}

fn sorted(mut states: Vec<String>) -> Vec<String> {
    states.sort();
    states
}
