//! A proxy that answers a list or a watch with the answer to another one.

use http::Uri;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ApiResource;
use kube::{Client, Resource, ResourceExt};
use kube_informer::object::{ShardKey, ShardSelector, ring_hash};
use kube_informer::reflector::ListMode;
use kube_informer::testing::ApiServer;

use super::*;
use tokio::sync::watch;

use crate::helpers::{S, factory_of, map as config_map, map_in, server_with};

/// The part of a path that the proxy replaces, and by what.
type Mistake = Arc<Mutex<Option<(&'static str, &'static str)>>>;

/// Returns a client whose lists and watches are made for another path while there is a mistake.
fn confused(server: &ApiServer, mistake: &Mistake) -> Client {
    let (server, mistake) = (server.clone(), mistake.clone());
    let service = tower::service_fn(move |mut request: Request<Body>| {
        let (server, mistake) = (server.clone(), *mistake.lock());
        async move {
            let target = request.uri().to_string();
            if let Some((from, to)) = mistake.filter(|_| !is_question(&target)) {
                *request.uri_mut() = target.replace(from, to).parse::<Uri>().unwrap();
            }
            Ok::<_, Infallible>(server.handle(request).await.map(BodyExt::boxed_unsync))
        }
    });
    Client::new(service, "shop")
}

/// The place of the mistake.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Watch,
    /// A watch in which an object of the other collection changes.
    LoudWatch,
    Relist,
}

async fn survives<K>(
    server: &ApiServer,
    mistake: &Mistake,
    informer: &SharedInformer<K>,
    wrong: (&'static str, &'static str),
    place: Place,
) where
    K: Resource + Send + Sync + 'static,
{
    let stored = || {
        let mut names: Vec<_> =
            informer.snapshot().iter().map(|(key, _)| key.to_string()).collect();
        names.sort();
        names
    };
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    let noted = informer.on_event(move |event| {
        if let Event::Deleted { object, .. } = event {
            log.lock().push(object.name_any());
        }
    });
    noted.unwrap();
    informer.wait_for_sync(10 * S).await.unwrap();
    *mistake.lock() = Some(wrong);
    if place == Place::Relist {
        server.create(&config_map("late", "1")).unwrap();
        server.compact();
    }
    server.drop_connections();
    sleep(2 * S).await;
    if place != Place::Watch {
        server
            .create(&Secret { metadata: map_in("shop", "s").metadata, ..Secret::default() })
            .unwrap();
        server.create(&map_in("bank", "s")).unwrap();
    }
    server.delete(&config_map("gone", "1")).unwrap();
    server.create(&config_map("new", "1")).unwrap();
    sleep(300 * S).await;
    assert!(stored().contains(&"shop/kept".into()), "{wrong:?} {place:?}: {:?}", stored());
    *mistake.lock() = None;
    sleep(120 * S).await;
    let mut left = vec!["shop/kept", "shop/new"];
    left.extend((place == Place::Relist).then_some("shop/late"));
    left.sort_unstable();
    assert_eq!(stored(), left, "{wrong:?} {place:?}");
    assert_eq!(*told.lock(), ["gone"], "{wrong:?} {place:?}");
}

#[tokio::test(start_paused = true)]
async fn answer_to_another_request_changes_nothing() {
    let (kind, namespace) = (("configmaps", "secrets"), ("/shop/", "/bank/"));
    for (wrong, place) in [
        (kind, Place::Watch),
        (kind, Place::LoudWatch),
        (kind, Place::Relist),
        (namespace, Place::LoudWatch),
        (namespace, Place::Relist),
    ] {
        for mode in [ListMode::Plain, ListMode::Streaming] {
            for json in [false, true] {
                let server = server_with(&["gone", "kept"]);
                let secret = map_in("shop", "first").metadata;
                server.create(&Secret { metadata: secret, ..Secret::default() }).unwrap();
                server.create(&map_in("bank", "first")).unwrap();
                let mistake = Mistake::default();
                let builder = SharedInformerFactory::builder(confused(&server, &mistake));
                let factory = builder.list_mode(mode).on_error(|_| {}).build();
                if json {
                    let spec = InformerSpec::new().namespace("shop");
                    let maps = ApiResource::erase::<ConfigMap>(&());
                    let maps = factory.dynamic_with(&maps, spec).unwrap();
                    factory.start().unwrap();
                    survives(&server, &mistake, &maps, wrong, place).await;
                } else {
                    let spec = InformerSpec::<ConfigMap>::new().namespace("shop");
                    let maps = factory.informer_with(spec).unwrap();
                    factory.start().unwrap();
                    survives(&server, &mistake, &maps, wrong, place).await;
                }
                factory.shutdown().await;
            }
        }
    }
}

/// A struct of one's own refuses no object of another kind by itself.
#[tokio::test(start_paused = true)]
async fn secret_among_config_maps_is_not_stored() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {
        "labels": {"kind": "ConfigMap"}, "name": "s", "namespace": "shop", "uid": "s",
        "resourceVersion": "11",
    }});
    for listed in [true, false] {
        let items = [map("m", "10", "x"), secret.clone()];
        let watched = event("ADDED", &secret);
        let (client, _) = client(move |query, _| match is_watch(query) {
            true if listed => answer(200, "").hangs(),
            true => answer(200, watched.clone()).hangs(),
            false if listed => list("12", &items),
            false => list("10", &items[..1]),
        });
        let errors = Texts::default();
        let log = errors.clone();
        let builder = SharedInformerFactory::builder(client);
        let factory = builder.on_error(move |error| log.lock().push(error.to_string())).build();
        let maps = factory.dynamic(&ApiResource::erase::<ConfigMap>(&()));
        factory.start().unwrap();
        sleep(60 * S).await;
        let names: Vec<_> = maps.snapshot().iter().map(|(key, _)| key.to_string()).collect();
        assert_eq!(names, if listed { vec![] } else { vec!["shop/m".to_owned()] });
        let error = errors.lock()[0].clone();
        assert!(error.contains("the answer has an object of kind"), "{error}");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_of_another_namespace_empties_no_sharded_informer() {
    let server = ApiServer::builder().sharded_lists(false).build();
    server.create(&config_map("a", "1")).unwrap();
    server.create(&map_in("bank", "b")).unwrap();
    let mistake = Mistake::default();
    let client = confused(&server, &mistake);
    let place = ring_hash("shop");
    let shard = ShardSelector::new(ShardKey::Namespace, [place..=place]);
    let (_shard, shard) = watch::channel(shard);
    let factory = factory_of(client);
    let spec = InformerSpec::<ConfigMap>::new().namespace("shop").shard(shard);
    let maps = factory.informer_with(spec).unwrap();
    let deleted = Arc::<Mutex<Vec<String>>>::default();
    let notes = deleted.clone();
    maps.on_event(move |event: kube_informer::Event<ConfigMap>| {
        if event.is_deleted() {
            notes.lock().push(event.key().unwrap().to_string());
        }
    })
    .unwrap();
    factory.start().unwrap();
    maps.wait_for_sync(10 * S).await.unwrap();
    *mistake.lock() = Some(("/namespaces/shop/", "/namespaces/bank/"));
    server.create(&map_in("bank", "c")).unwrap();
    server.compact();
    server.drop_connections();
    sleep(60 * S).await;
    assert!(maps.lister().namespace("shop").get("a").is_ok(), "{:?}", deleted.lock());
}
