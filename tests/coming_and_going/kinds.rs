//! A set of informers follows the kinds that the server serves.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube_informer::Event;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::ResourceType;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::sleep;

use crate::definitions::{create, definition, definition_of, delete, widgets};
use crate::helpers::{MS, S, factory_of, forbid, map_in, refusal, until};
use crate::watches::Watches;

const SOON: std::time::Duration = S.saturating_mul(30);

fn gadgets() -> ApiResource {
    ApiResource { kind: "Gadget".into(), plural: "gadgets".into(), ..widgets("v1") }
}

#[tokio::test(start_paused = true)]
async fn set_follows_definitions_and_each_event_has_its_kind() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "w").await;
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    // The tasks of the clients that wrote end first.
    sleep(S).await;
    let before = tasks();
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let folded = told.clone();
    kinds.on_event(move |kind, event| {
        let entry = format!("{} {}", kind.kind, event.object().name_any());
        match event {
            Event::Deleted { .. } => assert!(folded.lock().remove(&entry), "{entry}"),
            _ => drop(folded.lock().insert(entry)),
        }
    });
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    let told = || told.lock().iter().cloned().collect::<Vec<_>>();
    until("the widget", || told() == ["Widget w"]).await;
    let gadget = definition_of("gadgets", "Gadget", &[("v1", true)], "size");
    for _ in 0..3 {
        server.create(&gadget).unwrap();
        create(&server, &gadgets(), "g").await;
        until("the gadget", || told() == ["Gadget g", "Widget w"]).await;
        assert_eq!(kinds.informers().len(), 2);
        server.delete(&gadget).unwrap();
        until("the delete", || told() == ["Widget w"]).await;
        until("the leave", || kinds.informers().len() == 1 && watches.open() == 3).await;
    }
    delete(&server, &widgets("v1"), "w").await;
    until("the delete", || told().is_empty()).await;
    drop(kinds);
    until("the end of the tasks", || tasks() == before && watches.open() == 0).await;
    assert!(factory.status().informers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn kinds_without_definitions_are_discovered_once() {
    let server = ApiServer::new();
    server.create(&map_in("shop", "a")).unwrap();
    server.create(&definition(&[("v1", true)])).unwrap();
    let factory = factory_of(server.client());
    let kinds = factory.kinds(|kind| ["ConfigMap", "Deployment", "Widget"].contains(&&*kind.kind));
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    let found = kinds.informers();
    let found: Vec<_> =
        found.iter().map(|(kind, one)| (&*kind.plural, one.lister().len())).collect();
    assert_eq!(found, [("configmaps", 1), ("deployments", 0), ("widgets", 0)]);
    sleep(1_000 * S).await;
    let discovery = server.requests().iter().filter(|one| one.target == "/apis").count();
    assert_eq!(discovery, 1);
}

/// Creates the registration of an aggregated API server, or changes whether it is available.
pub(crate) async fn register(server: &ApiServer, available: bool) {
    let kind = GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService");
    let services: Api<DynamicObject> =
        Api::all_with(server.client(), &ApiResource::from_gvk_with_plural(&kind, "apiservices"));
    let name = "v1.metrics.example.com";
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name},
        "spec": {
            "group": "metrics.example.com", "version": "v1",
            "groupPriorityMinimum": 100, "versionPriority": 100,
            "service": {"namespace": "kube-system", "name": "metrics"},
        },
    });
    let params = PatchParams::apply("test");
    services.patch(name, &params, &Patch::Apply(service)).await.unwrap();
    let status = if available { "True" } else { "False" };
    let condition = json!({
        "type": "Available", "status": status, "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let status = json!({"status": {"conditions": [condition]}});
    services.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn aggregated_kinds_follow_their_registrations() {
    let server = ApiServer::new();
    let kind = GroupVersionKind::gvk("metrics.example.com", "v1", "Gauge");
    let gauges = ApiResource::from_gvk(&kind);
    let factory = factory_of(server.client());
    let kinds = factory.kinds_metadata(|kind| kind.group == "metrics.example.com");
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    kinds.on_event(move |_, event| log.lock().push(event.is_deleted()));
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    assert!(kinds.informers().is_empty());
    let resource = ResourceType::from_api_resource(&gauges, true);
    for round in 1..=3 {
        // It is registered, and its server does not answer yet.
        register(&server, false).await;
        sleep(SOON).await;
        server.register(resource.clone());
        create(&server, &gauges, "g").await;
        register(&server, true).await;
        until("the gauge", || told.lock().len() == 2 * round - 1).await;
        // Its server is away for a while: its objects are not.
        server.intercept(|request| {
            let gone = request.target.starts_with("/apis/metrics.example.com");
            gone.then(|| refusal(503, "ServiceUnavailable", "no endpoints"))
        });
        register(&server, false).await;
        sleep(SOON).await;
        server.stop_intercepting();
        register(&server, true).await;
        sleep(SOON).await;
        assert_eq!((kinds.informers().len(), told.lock().len()), (1, 2 * round - 1));
        let kind = GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService");
        let resource = ApiResource::from_gvk_with_plural(&kind, "apiservices");
        let services: Api<DynamicObject> = Api::all_with(server.client(), &resource);
        delete(&server, &gauges, "g").await;
        until("the delete", || told.lock().len() == 2 * round).await;
        server.unregister(&ResourceType::from_api_resource(&gauges, true));
        drop(services.delete("v1.metrics.example.com", &DeleteParams::default()).await.unwrap());
        until("the leave", || kinds.informers().is_empty()).await;
    }
    assert_eq!(*told.lock(), [false, true].repeat(3));
    drop(kinds);
    until("the end", || factory.status().informers.is_empty()).await;
}

/// Discovery is a replica's that lags behind.
#[tokio::test(start_paused = true)]
async fn kind_that_only_discovery_names_is_not_followed() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    let kind = GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService");
    let services: Api<DynamicObject> =
        Api::all_with(server.client(), &ApiResource::from_gvk_with_plural(&kind, "apiservices"));
    for (group, made_for) in [("example.com", "true"), ("apps", "onstart")] {
        let name = format!("v1.{group}");
        let service = json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": name, "labels": {
                "kube-aggregator.kubernetes.io/automanaged": made_for,
            }},
            "spec": {
                "group": group, "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
            },
        });
        services.patch(&name, &PatchParams::apply("test"), &Patch::Apply(service)).await.unwrap();
    }
    let listed = |plural: &str, kind: &str| {
        json!({"name": plural, "singularName": "", "namespaced": true, "kind": kind,
            "verbs": ["list", "watch"]})
    };
    server.intercept(move |request| {
        let (group, resources) = match &*request.target {
            "/apis/example.com/v1" => (
                "example.com/v1",
                json!([listed("widgets", "Widget"), listed("gadgets", "Gadget")]),
            ),
            "/apis/left.example.com/v1" => {
                ("left.example.com/v1", json!([listed("ghosts", "Ghost")]))
            }
            "/apis" => {
                let groups: Vec<_> = ["apps", "example.com", "left.example.com"]
                    .map(|group| {
                        let version =
                            json!({"groupVersion": format!("{group}/v1"), "version": "v1"});
                        json!({"name": group, "versions": [version], "preferredVersion": version})
                    })
                    .into();
                let body = json!({"kind": "APIGroupList", "groups": groups}).to_string();
                return Some(http::Response::new(body.into()));
            }
            _ => return None,
        };
        let body =
            json!({"kind": "APIResourceList", "groupVersion": group, "resources": resources});
        Some(http::Response::new(body.to_string().into()))
    });
    let factory = factory_of(server.client());
    let kinds = factory
        .kinds_metadata(|kind| kind.group.ends_with("example.com") || kind.kind == "Deployment");
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    let followed: Vec<_> = kinds.informers().into_iter().map(|(kind, _)| kind.kind).collect();
    assert_eq!(followed, ["Deployment", "Widget"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn refused_registrations_hold_up_nothing() {
    let server = ApiServer::new();
    forbid(&server, "/apis/apiregistration.k8s.io");
    server.create(&map_in("shop", "a")).unwrap();
    let factory = factory_of(server.client());
    let kinds = factory.kinds_metadata(|kind| kind.kind == "ConfigMap");
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    assert_eq!(kinds.informers().len(), 1);
    factory.wait_for_sync(SOON).await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn plural_may_come_back_with_another_kind() {
    let server = ApiServer::new();
    server.create(&definition(&[("v1", true)])).unwrap();
    create(&server, &widgets("v1"), "w").await;
    let factory = factory_of(server.client());
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = told.clone();
    kinds.on_event(move |kind, event| {
        let what = if event.is_deleted() { "-" } else { "+" };
        noted.lock().push(format!("{what}{} {}", kind.kind, event.object().name_any()));
    });
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    until("the widget", || told.lock().len() == 1).await;
    server.delete(&definition(&[("v1", true)])).unwrap();
    server.create(&definition_of("widgets", "Gizmo", &[("v1", true)], "size")).unwrap();
    sleep(SOON).await;
    create(&server, &ApiResource { kind: "Gizmo".into(), ..widgets("v1") }, "g").await;
    until("the gizmo", || told.lock().len() == 3).await;
    assert_eq!(*told.lock(), ["+Widget w", "-Widget w", "+Gizmo g"]);
    kinds.wait_for_sync(SOON).await.unwrap();
}

/// Kinds that come and go at random moments, each with another name.
#[tokio::test(start_paused = true)]
async fn hundreds_of_kinds_leave_nothing() {
    const KINDS: usize = 300;
    let server = ApiServer::new();
    let watches = Watches::default();
    let factory = factory_of(watches.count(server.client()));
    let kinds = factory.kinds_metadata(|kind| kind.group == "example.com");
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let folded = told.clone();
    kinds.on_event(move |kind, event| {
        let known = match event {
            Event::Deleted { .. } => folded.lock().remove(&kind.kind),
            _ => folded.lock().insert(kind.kind.clone()),
        };
        assert!(known, "{}", kind.kind);
    });
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let mut rng = fastrand::Rng::with_seed(7);
    for number in 0..KINDS {
        let (plural, kind) = (format!("k{number}s"), format!("K{number}"));
        let definition = definition_of(&plural, &kind, &[("v1", true)], "size");
        server.create(&definition).unwrap();
        create(&server, &ApiResource { kind, plural, ..widgets("v1") }, "a").await;
        sleep(rng.u32(..200) * MS).await;
        server.delete(&definition).unwrap();
    }
    until("the end", || tasks() == before && watches.open() == 2).await;
    assert!(told.lock().is_empty() && kinds.informers().is_empty());
    assert_eq!(factory.status().informers.len(), 2, "the definitions and the registrations");
}

#[tokio::test(start_paused = true)]
async fn kind_defined_at_the_start_leaves_with_its_definition() {
    let server = ApiServer::new();
    let widget = definition(&[("v1", true)]);
    server.create(&widget).unwrap();
    let factory = factory_of(server.client());
    // The filter's panic leaves its kind out, and only that.
    let kinds = factory.kinds_metadata(|kind| {
        assert_ne!(kind.kind, "Secret");
        ["Widget", "ConfigMap"].contains(&&*kind.kind)
    });
    kinds.start().unwrap();
    kinds.wait_for_sync(SOON).await.unwrap();
    assert_eq!(kinds.informers().len(), 2);
    assert!(kinds.informers().iter().all(|(_, informer)| informer.has_synced()));
    server.delete(&widget).unwrap();
    until("the leave", || kinds.informers().len() == 1).await;
    sleep(SOON).await;
    assert_eq!(kinds.informers().len(), 1);
    factory.shutdown().await;
}
