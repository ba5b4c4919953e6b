//! Only the objects that others reference are followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::factory::Referenced;
use kube_informer::factory::SpecError;
use kube_informer::lister::StoreState;
use kube_informer::testing::api_server::AccessRule;
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use kube_informer::{Event, InformerSpec, SharedInformerFactory};
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::helpers::{MS, S, factory, factory_of, until};
use crate::references::{key, named, naming, secret, tasks, value};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

/// The objects that a handler was told of. A fault in its events fails the next look, because a
/// panic in a handler fails nothing.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<Mutex<Folded>>);

#[derive(Default)]
struct Folded {
    /// The values of the secrets that the handler knows.
    known: BTreeMap<String, String>,
    moved_away: Vec<String>,
    faults: Vec<String>,
}

impl Told {
    pub(crate) fn follow(secrets: &Referenced<Secret>) -> Self {
        let told = Self::default();
        let folded = told.clone();
        secrets.on_event(move |event| folded.fold(&event));
        told
    }

    pub(crate) fn fold(&self, event: &Event<Secret>) {
        let folded = &mut *self.0.lock();
        let key = event.key().unwrap().to_string();
        let new = value(event.object());
        let known = folded.known.get(&key).cloned();
        let fits = match event {
            Event::Added { .. } => known.is_none(),
            Event::Updated { old, .. } => known == Some(value(old)),
            Event::Deleted { .. } | Event::MovedAway { .. } => known.is_some(),
        };
        if !fits {
            folded.faults.push(format!("{key} was {known:?}, then {event:?}"));
        }
        match event {
            Event::Added { .. } | Event::Updated { .. } => {
                folded.known.insert(key, new);
            }
            Event::Deleted { .. } => drop(folded.known.remove(&key)),
            Event::MovedAway { .. } => {
                folded.known.remove(&key);
                folded.moved_away.push(key);
            }
        }
    }

    pub(crate) fn knows(&self) -> BTreeMap<String, String> {
        let folded = self.0.lock();
        assert!(folded.faults.is_empty(), "{:#?}", folded.faults);
        folded.known.clone()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.knows().into_keys().collect()
    }

    pub(crate) fn moved_away(&self) -> Vec<String> {
        self.0.lock().moved_away.clone()
    }
}

/// Returns the lists and watches of secrets.
fn requests(server: &ApiServer) -> Vec<String> {
    let all = server.requests().into_iter().filter(|one| one.target.contains("/secrets"));
    all.map(|one| one.target).collect()
}

fn state(secrets: &Referenced<Secret>, text: &str) -> Option<StoreState> {
    secrets.get_by_key(&key(text)).err().map(|missing| missing.store)
}

#[tokio::test(start_paused = true)]
async fn reference_lasts_until_its_last_owner() {
    let server = ApiServer::new();
    for name in ["shop/a", "shop/b", "bank/a"] {
        server.create(&secret(&key(name), name)).unwrap();
    }
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let before = tasks();
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    let (one, two) = (secrets.reference(key("shop/a")), secrets.reference(key("shop/a")));
    let three = secrets.reference(key("bank/a"));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    until("the events", || told.keys() == ["bank/a", "shop/a"]).await;
    let late = Told::follow(&secrets);
    until("the late events", || late.knows() == told.knows()).await;
    assert_eq!((watches.open(), requests(&server).len()), (2, 4), "a list and a watch each");
    let shown = factory.status().informers;
    let shown: Vec<_> = shown.iter().map(|one| &*one.name).collect();
    assert_eq!(shown, ["fields metadata.name=a"; 2]);

    drop(one);
    sleep(S).await;
    assert_eq!(watches.open(), 2, "another owner is left");
    let clone = two.clone();
    std::thread::spawn(move || drop(two)).join().unwrap();
    sleep(S).await;
    assert_eq!(watches.open(), 2, "a clone is an owner");
    drop(clone);
    until("the end of the watch", || watches.open() == 1).await;
    assert_eq!((told.keys(), told.moved_away()), (vec!["bank/a".into()], vec!["shop/a".into()]));
    assert_eq!(late.keys(), told.keys());
    assert_eq!(secrets.all().len(), 1);

    server.replace(&secret(&key("bank/a"), "other")).unwrap();
    until("the change", || told.knows()["bank/a"] == "other").await;
    server.delete(&secret(&key("bank/a"), "")).unwrap();
    until("the delete", || told.keys().is_empty()).await;
    assert_eq!(told.moved_away(), ["shop/a"], "deleted, and not moved away");
    let four = secrets.reference(key("shop/a"));
    until("the return", || told.keys() == ["shop/a"]).await;
    drop(secrets);
    until("the end", || tasks() == before && watches.open() == 0).await;
    assert!(factory.status().informers.is_empty());
    drop((three, four));
}

#[tokio::test(start_paused = true)]
async fn lister_tells_unreferenced_absent_and_unknown_apart() {
    let server = ApiServer::new();
    server.create(&secret(&key("shop/a"), "1")).unwrap();
    let faults = Faults::new();
    faults.inject(Requests::lists().to("slow"), Injection::black_hole());
    let factory = factory_of(faults.client(server.client()));
    let secrets = factory.referenced::<Secret>();
    let held = ["shop/a", "shop/absent", "shop/slow"].map(|name| secrets.reference(key(name)));
    assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotStarted));
    let early = secrets.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(early.contains("secrets was not started"), "{early}");
    secrets.start().unwrap();
    assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotSynced));
    let error = secrets.wait_for_sync(SOON).await.unwrap_err();
    assert_eq!(error.unsynced.len(), 1);
    assert!(error.to_string().contains("metadata.name=slow"), "{error}");
    assert_eq!(state(&secrets, "shop/a"), None);
    assert_eq!(state(&secrets, "shop/absent"), Some(StoreState::Synced));
    assert_eq!(state(&secrets, "shop/slow"), Some(StoreState::NotSynced));
    assert_eq!(state(&secrets, "shop/other"), Some(StoreState::NotReferenced));
    let text = secrets.get_by_key(&key("shop/other")).unwrap_err().to_string();
    assert_eq!(
        text,
        "secrets \"shop\"/\"other\" not found: nothing references it; take a reference first"
    );
    drop(held);
    assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotReferenced), "at once");
    let odd = secrets.reference(key("a"));
    assert_eq!(state(&secrets, "a"), Some(StoreState::WrongScope));
    secrets.wait_for_sync(SOON).await.unwrap();
    drop(odd);
}

#[tokio::test(start_paused = true)]
async fn objects_of_several_informers_feed_one_set() {
    let server = ApiServer::new();
    for name in ["shop/a", "shop/b", "bank/a"] {
        server.create(&secret(&key(name), "1")).unwrap();
    }
    server.create(&naming("shop", "one", &["a", "b"])).unwrap();
    server.create(&naming("shop", "two", &["b", "c"])).unwrap();
    server.create(&naming("bank", "one", &["a"])).unwrap();
    let watches = Watches::default();
    let faults = Faults::new();
    let factory = factory_of(watches.count(faults.client(server.client())));
    let maps = factory.in_namespaces::<ConfigMap>(["shop"]);
    let spec = InformerSpec::<ConfigMap>::new().namespace("bank");
    let bank = factory.interest(spec).unwrap();
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    secrets.feed_from(&maps, named).unwrap();
    secrets.feed_from(&*bank, named).unwrap();
    secrets.start().unwrap();
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(state(&secrets, "shop/c"), Some(StoreState::Synced), "its map is known, it is not");
    until("the events", || told.keys() == ["bank/a", "shop/a", "shop/b"]).await;
    assert_eq!(watches.open(), 2 + 4);
    let lists = || requests(&server).iter().filter(|one| !one.contains("watch=")).count();
    let before = lists();

    // `b` moves from one object to the other, and is not asked again.
    server.replace(&naming("shop", "two", &["c"])).unwrap();
    server.replace(&naming("shop", "one", &["b"])).unwrap();
    until("the leave", || told.keys() == ["bank/a", "shop/b"]).await;
    assert_eq!((told.moved_away(), lists()), (vec!["shop/a".to_owned()], before));

    // A deletion that only a list shows.
    let hidden = faults.inject(Requests::watches().to("configmaps"), Injection::black_hole());
    server.drop_connections();
    server.delete(&naming("shop", "one", &[])).unwrap();
    sleep(S).await;
    assert_eq!(told.keys(), ["bank/a", "shop/b"]);
    server.compact();
    hidden.remove();
    until("the missed deletion", || told.keys() == ["bank/a"]).await;

    let gone = (*bank).clone();
    drop(bank);
    until("the end of the feeder", || told.keys().is_empty()).await;
    assert!(gone.is_stopped());
    assert_eq!(secrets.keys(), [key("shop/c")]);
    assert!(secrets.feed_from(&gone, named).is_err());
    secrets.wait_for_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn set_that_ends_leaves_its_feeders() {
    let server = ApiServer::new();
    server.create(&naming("shop", "one", &["a"])).unwrap();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.referenced::<Secret>();
    secrets.feed_from(&maps, named).unwrap();
    secrets.start().unwrap();
    factory.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert_eq!((secrets.status().len(), maps.status().handlers.len()), (1, 1));
    drop(secrets);
    sleep(S).await;
    assert!(maps.status().handlers.is_empty() && !maps.is_stopped());
    assert_eq!(factory.status().informers.len(), 1);
}

/// Index functions and names are user input.
#[tokio::test(start_paused = true)]
async fn panic_keeps_references_and_a_name_selects_only_itself() {
    let server = ApiServer::new();
    server.create(&secret(&key("shop/a"), "1")).unwrap();
    server.create(&naming("shop", "one", &["a"])).unwrap();
    let factory = factory(&server);
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    secrets
        .feed_from(&maps, |map: &ConfigMap| {
            assert!(map.metadata.labels.is_none(), "on purpose");
            named(map)
        })
        .unwrap();
    secrets.start().unwrap();
    factory.start().unwrap();
    until("the secret", || told.keys() == ["shop/a"]).await;
    let mut poisoned = naming("shop", "one", &[]);
    poisoned.metadata.labels = Some([("bad".to_owned(), "yes".to_owned())].into());
    server.replace(&poisoned).unwrap();
    sleep(S).await;
    assert_eq!(secrets.keys(), [key("shop/a")]);
    let odd = secrets.reference(key("shop/x,metadata.name!=x"));
    sleep(SOON).await;
    assert_eq!(told.keys(), ["shop/a"]);
    assert!(secrets.get_by_key(odd.key()).is_err());
    let asked = requests(&server).into_iter().find(|one| one.contains('x')).unwrap();
    assert!(asked.contains("metadata.name%3Dx%5C%2Cmetadata.name%21%5C%3Dx"), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn reference_dropped_in_mid_list_ends_the_request() {
    let server = ApiServer::new();
    server.create(&secret(&key("shop/a"), &"x".repeat(10_000))).unwrap();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    let before = tasks();
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    secrets.start().unwrap();
    faults.inject(Requests::lists(), Injection::drip(10, S));
    for _ in 0..20 {
        let guard = secrets.reference(key("shop/a"));
        sleep(10 * S).await;
        assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotSynced));
        drop(guard);
        sleep(S).await;
        assert_eq!((tasks(), watches.open()), (before + 1, 0), "one task follows the references");
    }
    faults.clear();
    let _guard = secrets.reference(key("shop/a"));
    until("the secret", || told.keys() == ["shop/a"]).await;
}

#[tokio::test(start_paused = true)]
async fn revoked_name_is_its_own_business() {
    let reads = |names: &[&str]| {
        let rule = AccessRule::new(["get", "list", "watch"], ["secrets"]).namespaces(["shop"]);
        rule.names(names.iter().copied())
    };
    let server = ApiServer::builder().token("t0ken", "gateway", [reads(&["a", "b"])]).build();
    for name in ["shop/a", "shop/b"] {
        server.create(&secret(&key(name), "old")).unwrap();
    }
    let factory = factory_of(server.client_with_token("t0ken"));
    let secrets = factory.referenced::<Secret>();
    let told = Told::follow(&secrets);
    let _held = ["shop/a", "shop/b"].map(|name| secrets.reference(key(name)));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();

    server.revoke("gateway");
    server.grant("gateway", reads(&["a"]));
    server.drop_connections();
    sleep(SOON).await;
    for name in ["shop/a", "shop/b"] {
        server.replace(&secret(&key(name), "new")).unwrap();
    }
    until("the change", || told.knows()["shop/a"] == "new").await;
    assert_eq!(told.knows()["shop/b"], "old");
    let refused = |name: &str| {
        let shown = secrets.status().into_iter().find(|one| one.name.ends_with(name)).unwrap();
        shown.reflector.last_error.map(|(error, _)| error.to_string()).unwrap_or_default()
    };
    assert!(refused("=b").contains("secrets \"b\" is forbidden"), "{}", refused("=b"));
    assert!(!refused("=a").contains("forbidden"), "{}", refused("=a"));
    let _third = secrets.reference(key("shop/c"));
    let error = secrets.wait_for_sync(SOON).await.unwrap_err();
    assert!(error.unsynced.len() == 1 && error.to_string().contains("name=c"), "{error}");
    server.grant("gateway", reads(&["b", "c"]));
    until("the right", || told.knows()["shop/b"] == "new").await;
    until("the other right", || state(&secrets, "shop/c") == Some(StoreState::Synced)).await;
}

#[tokio::test(start_paused = true)]
async fn first_lists_are_bounded() {
    let server = ApiServer::new();
    let faults = Faults::new();
    faults.inject(Requests::lists(), Injection::delay(10 * S));
    let client = faults.client(server.client());
    let factory = SharedInformerFactory::builder(client).max_concurrent_lists(3).build();
    let secrets = factory.referenced::<Secret>();
    let _held: Vec<_> = (0..9).map(|n| secrets.reference(key(&format!("shop/s{n}")))).collect();
    secrets.start().unwrap();
    let lists = || requests(&server).iter().filter(|one| !one.contains("watch=")).count();
    for expected in [0, 3, 6, 9] {
        sleep(5 * S).await;
        assert_eq!(lists(), expected);
        sleep(5 * S).await;
    }
}

#[tokio::test(start_paused = true)]
async fn spec_applies_to_each_name_and_a_conflict_is_told() {
    let server = ApiServer::new();
    server.create(&secret(&key("shop/a"), "1")).unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<Secret>::new().labels("tier=web");
    let secrets = factory.referenced_with(spec.clone().page_size(7)).unwrap();
    let other = spec.clone().namespace("shop").fields("metadata.name=a").page_size(8);
    let _other = factory.informer_with(other).unwrap();
    let _held = ["shop/a", "shop/b"].map(|name| secrets.reference(key(name)));
    secrets.start().unwrap();
    let unknown = secrets.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(
        unknown.contains("shop/a is not followed") && unknown.contains("page_size"),
        "{unknown}"
    );
    assert!(secrets.conflicts()[0].to_string().contains("page_size"));
    assert_eq!(state(&secrets, "shop/a"), Some(StoreState::NotSynced), "never known");
    assert_eq!(state(&secrets, "shop/b"), Some(StoreState::Synced));
    let refused = factory.referenced_with(spec.namespace("shop"));
    assert!(matches!(refused.unwrap_err(), SpecError::NoEffect { option: "namespace", .. }));
}

#[tokio::test(start_paused = true)]
async fn contents_are_never_shown() {
    let server = ApiServer::new();
    server.create(&secret(&key("shop/a"), "s3cret")).unwrap();
    let factory = factory(&server);
    let secrets = factory.referenced::<Secret>();
    let held = secrets.reference(key("shop/a"));
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(value(&secrets.get_by_key(held.key()).unwrap()), "s3cret");
    let status = serde_json::to_string(&factory.status()).unwrap();
    for text in [format!("{secrets:?} {held:?} {:?}", secrets.status()), status] {
        assert!(text.contains('a') && !text.contains("s3cret") && !text.contains("czNjcmV0"));
    }
}

/// The cost of twenty references in a cluster of twenty thousand secrets, beside caching all.
#[tokio::test(start_paused = true)]
async fn twenty_of_twenty_thousand_cost_twenty() {
    const ALL: usize = 20_000;
    let server = ApiServer::new();
    let name = |n: usize| format!("ns-{}/s{n}", n % 100);
    for n in 0..ALL {
        server.create(&secret(&key(&name(n)), &"x".repeat(300))).unwrap();
    }
    let few = factory(&server);
    let secrets = few.referenced::<Secret>();
    let held: Vec<_> = (0..20).map(|n| secrets.reference(key(&name(n * 977)))).collect();
    secrets.start().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    let asked = requests(&server).len();
    let bytes = |factory: &SharedInformerFactory| {
        let shown = factory.status().informers;
        shown.iter().filter_map(|one| one.storage.as_ref()).map(|storage| storage.bytes).sum()
    };
    let referenced: usize = bytes(&few);
    assert_eq!((secrets.all().len(), asked), (held.len(), 2 * held.len()));

    let whole = factory(&server);
    let all = whole.informer::<Secret>();
    whole.start().unwrap();
    all.wait_for_sync(SOON).await.unwrap();
    assert_eq!(all.lister().len(), ALL);
    let cached: usize = bytes(&whole);
    println!("{referenced} bytes in {asked} requests, {cached} bytes for all");
    assert!(referenced * 500 < cached, "{referenced} beside {cached}");
    let seen: BTreeSet<_> = secrets.keys().into_iter().collect();
    assert_eq!(seen.len(), held.len());
    sleep(MS).await;
}
