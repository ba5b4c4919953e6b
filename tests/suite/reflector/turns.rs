//! Proofs, lists and a watch that works take turns: each change is told in time.

use std::sync::atomic::{AtomicBool, Ordering};

use kube_informer::informer::ReadBarrier;
use kube_informer::{InformerOptions, SharedInformer};

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

/// The answer to a list of one item.
#[derive(Clone, Copy, Debug)]
enum Question {
    Refused,
    /// Another resource was written, and there are no bookmarks.
    Newer,
}

/// A source whose watches work, and whose other answers are late or errors after the first list.
#[derive(Clone, Debug)]
struct Late {
    source: Arc<FakeSource<ConfigMap>>,
    listed: Arc<AtomicBool>,
    question: (Question, Duration),
    /// The time that a list of everything takes, and true if it succeeds.
    list: (Duration, bool),
    opening: Duration,
}

impl Late {
    fn error(&self) -> SourceError {
        SourceError::new(self.collection().request_name(Verb::List), fault(503, "busy"))
    }
}

impl ListerWatcher<ConfigMap> for Late {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let (late, is_question) = (self.clone(), query.limit == Some(1));
        let listing = (!is_question).then(|| self.source.list(query, hints));
        Box::pin(async move {
            let Some(listing) = listing else {
                let (question, pause) = late.question;
                tokio::time::sleep(pause).await;
                let version = Some(ResourceVersion::from(1_000));
                let newer = ListItem::Meta(ListMetadata { version, ..ListMetadata::default() });
                return match question {
                    Question::Refused => Err(late.error()),
                    Question::Newer => Ok(futures::stream::iter([Ok(newer)]).boxed()),
                };
            };
            let listing = listing.await?;
            if !late.listed.swap(true, Ordering::Relaxed) {
                return Ok(listing);
            }
            let (took, succeeds) = late.list;
            let slow = futures::stream::once(async move {
                tokio::time::sleep(took).await;
                if succeeds { listing } else { futures::stream::iter([Err(late.error())]).boxed() }
            });
            Ok(slow.flatten().boxed())
        })
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let (late, initial) = (self.clone(), query.initial_events);
        let watch = self.source.watch(query, hints);
        Box::pin(async move {
            if initial && late.listed.swap(true, Ordering::Relaxed) {
                tokio::time::sleep(late.list.0.min(Duration::from_secs(20))).await;
                return Err(late.error());
            }
            tokio::time::sleep(late.opening).await;
            let told = watch.await?.then(|item| async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                item
            });
            Ok(told.boxed())
        })
    }
}

impl Late {
    /// Follows this source, and returns the time after which a change was told.
    async fn told_after(&self, streaming: bool, demands: bool) -> Option<Duration> {
        let options = ReflectorOptions::new()
            .seed(1)
            .list_mode(list_mode(streaming))
            .freshness_limit(LIMIT)
            .list_idle_timeout(Duration::MAX)
            .on_error(|_| {});
        let options = InformerOptions::new().reflector(options);
        let informer = SharedInformer::new(Arc::new(self.clone()), options);
        informer.start().unwrap();
        if demands {
            tokio::spawn(demand(informer.clone()));
        }
        seconds(600.0).await;
        self.source.put(object("new"));
        let put = Instant::now();
        let key = key("new");
        let lister = informer.lister();
        while put.elapsed() < Duration::from_secs(7_200) && lister.get_by_key(&key).is_err() {
            seconds(1.0).await;
        }
        let told = lister.get_by_key(&key).is_ok().then(|| put.elapsed());
        informer.shutdown().await;
        told
    }
}

/// Demands a proof again and again until the informer stops.
async fn demand(informer: SharedInformer<ConfigMap>) {
    while informer.reach(ReadBarrier::now(), Duration::MAX).await.is_ok() {
        seconds(1.0).await;
    }
}

/// A row of sources: the answer to a question, and the seconds that it takes, that a list takes,
/// and the opening of a watch.
type Row = (Question, u64, u64, u64);

/// Returns what a source with these objects was told too late, if it is streamed or listed, asked
/// for proofs or not, and its later lists succeed or not.
async fn late(objects: &[&str], (question, answered, took, opening): Row) -> Vec<String> {
    let all = Duration::from_secs;
    let mut late = vec![];
    for n in 0..8 {
        let (streaming, demands, succeeds) = (n & 1 > 0, n & 2 > 0, n & 4 > 0);
        if streaming && objects.len() > 1 {
            // Their initial events would come one each second.
            continue;
        }
        let source = Late {
            source: Arc::new(source(objects)),
            listed: Arc::default(),
            question: (question, all(answered)),
            list: (all(took), succeeds),
            opening: all(opening),
        };
        let told = source.told_after(streaming, demands).await;
        let bound = if succeeds {
            4 * LIMIT + 3 * all(took) + 2 * all(opening)
        } else {
            // The watch has the whole time between two lists. A demand and the limit may each
            // cause one.
            let each = all(took) + all(opening) + all(took.min(20)) + all(5);
            if demands { 2 * each } else { each }
        };
        if told.is_none_or(|told| told > bound) {
            late.push(format!(
                "{} objects, {question:?} {answered}, list {took}, opening {opening}, streaming \
                 {streaming}, demands {demands}, succeeds {succeeds}: {told:?}",
                objects.len()
            ));
        }
    }
    late
}

#[tokio::test(start_paused = true)]
async fn working_watch_has_its_turn_whatever_fails() {
    let mut all = vec![];
    for question in [Question::Refused, Question::Newer] {
        for (answered, took, opening) in [
            (0, 0, 0),
            (0, 29, 0),
            (0, 59, 0),
            (0, 61, 0),
            (0, 200, 0),
            (0, 59, 5),
            (20, 59, 0),
            (50, 61, 5),
            (0, 0, 20),
            (20, 200, 20),
        ] {
            all.extend(late(&["a"], (question, answered, took, opening)).await);
        }
    }
    assert!(all.is_empty(), "{}: {all:#?}", all.len());
}

/// A short watch is tried first.
#[tokio::test(start_paused = true)]
async fn working_watch_of_a_large_kind_has_its_turn() {
    let names: Vec<_> = (0..500).map(|n| format!("o{n}")).collect();
    let names: Vec<_> = names.iter().map(|name| &**name).collect();
    let mut all = vec![];
    for (answered, took, opening) in [(0, 59, 0), (0, 59, 5), (0, 0, 20), (50, 61, 5)] {
        all.extend(late(&names, (Question::Newer, answered, took, opening)).await);
    }
    assert!(all.is_empty(), "{}: {all:#?}", all.len());
}

/// One bad event is one problem: the watch goes on between the lists that it causes.
#[tokio::test(start_paused = true)]
async fn watch_goes_on_while_lists_for_a_bad_event_fail() {
    for demands in [false, true] {
        let fake = Arc::new(source(&["a", "b"]));
        let scripted = ScriptedSource::with_watch(&fake, |watch| {
            let mut old = object("a");
            old.metadata.resource_version = Some("1".into());
            let old = WatchItem::Modified(Ok(old.into()));
            futures::stream::iter([Ok(old)]).chain(watch).boxed()
        });
        let options = InformerOptions::new().reflector(ReflectorOptions::new().seed(1));
        let informer = SharedInformer::new(scripted, options);
        let status = || informer.status().reflector;
        informer.start().unwrap();
        settle().await;
        (0..60).for_each(|_| fake.fail_list(fault(403, "Forbidden")));
        if demands {
            let informer = informer.clone();
            tokio::spawn(async move { informer.reach(ReadBarrier::now(), Duration::MAX).await });
        }
        for n in 1..30 {
            seconds(18.0).await;
            fake.put(object(&n.to_string()));
            seconds(2.0).await;
            assert_eq!(informer.lister().len(), 2 + n, "{demands}: {:?}", status());
        }
        let status = status();
        assert!((8..30).contains(&status.lists), "{demands}: {status:?}");
        assert!(status.watches < 60, "{demands}: {status:?}");
        informer.shutdown().await;
    }
}
