//! One informer follows a namespace in which many names are referenced, where the user allows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::Secret;
use kube_informer::SharedInformerFactory;
use kube_informer::factory::{Reference, Referenced};
use kube_informer::lister::StoreState;
use kube_informer::testing::api_server::AccessRule;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use tokio::time::sleep;

use crate::helpers::{MS, S, factory, factory_of, until};
use crate::referenced::{Told, key, secret, tasks};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

fn take(secrets: &Referenced<Secret>, names: &[&str]) -> Vec<Reference> {
    names.iter().map(|name| secrets.reference(key(&format!("shop/{name}")))).collect()
}

fn shop(server: &ApiServer) {
    for name in ["a", "b", "c", "d", "e", "f"] {
        server.create(&secret(&key(&format!("shop/{name}")), name)).unwrap();
    }
    for n in 0..200 {
        server.create(&secret(&key(&format!("shop/other-{n}")), "other")).unwrap();
    }
}

/// Returns the number of lists of the whole namespace.
fn wide_lists(server: &ApiServer) -> usize {
    let wide = |target: &str| target.contains("/secrets?") && !target.contains("fieldSelector");
    server.requests().iter().filter(|one| !one.watch && wide(&one.target)).count()
}

fn state(secrets: &Referenced<Secret>, text: &str) -> Option<StoreState> {
    secrets.get_by_key(&key(text)).err().map(|missing| missing.store)
}

/// A set that follows two secrets by name, and widens beyond them.
struct Rig {
    server: ApiServer,
    faults: Faults,
    factory: SharedInformerFactory,
    secrets: Referenced<Secret>,
    told: Told,
    held: Vec<Reference>,
}

impl Rig {
    async fn new() -> Self {
        let server = ApiServer::new();
        shop(&server);
        let faults = Faults::new();
        let factory = factory_of(faults.client(server.client()));
        let secrets = factory.referenced::<Secret>().widen_beyond(2);
        let told = Told::follow(&secrets);
        let held = take(&secrets, &["a", "b"]);
        secrets.start().unwrap();
        secrets.wait_for_sync(SOON).await.unwrap();
        Self { server, faults, factory, secrets, told, held }
    }
}

#[tokio::test(start_paused = true)]
async fn namespace_takes_over_from_many_names_and_gives_back() {
    let server = ApiServer::new();
    shop(&server);
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let before = tasks();
    let secrets = factory.referenced::<Secret>().widen_beyond(4);
    let told = Told::follow(&secrets);
    let mut held = take(&secrets, &["a", "b", "c", "d"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    sleep(SOON).await;
    assert_eq!((watches.open(), wide_lists(&server)), (4, 0), "as many as allowed");

    held.extend(take(&secrets, &["e", "absent"]));
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the take-over", || watches.open() == 1).await;
    assert_eq!((told.keys().len(), wide_lists(&server)), (5, 1));
    assert!(told.moved_away().is_empty());
    let shown = secrets.status();
    assert_eq!((shown.len(), shown[0].objects), (1, 5), "what nothing names is not stored");
    assert_eq!(state(&secrets, "shop/a"), None);
    assert_eq!(state(&secrets, "shop/absent"), Some(StoreState::Synced));
    assert_eq!(state(&secrets, "shop/other-1"), Some(StoreState::NotReferenced));
    server.replace(&secret(&key("shop/a"), "new")).unwrap();
    server.replace(&secret(&key("shop/other-1"), "new")).unwrap();
    server.create(&secret(&key("shop/absent"), "created")).unwrap();
    until("the changes", || told.knows()["shop/a"] == "new" && told.keys().len() == 6).await;
    let late = Told::follow(&secrets);
    until("the late events", || late.knows() == told.knows()).await;

    // A name that is dropped leaves the store, and returns to the same informer.
    drop(held.remove(0));
    until("the leave", || told.moved_away() == ["shop/a"]).await;
    assert_eq!(secrets.status()[0].objects, 5);
    held.extend(take(&secrets, &["a"]));
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the return", || told.knows()["shop/a"] == "new").await;
    // A later name has a watch of its own.
    held.extend(take(&secrets, &["f"]));
    until("the later name", || told.keys().len() == 7 && watches.open() == 2).await;

    held.truncate(2);
    until("the names", || watches.open() == 2 && secrets.status().len() == 2).await;
    until("the events", || told.keys() == ["shop/b", "shop/c"]).await;
    assert_eq!(late.knows(), told.knows());
    server.replace(&secret(&key("shop/b"), "newer")).unwrap();
    until("the change", || told.knows()["shop/b"] == "newer").await;
    server.delete(&secret(&key("shop/c"), "")).unwrap();
    until("the delete", || told.keys() == ["shop/b"]).await;
    assert!(!told.moved_away().contains(&"shop/c".to_owned()));
    drop(secrets);
    until("the end", || tasks() == before && watches.open() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn objects_stay_readable_and_change_during_a_take_over() {
    let Rig { server, faults, secrets, told, mut held, .. } = Rig::new().await;
    // The list shows a state that is old when it has come.
    faults.inject(Requests::lists().to("name%3Da"), Injection::delay(2 * S));
    let slow = faults.inject(Requests::lists().to("/secrets?limit"), Injection::drip(200, S / 5));
    for round in 0..6 {
        if round % 2 == 0 {
            held.extend(take(&secrets, &["c", "d"]));
        } else {
            held.truncate(1);
        }
        for change in 0..100 {
            let value = format!("{round}-{change}");
            server.replace(&secret(&key("shop/a"), &value)).unwrap();
            sleep(S / 2).await;
            let read = secrets.get_by_key(&key("shop/a")).unwrap();
            assert_eq!(crate::referenced::value(&read), value, "never an older view");
        }
        until("the last change", || told.knows()["shop/a"] == format!("{round}-99")).await;
        let informers = if round % 2 == 0 { 1 } else { held.len() };
        until("the hand-over", || secrets.status().len() == informers).await;
    }
    assert_eq!(slow.count(), 3);
}

/// An informer that has listed, and whose watch has not opened, shows an old state.
#[tokio::test(start_paused = true)]
async fn informer_takes_over_only_what_it_shows() {
    let Rig { server, faults, factory, secrets, told, mut held } = Rig::new().await;
    let shows = |value: &str| {
        let read = secrets.get_by_key(&key("shop/a")).unwrap();
        crate::referenced::value(&read) == value && told.knows()["shop/a"] == value
    };
    for (round, late) in ["secrets?watch", "secrets?fieldSelector"].into_iter().enumerate() {
        sleep(2 * S).await;
        let late = faults.inject(Requests::watches().to(late), Injection::delay(25 * S));
        if round == 0 {
            held.extend(take(&secrets, &["c", "d"]));
        } else {
            held.truncate(1);
        }
        sleep(S / 10).await;
        let value = format!("round {round}");
        server.replace(&secret(&key("shop/a"), &value)).unwrap();
        until("the change", || shows(&value)).await;
        for _ in 0..150 {
            sleep(S / 10).await;
            assert!(shows(&value), "round {round}");
        }
        let informers = || factory.status().informers.len();
        assert_eq!((late.count(), informers()), (1, [5, 2][round]));
        sleep(60 * S).await;
        assert_eq!((shows(&value), informers()), (true, 1));
        late.remove();
    }
    server.delete(&secret(&key("shop/a"), "")).unwrap();
    until("the delete", || told.keys().is_empty()).await;
}

/// A handler that blocks holds up the hand-over, which may become needless meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slow_handler_is_told_each_object_once() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>().widen_beyond(2);
    let told = Told::default();
    let folded = told.clone();
    let open = Arc::new(AtomicBool::new(true));
    let gate = open.clone();
    secrets.on_event(move |event| {
        tokio::task::block_in_place(|| {
            while !gate.load(Ordering::Relaxed) {
                std::thread::sleep(MS);
            }
        });
        folded.fold(&event);
    });
    let mut held = take(&secrets, &["a", "b"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the events", || told.keys() == ["shop/a", "shop/b"]).await;
    open.store(false, Ordering::Relaxed);
    server.replace(&secret(&key("shop/a"), "new")).unwrap();
    held.extend(take(&secrets, &["c", "d"]));
    // If the set decides between the two, the last of them keeps an informer of its own.
    until("the take-over", || secrets.status().iter().any(|one| !one.name.starts_with("fields")))
        .await;
    held.clear();
    held.extend(take(&secrets, &["b"]));
    // The handler is not called, and the next decision is due.
    sleep(2 * S).await;
    open.store(true, Ordering::Relaxed);
    let by_name = || secrets.status().iter().all(|one| one.name.starts_with("fields"));
    until("the return", || by_name() && told.keys() == ["shop/b"]).await;
    held.extend(take(&secrets, &["a"]));
    until("the name", || told.keys() == ["shop/a", "shop/b"]).await;
}

/// A state that changed, and an object that was deleted, while no handler was called.
#[tokio::test(start_paused = true)]
async fn handler_is_told_only_what_differs() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>().widen_beyond(2);
    let (told, calls) = (Told::follow(&secrets), Arc::new(AtomicUsize::new(0)));
    let counted = calls.clone();
    secrets.on_event(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let mut held = take(&secrets, &["a", "b"]);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    for round in 1..5 {
        sleep(S).await;
        calls.store(0, Ordering::Relaxed);
        if round % 2 == 1 {
            held.extend(take(&secrets, &["c", "d"]));
            until("the take-over", || secrets.status().len() == 1).await;
            sleep(S).await;
            assert_eq!((calls.load(Ordering::Relaxed), told.keys().len()), (2, 4));
        } else {
            held.truncate(1);
            until("the return", || {
                secrets.status().iter().all(|one| one.name.starts_with("fields"))
            })
            .await;
            sleep(S).await;
            assert_eq!((calls.load(Ordering::Relaxed), told.keys().len()), (3, 1));
            calls.store(0, Ordering::Relaxed);
            held.extend(take(&secrets, &["b"]));
            until("the name", || told.keys().len() == 2).await;
            assert_eq!(calls.load(Ordering::Relaxed), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn refused_namespace_is_remembered_and_its_names_go_on() {
    let names = ["a", "b", "c", "d"];
    let reads = || AccessRule::new(["list", "watch"], ["secrets"]).namespaces(["shop"]);
    let server = ApiServer::builder().token("t0ken", "gateway", [reads().names(names)]).build();
    shop(&server);
    let factory = factory_of(server.client_with_token("t0ken"));
    let secrets = factory.referenced::<Secret>().widen_beyond(2);
    let told = Told::follow(&secrets);
    let held = take(&secrets, &names);
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    sleep(3_000 * S).await;
    assert_eq!((wide_lists(&server), secrets.status().len()), (1, 4));
    assert_eq!(told.keys().len(), 4);

    server.grant("gateway", reads());
    sleep(700 * S).await;
    let again = take(&secrets, &["a", "e"]);
    until("another try", || secrets.status().len() == 1).await;
    assert_eq!((wide_lists(&server), told.keys().len()), (2, 5));

    // The right for the namespace is taken away.
    server.revoke("gateway");
    server.grant("gateway", reads().names(names));
    server.drop_connections();
    until("the return", || secrets.status().len() == 5).await;
    server.replace(&secret(&key("shop/a"), "new")).unwrap();
    until("the change", || told.knows()["shop/a"] == "new").await;
    assert_eq!(state(&secrets, "shop/e"), Some(StoreState::NotSynced), "its right is gone, too");
    assert!(told.keys().len() <= 5 && told.moved_away().len() + told.keys().len() == 5);
    drop((held, again));
}

#[tokio::test(start_paused = true)]
async fn nothing_widens_unasked() {
    let server = ApiServer::new();
    shop(&server);
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>();
    let names: Vec<_> = (0..100).map(|n| format!("other-{n}")).collect();
    let _held: Vec<_> =
        names.iter().map(|name| secrets.reference(key(&format!("shop/{name}")))).collect();
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    sleep(SOON).await;
    assert_eq!((wide_lists(&server), secrets.status().len()), (0, 100));
}
