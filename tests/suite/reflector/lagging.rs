//! Answers that prove nothing: of caches that lag behind.

use std::sync::atomic::{AtomicBool, Ordering};

use super::versioned::{Versioned, at, bookmark, stays};
use super::*;

/// Returns the error of a watch from a version that is older than 7.
fn too_old() -> Fault {
    Fault::Status(ApiStatus::new(410, "Expired", "too old resource version: 5 (7)"))
}

/// Returns the answer at version 5, or at version 9.
fn state(version: u64) -> (ResourceVersion, Vec<ConfigMap>) {
    let objects = if version == 5 { vec![at("a", "5")] } else { vec![at("b", "9")] };
    (version.into(), objects)
}

/// A cache that stands at 5, behind a server that is at 9 after its first list. Watches from 5 get
/// a 410.
fn lagging(quorum: impl Fn() -> Option<Fault> + Send + Sync + 'static) -> Versioned {
    let first = AtomicBool::new(true);
    let list = move |query: &ListQuery| {
        if query.version.is_some() || first.swap(false, Ordering::Relaxed) {
            first.store(false, Ordering::Relaxed);
            return Ok(state(5));
        }
        quorum().map_or_else(|| Ok(state(9)), Err)
    };
    let watch = |query: &WatchQuery| match &query.version {
        Some(version) if *version == 5.into() && !query.initial_events => Err(too_old()),
        _ => Ok(stays(vec![])),
    };
    Versioned::new(list, watch)
}

#[tokio::test(start_paused = true)]
async fn second_410_at_a_listed_version_asks_a_quorum() {
    for pages in [None, Some(2)] {
        let options = || match pages {
            Some(size) => ReflectorOptions::new().page_size(size),
            None => ReflectorOptions::new(),
        };
        let rig = lagging(|| None).start(options());
        seconds(5.0).await;
        let begun = ["list \"\"", "watch 5", "list 5", "watch 5", "list \"\"", "watch 9"];
        assert_eq!(rig.source.requests(), begun);
        assert_eq!(rig.folded(), ["b@9"]);
        let rig = lagging(|| None).start(options().any_version(true));
        seconds(5.0).await;
        assert_eq!(rig.source.requests()[0], "list 0");
        assert_eq!(rig.source.requests()[1..], begun[1..]);
        seconds(600.0).await;
        assert_eq!(rig.monitor.status().lists, 3, "one quorum is enough");
    }
}

/// The cache moves, and stays behind. The server does not say how far.
#[tokio::test(start_paused = true)]
async fn slow_cache_gives_way_to_a_quorum() {
    let at_cache = std::sync::atomic::AtomicU64::new(5);
    let mut server = lagging(|| None);
    server.list = Box::new(move |query| match query.version {
        Some(_) => {
            let version = at_cache.fetch_add(1, Ordering::Relaxed) + 1;
            Ok((version.into(), vec![at("a", "5")]))
        }
        None if at_cache.load(Ordering::Relaxed) == 5 => Ok(state(5)),
        None => Ok(state(9_000)),
    });
    server.watch = Box::new(|query| match &query.version {
        Some(version) if version.is_older_than(&9_000.into()) => Err(fault(410, "Expired")),
        _ => Ok(stays(vec![])),
    });
    let rig = server.start(ReflectorOptions::new());
    seconds(20.0).await;
    assert_eq!(rig.folded(), ["b@9"], "{:?}", rig.source.requests());
    assert_eq!(rig.monitor.status().lists, 4);
}

/// The stream of a streaming list has no version that can be too old, so its end is.
#[tokio::test(start_paused = true)]
async fn streaming_lists_of_a_lagging_cache_give_way_to_a_quorum() {
    let mut server = lagging(|| None);
    let too_old =
        || SourceError::new(source(&[]).collection().request_name(Verb::Watch), too_old());
    server.watch = Box::new(move |query| match &query.version {
        Some(version) if *version == 9.into() => Ok(stays(vec![])),
        _ => Ok(futures::stream::iter([Ok(WatchItem::Failed(too_old()))]).boxed()),
    });
    let rig = server.start(ReflectorOptions::new().list_mode(ListMode::Streaming));
    seconds(5.0).await;
    let requests = rig.source.requests();
    assert_eq!(requests[..3], ["stream \"\"", "stream 5", "stream \"\""]);
    assert_eq!(rig.folded(), ["b@9"], "{requests:?}");
}

#[tokio::test(start_paused = true)]
async fn lists_of_a_lagging_cache_are_no_proofs() {
    for limit in [None, Some(Duration::from_secs(60))] {
        for forbidden in [true, false] {
            // The quorum refuses, or answers from the same cache.
            let quorum = move || forbidden.then(|| fault(403, "Forbidden"));
            let mut server = lagging(quorum);
            if !forbidden {
                server.list = Box::new(|_| Ok(state(5)));
            }
            let mut options = ReflectorOptions::new();
            if let Some(limit) = limit {
                options = options.freshness_limit(limit);
            }
            let rig = server.start(options);
            seconds(600.0).await;
            assert!(rig.freshness() > 590.0, "{limit:?} {forbidden}: {}", rig.freshness());
            let requests = rig.source.requests().len();
            assert!(requests < 100, "{limit:?} {forbidden}: {requests} requests");
        }
    }
}

/// The watch is accepted, and refused long after. The refusal names what the list did not have.
#[tokio::test(start_paused = true)]
async fn late_410_that_names_a_newer_version_asks_a_quorum() {
    let mut server = lagging(|| None);
    let too_old =
        || SourceError::new(source(&[]).collection().request_name(Verb::Watch), too_old());
    server.watch = Box::new(move |query| match &query.version {
        Some(version) if *version == 9.into() => Ok(stays(vec![])),
        _ => {
            let late = async move {
                seconds(60.0).await;
                Ok(WatchItem::Failed(too_old()))
            };
            Ok(futures::FutureExt::into_stream(late).boxed())
        }
    });
    let rig = server.start(ReflectorOptions::new());
    seconds(150.0).await;
    assert_eq!(rig.folded(), ["b@9"], "{:?}", rig.source.requests());
}

/// No watch opens, for another reason than its version.
#[tokio::test(start_paused = true)]
async fn list_after_one_without_news_asks_a_quorum() {
    for code in [404, 500] {
        let mut server = lagging(|| None);
        server.watch = Box::new(move |_| Err(fault(code, "x")));
        let rig = server.start(ReflectorOptions::new());
        seconds(60.0).await;
        assert_eq!(rig.folded(), ["b@9"], "{:?}", rig.source.requests());
        seconds(600.0).await;
        assert!(rig.freshness() < 130.0, "{code}: {}", rig.freshness());
    }
}

#[tokio::test(start_paused = true)]
async fn lists_without_a_watch_ask_a_quorum() {
    let mut server = lagging(|| None);
    server.watch = Box::new(|_| Err(fault(403, "Forbidden")));
    let rig = server.start(ReflectorOptions::new());
    for _ in 0..100 {
        seconds(60.0).await;
        assert!(rig.freshness() < 370.0, "{}", rig.freshness());
    }
    assert_eq!(rig.folded(), ["b@9"]);
    assert_eq!(rig.count("list 5"), 0);
}

#[tokio::test(start_paused = true)]
async fn watch_behind_a_named_version_is_no_proof() {
    // A quorum is asked after 15 s, and a bookmark repeats the version after 20 s.
    let mut server = lagging(|| None);
    server.watch = Box::new(move |query| {
        if query.version == Some(9.into()) {
            return Ok(stays(vec![]));
        }
        let items = futures::stream::unfold((), move |()| async move {
            seconds(20.0).await;
            Some((Ok(bookmark(5, false)), ()))
        });
        Ok(items.boxed())
    });
    let rig = server.start(ReflectorOptions::new().freshness_limit(Duration::from_secs(30)));
    seconds(35.0).await;
    assert_eq!(rig.folded(), ["b@9"], "{:?}", rig.source.requests());
    assert_eq!(rig.relists(RelistCause::Unproven), 1);
}

#[tokio::test(start_paused = true)]
async fn question_is_no_proof_while_a_change_is_unknown() {
    // The list of the arrivals is refused, and so is that of everything.
    let refuses = Arc::new(AtomicBool::new(false));
    let forbids = refuses.clone();
    let list = move |query: &ListQuery| match query.limit {
        Some(1) => Ok(state(5)),
        _ if forbids.load(Ordering::Relaxed) => Err(fault(403, "Forbidden")),
        _ => Ok(state(5)),
    };
    let server = Versioned::new(list, |_| Ok(stays(vec![])));
    let shard = |end| ShardSelector::new(ShardKey::Namespace, [0..=end]);
    let (shards, receiver) = watch::channel(shard(9));
    let options = ReflectorOptions::new().freshness_limit(Duration::from_secs(60));
    let rig = server.start(options.shard(receiver));
    seconds(10.0).await;
    refuses.store(true, Ordering::Relaxed);
    shards.send_replace(shard(99));
    seconds(600.0).await;
    assert!(rig.count("probe \"\"") > 0);
    assert!(rig.freshness() > 600.0, "{}", rig.freshness());
}

/// A list of arrivals is a quorum read, and the watch goes on from a cache that lags behind it.
#[tokio::test(start_paused = true)]
async fn watch_behind_a_list_of_arrivals_is_no_proof() {
    let lists = std::sync::atomic::AtomicU64::new(0);
    let list =
        move |_: &ListQuery| Ok(((5 + lists.fetch_add(4, Ordering::Relaxed)).into(), vec![]));
    let repeats = |_: &WatchQuery| {
        let items = futures::stream::unfold((), |()| async {
            seconds(20.0).await;
            Some((Ok(bookmark(5, false)), ()))
        });
        Ok(items.boxed())
    };
    let shard = |end| ShardSelector::new(ShardKey::Namespace, [0..=end]);
    let (shards, receiver) = watch::channel(shard(9));
    let rig = Versioned::new(list, repeats).start(ReflectorOptions::new().shard(receiver));
    seconds(30.0).await;
    assert!(rig.freshness() < 20.0, "{}", rig.freshness());
    shards.send_replace(shard(99));
    seconds(200.0).await;
    assert_eq!(rig.source.requests(), ["list \"\"", "watch 5", "list \"\"", "watch 5"]);
    assert!(rig.freshness() > 190.0, "{}", rig.freshness());
}

/// A broken connection raises a doubt that only a newer list or a quorum settles.
#[tokio::test(start_paused = true)]
async fn lagging_cache_does_not_settle_doubts_about_history() {
    let watches = std::sync::atomic::AtomicU32::new(0);
    let mut server = lagging(|| None);
    server.list = Box::new(|query| match (&query.version, query.limit) {
        (None, Some(1)) => Ok((3.into(), vec![at("c", "3")])),
        _ => Ok(state(5)),
    });
    server.watch = Box::new(move |_| match watches.fetch_add(1, Ordering::Relaxed) {
        0 => Err(fault(500, "x")),
        _ => Ok(stays(vec![])),
    });
    let rig = server.start(ReflectorOptions::new());
    seconds(60.0).await;
    assert!(rig.count("list 5") > 0, "{:?}", rig.source.requests());
    assert!(rig.relists(RelistCause::Unproven) > 0, "{:?}", rig.source.requests());
}

/// Returns a watch that sends these items, and ends with a 410 after this time, or cleanly.
fn goes_on(items: Vec<WatchItem<ConfigMap>>, lasts: f64, gone: bool) -> WatchStream<ConfigMap> {
    let request = source(&[]).collection().request_name(Verb::Watch);
    let end = async move {
        seconds(lasts).await;
        gone.then(|| Ok(WatchItem::Failed(SourceError::new(request, fault(410, "Expired")))))
    };
    let end = futures::FutureExt::into_stream(end).filter_map(std::future::ready);
    futures::stream::iter(items.into_iter().map(Ok)).chain(end).boxed()
}

/// Returns the items that a watch from 5 may send without telling anything.
fn repetitions() -> Vec<Vec<WatchItem<ConfigMap>>> {
    let mut unversioned = at("a", "5");
    unversioned.metadata.resource_version = None;
    vec![
        vec![],
        vec![bookmark(5, false)],
        vec![WatchItem::Modified(Ok(at("a", "5").into()))],
        vec![WatchItem::Modified(Ok(unversioned.into()))],
        vec![WatchItem::Deleted(Ok(at("unknown", "5").into()))],
    ]
}

/// The server does not say how far its cache is behind.
#[tokio::test(start_paused = true)]
async fn items_at_a_lagging_version_excuse_no_410() {
    for mode in [ListMode::Plain, ListMode::Streaming] {
        for n in 0..repetitions().len() {
            for (lasts, clean) in [(0.5, 0), (1.5, 0), (130.0, 0), (1.5, 1), (70.0, 2)] {
                let mut server = lagging(|| None);
                let watches = std::sync::atomic::AtomicU32::new(0);
                server.watch = Box::new(move |query| {
                    let before = watches.fetch_add(1, Ordering::Relaxed);
                    let from_quorum = query.version.is_none() && before > 0;
                    if query.version == Some(9.into()) || from_quorum {
                        return Ok(stays(vec![]));
                    }
                    let gone = before % (clean + 1) == clean;
                    Ok(goes_on(repetitions().swap_remove(n), lasts, gone))
                });
                let rig = server.start(ReflectorOptions::new().list_mode(mode));
                seconds(30.0 + 6.0 * lasts).await;
                let row = format!("{mode:?} {n} {lasts} {clean}: {:?}", rig.source.requests());
                assert_eq!(rig.folded(), ["b@9"], "{row}");
                assert!(rig.monitor.status().lists <= 5, "{row}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn items_at_a_lagging_version_prove_nothing() {
    for n in 1..repetitions().len() {
        let watches = std::sync::atomic::AtomicU32::new(0);
        let mut server = lagging(|| None);
        server.watch = Box::new(move |_| match watches.fetch_add(1, Ordering::Relaxed) {
            0 => Err(fault(410, "Expired")),
            _ => Ok(minutely(n)),
        });
        let rig = server.start(ReflectorOptions::new());
        seconds(1_800.0).await;
        assert_eq!(rig.count("list 5"), 1, "{:?}", rig.source.requests());
        assert!(rig.freshness() > 1_790.0, "{n}: {}", rig.freshness());
    }
}

/// Returns a watch that sends such items each minute.
fn minutely(n: usize) -> WatchStream<ConfigMap> {
    let items = futures::stream::unfold((), move |()| async move {
        seconds(60.0).await;
        Some((futures::stream::iter(repetitions().swap_remove(n).into_iter().map(Ok)), ()))
    });
    items.flatten().boxed()
}

#[tokio::test(start_paused = true)]
async fn list_of_any_version_proves_nothing() {
    let mut server = lagging(|| None);
    server.watch = Box::new(|_| Ok(minutely(1)));
    let rig = server.start(ReflectorOptions::new().any_version(true));
    seconds(300.0).await;
    assert_eq!(rig.source.requests(), ["list 0", "watch 5"]);
    assert_eq!(rig.monitor.status().freshness, None);
    let mut server = lagging(|| None);
    server.list = Box::new(|_| Ok(state(5)));
    server.watch = Box::new(|_| Ok(minutely(1)));
    let limit = Duration::from_secs(60);
    let rig = server.start(ReflectorOptions::new().any_version(true).freshness_limit(limit));
    seconds(300.0).await;
    assert!(rig.freshness() <= 60.0, "{}", rig.freshness());
    assert_eq!(rig.monitor.status().lists, 1);
}
