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

#[tokio::test(start_paused = true)]
async fn objects_of_other_namespaces_are_reported_and_dropped() {
    for streaming in [false, true] {
        let fake = Arc::new(source(&[]));
        fake.put(of("shop", "a"));
        fake.put(of("bank", "b"));
        fake.put(without_namespace("bank"));
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
        assert_eq!(sink.0.lock().0, ["=3"]);
        let stored = || sink.0.lock().1.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(stored(), ["shop/a"]);
        fake.put(of("bank", "c"));
        fake.put(of("shop", "d"));
        fake.put(without_namespace("bank-2"));
        fake.delete(&ObjectKey::namespaced("bank", "b").unwrap());
        settle().await;
        assert_eq!(stored(), ["shop/a", "shop/d"]);
        // The versions count, so that nothing is sent again, and no list is repeated.
        assert_eq!(monitor.status().version, Some(7.into()));
        seconds(600.0).await;
        assert_eq!(monitor.status().lists, 1);
        let faults = faults.lock();
        assert_eq!(faults.len(), 5, "{faults:?}");
        for (class, text) in faults.iter() {
            assert_eq!(*class, FaultClass::Undecodable);
            assert!(text.contains("bank") && text.contains("in shop"), "{text}");
        }
        task.abort();
    }
}
