//! A world that settles, crashes, starts again, and says why it does not settle.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::{Client, ResourceExt};
use kube_controllers::writing::Applier;
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use serde_json::json;

use kube_scenario::{Program, Scenario, Trouble, World};

/// Keeps a copy `a-copy` of each map `a`.
async fn copier(program: Program) -> Result<(), BoxError> {
    let factory = program.factory();
    copies(program, &factory).await
}

pub(crate) async fn copies(
    program: Program,
    factory: &SharedInformerFactory,
) -> Result<(), BoxError> {
    let maps = factory.informer::<ConfigMap>();
    let applier = Applier::builder(program.client(), &maps, "copier").build()?;
    let controller = Controller::builder("copier", &maps).owns(&maps).context(applier).build();
    program.run(factory, controller, copy).await
}

async fn copy(
    request: ReconcileRequest<ConfigMap, Applier<ConfigMap>>,
) -> Result<Action, BoxError> {
    let Some(source) = request.object.present() else { return Ok(Action::done()) };
    if !source.name_any().ends_with("-copy") {
        let copy = map(&format!("{}-copy", source.name_any()));
        let copy = ConfigMap { data: source.data.clone(), ..copy };
        request.context.apply_owned(&*source, copy).await?;
    }
    Ok(Action::done())
}

pub(crate) fn map(name: &str) -> ConfigMap {
    let (namespace, name) = (Some("shop".into()), Some(name.into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

#[tokio::test(start_paused = true)]
async fn settled_program_has_written_once() {
    let world = Scenario::new(copier).start();
    world.server().create(&map("a")).unwrap();
    world.settle().await.unwrap();
    assert!(world.get::<ConfigMap>("shop", "a-copy").is_some());
    assert_eq!(world.writes(), ["PATCH /api/v1/namespaces/shop/configmaps/a-copy"]);
    assert!(world.reconciles() >= 2);
    world.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn times_may_have_no_limit() {
    let world = Scenario::new(copier).settles_within(Duration::MAX).start();
    world.server().create(&map("a")).unwrap();
    world.settle().await.unwrap();
    let world = Scenario::new(copier).quiet_for(Duration::MAX).start();
    let unsettled = world.settle().await.unwrap_err();
    assert!(unsettled.problem.contains("did not settle within 3600s"), "{}", unsettled.problem);
}

#[tokio::test(start_paused = true)]
async fn quiet_time_beyond_the_limit_names_both() {
    let world = Scenario::new(copier).quiet_for(Duration::from_secs(7_200)).start();
    let unsettled = world.settle().await.unwrap_err();
    assert_eq!(
        unsettled.problem,
        "the program did not settle within 3600s: set settles_within beyond quiet_for, which is \
         7200s"
    );
}

#[test]
fn copier_passes_its_exploration() {
    let found = Scenario::new(copier).explore(|world: World| async move {
        world.server().create(&map("a"))?;
        world.settle().await?;
        world.server().create(&map("b"))?;
        world.settle().await?;
        Ok(())
    });
    let found = found.assert_passed();
    assert_eq!((found.writes, found.not_reached.len()), (2, 0));
}

/// Writes its own object again and again.
async fn fights(program: Program) -> Result<(), BoxError> {
    let factory = program.factory();
    let maps = factory.informer::<ConfigMap>();
    let client = program.client();
    let controller = Controller::builder("restless", &maps).context(client).build();
    program.run(&factory, controller, write_again).await
}

async fn write_again(request: ReconcileRequest<ConfigMap, Client>) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    let rounds = map.annotations().get("rounds").and_then(|rounds| rounds.parse::<u64>().ok());
    let round = (rounds.unwrap_or_default() + 1).to_string();
    let patch = Patch::Merge(json!({"metadata": {"annotations": {"rounds": round}}}));
    let maps = request.api(&request.context);
    maps.patch(request.key.name(), &PatchParams::default(), &patch).await?;
    tokio::time::sleep(Duration::from_secs(10)).await;
    Ok(Action::done())
}

#[tokio::test(start_paused = true)]
async fn unsettled_program_names_key_and_cause() {
    let world = Scenario::new(fights).start();
    world.server().create(&map("a")).unwrap();
    let why = world.settle().await.unwrap_err();
    assert_eq!(why.keys[0].key, "shop/a");
    let text = why.to_string();
    assert!(text.contains("did not settle within 3600s"), "{text}");
    assert!(text.contains("shop/a of configmaps was updated"), "{text}");
    assert!(text.contains("request: PATCH /api/v1/namespaces/shop/configmaps/a"), "{text}");
}

/// Requeues each key at once, and writes nothing.
async fn requeues(program: Program) -> Result<(), BoxError> {
    let factory = program.factory();
    let controller = Controller::builder("eager", &factory.informer::<ConfigMap>()).build();
    program.run(&factory, controller, requeue).await
}

async fn requeue(_: ReconcileRequest<ConfigMap>) -> Result<Action, BoxError> {
    Ok(Action::requeue_after(Duration::ZERO))
}

#[tokio::test(start_paused = true)]
async fn key_that_runs_without_end_does_not_settle() {
    let world = Scenario::new(requeues).start();
    world.server().create(&map("a")).unwrap();
    let why = world.settle().await.unwrap_err().to_string();
    assert!(why.contains("eager: shop/a was reconciled 300 times at one instant"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn ended_program_does_not_settle() {
    let broken = |_: Program| async { Err(BoxError::from("no configuration")) };
    let world = Scenario::new(broken).start();
    let why = world.settle().await.unwrap_err();
    assert_eq!(why.to_string(), "the program has ended: no configuration");
}

#[tokio::test(start_paused = true)]
async fn crash_cuts_the_program_off() {
    let world = Scenario::new(copier).start();
    world.server().create(&map("a")).unwrap();
    world.settle().await.unwrap();
    world.crash();
    let requests = world.requests().len();
    world.server().create(&map("b")).unwrap();
    world.settle().await.unwrap();
    assert_eq!(world.requests().len(), requests);
    assert!(world.get::<ConfigMap>("shop", "b-copy").is_none());

    world.start();
    world.settle().await.unwrap();
    assert!(world.get::<ConfigMap>("shop", "b-copy").is_some());
    assert_eq!(world.writes().len(), 3, "each copy once, and one again by the new process");
}

#[tokio::test(start_paused = true)]
async fn every_trouble_ends_without_a_trace() {
    use Trouble::{Breaking, Forbidden, Outage, Slow, Throttled, Unavailable};
    for trouble in [Outage, Throttled, Unavailable, Forbidden, Slow, Breaking] {
        let world = Scenario::new(copier).start();
        world.settle().await.unwrap();
        let begun = world.trouble(trouble);
        world.server().drop_connections();
        world.server().create(&map("a")).unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        assert!(begun.count() > 0, "{trouble:?}");
        begun.remove();
        world.settle().await.unwrap();
        assert!(world.get::<ConfigMap>("shop", "a-copy").is_some(), "{trouble:?}");
    }
}

#[test]
fn broken_rule_fails_every_run() {
    let scenario = Scenario::new(copier).never("a copy exists", |world| {
        world.list::<ConfigMap>().iter().any(|map| map.name_any().ends_with("-copy"))
    });
    let found = scenario.explore(|world: World| async move {
        world.server().create(&map("a"))?;
        world.settle().await?;
        Ok(())
    });
    assert_eq!(found.failures[0].schedule, "undisturbed");
    assert!(found.failures[0].problem.contains("never: a copy exists"), "{found}");
}

/// Twenty runs of each schedule, of which some fail.
#[test]
fn one_schedule_has_one_verdict() {
    let scenario = Scenario::new(copier).quiet_for(Duration::from_secs(10));
    let scenario = scenario.never("b is copied after a crash", |world| {
        world.get::<ConfigMap>("shop", "b-copy").is_some()
            && world.requests().iter().filter(|one| *one == "GET /api/v1/configmaps").count() > 2
    });
    let script = |world: World| async move {
        for name in ["a", "b"] {
            world.server().create(&map(name))?;
            world.settle().await?;
        }
        Ok(())
    };
    for schedule in [
        "crash-after 1 PATCH /api/v1/namespaces/shop/configmaps/a-copy",
        "crash-before 1 PATCH /api/v1/namespaces/shop/configmaps/b-copy",
        "lag 1 EVENT /api/v1/configmaps shop/b",
        "gap 1 EVENT /api/v1/configmaps shop/a-copy",
    ] {
        let verdicts: Vec<_> = (0..20).map(|_| scenario.replay(schedule, script)).collect();
        assert!(verdicts.iter().all(|one| *one == verdicts[0]), "{schedule}: {verdicts:#?}");
    }
    for nowhere in ["crash-after 9 PATCH /api/v1/namespaces/shop/configmaps/a-copy", "crash"] {
        assert!(scenario.replay(nowhere, script).is_err());
    }
}
