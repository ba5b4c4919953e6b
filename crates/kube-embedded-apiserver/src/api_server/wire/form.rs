//! The form of objects in a response (whole, metadata only, or rows of a table), its encoding, and
//! its body in pieces.
//!
//! `headers-accept` would save 30 lines, for three more crates and 1.3 s to compile on one core.
//! The parameters `as`, `g` and `v` would still be read here.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Response, Uri};
use http_body::Frame;

use super::body::ResponseBody;
use super::yaml;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::registered;
use kube_decode::protobuf::{MEDIA_TYPE, is_built_in};

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

/// The form and encoding that a client accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    transform: Option<Transform>,
    pub(crate) encoding: Encoding,
}

/// A form that is not the object itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transform {
    Table(Include),
    Metadata,
    MetadataList,
}

impl Accepted {
    /// Returns the first form and encoding in the `Accept` header that the server has. Custom
    /// resources have no protobuf.
    pub(crate) fn negotiate(
        headers: &HeaderMap,
        uri: &Uri,
        resource: &ResourceType,
    ) -> Result<Self, Failure> {
        if !resource.custom && !is_routable(headers) {
            return Err(Failure::not_acceptable());
        }
        let clauses = accepted(headers);
        if clauses.is_empty() {
            return Ok(Self { transform: None, encoding: Encoding::Json });
        }
        let mut no_protobuf = false;
        for clause in clauses {
            let encoding = match media_type(clause) {
                "application/json" | "application/*" | "*/*" | yaml::MEDIA_TYPE => Encoding::Json,
                MEDIA_TYPE if has_protobuf(resource) => Encoding::Protobuf,
                other => {
                    no_protobuf |= other == MEDIA_TYPE;
                    continue;
                }
            };
            let get = |name: &str| parameter(clause, name);
            let meta = get("g") == Some("meta.k8s.io") && get("v") == Some("v1");
            let transform = match get("as") {
                None => None,
                Some("PartialObjectMetadata") if meta => Some(Transform::Metadata),
                Some("PartialObjectMetadataList") if meta => Some(Transform::MetadataList),
                Some("Table") if meta && encoding == Encoding::Json => {
                    Some(Transform::Table(include(uri)?))
                }
                Some(_) => continue,
            };
            return Ok(Self { transform, encoding });
        }
        Err(if no_protobuf { Failure::no_protobuf() } else { not_acceptable() })
    }

    /// Returns the form of a single object, which is an object of a watch, too.
    pub(crate) fn for_object(self, resource: &ResourceType) -> Result<Form, Failure> {
        match self.transform {
            None => Ok(Form::Whole),
            Some(Transform::Table(include)) => Ok(Form::Row(include)),
            Some(Transform::Metadata) => Ok(Form::Metadata),
            Some(Transform::MetadataList) => Err(not_the_form(format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list \
                 ({})",
                go_type(resource, false)
            ))),
        }
    }

    /// Returns the form of the objects of a list.
    pub(crate) fn for_list(self, resource: &ResourceType) -> Result<Form, Failure> {
        match self.transform {
            None if resource.custom => Ok(Form::Whole),
            None => Ok(Form::Item),
            Some(Transform::Table(include)) => Ok(Form::Row(include)),
            Some(Transform::MetadataList) => Ok(Form::Metadata),
            Some(Transform::Metadata) => Err(not_the_form(format!(
                "you requested PartialObjectMetadata, but the requested object is a list ({})",
                go_type(resource, true)
            ))),
        }
    }
}

/// Returns the Go type of an object or list, as messages name it.
fn go_type(resource: &ResourceType, list: bool) -> String {
    match (resource.custom, list) {
        (true, false) => "*unstructured.Unstructured".to_owned(),
        (true, true) => "*unstructured.UnstructuredList".to_owned(),
        (false, list) => {
            let kind = if list { &resource.list_kind } else { &resource.kind };
            format!("*{}.{kind}", registered::package(&resource.group))
        }
    }
}

fn not_the_form(message: String) -> Failure {
    Failure::new(406, "NotAcceptable", message)
}

fn not_acceptable() -> Failure {
    let message = "only the following media types are accepted: application/json, \
                   application/yaml, application/vnd.kubernetes.protobuf";
    Failure::new(406, "NotAcceptable", message)
}

/// Returns whether a real server's router finds an encoding. It knows no wildcard but `*/*`.
fn is_routable(headers: &HeaderMap) -> bool {
    let clauses = accepted(headers);
    let known = |clause: &&str| {
        let media_type = media_type(clause);
        matches!(media_type, "*/*" | "application/json" | MEDIA_TYPE)
            || media_type == yaml::MEDIA_TYPE
    };
    clauses.is_empty() || clauses.iter().any(known)
}

/// Returns a parameter of a media type.
fn parameter<'c>(clause: &'c str, name: &str) -> Option<&'c str> {
    clause
        .split(';')
        .skip(1)
        .find_map(|part| part.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('=')))
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

/// Returns the media types that a request accepts, the most preferred first. A real server accepts
/// even those with the quality zero.
fn accepted(headers: &HeaderMap) -> Vec<&str> {
    let values = headers.get_all(http::header::ACCEPT).iter();
    let values = values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let mut clauses: Vec<&str> = values.filter(|clause| !clause.trim().is_empty()).collect();
    let quality = |clause: &&str| -> f32 {
        parameter(clause, "q").and_then(|text| text.parse().ok()).unwrap_or(1.0)
    };
    clauses.sort_by(|a, b| quality(b).total_cmp(&quality(a)));
    clauses
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

pub(crate) type Piece = Result<Frame<Bytes>, crate::api_server::Aborted>;

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

/// Returns whether objects of a type can be written in protobuf.
pub(super) fn has_protobuf(resource: &ResourceType) -> bool {
    !resource.custom && is_built_in(&resource.api_version(), &resource.kind)
}
