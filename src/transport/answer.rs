//! The head of an answer: a success with its media type, or an error status.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::iter::successors;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt;
use kube::client::Body;
use kube_decode::protobuf;
use serde_json::Value;
use tokio::time::timeout;

use super::framing::Encoding;
#[cfg(feature = "gzip")]
use super::gzip::Gunzip;
use super::request::Fallback;
use crate::error::{ApiStatus, BoxError, Fault, MOST_CAUSES, Verb, clipped, quotable};
use crate::yield_budget::YieldBudget;

/// The largest part of an error's body that is read, in bytes.
pub(super) const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// The time limit for reading an error's body. A body with a wrong length does not end.
const ERROR_BODY_PATIENCE: Duration = Duration::from_secs(5);

/// The cost of reading or inflating a byte, as a fraction of the cost of decoding it.
pub(super) const READ_PER_DECODED: usize = 8;

/// The number of causes of an error that are kept.
const CAUSES: usize = 16;

/// The body of an answer, and the number of bytes received so far.
#[derive(Debug)]
pub(super) struct Incoming {
    body: Body,
    /// The bytes received so far, which may be compressed.
    received: u64,
    /// The bytes returned so far.
    returned: u64,
    /// The caller's counter of received bytes.
    counter: Option<Arc<AtomicU64>>,
    /// The state to switch on if a compressed answer fails. `None` if the user wants none.
    uncompressed: Option<Arc<Fallback>>,
    /// True for a list, whose body should come to an end.
    ends: bool,
    /// True if received bytes are inflated.
    inflates: bool,
    #[cfg(feature = "gzip")]
    gunzip: Gunzip,
    /// Yields, because a body in memory always has another frame.
    budget: YieldBudget,
}

impl Incoming {
    /// Returns the next bytes. `None` at the end. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Result<Bytes, Fault>> {
        loop {
            self.budget.spend(1).await;
            #[cfg(feature = "gzip")]
            match self.inflate() {
                Ok(None) => {}
                Ok(Some(data)) if data.is_empty() => continue,
                Ok(Some(data)) => {
                    self.returned += data.len() as u64;
                    return Some(Ok(data));
                }
                Err(fault) => return Some(Err(fault)),
            }
            let Some(frame) = self.body.frame().await else {
                self.ends = false;
                return self.cut_short().map(Err);
            };
            match frame {
                Ok(frame) => {
                    // A frame without data has trailers.
                    let Ok(data) = frame.into_data() else { continue };
                    self.budget.charge_bytes(data.len() / READ_PER_DECODED);
                    if data.is_empty() {
                        continue;
                    }
                    self.received += data.len() as u64;
                    if let Some(counter) = &self.counter {
                        counter.fetch_add(data.len() as u64, Ordering::Relaxed);
                    }
                    #[cfg(feature = "gzip")]
                    if self.inflates {
                        self.gunzip.push(data);
                        continue;
                    }
                    self.returned += data.len() as u64;
                    return Some(Ok(data));
                }
                Err(error) => {
                    let source: BoxError = error.into();
                    // A layer of the client that inflates answers may have failed.
                    if !self.inflates && names_compression(&*source) {
                        self.fall_back();
                    }
                    return Some(Err(Fault::Interrupted { received: self.received, source }));
                }
            }
        }
    }

    /// Returns the next bytes that are inflated from those received, which may be none. `None` if
    /// more must be received.
    #[cfg(feature = "gzip")]
    fn inflate(&mut self) -> Result<Option<Bytes>, Fault> {
        let inflated = self.gunzip.next().map_err(|problem| {
            self.fall_back();
            Fault::Damaged { inflated: self.gunzip.inflated(), problem }
        })?;
        if let Some(data) = &inflated {
            self.budget.charge_bytes(data.len() / READ_PER_DECODED);
        }
        Ok(inflated)
    }

    /// Requests uncompressed answers for some time.
    fn fall_back(&self) {
        if let Some(uncompressed) = &self.uncompressed {
            uncompressed.begin();
        }
    }

    /// Returns the fault of a body that ended before its compressed data did.
    pub(super) fn cut_short(&self) -> Option<Fault> {
        #[cfg(feature = "gzip")]
        if !self.gunzip.is_complete() {
            return Some(self.truncated(crate::error::fault::GZIP_MEMBER));
        }
        None
    }

    /// Notes that a list came to its end. Otherwise its compression is in doubt when this is
    /// dropped.
    pub(super) fn finish(&mut self) {
        if let Some(uncompressed) = self.uncompressed.as_ref().filter(|_| self.inflates) {
            uncompressed.succeeded();
        }
        self.ends = false;
        self.inflates = false;
    }

    /// Also adds the bytes received from now on to this counter.
    pub(super) fn counted_by(mut self, counter: Option<Arc<AtomicU64>>) -> Self {
        self.counter = counter;
        self
    }

    /// Appends the next bytes of an error's body that arrive in time.
    pub(super) async fn read_error(&mut self, body: &mut Vec<u8>) {
        let read = async {
            while body.len() < ERROR_BODY_LIMIT
                && let Some(Ok(bytes)) = self.next().await
            {
                body.extend_from_slice(&bytes);
            }
        };
        // The bytes received so far may be enough.
        let _late = timeout(ERROR_BODY_PATIENCE, read).await;
        body.truncate(ERROR_BODY_LIMIT);
    }

    /// Returns the number of bytes returned so far.
    pub(super) fn returned(&self) -> u64 {
        self.returned
    }

    /// Returns the fault of a body that ended too early.
    pub(super) fn truncated(&self, within: &'static str) -> Fault {
        self.falls_back_if_compressed();
        Fault::Truncated { received: self.received, within }
    }

    /// Requests uncompressed answers for some time, because this one can't be read, if it is
    /// compressed. Returns whether it is.
    pub(super) fn falls_back_if_compressed(&self) -> bool {
        if self.inflates {
            self.fall_back();
        }
        self.inflates
    }
}

impl Drop for Incoming {
    /// Doubts the compression of an answer that did not come to its end: of a list, or of a watch
    /// that brought nothing. It may also have been abandoned for another reason, or the connection
    /// was lost, so one is no proof.
    fn drop(&mut self) {
        let brought_nothing = self.received > 0 && self.returned == 0;
        if let Some(uncompressed) = self.uncompressed.as_ref().filter(|_| self.inflates)
            && (self.ends || brought_nothing)
        {
            uncompressed.doubt();
        }
    }
}

/// Returns whether an error, or one of its causes, is about compression.
fn names_compression(error: &(dyn StdError + 'static)) -> bool {
    let words = ["compress", "gzip", "deflate", "inflate"];
    successors(Some(error), |&error| error.source()).take(MOST_CAUSES).any(|error| {
        let text = error.to_string().to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    })
}

/// Returns the body of a success and its encoding, or the fault of a failure. JSON is always
/// accepted, and protobuf only if it was requested. gzip needs a state to switch on if it fails.
pub(super) async fn accept(
    response: Response<Body>,
    verb: Verb,
    requested: Encoding,
    uncompressed: Option<Arc<Fallback>>,
) -> Result<(Incoming, Encoding), Fault> {
    let (head, body) = response.into_parts();
    let is_gzip =
        |coding: &String| ["gzip", "x-gzip"].iter().any(|name| coding.eq_ignore_ascii_case(name));
    let compressed = compressed(&head.headers);
    let inflates = uncompressed.is_some() && compressed.as_ref().is_some_and(is_gzip);
    let compressed = compressed.filter(|_| !inflates);
    let mut incoming = Incoming {
        body,
        received: 0,
        returned: 0,
        counter: None,
        uncompressed,
        ends: verb == Verb::List,
        inflates,
        #[cfg(feature = "gzip")]
        gunzip: Gunzip::new(),
        budget: YieldBudget::new(),
    };
    // Partial content is a part of a body, although it may be whole JSON.
    if head.status.is_success() && head.status != StatusCode::PARTIAL_CONTENT {
        if let Some(encoding) = compressed {
            incoming.fall_back();
            return Err(Fault::ContentEncoding(encoding));
        }
        let media_type = header(&head.headers, CONTENT_TYPE).unwrap_or("application/json");
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/json") {
            return Ok((incoming, Encoding::Json));
        }
        if requested == Encoding::Protobuf && essence.eq_ignore_ascii_case(protobuf::MEDIA_TYPE) {
            return Ok((incoming, Encoding::Protobuf));
        }
        return Err(Fault::MediaType(clipped(media_type).into_owned()));
    }
    let mut words = Vec::new();
    incoming.read_error(&mut words).await;
    // The body of a failure says nothing about compression.
    (incoming.ends, incoming.inflates) = (false, false);
    // Partial content is a part of an object, whatever its type.
    let is_text = head.status != StatusCode::PARTIAL_CONTENT
        && header(&head.headers, CONTENT_TYPE)
            .is_none_or(|of| of.get(..5).is_some_and(|of| of.eq_ignore_ascii_case("text/")));
    let mut status = status(&words, head.status.as_u16(), is_text);
    if head.status == StatusCode::GONE {
        // A version that is gone stays so, whatever the body says.
        status.code = head.status.as_u16();
    }
    if let Some(encoding) = compressed {
        // The text is compressed, but the code can be read.
        let message = format!("the message has Content-Encoding {encoding:?} and cannot be read");
        status = ApiStatus::new(head.status.as_u16(), "", message);
    }
    let requested = header(&head.headers, RETRY_AFTER).and_then(|value| value.trim().parse().ok());
    status.retry_after = status.retry_after.max(requested.map(Duration::from_secs));
    if let Some(location) = header(&head.headers, LOCATION) {
        // A query may hold a token, and what stands before the host a password.
        let location = location.split(['?', '#']).next().unwrap_or_default();
        let location = location.split_once("//").map_or_else(
            || location.to_owned(),
            |(scheme, rest)| {
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                let host = host.rsplit('@').next().unwrap_or_default();
                format!("{scheme}//{host}/{path}")
            },
        );
        let message = format!("{} (redirected to {})", status.message, clipped(&location));
        status.message = message;
    }
    Err(Fault::Status(status))
}

/// Returns the codings of a body, without those that change nothing. `None` if there are none.
fn compressed(headers: &HeaderMap) -> Option<String> {
    let encodings = headers.get_all(CONTENT_ENCODING).iter();
    let encodings = encodings.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let encoding = encodings.collect::<Vec<_>>().join(", ");
    let codings = encoding.split(',').map(str::trim);
    let codings = codings.filter(|one| !one.is_empty() && !one.eq_ignore_ascii_case("identity"));
    let codings = codings.collect::<Vec<_>>().join(", ");
    (!codings.is_empty()).then(|| clipped(&codings).into_owned())
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Parses the body of a failure: a `Status`, or some text if `is_text` is true. Any other body may
/// be an object.
fn status(body: &[u8], code: u16, is_text: bool) -> ApiStatus {
    let encoding =
        if body.starts_with(protobuf::MAGIC) { Encoding::Protobuf } else { Encoding::Json };
    encoding.status(body, code).unwrap_or_else(|| {
        // Keep enough text to recognise a proxy's error page.
        ApiStatus::new(code, "", clipped(&quotable(body, is_text)))
    })
}

/// Parses a `Status`. Returns `None` if the value is not one. An invalid field does not hide the
/// others, because the reason decides what the caller does. `code` is used if the status has none.
pub(super) fn parse_status(parsed: &Value, code: u16) -> Option<ApiStatus> {
    if parsed["kind"] != "Status" {
        return None;
    }
    let text = |value: &Value| clipped(value.as_str().unwrap_or_default()).into_owned();
    let own = parsed["code"].as_u64().and_then(|code| code.try_into().ok());
    let mut status = ApiStatus::new(
        own.filter(|code| *code != 0).unwrap_or(code),
        text(&parsed["reason"]),
        text(&parsed["message"]),
    );
    let details = &parsed["details"];
    let causes = details["causes"].as_array().into_iter().flatten();
    status.causes = causes
        .take(CAUSES)
        .map(|cause| (text(&cause["reason"]), text(&cause["message"])))
        .collect();
    status.retry_after = details["retryAfterSeconds"].as_u64().map(Duration::from_secs);
    Some(status)
}

/// Returns the fault for a request to this path that got no answer.
pub(super) fn unanswered(error: kube::Error, path: &str) -> Fault {
    let first: &(dyn StdError + 'static) = &error;
    let causes = successors(Some(first), |&error| {
        // An io::Error's own source leaves out what it wraps.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source())
    });
    let refused = causes.take(MOST_CAUSES).any(|error| {
        let io = error.downcast_ref::<io::Error>();
        io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused)
    });
    Fault::Connect { refused, source: Box::new(Unanswered::new(error, path)) }
}

/// The error of a request that got no answer.
#[derive(Debug)]
struct Unanswered {
    /// The requested path, with the server's address if it is known. A client does not reveal the
    /// name of its server.
    requested: String,
    error: kube::Error,
}

impl Unanswered {
    fn new(error: kube::Error, path: &str) -> Self {
        // Leave the query out: selectors and tokens are long.
        let path = path.split('?').next().unwrap_or_default();
        let requested = match address(&error) {
            Some(address) => format!("{address}{path}"),
            None => path.to_owned(),
        };
        Self { requested, error }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {}: {}", self.requested, self.error)
    }
}

impl StdError for Unanswered {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
    }
}

/// Returns the address that refused the connection. hyper puts it only into the `Debug` text.
fn address(error: &kube::Error) -> Option<SocketAddr> {
    let text = format!("{error:?}");
    let (_, rest) = text.split_once("ConnectError(")?;
    rest.split(", ").find_map(|part| part.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_plain_text_are_both_parsed() {
        let body = br#"{"kind":"Status","code":504,"reason":"Timeout","message":"m",
            "details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":3}}"#;
        let parsed = status(body, 500, true);
        assert_eq!((parsed.code, &*parsed.reason), (504, "Timeout"));
        assert_eq!(parsed.retry_after, Some(Duration::from_secs(3)));
        assert_eq!(parsed.class(), crate::error::FaultClass::VersionTooLarge);
        for body in [&b"404 page not found\n"[..], b"{}", b"\xff", b""] {
            assert_eq!(status(body, 404, true).class(), crate::error::FaultClass::NotFound);
        }
        assert_eq!(status(b"404 page not found\n", 404, true).message, "404 page not found");
        assert_eq!(status(b"", 404, true).message, "the body is empty");
        let page = status("<html>".repeat(9999).as_bytes(), 502, true).message;
        assert!(page.len() <= 1024 && page.ends_with("… (cut)"), "{page}");
    }

    #[test]
    fn invalid_field_hides_no_other() {
        for odd in [
            r#""details":{"retryAfterSeconds":-1}"#,
            r#""details":{"causes":[{"reason":5}]}"#,
            r#""details":7"#,
            r#""message":null"#,
        ] {
            let body = format!(r#"{{"kind":"Status","code":410,"reason":"Expired",{odd}}}"#);
            let parsed = status(body.as_bytes(), 500, true);
            assert_eq!((parsed.code, &*parsed.reason), (410, "Expired"), "{odd}");
        }
    }
}
