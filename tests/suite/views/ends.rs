//! The ends of what a view shows: deletes whose final state it can't read, and drops that panic.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// Refuses objects from this version on.
struct Until(u64);
impl Decode<Placed> for Until {
    fn decode(&self, object: &[u8]) -> Result<Placed, DecodeError> {
        let read: Placed = SerdeDecode::new().decode(object)?;
        let version: u64 = read.metadata.resource_version.clone().unwrap().parse().unwrap();
        if version >= self.0 { Err(DecodeError::new("too new")) } else { Ok(read) }
    }
}

fn tell(log: &Arc<Mutex<Vec<String>>>) -> impl FnMut(Event<Placed>) + Send + 'static {
    let log = log.clone();
    move |event| {
        let text = match &event {
            Event::Added { .. } => "+".to_owned(),
            Event::Updated { .. } => "~".to_owned(),
            Event::Deleted { final_state_known, .. } => format!("-{final_state_known}"),
            Event::MovedAway { .. } => "<".to_owned(),
        };
        let version = event.object().metadata.resource_version.clone().unwrap();
        log.lock().push(format!("{text}{version}"));
    }
}

#[tokio::test(start_paused = true)]
async fn delete_is_told_though_the_final_state_of_a_decoded_object_is_not_readable() {
    for updates in 0..3 {
        let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
        source.put(pod(0, "node-0"));
        let pods = crate::helpers::informer_of(&source);
        let view = pods.view_with(Until(source.version() + 1)).unwrap();
        let log = Arc::default();
        view.on_event(tell(&log)).unwrap();
        let mut stream = view.events().unwrap();
        pods.start().unwrap();
        pods.wait_for_sync(10 * S).await.unwrap();
        for n in 0..updates {
            source.put(pod(0, &format!("node-{n}")));
            sleep(S).await;
        }
        source.delete(&key(0)).unwrap();
        sleep(S).await;
        let mut streamed = Vec::new();
        while let Some(Some(event)) = stream.next().now_or_never() {
            streamed.push(event.is_deleted());
        }
        assert_eq!(*log.lock(), ["+1", "-false1"], "{updates}");
        assert_eq!(streamed, [false, true]);
    }
}

#[tokio::test(start_paused = true)]
async fn merged_delete_is_told_though_the_final_state_is_not_readable() {
    for backlog in [1, 1000] {
        let source = Arc::new(FakeSource::<Pod>::new("pods", "Pod"));
        source.put(pod(0, "node-0"));
        let pods = crate::helpers::informer_of(&source);
        let view = pods.view_with(Until(3)).unwrap();
        let options = kube_informer::HandlerOptions::new().backlog(backlog);
        let mut stream = view.events_with(options).unwrap();
        pods.start().unwrap();
        pods.wait_for_sync(10 * S).await.unwrap();
        assert!(stream.next().await.is_some());
        source.put(pod(0, "node-1"));
        sleep(S).await;
        source.put(pod(0, "node-2"));
        sleep(S).await;
        source.delete(&key(0)).unwrap();
        sleep(S).await;
        let mut streamed = Vec::new();
        while let Some(Some(event)) = stream.next().now_or_never() {
            streamed.push(event.is_deleted());
        }
        assert_eq!(streamed.last(), Some(&true), "{streamed:?}");
    }
}

thread_local! {
    /// True while fuses of this thread panic as they are dropped.
    static ARMED: Cell<bool> = const { Cell::new(false) };
    /// The number of those that did.
    static BLOWN: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Fuse {}
impl Drop for Fuse {
    fn drop(&mut self) {
        if ARMED.get() {
            BLOWN.set(BLOWN.get() + 1);
            panic!("a part panicked");
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
struct Whole {
    metadata: ObjectMeta,
    #[serde(default)]
    fuse: Fuse,
}

#[derive(Clone, Debug, Deserialize, Serialize, Resource)]
#[resource(inherit = Pod)]
struct Piece {
    metadata: ObjectMeta,
    #[serde(default)]
    fuse: Fuse,
}

#[tokio::test(start_paused = true)]
async fn drops_of_an_object_and_its_part_may_both_panic() {
    seed_by_test();
    let server = ApiServer::new();
    server.create(&pod(0, "node-0")).unwrap();
    let source = ApiSource::<Whole>::new(server.client());
    let reflector = ReflectorOptions::new().transform(|_: &mut Whole| {});
    let pods = SharedInformer::new(Arc::new(source), InformerOptions::new().reflector(reflector));
    let view = pods.view::<Piece>().unwrap();
    view.on_event(move |event: Event<Piece>| {
        ARMED.set(event.is_deleted());
        let _dropped = catch_unwind(AssertUnwindSafe(|| drop(event)));
    })
    .unwrap();
    pods.start().unwrap();
    pods.wait_for_sync(10 * S).await.unwrap();
    sleep(S).await;
    server.delete(&pod(0, "")).unwrap();
    sleep(S).await;
    ARMED.set(false);
    assert!(BLOWN.get() >= 2, "{}", BLOWN.get());
}

#[tokio::test(start_paused = true)]
async fn index_function_and_the_part_that_it_reads_may_both_panic() {
    let rig = Rig::of(1, true, false, Storage::packed().hot_for(Duration::ZERO)).await;
    let view = rig.pods.view::<Piece>().unwrap();
    let index = view
        .add_index("x", |_: &Piece| {
            assert!(!ARMED.get(), "the function");
            ["x"]
        })
        .unwrap();
    let stored = rig.pods.snapshot().get_cached(&key(0)).unwrap().into();
    let snapshot = view.snapshot();
    assert_eq!(index.values_of(&snapshot, &stored), ["x"]);
    ARMED.set(true);
    let values = index.values_of(&snapshot, &stored);
    ARMED.set(false);
    assert!(values.is_empty());
}
