//! The kinds of injections, and random ones from a seed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use super::requests::{ClassifiedRequest, RequestKind};

/// A failure to inject into a request or its response, with
/// [`Faults::inject`](super::Faults::inject).
///
/// Injections that change the content must decode it: they request it uncompressed, find events in
/// JSON and in protobuf, but change objects and texts in JSON only.
#[derive(Clone)]
#[must_use]
pub struct Injection(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    Refuse,
    BlackHole,
    LoseAnswer,
    Delay(Duration),
    Answer(Arc<Response<Bytes>>),
    Stale,
    Stop { at: BodyPosition, ending: Ending },
    Drip { bytes: usize, every: Duration },
    NotUtf8 { at: u64 },
    Edit(Edit),
    HideInitialEventsEnd,
    Repeat { every: u64, later: u64 },
    Swap { every: u64 },
    ErrorEvent { after: u64, status: Arc<Value> },
}

/// Changes the nth object of a response.
pub(super) type Edit = Arc<dyn Fn(u64, &mut Value) + Send + Sync>;

/// A position in the body of a response.
///
/// ```
/// use kube_embedded_apiserver::{BodyPosition, Faults, Injection, Requests};
///
/// let faults = Faults::new();
/// let cut = faults.inject(Requests::watches().times(1), Injection::cut(BodyPosition::Event(2)));
/// assert_eq!(cut.count(), 0, "no watch was opened yet");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyPosition {
    /// After this number of bytes.
    Byte(u64),
    /// After this number of whole frames as the server sent them, in the middle of the next frame.
    Frame(u64),
    /// After this number of whole watch events, in the middle of the next event. A list in JSON
    /// counts as one event, and a list in protobuf has none.
    Event(u64),
}

/// The failure at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The connection breaks.
    Cut,
    /// The body ends normally.
    End,
    /// The body stops without an end.
    Stall,
}

impl Injection {
    /// Refuses the connection. The request does not reach the server.
    pub fn refuse() -> Self {
        Self(Kind::Refuse)
    }

    /// Never answers the request. The request does not reach the server.
    pub fn black_hole() -> Self {
        Self(Kind::BlackHole)
    }

    /// Never delivers the response, although the server executes the request.
    pub fn lose_answer() -> Self {
        Self(Kind::LoseAnswer)
    }

    /// Delays the request.
    pub fn delay(delay: Duration) -> Self {
        Self(Kind::Delay(delay))
    }

    /// Answers with this response. The request does not reach the server.
    pub fn answer(response: Response<Bytes>) -> Self {
        Self(Kind::Answer(Arc::new(response)))
    }

    /// Answers with a failure of this HTTP status, in an API server's words. The request does not
    /// reach the server.
    ///
    /// A code that is not a valid HTTP status becomes 500.
    pub fn status(code: u16) -> Self {
        let status = status(code);
        let (body, media_type) = match code {
            404 => ("404 page not found\n".into(), "text/plain; charset=utf-8"),
            429 => ("Too many requests, please try again later.\n".into(), "text/plain"),
            _ => (status.to_string(), "application/json"),
        };
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() =
            StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        Self::answer(response)
    }

    /// Answers 429, with a `Retry-After` header in whole seconds if a duration is given. The
    /// request does not reach the server.
    pub fn throttle(retry_after: Option<Duration>) -> Self {
        let mut injection = Self::status(429);
        if let (Kind::Answer(answer), Some(delay)) = (&mut injection.0, retry_after) {
            let headers = Arc::make_mut(answer).headers_mut();
            headers.insert(RETRY_AFTER, delay.as_secs().into());
        }
        injection
    }

    /// Answers a list with the response that [`remember_lists`](super::Faults::remember_lists)
    /// recorded, as a replica that lags behind does. Lists without a record pass.
    pub fn stale() -> Self {
        Self(Kind::Stale)
    }

    /// Breaks the connection at this position of the response.
    pub fn cut(at: BodyPosition) -> Self {
        Self(Kind::Stop { at, ending: Ending::Cut })
    }

    /// Ends the response normally at this position.
    pub fn truncate(at: BodyPosition) -> Self {
        Self(Kind::Stop { at, ending: Ending::End })
    }

    /// Stops the response at this position, without ending it.
    pub fn stall(at: BodyPosition) -> Self {
        Self(Kind::Stop { at, ending: Ending::Stall })
    }

    /// Delivers the response in pieces of at most `bytes` bytes, each `every` after the one before.
    pub fn drip(bytes: usize, every: Duration) -> Self {
        Self(Kind::Drip { bytes: bytes.max(1), every })
    }

    /// Replaces the first ASCII letter or digit from this byte on with a byte that is invalid in
    /// UTF-8. Affects JSON only, because texts in protobuf are not checked.
    pub fn not_utf8(at: u64) -> Self {
        Self(Kind::NotUtf8 { at })
    }

    /// Changes the objects of lists and watches in JSON.
    ///
    /// `edit` receives the number of earlier objects in this response, and the object. A list is
    /// held back until it is complete.
    pub fn edit(edit: impl Fn(u64, &mut Value) + Send + Sync + 'static) -> Self {
        Self(Kind::Edit(Arc::new(edit)))
    }

    /// Makes the nth object of a list or watch undecodable, counted from 0. Its name and version
    /// stay readable. Affects JSON only.
    pub fn poison(nth: u64) -> Self {
        Self::edit(move |n, object| {
            if n == nth {
                object["metadata"]["labels"] = json!(7);
            }
        })
    }

    /// Drops the bookmark that ends the initial events of a streaming list.
    pub fn hide_initial_events_end() -> Self {
        Self(Kind::HideInitialEventsEnd)
    }

    /// Repeats every `every`th event of a watch after `later` further events.
    pub fn repeat(every: u64, later: u64) -> Self {
        Self(Kind::Repeat { every: every.max(1), later })
    }

    /// Swaps every `every`th event of a watch with the event that follows it.
    pub fn swap(every: u64) -> Self {
        Self(Kind::Swap { every: every.max(1) })
    }

    /// Sends an ERROR event of this status after `after` events of a watch, and ends the watch.
    pub fn error_event(after: u64, code: u16) -> Self {
        Self(Kind::ErrorEvent { after, status: Arc::new(status(code)) })
    }

    /// Returns whether this finds its place by reading the content, which must not be compressed.
    pub(super) fn needs_content(&self) -> bool {
        match &self.0 {
            Kind::Stop { at, .. } => matches!(at, BodyPosition::Event(_)),
            Kind::NotUtf8 { .. }
            | Kind::Edit(_)
            | Kind::HideInitialEventsEnd
            | Kind::Repeat { .. }
            | Kind::Swap { .. }
            | Kind::ErrorEvent { .. } => true,
            _ => false,
        }
    }

    /// Returns one injection of each kind except [`answer`](Self::answer) and [`edit`](Self::edit),
    /// with positions and delays drawn from a seed. Pass them to
    /// [`Faults::inject_at_random`](super::Faults::inject_at_random).
    pub fn one_of_each(seed: u64) -> Vec<Self> {
        let mut rng = Rng::with_seed(seed);
        let mut positions = || match rng.u8(0..3) {
            0 => BodyPosition::Byte(rng.u64(0..3_000)),
            1 => BodyPosition::Frame(rng.u64(0..3)),
            _ => BodyPosition::Event(rng.u64(0..5)),
        };
        let mut injections = vec![
            Self::cut(positions()),
            Self::cut(positions()),
            Self::truncate(positions()),
            Self::stall(positions()),
        ];
        injections.extend([400, 401, 403, 404, 410, 500, 503, 504].map(Self::status));
        let seconds = Duration::from_secs;
        injections.extend([
            Self::refuse(),
            Self::black_hole(),
            Self::lose_answer(),
            Self::delay(Duration::from_millis(rng.u64(1..5_000))),
            Self::throttle(None),
            Self::throttle(Some(seconds(rng.u64(0..20)))),
            Self::stale(),
            Self::drip(rng.usize(50..500), Duration::from_millis(rng.u64(1..500))),
            Self::not_utf8(rng.u64(0..1_000)),
            Self::poison(rng.u64(0..5)),
            Self::hide_initial_events_end(),
            Self::repeat(rng.u64(1..4), rng.u64(0..3)),
            Self::swap(rng.u64(1..4)),
        ]);
        injections.extend([410, 429, 500, 504].map(|code| Self::error_event(rng.u64(0..4), code)));
        injections
    }
}

/// Returns a failure in the words of an API server.
fn status(code: u16) -> Value {
    let (reason, message) = match code {
        400 => ("BadRequest", "the request is not understood"),
        401 => ("Unauthorized", "Unauthorized"),
        403 => ("Forbidden", "forbidden: the user cannot do this at the cluster scope"),
        404 => ("NotFound", "the server could not find the requested resource"),
        409 => (
            "Conflict",
            "Operation cannot be fulfilled: the object has been modified; please apply your \
             changes to the latest version and try again",
        ),
        410 => ("Expired", "The resourceVersion for the provided list is too old."),
        429 => ("TooManyRequests", "Too many requests, please try again later."),
        500 => ("InternalError", "Internal error occurred: etcdserver: leader changed"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => ("Timeout", "Timeout: request did not complete within the allotted timeout"),
        _ => ("", "the server gave no reason"),
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    })
}

impl fmt::Debug for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Refuse => f.write_str("Refuse"),
            Kind::BlackHole => f.write_str("BlackHole"),
            Kind::LoseAnswer => f.write_str("LoseAnswer"),
            Kind::Delay(delay) => write!(f, "Delay({delay:?})"),
            Kind::Answer(answer) => write!(f, "Answer({})", answer.status()),
            Kind::Stale => f.write_str("Stale"),
            Kind::Stop { at, ending } => write!(f, "{ending:?}({at:?})"),
            Kind::Drip { bytes, every } => write!(f, "Drip({bytes} bytes every {every:?})"),
            Kind::NotUtf8 { at } => write!(f, "NotUtf8({at})"),
            Kind::Edit(_) => f.write_str("Edit"),
            Kind::HideInitialEventsEnd => f.write_str("HideInitialEventsEnd"),
            Kind::Repeat { every, later } => write!(f, "Repeat({every}, {later} later)"),
            Kind::Swap { every } => write!(f, "Swap({every})"),
            Kind::ErrorEvent { after, status } => {
                write!(f, "ErrorEvent({} after {after})", status["code"])
            }
        }
    }
}

/// Draws the injections of requests.
pub(super) struct RandomInjections {
    rng: Rng,
    rate: f64,
    injections: Vec<Injection>,
}

impl RandomInjections {
    pub(super) fn new(seed: u64, rate: f64, injections: Vec<Injection>) -> Self {
        // NaN counts as zero.
        Self { rng: Rng::with_seed(seed), rate: rate.max(0.0), injections }
    }

    /// Returns the injection of a request, if it gets one.
    pub(super) fn draw(&mut self, request: &ClassifiedRequest) -> Option<Injection> {
        if self.rng.f64() >= self.rate {
            return None;
        }
        let fitting: Vec<&Injection> =
            self.injections.iter().filter(|injection| fits(injection, request.form)).collect();
        let drawn = self.rng.choice(fitting)?;
        Some(drawn.clone())
    }
}

/// Returns whether an injection can have an effect on this kind of request.
fn fits(injection: &Injection, form: RequestKind) -> bool {
    let watch = matches!(form, RequestKind::Watch | RequestKind::StreamingList);
    match &injection.0 {
        Kind::Stale => matches!(form, RequestKind::List | RequestKind::Page),
        Kind::HideInitialEventsEnd => form == RequestKind::StreamingList,
        Kind::Repeat { .. } | Kind::Swap { .. } | Kind::ErrorEvent { .. } => watch,
        Kind::Edit(_) => form != RequestKind::Other,
        _ => true,
    }
}
