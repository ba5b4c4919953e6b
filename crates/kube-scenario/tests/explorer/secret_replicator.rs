//! The example `secret_replicator`: copies are created, changed and deleted, by one leader at a
//! time.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../../examples/secret_replicator.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::ResourceExt;
use kube::api::ObjectMeta;
use kube_informer::error::BoxError;
use kube_informer::testing::{Injection, Requests};
use kube_scenario::{Scenario, World};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use self::example::{COPY, FROM, OF, SOURCE, TO, elector, manager};

const PASSWORD: &str = "correct horse battery";

const S: Duration = Duration::from_secs(1);

fn replicator() -> Scenario {
    Scenario::of_manager(|client| {
        let elector = elector(&client).identity("first").build()?;
        manager(&client, elector)
    })
}

fn secret(namespace: &str, to: &str, password: &str) -> Secret {
    Secret {
        metadata: ObjectMeta {
            name: Some("registry".into()),
            namespace: Some(namespace.into()),
            labels: Some([(SOURCE.to_owned(), "true".to_owned())].into()),
            annotations: Some([(TO.to_owned(), to.to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("password".to_owned(), ByteString(password.as_bytes().to_vec()))].into()),
        type_: Some("Opaque".into()),
        ..Secret::default()
    }
}

fn namespace(name: &str, from: &str) -> Namespace {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        annotations: Some([(FROM.to_owned(), from.to_owned())].into()),
        ..ObjectMeta::default()
    };
    Namespace { metadata, ..Namespace::default() }
}

/// Creates the namespaces that take what these tests copy.
fn consent(world: &World) -> Result<(), BoxError> {
    for name in ["base", "shop", "mail", "bank"] {
        world.server().create(&namespace(name, "elsewhere/other, base/registry"))?;
    }
    Ok(())
}

/// A world with namespaces that consent, and a source that names some of them.
async fn copying(to: &str) -> World {
    let world = replicator().start();
    consent(&world).unwrap();
    world.server().create(&secret("base", to, PASSWORD)).unwrap();
    world.settle().await.unwrap();
    world
}

fn get(world: &World, namespace: &str) -> Option<Secret> {
    world.get(namespace, "registry")
}

/// Changes the source as a user does.
fn change(world: &World, change: impl FnOnce(&mut Secret)) -> Result<(), BoxError> {
    let mut source = get(world, "base").ok_or("no source")?;
    change(&mut source);
    world.server().replace(&source)?;
    Ok(())
}

fn send_to(world: &World, to: &'static str) -> Result<(), BoxError> {
    change(world, |source| drop(source.annotations_mut().insert(TO.into(), to.into())))
}

fn set_password(world: &World, password: &str) -> Result<(), BoxError> {
    let value = ByteString(password.as_bytes().to_vec());
    change(world, |source| {
        drop(source.data.get_or_insert_default().insert("password".into(), value));
    })
}

/// Returns the namespaces with a copy. All copies must have this password.
fn copies(world: &World, password: &str) -> Vec<String> {
    let mut copies = world.list::<Secret>();
    copies.retain(|secret| secret.labels().get(COPY).is_some_and(|copy| copy == "true"));
    for copy in &copies {
        assert_eq!(copy.data.as_ref().unwrap()["password"].0, password.as_bytes());
        assert_eq!(copy.annotations()[OF], "base/registry");
    }
    let mut namespaces: Vec<_> = copies.iter().filter_map(ResourceExt::namespace).collect();
    namespaces.sort();
    namespaces
}

#[tokio::test(start_paused = true)]
async fn copies_are_made_changed_moved_and_deleted() {
    let world = copying("shop, mail,, base").await;
    assert_eq!(copies(&world, PASSWORD), ["mail", "shop"]);
    assert!(!get(&world, "base").unwrap().finalizers().is_empty());
    assert_eq!(get(&world, "shop").unwrap().type_.as_deref(), Some("Opaque"));
    assert_eq!(world.writes().len(), 3, "two copies and the finalizer");

    set_password(&world, "hunter2").unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, "hunter2"), ["mail", "shop"]);
    send_to(&world, "mail,bank").unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, "hunter2"), ["bank", "mail"]);

    // Changes that others make to copies are undone.
    let lost = get(&world, "bank").unwrap();
    world.server().delete(&lost).unwrap();
    let tampered = Secret { data: None, ..get(&world, "mail").unwrap() };
    world.server().replace(&tampered).unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, "hunter2"), ["bank", "mail"]);
    assert_ne!(get(&world, "bank").unwrap().uid(), lost.uid());

    // A type can't be changed: the copy is another secret then.
    let before = get(&world, "mail").unwrap().uid();
    change(&world, |source| {
        source.type_ = Some("kubernetes.io/tls".into());
        let data = source.data.get_or_insert_default();
        data.extend(["tls.crt", "tls.key"].map(|key| (key.into(), ByteString::default())));
    })
    .unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, "hunter2"), ["bank", "mail"]);
    let copy = get(&world, "mail").unwrap();
    assert_eq!(copy.type_.as_deref(), Some("kubernetes.io/tls"));
    assert_ne!(copy.uid(), before);

    world.server().delete(&get(&world, "base").unwrap()).unwrap();
    world.settle().await.unwrap();
    assert!(world.list::<Secret>().is_empty());
    world.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn source_waits_until_its_copies_are_gone() {
    let world = copying("shop").await;
    let held = Requests::others().to("/namespaces/shop/");
    let held = world.faults().inject(held, Injection::status(503));
    world.server().delete(&get(&world, "base").unwrap()).unwrap();
    sleep(Duration::from_secs(60)).await;
    assert!(get(&world, "base").unwrap().metadata.deletion_timestamp.is_some());
    held.remove();
    world.settle().await.unwrap();
    assert!(world.list::<Secret>().is_empty());
}

#[tokio::test(start_paused = true)]
async fn source_without_its_mark_is_left_clean() {
    let world = copying("shop").await;
    change(&world, |source| source.metadata.labels = None).unwrap();
    world.settle().await.unwrap();
    assert!(copies(&world, PASSWORD).is_empty());
    assert!(get(&world, "base").unwrap().finalizers().is_empty());
}

#[tokio::test(start_paused = true)]
async fn foreign_secret_is_left_alone() {
    let world = replicator().start();
    consent(&world).unwrap();
    let mut foreign = secret("mail", "", "theirs");
    foreign.metadata.labels = None;
    world.server().create(&foreign).unwrap();
    world.server().create(&secret("base", "mail,shop", PASSWORD)).unwrap();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(copies(&world, PASSWORD), ["shop"]);
    assert_eq!(get(&world, "mail").unwrap().data, foreign.data);
    // Once it is out of the way, the copy comes by itself.
    world.server().delete(&foreign).unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, PASSWORD), ["mail", "shop"]);
}

#[tokio::test(start_paused = true)]
async fn copy_of_another_source_is_left_alone() {
    let world = copying("shop").await;
    world.server().replace(&namespace("shop", "base/registry, mail/registry")).unwrap();
    world.server().create(&secret("mail", "shop", "theirs")).unwrap();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(copies(&world, PASSWORD), ["shop"]);
}

#[tokio::test(start_paused = true)]
async fn second_replica_waits_for_the_first() {
    let world = copying("shop").await;
    let client = world.server().client();
    let second = elector(&client).identity("second").build().unwrap();
    let second = manager(&client, second).unwrap();
    let stop = CancellationToken::new();
    let second = tokio::spawn(second.run_until(stop.clone()));
    send_to(&world, "bank").unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, PASSWORD), ["bank"]);
    let sent = world.server().requests();
    let sent = sent.iter().filter(|one| one.method != "GET" && one.target.contains("/secrets"));
    assert_eq!(sent.count(), world.writes().len(), "only the first writes");

    world.stop().await.unwrap();
    let stopped = Instant::now();
    send_to(&world, "mail").unwrap();
    while copies(&world, PASSWORD) != ["mail"] {
        assert!(stopped.elapsed() < Duration::from_secs(10), "the lease was not given back");
        sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
    second.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_namespaces_that_consent_get_a_copy() {
    let world = replicator().start();
    world.server().create(&namespace("shop", "base/registry")).unwrap();
    // Other sources, a name alone, a part of the key: none of them is this source.
    for (name, from) in [("mail", "base/other"), ("bank", "registry, base"), ("kube-system", "")] {
        world.server().create(&namespace(name, from)).unwrap();
    }
    let to = "shop, mail, bank, kube-system, nowhere";
    world.server().create(&secret("base", to, PASSWORD)).unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, PASSWORD), ["shop"]);
    assert_eq!(world.writes().len(), 2, "a copy and the finalizer; nothing else is tried");

    world.server().replace(&namespace("mail", "base/registry")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, PASSWORD), ["mail", "shop"]);
    world.server().replace(&namespace("shop", "")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(copies(&world, PASSWORD), ["mail"]);
}

#[tokio::test(start_paused = true)]
async fn only_types_that_are_data_are_copied() {
    for (kind, copies) in [
        ("Opaque", true),
        ("kubernetes.io/dockerconfigjson", true),
        ("bootstrap.kubernetes.io/token", false),
        ("kubernetes.io/service-account-token", false),
        ("example.com/of-its-own", false),
    ] {
        let world = replicator().start();
        consent(&world).unwrap();
        let mut source = secret("base", "shop", PASSWORD);
        source.type_ = Some(kind.into());
        // Secrets of its type need this member.
        let config = (".dockerconfigjson".to_owned(), ByteString(b"{}".to_vec()));
        source.data.get_or_insert_default().extend([config]);
        world.server().create(&source).unwrap();
        world.settle().await.unwrap();
        assert_eq!(get(&world, "shop").is_some(), copies, "{kind}");
    }
}

async fn lives(world: World) -> Result<(), BoxError> {
    consent(&world)?;
    world.server().create(&secret("base", "shop, mail", PASSWORD))?;
    world.settle().await?;
    set_password(&world, "hunter2")?;
    world.settle().await?;
    send_to(&world, "mail, bank")?;
    world.settle().await?;
    if let Some(copy) = get(&world, "mail") {
        world.server().delete(&copy)?;
    }
    world.settle().await?;
    if let Some(source) = get(&world, "base") {
        world.server().delete(&source)?;
    }
    world.settle().await?;
    Ok(())
}

#[test]
fn exploration_passes() {
    // A candidate that renews more rarely has less to explore.
    let scenario = Scenario::of_manager(|client| {
        let elector = elector(&client).identity("first").retry_period(6 * S);
        manager(&client, elector.build()?)
    });
    let found = scenario.quiet_for(30 * S).explore(lives);
    assert!(found.assert_passed().writes >= 10);
}
