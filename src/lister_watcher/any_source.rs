//! A source of one type as a source of any, for the pipeline.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use kube::core::{DynamicObject, PartialObjectMeta};

use super::{
    Collection, ListHints, ListItem, ListQuery, ListStream, ListerWatcher, WatchItem, WatchQuery,
    WatchStream,
};
use crate::error::SourceError;
use crate::object::InvalidName;

/// A source of one type.
pub(crate) struct AnySource<K>(pub(crate) Arc<dyn ListerWatcher<K>>);

impl<K: Send + Sync + 'static> ListerWatcher for AnySource<K> {
    fn collection(&self) -> &Collection {
        self.0.collection()
    }

    fn is_narrowed(&self) -> bool {
        self.0.is_narrowed()
    }

    fn keeps_managed_fields(&self, manager: &str) -> bool {
        self.0.keeps_managed_fields(manager)
    }

    fn invalid_name(&self) -> Option<InvalidName> {
        self.0.invalid_name()
    }

    fn request(&self) -> Option<(String, Option<String>)> {
        self.0.request()
    }

    fn metadata(&self) -> Option<Arc<dyn ListerWatcher<PartialObjectMeta<DynamicObject>>>> {
        self.0.metadata()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream, SourceError>> {
        let items = self.0.list(query, hints);
        items.map(|items| Ok(cast_list(items?))).boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream, SourceError>> {
        let events = self.0.watch(query, hints);
        events.map(|events| Ok(cast_watch(events?))).boxed()
    }
}

/// Returns the same list with another type of objects.
pub(crate) fn cast_list<K: ?Sized + 'static, L: ?Sized + 'static>(
    items: ListStream<K>,
) -> ListStream<L> {
    items.map(|item| item.map(ListItem::cast)).boxed()
}

/// Returns the same watch with another type of objects.
pub(crate) fn cast_watch<K: ?Sized + 'static, L: ?Sized + 'static>(
    events: WatchStream<K>,
) -> WatchStream<L> {
    events.map(|event| event.map(WatchItem::cast)).boxed()
}
