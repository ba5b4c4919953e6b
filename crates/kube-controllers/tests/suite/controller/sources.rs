//! The sources of a controller's keys, and the events that count.

use futures::stream;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::ResourceExt;
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube_controllers::controller::{
    ChangeKind, ControllerError, Followed, TriggerCause, labels_changed,
};
use kube_controllers::{Action, Controller};
use kube_informer::EventRef;
use kube_informer::testing::ApiServer;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::*;

impl Noting {
    /// Waits until so many keys were reconciled, and then for more that must not come.
    async fn keys(&self, number: usize) -> Vec<String> {
        self.log.reaches(number).await;
        sleep(5 * S).await;
        let mut keys: Vec<_> = self.log.take().iter().map(ToString::to_string).collect();
        keys.sort();
        keys
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

fn labelled(secret: &Secret, label: &str) -> Secret {
    let mut secret = secret.clone();
    secret.labels_mut().insert("label".into(), label.into());
    secret
}

#[tokio::test(start_paused = true)]
async fn an_owned_kind_has_predicates_of_its_own() {
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    let secret = server.create(&secret_of(&owner, "s")).unwrap();
    let factory = factory(&server);
    let secrets = Followed::of(&factory.informer::<Secret>())
        .predicate(labels_changed)
        .predicate(|event| !event.is_deleted());
    let noting = Noting::run(
        Controller::builder("maps", &factory.informer::<ConfigMap>()).owns(secrets).build(),
    );
    assert_eq!(noting.keys(1).await, ["shop/a"]);

    let secret = server.replace(&Secret { immutable: Some(false), ..secret }).unwrap();
    assert!(noting.keys(0).await.is_empty(), "no label has changed");
    let secret = server.replace(&labelled(&secret, "x")).unwrap();
    assert_eq!(noting.keys(1).await, ["shop/a"]);
    server.delete(&secret).unwrap();
    assert!(noting.keys(0).await.is_empty(), "deletes do not pass");
    server.create(&secret_of(&owner, "s")).unwrap();
    assert_eq!(noting.keys(1).await, ["shop/a"]);
    noting.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_mapping_sees_the_kind_of_the_event_and_both_states() {
    let server = ApiServer::new();
    let secret = server.create(&secret_of(&map("none", "1"), "s")).unwrap();
    let factory = factory(&server);
    let seen = Log::new();
    let mapped = seen.clone();
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .watches_events(&factory.informer::<Secret>(), move |event| {
            mapped.add(match event {
                EventRef::Added { initial, .. } => format!("added, initial: {initial}"),
                EventRef::Updated { old, new } => {
                    format!("from {} labels to {}", old.labels().len(), new.labels().len())
                }
                EventRef::Deleted { final_state_known, .. } => {
                    format!("deleted, known: {final_state_known}")
                }
                EventRef::MovedAway { .. } => "moved away".to_owned(),
            });
            event.is_deleted().then(|| key("mapped"))
        })
        .build();
    let noting = Noting::run(controller);
    seen.reaches(1).await;
    let secret = server.replace(&labelled(&secret, "x")).unwrap();
    seen.reaches(2).await;
    server.delete(&secret).unwrap();
    assert_eq!(noting.keys(1).await, ["shop/mapped"]);
    assert_eq!(seen.take(), ["added, initial: true", "from 0 labels to 1", "deleted, known: true"]);
    noting.end().await;
}

fn owned_by(owners: &[(&str, bool)]) -> Secret {
    let owner = |(name, controller): &(&str, bool)| OwnerReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: (*name).into(),
        uid: (*name).into(),
        controller: Some(*controller),
        ..OwnerReference::default()
    };
    let mut secret = secret_of(&map("none", "1"), "s");
    secret.metadata.owner_references = Some(owners.iter().map(owner).collect());
    secret
}

#[tokio::test(start_paused = true)]
async fn owners_that_do_not_control_count_only_for_co_owned_objects() {
    for (co_owns, expected) in [(false, vec!["shop/b"]), (true, vec!["shop/a", "shop/b"])] {
        let server = ApiServer::new();
        server.create(&owned_by(&[("a", false), ("b", true)])).unwrap();
        let factory = factory(&server);
        let secrets = factory.informer::<Secret>();
        let builder = Controller::builder("maps", &factory.informer::<ConfigMap>());
        let builder = if co_owns { builder.co_owns(&secrets) } else { builder.owns(&secrets) };
        let noting = Noting::run(builder.build());
        assert_eq!(noting.keys(expected.len()).await, expected);
        noting.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn dynamic_objects_own_objects_with_and_without_namespace() {
    let server = server_with(&["a"]);
    let node = Node {
        metadata: ObjectMeta { name: Some("n1".into()), ..ObjectMeta::default() },
        ..Node::default()
    };
    server.create(&node).unwrap();
    let factory = factory(&server);
    let secrets = factory.informer::<Secret>();
    let of = |resource: &ApiResource| {
        let objects = factory.dynamic(resource);
        Noting::run::<DynamicObject>(
            Controller::builder("dynamic", &objects).owns(&secrets).build(),
        )
    };
    let maps = of(&ApiResource::erase::<ConfigMap>(&()));
    let nodes = of(&ApiResource::erase::<Node>(&()));
    assert_eq!(maps.keys(1).await, ["shop/a"]);
    assert_eq!(nodes.keys(1).await, ["n1"]);

    let mut secret = owned_by(&[("a", true)]);
    let mut of_node = secret.metadata.owner_references.clone().unwrap();
    of_node[0] = OwnerReference {
        kind: "Node".into(),
        name: "n1".into(),
        controller: Some(true),
        ..of_node[0].clone()
    };
    server.create(&secret).unwrap();
    assert_eq!(maps.keys(1).await, ["shop/a"]);
    assert!(nodes.keys(0).await.is_empty());
    secret.metadata.name = Some("of-node".into());
    secret.metadata.owner_references = Some(of_node);
    server.create(&secret).unwrap();
    assert_eq!(nodes.keys(1).await, ["n1"]);
    assert!(maps.keys(0).await.is_empty());
    maps.end().await;
    nodes.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_with_a_namespace_of_objects_without_is_refused() {
    let server = ApiServer::new();
    let factory = factory(&server);
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .owns(&factory.informer::<Namespace>())
        .build();
    let ended = Noting::run(controller).running.await.unwrap().unwrap_err();
    assert!(matches!(ended, ControllerError::CannotOwn { .. }), "{ended:?}");
    let text = ended.to_string();
    assert!(text.contains("a ConfigMap has a namespace, so it cannot own a Namespace"), "{text}");
    assert!(server.requests().is_empty(), "it is told before anything is requested");
}

#[tokio::test(start_paused = true)]
async fn streams_and_channels_queue_keys_and_all_objects() {
    let server = server_with(&["a", "b"]);
    let factory = factory(&server);
    let (keys, mut receiver) = mpsc::channel(1);
    let (signals, mut signalled) = mpsc::channel::<()>(1);
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>())
        // One stream ends, one panics, and the others go on.
        .reconcile_on(stream::iter([key("listed")]))
        .reconcile_on(stream::poll_fn(|_| panic!("on purpose: a stream")))
        .reconcile_on(stream::poll_fn(move |context| receiver.poll_recv(context)))
        .reconcile_all_on(stream::poll_fn(move |context| signalled.poll_recv(context)))
        .build();
    let noting = Noting::run(controller);
    assert_eq!(noting.keys(3).await, ["shop/a", "shop/b", "shop/listed"]);
    assert_eq!(noting.handle.status().stream_panics, 1);

    keys.send(key("sent")).await.unwrap();
    assert_eq!(noting.keys(1).await, ["shop/sent"]);
    signals.send(()).await.unwrap();
    assert_eq!(noting.keys(2).await, ["shop/a", "shop/b"]);
    assert!(noting.handle.reconcile_all());
    assert_eq!(noting.keys(2).await, ["shop/a", "shop/b"]);
    let handle = noting.handle.clone();
    assert_eq!(handle.status().restarts, 0);
    noting.end().await;
    assert!(!handle.reconcile_all());
}

#[tokio::test(start_paused = true)]
async fn debounced_events_make_one_reconcile_a_period_and_are_not_put_off_for_ever() {
    let server = ApiServer::new();
    server.create(&map("a", "0")).unwrap();
    let factory = factory(&server);
    let controller =
        Controller::builder("maps", &factory.informer::<ConfigMap>()).debounce(10 * S).build();
    let noting = Noting::run(controller);
    assert_eq!(noting.keys(1).await, ["shop/a"]);
    for value in 1..=30 {
        server.replace(&map("a", &value.to_string())).unwrap();
        sleep(S).await;
    }
    sleep(20 * S).await;
    let reconciles = noting.log.len();
    assert!((3..=4).contains(&reconciles), "{reconciles} reconciles in 30 s");
    noting.end().await;
}

#[tokio::test(start_paused = true)]
async fn each_key_tells_why_it_was_queued() {
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    let factory = factory(&server);
    let secrets = factory.informer::<Secret>();
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>())
        .owns(&secrets)
        .reconcile_on(stream::empty())
        .build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let tries: Log<Vec<TriggerCause>> = Log::new();
    let logged = tries.clone();
    let running = spawn(controller.run(stop.clone(), move |request| {
        logged.add(request.triggers().into_iter().map(|trigger| trigger.cause).collect());
        let failures = request.failures;
        async move { if failures == 0 { Err("on purpose: once") } else { Ok(Action::done()) } }
    }));
    tries.reaches(2).await;
    let secret = server.create(&secret_of(&owner, "s")).unwrap();
    tries.reaches(3).await;
    server.delete(&secret).unwrap();
    handle.trigger(key("a"));
    tries.reaches(4).await;
    sleep(S).await;

    let causes: Vec<_> = handle.triggers(&key("a")).into_iter().map(|one| one.cause).collect();
    let texts: Vec<_> = causes.iter().map(ToString::to_string).collect();
    assert!(texts.len() == 5, "the last five: {texts:?}");
    assert!(texts.contains(&"a trigger of the controller's handle".into()), "{texts:?}");
    assert!(texts.contains(&"shop/s of secrets was deleted".into()), "{texts:?}");
    let first = &tries.take()[0];
    let [TriggerCause::Event { informer, change: ChangeKind::Listed, object, .. }] = &first[..]
    else {
        panic!("{first:?}");
    };
    assert_eq!((&**informer, &**object), ("configmaps", "shop/a"));
    let status = serde_json::to_value(handle.status()).unwrap();
    assert_eq!(status["triggers"][0]["key"], "shop/a");
    let by = |n: usize| status["triggers"][0]["triggers"][n]["cause"]["by"].clone();
    assert!((0..5).any(|n| by(n) == "retry") && (0..5).any(|n| by(n) == "event"), "{status}");
    stop.cancel();
    running.await.unwrap().unwrap();
}
