use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};

use super::*;
use crate::controller::Controller;
use crate::sharding::ShardBy;
use crate::writing::EventRecorder;
use crate::{Action, LeaderElector, Manager};
use kube_informer::ObjectKey;
use kube_informer::factory::{InformerSpec, SharedInformerFactory};
use kube_informer::informer::InformerOptions;
use kube_informer::testing::ApiServer;
use kube_informer::transport::ApiSource;
use kube_informer::warm::{TableName, WarmError, WarmStore, WarmTable};

/// Returns each rule as `verbs resource.group[name] in namespace`.
fn lines(rbac: &Rbac) -> Vec<String> {
    let line = |(namespace, rule): (Option<Arc<str>>, PolicyRule)| {
        let (groups, resources) = (rule.api_groups.unwrap(), rule.resources.unwrap());
        let names = rule.resource_names.map_or(String::new(), |names| format!("{names:?}"));
        let place = namespace.map_or(String::new(), |namespace| format!(" in {namespace}"));
        let verbs = rule.verbs.join(",");
        format!("{verbs} {}.{}{names}{place}", resources.join(","), groups.join(","))
    };
    rbac.rules().into_iter().map(line).collect()
}

fn factory() -> SharedInformerFactory {
    SharedInformerFactory::builder(ApiServer::new().client()).build()
}

async fn nothing<T>(_: T) -> Result<Action, kube::Error> {
    Ok(Action::done())
}

#[tokio::test]
async fn informers_list_and_watch_where_they_look() {
    let (factory, other) = (factory(), factory());
    factory.informer::<Node>();
    factory.in_namespaces::<ConfigMap>(["shop", "bank"]);
    let secrets = other.informer_with(InformerSpec::<Secret>::new().namespace("shop")).unwrap();
    let controller = Controller::builder("secrets", &secrets).build();
    let manager = Manager::builder(&factory).controller(controller, nothing);
    assert_eq!(
        lines(&manager.rbac()),
        [
            "list,watch nodes.",
            "list,watch configmaps. in bank",
            "list,watch configmaps. in shop",
            "list,watch secrets. in shop",
        ]
    );
}

#[tokio::test]
async fn informer_of_one_name_reads_only_that() {
    let factory = factory();
    for fields in ["metadata.name=ca", "metadata.name=ca,type=Opaque"] {
        let spec = InformerSpec::<Secret>::new().namespace("shop").fields(fields);
        factory.informer_with(spec).unwrap();
    }
    let rbac = Manager::builder(&factory).rbac();
    let named = r#"list,watch secrets.["ca"] in shop"#;
    assert_eq!(lines(&rbac), ["list,watch secrets. in shop", named]);

    // Also if it belongs to another factory, or to none.
    let other = self::factory();
    let map = InformerSpec::<ConfigMap>::new().namespace("shop").fields("metadata.name=map");
    let map = other.informer_with(map).unwrap();
    let source = ApiSource::new(ApiServer::new().client()).fields("metadata.name=a");
    let node = SharedInformer::<Node>::new(Arc::new(source), InformerOptions::new());
    let maps = Controller::builder("maps", &map).watches(&node, |_| None).build();
    let rbac = Manager::builder(&self::factory()).controller(maps, nothing).rbac();
    let lines = lines(&rbac);
    assert_eq!(lines, [r#"list,watch nodes.["a"]"#, r#"list,watch configmaps.["map"] in shop"#]);
}

#[tokio::test]
async fn writes_need_what_was_declared() {
    let factory = factory();
    let maps = factory.in_namespaces::<ConfigMap>(["shop"]);
    let deployments = factory.informer::<Deployment>();
    let needs = Rbac::new()
        .applies(&maps)
        .finalizes(&deployments)
        .applies_status(&deployments)
        .allows(&deployments, ["impersonate", "delete"])
        .allows_on("deployments.apps/scale", Some("shop"), ["patch"]);
    let manager = Manager::builder(&factory).needs(Rbac::new().applies(&maps)).needs(needs);
    assert_eq!(
        lines(&manager.rbac()),
        [
            "get,list,watch,patch,delete,impersonate deployments.apps",
            "patch deployments/status.apps",
            "list,watch,create,patch configmaps. in shop",
            "patch deployments/scale.apps in shop",
        ]
    );
}

#[tokio::test]
async fn owners_of_followed_objects_may_block_their_deletion() {
    let factory = factory();
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let owner = Controller::builder("owner", &maps).owns(&secrets).build();
    let reader = Controller::builder("reader", &secrets).build();
    let manager = Manager::builder(&factory).controller(owner, nothing);
    let manager = manager.controller_on_every_replica(reader, nothing);
    assert_eq!(
        lines(&manager.rbac()),
        ["list,watch configmaps.", "update configmaps/finalizers.", "list,watch secrets."]
    );
}

#[tokio::test]
async fn owners_that_come_and_go_may_block_deletions_too() {
    let (factory, other) = (factory(), factory());
    let secrets = factory.informer::<Secret>();
    let selected = factory.in_namespaces_where("tenant=true", InformerSpec::<Deployment>::new());
    let set = Controller::builder("set", &selected.unwrap()).owns(&secrets).build();
    let base = Controller::builder("base", other.in_namespaces::<ConfigMap>(["shop"]));
    let base = base.owns(&secrets).build();
    let added = base.following().reconciles(other.in_namespaces::<ConfigMap>(["bank"])).unwrap();
    let manager = Manager::builder(&factory).controller(set, nothing).controller(base, nothing);
    let lines = lines(&manager.rbac());
    let finalizers: Vec<_> = lines.iter().filter(|line| line.contains("/finalizers")).collect();
    assert_eq!(
        finalizers,
        [
            "update deployments/finalizers.apps",
            "update configmaps/finalizers. in bank",
            "update configmaps/finalizers. in shop",
        ]
    );
    drop(added);
}

#[tokio::test]
async fn election_names_its_lease() {
    let factory = factory();
    let elector = LeaderElector::builder(factory.client().clone(), "shop", "rollout");
    let manager = Manager::builder(&factory).leader_election(elector.build().unwrap());
    assert_eq!(
        lines(&manager.rbac()),
        [
            "create leases.coordination.k8s.io in shop",
            r#"get,update leases.coordination.k8s.io["rollout"] in shop"#,
        ]
    );
}

#[tokio::test]
async fn sharding_needs_all_leases_of_its_namespace() {
    let factory = factory();
    let sharding =
        Sharding::builder(factory.client().clone(), "shop", "rollouts", ShardBy::Uid).build();
    let sharding = sharding.unwrap();
    let spec = InformerSpec::<ConfigMap>::new().shard(sharding.objects());
    let maps = factory.informer_with(spec).unwrap();
    let controller = Controller::builder("maps", &maps).sharded(&sharding).build();
    let manager = Manager::builder(&factory).controller(controller, nothing);
    assert_eq!(
        lines(&manager.rbac()),
        [
            "list,watch configmaps.",
            "get,list,watch,create,update,delete leases.coordination.k8s.io in shop",
        ]
    );
}

#[tokio::test]
async fn events_are_where_the_objects_are() {
    let factory = factory();
    factory.in_namespaces::<ConfigMap>(["shop"]);
    let events = EventRecorder::new(factory.client().clone(), "shopkeeper").unwrap();
    let of = |factory| Manager::builder(factory).events(events.clone()).rbac();
    let in_shop = ["list,watch configmaps. in shop", "create,patch events.events.k8s.io in shop"];
    assert_eq!(lines(&of(&factory)), in_shop);
    factory.informer::<Node>();
    assert!(lines(&of(&factory)).contains(&"create,patch events.events.k8s.io".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn sets_read_what_is_known_at_run_time() {
    let factory = factory();
    let secrets = factory.referenced::<Secret>().by_namespace();
    let nodes = factory.referenced::<Node>();
    let maps =
        factory.in_namespaces_where("tenant=true", InformerSpec::<ConfigMap>::new()).unwrap();
    let manager = Manager::builder(&factory).needs(Rbac::new().allows_on("secrets", None, ["get"]));
    let rules = [
        "list,watch configmaps.",
        "list,watch namespaces.",
        "list,watch nodes.",
        "get,list,watch secrets.",
    ];
    assert_eq!(lines(&manager.rbac()), rules);
    // The members that exist need nothing more.
    let own = secrets.reference(ObjectKey::namespaced("shop", "tls").unwrap());
    secrets.start().unwrap();
    tokio::time::timeout(Duration::from_secs(9), secrets.wait_for_sync(Duration::from_secs(9)))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(factory.informers().len(), 2);
    assert_eq!(lines(&manager.rbac()), rules);
    let yaml = manager.rbac().objects("reader", "tools").to_string();
    let commented = "\
rules:
  # the namespaces are selected at run time; Roles in those suffice
  - { apiGroups: [\"\"], resources: [configmaps], verbs: [list, watch] }
  - { apiGroups: [\"\"], resources: [namespaces], verbs: [list, watch] }
  # the names are referenced at run time; a rule with those in resourceNames suffices
  - { apiGroups: [\"\"], resources: [nodes], verbs: [list, watch] }
  # the objects are referenced at run time; Roles in their namespaces suffice
  - { apiGroups: [\"\"], resources: [secrets], verbs: [get, list, watch] }
---
";
    assert!(yaml.contains(commented), "{yaml}");
    drop((own, secrets, nodes, maps));
    assert_eq!(lines(&manager.rbac()), ["get secrets."]);
}

#[tokio::test]
async fn kinds_read_every_resource_and_its_definition() {
    let factory = factory();
    let kinds = factory.kinds(|kind| kind.group == "example.com");
    let manager = Manager::builder(&factory);
    assert_eq!(
        lines(&manager.rbac()),
        ["list,watch *.*", "list,watch customresourcedefinitions.apiextensions.k8s.io"]
    );
    let yaml = manager.rbac().objects("reader", "tools").to_string();
    let commented = r#"  # the kinds are selected at run time; rules for those and for apiservices suffice
  - { apiGroups: ["*"], resources: ["*"], verbs: [list, watch] }
"#;
    assert!(yaml.contains(commented), "{yaml}");
    drop(kinds);
}

/// A store of kept objects with this mark of the cluster, if any.
struct Marked(Option<&'static str>);

impl WarmStore for Marked {
    fn open(&self, _: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError> {
        Ok(None)
    }

    fn cluster(&self) -> Option<Arc<str>> {
        self.0.map(Arc::from)
    }
}

#[tokio::test]
async fn kept_objects_need_the_mark_of_their_cluster() {
    let of = |mark| {
        let factory = SharedInformerFactory::builder(ApiServer::new().client()).warm(Marked(mark));
        let factory = factory.build();
        factory.in_namespaces::<ConfigMap>(["shop"]);
        let events = EventRecorder::new(factory.client().clone(), "shopkeeper").unwrap();
        lines(&Manager::builder(&factory).events(events).rbac())
    };
    let in_shop = ["list,watch configmaps. in shop", "create,patch events.events.k8s.io in shop"];
    assert_eq!(of(Some("east")), in_shop);
    let uid = r#"get namespaces.["kube-system"]"#;
    assert_eq!(of(None), [uid, in_shop[0], in_shop[1]]);
}

#[tokio::test]
async fn events_of_sets_are_anywhere() {
    let factory = factory();
    factory.in_namespaces::<ConfigMap>(["shop"]);
    let _secrets = factory.referenced::<Secret>();
    let events = EventRecorder::new(factory.client().clone(), "shopkeeper").unwrap();
    let rbac = Manager::builder(&factory).events(events).rbac();
    assert!(lines(&rbac).contains(&"create,patch events.events.k8s.io".to_owned()));
}
