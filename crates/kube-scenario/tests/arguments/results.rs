//! Results of user code: keys, objects, numbers, clients and shards that nobody means.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::Request;
use http_body_util::{BodyExt, Full};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::api::{DynamicObject, ObjectMeta};
use kube::core::GroupVersionKind;
use kube::{Client, CustomResource};
use kube_controllers::clusters::{ClusterConfig, ClusterProvider, Clusters};
use kube_controllers::controller::{AssumeError, AssumedView};
use kube_controllers::{Action, Controller};
use kube_informer::object::{ShardKey, ShardSelector};
use kube_informer::testing::ApiServer;
use kube_informer::{
    Event, InformerSpec, ObjectKey, SharedInformer, SharedInformerFactory, SyncError,
};
use kube_webhooks::{Admission, Conversion, Hook, Operation, Webhooks};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::informer::{factory, map, server};
use crate::{S, run};

async fn synced(factory: &SharedInformerFactory) -> Result<(), SyncError> {
    factory.start().unwrap();
    factory.wait_for_sync(60 * S).await
}

fn node(name: &str) -> Node {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Node { metadata, ..Node::default() }
}

/// Asks a controller of these objects for each of the keys. Returns what it is told about them.
async fn told<K>(informer: &SharedInformer<K>, keys: &[ObjectKey]) -> Vec<String>
where
    K: kube::Resource + Send + Sync + 'static,
{
    let controller = Controller::builder("a", informer).build();
    let (handle, stop) = (controller.handle(), CancellationToken::new());
    let told = Arc::new(Mutex::new(BTreeMap::new()));
    let noted = told.clone();
    let running = tokio::spawn(controller.run(stop.clone(), move |request| {
        noted.lock().insert(request.key, format!("{:?}", request.object));
        async { Ok::<_, io::Error>(Action::done()) }
    }));
    sleep(60 * S).await;
    for key in keys {
        handle.trigger(key.clone());
    }
    sleep(S).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    keys.iter().map(|key| told.lock()[key].clone()).collect()
}

/// A mapping or a trigger forgot the namespace, or gave one to an object of the cluster. Such a key
/// says nothing about an object of that name, so no cleanup may run for it.
#[test]
fn key_that_no_object_can_have_is_not_gone() {
    let (bare, namespaced) =
        (ObjectKey::cluster("a").unwrap(), ObjectKey::namespaced("shop", "a").unwrap());
    let keys = [bare, namespaced];
    run(async {
        let server = ApiServer::new();
        let factory = SharedInformerFactory::builder(server.client()).build();
        let (maps, nodes) = (factory.informer::<ConfigMap>(), factory.informer::<Node>());
        synced(&factory).await.unwrap();
        assert_eq!(told(&maps, &keys).await, ["Gone", "Gone"], "there is none in any namespace");
        server.create(&map("a")).unwrap();
        server.create(&node("a")).unwrap();
        assert_eq!(told(&maps, &keys).await, ["Unknown(WrongScope)", "Present"]);
        assert_eq!(told(&nodes, &keys).await, ["Present", "Unknown(WrongScope)"]);
    });
}

/// An object without its uid would not be known again, and one of another name not be found.
#[test]
fn transform_leaves_what_an_object_is() {
    let changes: [fn(&mut ObjectMeta); 6] = [
        |meta| *meta = ObjectMeta::default(),
        |meta| meta.name = Some("other".into()),
        |meta| meta.namespace = Some("other".into()),
        |meta| meta.uid = Some("other".into()),
        |meta| meta.resource_version = Some("1".into()),
        |meta| meta.deletion_timestamp = None,
    ];
    for change in changes {
        run(async {
            let server = server();
            let factory = SharedInformerFactory::builder(server.client()).on_error(|_| {}).build();
            let spec = InformerSpec::new().transform(move |map: &mut ConfigMap| {
                change(&mut map.metadata);
                map.data = None;
            });
            let maps = factory.informer_with(spec).unwrap();
            let told = Arc::new(Mutex::new(String::new()));
            let noted = told.clone();
            let handler = maps.on_event(move |event| {
                noted.lock().push(match event {
                    Event::Added { .. } => '+',
                    Event::Deleted { .. } => '-',
                    _ => '~',
                });
            });
            synced(&factory).await.unwrap();
            // Another object of the name comes while nobody watches.
            server.drop_connections();
            server.delete(&map("a")).unwrap();
            let again = server.create(&map("a")).unwrap();
            server.compact();
            sleep(120 * S).await;
            let kept = maps.lister().namespace("shop").get("a").unwrap();
            let [kept, again] = [&*kept, &again].map(|map| {
                let meta = map.metadata.clone();
                (meta.name, meta.namespace, meta.uid, meta.resource_version)
            });
            assert_eq!(kept, again);
            assert_eq!(*told.lock(), "+-+");
            drop(handler);
        });
    }
}

/// The store would never show them.
#[test]
fn objects_that_the_informer_cannot_hold_are_not_assumed() {
    run(async {
        let factory = factory();
        let within = InformerSpec::<ConfigMap>::new().namespace("shop");
        let shop = factory.informer_with(within).unwrap();
        let (all, nodes) = (factory.informer::<ConfigMap>(), factory.informer::<Node>());
        synced(&factory).await.unwrap();
        let within = |namespace: Option<&str>| {
            let mut map = map("b");
            map.metadata.namespace = namespace.map(str::to_owned);
            map
        };
        let (shop, all) = (AssumedView::new(&shop), AssumedView::new(&all));
        for (view, namespace, held) in [
            (&all, None, false),
            (&all, Some(""), false),
            (&all, Some("bank"), true),
            (&shop, None, false),
            (&shop, Some("bank"), false),
            (&shop, Some("shop"), true),
        ] {
            let assumed = view.assume(within(namespace));
            assert_eq!(assumed.is_ok(), held, "{namespace:?}: {assumed:?}");
            assert!(held || matches!(assumed, Err(AssumeError::NotHeld { .. })));
            assert_eq!(view.snapshot().iter().count(), 1 + usize::from(held));
        }
        let nodes = AssumedView::new(&nodes);
        let mut odd = node("a");
        odd.metadata.namespace = Some("shop".into());
        assert!(nodes.assume(odd).is_err());
        nodes.assume(node("a")).unwrap();
    });
}

/// A provider of one cluster, which gets other clients.
struct Renewed(Vec<Client>);

impl ClusterProvider for Renewed {
    fn clusters(&self) -> BoxStream<'static, BTreeMap<Arc<str>, ClusterConfig>> {
        let clients = stream::iter(self.0.clone().into_iter().enumerate());
        let config = |(number, client)| async move {
            sleep(60 * S).await;
            let config = ClusterConfig::of_client(format!("{number}"), client);
            BTreeMap::from([("a".into(), config)])
        };
        clients.then(config).boxed()
    }
}

#[test]
fn other_client_of_a_cluster_is_used() {
    run(async {
        let servers = [server(), server()];
        let clients = servers.iter().map(ApiServer::client).collect();
        let clusters = Clusters::builder(Renewed(clients)).build();
        let stop = CancellationToken::new();
        let running = clusters.run(stop.clone(), |cluster| async move {
            let _maps = cluster.factory().informer::<ConfigMap>();
            cluster.factory().start().map_err(io::Error::other)?;
            cluster.stop().cancelled().await;
            Ok::<_, io::Error>(())
        });
        let ends = async {
            sleep(300 * S).await;
            stop.cancel();
        };
        futures::future::join(running, ends).await;
        assert!(servers.iter().all(|server| !server.requests().is_empty()));
    });
}

/// No part of such a shard was listed before.
#[test]
fn shard_by_another_key_is_another_shard() {
    let keys = [ShardKey::Namespace, ShardKey::Uid, ShardKey::ControllerUid, ShardKey::Name];
    let half = u64::MAX / 2;
    for seed in 0..20 {
        run(async {
            let mut rng = fastrand::Rng::with_seed(seed);
            let server = ApiServer::new();
            let factory = SharedInformerFactory::builder(server.client()).on_error(|_| {}).build();
            let first = ShardSelector::new(ShardKey::Uid, [0..=half]);
            let (shards, channel) = watch::channel(first);
            let maps = factory.informer_with(InformerSpec::<ConfigMap>::new().shard(channel));
            let maps = maps.unwrap();
            let told = Arc::new(Mutex::new(BTreeMap::new()));
            let noted = told.clone();
            let handler = maps.on_event(move |event| match event {
                Event::Added { object, .. } | Event::Updated { new: object, .. } => {
                    noted.lock().insert(object.metadata.name.clone(), true);
                }
                Event::MovedAway { object } => {
                    noted.lock().remove(&object.metadata.name);
                }
                Event::Deleted { .. } => panic!("nothing was deleted"),
            });
            synced(&factory).await.unwrap();
            for turn in 0..20 {
                let places = [0..=half, half + 1..=u64::MAX, 0..=u64::MAX];
                let places = places[rng.usize(..3)].clone();
                let shard = ShardSelector::new(keys[rng.usize(..4)], [places]);
                shards.send_replace(shard.clone());
                server.create(&map(&format!("map-{turn}"))).unwrap();
                sleep(S / 4).await;
                if rng.bool() {
                    continue;
                }
                sleep(60 * S).await;
                let selected = server.list::<ConfigMap>().unwrap().into_iter();
                let selected = selected.filter(|map| shard.selects(&map.metadata));
                let mut selected: Vec<_> = selected.map(|map| map.metadata.name).collect();
                selected.sort();
                let mut stored: Vec<_> =
                    maps.snapshot().iter().map(|(_, map)| map.metadata.name.clone()).collect();
                stored.sort();
                let told: Vec<_> = told.lock().keys().cloned().collect();
                assert_eq!(stored, selected, "seed {seed}, turn {turn}: {shard:?}");
                assert_eq!(told, selected, "seed {seed}, turn {turn}: {shard:?}");
            }
            drop(handler);
        });
    }
}

mod v1 {
    use super::*;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Gear", namespaced)]
    pub(super) struct GearSpec {
        pub(super) share: String,
    }
}

mod v2 {
    use super::*;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v2", kind = "Gear", namespaced)]
    pub(super) struct GearSpec {
        pub(super) share: Option<f64>,
    }
}

impl TryFrom<v1::Gear> for v2::Gear {
    type Error = std::num::ParseFloatError;

    fn try_from(old: v1::Gear) -> Result<Self, Self::Error> {
        let spec = v2::GearSpec { share: Some(old.spec.share.parse()?) };
        Ok(Self { metadata: old.metadata, spec })
    }
}

impl From<v2::Gear> for v1::Gear {
    fn from(new: v2::Gear) -> Self {
        let share = new.spec.share.unwrap_or_default().to_string();
        Self { metadata: new.metadata, spec: v1::GearSpec { share } }
    }
}

fn gear(version: &str, share: &Value) -> Value {
    json!({
        "apiVersion": format!("example.com/{version}"),
        "kind": "Gear",
        "metadata": { "name": "a", "namespace": "shop" },
        "spec": { "share": share },
    })
}

/// `serde_json` writes null for it, which would erase the member.
#[test]
fn number_that_json_lacks_is_no_answer_of_a_webhook() {
    let conversion = Conversion::<v1::Gear>::hub().version::<v2::Gear>();
    let converted = |share: &str| conversion.convert(gear("v1", &json!(share)), "example.com/v2");
    assert_eq!(converted("0.5").unwrap()["spec"]["share"], json!(0.5));
    let kind = json!({ "group": "example.com", "version": "v2", "kind": "Gear" });
    let resource = json!({ "group": "example.com", "version": "v2", "resource": "gears" });
    let review = json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u", "operation": "CREATE", "kind": kind, "resource": resource,
            "object": gear("v2", &json!(0.5)),
        },
    });
    for share in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.25] {
        let hook = Hook::mutate("/a", move |review: Admission<v2::Gear>| async move {
            let mut gear = review.into_object()?;
            gear.spec.share = Some(share);
            Ok(gear)
        });
        let webhooks = Webhooks::builder().hook(hook).build().unwrap();
        let (code, answer) = run(async {
            let body = Full::<bytes::Bytes>::from(review.to_string());
            let answer = webhooks.answer(Request::post("/a").body(body).unwrap()).await;
            let code = answer.status().as_u16();
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            (code, serde_json::from_slice::<Value>(&body).unwrap())
        });
        if share.is_finite() {
            let patch = answer["response"]["patch"].clone();
            let ByteString(patch) = serde_json::from_value(patch).unwrap();
            let patch: Value = serde_json::from_slice(&patch).unwrap();
            assert_eq!(patch[0]["value"], json!(share), "{patch}");
            continue;
        }
        assert_eq!(code, 500);
        assert!(answer["message"].as_str().unwrap().contains("NaN or infinite"), "{answer}");
        let refused = converted(&share.to_string()).unwrap_err().to_string();
        assert!(refused.contains("NaN or infinite"), "{refused}");
    }
}

/// A conversion is user code, too.
#[test]
fn result_of_a_conversion_is_what_servers_read() {
    fn label(it: &mut DynamicObject, value: &str) {
        it.metadata.labels.get_or_insert_default().insert("a".into(), value.into());
    }
    let convert = |change: fn(&mut DynamicObject)| {
        let hub = GroupVersionKind::gvk("example.com", "v1", "Gear");
        let conversion = Conversion::dynamic_hub(&hub, "gears").dynamic("v2", Ok, move |mut it| {
            change(&mut it);
            Ok(it)
        });
        conversion.convert(gear("v1", &json!(1)), "example.com/v2").map_err(|it| it.reason)
    };
    convert(|it| label(it, "b")).unwrap();
    convert(|it| it.data["spec"]["share"] = json!(i64::MAX)).unwrap();
    assert!(convert(|it| label(it, "b c")).unwrap_err().contains("takes the label \"a\""));
    let changed = convert(|it| it.data["spec"]["share"] = json!(u64::MAX)).unwrap_err();
    assert!(changed.contains("read it as another number"), "{changed}");
}

#[test]
fn closure_that_changes_only_deletes_is_refused() {
    let hook = || Hook::mutate("/a", async |review: Admission<Pod>| review.into_object());
    let built = |hook| Webhooks::builder().hook(hook).build().map(drop);
    let rule = |operation: &str| {
        let list = |one: &str| Some(vec![one.to_owned()]);
        hook().rules([RuleWithOperations {
            api_groups: list(""),
            api_versions: list("v1"),
            operations: list(operation),
            resources: list("pods"),
            scope: None,
        }])
    };
    for never_called in [hook().operations([Operation::Delete]), rule("DELETE")] {
        let refused = built(never_called).unwrap_err().to_string();
        assert!(refused.contains("a review of DELETE has none"), "{refused}");
    }
    for called in [Operation::Create, Operation::Connect] {
        built(hook().operations([Operation::Delete, called])).unwrap();
    }
    built(rule("*")).unwrap();
}
