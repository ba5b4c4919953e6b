//! Events about objects, published in the background.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{Client, Resource};
use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};

use super::publisher::{Event, EventType, Publisher, Reporter};
use super::spam::SpamFilter;
use crate::basics::Mutex;
use kube_informer::object::{InvalidName, NameRule};
use kube_informer::seams::catch_async;

/// The number of events that wait to be published.
const QUEUE: usize = 1000;
/// The longest texts that a server accepts, in bytes.
const LONGEST_INSTANCE: usize = 128;
const LONGEST_REASON: usize = 128;
const LONGEST_NOTE: usize = 1024;
/// The reason of events without one, which a server would refuse.
const NO_REASON: &str = "Unspecified";

/// A recorder of events about objects, which `kubectl describe` shows.
///
/// A call returns at once: a separate task sends the event. Equal events (object, type, reason),
/// each within six minutes of the one before, become one event with a count, which keeps the first
/// note. The recorder remembers 4,096 such events. If there are more, it forgets the older ones:
/// the next equal event begins a new count. As in client-go, at most 25 events about one object are
/// published at once, then one in five minutes. At most 1,000 events wait. Events beyond these
/// limits are dropped, counted and logged. If the server cannot be reached or does not answer
/// within 10 s, an event is tried 12 times, 10 s apart.
///
/// As in client-go, the event's name is that of the object and a time. If no event can have that
/// name, as with `system:node`, characters other than letters and digits become dashes, and a long
/// name is cut.
///
/// An event tells people who look at the object what happened. It must not repeat the contents of
/// a Secret. A reason longer than 128 bytes and a note longer than 1,024 bytes are cut. An empty
/// reason becomes `Unspecified`.
///
/// The task ends after the last clone is dropped and the waiting events are published. Call
/// [`flush`](Self::flush) before the program ends. Give the recorder to
/// `ManagerBuilder::events`, which calls it.
///
/// The service account needs the verbs `create` and `patch` for `events` in `events.k8s.io`, in the
/// objects' namespaces. Events about cluster-scoped objects are in `default`.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::testing::ApiServer;
/// use kube_controllers::writing::EventRecorder;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let client = ApiServer::new().client();
/// let events = EventRecorder::new(client, "site-controller")?;
/// # let mut site = ConfigMap::default();
/// # site.metadata.namespace = Some("shop".into());
/// # site.metadata.name = Some("site".into());
/// events.normal(&site, "Scaled", format!("scaled to {} replicas", 3));
/// events.warning(&site, "NoImage", "the image does not exist");
/// assert!(events.flush(Duration::from_secs(5)).await);
/// # Ok::<(), kube_informer::object::InvalidName>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone)]
pub struct EventRecorder {
    shared: Arc<RecorderState>,
    queue: mpsc::Sender<Box<Publication>>,
    /// The number of events that have left the queue and are published or have failed.
    done: watch::Receiver<u64>,
}

type Publication = (Event, ObjectReference);

#[derive(Default)]
struct RecorderState {
    spam: Mutex<SpamFilter>,
    /// The number of events that have entered the queue.
    queued: AtomicU64,
    published: AtomicU64,
    dropped: AtomicU64,
    filtered: AtomicU64,
    failed: AtomicU64,
}

/// An event to [publish](EventRecorder::publish): its type and reason, and further texts and
/// references.
///
/// An event about an object of a kind that is known only at run time:
///
/// ```
/// use kube::api::DynamicObject;
/// use kube::core::ApiResource;
/// use kube::Resource;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_controllers::writing::{EventRecorder, NewEvent};
///
/// fn tell(events: &EventRecorder, site: &DynamicObject, resource: &ApiResource, pod: &Pod) {
///     let evicted = NewEvent::warning("Evicted").note("the node is full").action("Evict");
///     events.publish(site.object_ref(resource), evicted.related(pod.object_ref(&())));
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "an event does nothing before it is published"]
pub struct NewEvent(Event);

impl NewEvent {
    /// Creates an event that something happened as expected.
    pub fn normal(reason: impl Into<String>) -> Self {
        Self::of(EventType::Normal, reason.into())
    }

    /// Creates an event that something needs attention.
    pub fn warning(reason: impl Into<String>) -> Self {
        Self::of(EventType::Warning, reason.into())
    }

    fn of(type_: EventType, reason: String) -> Self {
        Self(Event { type_, reason, note: None, action: None, related: None })
    }

    /// Sets the text for people. One longer than 1,024 bytes is cut.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.note = Some(note.into()).filter(|note| !note.is_empty());
        self
    }

    /// Sets the action that was taken or failed; the reason unless set. One longer than 128 bytes
    /// is cut.
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.0.action = Some(action.into()).filter(|action| !action.is_empty());
        self
    }

    /// Sets the second object that the event is about.
    pub fn related(mut self, object: ObjectReference) -> Self {
        self.0.related = Some(object);
        self
    }
}

/// The counts of an [`EventRecorder`].
///
/// ```
/// use kube_controllers::writing::EventRecorderStatus;
///
/// fn is_complete(status: &EventRecorderStatus) -> bool {
///     status.dropped + status.filtered + status.failed == 0
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventRecorderStatus {
    /// The number of published events, including each repetition of an event.
    pub published: u64,
    /// The number of events that were dropped because too many waited.
    pub dropped: u64,
    /// The number of events that were dropped because there were too many about one object.
    pub filtered: u64,
    /// The number of events that the server refused, or that could not be sent. Also those about an
    /// object whose namespace no namespace can have as its name.
    pub failed: u64,
    /// The number of events that wait, including the one that is sent or retried now.
    pub waiting: u64,
}

impl EventRecorder {
    /// Creates a recorder, and starts its task. The events report the controller's name, and the
    /// variable `HOSTNAME`, which is the pod's name, as the instance. If this variable is not set
    /// or empty, the instance is the controller's name, too. An instance longer than 128 bytes is
    /// cut.
    ///
    /// # Errors
    /// [`InvalidName`] if the controller's name is no [qualified name](NameRule::Qualified),
    /// because a server would refuse every event.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn new(client: Client, controller: impl Into<String>) -> Result<Self, InvalidName> {
        Self::of(client, controller.into())
    }

    fn of(client: Client, controller: String) -> Result<Self, InvalidName> {
        NameRule::Qualified.check("controller that reports events", &controller)?;
        let instance = instance(std::env::var("HOSTNAME").ok(), &controller);
        let reporter = Reporter { controller, instance };
        let (queue, waiting) = mpsc::channel(QUEUE);
        let shared = Arc::new(RecorderState::default());
        let (finished, done) = watch::channel(0);
        let publisher = Publisher::new(client, reporter);
        let publishing = publish_all(publisher, shared.clone(), waiting, finished);
        tokio::spawn(publishing.boxed());
        Ok(Self { shared, queue, done })
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
        self.publish(regarding, NewEvent::of(type_, reason).note(note));
    }

    /// Records an event about the object of this reference. Equal events have the same action and
    /// related object, too.
    pub fn publish(&self, mut regarding: ObjectReference, event: NewEvent) {
        let NewEvent(mut event) = event;
        regarding.namespace = regarding.namespace.filter(|namespace| !namespace.is_empty());
        if let Some(namespace) = &regarding.namespace
            && let Err(invalid) = NameRule::Label.check("namespace", namespace)
        {
            self.shared.failed(&regarding, &invalid);
            return;
        }
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
        if event.reason.is_empty() {
            NO_REASON.clone_into(&mut event.reason);
        }
        cut(&mut event.reason, LONGEST_REASON);
        if let Some(action) = &mut event.action {
            cut(action, LONGEST_REASON);
        }
        if let Some(note) = &mut event.note {
            cut(note, LONGEST_NOTE);
        }
        let Ok(permit) = self.queue.try_reserve() else {
            let dropped = count(&self.shared.dropped);
            report(dropped, "too many events wait: this one is dropped", &object);
            return;
        };
        // Counted before it is sent, so that a flush never waits for too few.
        count(&self.shared.queued);
        permit.send(Box::new((event, regarding)));
    }

    /// Waits until the events recorded so far are published or have failed, for at most `limit`.
    /// Returns false if some still waited then. Cancel safe.
    pub async fn flush(&self, limit: Duration) -> bool {
        let queued = self.shared.queued.load(Ordering::Relaxed);
        let mut done = self.done.clone();
        matches!(timeout(limit, done.wait_for(|done| *done >= queued)).await, Ok(Ok(_)))
    }

    /// Returns the counts of this recorder.
    pub fn status(&self) -> EventRecorderStatus {
        let RecorderState { published, dropped, filtered, failed, queued, .. } = &*self.shared;
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let done = *self.done.borrow();
        EventRecorderStatus {
            published: read(published),
            dropped: read(dropped),
            filtered: read(filtered),
            failed: read(failed),
            waiting: read(queued).saturating_sub(done),
        }
    }
}

/// Sends the events, until all recorders are dropped.
async fn publish_all(
    mut publisher: Publisher,
    shared: Arc<RecorderState>,
    mut waiting: mpsc::Receiver<Box<Publication>>,
    finished: watch::Sender<u64>,
) {
    while let Some(publication) = waiting.recv().await {
        let (event, regarding) = *publication;
        // The client's layers are user code.
        match catch_async(publisher.publish(&event, &regarding)).await {
            Ok(Ok(())) => drop(count(&shared.published)),
            Ok(Err(error)) => shared.failed(&regarding, &error),
            Err(panic) => shared.failed(&regarding, &panic),
        }
        finished.send_modify(|finished| *finished += 1);
    }
}

impl RecorderState {
    fn failed(&self, regarding: &ObjectReference, error: &dyn fmt::Display) {
        count(&self.failed);
        let (namespace, name) = (regarding.namespace.as_deref(), regarding.name.as_deref());
        tracing::warn!(%error, namespace, name, "an event was not published");
    }
}

fn count(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// Logs the first dropped event, the second, the fourth, and so on: a flood of events causes no
/// flood of lines.
fn report(count: u64, message: &str, object: &str) {
    if count.is_power_of_two() {
        tracing::warn!(object, count, "{message}");
    }
}

/// Returns the instance that events report.
fn instance(host: Option<String>, controller: &str) -> String {
    let host = host.filter(|host| !host.is_empty());
    let mut instance = host.unwrap_or_else(|| controller.to_owned());
    cut(&mut instance, LONGEST_INSTANCE);
    instance
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
        for host in [None, Some(String::new())] {
            assert_eq!(instance(host, "c"), "c");
        }
        assert_eq!(instance(Some("pod-0".into()), "c"), "pod-0");
        assert_eq!(instance(Some("ü".repeat(90)), "c").len(), 127);
        let mut short = "short".to_owned();
        cut(&mut short, 5);
        assert_eq!(short, "short");
    }
}
