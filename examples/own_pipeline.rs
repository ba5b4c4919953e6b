//! The stages of an informer, connected by hand: `cargo example own_pipeline`.
//!
//! A program that needs something between the stages builds its own pipeline, as some client-go
//! programs do: a `ListerWatcher`, a `Reflector`, a `DeltaFifo`, a processing loop, an `Indexer`
//! and a `SharedProcessor`. The source here is in memory. Its watch breaks, an object is deleted
//! while nothing watches, and the history is gone; the next list makes the missed delete visible.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube_informer::delta_fifo::DeltaFifo;
use kube_informer::error::ApiStatus;
use kube_informer::indexer::Transaction;
use kube_informer::object::{Cached, CachedEvent, Change, Delta};
use kube_informer::processor::{Notification, Recipients, SharedProcessor};
use kube_informer::reflector::{ChangeSink, Reflector, ReflectorOptions};
use kube_informer::testing::{FakeSource, WatchEnd};
use kube_informer::{Event, EventHandler, HandlerOptions, HandlerRegistration, Indexer, ObjectKey};
use tokio::task::JoinSet;

const LIMIT: Duration = Duration::from_secs(30);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // In a program of your own: ApiSource::new(client).
    let source = Arc::new(FakeSource::<ConfigMap>::new("configmaps", "ConfigMap"));
    for name in ["web", "db", "cache"] {
        source.put(settings(name, "shop"));
    }
    run(&source, |line| println!("{line}")).await
}

/// Runs the pipeline through a list, a change and a missed delete.
///
pub(crate) async fn run(
    source: &Arc<FakeSource<ConfigMap>>,
    print: impl Fn(String) + Clone + Send + Sync + 'static,
) -> Result<(), Box<dyn Error>> {
    // The stages. Each knows the values that it takes and gives, and none knows its neighbours. One
    // question goes against the stream: the store tells the queue which keys are known.
    let store = Indexer::<ConfigMap>::new();
    let by_team = store.add_index("team", |map| map.labels().get("team").cloned())?;
    let fifo = Arc::new(DeltaFifo::new(Arc::new(store.clone())));
    let processor = Arc::new(SharedProcessor::new());
    let report = print.clone();
    let options =
        ReflectorOptions::new().on_error(move |error| report(format!("  error: {error}")));
    let reflector = Reflector::new(source.clone(), options);

    // The handler is added before anything is stored, so it starts with no objects.
    let printer = Printer(print.clone());
    let options = HandlerOptions::new().name("printer");
    let added = processor.enter().add_handler(printer, &options, Vec::new(), false);

    // Dropping the set ends every task.
    let mut tasks = JoinSet::new();
    tasks.spawn(reflector.run(Feed(fifo.clone())));
    tasks.spawn(process(fifo.clone(), store.clone().into(), processor.clone()));
    tasks.spawn(added.task.run());

    print("The first list:".into());
    added.registration.wait_for_sync().await;
    print(format!("Maps of the team shop: {}", by_team.len("shop")));

    print("A change that the watch brings:".into());
    source.put(settings("db", "bank"));
    store.wait_for(&source.version().into(), LIMIT).await?;
    told(&added.registration, 4).await;
    print(format!("Maps of the team shop: {}", by_team.len("shop")));

    print("A delete that no watch saw:".into());
    source.end_watches(WatchEnd::Failed(ApiStatus::new(410, "Expired", "too old")));
    source.delete(&ObjectKey::cluster("cache")?);
    source.compact();
    store.wait_for(&source.version().into(), LIMIT).await?;
    told(&added.registration, 5).await;
    print(format!("Maps of the team shop: {}", by_team.len("shop")));

    // No change comes any more. Deliver what is queued, then end.
    fifo.close();
    processor.close(true);
    Ok(())
}

/// Waits until a handler has heard of so many events.
async fn told(handler: &HandlerRegistration, events: u64) {
    while handler.status().delivered < events {
        tokio::task::yield_now().await;
    }
}

/// Prints a line for each event.
struct Printer<P>(P);

impl<P: Fn(String) + Send + 'static> EventHandler<ConfigMap> for Printer<P> {
    fn on_event(&mut self, event: Event<ConfigMap>) {
        (self.0)(format!("  {}", describe(&event)));
    }
}

/// The reflector's side of the queue.
struct Feed(Arc<DeltaFifo>);

impl ChangeSink for Feed {
    async fn emit(&self, change: Change) {
        // Waits while the queue is full, which holds up the watch: memory stays bounded.
        self.0.feed(change).await;
    }
}

/// The processing loop: a batch becomes one transaction, then events.
async fn process(fifo: Arc<DeltaFifo>, store: Indexer, processor: Arc<SharedProcessor>) {
    while let Some(batch) = fifo.pop().await {
        {
            let mut write = store.transaction();
            let notifications: Vec<_> = batch
                .deltas
                .iter()
                .filter_map(|(key, delta)| apply(&mut write, key, delta, batch.is_first_list()))
                .collect();
            if let Some(version) = &batch.version {
                write.set_version(version.clone());
            }
            // Under one guard, so that a new handler finds the batch in the store or is told of it,
            // and never both.
            let guard = processor.enter();
            for fault in write.commit() {
                eprintln!("{fault}");
            }
            guard.distribute(&notifications);
            if batch.is_first_list() {
                guard.end_initial();
            }
        }
        fifo.done(&batch);
    }
}

/// Applies one delta to the store. Returns what handlers hear of it.
fn apply(
    write: &mut Transaction<'_>,
    key: &ObjectKey,
    delta: &Delta,
    initial: bool,
) -> Option<Notification> {
    let put = |write: &mut Transaction<'_>, object: &Cached| {
        let new = object.clone();
        match write.put(key, new.clone()) {
            None => CachedEvent::Added { object: new, initial },
            Some(old) => CachedEvent::Updated { old, new },
        }
    };
    let (event, recipients) = match delta {
        Delta::Added(object) | Delta::Updated(object) => (put(write, object), Recipients::Everyone),
        Delta::Replaced(object) => {
            // An object that a list holds unchanged is news only to handlers that want resyncs.
            let known = write.get(key).is_some_and(|known| known.version() == object.version());
            let recipients = if known { Recipients::Resyncing } else { Recipients::Everyone };
            (put(write, object), recipients)
        }
        Delta::Deleted { object, final_state_known } => {
            write.remove(key)?;
            let (object, final_state_known) = (object.clone(), *final_state_known);
            (CachedEvent::Deleted { object, final_state_known }, Recipients::Everyone)
        }
        Delta::MovedAway(object) => {
            write.remove(key)?;
            (CachedEvent::MovedAway { object: object.clone() }, Recipients::Everyone)
        }
        Delta::Unreadable => {
            write.mark_stale(key);
            return None;
        }
        Delta::Forgotten => return None,
    };
    Some(Notification { key: key.clone(), event, recipients })
}

fn describe(event: &Event<ConfigMap>) -> String {
    let name = event.object().name_any();
    match event {
        Event::Added { initial: true, .. } => format!("{name} was there"),
        Event::Added { .. } => format!("{name} was added"),
        Event::Updated { .. } => format!("{name} changed"),
        Event::Deleted { final_state_known: true, .. } => format!("{name} was deleted"),
        Event::MovedAway { .. } => format!("{name} belongs to another replica"),
        Event::Deleted { .. } => format!("{name} is gone; its final state was not seen"),
    }
}

/// Returns a map with a label for its team.
pub(crate) fn settings(name: &str, team: &str) -> ConfigMap {
    let labels = [("team".to_owned(), team.to_owned())].into();
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map.metadata.labels = Some(labels);
    map
}
