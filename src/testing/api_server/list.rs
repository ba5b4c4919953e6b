//! Lists: whole or in pages, at the current or at an earlier revision.

use std::sync::Arc;

use futures::{StreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};

use super::body::{PIECE, data, streamed};
use super::continue_token::Continue;
use super::form::{Encoding, Form};
use super::query::Query;
use super::resource::ResourceType;
use super::status::{Cause, Failure};
use super::store::Store;
use super::stored::Stored;
use super::{ResponseBody, protobuf, table};

pub(super) fn list(
    store: &Store,
    resource: &Arc<ResourceType>,
    query: &Query,
    form: Form,
    encoding: Encoding,
) -> Result<Response<ResponseBody>, Failure> {
    let collection = store.of(resource).ok_or_else(Failure::not_served)?;
    let mut revision = store.revision;
    let mut after = None;
    if let Some(token) = &query.continue_token {
        let parsed = Continue::parse(token).ok_or_else(|| {
            Failure::bad_request("invalid continue token: continue key is not valid")
        })?;
        if let Some(at) = parsed.revision {
            if at < collection.trimmed.max(store.compacted) {
                let go_on = Continue { revision: None, after: parsed.after };
                return Err(Failure::expired_page(&go_on.token()));
            }
            revision = at;
        }
        after = Some(parsed.after);
    } else if let Some(asked) = query.version {
        if asked == 0 && query.version_match.as_deref() == Some("Exact") {
            let problem = "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"";
            return Err(forbidden_match(problem));
        }
        if asked > store.revision {
            return Err(Failure::too_large(asked, store.revision));
        }
        if query.version_match.as_deref() == Some("Exact") {
            if asked < collection.trimmed.max(store.compacted) {
                let message = "The resourceVersion for the provided list is too old.";
                return Err(Failure::expired(message));
            }
            revision = asked;
        }
    } else if query.version_match.is_some() {
        let problem = "resourceVersionMatch is forbidden unless resourceVersion is provided";
        return Err(forbidden_match(problem));
    }
    let past;
    let objects = if revision == store.revision {
        &collection.objects
    } else {
        past = collection.at(revision);
        &past
    };
    let limit = query.limit.unwrap_or(usize::MAX);
    let from = after.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
    let mut rest = objects
        .range::<String, _>((from, std::ops::Bound::Unbounded))
        .map(|(_, object)| object)
        .filter(|object| query.selector.matches(object));
    let items: Vec<Arc<Stored>> = rest.by_ref().take(limit).cloned().collect();
    let remaining = rest.count();
    let mut metadata = json!({ "resourceVersion": revision.to_string() });
    if remaining > 0 {
        let after = items.last().map(|item| item.key()).unwrap_or_default();
        metadata["continue"] = Continue { revision: Some(revision), after }.token().into();
        if query.selector.is_plain() {
            metadata["remainingItemCount"] = remaining.into();
        }
    }
    if resource.custom && remaining == 0 {
        // Lists that have no Go type include an empty token.
        metadata["continue"] = "".into();
    }
    if let Some(shard) = &query.selector.shard {
        metadata["shardInfo"] = json!({ "selector": shard.text });
    }
    Ok(respond(resource.clone(), &metadata, items, form, encoding))
}

fn forbidden_match(problem: &str) -> Failure {
    let cause = Cause::forbidden("resourceVersionMatch", problem);
    Failure::invalid_options("ListOptions", &cause)
}

/// Returns a response whose body is created in pieces while it is read.
fn respond(
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
        let messages = items.iter().map(|item| item.message(&resource, form)).collect();
        return protobuf::list(types, metadata, messages);
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
                item.write(&resource, form, &mut piece);
            }
            Some((Ok(data(piece)), (Vec::new(), items, false)))
        }
    });
    streamed(StreamBody::new(pieces.boxed()).boxed_unsync())
}
