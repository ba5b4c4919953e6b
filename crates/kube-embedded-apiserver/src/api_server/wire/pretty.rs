//! Indented JSON, for people with a browser or curl.

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Response, Uri};
use http_body_util::BodyExt;
use serde_json::Value;

use super::body::{ResponseBody, full};
use super::query::parameters;

/// The beginnings of the user agents that get indented JSON without asking for it.
const AGENTS: [&str; 3] = ["curl", "Wget", "Mozilla/5.0"];

/// Returns whether a request prefers indented JSON.
pub(super) fn is_wanted(uri: &Uri, headers: &HeaderMap) -> bool {
    match parameters(uri).get("pretty").map_or("", String::as_str) {
        "" => {
            let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
            agent.is_some_and(|agent| AGENTS.iter().any(|known| agent.starts_with(known)))
        }
        text => matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True"),
    }
}

/// Indents a JSON response. Other responses, and those whose body breaks off, stay as they are.
pub(super) async fn written(response: Response<ResponseBody>) -> Response<ResponseBody> {
    if response.headers().get(CONTENT_TYPE).is_none_or(|found| found != "application/json") {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        return Response::from_parts(head, full(bytes::Bytes::new()));
    };
    let body = body.to_bytes();
    let value: Option<Value> = serde_json::from_slice(&body).ok();
    let Some(text) = value.and_then(|value| serde_json::to_string_pretty(&value).ok()) else {
        return Response::from_parts(head, full(body));
    };
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, full(text))
}
