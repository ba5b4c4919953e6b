//! One call of a webhook: its time, its turn, its body, and the answer to everything that goes
//! wrong.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument, Span};

use crate::BoxError;
use crate::admission::Verdict;

/// The longest part of the API server's time that is kept for the way back.
const MARGIN: Duration = Duration::from_millis(500);

/// The code of a webhook: it gets the body of a review, and returns that of the answer.
///
/// The flag is set if objects may have another kind than that of the closure.
pub(crate) type Handler =
    Arc<dyn Fn(Bytes, bool) -> BoxFuture<'static, Result<Verdict, Failure>> + Send + Sync>;

/// A call without a judgement. API servers take it as a failure of the webhook, so that the failure
/// policy decides, and show the message.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: StatusCode,
    pub(crate) message: String,
    /// The webhook's code panicked.
    pub(crate) panicked: bool,
}

impl Failure {
    pub(crate) fn new(code: StatusCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), panicked: false }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// Returns the answer, which holds a `Status`.
    pub(crate) fn into_response(self) -> Response<Full<Bytes>> {
        let status = Status {
            status: Some("Failure".to_owned()),
            code: Some(self.code.as_u16().into()),
            message: Some(self.message),
            ..Status::default()
        };
        let mut response = respond(self.code, serde_json::to_vec(&status).unwrap_or_default());
        if self.code == StatusCode::TOO_MANY_REQUESTS {
            // API servers try again while the webhook's time lasts.
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// Returns an answer in JSON.
pub(crate) fn respond(code: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = code;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Limits of the calls of one webhook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Calls at the same time.
    pub(crate) concurrency: usize,
    /// Calls that wait for their turn.
    pub(crate) queue: usize,
    /// The bytes of a request's body.
    pub(crate) body: usize,
    /// The time of a call, unless the API server names a shorter one.
    pub(crate) time: Duration,
    /// Objects may have another kind than that of the closure.
    pub(crate) any_kind: bool,
}

/// The turns of one webhook's calls.
#[derive(Debug)]
pub(crate) struct Turns {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    limits: Limits,
}

impl Turns {
    pub(crate) fn new(limits: Limits) -> Self {
        let permits = Arc::new(Semaphore::new(limits.concurrency));
        Self { permits, waiting: AtomicUsize::new(0), limits }
    }

    /// Returns the number of calls that run. Code that outlives its call counts.
    pub(crate) fn running(&self) -> usize {
        self.limits.concurrency.saturating_sub(self.permits.available_permits())
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    async fn take(&self) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let place = Place::enter(&self.waiting, self.limits.queue);
        let Limits { concurrency, queue, .. } = self.limits;
        let _place = place.ok_or_else(|| {
            Failure::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!("{concurrency} calls of the webhook run, and {queue} wait"),
            )
        })?;
        // Nothing closes the semaphore.
        let permit = self.permits.clone().acquire_owned().await;
        permit.map_err(|closed| Failure::internal(closed.to_string()))
    }
}

/// A place in the queue.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn enter(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(waiting);
        // Leaving by the drop is right also for a place beyond the end.
        (waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs a webhook's code. Its panic and the end of its time are failures. The code is dropped then,
/// and when the future of this call is dropped. Code that blocks its thread keeps its turn.
pub(crate) async fn call<B>(
    turns: &Turns,
    handler: &Handler,
    request: Request<B>,
) -> Result<Verdict, Failure>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
{
    let limit = time_limit(request.uri().query(), turns.limits.time);
    let deadline = Instant::now() + limit;
    let late = |doing: &str| {
        Failure::new(StatusCode::GATEWAY_TIMEOUT, format!("{doing} took longer than {limit:?}"))
    };
    let permit = timeout_at(deadline, turns.take());
    let permit = permit.await.map_err(|_| late("waiting for a turn"))??;
    let body = timeout_at(deadline, read(request.into_body(), turns.limits.body));
    let body = body.await.map_err(|_| late("reading the request"))??;
    let work = handler(body, turns.limits.any_kind);
    let work = async move {
        let verdict = work.await;
        drop(permit);
        verdict
    };
    let task = AbortOnDropHandle::new(tokio::spawn(work.instrument(Span::current())));
    match timeout_at(deadline, task).await {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(error)) => Err(match error.try_into_panic() {
            Ok(panic) => {
                let message = format!("the webhook panicked: {}", panic_message(&*panic));
                Failure { panicked: true, ..Failure::internal(message) }
            }
            Err(error) => Failure::internal(error.to_string()),
        }),
        Err(_) => Err(late("the webhook")),
    }
}

async fn read<B>(body: B, most: usize) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
{
    let read = std::pin::pin!(Limited::new(body, most)).collect().await;
    read.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            let message = format!("the review is larger than {most} bytes");
            Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        } else {
            Failure::bad_request(format!("cannot read the review: {}", crate::chain(&*error)))
        }
    })
}

/// Returns the time of a call: that which the API server waits, as its query says, without the way
/// back, or else the webhook's own.
fn time_limit(query: Option<&str>, own: Duration) -> Duration {
    let named =
        query.and_then(|query| query.split('&').find_map(|part| part.strip_prefix("timeout=")));
    let seconds = named.and_then(|named| named.strip_suffix('s')).and_then(|n| n.parse().ok());
    let Some(waits) = seconds.map(Duration::from_secs) else { return own };
    own.min(waits.saturating_sub(MARGIN.min(waits / 10)))
}

/// Returns the message of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_the_api_server_is_kept() {
        let own = Duration::from_secs(10);
        let limit = |query| time_limit(query, own).as_millis();
        assert_eq!(limit(None), 10_000);
        assert_eq!(limit(Some("timeout=1s")), 900);
        assert_eq!(limit(Some("a=b&timeout=8s")), 7_500);
        assert_eq!(limit(Some("timeout=30s")), 10_000);
        assert_eq!(limit(Some("timeout=soon")), 10_000);
        assert_eq!(limit(Some("timeout=0s")), 0);
    }
}
