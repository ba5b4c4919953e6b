//! Events about objects, published in the background.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Client, Resource};
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout};

use super::spam::SpamFilter;
use crate::panic::catch_async;
use crate::sync::Mutex;

/// The number of events that wait to be published.
const QUEUE: usize = 1000;
/// The number of tries of one event, and the pause between two, as client-go has them.
const TRIES: usize = 12;
const PAUSE: Duration = Duration::from_secs(10);
/// The longest texts that a server accepts, in bytes.
const LONGEST_REASON: usize = 128;
const LONGEST_NOTE: usize = 1024;

/// Publishes events about objects, which `kubectl describe` shows.
///
/// A call returns at once: a task of its own sends the event through kube's [`Recorder`]. Equal
/// events (object, type, reason) within six minutes become one event with a count, which keeps the
/// first note. As in client-go, at most 25 events about one object are published at once, then one
/// in five minutes. At most 1,000 events wait. Events beyond these limits are dropped, counted and
/// logged. If the server cannot be reached, an event is tried 12 times, 10 s apart.
///
/// An event says what happened to the people who look at the object. It must not repeat the
/// contents of a Secret. A reason longer than 128 bytes and a note longer than 1,024 bytes are cut.
///
/// The task ends after the last clone is dropped and the waiting events are published. Call
/// [`flush`](Self::flush) before the program ends.
///
/// The service account needs the verbs `create` and `patch` for `events` in `events.k8s.io`, in the
/// objects' namespaces. Events about cluster-scoped objects are in `default`.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::testing::ApiServer;
/// use kube_informer::writing::EventRecorder;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let client = ApiServer::new().client();
/// let events = EventRecorder::new(client, "site-controller");
/// # let mut site = ConfigMap::default();
/// # site.metadata.namespace = Some("shop".into());
/// # site.metadata.name = Some("site".into());
/// events.normal(&site, "Scaled", format!("scaled to {} replicas", 3));
/// events.warning(&site, "NoImage", "the image does not exist");
/// assert!(events.flush(Duration::from_secs(5)).await);
/// # });
/// # }
/// ```
#[derive(Clone)]
pub struct EventRecorder {
    shared: Arc<Shared>,
    queue: mpsc::Sender<Message>,
}

#[derive(Default)]
struct Shared {
    spam: Mutex<SpamFilter>,
    published: AtomicU64,
    dropped: AtomicU64,
    filtered: AtomicU64,
    failed: AtomicU64,
}

enum Message {
    Publish(Box<(Event, ObjectReference)>),
    /// Answers when all earlier messages are done.
    Flush(oneshot::Sender<()>),
}

/// The counts of an [`EventRecorder`].
///
/// ```
/// use kube_informer::writing::EventRecorderStatus;
///
/// fn is_complete(status: &EventRecorderStatus) -> bool {
///     status.dropped + status.filtered + status.failed == 0
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventRecorderStatus {
    /// The number of published events, each time that an event is counted again included.
    pub published: u64,
    /// The number of events that were dropped because too many waited.
    pub dropped: u64,
    /// The number of events that were dropped because there were too many about one object.
    pub filtered: u64,
    /// The number of events that the server refused, or that could not be sent.
    pub failed: u64,
}

impl EventRecorder {
    /// Creates a recorder, and starts its task. `controller` is the name that the events report,
    /// with the host's name; a [`Reporter`] sets another instance.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    #[must_use]
    pub fn new(client: Client, controller: impl Into<Reporter>) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::default());
        let publisher = Publisher { client, reporter: controller.into(), shared: shared.clone() };
        tokio::spawn(publisher.run(waiting));
        Self { shared, queue }
    }

    /// Records that something happened as expected.
    pub fn normal<K>(&self, object: &K, reason: impl Into<String>, note: impl Into<String>)
    where
        K: Resource<DynamicType: Default>,
    {
        self.record(object, EventType::Normal, reason.into(), note.into());
    }

    /// Records that something needs attention.
    pub fn warning<K>(&self, object: &K, reason: impl Into<String>, note: impl Into<String>)
    where
        K: Resource<DynamicType: Default>,
    {
        self.record(object, EventType::Warning, reason.into(), note.into());
    }

    fn record<K>(&self, object: &K, type_: EventType, reason: String, note: String)
    where
        K: Resource<DynamicType: Default>,
    {
        let regarding = object.object_ref(&K::DynamicType::default());
        let (action, note) = (reason.clone(), Some(note).filter(|note| !note.is_empty()));
        self.publish(Event { type_, reason, note, action, secondary: None }, regarding);
    }

    /// Records an event of kube's type, with an action and a related object of its own.
    pub fn publish(&self, mut event: Event, regarding: ObjectReference) {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        let ObjectReference { api_version, kind, namespace, name, uid, .. } = &regarding;
        let object = [api_version, kind, namespace, name, uid].map(part).join("/");
        if !self.shared.spam.lock().allows(&object, Instant::now()) {
            let filtered = count(&self.shared.filtered);
            report(
                filtered,
                "events about one object exceed the limit: this one is dropped",
                &object,
            );
            return;
        }
        cut(&mut event.reason, LONGEST_REASON);
        cut(&mut event.action, LONGEST_REASON);
        if let Some(note) = &mut event.note {
            cut(note, LONGEST_NOTE);
        }
        if self.queue.try_send(Message::Publish(Box::new((event, regarding)))).is_err() {
            let dropped = count(&self.shared.dropped);
            report(dropped, "too many events wait: this one is dropped", &object);
        }
    }

    /// Waits until the events recorded so far are published or have failed, for at most `limit`.
    /// Returns whether that is so. Cancel safe.
    pub async fn flush(&self, limit: Duration) -> bool {
        let (done, flushed) = oneshot::channel();
        let flushing =
            async { self.queue.send(Message::Flush(done)).await.is_ok() && flushed.await.is_ok() };
        timeout(limit, flushing).await.unwrap_or(false)
    }

    /// Returns the counts of this recorder.
    pub fn status(&self) -> EventRecorderStatus {
        let Shared { published, dropped, filtered, failed, .. } = &*self.shared;
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        EventRecorderStatus {
            published: read(published),
            dropped: read(dropped),
            filtered: read(filtered),
            failed: read(failed),
        }
    }
}

/// The task that sends the events.
struct Publisher {
    client: Client,
    reporter: Reporter,
    shared: Arc<Shared>,
}

impl Publisher {
    async fn run(self, mut waiting: mpsc::Receiver<Message>) {
        let mut recorder = self.recorder();
        while let Some(message) = waiting.recv().await {
            let (event, regarding) = match message {
                Message::Publish(publish) => *publish,
                Message::Flush(done) => {
                    let _nobody_waits = done.send(());
                    continue;
                }
            };
            // The client's layers are the user's.
            match catch_async(self.publish(&mut recorder, &event, &regarding)).await {
                Ok(Ok(())) => drop(count(&self.shared.published)),
                Ok(Err(error)) => self.failed(&regarding, &error),
                Err(panic) => self.failed(&regarding, &panic),
            }
        }
    }

    fn recorder(&self) -> Recorder {
        Recorder::new(self.client.clone(), self.reporter.clone())
    }

    async fn publish(
        &self,
        recorder: &mut Recorder,
        event: &Event,
        regarding: &ObjectReference,
    ) -> Result<(), kube::Error> {
        let mut tries = 0;
        let mut renewed = false;
        loop {
            tries += 1;
            match recorder.publish(event, regarding).await {
                Err(kube::Error::Api(status)) if status.is_not_found() && !renewed => {
                    // The event whose count was to grow has expired. A new recorder creates
                    // it again.
                    renewed = true;
                    *recorder = self.recorder();
                }
                Err(error) if tries < TRIES && may_pass(&error) => sleep(PAUSE).await,
                published => return published,
            }
        }
    }

    fn failed(&self, regarding: &ObjectReference, error: &dyn fmt::Display) {
        count(&self.shared.failed);
        let (namespace, name) = (regarding.namespace.as_deref(), regarding.name.as_deref());
        tracing::warn!(%error, namespace, name, "an event was not published");
    }
}

/// Returns whether a later try may succeed.
fn may_pass(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => status.code == 429 || status.code >= 500,
        kube::Error::Service(_) | kube::Error::HyperError(_) => true,
        _ => false,
    }
}

fn count(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// Logs the first dropped event, the second, the fourth, and so on: a flood of events is no flood
/// of lines.
fn report(count: u64, message: &str, object: &str) {
    if count.is_power_of_two() {
        tracing::warn!(object, count, "{message}");
    }
}

/// Cuts a text to at most `limit` bytes, and marks the cut.
fn cut(text: &mut String, limit: usize) {
    const MARK: char = '…';
    if text.len() <= limit {
        return;
    }
    let mut end = limit - MARK.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push(MARK);
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecorder").field("status", &self.status()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        for limit in 3..20 {
            let mut text = "aäöü€𝄞".repeat(10);
            cut(&mut text, limit);
            assert!(text.len() <= limit && text.ends_with('…'), "{text}");
        }
        let mut short = "short".to_owned();
        cut(&mut short, 5);
        assert_eq!(short, "short");
    }
}
