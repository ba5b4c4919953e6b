//! The body of a request: its media type, its syntax, and its kind.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{protobuf, yaml};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::{ResourceType, group_version};
use crate::api_server::rules::go_format::json_name;
use crate::api_server::rules::json::{self, Parsed};
use crate::api_server::rules::registered;
use kube_decode::protobuf::MEDIA_TYPE;

/// The media types of bodies, as messages list them.
const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The number of bytes of a body that a message quotes.
const QUOTED: usize = 30;

/// The type into which a real server reads kind and version first.
const TYPE_META: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind \
                         string \"json:\\\"kind,omitempty\\\"\" }";

/// The prefix of every protobuf body.
const PROTOBUF_PREFIX: &[u8] = b"k8s\0";

/// The kind that a body must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) kind: &'a str,
    pub(super) custom: bool,
    /// Another apiVersion that counts as the expected one.
    pub(super) alias: Option<&'a str>,
}

impl<'a> Expected<'a> {
    pub(super) fn of(resource: &'a ResourceType) -> Self {
        let ResourceType { group, version, kind, custom, .. } = resource;
        Self { group, version, kind, custom: *custom, alias: None }
    }

    /// Returns the body of a request as an object of this kind, with the paths of members that
    /// occur twice. A built-in kind may be left out.
    pub(super) fn read(self, content_type: &str, body: &Bytes) -> Result<Parsed, Failure> {
        let Parsed { value, repeated } =
            syntax(content_type, body, "couldn't get version/kind; json parse error: ")
                .map_err(|problem| self.named(problem, body))?;
        let value = match value {
            Value::Null if !self.custom => Value::Object(Map::new()),
            value => value,
        };
        self.check(&value, body).map_err(|problem| match problem {
            Problem::Body(problem) => self.named(problem.into(), body),
            Problem::Refused(failure) => *failure,
        })?;
        Ok(Parsed { value, repeated })
    }

    fn named(self, problem: Syntax, body: &[u8]) -> Failure {
        match problem {
            Syntax::MediaType(failure) => *failure,
            Syntax::Text(problem) => Failure::bad_request(format!(
                "the object provided is unrecognized (must be of type {}): {problem} ({})",
                self.kind,
                quoted(body)
            )),
        }
    }

    /// Returns the problem of the body's kind and version.
    fn check(self, value: &Value, body: &[u8]) -> Result<(), Problem> {
        let (kind, api_version) = types(value).map_err(Problem::Body)?;
        if self.custom && kind.is_empty() {
            let body = if body.first() == Some(&b'{') {
                String::from_utf8_lossy(body).into_owned()
            } else {
                value.to_string()
            };
            return Err(Problem::Body(format!("Object 'Kind' is missing in '{body}'")));
        }
        let expected = group_version(self.group, self.version);
        let (kind, api_version) = if self.custom {
            (kind, api_version)
        } else {
            (
                if kind.is_empty() { self.kind } else { kind },
                if api_version.is_empty() { &*expected } else { api_version },
            )
        };
        let refuse = |message: String| Err(Problem::Refused(Failure::bad_request(message).into()));
        let other_version = || {
            refuse(format!(
                "the API version in the data ({api_version}) does not match the expected API \
                 version ({expected})"
            ))
        };
        if self.custom {
            if api_version != expected {
                return other_version();
            }
            if kind != self.kind {
                let problem = format!("must be {}", self.kind);
                let cause = Cause::invalid("kind", kind, &problem);
                let name = value["metadata"]["name"].as_str().unwrap_or_default();
                let failure = Failure::invalid_kind(self.group, kind, name, &[cause]);
                return Err(Problem::Refused(failure.into()));
            }
            return Ok(());
        }
        if kind == self.kind && (api_version == expected || self.alias == Some(api_version)) {
            return Ok(());
        }
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let problem = match registered::unregistered(api_version, kind) {
            Some(problem) => problem,
            None if kind == self.kind => return other_version(),
            None => registered::unconvertible((api_version, kind), (self.group, self.kind)),
        };
        refuse(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {problem}",
            self.kind
        ))
    }
}

/// A problem of a body's kind.
enum Problem {
    /// The problem is named together with the body.
    Body(String),
    Refused(Box<Failure>),
}

/// A problem of a body's syntax.
pub(super) enum Syntax {
    MediaType(Box<Failure>),
    Text(String),
}

impl From<String> for Syntax {
    fn from(problem: String) -> Self {
        Self::Text(problem)
    }
}

/// Returns the value of a body, with the paths of members that occur twice. The problem of a JSON
/// body follows the prefix.
pub(super) fn syntax(
    content_type: &str,
    body: &Bytes,
    prefix: &'static str,
) -> Result<Parsed, Syntax> {
    let once = |value| Parsed { value, repeated: Vec::new() };
    let media_type = media_type(content_type);
    // A missing content type means JSON.
    match &*media_type {
        "" | "application/json" => {
            Ok(json::read(body).map_err(|problem| format!("{prefix}{problem}"))?)
        }
        yaml::MEDIA_TYPE => {
            Ok(once(yaml::read(body).map_err(|problem| format!("yaml: {problem}"))?))
        }
        MEDIA_TYPE if !body.starts_with(PROTOBUF_PREFIX) => {
            let problem = "provided data does not appear to be a protobuf message, expected prefix \
                           [107 56 115 0]";
            Err(problem.to_owned().into())
        }
        MEDIA_TYPE => {
            let unreadable = || "the body is not the protobuf message of a built-in kind";
            Ok(once(protobuf::read(body).ok_or_else(unreadable).map_err(str::to_owned)?))
        }
        _ => Err(Syntax::MediaType(Failure::unsupported_media_type(ACCEPTED).into())),
    }
}

/// Returns the media type in lower case, without parameters.
pub(super) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the kind and apiVersion of a body; empty texts if they are absent.
pub(super) fn types(value: &Value) -> Result<(&str, &str), String> {
    if !matches!(value, Value::Object(_) | Value::Null) {
        let found = json_name(value);
        return Err(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go \
             value of type {TYPE_META}"
        ));
    }
    let text = |member: &str| match &value[member] {
        Value::Null => Ok(""),
        Value::String(text) => Ok(text.as_str()),
        other => Err(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go \
             struct field .{member} of type string",
            json_name(other)
        )),
    };
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    if api_version.matches('/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {api_version}"));
    }
    Ok((kind, api_version))
}

/// Returns the beginning of a body: as it is if it looks like JSON, else its bytes in hexadecimal.
fn quoted(body: &[u8]) -> String {
    let shown = &body[..body.len().min(QUOTED)];
    let mut text = match body.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(shown).into_owned(),
        Some(_) => shown.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }),
    };
    if body.len() > QUOTED {
        text.push_str(" ...");
    }
    text
}
