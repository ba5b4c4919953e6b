//! Names that a program gives: what a constructor accepts, the server accepts, and the reverse.

use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{ApiResource, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResource, Resource};
use kube_controllers::clusters::KubeconfigSecrets;
use kube_controllers::controller::{BoxError, Finalize, FinalizerError, finalizer};
use kube_controllers::sharding::ShardBy;
use kube_controllers::writing::{Applier, ApplierError, ApplyError, EventRecorder};
use kube_controllers::{Action, LeaderElector, Sharding};
use kube_informer::error::Fault;
use kube_informer::factory::SpecError;
use kube_informer::informer::StartError;
use kube_informer::labels::LabelSelector;
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher};
use kube_informer::object::NameRule;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerSpec, ObjectKey, SharedInformerFactory};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::sleep;

use crate::helpers::*;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Gear", namespaced, schema = "disabled")]
struct GearSpec {}

/// Returns names at the limits, and drawn ones.
fn names() -> Vec<String> {
    let mut rng = Rng::with_seed(43);
    let letters: Vec<char> = "aZ9-._/%: é\u{301}\u{200b}\u{a0}\n\"=,!".chars().collect();
    let drawn =
        (0..300).map(|_| (0..rng.usize(0..5)).map(|_| rng.choice(&letters).unwrap()).collect());
    let long = |length: usize| "a".repeat(length);
    let at_limits = [
        "1ca428e5.".to_owned(),
        "..".to_owned(),
        "example.com/cleanup".to_owned(),
        "a.b-c/D_e".to_owned(),
        "A.b/c".to_owned(),
        "orders".to_owned(),
        long(63),
        long(64),
        long(128),
        long(129),
        "ü".repeat(64),
        "ü".repeat(65),
        long(253),
        long(254),
        format!("{}/a", long(253)),
        format!("{}/a", long(254)),
        format!("a/{}", long(63)),
        format!("a/{}", long(64)),
    ];
    at_limits.into_iter().chain(drawn).collect()
}

/// Returns whether the server accepts a new object of this name.
async fn takes<K>(api: Api<K>, object: serde_json::Value) -> bool
where
    K: Resource + Clone + Serialize + serde::de::DeserializeOwned + std::fmt::Debug,
{
    let object = serde_json::from_value(object).unwrap();
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    match api.create(&dry_run, &object).await {
        Ok(_) => true,
        Err(kube::Error::Api(status)) if status.code == 422 || status.code == 400 => false,
        // Of another rule than the name's.
        Err(kube::Error::Api(status)) if status.code == 409 => true,
        Err(error) => panic!("{error}"),
    }
}

fn server() -> ApiServer {
    let server = ApiServer::new();
    server.register(ResourceType::of::<Gear>());
    server
}

#[tokio::test(start_paused = true)]
async fn electors_and_shardings_take_names_of_leases() {
    let (server, leases) = (server(), Api::<Lease>::namespaced);
    for name in names() {
        let client = server.client();
        let elector = LeaderElector::builder(client.clone(), "shop", &name).build();
        let lease = json!({"metadata": {"name": name}, "spec": {}});
        // Without a name, the path would be that of the collection.
        assert_eq!(elector.is_ok(), takes(leases(client.clone(), "shop"), lease).await, "{name:?}");

        let namespace =
            takes(Api::<Namespace>::all(client.clone()), json!({"metadata": {"name": name}}));
        let namespace = namespace.await;
        let elector = LeaderElector::builder(client.clone(), &name, "orders").build();
        assert_eq!(elector.is_ok(), namespace, "{name:?}");
        let sharding = Sharding::builder(client.clone(), &name, "orders", ShardBy::Uid).build();
        assert_eq!(sharding.is_ok(), namespace, "{name:?}");

        let sharding = Sharding::builder(client.clone(), "shop", &name, ShardBy::Uid).build();
        let lease = json!({"metadata": {
            "name": format!("{name}-slot-1023"), "labels": {"kube-informer.dev/sharding": name},
        }});
        let accepted = takes(leases(client, "shop"), lease).await;
        // A group has no dot, so that the name of a slot has one form.
        assert_eq!(sharding.is_ok(), accepted && !name.contains('.'), "{name:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn recorders_take_controllers_that_events_can_have() {
    let server = server();
    for name in names() {
        let event = json!({
            "metadata": {"name": "e"}, "eventTime": "2026-01-01T00:00:00.000000Z",
            "reason": "R", "action": "A", "type": "Normal", "reportingInstance": "i",
            "regarding": {"namespace": "shop", "name": "a"}, "reportingController": name,
        });
        let accepted = takes(Api::<Event>::namespaced(server.client(), "shop"), event).await;
        let recorder = EventRecorder::new(server.client(), &*name);
        assert_eq!(recorder.is_ok(), accepted, "{name:?}");
        let Ok(recorder) = recorder else { continue };
        recorder.normal(&map("a", "1"), "Made", "");
        assert!(recorder.flush(S).await);
        assert_eq!(recorder.status().published, 1, "{name:?}");
        // The names of events have the time.
        sleep(MS).await;
    }
    let refused = EventRecorder::new(server.client(), "a/b/c").unwrap_err();
    assert_eq!(refused.rule, NameRule::Qualified);
    let text = refused.to_string();
    assert!(text.starts_with("the controller that reports events \"a/b/c\" must be a qualified"));
}

#[tokio::test(start_paused = true)]
async fn appliers_take_managers_that_the_server_takes() {
    let server = server();
    let maps = factory(&server).informer::<ConfigMap>();
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    for name in names() {
        let params = PatchParams { dry_run: true, ..PatchParams::apply(&name) };
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let accepted = api.patch("a", &params, &Patch::Apply(body)).await.is_ok();
        let spec = InformerSpec::<ConfigMap>::new().managed_fields_of(&*name);
        assert_eq!(factory(&server).informer_with(spec).is_ok(), accepted, "{name:?}");
        let keeping = SharedInformerFactory::builder(server.client()).managed_fields_of(&*name);
        let started = keeping.build().informer::<ConfigMap>().start();
        assert_eq!(started.is_ok(), accepted, "{name:?}");
        let applier = Applier::builder(server.client(), &maps, &*name).build();
        assert_eq!(applier.is_ok(), accepted, "{name:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn finalizers_are_those_that_the_server_takes() {
    async fn added<K>(client: Client, object: &K, name: &str) -> bool
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::de::DeserializeOwned,
    {
        let reconcile = |_: Finalize<K>| async { Ok::<_, BoxError>(Action::done()) };
        let api = Api::<K>::namespaced(client, "shop");
        match finalizer(&api, name, Arc::new(object.clone()), reconcile).await {
            Ok(_) => true,
            Err(FinalizerError::InvalidName { .. }) => false,
            Err(error) => panic!("accepted, and refused by the server: {error}"),
        }
    }
    let server = server();
    for (n, name) in names().into_iter().enumerate() {
        let (client, own) = (server.client(), format!("a-{n}"));
        let finalizers = json!({"name": "b", "finalizers": [name]});
        let maps = Api::<ConfigMap>::namespaced(client.clone(), "shop");
        let accepted = takes(maps, json!({"metadata": finalizers})).await;
        let made = server.create(&map(&own, "1")).unwrap();
        assert_eq!(added(client.clone(), &made, &name).await, accepted, "{name:?}");

        let gears = Api::<Gear>::namespaced(client.clone(), "shop");
        let accepted = takes(
            gears,
            json!({
                "apiVersion": "example.com/v1", "kind": "Gear", "metadata": finalizers, "spec": {},
            }),
        );
        let accepted = accepted.await;
        let gear = Gear { metadata: metadata("shop", &own), spec: GearSpec {} };
        let gear = server.create(&gear).unwrap();
        assert_eq!(added(client, &gear, &name).await, accepted, "{name:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn specs_take_namespaces_and_selectors_of_the_server() {
    let server = server();
    let spec = InformerSpec::<ConfigMap>::new;
    let list = async |params: ListParams| {
        let listed = Api::<ConfigMap>::namespaced(server.client(), "shop").list(&params).await;
        // That a kind selects by no such field is no problem of the syntax.
        let is_of_field = |error: kube::Error| error.to_string().contains("field selector: only");
        listed.map(drop).or_else(|error| is_of_field(error).then_some(()).ok_or(())).is_ok()
    };
    for name in names() {
        let factory = factory(&server);
        let namespace = json!({"metadata": {"name": name}});
        let accepted = takes(Api::<Namespace>::all(server.client()), namespace).await;
        let made = factory.informer_with(spec().namespace(&*name));
        assert_eq!(made.is_ok(), accepted, "{name:?}");
        let (accepted, parsed) =
            (list(ListParams::default().labels(&name)).await, name.parse::<LabelSelector>());
        assert_eq!(
            (parsed.is_ok(), factory.informer_with(spec().labels(&*name)).is_ok()),
            (accepted, accepted),
            "{name:?}"
        );
        for selector in [
            format!("metadata.name={name}"),
            format!("metadata.name!={name},"),
            format!(",metadata.name=={name},metadata.namespace=a\\\\{name}"),
        ] {
            let accepted = list(ListParams::default().fields(&selector)).await;
            let made = factory.informer_with(spec().fields(&*selector));
            assert_eq!(made.is_ok(), accepted, "{selector:?}");
        }
    }
    let refused = factory(&server).informer_with(spec().fields("metadata.name"));
    assert!(matches!(refused, Err(SpecError::Fields { .. })));
}

/// A path with `?` or `#` would lose the selectors after it.
#[tokio::test(start_paused = true)]
async fn names_of_resources_cannot_change_the_path() {
    let server = server();
    let client = server.client();
    let objects = factory(&server).dynamic(&ApiResource::erase::<ConfigMap>(&()));
    for odd in ["x#", "x?y", "x y", "x/y", "x%23", "X", "é", ".."] {
        let set: [fn(&mut ApiResource, &str); 5] = [
            |resource, odd| resource.plural = odd.into(),
            |resource, odd| resource.version = odd.into(),
            |resource, odd| resource.group = odd.into(),
            |resource, odd| resource.api_version = odd.replace('/', "?"),
            |resource, odd| resource.api_version = format!("{odd}/v1"),
        ];
        for set in set {
            let mut resource = ApiResource::erase::<ConfigMap>(&());
            set(&mut resource, odd);
            let spec = InformerSpec::new().namespace("shop").labels("x=a");
            let refused = factory(&server).dynamic_with(&resource, spec);
            assert!(matches!(refused, Err(SpecError::Name(_))), "{resource:?}");
            let started = factory(&server).dynamic(&resource).start();
            assert!(matches!(started, Err(StartError::InvalidName(_))), "{resource:?}");
            let source = ApiSource::dynamic(client.clone(), resource.clone());
            let listed = source.list(&ListQuery::default(), &ListHints::default()).await;
            let Err(refused) = listed else { panic!("{resource:?}") };
            assert!(matches!(refused.fault(), Fault::Request(_)), "{refused}");
            let applier =
                Applier::builder_with(client.clone(), &objects, "site", &resource).build();
            assert!(matches!(applier, Err(ApplierError::Name(_))));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn empty_namespace_is_refused_at_the_start() {
    let server = server();
    let with = SharedInformerFactory::builder(server.client()).namespace("").build();
    let maps = with.informer::<ConfigMap>();
    let Err(StartError::InvalidName(invalid)) = with.start() else { panic!("it started") };
    assert_eq!(invalid.rule, NameRule::Label);
    assert!(invalid.to_string().starts_with("the namespace \"\" "), "{invalid}");
    assert_eq!(maps.start(), Err(StartError::InvalidName(invalid)));
    let group = factory(&server).in_namespaces::<ConfigMap>(["shop", "a/b"]);
    assert!(matches!(group.start(), Err(StartError::InvalidName(_))));
}

#[tokio::test(start_paused = true)]
async fn keys_of_kubeconfigs_are_those_that_secrets_have() {
    let server = server();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let secrets = || KubeconfigSecrets::new(&factory, "shop", "cluster=true").unwrap();
    for key in names() {
        let secret = json!({"metadata": {"name": "a"}, "data": {&*key: ""}});
        let taken = takes(Api::<Secret>::namespaced(server.client(), "shop"), secret).await;
        assert_eq!(secrets().key(key.clone()).is_ok(), taken, "{key:?}");
    }
    let refused = secrets().key("..").unwrap_err().to_string();
    assert!(refused.starts_with(r#"the key of the kubeconfig ".." must be a key"#), "{refused}");
    factory.shutdown().await;
}

/// A second `limit` or `watch` would make other requests than the informer knows of.
#[tokio::test(start_paused = true)]
async fn parameters_that_informers_set_are_refused() {
    let server = server();
    for name in
        ["watch", "limit", "continue", "resourceVersion", "labelSelector", "shardSelector", ""]
    {
        let before = server.requests().len();
        let factory = SharedInformerFactory::builder(server.client()).param(name, "1").build();
        factory.informer::<ConfigMap>();
        let refused = factory.start().unwrap_err();
        let StartError::InvalidName(invalid) = &refused else { panic!("{refused}") };
        assert_eq!(invalid.rule, NameRule::Parameter);
        let source = ApiSource::<ConfigMap>::new(server.client()).param(name, "1");
        let listed = source.list(&ListQuery::default(), &ListHints::none()).await;
        assert!(matches!(listed.err().unwrap().fault(), Fault::Request(_)), "{name}");
        assert_eq!(server.requests().len(), before, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn key_that_no_object_has_is_absent() {
    let server = server();
    let maps = factory(&server).referenced::<ConfigMap>();
    let key = ObjectKey::namespaced("No Namespace", "a").unwrap();
    let _reference = maps.reference(key.clone());
    maps.start().unwrap();
    maps.wait_for_sync(S).await.unwrap();
    let missing = maps.get_by_key(&key).unwrap_err();
    assert_eq!(missing.store, kube_informer::lister::StoreState::Synced);
}

#[tokio::test(start_paused = true)]
async fn finalizer_refuses_the_api_of_another_namespace() {
    let server = server();
    let made = Arc::new(server.create(&map("a", "1")).unwrap());
    for namespace in ["", "bank"] {
        let api = Api::<ConfigMap>::namespaced(server.client(), namespace);
        let reconcile = |_: Finalize<ConfigMap>| async { Ok::<_, BoxError>(Action::done()) };
        let refused = finalizer(&api, "example.com/a", made.clone(), reconcile).await;
        assert!(matches!(refused, Err(FinalizerError::WrongNamespace(of)) if of == key("a")));
    }
}

/// A role may have almost any name, which `kube` writes into paths as it is.
#[tokio::test(start_paused = true)]
async fn odd_names_of_objects_stay_whole_in_paths() {
    let server = server();
    let roles = factory(&server).informer::<ClusterRole>();
    let applier = Applier::builder(server.client(), &roles, "site").build().unwrap();
    for name in names() {
        let object = ClusterRole {
            metadata: ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() },
            ..ClusterRole::default()
        };
        let body = json!({"metadata": object.metadata});
        let accepted = takes(Api::<ClusterRole>::all(server.client()), body).await;
        match applier.apply(&object).await {
            Ok(done) => {
                assert_eq!(done.object().metadata.name.as_ref(), Some(&name));
                assert!(accepted, "{name:?}");
            }
            Err(ApplyError::NoKey { .. } | ApplyError::InvalidName { .. }) => {
                assert!(!accepted, "{name:?}");
            }
            Err(error) => panic!("{name:?}: {error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn event_without_reason_or_namespace_is_published() {
    let server = server();
    let recorder = EventRecorder::new(server.client(), "site").unwrap();
    let mut odd = map("a", "1");
    odd.metadata.namespace = Some(String::new());
    recorder.normal(&odd, "", "");
    odd.metadata.namespace = Some("../shop".into());
    recorder.normal(&odd, "Made", "");
    assert!(recorder.flush(S).await);
    let status = recorder.status();
    assert_eq!((status.published, status.failed, status.waiting), (1, 1, 0));
    let events = Api::<Event>::all(server.client()).list(&ListParams::default()).await.unwrap();
    assert_eq!(events.items[0].reason.as_deref(), Some("Unspecified"));
}
