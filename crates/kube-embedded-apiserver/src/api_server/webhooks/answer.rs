//! The answers of webhooks as HTTP responses, in a real server's words where they fail.

use bytes::Bytes;
use http::Response;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::text;
use crate::api_server::rules::go_format::json_name;
use crate::api_server::rules::json;
use crate::api_server::wire::yaml;

/// The Go type into which a server reads the version and kind of an answer.
const VERSION_AND_KIND: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                                Kind string \"json:\\\"kind,omitempty\\\"\" }";

/// Returns the object of a response. The error says why there is none.
pub(super) fn review(response: &Response<Bytes>) -> Result<Value, String> {
    let (code, body) = (response.status().as_u16(), response.body());
    if !(200..=206).contains(&code) {
        return Err(refusal(code, body));
    }
    if code == 204 || body.is_empty() {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or("application/json");
        return Err(format!("0-length response with status code: {code} and content type: {kind}"));
    }
    let unreadable =
        |problem: &str| format!("couldn't get version/kind; json parse error: {problem}");
    let value = match json::read(body) {
        Ok(read) => read.value,
        Err(problem) if matches!(body.trim_ascii_start().first(), Some(b'{' | b'[')) => {
            return Err(unreadable(&problem));
        }
        // Any other text is YAML, even if it is only a string.
        Err(_) => yaml::read(body).unwrap_or_else(|_| "".into()),
    };
    if value.is_object() || value.is_null() {
        return Ok(value);
    }
    let found = json_name(&value);
    Err(unreadable(&format!(
        "json: cannot unmarshal {found} into Go value of type {VERSION_AND_KIND}"
    )))
}

/// Returns the words for a response that is a failure.
fn refusal(code: u16, body: &Bytes) -> String {
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    if status["kind"] == "Status" {
        return text(&status, "message").to_owned();
    }
    let shown = String::from_utf8_lossy(body);
    let words = match code {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        403 if !shown.is_empty() => &shown,
        403 => "unknown",
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        409 => "the server reported a conflict",
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be \
             processing the request"
        }
        500.. => {
            return format!(
                "an error on the server ({:?}) has prevented the request from succeeding",
                shown.trim()
            );
        }
        _ => {
            return format!(
                "the server responded with the status code {code} but did not return more \
                 information"
            );
        }
    };
    words.to_owned()
}

/// Checks the kind and version of a review that answers one of version `asked`. Those of an older
/// version may be absent.
pub(super) fn check(answer: &Value, asked: &str, kind: &str) -> Result<(), Unexpected> {
    let (found, found_kind) = (text(answer, "apiVersion"), text(answer, "kind"));
    if (found, found_kind) == (asked, kind) || answer.is_null() {
        return Ok(());
    }
    let group_of = |version: &str| version.split('/').next().unwrap_or_default().to_owned();
    let short = |version: &str| version.split('/').nth(1).unwrap_or_default().to_owned();
    if found.is_empty() || found_kind.is_empty() {
        if short(asked) != "v1" {
            return Ok(());
        }
        let shown = if found.contains('/') { found.to_owned() } else { format!("/{found}") };
        return Err(Unexpected::Invalid(format!(
            "expected webhook response of {asked}, Kind={kind}, got {shown}, Kind={found_kind}"
        )));
    }
    let other = matches!(&*short(found), "v1" | "v1beta1") && group_of(found) == group_of(asked);
    Err(Unexpected::Unreadable(if other && found_kind == kind {
        format!(
            "converting ({}.{kind}) to ({}.{kind}): unknown conversion",
            short(found),
            short(asked)
        )
    } else {
        format!(
            "no kind {found_kind:?} is registered for version {found:?} in scheme \
             \"pkg/runtime/scheme.go:111\""
        )
    }))
}

/// The problem of an answer of another kind or version.
#[derive(Debug)]
pub(super) enum Unexpected {
    /// It cannot be read.
    Unreadable(String),
    /// It can be read, and is not valid.
    Invalid(String),
}

/// Returns the first version of reviews that the server knows.
pub(super) fn known_version(versions: &Value) -> &str {
    let mut versions = versions.as_array().into_iter().flatten().filter_map(Value::as_str);
    versions.find(|version| matches!(*version, "v1" | "v1beta1")).unwrap_or("v1")
}
