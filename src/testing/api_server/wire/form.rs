//! The form of objects in a response (whole, metadata only, or rows of a table), its encoding, and
//! its body in pieces.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Response, Uri};
use http_body::Frame;

use super::body::ResponseBody;
use super::yaml;
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::transport::protobuf::MEDIA_TYPE;

/// The form in which an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// With kind and apiVersion.
    Whole,
    /// Without kind and apiVersion, as items of built-in lists.
    Item,
    /// As a `PartialObjectMetadata`.
    Metadata,
    /// As a row of a table, with this part of the object beside its cells.
    Row(Include),
}

/// The encoding of a response. YAML is converted from JSON later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Protobuf,
}

/// The part of the object in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Form {
    /// Returns the form and encoding that the `Accept` header requests; `plain` is the default
    /// form. Custom resources have no protobuf.
    pub(crate) fn wanted(
        headers: &HeaderMap,
        uri: &Uri,
        plain: Self,
        custom: bool,
    ) -> Result<(Self, Encoding), Failure> {
        let clauses = accepted(headers);
        if clauses.is_empty() {
            return Ok((plain, Encoding::Json));
        }
        let mut no_protobuf = false;
        for clause in clauses {
            let encoding = match media_type(clause) {
                "application/json" | "application/*" | "*/*" | yaml::MEDIA_TYPE => Encoding::Json,
                MEDIA_TYPE if !custom => Encoding::Protobuf,
                other => {
                    no_protobuf |= other == MEDIA_TYPE;
                    continue;
                }
            };
            let get = |name: &str| {
                clause.split(';').find_map(|part| {
                    part.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
                })
            };
            let meta = get("g") == Some("meta.k8s.io") && get("v") == Some("v1");
            match get("as") {
                None => return Ok((plain, encoding)),
                Some("PartialObjectMetadata" | "PartialObjectMetadataList") if meta => {
                    return Ok((Self::Metadata, encoding));
                }
                Some("Table") if meta && encoding == Encoding::Json => {
                    return Ok((Self::Row(include(uri)?), encoding));
                }
                Some(_) => {}
            }
        }
        Err(if no_protobuf { Failure::no_protobuf() } else { Failure::not_acceptable() })
    }
}

impl Form {
    /// Returns the apiVersion and kind of an object of this type in this form.
    pub(crate) fn types(self, resource: &ResourceType) -> (String, String) {
        match self {
            Self::Metadata => ("meta.k8s.io/v1".into(), "PartialObjectMetadata".into()),
            _ => (resource.api_version(), resource.kind.clone()),
        }
    }
}

impl Encoding {
    /// Returns the encoding of a response that exists in both, such as a Status.
    pub(crate) fn of_status(headers: &HeaderMap) -> Self {
        match accepted_types(headers).next() {
            Some(MEDIA_TYPE) => Self::Protobuf,
            _ => Self::Json,
        }
    }

    pub(crate) fn media_type(self, watch: bool) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf if watch => "application/vnd.kubernetes.protobuf;stream=watch",
            Self::Protobuf => MEDIA_TYPE,
        }
    }
}

/// Returns the supported media types that a request accepts, the most preferred first.
pub(crate) fn accepted_types(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    accepted(headers).into_iter().map(media_type).filter(|media_type| {
        matches!(*media_type, "application/json" | "application/*" | "*/*" | MEDIA_TYPE)
            || *media_type == yaml::MEDIA_TYPE
    })
}

/// Returns the media types that a request accepts, the most preferred first.
fn accepted(headers: &HeaderMap) -> Vec<&str> {
    let values = headers.get_all(http::header::ACCEPT).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(',')).collect()
}

fn media_type(clause: &str) -> &str {
    clause.split(';').next().unwrap_or_default().trim()
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

/// The size of the pieces of a list's body, in bytes.
pub(crate) const PIECE: usize = 64 * 1024;

pub(crate) type Piece = Result<Frame<Bytes>, crate::testing::api_server::Aborted>;

pub(crate) fn data(bytes: Vec<u8>) -> Frame<Bytes> {
    Frame::data(bytes.into())
}

pub(crate) fn streamed(body: ResponseBody) -> Response<ResponseBody> {
    response(body, Encoding::Json, false)
}

pub(crate) fn response(
    body: ResponseBody,
    encoding: Encoding,
    watch: bool,
) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    let media_type = HeaderValue::from_static(encoding.media_type(watch));
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}
