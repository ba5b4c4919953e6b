//! A controller of kube-runtime: the explorer needs only its client.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube_informer::error::BoxError;
use serde_json::json;

use kube_scenario::{Program, Scenario, World};

struct Context {
    maps: Api<ConfigMap>,
    repaired: bool,
}

async fn program(program: Program, repaired: bool) -> Result<(), BoxError> {
    let maps = Api::<ConfigMap>::namespaced(program.client(), "shop");
    let context = Arc::new(Context { maps: maps.clone(), repaired });
    Controller::new(maps, watcher::Config::default().labels("copied=true"))
        .graceful_shutdown_on(program.stopping().cancelled_owned())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(5)), context)
        .for_each(|_| async {})
        .await;
    Ok(())
}

/// Copies a map once, and notes in it that this was done.
async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
    let note = |done| Patch::Merge(json!({"metadata": {"annotations": {"copied": done}}}));
    let parameters = PatchParams::default();
    if map.annotations().contains_key("copied") {
        return Ok(Action::await_change());
    }
    let name = map.name_any();
    if !context.repaired {
        context.maps.patch(&name, &parameters, &note("true")).await?;
    }
    let metadata = ObjectMeta { name: Some(format!("{name}-copy")), ..ObjectMeta::default() };
    let copy = ConfigMap { metadata, data: map.data.clone(), ..ConfigMap::default() };
    match context.maps.create(&PostParams::default(), &copy).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => {}
        done => drop(done?),
    }
    if context.repaired {
        context.maps.patch(&name, &parameters, &note("true")).await?;
    }
    Ok(Action::await_change())
}

async fn copies(world: World) -> Result<(), BoxError> {
    for name in ["a", "b"] {
        let mut map = crate::scenarios::map(name);
        map.labels_mut().insert("copied".into(), "true".into());
        world.server().create(&map)?;
        world.settle().await?;
    }
    Ok(())
}

#[test]
fn kube_runtime_controller_is_explored_through_its_client() {
    let found = Scenario::new(|one| program(one, false)).explore(copies);
    println!("{found}");
    let first = &found.failures[0];
    assert!(first.schedule.starts_with("crash-after 1 PATCH"), "{found}");
    assert!(first.problem.contains("ConfigMap/shop/a-copy is missing"), "{found}");
    let passed = Scenario::new(|one| program(one, true)).explore(copies).assert_passed();
    assert_eq!((passed.writes, passed.impossible), (4, 6));
}
