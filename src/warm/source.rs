//! The source of an informer whose first list may rest on kept objects.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::core::{DynamicObject, PartialObjectMeta};
use tokio::time::{sleep, timeout};

use super::WarmError;
use super::kept::{Kept, MOVED};
use super::resume::{LIMIT, resume};
use crate::error::SourceError;
use crate::lister_watcher::{
    Collection, ListHints, ListQuery, ListStream, ListerWatcher, WatchQuery, WatchStream,
};
use crate::object::{InvalidName, KnownObjects, ResourceVersion};

/// The first pause before the cluster's mark is requested again. Each is twice as long as the last.
///
/// A list without the kept objects would not show what was deleted, and no later one does.
const MARK_PAUSE: Duration = Duration::from_millis(250);

/// A source that answers the first list from kept objects, if it can prove them.
pub(crate) struct WarmSource(pub(crate) Arc<Kept>);

impl ListerWatcher for WarmSource {
    fn collection(&self) -> &Collection {
        self.0.source.collection()
    }

    fn is_narrowed(&self) -> bool {
        self.0.source.is_narrowed()
    }

    fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.0.source.keeps_managed_fields(manager)
    }

    fn invalid_name(&self) -> Option<InvalidName> {
        self.0.source.invalid_name()
    }

    fn metadata(&self) -> Option<Arc<dyn ListerWatcher<PartialObjectMeta<DynamicObject>>>> {
        self.0.source.metadata()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream, SourceError>> {
        if self.0.is_consumed() {
            return self.0.source.list(query, hints);
        }
        let begins = query.continue_token.is_none()
            && query.version.as_ref().is_none_or(|version| *version == ResourceVersion::ANY);
        let (kept, mut query, mut hints) = (self.0.clone(), query.clone(), hints.clone());
        async move {
            if begins {
                kept.used.store(false, Relaxed);
                if kept.is_moved() && kept.provisional().is_some() {
                    kept.give_up(&*WarmError::from(MOVED));
                }
                // A store that blocks must not hold up the list, nor a server that does not show
                // the cluster's mark.
                let (mut pause, packer) = (MARK_PAUSE, hints.packs().cloned());
                let loading = async {
                    while !kept.load(packer.clone(), query.shard.clone()).await {
                        sleep(pause).await;
                        pause *= 2;
                    }
                };
                let _late = timeout(LIMIT, loading).await;
                // A proof that took too long for the list's timeout is not tried again.
                if let Some(provisional) = kept.provisional()
                    && !kept.proving.swap(true, Relaxed)
                {
                    let proved =
                        resume(&kept.source, &provisional, query.shard.as_ref(), &hints).await;
                    kept.proving.store(false, Relaxed);
                    if let Some(stream) = proved {
                        kept.used.store(true, Relaxed);
                        return Ok(stream);
                    }
                }
                if kept.is_unopened() || kept.provisional().is_some() {
                    // Any version may be older than the kept objects, and so lack some that exist.
                    query.version = None;
                }
            }
            if let Some(provisional) = kept.provisional()
                && provisional.trusted.load(Relaxed)
            {
                kept.used.store(true, Relaxed);
                hints = hints.known(Arc::new(provisional.objects.clone()) as Arc<dyn KnownObjects>);
            }
            kept.source.list(&query, &hints).await
        }
        .boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream, SourceError>> {
        self.0.source.watch(query, hints)
    }
}
