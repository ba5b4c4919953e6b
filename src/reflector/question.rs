//! A question to a quorum: which version has the collection?

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::timeout;

use super::guarded::{Guarded, open};
use super::observing::{filled, is_elsewhere};
use crate::error::{Fault, SourceError, Verb};
use crate::lister_watcher::{ListHints, ListItem, ListQuery, ListerWatcher};
use crate::object::{ObjectKey, ResourceVersion};
use crate::panic::drop_safely;

/// The number of objects that an answer may have. Some servers ignore the limit of one.
const MOST_OBJECTS: u32 = 10_000;

/// Returns the version of a quorum read. Its answer counts as one of a list of everything does:
/// only when it has ended, and only if its items are of this collection.
pub(crate) async fn first_version(
    source: Arc<dyn ListerWatcher>,
    idle_timeout: Duration,
) -> Result<ResourceVersion, SourceError> {
    let request = source.collection().request_name(Verb::List);
    let namespace = source.collection().namespace.clone();
    let query = ListQuery { limit: Some(1), ..ListQuery::default() };
    let error = |fault| SourceError::new(request.clone(), fault);
    let answer = async {
        let listing = open(request.clone(), || source.list(&query, &ListHints::none())).await?;
        let mut items = Guarded::new(listing, request.clone());
        let (mut version, mut objects) = (None, 0);
        while let Some(item) = items.next().await {
            match item? {
                ListItem::Meta(metadata) => version = filled(metadata.version),
                item => {
                    objects += 1;
                    let elsewhere = elsewhere(&item, namespace.as_deref());
                    drop_safely(item);
                    if let Some(key) = elsewhere {
                        return Err(error(Fault::WrongNamespace(key)));
                    }
                }
            }
            if objects > MOST_OBJECTS {
                let problem =
                    format!("one object was requested, and more than {MOST_OBJECTS} came");
                return Err(error(Fault::Malformed { offset: 0, problem }));
            }
        }
        version.ok_or_else(|| error(Fault::NoVersion))
    };
    timeout(idle_timeout, answer).await.unwrap_or_else(|_| Err(error(Fault::Silent(idle_timeout))))
}

/// Returns the key of a listed object if it is not in the requested namespace.
fn elsewhere(item: &ListItem, requested: Option<&str>) -> Option<ObjectKey> {
    let ListItem::Object(Ok(object)) = item else { return None };
    let key = object.key().ok()?;
    is_elsewhere(&key, true, requested).then_some(key)
}
