//! Lists that end, and say that objects remain. They are not whole, and delete nothing.

use futures::FutureExt;
use futures::future::BoxFuture;
use kube_informer::lister_watcher::{
    Collection, ListHints, ListItem, ListMetadata, ListQuery, ListStream, ListerWatcher,
    WatchQuery, WatchStream,
};
use kube_informer::{InformerOptions, SourceError};

use super::*;

const NAMES: [&str; 3] = ["a", "b", "c"];

/// Returns a list of these maps.
fn maps(names: &[&str], token: &str, remaining: Option<u64>) -> Answer {
    let metadata =
        json!({"resourceVersion": "5", "continue": token, "remainingItemCount": remaining});
    let items: Vec<_> = names.iter().map(|name| map(name, "1", "")).collect();
    let list =
        json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": metadata, "items": items});
    answer(200, list.to_string())
}

#[tokio::test(start_paused = true)]
async fn list_without_its_rest_deletes_nothing() {
    for paged in [false, true] {
        let healed = Arc::new(Mutex::new(false));
        let heals = healed.clone();
        let rig = Rig::new(
            client(move |query, nth| match (nth, *heals.lock()) {
                _ if is_watch(query) => answer(200, event("ERROR", &failure(410, "Expired"))),
                (0, _) => maps(&NAMES, "", None),
                (_, true) => maps(&NAMES[..2], "", Some(0)),
                _ if query.contains("continue=") => maps(&NAMES[1..2], "", Some(1)),
                _ if paged => maps(&NAMES[..1], "t", Some(2)),
                _ => maps(&NAMES[..1], "", Some(2)),
            }),
            InformerSpec::new(),
        );
        sleep(seconds(600)).await;
        let row = format!("paged {paged}");
        assert_eq!(rig.stored(), ["a=", "b=", "c="], "{row}");
        assert_eq!(*rig.events.lock(), ["+a=", "+b=", "+c="], "{row}");
        let remain = if paged { "1 objects remain" } else { "2 objects remain" };
        rig.assert_error(remain);
        rig.assert_error("no metadata.continue");
        assert!(rig.informer.freshness() > Some(seconds(590)), "{row}: it is no proof");
        let lists = rig.queries(|query| !is_watch(query) && !query.contains("continue="));
        assert!((10..60).contains(&lists.len()), "{row}: {} lists", lists.len());
        *healed.lock() = true;
        sleep(seconds(120)).await;
        assert_eq!(rig.stored(), ["a=", "b="], "{row}: a count of zero is whole");
        rig.factory.shutdown().await;
    }
}

/// A source of a program's own, whose second list ends before the rest.
struct Torn(Collection, Mutex<u64>);

impl ListerWatcher<ConfigMap> for Torn {
    fn collection(&self) -> &Collection {
        &self.0
    }

    fn list(
        &self,
        _: &ListQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let lists = std::mem::replace(&mut *self.1.lock(), 1);
        let names = if lists == 0 { &NAMES[..] } else { &NAMES[..1] };
        let maps = names.iter().map(|name| serde_json::from_value(map(name, "1", "")).unwrap());
        let maps = maps.map(|map: ConfigMap| ListItem::Object(Ok(map.into())));
        let metadata = ListMetadata {
            version: Some((5 + lists).into()),
            remaining: (lists > 0).then_some(2),
            ..ListMetadata::default()
        };
        let items: Vec<_> = maps.chain([ListItem::Meta(metadata)]).map(Ok).collect();
        async { Ok(stream::iter(items).boxed()) }.boxed()
    }

    fn watch(
        &self,
        _: &WatchQuery,
        _: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let request = self.0.request_name(kube_informer::error::Verb::Watch);
        let gone = kube_informer::error::ApiStatus::new(410, "Expired", "as the test says");
        let gone = SourceError::new(request, kube_informer::error::Fault::Status(gone));
        async { Err(gone) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn own_list_without_its_rest_deletes_nothing() {
    let collection =
        Collection { resource: "configmaps".into(), kind: "ConfigMap".into(), namespace: None };
    let source = Arc::new(Torn(collection, Mutex::new(0)));
    let informer = SharedInformer::new(source, InformerOptions::new());
    informer.start().unwrap();
    // The watch's errors and the lists' take turns.
    let mut errors = Vec::new();
    for _ in 0..600 {
        sleep(seconds(1)).await;
        errors.extend(informer.status().reflector.last_error.map(|error| error.0.to_string()));
    }
    assert_eq!(informer.lister().all().len(), 3);
    let told = |error: &String| error.contains("says that 2 objects remain");
    assert!(errors.iter().any(told), "{:?}", errors.last());
    informer.shutdown().await;
}
