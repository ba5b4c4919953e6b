//! Refused proofs that a watch is current, and bodies without end.

use std::sync::atomic::{AtomicUsize, Ordering};

use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube_informer::InformerOptions;
use kube_informer::reflector::ReflectorOptions;
use kube_informer::transport::ApiSource;

use super::*;

/// The watch is silent, as through a proxy that buffers, and only lists of everything work.
#[tokio::test(start_paused = true)]
async fn refused_proofs_lead_to_a_list_in_time() {
    let internal = failure(500, "InternalError").to_string();
    for (limit, refused) in
        [(120, answer(403, "")), (120, answer(500, internal)), (600, answer(200, "{"))]
    {
        let begun = Instant::now();
        let rig = Rig::new(
            client(move |query, _| {
                let now = (100 + begun.elapsed().as_secs()).to_string();
                match (is_watch(query), is_question(query)) {
                    (true, _) => answer(200, "").hangs(),
                    (_, true) => refused.clone(),
                    _ => list(&now, &[map("a", &now, "x")]),
                }
            }),
            InformerSpec::new().freshness_limit(seconds(limit)),
        );
        rig.informer.wait_for_sync(seconds(10)).await.unwrap();
        for _ in 0..360 {
            sleep(seconds(10)).await;
            let age = rig.informer.freshness();
            // A pause between two watches may come in between.
            assert!(age <= Some(seconds(limit + 60)), "{limit}: {age:?}");
        }
        let lists = rig.queries(|query| !is_watch(query) && !is_question(query)).len();
        let periods = usize::try_from(3600 / limit).unwrap();
        assert!((periods - 1..periods + 5).contains(&lists), "{limit}: {lists} lists in an hour");
        rig.factory.shutdown().await;
    }
}

fn widgets(kind: &str, version: &str, items: &str) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"{kind}","metadata":{{"resourceVersion":"{version}"}}{items}}}"#
    )
}

/// The watch is silent, and misses what happened. The answer to the question tells nothing.
#[tokio::test(start_paused = true)]
async fn answer_that_is_no_list_proves_nothing() {
    let item = |kind: &str, version: &str| {
        let name = r#""name":"w","namespace":"shop","uid":"w""#;
        let metadata = format!(r#"{{{name},"resourceVersion":"{version}"}}"#);
        let types = format!(r#""apiVersion":"example.com/v1","kind":"{kind}""#);
        format!(r#","items":[{{{types},"metadata":{metadata}}}]"#)
    };
    let whole = widgets("WidgetList", "10", &item("Widget", "10"));
    let elsewhere = whole.replace("shop", "other");
    for body in [
        r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"10"}}"#,
        &widgets("GadgetList", "10", ""),
        &widgets("GadgetList", "10", &item("Gadget", "10")),
        &widgets("WidgetList", "10", &item("Gadget", "10")),
        &widgets("List", "10", "").replace("example.com/", ""),
        &whole[..whole.len() - item("Widget", "10").len()],
        &whole[..whole.len() - 1],
        &elsewhere,
    ] {
        let question = answer(200, body.to_owned());
        let (client, requests) = client(move |query, nth| match (is_watch(query), nth) {
            (true, _) => answer(200, "").hangs(),
            (_, 0) => answer(200, widgets("WidgetList", "10", &item("Widget", "10"))),
            _ if is_question(query) => question.clone(),
            _ => answer(200, widgets("WidgetList", "50", &item("Widget", "50"))),
        });
        let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
        let source: ApiSource<DynamicObject> =
            ApiSource::dynamic(client, ApiResource::from_gvk(&kind)).namespace("shop");
        let reflector = ReflectorOptions::new().freshness_limit(seconds(60)).on_error(|_| {});
        let options = InformerOptions::new().reflector(reflector);
        let informer = SharedInformer::new(Arc::new(source), options);
        informer.start().unwrap();
        informer.wait_for_sync(seconds(10)).await.unwrap();
        sleep(seconds(100)).await;
        let version = informer.snapshot().version().map(ToString::to_string);
        assert_eq!(version.as_deref(), Some("50"), "{body}: {:?}", requests.lock());
        informer.shutdown().await;
    }
}

/// Only the watch is allowed now. It goes on to tell what happens.
#[tokio::test(start_paused = true)]
async fn watch_goes_on_if_no_list_is_a_proof() {
    let refused = answer(403, failure(403, "Forbidden").to_string());
    // The second page of each list is older than the first.
    let pages = [page("40", "t", &[map("a", "5", "old")]), list("10", &[])];
    for [list_answer, page_answer] in [[refused.clone(), refused.clone()], pages] {
        let (begun, refused) = (Instant::now(), refused.clone());
        let rig = Rig::new(
            client(move |query, nth| match (is_watch(query), nth) {
                (_, 0) => list("10", &[map("a", "5", "old")]),
                (true, _) if begun.elapsed() < seconds(1800) => answer(200, "").hangs(),
                (true, _) => answer(200, event("MODIFIED", &map("a", "15", "new"))).hangs(),
                _ if is_question(query) => refused.clone(),
                _ if query.contains("continue=") => page_answer.clone(),
                _ => list_answer.clone(),
            }),
            InformerSpec::new().freshness_limit(seconds(120)),
        );
        sleep(seconds(2000)).await;
        assert_eq!(rig.stored(), ["a=new"]);
        let first = |query: &str| !is_watch(query) && !is_question(query);
        let lists = rig.queries(|query| first(query) && !query.contains("continue=")).len();
        assert!((10..20).contains(&lists), "{lists} lists");
        rig.factory.shutdown().await;
    }
}

/// The body is in memory, and always has another frame.
#[tokio::test(start_paused = true)]
async fn endless_frames_leave_the_thread_to_others() {
    for (watches, frame) in [(false, ""), (false, " "), (true, ""), (true, " ")] {
        let frames = Arc::new(AtomicUsize::new(0));
        let counted = frames.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let watch = is_watch(request.uri().query().unwrap_or_default());
            let count = counted.clone();
            let endless = stream::iter(0..1_000_000).map(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Bytes::from(frame)
            });
            let body = match (watch, watches) {
                (true, true) | (false, false) => endless.boxed(),
                (true, false) => stream::pending().boxed(),
                (false, true) => stream::iter(list("10", &[]).parts).map(|(_, part)| part).boxed(),
            };
            let body = StreamBody::new(body.map(|part| Ok::<_, Infallible>(Frame::data(part))));
            async { Ok::<_, Infallible>(Response::new(body)) }
        });
        let client = kube::Client::new(service, "default");
        let factory = SharedInformerFactory::builder(client).on_error(|_| {}).build();
        factory.informer::<ConfigMap>();
        factory.start().unwrap();
        while frames.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let frames = frames.load(Ordering::Relaxed);
        assert!(frames < 10_000, "{frames} frames in one turn");
        factory.shutdown().await;
    }
}

/// A list that failed has named a version that the cache behind the watch has not reached.
#[tokio::test(start_paused = true)]
async fn cache_behind_a_failed_list_proves_nothing() {
    let torn = concat!(
        r#"{"kind":"ConfigMapList","apiVersion":"v1","#,
        r#""metadata":{"resourceVersion":"9"},"items":[{"#
    );
    let paged = page("9", "token", &[map("a", "5", "x")]);
    let expired = answer(410, failure(410, "Expired").to_string());
    for (first, second) in [
        (paged.clone(), expired.clone()),
        (paged.clone(), answer(500, "")),
        (paged, list("", &[map("b", "9", "x")])),
        (answer(200, torn), expired.clone()),
    ] {
        let (expired, served) = (expired.clone(), first.clone());
        let rig = Rig::new(
            client(move |query, nth| match (is_watch(query), nth) {
                (true, 1) => expired.clone(),
                (true, _) => {
                    (0..60).fold(answer(200, bookmark("7")), |end, _| end.then(20, bookmark("7")))
                }
                (_, 0) => list("5", &[map("a", "5", "x")]),
                (_, 2) => served.clone(),
                _ if query.contains("continue=") => second.clone(),
                _ => list("7", &[map("a", "5", "x")]),
            }),
            InformerSpec::new().page_size(1),
        );
        sleep(seconds(300)).await;
        let (row, age) = (&first.parts, rig.informer.freshness());
        assert_eq!(rig.version().as_deref(), Some("7"), "{row:?}");
        assert!(age > Some(seconds(290)), "{row:?}: {age:?}, {:?}", rig.requests.lock());
        rig.factory.shutdown().await;
    }
}
