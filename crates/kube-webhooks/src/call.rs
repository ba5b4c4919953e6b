//! One call of a webhook: its time, its turn, its body, and the answer to everything that goes
//! wrong.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
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
    /// The bytes of bodies that are kept: those of as many of the largest as calls may run. Peers
    /// that send slowly take none of the turns.
    room: Arc<Semaphore>,
    /// The permit of the one call that may go beyond the room. So calls of which each keeps a part
    /// of a body do not wait for each other.
    beyond: Arc<Semaphore>,
    waiting: AtomicUsize,
    limits: Limits,
}

impl Turns {
    pub(crate) fn new(limits: Limits) -> Self {
        let permits = Arc::new(Semaphore::new(limits.concurrency.min(Semaphore::MAX_PERMITS)));
        let room = limits.body.saturating_mul(limits.concurrency).min(Semaphore::MAX_PERMITS);
        let room = Arc::new(Semaphore::new(room));
        let beyond = Arc::new(Semaphore::new(1));
        Self { permits, room, beyond, waiting: AtomicUsize::new(0), limits }
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

    /// Reads a body. The permits keep its room.
    async fn read<B>(&self, body: B) -> Result<(Bytes, [Option<OwnedSemaphorePermit>; 2]), Failure>
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let most = self.limits.body;
        let too_large = || {
            let message = format!("the review is larger than {most} bytes");
            Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        if usize::try_from(body.size_hint().lower()).map_or(true, |bytes| bytes > most) {
            return Err(too_large());
        }
        let (mut body, mut read) = (pin!(body), BytesMut::new());
        let (mut room, mut beyond) = (None, None);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                let error = crate::chain(&*error.into());
                Failure::bad_request(format!("cannot read the review: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if data.len() > most - read.len() {
                return Err(too_large());
            }
            if beyond.is_none() {
                let bytes = u32::try_from(data.len()).unwrap_or(u32::MAX);
                let (permit, held) = tokio::select! {
                    biased;
                    more = self.room.clone().acquire_many_owned(bytes) => (more, &mut room),
                    one = self.beyond.clone().acquire_owned() => (one, &mut beyond),
                };
                let permit = permit.map_err(|closed| Failure::internal(closed.to_string()))?;
                match held {
                    Some(held) => OwnedSemaphorePermit::merge(held, permit),
                    None => *held = Some(permit),
                }
            }
            read.extend_from_slice(&data);
        }
        Ok((read.freeze(), [room, beyond]))
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
    let body = timeout_at(deadline, turns.read(request.into_body()));
    let (body, room) = body.await.map_err(|_| late("reading the request"))??;
    let permit = timeout_at(deadline, turns.take());
    let permit = permit.await.map_err(|_| late("waiting for a turn"))??;
    let work = handler(body, turns.limits.any_kind);
    let work = async move {
        let verdict = work.await;
        drop((permit, room));
        verdict
    };
    let task = AbortOnDropHandle::new(tokio::spawn(work.instrument(Span::current())));
    match timeout_at(deadline, task).await {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(error)) => Err(match error.try_into_panic() {
            Ok(panic) => {
                let message = format!("the webhook panicked: {}", panic_message(panic));
                Failure { panicked: true, ..Failure::internal(message) }
            }
            Err(error) => Failure::internal(error.to_string()),
        }),
        Err(_) => Err(late("the webhook")),
    }
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

/// Returns the message of a panic. The payload is the user's value, which may panic when dropped.
pub(crate) fn panic_message(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
    text.unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use http_body::Frame;
    use http_body_util::StreamBody;
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Admission, Hook, Refusal, Webhooks};

    fn allowing() -> Hook {
        Hook::validate("/v", async |_: Admission<ConfigMap>| Ok(()))
    }

    async fn send<B>(webhooks: &Webhooks, body: B) -> (u16, String)
    where
        B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
    {
        let request = Request::post("/v?timeout=10s").body(body).unwrap();
        let response = webhooks.answer(request).await;
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        (code, body["message"].as_str().unwrap_or_default().to_owned())
    }

    fn review() -> Full<Bytes> {
        let kind = json!({ "group": "", "version": "v1", "kind": "ConfigMap" });
        let resource = json!({ "group": "", "version": "v1", "resource": "configmaps" });
        let review = json!({
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "u", "operation": "DELETE", "kind": kind, "resource": resource,
            },
        });
        Full::from(review.to_string())
    }

    /// A body that never ends.
    fn slow() -> impl http_body::Body<Data = Bytes, Error = std::io::Error> {
        let begun = stream::iter([Ok(Frame::data(Bytes::from_static(b"{")))]);
        StreamBody::new(futures::StreamExt::chain(begun, stream::pending()))
    }

    #[tokio::test(start_paused = true)]
    async fn slow_bodies_take_no_turn() {
        let hook = allowing().concurrency(1, 0);
        let webhooks = Webhooks::builder().hook(hook).build().unwrap();
        let peers: Vec<_> = (0..20)
            .map(|_| {
                let webhooks = webhooks.clone();
                tokio::spawn(async move { send(&webhooks, slow()).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let begun = Instant::now();
        assert_eq!(send(&webhooks, review()).await.0, 200);
        assert_eq!(begun.elapsed(), Duration::ZERO);
        for peer in peers {
            let (code, message) = peer.await.unwrap();
            assert_eq!((code, &*message), (504, "reading the request took longer than 9.5s"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_share_a_bounded_room() {
        let hook = allowing().concurrency(2, 0).body_limit(500);
        let webhooks = Webhooks::builder().hook(hook).build().unwrap();
        let part = || Ok::<_, std::io::Error>(Frame::data(Bytes::from_static(&[b' '; 500])));
        let large = || {
            let parts = futures::StreamExt::chain(stream::iter([part()]), stream::pending());
            let (webhooks, body) = (webhooks.clone(), StreamBody::new(parts));
            tokio::spawn(async move { send(&webhooks, body).await })
        };
        // The third goes beyond the room.
        let peers = [large(), large(), large()];
        tokio::time::sleep(Duration::from_secs(1)).await;
        // It waits for room, which the others leave at the end of their time.
        let begun = Instant::now();
        assert_eq!(send(&webhooks, review()).await.0, 200);
        assert_eq!(begun.elapsed(), Duration::from_millis(8_500));
        for peer in peers {
            assert_eq!(peer.await.unwrap().0, 504);
        }
        let more = StreamBody::new(stream::iter([part(), part()]));
        assert_eq!(send(&webhooks, more).await.0, 413);
    }

    /// Each call keeps a part of its body, and none has room for the rest.
    #[tokio::test(start_paused = true)]
    async fn bodies_in_parts_do_not_wait_for_each_other() {
        let hook = allowing().concurrency(1, 100).body_limit(500);
        let webhooks = Webhooks::builder().hook(hook).build().unwrap();
        let review = review().collect().await.unwrap().to_bytes();
        let parts: Vec<_> = review.chunks(50).map(Bytes::copy_from_slice).collect();
        assert!(parts.len() > 2 && review.len() <= 500);
        let calls = (0..20).map(|_| {
            let parts = futures::StreamExt::then(stream::iter(parts.clone()), async |part| {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok::<_, std::io::Error>(Frame::data(part))
            });
            let (webhooks, body) = (webhooks.clone(), StreamBody::new(Box::pin(parts)));
            async move { send(&webhooks, body).await.0 }
        });
        let begun = Instant::now();
        assert_eq!(futures::future::join_all(calls).await, [200; 20]);
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test]
    async fn size_beyond_the_limit_is_refused_unread() {
        struct Claims;
        impl http_body::Body for Claims {
            type Data = Bytes;
            type Error = BoxError;

            fn poll_frame(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<Result<Frame<Bytes>, BoxError>>> {
                panic!("it is not read")
            }

            fn size_hint(&self) -> http_body::SizeHint {
                http_body::SizeHint::with_exact(1 << 40)
            }
        }
        let webhooks = Webhooks::builder().hook(allowing()).build().unwrap();
        assert_eq!(send(&webhooks, Claims).await.0, 413);
    }

    /// A payload of a panic that panics when it is dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped")
        }
    }

    #[tokio::test]
    async fn panics_anywhere_are_answered() {
        let explodes = Hook::validate("/v", async |_: Admission<ConfigMap>| {
            std::panic::panic_any(Bomb);
            #[expect(unreachable_code, reason = "the type of the result")]
            Ok::<(), Refusal>(())
        });
        let unready = allowing().ready_when(|| panic!("as asked"));
        for (hook, answer) in [
            (explodes, (500, "the webhook panicked: without a message")),
            (unready, (503, "a condition panicked: as asked")),
        ] {
            let webhooks = Webhooks::builder().hook(hook).build().unwrap();
            let (code, message) = send(&webhooks, review()).await;
            assert_eq!((code, &*message), answer);
            assert_eq!(webhooks.status().hooks[0].failed, 1);
        }
    }

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
