use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;
use crate::error::{ApiStatus, FaultClass};
use crate::lister_watcher::{Collection, ListStream, WatchItem};
use crate::testing::{FakeSource, SourceRequest, WatchEnd};

/// What the reflector gave, as text, and what it folds to.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Heard>>);

type Heard = (Vec<String>, BTreeMap<ObjectKey, String>);

impl ChangeSink<ConfigMap> for Sink {
    async fn emit(&self, change: Change<ConfigMap>) {
        let (log, folded) = &mut *self.0.lock();
        match change {
            Change::Added { key, object, .. } => {
                log.push(format!("+{key}"));
                folded.insert(key, version(&object));
            }
            Change::Updated { key, object, .. } => {
                log.push(format!("~{key}"));
                folded.insert(key, version(&object));
            }
            Change::Deleted { key, object, .. } => {
                log.push(format!("{}{key}", if object.is_some() { '-' } else { '†' }));
                folded.remove(&key);
            }
            Change::Unreadable { key, .. } => log.push(format!("?{key}")),
            Change::Bookmark(version) => log.push(format!("@{version}")),
            Change::Replace(list) => {
                let restored = if list.restored { "!" } else { "" };
                let partial = if list.complete { "" } else { "…" };
                log.push(format!("={}{restored}{partial}", list.version));
                if list.complete {
                    folded.retain(|key, _| list.unreadable.contains(key));
                }
                folded.extend(list.items.into_iter().map(|(key, o)| (key, version(&o))));
            }
        }
    }
}

fn version(object: &Cached<ConfigMap>) -> String {
    object.version().map(|version| version.to_string()).unwrap_or_default()
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name).unwrap()
}

fn object(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn status(code: u16, reason: &str) -> ApiStatus {
    ApiStatus::new(code, reason, "as the test says")
}

fn fault(code: u16, reason: &str) -> Fault {
    Fault::Status(status(code, reason))
}

fn refused() -> Fault {
    Fault::Connect { refused: true, source: "connection refused".into() }
}

struct Rig {
    source: Arc<FakeSource<ConfigMap>>,
    sink: Sink,
    errors: Arc<Mutex<Vec<FaultClass>>>,
    faults: Arc<Mutex<Vec<String>>>,
    monitor: ReflectorMonitor,
    task: JoinHandle<()>,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Rig {
    fn start(source: FakeSource<ConfigMap>) -> Self {
        Self::with(source, ReflectorOptions::new())
    }

    fn with(source: FakeSource<ConfigMap>, options: ReflectorOptions<ConfigMap>) -> Self {
        let source = Arc::new(source);
        let (errors, faults) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let (classes, texts) = (errors.clone(), faults.clone());
        let options = options.seed(7).on_error(move |error| {
            classes.lock().push(error.class());
            texts.lock().push(error.to_string());
        });
        let reflector = Reflector::new(source.clone(), options);
        let (sink, monitor) = (Sink::default(), reflector.monitor());
        let task = tokio::spawn(reflector.run(sink.clone()));
        Self { source, sink, errors, faults, monitor, task }
    }

    fn log(&self) -> Vec<String> {
        self.sink.0.lock().0.clone()
    }

    fn errors(&self) -> Vec<FaultClass> {
        self.errors.lock().clone()
    }

    /// The versions asked, in order: `list 0`, `page`, `list ""`, `watch 3`, `stream ""`.
    fn asked(&self) -> Vec<String> {
        let text = |version: &Option<ResourceVersion>| {
            version.as_ref().map_or("\"\"".into(), ToString::to_string)
        };
        let asked = self.source.requests();
        asked
            .iter()
            .map(|asking| match asking {
                SourceRequest::List(ListQuery { continue_token: Some(_), .. }) => "page".into(),
                SourceRequest::List(query) => format!("list {}", text(&query.version)),
                SourceRequest::Watch(query) if query.initial_events => {
                    format!("stream {}", text(&query.version))
                }
                SourceRequest::Watch(query) => format!("watch {}", text(&query.version)),
            })
            .collect()
    }

    fn limits(&self) -> Vec<Option<u32>> {
        let lists = self.source.requests().into_iter().filter_map(|asking| match asking {
            SourceRequest::List(query) => Some(query.limit),
            SourceRequest::Watch(_) => None,
        });
        lists.collect()
    }

    /// What the sink folded is what the source holds.
    fn assert_converged(&self) {
        let objects = self.source.objects();
        let source: BTreeMap<_, _> =
            objects.iter().map(|(key, object)| (key.clone(), version(&object.into()))).collect();
        assert_eq!(self.sink.0.lock().1, source);
    }
}

fn source(names: &[&str]) -> FakeSource<ConfigMap> {
    let source = FakeSource::new("configmaps", "ConfigMap");
    for name in names {
        source.put(object(name));
    }
    source
}

/// Lets everything that can happen now happen. Paused time moves on only when all tasks wait.
async fn settle() {
    seconds(0.001).await;
}

async fn seconds(n: f64) {
    tokio::time::sleep(Duration::from_secs_f64(n)).await;
}

#[tokio::test(start_paused = true)]
async fn lists_at_zero_then_watches_from_the_lists_version() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.put(object("b"));
    rig.source.put(object("c"));
    rig.source.delete(&key("a"));
    settle().await;
    assert_eq!(rig.asked(), ["list 0", "watch 2"]);
    assert_eq!(rig.log(), ["=2", "~b", "+c", "-a"]);
    assert_eq!(rig.limits(), [Some(500)]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn a_clean_end_is_watched_on_at_once_from_the_last_version() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.put(object("b"));
    seconds(2.0).await;
    rig.source.end_watches(WatchEnd::Ordinary);
    settle().await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "watch 2"]);
    assert!(rig.errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn watches_last_between_five_and_ten_minutes() {
    let rig = Rig::start(source(&[]));
    seconds(40_000.0).await;
    let timeouts: Vec<_> = (rig.source.requests().into_iter())
        .filter_map(|asking| match asking {
            SourceRequest::Watch(query) => Some(query.timeout.as_secs()),
            SourceRequest::List(_) => None,
        })
        .collect();
    assert!(timeouts.len() > 50);
    assert!(timeouts.iter().all(|t| (300..600).contains(t)), "{timeouts:?}");
    assert!(timeouts.iter().any(|t| *t < 400) && timeouts.iter().any(|t| *t > 500));
    assert_eq!(rig.log(), ["=0"], "no relist in all that time");
}

#[tokio::test(start_paused = true)]
async fn an_expired_list_is_asked_of_a_quorum_and_then_at_a_version_again() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    for _ in 0..2 {
        rig.source.fail_list(fault(410, "Expired"));
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        seconds(60.0).await;
    }
    assert_eq!(
        rig.asked(),
        ["list 0", "watch 2", "list 2", "list \"\"", "watch 2", "list 2", "list \"\"", "watch 2"]
    );
    assert_eq!(rig.log(), ["=2", "=2", "=2"]);
    assert_eq!(rig.limits(), [Some(500), None, Some(500), None, Some(500)]);
    assert_eq!(rig.errors(), [FaultClass::Expired; 4], "none of them is swallowed");
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_too_large_is_asked_of_a_quorum() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    let too_large = || {
        let mut status = status(504, "Timeout");
        status.causes.push(("ResourceVersionTooLarge".into(), String::new()));
        Fault::Status(status)
    };
    rig.source.fail_list(too_large());
    rig.source.end_watches(WatchEnd::Failed(status(410, "Gone")));
    settle().await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "list 1", "list \"\"", "watch 1"]);
    let relists = rig.monitor.status().relists;
    assert_eq!(relists.of(RelistCause::VersionTooLarge), 1);
    assert_eq!(relists.of(RelistCause::Expired), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_refused_with_410_as_its_http_status_is_relisted() {
    let fake = source(&["a"]);
    fake.fail_watch(fault(410, "Expired"));
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "list 1", "watch 1"]);
    assert_eq!(rig.errors(), [FaultClass::Expired]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_a_compacted_version_is_relisted_and_the_delete_shows() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.end_watches(WatchEnd::Broken);
    rig.source.delete(&key("a"));
    rig.source.compact();
    seconds(10.0).await;
    assert_eq!(rig.asked(), ["list 0", "watch 2", "watch 2", "list 2", "watch 3"]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn throttled_or_refused_watches_wait_and_ask_the_same_without_a_relist() {
    let fake = source(&["a"]);
    fake.fail_watch(fault(429, "TooManyRequests"));
    fake.fail_watch(refused());
    fake.fail_watch(fault(429, "TooManyRequests"));
    let rig = Rig::start(fake);
    seconds(60.0).await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "watch 1", "watch 1", "watch 1"]);
    rig.source.end_watches(WatchEnd::Failed(status(429, "TooManyRequests")));
    seconds(60.0).await;
    assert_eq!(rig.asked().len(), 6);
    assert_eq!(rig.log(), ["=1"]);
    assert_eq!(rig.errors().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_allowed_or_not_there_is_reported_and_relisted_with_growing_pauses() {
    for (code, reason, class) in [
        (401, "Unauthorized", FaultClass::Unauthorized),
        (403, "Forbidden", FaultClass::Forbidden),
        (404, "NotFound", FaultClass::NotFound),
    ] {
        let fake = source(&["a"]);
        for _ in 0..4 {
            fake.fail_list(fault(code, reason));
        }
        let start = Instant::now();
        let rig = Rig::start(fake);
        while rig.log().is_empty() {
            seconds(0.1).await;
        }
        // 0.8 + 1.6 + 3.2 + 6.4 s at the least, twice that at the most.
        let waited = start.elapsed().as_secs_f64();
        assert!((12.0..24.3).contains(&waited), "{waited}");
        assert_eq!(rig.errors(), [class; 4]);
        assert_eq!(rig.asked()[..5], ["list 0"; 5]);
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_honoured() {
    let fake = source(&["a"]);
    let mut throttled = status(429, "TooManyRequests");
    throttled.retry_after = Some(Duration::from_secs(77));
    fake.fail_list(Fault::Status(throttled));
    let rig = Rig::start(fake);
    seconds(76.9).await;
    assert!(rig.log().is_empty());
    seconds(0.1 + 77.0 / 2.0).await;
    assert_eq!(rig.log(), ["=1"]);
}

#[tokio::test(start_paused = true)]
async fn internal_errors_are_rewatched_for_a_while_and_then_relisted() {
    let options = || ReflectorOptions::new().internal_error_window(Duration::from_secs(5));
    let rig = Rig::with(source(&["a"]), options());
    settle().await;
    rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
    seconds(2.0).await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "watch 1"]);
    seconds(6.0).await;
    rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
    seconds(10.0).await;
    assert_eq!(rig.asked()[3..], ["list 1", "watch 1"]);

    let rig = Rig::with(source(&["a"]), options());
    settle().await;
    for _ in 0..3 {
        rig.source.end_watches(WatchEnd::Failed(status(500, "InternalError")));
        seconds(4.0).await;
        rig.source.put(object("a"));
        settle().await;
    }
    assert!(!rig.asked()[1..].contains(&"list 1".into()), "a good event closes the window");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_at_once_is_an_error() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.end_watches(WatchEnd::Ordinary);
    seconds(3.0).await;
    assert_eq!(rig.asked(), ["list 0", "watch 1", "list 1", "watch 1"]);
    assert!(rig.faults.lock()[0].contains("ended within a second"), "{:?}", rig.faults.lock());
    assert_eq!(rig.monitor.status().relists.of(RelistCause::ShortWatch), 1);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_move_the_version_on() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    rig.source.put(object("a"));
    rig.source.send_bookmark();
    seconds(2.0).await;
    rig.source.end_watches(WatchEnd::Ordinary);
    settle().await;
    assert_eq!(rig.log(), ["=1", "~a", "@2"]);
    assert_eq!(rig.asked().last().unwrap(), "watch 2");
    assert_eq!(rig.monitor.status().version, Some(2.into()));
}

/// A fake whose watches say nothing while `deaf`, and which does something after each list.
struct Odd {
    source: Arc<FakeSource<ConfigMap>>,
    deaf: std::sync::atomic::AtomicBool,
    after_list: fn(&FakeSource<ConfigMap>),
    watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
}

impl Odd {
    fn new(
        source: &Arc<FakeSource<ConfigMap>>,
        after_list: fn(&FakeSource<ConfigMap>),
    ) -> Arc<Self> {
        let watch = |watch| watch;
        Arc::new(Self { source: source.clone(), deaf: false.into(), after_list, watch })
    }

    /// A fake whose watches are changed on their way.
    fn saying(
        source: &Arc<FakeSource<ConfigMap>>,
        watch: fn(WatchStream<ConfigMap>) -> WatchStream<ConfigMap>,
    ) -> Arc<Self> {
        let deaf = false.into();
        Arc::new(Self { source: source.clone(), deaf, after_list: |_| {}, watch })
    }

    fn deafen(&self, deaf: bool) {
        self.deaf.store(deaf, std::sync::atomic::Ordering::Relaxed);
    }
}

impl ListerWatcher<ConfigMap> for Odd {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let list = self.source.list(query);
        (self.after_list)(&self.source);
        list
    }

    fn watch(
        &self,
        query: &WatchQuery,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let watch = self.source.watch(query);
        let deaf = self.deaf.load(std::sync::atomic::Ordering::Relaxed);
        let change = self.watch;
        Box::pin(async move {
            let watch = change(watch.await?);
            Ok(if deaf { futures::stream::pending().boxed() } else { watch })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_open_past_its_time_is_dropped_and_reopened_at_the_same_version() {
    let fake = Arc::new(source(&["a"]));
    let deaf = Odd::new(&fake, |_| {});
    deaf.deafen(true);
    let reflector = Reflector::new(deaf.clone(), ReflectorOptions::new());
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(299.0).await;
    deaf.deafen(false);
    fake.put(object("b"));
    assert_eq!(sink.0.lock().0, ["=1"]);
    seconds(300.0 + 30.0 + 1.0).await;
    assert_eq!(sink.0.lock().0, ["=1", "+b"], "and no relist");
    let (error, _) = monitor.status().last_error.unwrap();
    assert!(matches!(error.fault(), Fault::Silent(_)));
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn silence_is_noticed_sooner_where_bookmarks_come() {
    let fake = Arc::new(source(&["a"]));
    let deaf = Odd::new(&fake, |_| {});
    let reflector = Reflector::new(deaf.clone(), ReflectorOptions::new().seed(1));
    let sink = Sink::default();
    let task = tokio::spawn(reflector.run(sink.clone()));
    for _ in 0..3 {
        seconds(70.0).await;
        fake.send_bookmark();
    }
    deaf.deafen(true);
    fake.end_watches(WatchEnd::Ordinary);
    settle().await;
    deaf.deafen(false);
    fake.put(object("b"));
    seconds(209.0).await;
    assert!(!sink.0.lock().0.contains(&"+b".into()));
    seconds(3.0).await;
    assert!(sink.0.lock().0.contains(&"+b".into()), "three times the gap of 70 s is over");
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn pages_are_followed_and_one_expired_page_becomes_a_whole_list() {
    let fake = source(&["a", "b", "c", "d", "e"]);
    fake.set_pages_at_zero(true);
    let rig = Rig::with(fake, ReflectorOptions::new().page_size(2));
    settle().await;
    assert_eq!(rig.asked(), ["list 0", "page", "page", "watch 5"]);
    assert_eq!(rig.limits(), [Some(2); 3]);
    rig.assert_converged();

    let fake = Arc::new(source(&["a", "b", "c"]));
    fake.set_pages_at_zero(true);
    let expiring = Odd::new(&fake, |source| {
        source.put(object("a"));
        source.compact();
    });
    let reflector = Reflector::new(expiring, ReflectorOptions::new().page_size(2));
    let sink = Sink::default();
    let task = tokio::spawn(reflector.run(sink.clone()));
    settle().await;
    let lists: Vec<_> = fake.requests().into_iter().take(3).collect();
    let [SourceRequest::List(_), SourceRequest::List(page), SourceRequest::List(whole)] =
        &lists[..]
    else {
        panic!("{lists:?}")
    };
    assert!(page.continue_token.is_some());
    let at_zero = ListQuery { version: Some(ResourceVersion::ANY), ..ListQuery::default() };
    assert_eq!(*whole, at_zero);
    assert_eq!(sink.0.lock().1.len(), 3);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_pages_at_zero_is_paged_at_versions_too() {
    let names: Vec<String> = (0..600).map(|n| format!("o{n:03}")).collect();
    let fake = source(&names.iter().map(String::as_str).collect::<Vec<_>>());
    fake.set_pages_at_zero(true);
    let rig = Rig::start(fake);
    settle().await;
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    settle().await;
    assert_eq!(rig.limits(), [Some(500); 4]);
    assert_eq!(rig.asked(), ["list 0", "page", "watch 600", "list 600", "page", "watch 600"]);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_gives_one_replace_and_goes_on_as_the_watch() {
    let fake = source(&["a", "b"]);
    let rig = Rig::with(fake, ReflectorOptions::new().streaming_list(true));
    settle().await;
    rig.source.put(object("c"));
    settle().await;
    assert_eq!(rig.asked(), ["stream \"\""]);
    assert_eq!(rig.log(), ["=2", "+c"]);
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    settle().await;
    assert_eq!(rig.asked()[1..], ["stream 3"]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_falls_back_on_any_error_but_those_that_pass() {
    for (error, expected) in [
        (fault(403, "Forbidden"), vec!["stream \"\"", "list 0", "watch 1"]),
        (fault(500, "InternalError"), vec!["stream \"\"", "list 0", "watch 1"]),
        (fault(429, "TooManyRequests"), vec!["stream \"\"", "stream \"\""]),
        (refused(), vec!["stream \"\"", "stream \"\""]),
        (fault(410, "Expired"), vec!["stream \"\"", "stream \"\""]),
    ] {
        let fake = source(&["a"]);
        let what = error.to_string();
        fake.fail_watch(error);
        let rig = Rig::with(fake, ReflectorOptions::new().streaming_list(true));
        seconds(10.0).await;
        assert_eq!(rig.asked(), expected, "{what}");
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refused_to_stream_is_not_asked_again() {
    for (understood, ends) in [(false, true), (true, false)] {
        let fake = source(&["a"]);
        fake.set_streaming_lists(understood, ends);
        let rig = Rig::with(fake, ReflectorOptions::new().streaming_list(true));
        seconds(29.0).await;
        assert_eq!(rig.log().is_empty(), understood, "the wait for the end is bounded");
        seconds(2.0).await;
        assert_eq!(rig.asked(), ["stream \"\"", "list 0", "watch 1"]);
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        seconds(40.0).await;
        assert_eq!(rig.asked()[3..], ["list 1", "watch 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn lists_that_keep_failing_are_tried_as_a_stream() {
    let fake = source(&["a"]);
    for _ in 0..3 {
        fake.fail_list(fault(500, "InternalError"));
    }
    let rig = Rig::start(fake);
    seconds(60.0).await;
    assert_eq!(rig.asked(), ["list 0", "list 0", "list 0", "stream \"\""]);
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn a_lagging_replica_is_asked_again_and_then_a_quorum() {
    let rig = Rig::start(source(&["a", "b"]));
    settle().await;
    rig.source.delete(&key("a"));
    settle().await;
    rig.source.set_lag(2);
    rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
    seconds(60.0).await;
    assert_eq!(rig.asked()[2..], ["list 3", "list 3", "list \"\"", "watch 3"]);
    assert_eq!(rig.log(), ["=2", "-a", "=3"], "the past is never told");
    assert!(rig.faults.lock().iter().any(|fault| fault.contains("older than 3")));
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn a_restored_backup_is_believed_when_a_quorum_says_so() {
    let rig = Rig::start(source(&["a", "b", "c"]));
    settle().await;
    rig.source.restore(1);
    rig.source.fail_watch(fault(410, "Expired"));
    seconds(60.0).await;
    assert!(rig.log().contains(&"=1!".into()), "{:?} {:?}", rig.log(), rig.asked());
    rig.source.put(object("d"));
    settle().await;
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_object_is_reported_and_its_deletion_works() {
    let fake = source(&["a", "b"]);
    fake.set_poisoned(&key("a"), true);
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.errors().len(), 1);
    rig.source.put(object("a"));
    rig.source.put(object("b"));
    rig.source.delete(&key("a"));
    settle().await;
    assert_eq!(rig.log(), ["=2", "?a", "~b", "†a"]);
    rig.assert_converged();
    assert_eq!(rig.monitor.status().version, Some(5.into()));
}

#[tokio::test(start_paused = true)]
async fn a_nameless_item_deletes_nothing_and_a_clean_list_is_sought() {
    let fake = source(&["a"]);
    fake.set_nameless_item(true);
    let rig = Rig::start(fake);
    settle().await;
    assert_eq!(rig.log(), ["=1…"], "it does not hold up the first list");
    rig.source.put(object("b"));
    settle().await;
    assert_eq!(rig.log(), ["=1…", "+b"], "nor the watch");
    seconds(10.0).await;
    rig.source.set_nameless_item(false);
    seconds(60.0).await;
    assert_eq!(rig.log().last().unwrap(), "=2");
    let lists = rig.limits().len();
    seconds(3000.0).await;
    assert_eq!(rig.limits().len(), lists, "a clean list is the last one");
}

#[tokio::test(start_paused = true)]
async fn a_transform_runs_once_on_each_object_and_its_panic_is_one_objects_problem() {
    for streaming in [false, true] {
        let runs = Arc::new(Mutex::new(0));
        let count = runs.clone();
        let options = ReflectorOptions::new().streaming_list(streaming).transform(
            move |o: &mut ConfigMap| {
                *count.lock() += 1;
                assert_ne!(o.metadata.name.as_deref(), Some("bad"));
                o.metadata.labels = Some([("seen".into(), "yes".into())].into());
            },
        );
        let rig = Rig::with(source(&["a", "bad"]), options);
        settle().await;
        rig.source.put(object("a"));
        rig.source.delete(&key("a"));
        settle().await;
        assert_eq!(*runs.lock(), 4, "a and bad listed, a changed and deleted");
        assert!(rig.faults.lock()[0].contains("panicked on bad"));
    }
}

#[tokio::test(start_paused = true)]
async fn lists_wait_for_a_permit_and_watches_do_not_hold_one() {
    let permits = Arc::new(Semaphore::new(1));
    let held = permits.clone().try_acquire_owned().unwrap();
    let options = || ReflectorOptions::new().list_permits(permits.clone());
    let rigs = [Rig::with(source(&["a"]), options()), Rig::with(source(&["b"]), options())];
    settle().await;
    assert!(rigs.iter().all(|rig| rig.asked().is_empty()));
    assert!(rigs.iter().all(|rig| rig.monitor.status().state == ReflectorState::AwaitingPermit));
    drop(held);
    settle().await;
    assert!(rigs.iter().all(|rig| rig.asked() == ["list 0", "watch 1"]));
    assert_eq!(permits.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_the_watch() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    assert_eq!(rig.source.open_watches(), 1);
    rig.task.abort();
    settle().await;
    assert_eq!(rig.source.open_watches(), 0);
    assert_eq!(rig.monitor.status().state, ReflectorState::Stopped);
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_after_each_event_keep_a_pace() {
    let rig = Rig::start(source(&["a"]));
    settle().await;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(100) {
        rig.source.put(object("a"));
        settle().await;
        rig.source.end_watches(WatchEnd::Ordinary);
        settle().await;
    }
    let status = rig.monitor.status();
    assert!(status.watches < 110, "{} watches in 100 s", status.watches);
    assert!(status.watches > 90, "and no slower: {}", status.watches);
    assert_eq!(status.lists, 1);
    assert!(status.short_watches >= status.watches - 1 && status.errors >= status.watches - 1);
    seconds(2.0).await;
    rig.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn an_old_bookmark_says_nothing_and_costs_nothing() {
    let fake = Arc::new(source(&["a", "b"]));
    let odd = Odd::saying(&fake, |watch| {
        let version = 1.into();
        let old = WatchItem::Bookmark { version, initial_events_end: false };
        futures::stream::iter([Ok(old)]).chain(watch).boxed()
    });
    let reflector = Reflector::new(odd, ReflectorOptions::new().seed(1));
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(3600.0).await;
    let status = monitor.status();
    assert_eq!((status.lists, status.errors), (1, 0), "{status:?}");
    assert_eq!(sink.0.lock().0, ["=2"]);
    assert!(status.freshness > Some(Duration::from_secs(3500)), "it proves nothing");
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn lists_that_old_events_lead_to_become_seldom() {
    let fake = Arc::new(source(&["a", "b"]));
    let odd = Odd::saying(&fake, |watch| {
        let mut gone = object("gone");
        gone.metadata.resource_version = Some("1".into());
        gone.metadata.uid = Some("gone".into());
        let old = WatchItem::Deleted(Ok(gone.into()));
        futures::stream::iter([Ok(old)]).chain(watch).boxed()
    });
    let reflector = Reflector::new(odd, ReflectorOptions::new().seed(1));
    let monitor = reflector.monitor();
    let task = tokio::spawn(reflector.run(Sink::default()));
    seconds(3600.0).await;
    let status = monitor.status();
    assert!((10..50).contains(&status.lists), "{} lists in an hour", status.lists);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn watches_without_progress_lead_to_a_list() {
    for end in [WatchEnd::Ordinary, WatchEnd::Broken, WatchEnd::Failed(status(500, "x"))] {
        let rig = Rig::with(
            source(&["a"]),
            ReflectorOptions::new().internal_error_window(Duration::from_secs(1_000_000)),
        );
        settle().await;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(600) {
            seconds(0.5).await;
            let ReflectorStatus { state, state_age: since, .. } = rig.monitor.status();
            if state == ReflectorState::Watching && since > Duration::from_secs(1) {
                rig.source.end_watches(end.clone());
            }
        }
        let status = rig.monitor.status();
        let lists = status.relists.of(RelistCause::NoProgress);
        assert!((1..10).contains(&lists), "{end:?}: {status:?}");
        assert!(status.watches < 100, "{status:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_watch_is_listed_over_for_ever_and_the_news_arrive() {
    let fake = Arc::new(source(&["a"]));
    let odd = Odd::saying(&fake, |watch| {
        drop(watch);
        let asked = crate::error::RequestScope {
            verb: Verb::Watch,
            resource: "configmaps".into(),
            namespace: None,
        };
        let fault = Fault::Malformed { offset: 7, problem: "no event".into() };
        futures::stream::iter([Err(SourceError::new(asked, fault))]).boxed()
    });
    let reflector = Reflector::new(odd, ReflectorOptions::new().seed(1));
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    for n in 0..24 {
        fake.put(object(&format!("new-{n}")));
        seconds(3600.0).await;
        assert!(sink.0.lock().1.contains_key(&key(&format!("new-{n}"))), "{n}");
    }
    let status = monitor.status();
    assert!((24..24 * 20).contains(&status.lists), "{} lists in a day", status.lists);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn quiet_watches_that_last_lead_to_no_list() {
    let rig = Rig::start(source(&["a"]));
    for _ in 0..100 {
        seconds(61.0).await;
        rig.source.end_watches(WatchEnd::Ordinary);
    }
    let status = rig.monitor.status();
    assert_eq!((status.lists, status.errors), (1, 0), "a proxy's idle timeout is no fault");
}

#[tokio::test(start_paused = true)]
async fn live_events_are_no_initial_events() {
    for (new_keys, least, most) in [(false, 30, 40), (true, 300, 310)] {
        let fake = source(&["a"]);
        fake.set_streaming_lists(true, false);
        let rig = Rig::with(fake, ReflectorOptions::new().streaming_list(true));
        let begun = Instant::now();
        let mut n = 0;
        while rig.log().is_empty() {
            n += 1;
            rig.source.put(object(&if new_keys { format!("new-{n}") } else { "a".to_owned() }));
            seconds(1.0).await;
            assert!(begun.elapsed() < Duration::from_secs(3600));
        }
        let waited = begun.elapsed().as_secs();
        assert!((least..=most).contains(&waited), "{new_keys}: {waited} s");
        rig.source.end_watches(WatchEnd::Failed(status(410, "Expired")));
        seconds(40.0).await;
        let streams = rig.asked().iter().filter(|asked| asked.starts_with("stream")).count();
        assert_eq!(streams, 1, "remembered as a refusal");
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn every_duration_is_allowed() {
    struct Never;
    impl BackoffPolicy for Never {
        fn next_delay(&mut self) -> Duration {
            Duration::MAX
        }
        fn reset(&mut self) {}
    }
    for streaming in [false, true] {
        let options = ReflectorOptions::new()
            .streaming_list(streaming)
            .watch_grace_period(Duration::MAX)
            .list_idle_timeout(Duration::MAX)
            .initial_events_idle_timeout(Duration::MAX)
            .internal_error_window(Duration::MAX)
            .freshness_limit(Duration::MAX)
            .backoff(Never);
        let rig = Rig::with(source(&["a"]), options);
        settle().await;
        rig.source.put(object("b"));
        seconds(10_000.0).await;
        rig.source.put(object("c"));
        settle().await;
        rig.assert_converged();
        for n in 0..3 {
            rig.source.end_watches(WatchEnd::Failed(status(429, "TooManyRequests")));
            rig.source.put(object(&format!("unseen-{n}")));
            seconds(100_000.0).await;
        }
        let state = rig.monitor.status().state;
        assert_eq!(state, ReflectorState::Waiting(Duration::MAX), "it never asks again");
        assert!(!rig.task.is_finished());
    }
}

#[tokio::test(start_paused = true)]
async fn delays_that_the_server_asks_for_are_spread() {
    let mut instants = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let fake = Arc::new(source(&["a"]));
        let mut throttled = status(429, "TooManyRequests");
        throttled.retry_after = Some(Duration::from_secs(10));
        fake.fail_list(Fault::Status(throttled));
        let options = ReflectorOptions::new().seed(seed).on_error(|_| {});
        let reflector = Reflector::new(fake, options);
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(Sink::default()));
        settle().await;
        let ReflectorState::Waiting(delay) = monitor.status().state else { panic!("it waits") };
        assert!((10..16).contains(&delay.as_secs()), "{delay:?}");
        instants.insert(delay.as_millis() / 250);
        task.abort();
    }
    assert!(instants.len() > 8, "{instants:?}");
}

/// A source that panics where it is told to.
struct Panicking {
    source: Arc<FakeSource<ConfigMap>>,
    at: Mutex<Vec<Spot>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Spot {
    ListCalled,
    ListAwaited,
    ListRead,
    WatchCalled,
    WatchAwaited,
    WatchRead,
    WatchDropped,
}

impl Panicking {
    fn hits(&self, spot: Spot) -> bool {
        let mut at = self.at.lock();
        let hit = at.first() == Some(&spot);
        if hit {
            at.remove(0);
        }
        hit
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

impl ListerWatcher<ConfigMap> for Panicking {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        assert!(!self.hits(Spot::ListCalled), "as told");
        let (awaited, read) = (self.hits(Spot::ListAwaited), self.hits(Spot::ListRead));
        let list = self.source.list(query);
        Box::pin(async move {
            assert!(!awaited, "as told");
            let list = list.await?;
            Ok(list.inspect(move |_| assert!(!read, "as told")).boxed())
        })
    }

    fn watch(
        &self,
        query: &WatchQuery,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        assert!(!self.hits(Spot::WatchCalled), "as told");
        let (awaited, read) = (self.hits(Spot::WatchAwaited), self.hits(Spot::WatchRead));
        let bomb = self.hits(Spot::WatchDropped).then_some(Bomb);
        let watch = self.source.watch(query);
        Box::pin(async move {
            assert!(!awaited, "as told");
            let watch = watch.await?;
            let watch = watch.inspect(move |_| {
                let _held = &bomb;
                assert!(!read, "as told");
            });
            Ok(watch.boxed())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_is_reported_and_asked_again() {
    let spots = [
        Spot::ListCalled,
        Spot::ListAwaited,
        Spot::ListRead,
        Spot::WatchCalled,
        Spot::WatchAwaited,
        Spot::WatchRead,
        Spot::WatchDropped,
    ];
    for streaming in [false, true] {
        for spot in spots {
            let fake = Arc::new(source(&["a"]));
            let panicking =
                Panicking { source: fake.clone(), at: Mutex::new(vec![spot, spot, spot]) };
            let options = ReflectorOptions::new().streaming_list(streaming).seed(3);
            let reflector = Reflector::new(Arc::new(panicking), options);
            let (sink, monitor) = (Sink::default(), reflector.monitor());
            let task = tokio::spawn(reflector.run(sink.clone()));
            for n in 0..20 {
                seconds(20.0).await;
                fake.put(object(&format!("new-{n}")));
                if n % 4 == 0 {
                    fake.end_watches(WatchEnd::Failed(status(410, "Expired")));
                }
            }
            seconds(120.0).await;
            assert_eq!(sink.0.lock().1.len(), 21, "{spot:?}");
            if spot != Spot::WatchDropped && !(streaming && format!("{spot:?}").starts_with("List"))
            {
                let status = monitor.status();
                let (error, _) = status.last_error.clone().unwrap();
                assert!(status.errors >= 3, "{spot:?} {error}");
            }
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled(), "{spot:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_panics_costs_a_list() {
    #[derive(Clone, Default)]
    struct Fragile(Sink, Arc<Mutex<u32>>);
    impl ChangeSink<ConfigMap> for Fragile {
        async fn emit(&self, change: Change<ConfigMap>) {
            let fails = {
                let mut left = self.1.lock();
                *left = left.saturating_sub(1);
                *left > 0
            };
            assert!(!fails, "no room");
            self.0.emit(change).await;
        }
    }
    let fake = Arc::new(source(&["a"]));
    let reflector = Reflector::new(fake.clone(), ReflectorOptions::new().seed(3));
    let monitor = reflector.monitor();
    let sink = Fragile(Sink::default(), Arc::new(Mutex::new(4)));
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(60.0).await;
    assert_eq!(sink.0.0.lock().1.len(), 1);
    let status = monitor.status();
    assert_eq!(status.relists.of(RelistCause::Panicked), 3, "{status:?}");
    assert!(
        matches!(status.last_error.unwrap().0.fault(), Fault::Panicked(text) if text.contains("no room"))
    );
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn freshness_is_the_age_of_the_last_proof() {
    let rig = Rig::start(source(&["a"]));
    let age = || rig.monitor.status().freshness.map(|age| age.as_secs());
    assert_eq!(age(), None);
    seconds(50.0).await;
    assert_eq!(age(), Some(50), "since the list");
    rig.source.put(object("a"));
    seconds(7.0).await;
    assert_eq!(age(), Some(7), "since the event");
    rig.source.send_bookmark();
    seconds(3.0).await;
    assert_eq!(age(), Some(3), "since the bookmark");
    assert_eq!(rig.monitor.status().lists, 1, "nothing is asked for it");
}

#[tokio::test(start_paused = true)]
async fn a_quiet_watch_is_proved_by_a_list_of_one_item() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a", "b", "c"]), options);
    for _ in 0..1000 {
        seconds(7.0).await;
        let status = rig.monitor.status();
        assert!(status.freshness <= Some(Duration::from_secs(31)), "{status:?}");
    }
    let probes = rig.limits().iter().filter(|limit| **limit == Some(1)).count();
    assert!((200..250).contains(&probes), "{probes} probes in 7,000 s");
    assert_eq!(rig.log(), ["=3"], "and nothing else happens");
    assert!(rig.errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_does_not_reach_the_quorum_is_listed_over() {
    let fake = Arc::new(source(&["a"]));
    let deaf = Odd::new(&fake, |_| {});
    deaf.deafen(true);
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60)).seed(1);
    let reflector = Reflector::new(deaf.clone(), options);
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(10.0).await;
    fake.put(object("b"));
    seconds(65.0).await;
    assert_eq!(sink.0.lock().1.len(), 2, "{:?}", monitor.status());
    assert_eq!(monitor.status().relists.of(RelistCause::Unproven), 1);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_is_reported_and_asked_again() {
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = Rig::with(source(&["a"]), options);
    seconds(10.0).await;
    rig.source.fail_list(fault(403, "Forbidden"));
    seconds(25.0).await;
    assert_eq!(rig.errors(), [FaultClass::Forbidden]);
    assert!(rig.monitor.status().freshness > Some(Duration::from_secs(30)));
    seconds(20.0).await;
    assert!(rig.monitor.status().freshness < Some(Duration::from_secs(20)));
    assert_eq!(rig.log(), ["=1"]);
}

/// With nothing to wait for, other tasks and the stop still have their turn.
#[tokio::test]
async fn an_always_ready_source_can_be_stopped() {
    struct Ready(Collection);
    impl ListerWatcher<ConfigMap> for Ready {
        fn collection(&self) -> &Collection {
            &self.0
        }
        fn list(
            &self,
            _: &ListQuery,
        ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
            let metadata = crate::lister_watcher::ListMetadata {
                version: Some(1.into()),
                continue_token: Some(fastrand::u64(..).to_string()),
                remaining: None,
            };
            let items = futures::stream::iter([Ok(ListItem::Meta(metadata))]);
            Box::pin(async { Ok(items.boxed()) })
        }
        fn watch(
            &self,
            _: &WatchQuery,
        ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
            Box::pin(async { Ok(futures::stream::empty().boxed()) })
        }
    }
    let names = source(&[]).collection().clone();
    let reflector = Reflector::new(Arc::new(Ready(names)), ReflectorOptions::new());
    let stop = tokio_util::sync::CancellationToken::new();
    let running = stop.clone();
    let task =
        tokio::spawn(
            async move { running.run_until_cancelled(reflector.run(Sink::default())).await },
        );
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    assert!(task.await.unwrap().is_none(), "pages without end are no reason to miss the stop");
}
