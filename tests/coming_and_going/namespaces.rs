//! Informers join and leave with the namespaces that a selector selects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::ObjectMeta;
use kube::{Resource, ResourceExt};
use kube_informer::factory::{SelectedNamespaces, SpecError};
use kube_informer::informer::ViewError;
use kube_informer::lister::StoreState;
use kube_informer::testing::{ApiServer, Faults, Injection};
use kube_informer::{Event, InformerSpec, ObjectKey, Storage};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::sleep;

use crate::helpers::{MS, S, factory, factory_of, forbid, map_in, spawn, until};
use crate::turn::turn;
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

pub(crate) fn namespace(name: &str, tenant: bool) -> Namespace {
    let labels = tenant.then(|| [("tenant".into(), "true".into())].into());
    let metadata = ObjectMeta { name: Some(name.into()), labels, ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

/// Returns a server with an object in each of three namespaces. Two of these are tenants.
fn server_with_tenants() -> ApiServer {
    let server = ApiServer::new();
    for (name, tenant) in [("bank", true), ("mail", false), ("shop", true)] {
        server.create(&namespace(name, tenant)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    server
}

/// The objects that a handler knows, and those that moved away.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<BTreeSet<String>>>, Arc<Mutex<Vec<String>>>);

impl Told {
    fn follow(maps: &SelectedNamespaces<ConfigMap>) -> Self {
        let told = Self::default();
        let folded = told.clone();
        maps.on_event(move |event| {
            let key = event.key().unwrap().to_string();
            match event {
                Event::Deleted { .. } => assert!(folded.0.lock().remove(&key), "{key}"),
                Event::MovedAway { .. } => {
                    assert!(folded.0.lock().remove(&key), "{key}");
                    folded.1.lock().push(key);
                }
                _ => drop(folded.0.lock().insert(key)),
            }
        });
        told
    }

    fn knows(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn informers_follow_the_labels_of_namespaces() {
    let server = server_with_tenants();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    let told = Told::follow(&maps);
    let by_name = maps.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap();
    assert!(maps.add_index("name", |_: &ConfigMap| None::<String>).is_err());
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    let late = Told::follow(&maps);
    assert_eq!(by_name.keys("a"), [key("bank/a"), key("shop/a")]);
    assert_eq!(maps.group().len(), 2);
    until("the events", || told.knows() == ["bank/a", "shop/a"]).await;
    assert_eq!(watches.open(), 3, "namespaces, bank, shop");

    server.replace(&namespace("mail", true)).unwrap();
    until("the join", || told.knows() == ["bank/a", "mail/a", "shop/a"]).await;
    until("the index", || by_name.len("a") == 3).await;
    assert!(maps.group().get_by_key(&key("mail/a")).is_ok());

    server.replace(&namespace("bank", false)).unwrap();
    until("the leave", || told.knows() == ["mail/a", "shop/a"]).await;
    assert_eq!(*told.1.lock(), ["bank/a"], "moved away, and not deleted");
    assert_eq!(late.knows(), told.knows());
    let missing = maps.group().get_by_key(&key("bank/a")).unwrap_err();
    assert_eq!(missing.store, StoreState::NotHeld);
    assert_eq!(by_name.keys("a"), [key("mail/a"), key("shop/a")]);
    until("the end of the watch", || watches.open() == 3).await;
    let shown = factory.status().informers;
    let shown: Vec<_> = shown.iter().filter_map(|one| one.collection.namespace.clone()).collect();
    assert_eq!(shown, ["mail".into(), "shop".into()]);

    server.replace(&namespace("bank", true)).unwrap();
    until("the return", || told.knows() == ["bank/a", "mail/a", "shop/a"]).await;
    until("the index", || by_name.len("a") == 3).await;
    drop((maps, by_name));
    until("the end of the watches", || watches.open() == 0).await;
    assert!(factory.status().informers.is_empty());
    assert_eq!(told.knows().len(), 3, "the end of the set tells nothing");
}

#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Named {
    metadata: ObjectMeta,
}

#[tokio::test(start_paused = true)]
async fn view_of_a_set_follows_its_namespaces() {
    let server = server_with_tenants();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let maps =
        factory.in_namespaces_where("tenant=true", InformerSpec::<ConfigMap>::new()).unwrap();
    let named = maps.view::<Named>();
    let told = Arc::<Mutex<Vec<_>>>::default();
    let tell = told.clone();
    named.on_event(move |event: Event<Named>| {
        let left = matches!(event, Event::MovedAway { .. });
        tell.lock().push((event.key().unwrap().to_string(), left));
    });
    let by_name = named.add_index("name", |map: &Named| map.metadata.name.clone()).unwrap();
    maps.start().unwrap();
    named.start().unwrap();
    named.wait_for_sync(SOON).await.unwrap();
    server.replace(&namespace("mail", true)).unwrap();
    until("the join", || by_name.len("a") == 3).await;
    server.replace(&namespace("bank", false)).unwrap();
    until("the leave", || told.lock().last() == Some(&("bank/a".into(), true))).await;
    assert_eq!((told.lock().len(), named.group().len()), (4, 2));
    assert_eq!(watches.open(), 3, "namespaces, mail, shop");
    let status = named.group().status();
    assert!(status.iter().all(|one| one.storage.as_ref().unwrap().views.len() == 1));
    drop(maps);
    server.create(&map_in("shop", "b")).unwrap();
    until("the event", || told.lock().len() == 5).await;
    drop((named, by_name));
    until("the end of the watches", || watches.open() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn view_of_decoded_objects_is_a_conflict() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new().storage(Storage::decoded());
    let named = factory.in_namespaces_where("tenant=true", spec).unwrap().view::<Named>();
    named.start().unwrap();
    named.wait_for_sync(SOON).await.unwrap();
    assert!(matches!(named.conflicts()[..], [SpecError::View(ViewError::Decoded { .. })]));
    assert!(named.group().informers().is_empty());
}

/// A config map with a member that some lack.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Coloured {
    metadata: ObjectMeta,
    data: Colour,
}

#[derive(Clone, Debug, Deserialize)]
struct Colour {
    colour: String,
}

#[tokio::test(start_paused = true)]
async fn object_leaves_a_view_that_cannot_read_its_last_state() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    let map = |name: &str, colour: Option<&str>| {
        let data = colour.map(|colour| [("colour".into(), colour.into())].into());
        ConfigMap { data, ..map_in("shop", name) }
    };
    server.create(&map("a", Some("red"))).unwrap();
    let factory = factory(&server);
    let maps =
        factory.in_namespaces_where("tenant=true", InformerSpec::<ConfigMap>::new()).unwrap();
    let coloured = maps.view::<Coloured>();
    let told = Arc::<Mutex<Vec<_>>>::default();
    let tell = told.clone();
    coloured.on_event(move |event: Event<Coloured>| {
        let left = matches!(event, Event::MovedAway { .. });
        tell.lock().push((event.object().name_any(), event.object().data.colour.clone(), left));
    });
    coloured.start().unwrap();
    coloured.wait_for_sync(SOON).await.unwrap();
    server.replace(&map("a", None)).unwrap();
    server.create(&map("b", None)).unwrap();
    until("the states", || coloured.group().len() == 2).await;
    sleep(S).await;
    server.replace(&namespace("shop", false)).unwrap();
    until("the leave", || coloured.group().informers().is_empty()).await;
    sleep(S).await;
    let red = |left| ("a".to_owned(), "red".to_owned(), left);
    assert_eq!(*told.lock(), [red(false), red(true)], "what was told of leaves, and nothing else");
}

#[tokio::test(start_paused = true)]
async fn refused_namespace_holds_up_no_other() {
    let server = ApiServer::new();
    for name in ["bank", "shop"] {
        server.create(&namespace(name, true)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    forbid(&server, "/bank/");
    let factory = factory(&server);
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    let told = Told::follow(&maps);
    maps.start().unwrap();
    let error = maps.wait_for_sync(SOON).await.unwrap_err();
    assert_eq!(error.unsynced.len(), 1);
    assert!(error.to_string().contains("configmaps in bank"), "{error}");
    assert_eq!(told.knows(), ["shop/a"]);
    server.stop_intercepting();
    until("the right", || told.knows() == ["bank/a", "shop/a"]).await;
    maps.wait_for_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn shared_informer_stays_when_its_namespace_leaves() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let spec = || InformerSpec::<ConfigMap>::new();
    let kept = factory.informer_with(spec().namespace("shop")).unwrap();
    let maps = factory.in_namespaces_where("tenant=true", spec()).unwrap();
    let refused = factory.in_namespaces_where("tenant=true", spec().page_size(7)).unwrap();
    let (told, by_name) = (
        Told::follow(&maps),
        maps.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap(),
    );
    maps.start().unwrap();
    refused.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    refused.wait_for_sync(SOON).await.unwrap();
    assert!(refused.group().is_empty());
    assert!(refused.conflicts()[0].to_string().contains("page_size"));
    for round in 0..3 {
        until("the join", || told.knows() == ["shop/a"] && by_name.len("a") == 1).await;
        server.replace(&namespace("shop", false)).unwrap();
        until("the leave", || told.knows().is_empty()).await;
        assert_eq!(kept.status().handlers.len(), 0, "round {round}");
        assert!(!kept.is_stopped() && kept.lister().len() == 1);
        server.replace(&namespace("shop", true)).unwrap();
    }
}

/// Handlers are user code.
#[tokio::test(start_paused = true)]
async fn handler_may_panic_in_a_farewell_or_drop_the_set() {
    let server = ApiServer::new();
    for name in ["bank", "shop"] {
        server.create(&namespace(name, true)).unwrap();
        server.create(&map_in(name, "a")).unwrap();
    }
    let factory = factory(&server);
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    maps.on_event(|event: Event<ConfigMap>| {
        assert!(!matches!(event, Event::MovedAway { .. }), "on purpose");
    });
    let told = Told::follow(&maps);
    let slot = Arc::new(Mutex::new(None));
    let taken = slot.clone();
    maps.on_event(move |event: Event<ConfigMap>| {
        if event.object().name_any() == "last" {
            drop(taken.lock().take());
        }
    });
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    *slot.lock() = Some(maps);
    server.replace(&namespace("bank", false)).unwrap();
    until("the leave", || *told.1.lock() == ["bank/a"]).await;
    server.create(&map_in("shop", "last")).unwrap();
    until("the end", || factory.status().informers.is_empty()).await;
}

/// Others hold the informer, so its handlers would go on.
#[tokio::test(start_paused = true)]
async fn handlers_of_a_leaving_namespace_end_with_the_set() {
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory(&server);
    let spec = InformerSpec::<ConfigMap>::new();
    let kept = factory.informer_with(spec.clone().namespace("shop")).unwrap();
    let maps = factory.in_namespaces_where("tenant=true", spec).unwrap();
    let slot = Arc::new(Mutex::new(None));
    let taken = slot.clone();
    maps.on_event(move |event: Event<ConfigMap>| {
        if matches!(event, Event::MovedAway { .. }) {
            drop(taken.lock().take());
        }
    });
    // One that leaves next, and one whose turn does not come.
    let told = [Told::follow(&maps), Told::follow(&maps)];
    maps.start().unwrap();
    maps.wait_for_sync(SOON).await.unwrap();
    until("the events", || told.iter().all(|one| one.knows() == ["shop/a"])).await;
    assert_eq!(kept.status().handlers.len(), 3);
    *slot.lock() = Some(maps);
    server.replace(&namespace("shop", false)).unwrap();
    until("the end of the set", || slot.lock().is_none()).await;
    until("the end of the handlers", || kept.status().handlers.is_empty()).await;
    server.create(&map_in("shop", "late")).unwrap();
    until("the object", || kept.lister().len() == 2).await;
    assert!(told.iter().all(|one| one.knows() == ["shop/a"]), "the end of the set tells nothing");
}

async fn play(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let server = ApiServer::new();
    let (faults, watches) = (Faults::new(), Watches::default());
    let factory = factory_of(watches.count(faults.client(server.client())));
    fastrand::seed(seed);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    let told = Told::follow(&maps);
    let by_name = maps.add_index("name", |map: &ConfigMap| map.metadata.name.clone()).unwrap();
    maps.start().unwrap();
    faults.inject_at_random(seed, 0.2, Injection::one_of_each(seed));
    // The namespaces: true if selected, and the objects.
    let mut model: BTreeMap<&str, (bool, BTreeSet<String>)> = BTreeMap::new();
    for _ in 0..120 {
        let name = ["bank", "mail", "shop"][rng.usize(..3)];
        match rng.u8(..10) {
            0..3 => {
                let tenant = rng.bool();
                if let Some(one) = model.get_mut(name) {
                    one.0 = tenant;
                    server.replace(&namespace(name, tenant)).unwrap();
                } else {
                    server.create(&namespace(name, tenant)).unwrap();
                    model.insert(name, (tenant, BTreeSet::new()));
                }
            }
            3..7 => {
                let Some((_, objects)) = model.get_mut(name) else { continue };
                let map = map_in(name, ["a", "b", "c"][rng.usize(..3)]);
                let key = ObjectKey::of(&map).unwrap().to_string();
                if objects.remove(&key) {
                    server.delete(&map).unwrap();
                } else {
                    server.create(&map).unwrap();
                    objects.insert(key);
                }
            }
            _ => sleep(rng.u32(..10_000) * MS).await,
        }
    }
    faults.clear();
    sleep(600 * S).await;
    maps.wait_for_sync(SOON).await.unwrap();
    let selected = model.values().filter(|(tenant, _)| *tenant);
    let wanted: Vec<_> = selected.clone().flat_map(|(_, objects)| objects.clone()).collect();
    assert_eq!(told.knows(), wanted, "seed {seed}");
    let group = maps.group();
    let stored = group.all().iter().map(|map| ObjectKey::of(&**map).unwrap().to_string()).collect();
    assert_eq!(
        (wanted.iter().cloned().collect::<BTreeSet<_>>(), group.informers().len()),
        (stored, selected.count())
    );
    let in_index = ["a", "b", "c"].iter().map(|name| by_name.len(name)).sum::<usize>();
    assert_eq!(in_index, wanted.len(), "seed {seed}");
    assert_eq!(watches.open(), 1 + group.informers().len(), "seed {seed}");
    drop((maps, group, by_name));
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
    assert!(factory.status().informers.is_empty());
}

#[test]
fn namespaces_follow_their_model_under_faults() {
    for seed in 0..40 {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(play(seed));
    }
}

/// A handler is told of each object of a namespace that leaves. Meanwhile other tasks go on.
#[tokio::test(start_paused = true)]
async fn farewells_give_way_to_other_tasks() {
    const MAPS: usize = 500;
    let server = ApiServer::new();
    server.create(&namespace("shop", true)).unwrap();
    for n in 0..MAPS {
        server.create(&map_in("shop", &n.to_string())).unwrap();
    }
    let factory = factory(&server);
    let maps = factory.in_namespaces_where("tenant=true", InformerSpec::new()).unwrap();
    let told = Told::follow(&maps);
    maps.start().unwrap();
    until("the maps", || told.0.lock().len() == MAPS).await;
    server.replace(&namespace("shop", false)).unwrap();
    let counting = async move {
        let (mut last, mut longest) = (0, 0);
        while last < MAPS {
            turn().await;
            let now = told.1.lock().len();
            longest = longest.max(now - last);
            last = now;
        }
        longest
    };
    let longest = spawn(counting).await.unwrap();
    assert!(longest < 64, "{longest} farewells in one turn");
}
