//! Panics of the source and of the sink.

use super::*;

/// A point at which the source may panic.
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

/// A value whose `Drop` panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// A source that panics at the chosen points.
struct Panicking {
    source: Arc<FakeSource<ConfigMap>>,
    at: Mutex<Vec<Spot>>,
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

impl ListerWatcher<ConfigMap> for Panicking {
    fn collection(&self) -> &Collection {
        self.source.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        assert!(!self.hits(Spot::ListCalled), "panic on request");
        let (awaited, read) = (self.hits(Spot::ListAwaited), self.hits(Spot::ListRead));
        let list = self.source.list(query, hints);
        Box::pin(async move {
            assert!(!awaited, "panic on request");
            let list = list.await?;
            Ok(list.inspect(move |_| assert!(!read, "panic on request")).boxed())
        })
    }

    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        assert!(!self.hits(Spot::WatchCalled), "panic on request");
        let (awaited, read) = (self.hits(Spot::WatchAwaited), self.hits(Spot::WatchRead));
        let bomb = self.hits(Spot::WatchDropped).then_some(Bomb);
        let watch = self.source.watch(query, hints);
        Box::pin(async move {
            assert!(!awaited, "panic on request");
            let watch = watch.await?;
            let watch = watch.inspect(move |_| {
                let _held = &bomb;
                assert!(!read, "panic on request");
            });
            Ok(watch.boxed())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_source_is_reported_and_retried() {
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
            let options = ReflectorOptions::new().list_mode(list_mode(streaming)).seed(3);
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
async fn panicking_sink_causes_a_relist() {
    #[derive(Clone, Default)]
    struct Fragile(Sink, Arc<Mutex<u32>>);
    impl ChangeSink for Fragile {
        async fn emit(&self, change: Change) {
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
