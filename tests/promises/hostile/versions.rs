//! Versions of lists, pages, events and bookmarks that contradict each other, or are none.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher, WatchItem,
    WatchQuery, WatchStream,
};
use kube_informer::reflector::ReflectorOptions;
use kube_informer::{InformerOptions, SourceError};

use super::*;

/// Another server answers a part of a list, and lags behind.
#[tokio::test(start_paused = true)]
async fn page_older_than_its_list_is_refused() {
    for (first, second, told) in [
        ("40", "10", "the list has version 10, but version 40 was already seen"),
        ("40", "x", "the list has version x, but version 40 was already seen"),
        // The version of a list is that of its first page.
        ("20", "50", "the list has version 20, but version 36 was already seen"),
    ] {
        let healed = Arc::new(AtomicBool::new(false));
        let heals = healed.clone();
        let new = [map("b", "35", "new"), map("c", "36", "new")];
        let rig = Rig::new(
            client(move |query, nth| {
                if is_watch(query) && nth < 3 {
                    let news = event("MODIFIED", &new[0]) + &event("ADDED", &new[1]);
                    return answer(200, news).then(2, event("ERROR", &failure(410, "Expired")));
                }
                if is_watch(query) {
                    return answer(200, bookmark("41")).hangs();
                }
                let a = map("a", "5", "old");
                match (nth, query.contains("continue="), heals.load(Ordering::Relaxed)) {
                    (0, ..) => list("30", &[a, map("b", "8", "old")]),
                    (_, false, false) if query.contains("resourceVersion=") || first == "40" => {
                        page(first, "t", &[a])
                    }
                    (_, true, false) if first == "40" => list(second, &[map("b", "8", "old")]),
                    (_, false, _) => page("40", "t", &[a]),
                    (_, true, _) => list("40", &new),
                }
            }),
            InformerSpec::new().page_size(2),
        );
        sleep(seconds(3600)).await;
        if first == "40" {
            assert_eq!(rig.stored(), ["a=old", "b=new", "c=new"], "{second}");
            assert_eq!(*rig.events.lock(), ["+a=old", "+b=old", "~b=new", "+c=new"], "{second}");
            assert_eq!(rig.version().as_deref(), Some("36"), "{second}");
            let lists = rig.queries(|query| !query.contains("continue=") && !is_watch(query));
            assert!((10..300).contains(&lists.len()), "{second}: {} lists in an hour", lists.len());
            assert!(!lists[2..].iter().any(|list| list.contains("resourceVersion=")), "{lists:?}");
        }
        rig.assert_error(told);
        healed.store(true, Ordering::Relaxed);
        sleep(seconds(120)).await;
        assert_eq!(rig.stored(), ["a=old", "b=new", "c=new"], "{second}");
        assert_eq!(rig.version().as_deref(), Some("41"), "{second}");
        rig.factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_first_list_are_compared() {
    for (first, second, accepted) in [
        ("20", "10", false),
        ("20", "20", true),
        ("20", "30", true),
        ("x", "x", true),
        ("x", "y", false),
    ] {
        let rig = Rig::new(
            client(move |query, _| match (is_watch(query), query.contains("continue=")) {
                (true, _) => answer(200, "").hangs(),
                (_, false) => page(first, "t", &[map("a", "5", "old")]),
                (_, true) => list(second, &[map("b", "8", "old")]),
            }),
            InformerSpec::new(),
        );
        sleep(seconds(300)).await;
        assert_eq!(rig.informer.has_synced(), accepted, "{first} {second}");
        if accepted {
            assert_eq!(rig.stored(), ["a=old", "b=old"], "{first} {second}");
            assert!(rig.queries(is_watch)[0].contains(&format!("resourceVersion={first}&")));
        } else {
            rig.assert_error(&format!("the list has version {second}, but version {first}"));
        }
        rig.factory.shutdown().await;
    }
}

/// The version of the list proves nothing about such a page.
#[tokio::test(start_paused = true)]
async fn page_without_a_version_leads_to_one_piece() {
    let maps = [map("a", "5", "old"), map("b", "8", "old")];
    for version in [json!(null), json!(""), json!("0")] {
        let maps = maps.clone();
        let rig = Rig::new(
            client(move |query, _| match (is_watch(query), query.contains("limit=")) {
                (true, _) => answer(200, "").hangs(),
                (_, true) if query.contains("continue=") => {
                    let metadata = json!({"resourceVersion": version});
                    answer(200, json!({"metadata": metadata, "items": [maps[1]]}).to_string())
                }
                (_, true) => page("20", "t", &maps[..1]),
                (_, false) => list("20", &maps),
            }),
            InformerSpec::new(),
        );
        rig.informer.wait_for_sync(seconds(60)).await.unwrap();
        assert_eq!(rig.stored(), ["a=old", "b=old"]);
        rig.assert_error("the list has no metadata.resourceVersion");
        rig.factory.shutdown().await;
    }
}

/// A watch without a version begins now, and skips what happened before.
#[tokio::test(start_paused = true)]
async fn watch_goes_on_from_the_last_usable_version() {
    let odd = map("a", "", "new");
    for sent in [
        event("MODIFIED", &odd),
        bookmark(""),
        bookmark("0"),
        event("MODIFIED", &map("a", "0", "new")),
    ] {
        let odd = sent.clone();
        let rig = Rig::new(
            client(move |query, nth| {
                if is_question(query) {
                    return list("30", &[]);
                }
                if !is_watch(query) {
                    let items = [map("a", "25", "new"), map("z", "4", "old")];
                    return list("10", if nth == 0 { &items } else { &items[..1] });
                }
                if nth == 1 {
                    return answer(200, odd.clone()).then(5, "");
                }
                let gap = if query.contains("resourceVersion=10&") {
                    event("DELETED", &map("z", "20", "old"))
                } else {
                    String::new()
                };
                answer(200, gap + &bookmark("30")).hangs()
            }),
            InformerSpec::new(),
        );
        sleep(seconds(5)).await;
        sleep(seconds(5)).await;
        assert_eq!(rig.stored(), ["a=new"], "{sent}");
        assert!(rig.queries(is_watch)[1].contains("resourceVersion=10&"), "{sent}");
        rig.factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_at_version_zero_cannot_be_watched() {
    for version in ["", "0"] {
        let rig = Rig::new(
            client(move |query, _| {
                if is_watch(query) {
                    answer(200, "").hangs()
                } else {
                    list(version, &[map("a", "5", "old")])
                }
            }),
            InformerSpec::new(),
        );
        sleep(seconds(60)).await;
        assert!(!rig.informer.has_synced(), "{version:?}");
        let watches = rig.queries(|query| is_watch(query) && !query.contains("sendInitialEvents"));
        assert!(watches.is_empty(), "{version:?}: {watches:?}");
        rig.assert_error("has no metadata.resourceVersion");
        rig.factory.shutdown().await;
    }
}

/// A source whose texts may be empty, as those of a decoder that knows no absent fields.
struct Texted {
    collection: Collection,
    list: &'static str,
    item: fn() -> WatchItem<ConfigMap>,
    from: Texts,
}

impl ListerWatcher<ConfigMap> for Texted {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let metadata = ListMetadata { version: Some(self.list.into()), ..ListMetadata::default() };
        let items = [ListItem::Object(Ok(decoded("a", "old").into())), ListItem::Meta(metadata)];
        async { Ok(stream::iter(items.map(Ok)).boxed()) }.boxed()
    }

    fn watch(
        &self,
        query: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        if !query.initial_events {
            self.from
                .lock()
                .push(query.version.as_ref().map(ToString::to_string).unwrap_or_default());
        }
        let item = stream::iter([Ok((self.item)())]);
        let end = stream::once(sleep(seconds(40))).filter_map(|()| async { None });
        async { Ok(item.chain(end).boxed()) }.boxed()
    }
}

/// Returns a map with an empty version.
fn decoded(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(map(name, "", value)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn empty_version_of_a_source_is_none() {
    let event: fn() -> WatchItem<ConfigMap> =
        || WatchItem::Modified(Ok(decoded("a", "new").into()));
    let bookmark: fn() -> WatchItem<ConfigMap> =
        || WatchItem::Bookmark { version: "".into(), initial_events_end: false };
    let outside: fn() -> WatchItem<ConfigMap> =
        || WatchItem::Outside { key: None, version: Some("".into()) };
    for (list, item, value, told) in [
        ("10", event, "a=new", None),
        ("10", bookmark, "a=old", Some("a bookmark without a version")),
        ("10", outside, "a=old", None),
        ("x", event, "a=new", None),
        ("", event, "", Some("no metadata.resourceVersion")),
    ] {
        let collection =
            Collection { resource: "maps".into(), kind: "ConfigMap".into(), namespace: None };
        let from = Texts::default();
        let source = Texted { collection, list, item, from: from.clone() };
        let errors = Texts::default();
        let failed = errors.clone();
        let options =
            ReflectorOptions::new().on_error(move |error| failed.lock().push(error.to_string()));
        let options = InformerOptions::new().reflector(options);
        let informer = SharedInformer::new(Arc::new(source), options);
        informer.start().unwrap();
        sleep(seconds(100)).await;
        let stored: Vec<_> = informer.lister().all().iter().map(|map| state(map)).collect();
        assert_eq!(stored.concat(), value, "{list:?}");
        assert!(from.lock().iter().all(|from| from == list), "{list:?}: {:?}", from.lock());
        assert_eq!(from.lock().is_empty(), list.is_empty());
        let version = informer.snapshot().version().map(ToString::to_string);
        assert_eq!(version.unwrap_or_default(), list);
        if let Some(told) = told {
            assert!(errors.lock().iter().any(|error| error.contains(told)), "{:?}", errors.lock());
        }
        informer.shutdown().await;
    }
}
