//! Watches that begin from nothing, as those of servers do whose versions are made up.

use std::sync::atomic::{AtomicU32, Ordering};

use super::versioned::{Running, Versioned, at, bookmark, stays};
use super::*;

fn added(name: &str, version: &str) -> WatchItem<ConfigMap> {
    WatchItem::Added(Ok(at(name, version).into()))
}

fn modified(name: &str, version: &str) -> WatchItem<ConfigMap> {
    WatchItem::Modified(Ok(at(name, version).into()))
}

/// Starts a reflector of a server that forgets. Its lists have this version, and each of its
/// watches sends every object again. It first has `before`. The objects are `after` from its
/// second watch on, which comes after 10 s.
fn forgetful(
    version: &'static str,
    before: &'static [(&str, &str)],
    after: &'static [(&str, &str)],
    again: fn(&str, &str) -> WatchItem<ConfigMap>,
) -> Running {
    let watches = Arc::new(AtomicU32::new(0));
    let begun = watches.clone();
    let list = move |_: &ListQuery| {
        let objects = if begun.load(Ordering::Relaxed) < 2 { before } else { after };
        Ok((version.into(), objects.iter().map(|(name, version)| at(name, version)).collect()))
    };
    let watch = move |_: &WatchQuery| {
        if watches.fetch_add(1, Ordering::Relaxed) == 0 {
            let end = async { seconds(10.0).await };
            let end = futures::FutureExt::into_stream(end);
            return Ok(end.filter_map(|()| async { None }).boxed());
        }
        Ok(stays(after.iter().map(|(name, version)| again(name, version)).collect()))
    };
    Versioned::new(list, watch).start(ReflectorOptions::new())
}

#[tokio::test(start_paused = true)]
async fn watch_that_begins_from_nothing_is_listed() {
    // The versions are all the same, opaque, in order, or started over.
    for (version, before, after) in [
        ("1", [("a", "1"), ("b", "1"), ("c", "1")], &[("a", "1"), ("c", "1")][..]),
        ("1", [("b", "1"), ("c", "1"), ("d", "1")], &[("a", "1"), ("c", "1"), ("d", "1")]),
        ("x", [("a", "p"), ("b", "q"), ("c", "r")], &[("a", "p"), ("c", "r")]),
        ("9", [("a", "4"), ("b", "5"), ("c", "9")], &[("a", "4"), ("c", "9")]),
        ("9", [("a", "4"), ("b", "5"), ("c", "9")], &[("a", "1"), ("c", "2")]),
    ] {
        let rows: &'static [(&str, &str)] = Vec::from(before).leak();
        let rig = forgetful(version, rows, after, added);
        seconds(9.0).await;
        assert_eq!(rig.folded().len(), 3);
        seconds(10.0).await;
        let now: Vec<_> = after.iter().map(|(name, version)| format!("{name}@{version}")).collect();
        assert_eq!(rig.folded(), now, "{version}: {:?}", rig.source.requests());
        assert!(rig.relists(RelistCause::Replayed) > 0, "{:?}", rig.monitor.status());
        let faults = rig.faults.lock().clone();
        let told = format!("the watch from version {version} sent objects again that are known");
        assert!(faults.iter().any(|fault| fault.contains(&told)), "{faults:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn watch_that_sends_known_states_as_modified_is_listed() {
    const BEFORE: &[(&str, &str)] = &[("a", "p"), ("b", "q"), ("c", "r")];
    const AFTER: &[(&str, &str)] = &[("a", "p"), ("c", "r")];
    let rig = forgetful("x", BEFORE, AFTER, modified);
    seconds(19.0).await;
    assert_eq!(rig.folded(), ["a@p", "c@r"], "{:?}", rig.source.requests());
    assert!(rig.relists(RelistCause::Replayed) > 0, "{:?}", rig.monitor.status());
}

#[tokio::test(start_paused = true)]
async fn lists_for_replays_become_rare() {
    const OBJECTS: &[(&str, &str)] = &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e", "5")];
    let rig = forgetful("5", OBJECTS, OBJECTS, added);
    seconds(3600.0).await;
    let lists = rig.monitor.status().lists;
    assert!((10..40).contains(&lists), "{lists} lists in an hour");
    assert!(rig.freshness() < 260.0, "each is a proof: {}", rig.freshness());
    let errors = rig.monitor.status().errors;
    assert!(errors <= 3 * lists, "not one for each object: {errors} errors");
}

/// The source of an ordinary watch may repeat its last event, adds objects again that have left,
/// and shows what is new. It adds no other object that was known, not even later.
#[tokio::test(start_paused = true)]
async fn other_watches_are_not_listed() {
    let other = || {
        let mut other = at("b", "5");
        other.metadata.uid = Some("other".to_owned());
        WatchItem::Added(Ok(other.into()))
    };
    let deleted = |name, version| WatchItem::Deleted(Ok(at(name, version).into()));
    for (n, (items, replays)) in [
        (vec![], false),
        (vec![added("a", "5")], false),
        (vec![added("a", "5"), added("a", "5")], false),
        (vec![added("a", "5"), other()], true),
        (vec![added("a", "6"), modified("b", "7")], false),
        (vec![added("late", "7"), added("later", "8")], false),
        (vec![deleted("a", "6"), deleted("b", "7"), added("a", "8"), added("b", "9")], false),
        (vec![added("a", "5"), added("new", "6"), added("b", "5")], true),
        (vec![bookmark(5, false), added("a", "5"), added("b", "5")], true),
        (vec![bookmark(9, false), added("a", "10"), added("b", "10")], true),
        (vec![added("a", "5"), bookmark(5, false), added("b", "5")], true),
        (vec![modified("a", "5"), added("a", "5"), added("b", "5")], true),
        (vec![modified("new", "6"), added("a", "6"), added("b", "6")], true),
        (vec![deleted("new", "6"), added("a", "5"), added("b", "5")], true),
    ]
    .into_iter()
    .enumerate()
    {
        let items = Mutex::new(Some(items));
        let list = |_: &ListQuery| {
            // The last ones came after the first page.
            let rows = [("a", "5"), ("b", "5"), ("late", "7"), ("later", "8")];
            Ok((5.into(), rows.map(|(name, version)| at(name, version)).to_vec()))
        };
        let watch = move |_: &WatchQuery| Ok(stays(items.lock().take().unwrap_or_default()));
        let rig = Versioned::new(list, watch).start(ReflectorOptions::new());
        seconds(600.0).await;
        let relists = rig.relists(RelistCause::Replayed);
        assert_eq!(relists, u64::from(replays), "{n}: {:?}", rig.faults.lock());
    }
}

#[tokio::test(start_paused = true)]
async fn replays_prove_nothing() {
    let list = |query: &ListQuery| match query.version {
        Some(_) => Err(fault(403, "Forbidden")),
        None => Ok((5.into(), vec![at("a", "5"), at("b", "5")])),
    };
    let watch = |_: &WatchQuery| {
        let again = futures::stream::unfold((), |()| async {
            seconds(20.0).await;
            Some((Ok(added("a", "5")), ()))
        });
        Ok(again.boxed())
    };
    let rig = Versioned::new(list, watch).start(ReflectorOptions::new());
    seconds(90.0).await;
    assert!(rig.freshness() > 85.0, "{}", rig.freshness());
}

/// Returns an object of a server that has no versions, no uids, or makes them up.
fn made_up(name: &str, version: Option<&str>, uid: bool) -> ConfigMap {
    let mut object = at(name, version.unwrap_or_default());
    object.metadata.resource_version = version.map(str::to_owned);
    object.metadata.uid.take_if(|_| !uid);
    object
}

#[tokio::test(start_paused = true)]
async fn replays_without_versions_or_uids_are_noticed() {
    for (form, uid) in
        [("none", true), ("none", false), ("opaque", false), ("growing", true), ("growing", false)]
    {
        let answers = Arc::new(AtomicU32::new(10));
        let watches = Arc::new(AtomicU32::new(0));
        let objects = move |names: &[&str], answer: u32| -> Vec<ConfigMap> {
            let version = match form {
                "none" => None,
                "opaque" => Some("x".to_owned()),
                _ => Some(answer.to_string()),
            };
            names.iter().map(|name| made_up(name, version.as_deref(), uid)).collect()
        };
        let names = |watches: &AtomicU32| match watches.load(Ordering::Relaxed) {
            0 | 1 => &["a", "b", "c"][..],
            _ => &["a", "b"],
        };
        let (seen, grows) = (watches.clone(), answers.clone());
        let list = move |_: &ListQuery| {
            let answer = grows.fetch_add(1, Ordering::Relaxed);
            let version = if form == "opaque" { "v".into() } else { u64::from(answer).into() };
            Ok((version, objects(names(&seen), answer)))
        };
        let watch = move |_: &WatchQuery| {
            watches.fetch_add(1, Ordering::Relaxed);
            let answer = answers.fetch_add(1, Ordering::Relaxed);
            let added = objects(names(&watches), answer).into_iter();
            let added = added.map(|object| Ok(WatchItem::Added(Ok(object.into()))));
            let end = async { seconds(60.0).await };
            let end = futures::FutureExt::into_stream(end).filter_map(|()| async { None });
            Ok(futures::stream::iter(added).chain(end).boxed())
        };
        let rig = Versioned::new(list, watch).start(ReflectorOptions::new());
        seconds(300.0).await;
        let requests = rig.source.requests();
        assert!(rig.relists(RelistCause::Replayed) > 0, "{form} {uid}: {requests:?}");
        assert_eq!(rig.folded().len(), 2, "{form} {uid}: {requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn known_object_added_in_a_newer_state_counts() {
    let list = |_: &ListQuery| Ok((5.into(), vec![at("a", "5"), at("b", "5")]));
    let watch = |_: &WatchQuery| Ok(stays(vec![added("a", "6")]));
    let rig = Versioned::new(list, watch).start(ReflectorOptions::new());
    seconds(10.0).await;
    assert_eq!(rig.folded(), ["a@6", "b@5"]);
    assert_eq!(rig.monitor.status().version, Some(6.into()));
    assert!(rig.freshness() > 9.0, "it is no proof");
}
