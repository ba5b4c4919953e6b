//! Lists: whole or in pages, at the current or at an earlier revision, and their continue tokens.
//!
//! Tokens have the format of a real server: base64 of a small JSON object. Clients must not read
//! them, but some tools do.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::store::selection::Selection;
use crate::testing::api_server::store::stored::Stored;

/// The query of a list.
#[derive(Debug)]
pub(crate) struct ListQuery {
    pub(crate) selection: Selection,
    pub(crate) version: Option<u64>,
    pub(crate) version_match: Option<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: Option<String>,
}

/// A list, or a part of one, with its metadata.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) metadata: Value,
    pub(crate) items: Vec<Arc<Stored>>,
}

/// Returns the page that a query asks for.
pub(crate) fn page(
    store: &Store,
    resource: &ResourceType,
    query: &ListQuery,
) -> Result<Page, Failure> {
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
        .filter(|object| query.selection.matches(object));
    let items: Vec<Arc<Stored>> = rest.by_ref().take(limit).cloned().collect();
    let remaining = rest.count();
    let mut metadata = json!({ "resourceVersion": revision.to_string() });
    if remaining > 0 {
        let after = items.last().map(|item| item.key()).unwrap_or_default();
        metadata["continue"] = Continue { revision: Some(revision), after }.token().into();
        if query.selection.is_plain() {
            metadata["remainingItemCount"] = remaining.into();
        }
    }
    if resource.custom && remaining == 0 {
        // Lists that have no Go type include an empty token.
        metadata["continue"] = "".into();
    }
    if let Some(shard) = &query.selection.shard {
        metadata["shardInfo"] = json!({ "selector": shard.text });
    }
    Ok(Page { metadata, items })
}

fn forbidden_match(problem: &str) -> Failure {
    let cause = Cause::forbidden("resourceVersionMatch", problem);
    Failure::invalid_options("ListOptions", &cause)
}

/// The position at which a list continues: its revision (`None`: the current one), and the last
/// key.
#[derive(Debug, PartialEq, Eq)]
struct Continue {
    revision: Option<u64>,
    after: String,
}

impl Continue {
    fn token(&self) -> String {
        let (revision, start) = match self.revision {
            Some(revision) => (json!(revision), format!("/{}\0", self.after)),
            None => (json!(-1), format!("{}\0", self.after)),
        };
        let text = json!({ "v": "meta.k8s.io/v1", "rv": revision, "start": start }).to_string();
        URL_SAFE_NO_PAD.encode(text)
    }

    fn parse(token: &str) -> Option<Self> {
        let value: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        if value["v"] != "meta.k8s.io/v1" {
            return None;
        }
        let revision = value["rv"].as_i64()?;
        let start = value["start"].as_str()?;
        let after = start.trim_start_matches('/').trim_end_matches('\0').to_owned();
        Some(Self { revision: u64::try_from(revision).ok(), after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_tokens_survive_a_round_trip() {
        for (token, revision, after) in [
            (
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzMzLCJzdGFydCI6Ii9zaG9wL3dlYi0wNlx1MDAwMCJ9",
                Some(333),
                "shop/web-06",
            ),
            (
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYmFuay93ZWItMjBcdTAwMDAifQ",
                None,
                "bank/web-20",
            ),
        ] {
            let parsed = Continue::parse(token).unwrap();
            assert_eq!(parsed, Continue { revision, after: after.into() });
            assert_eq!(Continue::parse(&parsed.token()).unwrap(), parsed);
        }
        for garbage in ["garbage", "", "e30", "!"] {
            assert_eq!(Continue::parse(garbage), None);
        }
    }
}
