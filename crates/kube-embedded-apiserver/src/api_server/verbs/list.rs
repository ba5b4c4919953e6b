//! Lists: whole or in pages, at the current or at an earlier revision, and their continue tokens.
//!
//! Tokens have the format of a real server: base64 of a small JSON object. Clients must not read
//! them, but some tools do.

use std::ops::Bound;
use std::sync::Arc;

use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use base64::{DecodeError, Engine};
use serde_json::{Value, json};

use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::json;
use crate::api_server::store::Store;
use crate::api_server::store::selection::Selection;
use crate::api_server::store::stored::Stored;

/// The query of a list.
#[derive(Debug)]
pub(crate) struct ListQuery {
    pub(crate) selection: Selection,
    pub(crate) version: Option<u64>,
    /// True if the list is of exactly that version, not of one at least as new.
    pub(crate) exact: bool,
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: Option<String>,
}

/// A list, or a part of one, with its metadata.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) metadata: Value,
    pub(crate) items: Vec<Arc<Stored>>,
}

/// Returns the page that a query asks for, of the state at the newest revision or an older one.
pub(crate) fn page(
    store: &Store,
    resource: &ResourceType,
    query: &ListQuery,
    newest: u64,
) -> Result<Page, Failure> {
    let collection = store.of(resource).ok_or_else(Failure::not_served)?;
    let mut revision = newest;
    let mut after = None;
    let oldest = collection.trimmed.max(store.compacted);
    if let Some(token) = &query.continue_token {
        let parsed = Continue::parse(token).map_err(|problem| {
            let problem = format!("continue key is not valid: {problem}");
            Failure::bad_request(format!("invalid continue token: {problem}"))
        })?;
        if let Some(at) = parsed.revision {
            if at < oldest {
                let go_on = Continue { revision: None, after: parsed.after };
                return Err(Failure::expired_page(&go_on.token()));
            }
            revision = at.min(revision);
        }
        after = Some(parsed.after);
    } else if let Some(asked) = query.version {
        if asked > newest {
            return Err(Failure::too_large(asked, newest));
        }
        if query.exact {
            if asked < oldest {
                let message = "The resourceVersion for the provided list is too old.";
                return Err(Failure::expired(message));
            }
            revision = asked;
        }
    }
    let objects = collection.at(revision);
    let limit = query.limit.unwrap_or(usize::MAX);
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let rest =
        |from| objects.range::<String, _>((from, Bound::Unbounded)).map(|(_, object)| object);
    let mut selected = rest(from).filter(|object| query.selection.matches(object));
    let items: Vec<Arc<Stored>> = selected.by_ref().take(limit).cloned().collect();
    let remaining = selected.count();
    let mut metadata = json!({ "resourceVersion": revision.to_string() });
    if remaining > 0 {
        let after = items.last().map(|item| item.key()).unwrap_or_default();
        if query.selection.is_plain() {
            // The number is that of all shards.
            let all = rest(Bound::Excluded(after.clone()))
                .filter(|object| query.selection.has_in_all_shards(object));
            metadata["remainingItemCount"] = all.count().into();
        }
        metadata["continue"] = Continue { revision: Some(revision), after }.token().into();
    }
    if resource.custom && remaining == 0 {
        // Lists that have no Go type include an empty token.
        metadata["continue"] = "".into();
    }
    Ok(Page { metadata, items })
}

/// The decoder of tokens, which does not look at bits behind the end.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// The version of the format of tokens.
const VERSION: &str = "meta.k8s.io/v1";

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
        let text = json!({ "v": VERSION, "rv": revision, "start": start }).to_string();
        URL_SAFE_NO_PAD.encode(text)
    }

    fn parse(token: &str) -> Result<Self, String> {
        let text = LENIENT.decode(token).map_err(|error| {
            let at = match error {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
                DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => token.len(),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let value = json::read(&text)?.value;
        let version = value["v"].as_str().unwrap_or_default();
        if version != VERSION {
            return Err(format!("server does not recognize this encoded version {version}"));
        }
        let revision = value["rv"].as_i64().unwrap_or(0);
        if revision == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {VERSION})"));
        }
        let start = value["start"].as_str().unwrap_or_default();
        if start.is_empty() {
            return Err(format!("encoded start key empty (version {VERSION})"));
        }
        let path = start.strip_prefix('/').unwrap_or(start);
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            // The key must not leave its collection.
            return Err(start.to_owned());
        }
        let after = path.trim_end_matches('\0').to_owned();
        Ok(Self { revision: u64::try_from(revision).ok(), after })
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
            assert!(Continue::parse(garbage).is_err());
        }
    }
}
