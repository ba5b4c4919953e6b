//! Servers whose answers never come to an end, or never make progress.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// Returns the continue token and the objects of the page of this number.
type Page = fn(u64) -> (String, Vec<ConfigMap>);

/// A collection whose every page announces another.
struct Endless {
    collection: Collection,
    pages: AtomicU64,
    page: Page,
}

impl ListerWatcher<ConfigMap> for Endless {
    fn collection(&self) -> &Collection {
        &self.collection
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let (token, objects) = (self.page)(self.pages.fetch_add(1, Ordering::Relaxed));
        let metadata = ListMetadata {
            version: Some(1.into()),
            continue_token: Some(token),
            // An own source may state any number.
            remaining: Some(u64::MAX),
            ..ListMetadata::default()
        };
        let objects = objects.into_iter().map(|object| ListItem::Object(Ok(object.into())));
        let items: Vec<_> = objects.chain([ListItem::Meta(metadata)]).map(Ok).collect();
        Box::pin(async { Ok(futures::stream::iter(items).boxed()) })
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        Box::pin(async { Ok(futures::stream::pending().boxed()) })
    }
}

/// Returns the requests of twenty minutes, and the errors.
async fn listed(page: Page) -> (u64, Vec<String>) {
    let collection = source(&[]).collection().clone();
    let endless = Arc::new(Endless { collection, pages: AtomicU64::new(0), page });
    let errors = Arc::new(Mutex::new(vec![]));
    let texts = errors.clone();
    let options =
        ReflectorOptions::new().seed(7).on_error(move |error| texts.lock().push(error.to_string()));
    let reflector = Reflector::new(endless.clone(), options);
    let task = tokio::spawn(reflector.run(Sink::default()));
    seconds(1200.0).await;
    task.abort();
    let errors = errors.lock().clone();
    (endless.pages.load(Ordering::Relaxed), errors)
}

#[tokio::test(start_paused = true)]
async fn endless_lists_are_paced_and_told() {
    let pages: [(&str, Page); 5] = [
        ("a token that stays", |_| ("same".into(), vec![object("a")])),
        ("tokens in turn", |n| ((n % 2).to_string(), vec![object("a")])),
        ("empty pages", |n| (n.to_string(), vec![])),
        ("the same objects", |n| {
            let objects = (0..20).map(|n| object(&format!("map-{n}"))).collect();
            (n.to_string(), objects)
        }),
        ("objects without a name", |n| (n.to_string(), vec![ConfigMap::default(); 20])),
    ];
    for (what, page) in pages {
        let (requests, errors) = listed(page).await;
        assert!((40..1_220).contains(&requests), "{what}: {requests} requests");
        let told = errors.iter().filter(|error| error.contains("the list does not end")).count();
        assert!(told > 3, "{what}: {told} of {} errors", errors.len());
    }
}

/// A collection whose only page never ends: it repeats an item.
#[derive(Clone)]
struct Unending(Collection, fn() -> ListItem<ConfigMap>);

impl ListerWatcher<ConfigMap> for Unending {
    fn collection(&self) -> &Collection {
        &self.0
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let item = self.1;
        Box::pin(async move { Ok(futures::stream::repeat_with(move || Ok(item())).boxed()) })
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        Box::pin(async { Ok(futures::stream::pending().boxed()) })
    }
}

#[tokio::test(start_paused = true)]
async fn endless_page_is_ended_and_told() {
    let items: [fn() -> ListItem<ConfigMap>; 3] = [
        || ListItem::Object(Ok(object("a").into())),
        || ListItem::Object(Ok(ConfigMap::default().into())),
        || ListItem::Meta(ListMetadata { version: Some(1.into()), ..ListMetadata::default() }),
    ];
    for item in items {
        let unending = Unending(source(&[]).collection().clone(), item);
        let reflector = Reflector::new(Arc::new(unending), ReflectorOptions::new().seed(7));
        let monitor = reflector.monitor();
        let task = tokio::spawn(reflector.run(Sink::default()));
        let told = || {
            let error = monitor.status().last_error;
            error.is_some_and(|error| format!("{error:?}").contains("the list does not end"))
        };
        // Turns of the task, each of many items.
        let mut turns = 0;
        while !told() {
            tokio::task::yield_now().await;
            turns += 1;
            assert!(turns < 100_000, "nothing is told");
        }
        task.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_single_objects_are_paced() {
    let page = |n: u64| (n.to_string(), vec![object(&format!("map-{n}"))]);
    let (requests, errors) = listed(page).await;
    assert!((1_200..1_220).contains(&requests), "{requests} requests");
    assert_eq!(errors, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn many_full_pages_take_no_time() {
    let names: Vec<String> = (0..3_000).map(|n| format!("o{n:04}")).collect();
    for size in [3, 20] {
        let fake = source(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let begun = Instant::now();
        let rig = Rig::with(fake, ReflectorOptions::new().page_size(size));
        while rig.log().is_empty() {
            settle().await;
        }
        assert!(begun.elapsed() < Duration::from_millis(100), "{:?}", begun.elapsed());
        assert_eq!(rig.limits().len(), 3_000_usize.div_ceil(size as usize));
        rig.assert_converged();
    }
}

#[tokio::test(start_paused = true)]
async fn events_without_versions_are_no_progress() {
    let fake = Arc::new(source(&["a"]));
    let scripted = ScriptedSource::with_watch(&fake, |_| {
        futures::stream::iter([Ok(WatchItem::Added(Ok(object("b").into())))]).boxed()
    });
    let reflector = Reflector::new(scripted, ReflectorOptions::new().seed(1));
    let (sink, monitor) = (Sink::default(), reflector.monitor());
    let task = tokio::spawn(reflector.run(sink.clone()));
    seconds(86_400.0).await;
    let status = monitor.status();
    assert!(status.watches < 10_000, "{} watches in a day", status.watches);
    assert!((10..2_000).contains(&status.lists), "{} lists in a day", status.lists);
    assert!(status.relists.of(RelistCause::NoProgress) > 0);
    assert!(sink.0.lock().0.contains(&"+b".to_owned()), "the event is handed on");
    task.abort();
}
