//! Several collections: one schedule gives one verdict, and one order of requests.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service, ServiceAccount};
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::{Client, Resource, ResourceExt};
use kube_controllers::manager::ManagerBuilder;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_scenario::{Scenario, World};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// A manager with a controller for each of four kinds.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as in a program")]
fn manager(client: Client) -> Result<ManagerBuilder, BoxError> {
    let factory = SharedInformerFactory::builder(client.clone()).any_version(true).build();
    Ok(Manager::builder(&factory)
        .controller(follows::<ConfigMap>(&factory, &client), note)
        .controller(follows::<Secret>(&factory, &client), note)
        .controller(follows::<Service>(&factory, &client), note)
        .controller(follows::<ServiceAccount>(&factory, &client), note))
}

fn follows<K>(factory: &SharedInformerFactory, client: &Client) -> Controller<K, Client>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize + Send + Sync,
    K: 'static,
{
    let name = K::plural(&()).into_owned();
    Controller::builder(name, &factory.informer::<K>()).context(client.clone()).build()
}

/// Notes in an object that it was seen, and looks at one that is gone.
async fn note<K>(request: ReconcileRequest<K, Client>) -> Result<Action, BoxError>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + DeserializeOwned,
    K: Clone + Debug + Send + Sync + 'static,
{
    let (api, name) = (request.api(&request.context), request.key.name());
    let Some(object) = request.object.present() else {
        api.get_opt(name).await?;
        return Ok(Action::done());
    };
    if !object.annotations().contains_key("seen") {
        let seen = Patch::Merge(json!({"metadata": {"annotations": {"seen": "yes"}}}));
        api.patch(name, &PatchParams::default(), &seen).await?;
    }
    Ok(Action::done())
}

/// Creates objects of each kind at one moment, deletes them at another, and creates others.
async fn creates_and_deletes(world: World) -> Result<(), BoxError> {
    let server = world.server();
    let meta = |name: &str| ObjectMeta {
        namespace: Some("shop".into()),
        name: Some(name.into()),
        ..ObjectMeta::default()
    };
    for names in [["a", "b", "c"], ["d", "e", "f"]] {
        for name in names {
            server.create(&ServiceAccount { metadata: meta(name), ..Default::default() })?;
            server.create(&Service { metadata: meta(name), ..Default::default() })?;
            server.create(&Secret { metadata: meta(name), ..Default::default() })?;
            server.create(&ConfigMap { metadata: meta(name), ..Default::default() })?;
        }
        world.settle().await?;
        for name in names {
            server.delete(&Secret { metadata: meta(name), ..Default::default() })?;
            server.delete(&ConfigMap { metadata: meta(name), ..Default::default() })?;
        }
        world.settle().await?;
    }
    Ok(())
}

#[test]
fn one_schedule_has_one_order_of_requests() {
    for schedule in [
        "crash-after 1 PATCH /api/v1/namespaces/shop/secrets/a",
        "gap 2 EVENT /api/v1/configmaps shop/a",
        "stale-restart@2 1 PATCH /api/v1/namespaces/shop/secrets/b",
    ] {
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let script = |world: World| {
            let seen = seen.clone();
            async move {
                creates_and_deletes(world.clone()).await?;
                seen.lock().insert(world.requests());
                Ok(())
            }
        };
        let scenario = Scenario::of_manager(manager);
        let verdicts: Vec<_> = (0..8).map(|_| scenario.replay(schedule, script)).collect();
        assert!(verdicts.iter().all(|one| *one == Ok(())), "{schedule}: {verdicts:#?}");
        let seen = seen.lock();
        assert_eq!(seen.len(), 2, "the disturbed order, and the other: {schedule}: {seen:#?}");
    }
}
