//! Leases and Events are left out, but nothing that is only named like them.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ObjectMeta};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use kube_controllers::{Action, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_scenario::{Program, Scenario, World};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::sleep;

use crate::alike::{leaves_a_secret, note, of_maps};
use crate::scenarios::map;

type Request = ReconcileRequest<ConfigMap, Client>;

fn map_in(namespace: &str, name: &str) -> ConfigMap {
    let (namespace, name) = (Some(namespace.into()), Some(name.into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

#[test]
fn namespace_named_events_is_explored() {
    for namespace in ["events", "leases"] {
        let found = of_maps(leaves_a_secret).explore(|world: World| async move {
            world.server().create(&map_in(namespace, "a"))?;
            world.settle().await?;
            Ok(())
        });
        let first = format!("crash-after 1 POST /api/v1/namespaces/{namespace}/secrets/a-*");
        let failed: Vec<_> = found.failures.iter().map(|one| &one.schedule).collect();
        assert_eq!(failed.first(), Some(&&first), "{found}");
    }
}

/// Notes that a map is copied, and then copies it: a crash between the two leaves no copy.
async fn notes_before_it_copies(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if !map.annotations().contains_key("copied") {
        note(&request, request.key.name(), "copied", "yes").await?;
        let mut copy = Secret::default();
        copy.metadata.name = Some(map.name_any());
        request.api_of::<Secret>(&request.context).create(&PostParams::default(), &copy).await?;
    }
    Ok(Action::done())
}

#[test]
fn object_named_events_is_explored() {
    for name in ["events", "leases"] {
        let found = of_maps(notes_before_it_copies).explore(|world: World| async move {
            world.server().create(&map(name))?;
            world.settle().await?;
            Ok(())
        });
        let first = format!("crash-after 1 PATCH /api/v1/namespaces/shop/configmaps/{name}");
        let failed: Vec<_> = found.failures.iter().map(|one| &one.schedule).collect();
        assert_eq!(failed.first(), Some(&&first), "{found}");
    }
}

#[test]
fn custom_kind_named_event_is_explored() {
    for kind in ["Event", "Lease"] {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", kind));
        let definition: CustomResourceDefinition = serde_json::from_value(json!({
            "metadata": {"name": format!("{}.example.com", resource.plural)},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"plural": resource.plural, "kind": kind},
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }],
            },
        }))
        .unwrap();
        let creates_after_a_note = move |program: Program| {
            let resource = resource.clone();
            async move {
                let maps = Api::<ConfigMap>::namespaced(program.client(), "shop");
                if !maps.get("a").await?.annotations().contains_key("made") {
                    let made = Patch::Merge(json!({"metadata": {"annotations": {"made": "yes"}}}));
                    maps.patch("a", &PatchParams::default(), &made).await?;
                    let api = Api::namespaced_with(program.client(), "shop", &resource);
                    let one = DynamicObject::new("a", &resource);
                    api.create(&PostParams::default(), &one).await?;
                }
                program.stopping().cancelled().await;
                Ok(())
            }
        };
        let scenario = Scenario::new(creates_after_a_note).server(move || {
            let server = ApiServer::new();
            server.create(&definition).unwrap();
            server.create(&map("a")).unwrap();
            server
        });
        let found = scenario.explore(|world: World| async move { Ok(world.settle().await?) });
        assert_eq!(found.writes, 2, "{found}");
        let missing = format!("{kind}/shop/a is missing");
        assert!(found.to_string().contains(&missing), "{found}");
    }
}

#[tokio::test(start_paused = true)]
async fn settle_waits_for_writes_in_a_namespace_named_events() {
    let writes_slowly = |program: Program| async move {
        let maps = Api::<ConfigMap>::namespaced(program.client(), "events");
        for round in ["1", "2", "3"] {
            let note = Patch::Merge(json!({"metadata": {"annotations": {"round": round}}}));
            maps.patch("a", &PatchParams::default(), &note).await?;
            sleep(Duration::from_secs(50)).await;
        }
        program.stopping().cancelled().await;
        Ok(())
    };
    let scenario = Scenario::new(writes_slowly).server(|| {
        let server = ApiServer::new();
        server.create(&map_in("events", "a")).unwrap();
        server
    });
    let world = scenario.start();
    world.settle().await.unwrap();
    let map = world.get::<ConfigMap>("events", "a").unwrap();
    assert_eq!((map.annotations()["round"].as_str(), world.writes().len()), ("3", 3));
}

/// Writes two maps by PUT for the map `a`.
async fn writes_two_maps(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if request.key.name() == "a" && !map.annotations().contains_key("done") {
        let maps = request.api(&request.context);
        for name in ["one", "leases"] {
            let mut one: ConfigMap = maps.get(name).await?;
            one.data = Some([("by".into(), "it".into())].into());
            maps.replace(name, &PostParams::default(), &one).await?;
        }
        note(&request, "a", "done", "yes").await?;
    }
    Ok(Action::done())
}

#[test]
fn frozen_process_writes_a_map_named_leases() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let script = |world: World| {
        let seen = seen.clone();
        async move {
            for name in ["one", "leases", "a"] {
                world.server().create(&map(name))?;
            }
            world.settle().await?;
            world.settle().await?;
            let path = "PUT /api/v1/namespaces/shop/configmaps/leases";
            seen.lock().push(world.writes().iter().filter(|write| *write == path).count());
            Ok(())
        }
    };
    let schedule = "takeover 1 PUT /api/v1/namespaces/shop/configmaps/one";
    of_maps(writes_two_maps).replay(schedule, script).unwrap();
    seen.lock().sort_unstable();
    assert_eq!(*seen.lock(), [1, 2], "the frozen process writes it, too");
}
