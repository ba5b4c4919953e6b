//! A source of one namespace that also sends objects of others.

use super::*;

/// A fake source that says it has only the namespace `shop`.
struct Namespaced(Arc<FakeSource<ConfigMap>>, Collection);

impl ListerWatcher<ConfigMap> for Namespaced {
    fn collection(&self) -> &Collection {
        &self.1
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        self.0.list(query, hints)
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        self.0.watch(query, hints)
    }
}

fn of(namespace: &str, name: &str) -> ConfigMap {
    let mut map = object(name);
    map.metadata.namespace = Some(namespace.into());
    map
}

fn without_namespace(name: &str) -> ConfigMap {
    let mut map = object(name);
    map.metadata.namespace = None;
    map
}

/// The answer is that to another request: nothing of it counts, no version either.
#[tokio::test(start_paused = true)]
async fn answer_with_objects_of_other_namespaces_fails() {
    for (streaming, stray) in [false, true].into_iter().flat_map(|streaming| {
        [of("bank", "b"), without_namespace("bank")].map(|stray| (streaming, stray))
    }) {
        let fake = Arc::new(source(&[]));
        fake.put(of("shop", "a"));
        let collection = Collection { namespace: Some("shop".into()), ..fake.collection().clone() };
        let faults = Arc::new(Mutex::new(vec![]));
        let told = faults.clone();
        let options =
            ReflectorOptions::new().list_mode(list_mode(streaming)).on_error(move |error| {
                told.lock().push((error.class(), error.to_string()));
            });
        let reflector = Reflector::new(Arc::new(Namespaced(fake.clone(), collection)), options);
        let (sink, monitor) = (Sink::default(), reflector.monitor());
        let task = tokio::spawn(reflector.run(sink.clone()));
        settle().await;
        let stored = || sink.0.lock().1.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(stored(), ["shop/a"]);
        let before = monitor.status().version;
        fake.put(stray.clone());
        fake.put(of("shop", "d"));
        seconds(300.0).await;
        assert_eq!((stored(), monitor.status().version), (vec!["shop/a".into()], before));
        for (class, text) in faults.lock().iter() {
            assert_eq!(*class, FaultClass::Undecodable);
            assert!(text.contains("bank") && text.contains("in shop"), "{text}");
        }
        assert!(!faults.lock().is_empty());
        // A new list has no such object.
        fake.delete(&ObjectKey::of(&stray).unwrap());
        fake.compact();
        seconds(120.0).await;
        assert_eq!(stored(), ["shop/a", "shop/d"]);
        task.abort();
    }
}
