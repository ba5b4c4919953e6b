//! What can be done to a request and to its answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

/// One thing that goes wrong.
///
/// Those that change what an answer says need to understand it: events are told apart in JSON and in
/// protobuf, single objects are changed in JSON only.
#[derive(Clone)]
#[must_use]
pub struct Harm(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    Refuse,
    BlackHole,
    LoseAnswer,
    Delay(Duration),
    Answer(Arc<Response<Bytes>>),
    Stale,
    Stop { at: Spot, ending: Ending },
    Drip { bytes: usize, every: Duration },
    NotUtf8 { at: u64 },
    Edit(Edit),
    HideInitialEventsEnd,
    Repeat { every: u64, later: u64 },
    Swap { every: u64 },
    ErrorEvent { after: u64, status: Arc<Value> },
}

/// Changes the nth object of an answer.
pub(super) type Edit = Arc<dyn Fn(u64, &mut Value) + Send + Sync>;

/// Where in an answer something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spot {
    /// After so many bytes of the body.
    Byte(u64),
    /// After so many whole pieces of the body, as they came from the server, in the middle of the
    /// next.
    Frame(u64),
    /// After so many whole events of a watch, in the middle of the next. A list in JSON is one line
    /// and counts as one event; one in protobuf has none.
    Event(u64),
}

/// What happens there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The connection breaks.
    Cut,
    /// The body ends in good order.
    End,
    /// Nothing comes any more.
    Stall,
}

impl Harm {
    /// The connection is refused; the server never hears of the request.
    pub fn refuse() -> Self {
        Self(Kind::Refuse)
    }

    /// The request is never answered; nor does the server hear of it.
    pub fn black_hole() -> Self {
        Self(Kind::BlackHole)
    }

    /// The server does what was asked, and its answer never comes.
    pub fn lose_answer() -> Self {
        Self(Kind::LoseAnswer)
    }

    /// The request takes so much longer.
    pub fn delay(delay: Duration) -> Self {
        Self(Kind::Delay(delay))
    }

    /// This is the answer; the server never hears of the request.
    pub fn answer(response: Response<Bytes>) -> Self {
        Self(Kind::Answer(Arc::new(response)))
    }

    /// The answer is a failure of this status, in an API server's words; the server never hears of
    /// the request.
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

    /// The answer is 429, with a `Retry-After` or without; the server never hears of the request.
    pub fn throttle(retry_after: Option<Duration>) -> Self {
        let mut harm = Self::status(429);
        if let (Kind::Answer(answer), Some(delay)) = (&mut harm.0, retry_after) {
            let headers = Arc::make_mut(answer).headers_mut();
            headers.insert(RETRY_AFTER, delay.as_secs().into());
        }
        harm
    }

    /// A list is answered with what [`remember_lists`](super::Faults::remember_lists) remembers of
    /// it, as by a replica that lags behind. What is not remembered passes.
    pub fn stale() -> Self {
        Self(Kind::Stale)
    }

    /// The connection breaks at this spot of the answer.
    pub fn cut(at: Spot) -> Self {
        Self(Kind::Stop { at, ending: Ending::Cut })
    }

    /// The answer ends at this spot, in good order.
    pub fn truncate(at: Spot) -> Self {
        Self(Kind::Stop { at, ending: Ending::End })
    }

    /// From this spot on the answer brings nothing, and does not end.
    pub fn stall(at: Spot) -> Self {
        Self(Kind::Stop { at, ending: Ending::Stall })
    }

    /// The answer comes in pieces of so many bytes, each so long after the one before.
    pub fn drip(bytes: usize, every: Duration) -> Self {
        Self(Kind::Drip { bytes: bytes.max(1), every })
    }

    /// A letter or digit among others becomes a byte that is no UTF-8: the first from this byte on.
    pub fn not_utf8(at: u64) -> Self {
        Self(Kind::NotUtf8 { at })
    }

    /// Changes the objects of lists and watches, in JSON; `edit` is given the object and how many
    /// came before it in this answer. A list is held back until it is whole.
    pub fn edit(edit: impl Fn(u64, &mut Value) + Send + Sync + 'static) -> Self {
        Self(Kind::Edit(Arc::new(edit)))
    }

    /// Makes the nth object of a list or watch, counted from 0, one that no type can decode, though
    /// its name and version can be read. JSON only.
    pub fn poison(nth: u64) -> Self {
        Self::edit(move |n, object| {
            if n == nth {
                object["metadata"]["labels"] = json!(7);
            }
        })
    }

    /// The bookmark that ends the initial events of a streaming list never comes.
    pub fn hide_initial_events_end() -> Self {
        Self(Kind::HideInitialEventsEnd)
    }

    /// Every so manieth event of a watch comes once more, after `later` further ones.
    pub fn repeat(every: u64, later: u64) -> Self {
        Self(Kind::Repeat { every: every.max(1), later })
    }

    /// Every so manieth event of a watch comes after the one that follows it.
    pub fn swap(every: u64) -> Self {
        Self(Kind::Swap { every: every.max(1) })
    }

    /// After so many events of a watch comes an ERROR of this status, and the end.
    pub fn error_event(after: u64, code: u16) -> Self {
        Self(Kind::ErrorEvent { after, status: Arc::new(status(code)) })
    }

    /// One harm of each kind but [`answer`](Self::answer) and [`edit`](Self::edit), with spots and
    /// delays drawn from a seed: something for [`at_random`](super::Faults::at_random).
    pub fn one_of_each(seed: u64) -> Vec<Self> {
        let mut rng = Rng::with_seed(seed);
        let mut spots = || match rng.u8(0..3) {
            0 => Spot::Byte(rng.u64(0..3_000)),
            1 => Spot::Frame(rng.u64(0..3)),
            _ => Spot::Event(rng.u64(0..5)),
        };
        let mut harms = vec![
            Self::cut(spots()),
            Self::cut(spots()),
            Self::truncate(spots()),
            Self::stall(spots()),
        ];
        harms.extend([400, 401, 403, 404, 410, 500, 503, 504].map(Self::status));
        let seconds = Duration::from_secs;
        harms.extend([
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
        harms.extend([410, 429, 500, 504].map(|code| Self::error_event(rng.u64(0..4), code)));
        harms
    }
}

/// A failure in the words of an API server.
fn status(code: u16) -> Value {
    let (reason, message) = match code {
        400 => ("BadRequest", "the request is not understood"),
        401 => ("Unauthorized", "Unauthorized"),
        403 => ("Forbidden", "forbidden: the user cannot do this at the cluster scope"),
        404 => ("NotFound", "the server could not find the requested resource"),
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

impl fmt::Debug for Harm {
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
