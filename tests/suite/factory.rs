//! The whole way, from an ordinary `kube::Client` to listers and handlers, against the embedded
//! API server.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Container, Node, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::{Api, DynamicObject, ObjectMeta, Patch, PatchParams};
use kube::core::{ApiResource, PartialObjectMeta};
use kube::{CustomResource, Resource, ResourceExt};
use kube_informer::informer::StartError;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use kube_informer::{Event, InformerSpec, LabelSelector, SharedInformer, SharedInformerFactory};
use serde::{Deserialize, Serialize};

use crate::helpers::{caught_up, factory, forbid, list_mode, metadata, spawn};

const SOON: Duration = Duration::from_secs(30);

fn meta(namespace: &str, name: &str) -> ObjectMeta {
    let labels = Some([("app".into(), name.into())].into());
    ObjectMeta { labels, ..metadata(namespace, name) }
}

fn pod(namespace: &str, name: &str, node: &str) -> Pod {
    let container = Container { name: "c".into(), image: Some("i".into()), ..Container::default() };
    let node_name = Some(node.into());
    let spec = PodSpec { node_name, containers: vec![container], ..PodSpec::default() };
    Pod { metadata: meta(namespace, name), spec: Some(spec), ..Pod::default() }
}

fn server() -> ApiServer {
    let server = ApiServer::new();
    for (namespace, name, node) in
        [("shop", "web", "n1"), ("shop", "db", "n2"), ("bank", "web", "n1")]
    {
        server.create(&pod(namespace, name, node)).unwrap();
    }
    server
}

#[tokio::test(start_paused = true)]
async fn objects_are_read_by_key_index_and_label() {
    let server = server();
    let factory = factory(&server);
    let pods = factory.informer::<Pod>();
    let by_node = pods.add_index("node", |p: &Pod| p.spec.as_ref()?.node_name.clone()).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let lister = pods.lister();
    assert!(lister.namespace("shop").get("web").is_ok());
    assert_eq!(lister.namespace("bank").all().len(), 1);
    let web: LabelSelector = "app=web".parse().unwrap();
    assert_eq!(lister.list(&web).len(), 2);
    let keys = by_node.keys("n1").iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(keys, ["bank/web", "shop/web"]);
    let missing = lister.namespace("shop").get("absent").unwrap_err();
    assert_eq!(missing.to_string(), "pods \"shop\"/\"absent\" not found");
    let lists = server.requests().len();
    server.create(&pod("bank", "db", "n1")).unwrap();
    caught_up(&server, &pods).await;
    assert_eq!(by_node.len("n1"), 3);
    assert_eq!(server.requests().len(), lists, "nothing was asked but the watch");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_the_same_gets_the_same() {
    let server = server();
    let factory = factory(&server);
    let (one, two) = (factory.informer::<Pod>(), factory.informer::<Pod>());
    one.add_index("i", |_: &Pod| ["x"]).unwrap();
    assert!(two.add_index("i", |_: &Pod| ["x"]).is_err());
    let shop = factory.informer_with(InformerSpec::<Pod>::new().namespace("shop")).unwrap();
    let web = factory.informer_with(InformerSpec::<Pod>::new().labels("app=web")).unwrap();
    let n2 = factory.informer_with(InformerSpec::<Pod>::new().fields("spec.nodeName=n2")).unwrap();
    factory.start().unwrap();
    let late = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert!(late.has_synced());
    let counts = [&one, &two, &shop, &web, &n2].map(|informer| informer.lister().len());
    assert_eq!(counts, [3, 3, 2, 2, 1]);
    let watches = server.requests().iter().filter(|request| request.watch).count();
    assert_eq!(watches, 5);
    one.shutdown().await;
    assert_eq!(two.start(), Err(StartError::Stopped));
    let again = factory.informer::<Pod>();
    factory.start().unwrap();
    again.wait_for_sync(SOON).await.unwrap();
    factory.shutdown().await;
    assert!(again.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn a_factorys_namespace_narrows_what_has_one() {
    let server = server();
    let node = Node {
        metadata: ObjectMeta { name: Some("n1".into()), ..ObjectMeta::default() },
        ..Node::default()
    };
    server.create(&node).unwrap();
    let factory = SharedInformerFactory::builder(server.client()).namespace("shop").build();
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert_eq!((pods.lister().len(), nodes.lister().len()), (2, 1));
    assert!(nodes.lister().get("n1").is_ok());
    factory.shutdown().await;
}

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, schemars::JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {
    size: i32,
}

/// Keeps of a pod what somebody needs.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Pod)]
struct SlimPod {
    metadata: ObjectMeta,
    spec: SlimSpec,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SlimSpec {
    node_name: String,
}

#[tokio::test(start_paused = true)]
async fn typed_custom_dynamic_partial_and_slim_objects() {
    let server = server();
    server.register(ResourceType::of::<Widget>());
    let mut widget = Widget::new("w", WidgetSpec { size: 7 });
    widget.metadata.namespace = Some("shop".into());
    server.create(&widget).unwrap();
    let factory = factory(&server);
    let widgets = factory.informer::<Widget>();
    let dynamic = factory.dynamic(&ApiResource::erase::<Pod>(&()));
    let partial = factory.informer::<PartialObjectMeta<Pod>>();
    let slim = factory.informer::<SlimPod>();
    let spec = InformerSpec::<Pod>::new().transform(|pod| pod.spec = None);
    let bare = factory.informer_with(spec).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    assert_eq!(widgets.lister().namespace("shop").get("w").unwrap().spec.size, 7);
    let found: Arc<DynamicObject> = dynamic.lister().namespace("shop").get("web").unwrap();
    assert_eq!(found.types.as_ref().unwrap().kind, "Pod");
    assert_eq!(found.data["spec"]["nodeName"], "n1");
    assert_eq!(partial.lister().namespace("shop").get("db").unwrap().labels()["app"], "db");
    assert_eq!(slim.lister().namespace("shop").get("db").unwrap().spec.node_name, "n2");
    assert!(bare.lister().all().iter().all(|pod| pod.spec.is_none()));
    server.create(&pod("shop", "new", "n9")).unwrap();
    caught_up(&server, &slim).await;
    caught_up(&server, &partial).await;
    assert_eq!(slim.lister().len() + partial.lister().len(), 8);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn dynamic_metadata_requests_nothing_else() {
    let server = server();
    let factory = factory(&server);
    let resource = ApiResource::erase::<Pod>(&());
    let all = factory.dynamic_metadata(&resource);
    let shop = factory
        .dynamic_metadata_with(&resource, InformerSpec::new().namespace("shop").labels("app=web"))
        .unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let web = all.lister().namespace("bank").get("web").unwrap();
    assert_eq!((web.labels()["app"].as_str(), web.metadata.managed_fields.as_ref()), ("web", None));
    assert_eq!((all.lister().len(), shop.lister().len()), (3, 1));
    assert_eq!(&*all.collection().resource, "pods");
    let again = factory.dynamic_metadata(&resource);
    again.add_index("i", |_| ["x"]).unwrap();
    assert!(all.add_index("i", |_| ["x"]).is_err(), "the same informer");
    server.create(&pod("shop", "new", "n9")).unwrap();
    caught_up(&server, &all).await;
    assert!(all.lister().namespace("shop").get("new").is_ok());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_left_out_unless_asked_for() {
    let server = server();
    let mut applied = pod("shop", "web", "n1");
    applied.metadata.labels = None;
    let patch = Patch::Apply(&applied);
    let pods: Api<Pod> = Api::namespaced(server.client(), "shop");
    let owner = PatchParams::apply("owner").force();
    let applied = pods.patch("web", &owner, &patch).await.unwrap();
    assert!(applied.metadata.managed_fields.is_some(), "or nothing can be left out");

    let other = PatchParams::apply("other").force();
    let mut labelled = applied.clone();
    labelled.metadata.managed_fields = None;
    labelled.metadata.labels = Some([("tier".into(), "web".into())].into());
    let applied = pods.patch("web", &other, &Patch::Apply(&labelled)).await.unwrap();
    let all = applied.metadata.managed_fields.clone().unwrap();
    assert!(all.len() > 1, "or one manager's cannot be told from all");
    let owners = all.iter().filter(|entry| entry.manager.as_deref() == Some("owner"));
    let owners: Vec<_> = owners.cloned().collect();

    for (by_default, asked, kept) in [
        (None, None, None),
        (Some(true), None, Some(&all)),
        (Some(false), None, None),
        (Some(true), Some(false), None),
        (Some(false), Some(true), Some(&all)),
    ] {
        let mut factory = SharedInformerFactory::builder(server.client());
        if let Some(keep) = by_default {
            factory = factory.managed_fields(keep);
        }
        let (mut pods, mut objects) = (InformerSpec::new(), InformerSpec::new());
        if let Some(keep) = asked {
            (pods, objects) = (pods.managed_fields(keep), objects.managed_fields(keep));
        }
        let name = format!("{by_default:?} {asked:?}");
        shows_managed_fields(&factory.build(), (pods, objects), &applied, kept, &name).await;
    }
    for (manager, kept) in [("owner", Some(&owners)), ("nobody", None)] {
        let factory = SharedInformerFactory::builder(server.client()).build();
        let specs = (
            InformerSpec::new().managed_fields_of(manager),
            InformerSpec::new().managed_fields_of(manager),
        );
        shows_managed_fields(&factory, specs, &applied, kept, manager).await;
        let factory = SharedInformerFactory::builder(server.client()).managed_fields_of(manager);
        let specs = (InformerSpec::new(), InformerSpec::new());
        shows_managed_fields(&factory.build(), specs, &applied, kept, manager).await;
    }
}

/// Checks the managed fields of an applied pod in a typed and a dynamic informer.
async fn shows_managed_fields(
    factory: &SharedInformerFactory,
    (pods, objects): (InformerSpec<Pod>, InformerSpec<DynamicObject>),
    applied: &Pod,
    kept: Option<&Vec<ManagedFieldsEntry>>,
    name: &str,
) {
    let typed = factory.informer_with::<Pod>(pods).unwrap();
    let dynamic = factory.dynamic_with(&ApiResource::erase::<Pod>(&()), objects).unwrap();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let typed = typed.lister().namespace("shop").get("web").unwrap();
    let dynamic = dynamic.lister().namespace("shop").get("web").unwrap();
    let expected = ObjectMeta { managed_fields: kept.cloned(), ..applied.metadata.clone() };
    assert_eq!(typed.metadata, expected, "{name}");
    assert_eq!(dynamic.metadata, expected, "{name}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn wait_names_missing_permissions_and_types() {
    let server = server();
    forbid(&server, "pods");
    let factory = factory(&server);
    let (pods, widgets) = (factory.informer::<Pod>(), factory.informer::<Widget>());
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(Duration::from_secs(10)).await.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.unsynced.len(), 2, "{text}");
    assert!(text.contains("list pods: 403 Forbidden: pods is forbidden"), "{text}");
    assert!(text.contains("list widgets.example.com: 404: 404 page not found"), "{text}");
    assert!(maps.has_synced());
    server.stop_intercepting();
    server.register(ResourceType::of::<Widget>());
    factory.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    assert!(pods.has_synced() && widgets.has_synced());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn wait_names_a_refused_selector() {
    let server = server();
    let factory = factory(&server);
    let _pods = factory.informer_with(InformerSpec::<Pod>::new().fields("spec.bogus=1")).unwrap();
    factory.start().unwrap();
    let text = factory.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(text.contains("400 BadRequest: field label not supported: spec.bogus"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn deletes_behind_a_compaction_are_reported() {
    for streaming in [false, true] {
        let server = server();
        let builder = SharedInformerFactory::builder(server.client());
        let factory = builder.list_mode(list_mode(streaming)).on_error(|_| {}).build();
        let pods = factory.informer::<Pod>();
        let mut events = pods.events().unwrap();
        factory.start().unwrap();
        factory.wait_for_sync(SOON).await.unwrap();
        server.drop_connections();
        server.delete(&pod("shop", "web", "")).unwrap();
        server.compact();
        caught_up(&server, &pods).await;
        let mut told = Vec::new();
        while told.len() < 4 {
            told.push(events.next().await.unwrap());
        }
        let Event::Deleted { object, final_state_known: false } = &told[3] else {
            panic!("{:?}", told[3])
        };
        assert_eq!(object.name_any(), "web");
        assert_eq!(pods.lister().len(), 2);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn removed_type_is_followed_when_it_returns() {
    let server = server();
    let widgets = ResourceType::of::<Widget>();
    server.register(widgets.clone());
    let create = || {
        let mut widget = Widget::new("w", WidgetSpec { size: 1 });
        widget.metadata.namespace = Some("shop".into());
        server.create(&widget).unwrap();
    };
    create();
    let factory = factory(&server);
    let informer = factory.informer::<Widget>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    for _ in 0..20 {
        server.unregister(&widgets);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(informer.lister().is_empty());
        server.register(widgets.clone());
        create();
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(informer.lister().len(), 1);
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_tells_how_far_it_is() {
    let server = ApiServer::builder().watch_cache(false).build();
    for n in 0..25 {
        server.create(&pod("shop", &format!("p{n}"), "n")).unwrap();
    }
    let faraway = server.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let server = faraway.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok::<_, std::convert::Infallible>(server.handle(request).await)
        }
    });
    let client = kube::Client::new(service, "default");
    let factory = SharedInformerFactory::builder(client).page_size(10).build();
    let pods = factory.informer::<Pod>();
    let monitor = pods.clone();
    let progress = spawn(async move {
        let mut seen = Vec::new();
        while !monitor.has_synced() {
            seen.push(monitor.status().reflector.state);
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        seen
    });
    factory.start().unwrap();
    factory.wait_for_sync(Duration::from_secs(600)).await.unwrap();
    let seen = progress.await.unwrap();
    let (pages, loaded, total) = (1, 10, Some(25));
    let listing = kube_informer::reflector::ReflectorState::Listing { pages, loaded, total };
    assert!(seen.contains(&listing), "{:?}", &seen[..seen.len().min(20)]);
    factory.shutdown().await;
}

#[test]
fn everything_public_can_cross_threads() {
    fn check<T: Send + Sync + std::fmt::Debug>() {}
    check::<SharedInformerFactory>();
    check::<SharedInformer<Pod>>();
    check::<kube_informer::Indexer<Pod>>();
    check::<kube_informer::Index<Pod>>();
    check::<kube_informer::Snapshot<Pod>>();
    check::<kube_informer::Lister<Pod>>();
    check::<kube_informer::lister::NamespaceLister<Pod>>();
    check::<kube_informer::processor::EventStream<Pod>>();
    check::<kube_informer::HandlerRegistration>();
    check::<kube_informer::factory::FactoryStatus>();
    check::<kube_informer::SyncError>();
    check::<kube_informer::SourceError>();
    check::<kube_informer::Event<Pod>>();
    check::<ApiServer>();
}
