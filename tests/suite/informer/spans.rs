//! The spans of an informer's work.

use tracing::Subscriber;
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use super::*;

/// Records the spans that begin and end, each with its target and parent.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Seen>>>);

/// The name of a span, its target, its parent, and whether it has ended.
type Seen = (String, String, Option<String>, bool);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, ctx: Context<'_, S>) {
        let span = ctx.span(id).unwrap();
        let parent = span.parent().map(|parent| parent.name().to_owned());
        assert!(attributes.fields().field("resource").is_some() || parent.is_some());
        let target = attributes.metadata().target().to_owned();
        self.0.lock().push((span.name().to_owned(), target, parent, false));
    }

    fn on_close(&self, id: Id, ctx: Context<'_, S>) {
        let name = ctx.span(&id).unwrap().name().to_owned();
        let mut spans = self.0.lock();
        let open = spans.iter_mut().find(|(one, .., ended)| *one == name && !ended);
        open.unwrap().3 = true;
    }
}

#[tokio::test(start_paused = true)]
async fn each_call_and_request_is_a_trace_that_ends() {
    let spans = Spans::default();
    // With a second one, `tracing` asks for a span's interest on the thread of each.
    let _other = tracing::Dispatch::new(Registry::default());
    let _recording = tracing::subscriber::set_default(Registry::default().with(spans.clone()));
    let rig = Rig::new(&["a", "b"]);
    let own = |_: Event<ConfigMap>| drop(tracing::info_span!("own").entered());
    rig.informer.on_event(own).unwrap();
    rig.start().await;
    rig.source.end_watches(WatchEnd::Ordinary);
    // A watch that ends at once is followed by a pause and a list.
    seconds(60.0).await;
    rig.source.put(object("c"));
    settle().await;

    let count = |name: &str| spans.0.lock().iter().filter(|(one, ..)| one == name).count();
    let open = || {
        let spans = spans.0.lock();
        spans.iter().filter(|(.., ended)| !ended).map(|(name, ..)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!((count("list"), count("handle"), count("own")), (2, 3, 3));
    assert!(count("watch") >= 2, "one for each watch");
    assert_eq!(open(), ["watch"], "only the present watch goes on");
    for (name, target, parent, _) in &*spans.0.lock() {
        let expected = (name == "own").then_some("handle");
        assert_eq!(parent.as_deref(), expected, "{name}");
        let stage = match &**name {
            "list" | "watch" => "kube_informer::reflector",
            "batch" => "kube_informer::informer",
            "handle" => "kube_informer::processor",
            _ => module_path!(),
        };
        assert_eq!(target, stage, "{name}");
    }
    rig.informer.shutdown().await;
    assert!(open().is_empty());
}
