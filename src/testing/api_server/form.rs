//! In which form objects are wanted: whole, their metadata, or as rows of a table.

use http::{HeaderMap, Uri};

use super::status::Failure;

/// How an object is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With kind and apiVersion.
    Whole,
    /// Without, as items of built-in lists are.
    Item,
    /// As a `PartialObjectMetadata`.
    Metadata,
    /// As a row of a table, with this much of the object beside its cells.
    Row(Include),
}

/// What a table's row carries of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Form {
    /// What the request's `Accept` asks for; `plain` where it asks for nothing special.
    pub(super) fn wanted(headers: &HeaderMap, uri: &Uri, plain: Self) -> Result<Self, Failure> {
        let values: Vec<_> = headers.get_all(http::header::ACCEPT).iter().collect();
        if values.is_empty() {
            return Ok(plain);
        }
        let texts = values.into_iter().filter_map(|value| value.to_str().ok());
        for clause in texts.flat_map(|text| text.split(',')) {
            let mut parts = clause.split(';').map(str::trim);
            if !matches!(parts.next(), Some("application/json" | "application/*" | "*/*")) {
                continue;
            }
            let get = |name: &str| {
                clause.split(';').find_map(|part| {
                    part.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
                })
            };
            let meta = get("g") == Some("meta.k8s.io") && get("v") == Some("v1");
            match get("as") {
                None => return Ok(plain),
                Some("PartialObjectMetadata" | "PartialObjectMetadataList") if meta => {
                    return Ok(Self::Metadata);
                }
                Some("Table") if meta => return Ok(Self::Row(include(uri)?)),
                Some(_) => {}
            }
        }
        Err(Failure::not_acceptable())
    }
}

fn include(uri: &Uri) -> Result<Include, Failure> {
    let query = uri.query().unwrap_or_default();
    let found = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "includeObject");
    match found.as_ref().map_or("", |(_, value)| value) {
        "" | "Metadata" => Ok(Include::Metadata),
        "None" => Ok(Include::Nothing),
        "Object" => Ok(Include::Object),
        other => Err(Failure::bad_request(format!("unrecognized includeObject value: {other}"))),
    }
}
