//! Takeovers and pairs of disturbances.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::{Client, ResourceExt};
use kube_controllers::{Action, Controller, LeaderElector, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_scenario::{Scenario, World};
use parking_lot::Mutex;
use serde_json::json;

use crate::scenarios::map;

type Request = ReconcileRequest<ConfigMap, Client>;

async fn note(request: &Request, name: &str) -> kube::Result<ConfigMap> {
    let note = Patch::Merge(json!({"metadata": {"annotations": {name: "done"}}}));
    let maps = request.api(&request.context);
    maps.patch(request.key.name(), &PatchParams::default(), &note).await
}

/// A manager whose only controller runs while it leads.
fn leading<F>(reconcile: fn(Request) -> F) -> Scenario
where
    F: Future<Output = Result<Action, BoxError>> + Send + 'static,
{
    let scenario = Scenario::of_manager(move |client: Client| {
        let factory = SharedInformerFactory::builder(client.clone()).build();
        let maps = factory.informer::<ConfigMap>();
        let elector = LeaderElector::builder(client.clone(), "default", "notes").build()?;
        let controller = Controller::builder("notes", &maps).context(client).build();
        let manager = Manager::builder(&factory).leader_election(elector);
        Ok::<_, BoxError>(manager.controller(controller, reconcile))
    });
    scenario.quiet_for(Duration::from_secs(30))
}

/// Notes two steps, one after the other.
async fn notes_two_steps(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if !map.annotations().contains_key("second") {
        note(&request, "first").await?;
        note(&request, "second").await?;
    }
    Ok(Action::done())
}

#[test]
fn frozen_leader_goes_on_with_its_view() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let script = |world: World| {
        let seen = seen.clone();
        async move {
            world.server().create(&map("a"))?;
            world.settle().await?;
            let before = world.writes().len();
            world.settle().await?;
            seen.lock().push((before, world.writes().len()));
            Ok(())
        }
    };
    let schedule = "takeover 1 PATCH /api/v1/namespaces/shop/configmaps/a";
    leading(notes_two_steps).replay(schedule, script).unwrap();
    seen.lock().sort_unstable();
    // The held write and all of the second process. The first process then goes on with the next.
    assert_eq!(*seen.lock(), [(4, 4), (5, 6)]);
}

/// Tries a write twice, and then gives up in silence.
async fn gives_up(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    for _ in 0..2 {
        if map.annotations().contains_key("first") || note(&request, "first").await.is_ok() {
            break;
        }
    }
    Ok(Action::done())
}

async fn creates(world: World) -> Result<(), BoxError> {
    world.server().create(&map("a"))?;
    world.settle().await?;
    Ok(())
}

#[test]
fn pair_finds_a_single_retry() {
    let scenario = leading(gives_up).takeovers(false);
    assert_eq!(scenario.explore(creates).assert_passed().possible_pairs, 0);
    let all = scenario.clone().pairs(usize::MAX).explore(creates);
    assert_eq!(all.pairs, all.possible_pairs);
    let path = "PATCH /api/v1/namespaces/shop/configmaps/a";
    let failed = all
        .failures
        .iter()
        .find(|one| one.schedule == format!("conflict 1 {path} + conflict 2 {path}"));
    let failed = failed.unwrap_or_else(|| panic!("{all}"));
    assert_eq!(scenario.replay(&failed.schedule, creates), Err(failed.clone()));
    assert!(all.to_string().contains(&format!("; {0} of {0} pairs", all.pairs)), "{all}");

    let some = scenario.pairs(3).explore(creates);
    assert_eq!((some.pairs, some.possible_pairs), (3, all.pairs));
}

#[test]
fn takeovers_can_be_left_out() {
    let runs = |tried| leading(gives_up).takeovers(tried).explore(creates).assert_passed().runs;
    assert_eq!(runs(true), runs(false) + 1);
}
