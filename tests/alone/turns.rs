//! The longest turn of a list, in what the allocator does meanwhile: a list of a hundred times as
//! many objects has no longer one. What is allocated, moved or freed at once grows with no list.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerOptions, SharedInformer, Storage};
use stats_alloc::Stats;
use tokio::sync::Notify;

use crate::COUNTED;
use crate::turn::turn;

const LIMIT: Duration = Duration::from_secs(3600);

/// The bytes that a turn may allocate or free: a few parts of tables. When a part is split depends
/// on the hash's random seed, so several splits may fall into one turn.
const BYTES: usize = 4 * 1024 * 1024;

/// The calls of the allocator in a turn: those for 64 objects.
const CALLS: usize = 4_000;

/// The number of turns in a row that show the end of all work.
const IDLE: usize = 100;

/// The lists of the server, in order: whether they have objects, whether these can be decoded, the
/// beginning of their names, and their version.
const LISTS: [(&str, bool, bool, &str, u64); 5] = [
    ("the first list", true, true, "map", 1),
    ("a list without changes", true, true, "map", 1),
    ("a list of other objects", true, true, "other", 2),
    ("a list of objects that can't be decoded", true, false, "odd", 3),
    ("a list without objects", false, true, "", 0),
];

/// A server. It notifies `listed` when a list begins. A watch expires on the notice `expired`.
fn server(count: usize, listed: Arc<Notify>, expired: Arc<Notify>) -> kube::Client {
    let lists = AtomicU64::new(0);
    let answer = move |request: Request<Body>| {
        let watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let n = if watch { 0 } else { lists.fetch_add(1, Ordering::Relaxed) + 1 };
        let place = usize::try_from(n).unwrap_or_default().clamp(1, LISTS.len()) - 1;
        let (_, full, decodes, name, version) = LISTS[place];
        let count = if full && !watch { count } else { 0 };
        let expired = watch.then(|| expired.clone());
        let begins = if watch {
            r#"{"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}}"#.into()
        } else {
            listed.notify_one();
            format!(
                r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"{n}"}},"items":["#
            )
        };
        let items = (0..count).map(move |at| {
            let comma = if at == 0 { "" } else { "," };
            let data = if decodes { "{}" } else { "7" };
            let (namespace, uid) = (at % 50, format!("{name}-{at}"));
            format!(
                r#"{comma}{{"metadata":{{"name":"{uid}","namespace":"ns-{namespace}","uid":"{uid}","#
            ) + &format!(r#""resourceVersion":"{version}"}},"data":{data}}}"#)
        });
        let ends = if watch { "" } else { "]}" };
        let pieces = std::iter::once(begins).chain(items).chain([ends.to_owned()]);
        let frames = pieces.map(|piece| Ok::<_, Infallible>(Frame::data(Bytes::from(piece))));
        let frames = async move {
            if let Some(expired) = expired {
                expired.notified().await;
            }
            stream::iter(frames)
        };
        let body = StreamBody::new(frames.flatten_stream()).boxed_unsync();
        let response = Response::builder().header("content-type", "application/json").body(body);
        async move { Ok::<_, Infallible>(response.unwrap()) }
    };
    kube::Client::new(tower::service_fn(answer), "default")
}

/// The most that the allocator did in one turn.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    allocated: usize,
    freed: usize,
    calls: usize,
}

impl Turn {
    /// Notes a turn. Returns whether it did nothing.
    fn note(&mut self, before: &Stats, after: &Stats) -> bool {
        let calls = |stats: &Stats| stats.allocations + stats.deallocations + stats.reallocations;
        self.allocated = self.allocated.max(after.bytes_allocated - before.bytes_allocated);
        self.freed = self.freed.max(after.bytes_deallocated - before.bytes_deallocated);
        self.calls = self.calls.max(calls(after) - calls(before));
        before == after
    }
}

/// Returns the longest turn of each list.
async fn longest(count: usize) -> [Turn; LISTS.len()] {
    let (listed, expired) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let client = server(count, listed.clone(), expired.clone());
    let source = ApiSource::<ConfigMap>::new(client);
    let options = InformerOptions::new()
        .storage(Storage::decoded())
        .reflector(ReflectorOptions::new().on_error(|_| {}).seed(1));
    let informer = SharedInformer::new(Arc::new(source), options);
    let parity =
        |map: &ConfigMap| map.metadata.name.as_ref().map(|name| (name.len() % 2).to_string());
    informer.add_index("parity", parity).unwrap();
    let name = |map: &ConfigMap| map.metadata.name.clone();
    informer.add_index("name", name).unwrap();
    informer.on_cached_event(|_, _| {}).unwrap();
    let stored = informer.indexer().clone();
    informer.start().unwrap();
    let mut longest = [Turn::default(); LISTS.len()];
    for (at, longest) in longest.iter_mut().enumerate() {
        // The clock stands still, unless every task waits.
        listed.notified().await;
        let version = Some((at as u64 + 1).into());
        // Old states are freed after everything was delivered.
        let mut idle = 0;
        while idle < IDLE {
            let before = COUNTED.stats();
            turn().await;
            let idles = longest.note(&before, &COUNTED.stats());
            let status = informer.status();
            let delivered =
                status.version == version && status.queued == 0 && status.handlers[0].backlog == 0;
            idle = if delivered && idles { idle + 1 } else { 0 };
        }
        expired.notify_one();
        let (_, full, decodes, ..) = LISTS[at];
        let count = if full { count } else { 0 };
        let state = stored.snapshot();
        let expected = if decodes { (count, 0) } else { (0, count) };
        assert_eq!((state.len(), state.unreadable()), expected);
    }
    informer.shutdown().await;
    longest
}

pub(crate) fn longest_turn_of_a_list_is_the_same_at_any_size() {
    let run = |count| {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).event_interval(1).build().unwrap();
        runtime.block_on(async { tokio::time::timeout(LIMIT, longest(count)).await }).unwrap()
    };
    let sizes = [750, 75_000];
    for (size, turns) in sizes.map(|size| (size, run(size))) {
        for ((list, ..), turn) in LISTS.iter().zip(turns) {
            println!("{list} of {size}: {turn:?}");
            let Turn { allocated, freed, calls } = turn;
            let fits = allocated <= BYTES && freed <= BYTES && calls <= CALLS;
            assert!(fits, "a turn of {list} of {size} objects is too long: {turn:?}");
        }
    }
}
