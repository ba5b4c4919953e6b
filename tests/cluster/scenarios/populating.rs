//! The first state.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::header::CONTENT_ENCODING;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, PostParams, VersionMatch};
use kube::core::PartialObjectMeta;
use kube::{Client, CustomResourceExt, ResourceExt};
use kube_informer::InformerSpec;
use kube_informer::reflector::ListMode;

use super::super::backend::Kind;
use super::super::harness::{Outcome, Skip};
use super::super::rig::{Log, Rig, SOON, State, converges, eventually, is, listed, state, stored};
use super::super::widgets::{Gauge, Widget, part, private};

const WIDGETS: usize = 25;

/// Widgets, by both kinds of informer.
async fn fills(
    rig: &Rig,
    client: Client,
    make: impl Fn(InformerSpec<Widget>) -> InformerSpec<Widget>,
    dynamic: impl Fn(InformerSpec<DynamicObject>) -> InformerSpec<DynamicObject>,
) {
    for n in 0..WIDGETS {
        rig.make(&format!("w{n}"), if n % 2 == 0 { "blue" } else { "red" }).await;
    }
    let (factory, errors) = rig.factory_of(client);
    let factory = factory.build();
    let typed = factory.informer_with(make(InformerSpec::new())).unwrap();
    let untyped = factory
        .dynamic_with(
            &Widget::api_resource(),
            dynamic(InformerSpec::new().namespace(&*rig.namespace)),
        )
        .unwrap();
    let (told, told_untyped) = (Log::of(&typed), Log::of(&untyped));
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let server = listed(&rig.widgets()).await;
    assert_eq!(server.len(), WIDGETS);
    assert_eq!((stored(&typed), stored(&untyped)), (server.clone(), server.clone()));
    let newest = server.values().max_by_key(|version| version.parse::<u64>().unwrap()).unwrap();
    let newest = newest.as_str().into();
    for snapshot in [typed.snapshot().version().cloned(), untyped.snapshot().version().cloned()] {
        assert!(!snapshot.expect("a version").is_older_than(&newest));
    }
    for log in [told, told_untyped] {
        log.reaches(WIDGETS).await;
        let told: State = log
            .all()
            .into_iter()
            .map(|told| (told.what.strip_prefix("added ").unwrap().to_owned(), told.version))
            .collect();
        assert_eq!(told, server);
    }
    // The watch follows on without a gap.
    rig.make("late", "blue").await;
    converges(&typed, &rig.widgets()).await;
    assert_eq!(typed.status().reflector.relists.total(), 0);
    errors.assert_none();
    factory.shutdown().await;
}

pub(super) async fn a_list_fills_the_store(rig: Rig) -> Outcome {
    fills(&rig, rig.client(), |spec| spec, |spec| spec).await;
    Ok(())
}

pub(super) async fn a_stream_fills_the_store(rig: Rig) -> Outcome {
    fills(
        &rig,
        rig.client(),
        |spec| spec.list_mode(ListMode::Streaming),
        |spec| spec.list_mode(ListMode::Streaming),
    )
    .await;
    Ok(())
}

/// Returns a client that counts the answers that are compressed.
fn counting(client: Client, compressed: Arc<AtomicUsize>) -> Client {
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request| {
        let (client, compressed) = (client.clone(), compressed.clone());
        async move {
            let response = client.send(request).await?;
            if response.headers().contains_key(CONTENT_ENCODING) {
                compressed.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, kube::Error>(response)
        }
    });
    Client::new(service, namespace)
}

/// A server compresses lists over 128 KiB; since 1.37 streaming lists, too, of any size.
pub(super) async fn a_compressed_stream_fills_the_store(rig: Rig) -> Outcome {
    let compressed = Arc::new(AtomicUsize::new(0));
    fills(
        &rig,
        counting(rig.client(), compressed.clone()),
        |spec| spec.list_mode(ListMode::Streaming).gzip(true),
        |spec| spec.list_mode(ListMode::Streaming).gzip(true),
    )
    .await;
    if matches!(rig.backend.kind, Kind::Embedded | Kind::Apiserver) {
        assert_eq!(compressed.load(Ordering::Relaxed), 2);
    }
    Ok(())
}

pub(super) async fn pages_fill_the_store(rig: Rig) -> Outcome {
    fills(&rig, rig.client(), |spec| spec.page_size(4), |spec| spec.page_size(4)).await;
    Ok(())
}

pub(super) async fn several_informers_agree(rig: Rig) -> Outcome {
    for n in 0..6 {
        rig.make(&format!("w{n}"), if n % 2 == 0 { "blue" } else { "red" }).await;
    }
    let (factory, errors) = rig.factory();
    let all = factory.informer::<Widget>();
    let again = factory.informer::<Widget>();
    let blue = factory.informer_with(InformerSpec::<Widget>::new().labels("color=blue")).unwrap();
    let red = factory.informer_with(InformerSpec::<Widget>::new().labels("color!=blue")).unwrap();
    let everywhere = factory.dynamic(&Widget::api_resource());
    let gauges = factory.informer::<Gauge>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    for n in 6..12 {
        rig.make(&format!("w{n}"), if n % 2 == 0 { "blue" } else { "red" }).await;
    }
    for n in 0..3 {
        rig.delete(&format!("w{n}")).await;
    }
    rig.paint("w3", "blue").await;
    converges(&all, &rig.widgets()).await;
    assert_eq!(stored(&again), stored(&all), "it is the same informer");
    assert_eq!(factory.status().informers.len(), 5);
    let server = listed(&rig.widgets()).await;
    eventually("each has its part", async || {
        let (blue, red) = (stored(&blue), stored(&red));
        let mine = everywhere.snapshot();
        let mine = state(mine.namespace(&rig.namespace).map(|(_, object)| object));
        let parts: State = blue.clone().into_iter().chain(red.clone()).collect();
        blue.contains_key("w3") && blue.len() + red.len() == 9 && parts == server && mine == server
    })
    .await;
    assert!(gauges.has_synced());
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn metadata_alone_is_followed(rig: Rig) -> Outcome {
    rig.make("a", "blue").await;
    let (factory, errors) = rig.factory();
    let metadata = factory.informer::<PartialObjectMeta<Widget>>();
    let (streaming, _) = rig.factory();
    let spec = InformerSpec::<PartialObjectMeta<Widget>>::new().list_mode(ListMode::Streaming);
    let streamed = streaming.informer_with(spec).unwrap();
    let log = Log::of(&metadata);
    factory.start().unwrap();
    streamed.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    streamed.wait_for_sync(SOON).await.unwrap();
    rig.make("b", "red").await;
    rig.paint("a", "green").await;
    rig.delete("b").await;
    log.reaches(4).await;
    assert_eq!(log.what(), ["added a", "added b", "updated a", "deleted b"]);
    let server = listed(&rig.widgets()).await;
    assert_eq!(stored(&metadata), server);
    eventually("the stream agrees", async || stored(&streamed) == server).await;
    let a = metadata.lister().namespace(&*rig.namespace).get("a").unwrap();
    assert_eq!(a.labels()["color"], "green");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

/// A page of a list that is no longer there: what informers have to expect of servers.
pub(super) async fn an_expired_page_says_so(rig: Rig) -> Outcome {
    let group = format!("{}.example.com", rig.namespace);
    let (definition, resource) = private(&group);
    let name = format!("parts.{group}");
    rig.backend.define(definition).await;
    let parts: Api<DynamicObject> = Api::namespaced_with(rig.client(), &rig.namespace, &resource);
    for n in 0..5 {
        let part = part(&resource, &format!("p{n}"), n);
        parts.create(&PostParams::default(), &part).await.unwrap();
    }
    let page = ListParams::default().limit(2);
    let first = parts.list(&page).await.unwrap();
    let token = first.metadata.continue_.expect("there is more");
    assert_eq!(first.metadata.remaining_item_count, Some(3));
    parts.delete("p4", &DeleteParams::default()).await.unwrap();
    let rest = parts.list(&page.clone().continue_token(&token)).await.unwrap();
    assert_eq!(rest.items.len(), 2);
    assert_eq!(rest.metadata.resource_version, first.metadata.resource_version);
    let last = rest.metadata.continue_.expect("the state of the first page had five");
    let last = parts.list(&page.clone().continue_token(&last)).await.unwrap();
    assert_eq!(last.items[0].name_any(), "p4", "as it was then");
    if !rig.backend.compact().await {
        rig.backend.undefine(&name).await;
        return Err(Skip("its storage can't be compacted from here".into()));
    }
    // Its watch cache may have it still.
    rig.backend.forget_history(&name).await;
    let expired = parts.list(&page.continue_token(&token)).await.unwrap_err();
    assert!(is(&expired, 410), "{expired}");
    let kube::Error::Api(status) = expired else { unreachable!() };
    assert_eq!(status.reason, "Expired");
    let newer = status.metadata.and_then(|meta| meta.continue_);
    let newer = newer.expect("a token to go on with, inconsistently");
    let rest = parts.list(&ListParams::default().continue_token(&newer)).await.unwrap();
    let names: Vec<_> = rest.items.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["p2", "p3"], "as it is now");

    // Reading at exactly a version that is gone says the same.
    let gone = first.metadata.resource_version.expect("a list has one");
    let exact = ListParams::default().at(&gone).matching(VersionMatch::Exact);
    let refused = parts.list(&exact).await.unwrap_err();
    assert!(is(&refused, 410), "{refused}");
    rig.backend.undefine(&name).await;
    Ok(())
}
