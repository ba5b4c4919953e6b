//! Doubts about the server's history, and the questions that settle them.

use super::*;

/// A source whose answers to questions take two seconds.
struct SlowAnswers(Arc<FakeSource<ConfigMap>>);

impl ListerWatcher<ConfigMap> for SlowAnswers {
    fn collection(&self) -> &Collection {
        self.0.collection()
    }

    fn list(
        &self,
        query: &ListQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<ListStream<ConfigMap>, SourceError>> {
        let (list, asks) = (self.0.list(query, hints), query.limit == Some(1));
        Box::pin(async move {
            let list = list.await;
            if asks {
                seconds(2.0).await;
            }
            list
        })
    }

    /// The watch begins with old bookmarks, a second apart.
    fn watch(
        &self,
        query: &WatchQuery,
        hints: &ListHints,
    ) -> BoxFuture<'static, Result<WatchStream<ConfigMap>, SourceError>> {
        let watch = self.0.watch(query, hints);
        Box::pin(async move {
            let old = futures::stream::iter(0..2).then(|n| async move {
                seconds(f64::from(n)).await;
                Ok(WatchItem::Bookmark { version: 1.into(), initial_events_end: false })
            });
            Ok(old.chain(watch.await?).boxed())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn doubt_after_a_question_is_asked_again() {
    let source = Arc::new(SlowAnswers(Arc::new(source(&["a", "b"]))));
    let reflector = Reflector::new(source, ReflectorOptions::new().seed(1));
    let monitor = reflector.monitor();
    let task = tokio::spawn(reflector.run(Sink::default()));
    seconds(60.0).await;
    let status = monitor.status();
    assert_eq!((status.watches, status.probes), (1, 2), "{status:?}");
    task.abort();
}
