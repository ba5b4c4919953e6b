//! What comes back before any object: success of the right media type, or a failure in words.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::Value;

use super::framer::Encoding;
use super::protobuf;
use crate::error::{ApiStatus, Fault};

/// How much of a failure's body is read.
const WORDS: usize = 64 * 1024;

/// How much of a failure's text an error repeats, where the body is no `Status`: enough of a
/// proxy's page to know it by.
const TEXT: usize = 1024;

/// The body of an answer, and how much of it has come.
#[derive(Debug)]
pub(super) struct Incoming {
    body: Body,
    received: u64,
}

impl Incoming {
    /// The next bytes; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Result<Bytes, Fault>> {
        loop {
            match self.body.frame().await? {
                Ok(frame) => {
                    // What is no data is trailers.
                    let Ok(data) = frame.into_data() else { continue };
                    if data.is_empty() {
                        continue;
                    }
                    self.received += data.len() as u64;
                    return Some(Ok(data));
                }
                Err(error) => {
                    let (received, source) = (self.received, error.into());
                    return Some(Err(Fault::Interrupted { received, source }));
                }
            }
        }
    }

    pub(super) fn truncated(&self, within: &'static str) -> Fault {
        Fault::Truncated { received: self.received, within }
    }
}

/// The body of a success and how it is encoded, or what the failure says. `asked`: JSON is always
/// an answer, protobuf only where it was asked for.
pub(super) async fn accept(
    response: Response<Body>,
    asked: Encoding,
) -> Result<(Incoming, Encoding), Fault> {
    let (head, body) = response.into_parts();
    let mut incoming = Incoming { body, received: 0 };
    if head.status.is_success() {
        let media_type = header(&head.headers, CONTENT_TYPE).unwrap_or("application/json");
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            return Ok((incoming, Encoding::Json));
        }
        if asked == Encoding::Protobuf && essence.eq_ignore_ascii_case(protobuf::MEDIA_TYPE) {
            return Ok((incoming, Encoding::Protobuf));
        }
        return Err(Fault::MediaType(media_type.to_owned()));
    }
    let mut words = Vec::new();
    while words.len() < WORDS
        && let Some(Ok(bytes)) = incoming.next().await
    {
        words.extend_from_slice(&bytes);
    }
    words.truncate(WORDS);
    let mut status = status(&words, head.status.as_u16());
    let asked = header(&head.headers, RETRY_AFTER).and_then(|value| value.trim().parse().ok());
    status.retry_after = status.retry_after.max(asked.map(Duration::from_secs));
    Err(Fault::Status(status))
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// What a failure's body says: a `Status`, or some text.
pub(super) fn status(body: &[u8], code: u16) -> ApiStatus {
    let encoding =
        if body.starts_with(protobuf::MAGIC) { Encoding::Protobuf } else { Encoding::Json };
    encoding.status(body, code).unwrap_or_else(|| {
        let text = String::from_utf8_lossy(body);
        ApiStatus::new(code, "", text.trim().chars().take(TEXT).collect::<String>())
    })
}

/// What a `Status` says; `None`: it is none. A member that is not as it should be is left out and
/// hides no other: the reason decides what happens next. `code` stands where it has none.
pub(super) fn parse_status(parsed: &Value, code: u16) -> Option<ApiStatus> {
    if parsed["kind"] != "Status" {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let own = parsed["code"].as_u64().and_then(|code| code.try_into().ok());
    let mut status = ApiStatus::new(
        own.filter(|code| *code != 0).unwrap_or(code),
        text(&parsed["reason"]),
        text(&parsed["message"]),
    );
    let details = &parsed["details"];
    let causes = details["causes"].as_array().into_iter().flatten();
    status.causes = causes.map(|cause| (text(&cause["reason"]), text(&cause["message"]))).collect();
    status.retry_after = details["retryAfterSeconds"].as_u64().map(Duration::from_secs);
    Some(status)
}

/// What it means that no answer came.
pub(super) fn unanswered(error: kube::Error) -> Fault {
    let mut refused = false;
    let mut cause: Option<&(dyn StdError + 'static)> = Some(&error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        refused |= io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused);
        // An io::Error's own source leaves out what it wraps.
        let inner = io.and_then(io::Error::get_ref).map(|inner| inner as &(dyn StdError + 'static));
        cause = inner.or_else(|| error.source());
    }
    Fault::Connect { refused, source: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_and_a_plain_text_both_say_what_is_wrong() {
        let body = br#"{"kind":"Status","code":504,"reason":"Timeout","message":"m",
            "details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":3}}"#;
        let parsed = status(body, 500);
        assert_eq!((parsed.code, &*parsed.reason), (504, "Timeout"));
        assert_eq!(parsed.retry_after, Some(Duration::from_secs(3)));
        assert_eq!(parsed.class(), crate::error::FaultClass::VersionTooLarge);
        for body in [&b"404 page not found\n"[..], b"{}", b"\xff", b""] {
            assert_eq!(status(body, 404).class(), crate::error::FaultClass::NotFound);
        }
        assert_eq!(status(b"404 page not found\n", 404).message, "404 page not found");
        assert_eq!(status("<html>".repeat(9999).as_bytes(), 502).message.len(), TEXT);
    }

    #[test]
    fn one_odd_member_hides_no_other() {
        for odd in [
            r#""details":{"retryAfterSeconds":-1}"#,
            r#""details":{"causes":[{"reason":5}]}"#,
            r#""details":7"#,
            r#""message":null"#,
        ] {
            let body = format!(r#"{{"kind":"Status","code":410,"reason":"Expired",{odd}}}"#);
            let parsed = status(body.as_bytes(), 500);
            assert_eq!((parsed.code, &*parsed.reason), (410, "Expired"), "{odd}");
        }
    }
}
