//! Handlers that fold what they are told, each in its own unpleasant way.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures::StreamExt;
use kube_informer::{Event, HandlerOptions, HandlerRegistration, SharedInformer};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::ON_PURPOSE;
use super::object::Thing;

/// The events of a handler, folded, and the contradictions in them.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) contents: BTreeMap<String, Arc<Thing>>,
    pub(crate) nonsense: Vec<String>,
    pub(crate) events: u64,
}

impl Told {
    fn fold(&mut self, event: Event<Thing>) {
        self.events += 1;
        let key = event.object().key();
        let known = self.contents.get(&key);
        let sensible = match (&event, known) {
            (Event::Added { .. }, None) => true,
            (Event::Updated { old, .. }, Some(known)) => old == known,
            (Event::Deleted { object, .. }, Some(known)) => {
                object.metadata.uid == known.metadata.uid
            }
            _ => false,
        };
        if !sensible {
            self.nonsense.push(format!("{event:?} where {known:?} was known"));
        }
        match event {
            Event::Added { object, .. } | Event::Updated { new: object, .. } => {
                self.contents.insert(key, object);
            }
            Event::Deleted { .. } | Event::MovedAway { .. } => drop(self.contents.remove(&key)),
        }
    }
}

/// A handler that was added to an informer.
pub(crate) struct Handler {
    pub(crate) told: Arc<Mutex<Told>>,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Called(HandlerRegistration),
    /// Takes its events from a stream, and its time with each.
    Streaming(JoinHandle<()>),
}

impl Handler {
    pub(crate) fn add(informer: &SharedInformer<Thing>, rng: &mut Rng) -> Self {
        let told = Arc::new(Mutex::new(Told::default()));
        let folded = told.clone();
        let mut options = HandlerOptions::new();
        if rng.bool() {
            options = options.backlog(rng.usize(1..6));
        }
        if rng.u8(0..4) == 0 {
            options = options.resync(Duration::from_secs(rng.u64(20..200)));
        }
        let mut own = rng.fork();
        if rng.bool() {
            let panics = if rng.bool() { own.u32(2..9) } else { u32::MAX };
            let call = move |event| {
                folded.lock().fold(event);
                if panics != u32::MAX && own.u32(0..panics) == 0 {
                    std::panic::panic_any(ON_PURPOSE);
                }
            };
            let registration = informer.add_handler_with(Closure(call), options).unwrap();
            return Self { told, kind: Kind::Called(registration) };
        }
        let mut events = informer.events_with(options).unwrap();
        let dawdles = own.u64(0..20_000);
        let task = tokio::spawn(async move {
            while let Some(event) = events.next().await {
                folded.lock().fold(event);
                if own.u8(0..3) == 0 {
                    sleep(Duration::from_millis(own.u64(0..=dawdles))).await;
                }
            }
        });
        Self { told, kind: Kind::Streaming(task) }
    }

    /// Takes it from its informer.
    pub(crate) async fn remove(self) {
        match self.kind {
            Kind::Called(registration) => registration.remove_and_wait().await,
            Kind::Streaming(task) => {
                task.abort();
                let _ = task.await;
            }
        }
    }

    /// The informer was stopped: it must end by itself.
    pub(crate) async fn ended(self) {
        match self.kind {
            Kind::Called(registration) => registration.remove_and_wait().await,
            Kind::Streaming(task) => task.await.unwrap(),
        }
    }
}

struct Closure<F>(F);

impl<F: FnMut(Event<Thing>) + Send + 'static> kube_informer::EventHandler<Thing> for Closure<F> {
    fn on_event(&mut self, event: Event<Thing>) {
        (self.0)(event);
    }
}
