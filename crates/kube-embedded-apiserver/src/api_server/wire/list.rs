//! Responses to lists, whose bodies are created in pieces while they are read.

use std::sync::Arc;

use futures::future::join_all;
use futures::{StreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};

use super::body::ResponseBody;
use super::form::{Encoding, Form, PIECE, data, streamed};
use super::state::Server;
use super::{protobuf, table, written};
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;
use crate::api_server::verbs::list::{self, ListQuery, Page};
use crate::api_server::webhooks;

/// Answers a list, or a delete of a collection with the objects that were deleted.
pub(super) fn respond(
    resource: Arc<ResourceType>,
    query: &ListQuery,
    page: Page,
    form: Form,
    encoding: Encoding,
) -> Response<ResponseBody> {
    let Page { mut metadata, items } = page;
    if matches!(form, Form::Row(_) | Form::Metadata) && metadata["continue"] == "" {
        // They have Go types of their own, which leave out empty members.
        metadata.as_object_mut().map(|members| members.remove("continue"));
    }
    // Only lists that have a Go type of their own name the shard.
    let names_shard = form == Form::Item;
    if let Some(shard) = query.selection.shard.as_ref().filter(|_| names_shard) {
        metadata["shardInfo"] = json!({ "selector": shard.to_string() });
    }
    streamed_list(resource, &metadata, items, form, encoding)
}

/// Returns the page that a query asks for, whose objects have their form in the version of the
/// request.
pub(super) async fn page(
    server: &Server,
    resource: &Arc<ResourceType>,
    query: &ListQuery,
) -> Result<Page, Failure> {
    let (webhooks, cached) = (&server.webhooks, server.caches(resource));
    let now = server.store.lock().revision;
    if cached {
        webhooks.catch_up(&server.store, resource, query.version).await;
    }
    let (mut page, cached) = {
        let store = server.store.lock();
        let position = if cached { cached_state(&store, resource, query, now)? } else { None };
        let newest = position.unwrap_or(store.revision);
        (list::page(&store, resource, query, newest)?, position.is_some())
    };
    let items = std::mem::take(&mut page.items);
    let read = items.into_iter().map(|stored| async {
        let read = if cached {
            webhooks.cached(resource, &stored).await
        } else {
            webhooks.read(resource, stored.clone()).await
        };
        read.map_err(|problem| (stored, problem))
    });
    let mut failed = Vec::new();
    for read in join_all(read).await {
        match read {
            Ok(seen) => page.items.push(seen),
            Err(problem) => failed.push(problem),
        }
    }
    webhooks::unreadable_list(resource, &failed).map_or(Ok(page), Err)
}

/// Returns the revision whose state a watch cache has, if the cache answers the list. `now` is the
/// revision at the beginning of the request.
fn cached_state(
    store: &Store,
    resource: &ResourceType,
    query: &ListQuery,
    now: u64,
) -> Result<Option<u64>, Failure> {
    let all = store.of(resource).ok_or_else(Failure::not_served)?;
    let Some(position) = all.cached(&resource.version) else {
        // A real server reads a page from its storage meanwhile.
        let is_page = query.limit.is_some() && query.selection.is_plain();
        return if is_page { Ok(None) } else { Err(Failure::storage_not_ready()) };
    };
    let may_be_old = query.version.is_some() && !query.exact;
    Ok(Some(position).filter(|position| may_be_old || *position >= now))
}

/// Returns a response whose body is created in pieces while it is read.
fn streamed_list(
    resource: Arc<ResourceType>,
    metadata: &Value,
    items: Vec<Arc<Stored>>,
    form: Form,
    encoding: Encoding,
) -> Response<ResponseBody> {
    let (kind, version): (String, String) = match form {
        Form::Metadata => ("PartialObjectMetadataList".into(), "meta.k8s.io/v1".into()),
        Form::Row(_) => ("Table".into(), "meta.k8s.io/v1".into()),
        Form::Whole | Form::Item => (resource.list_kind.clone(), resource.api_version()),
    };
    if encoding == Encoding::Protobuf {
        let types: (&str, &str) = (&version, &kind);
        let messages = items.iter().map(|item| written::message(item, &resource, form));
        return match messages.collect() {
            Ok(messages) => protobuf::list(types, metadata, messages),
            Err(failure) => Failure::response(&failure, encoding),
        };
    }
    let rows = match form {
        Form::Row(_) => {
            format!("\"columnDefinitions\":{},\"rows\"", table::columns(&resource))
        }
        _ => "\"items\"".into(),
    };
    let head = format!(
        "{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",\"metadata\":{metadata},{rows}:["
    );
    let state = (head.into_bytes(), items.into_iter().enumerate(), false);
    let pieces = stream::unfold(state, move |(mut piece, mut items, ended)| {
        let resource = resource.clone();
        async move {
            if ended {
                return None;
            }
            while piece.len() < PIECE {
                let Some((n, item)) = items.next() else {
                    piece.extend_from_slice(b"]}\n");
                    return Some((Ok(data(piece)), (Vec::new(), items, true)));
                };
                if n > 0 {
                    piece.push(b',');
                }
                written::write(&item, &resource, form, &mut piece);
            }
            Some((Ok(data(piece)), (Vec::new(), items, false)))
        }
    });
    streamed(StreamBody::new(pieces.boxed()).boxed_unsync())
}
