//! Failures, in the words of a real server.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use super::ResponseBody;
use super::resource::ResourceType;

/// A failure that a client is told.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    code: u16,
    /// `None`: the body is the message as plain text.
    status: Option<Value>,
    message: String,
    retry_after: Option<u32>,
}

impl Failure {
    pub(super) fn new(code: u16, reason: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": code,
        });
        Self { code, status: Some(status), message, retry_after: None }
    }

    /// What a server says of a path it does not serve.
    pub(super) fn not_served() -> Self {
        let message = "404 page not found\n".to_owned();
        Self { code: 404, status: None, message, retry_after: None }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    fn about(mut self, resource: &ResourceType, name: &str) -> Self {
        let mut details = json!({ "name": name, "kind": resource.plural });
        if !resource.group.is_empty() {
            details["group"] = resource.group.clone().into();
        }
        self.with("details", details);
        self
    }

    fn with(&mut self, member: &str, value: Value) {
        if let Some(status) = &mut self.status {
            status[member] = value;
        }
    }

    pub(super) fn not_found(resource: &ResourceType, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(404, "NotFound", message).about(resource, name)
    }

    pub(super) fn exists(resource: &ResourceType, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).about(resource, name)
    }

    pub(super) fn conflict(resource: &ResourceType, name: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: the object has been modified; please \
             apply your changes to the latest version and try again",
            resource.qualified()
        );
        Self::new(409, "Conflict", message).about(resource, name)
    }

    pub(super) fn invalid(kind: &str, name: &str, field: &str, problem: &str) -> Self {
        let message = format!("{kind} {name:?} is invalid: {field}: {problem}");
        let mut failure = Self::new(422, "Invalid", message);
        let cause = json!({ "reason": "FieldValueInvalid", "message": problem, "field": field });
        failure.with("details", json!({ "name": name, "kind": kind, "causes": [cause] }));
        failure
    }

    pub(super) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// A page whose snapshot is gone, with the token that goes on without it.
    pub(super) fn expired_page(inconsistent: &str) -> Self {
        let mut failure = Self::expired(
            "The provided continue parameter is too old to display a consistent list result. You \
             can start a new list without the continue parameter, or use the continue token in \
             this response to retrieve the remainder of the results. Continuing with the provided \
             token results in an inconsistent list - objects that were created, modified, or \
             deleted between the time the first chunk was returned and now may show up in the list.",
        );
        failure.with("metadata", json!({ "continue": inconsistent }));
        failure
    }

    pub(super) fn too_large(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let mut failure = Self::new(504, "Timeout", message);
        let cause = json!({
            "reason": "ResourceVersionTooLarge", "message": "Too large resource version"
        });
        failure.with("details", json!({ "causes": [cause], "retryAfterSeconds": 1 }));
        failure.retry_after = Some(1);
        failure
    }

    pub(super) fn not_acceptable() -> Self {
        let message = "406: Not Acceptable\n\nAvailable representations: application/json";
        Self::new(406, "NotAcceptable", message)
    }

    /// The Status, for an ERROR event.
    pub(super) fn status(&self) -> Value {
        self.status.clone().unwrap_or_default()
    }

    pub(super) fn response(&self) -> Response<ResponseBody> {
        let (media_type, body) = match &self.status {
            Some(status) => ("application/json", status.to_string()),
            None => ("text/plain; charset=utf-8", self.message.clone()),
        };
        let mut response = Response::new(full(body));
        *response.status_mut() =
            StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// A body that is all there.
pub(super) fn full(body: impl Into<Bytes>) -> ResponseBody {
    Full::new(body.into()).map_err(|never| match never {}).boxed_unsync()
}
