//! A list of what the server has: key, uid and version of each object.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::{sleep, timeout};

use super::comparison::{Comparison, Identity};
use crate::error::{Fault, RequestName, SourceError, Verb};
use crate::lister_watcher::{
    ListHints, ListItem, ListMetadata, ListQuery, ListerWatcher, SourceObject, Undecodable,
};
use crate::object::ObjectKey;
use crate::packer::METADATA_PANICKED;
use crate::panic::{catch, drop_safely};
use crate::reflector::guarded::{Guarded, open};
use crate::reflector::observing::{filled, is_elsewhere};
use crate::reflector::pages::Pages;
use crate::yield_budget::YieldBudget;

/// The number of objects of a page, as of lists that may read from etcd. Metadata of 5,000 pods is
/// about 15 MB in JSON.
const PAGE: u32 = 5_000;

/// The longest silence of the server.
const SILENCE: Duration = Duration::from_secs(60);

/// The pause before the next page after one that brought nearly nothing.
const PAUSE: Duration = Duration::from_secs(1);

/// Lists what the server has now, and compares it with the store.
pub(super) async fn list(
    source: &Arc<dyn ListerWatcher>,
    comparison: &mut Comparison,
) -> Result<(), SourceError> {
    let mut listing = Listing {
        request: source.collection().request_name(Verb::List),
        namespace: source.collection().namespace.clone(),
        comparison,
        pages: Pages::default(),
        items: 0,
        outside: 0,
    };
    let mut query = ListQuery { limit: Some(PAGE), ..ListQuery::default() };
    query.shard = listing.comparison.shard().cloned();
    loop {
        let metadata = listing.page(source, &query).await?;
        let Some(token) = metadata.continue_token.filter(|token| !token.is_empty()) else {
            return match metadata.remaining {
                None | Some(0) => Ok(()),
                Some(remaining) => Err(listing.error(Fault::MissingRest { remaining })),
            };
        };
        let turned = listing.pages.turn(&token, query.limit, listing.items, listing.outside);
        if !turned.map_err(|problem| listing.malformed(problem))? {
            sleep(PAUSE).await;
        }
        query.continue_token = Some(token);
    }
}

struct Listing<'c> {
    request: RequestName,
    namespace: Option<Arc<str>>,
    comparison: &'c mut Comparison,
    pages: Pages,
    items: usize,
    /// The number of objects of the page outside of the shard.
    outside: usize,
}

impl Listing<'_> {
    fn error(&self, fault: Fault) -> SourceError {
        SourceError::new(self.request.clone(), fault)
    }

    fn malformed(&self, problem: String) -> SourceError {
        self.error(Fault::Malformed { offset: 0, problem })
    }

    /// Reads one page.
    async fn page(
        &mut self,
        source: &Arc<dyn ListerWatcher>,
        query: &ListQuery,
    ) -> Result<ListMetadata, SourceError> {
        let request = self.request.clone();
        let silent = |_| SourceError::new(request.clone(), Fault::Silent(SILENCE));
        let opening = open(self.request.clone(), || source.list(query, &ListHints::none()));
        let listing = timeout(SILENCE, opening).await.map_err(silent)??;
        let mut items = Guarded::new(listing, self.request.clone());
        let (mut end, mut budget) = (None, YieldBudget::new());
        self.outside = 0;
        while let Some(item) = timeout(SILENCE, items.next()).await.map_err(silent)? {
            budget.spend(1).await;
            match item? {
                ListItem::Meta(metadata) => end = Some(metadata),
                ListItem::Object(object) => self.object(object)?,
                ListItem::Outside(_) => self.outside += 1,
            }
            let counted = self.pages.item(self.items, false);
            counted.map_err(|problem| self.malformed(problem))?;
        }
        let metadata = end.unwrap_or_default();
        let version = filled(metadata.version.clone());
        self.comparison.note_version(version.ok_or_else(|| self.error(Fault::NoVersion))?);
        Ok(metadata)
    }

    fn object(&mut self, object: Result<SourceObject, Undecodable>) -> Result<(), SourceError> {
        self.items += 1;
        match object {
            Ok(object) => {
                let read = identity(&object);
                drop_safely(object);
                let (key, identity) =
                    read.map_err(|problem| self.error(Fault::Undecodable { key: None, problem }))?;
                if is_elsewhere(&key, true, self.namespace.as_deref()) {
                    return Err(self.error(Fault::WrongNamespace(key)));
                }
                self.comparison.note(&key, identity);
            }
            Err(Undecodable { key, .. }) => self.comparison.note_unreadable(key.as_ref()),
        }
        Ok(())
    }
}

/// Reads key, uid and version of a listed object. The getter of the metadata is user code.
fn identity(object: &SourceObject) -> Result<(ObjectKey, Identity), String> {
    let identity = catch(|| Identity::of(object.cached()));
    Ok((object.key()?, identity.map_err(|_| METADATA_PANICKED.to_owned())?))
}
