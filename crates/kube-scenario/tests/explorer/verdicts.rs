//! Verdicts: correct programs and scripts pass, and a report says why others fail.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions};
use kube::{Client, Resource, ResourceExt};
use kube_controllers::controller::FailedTry;
use kube_controllers::{Action, Controller, Manager, ReconcileRequest};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_scenario::{Program, Scenario, World};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::sleep;

use crate::alike::{note, of_maps};
use crate::scenarios::map;

type Request = ReconcileRequest<ConfigMap, Client>;

/// Creates an object, unless an earlier process has.
async fn ensure<K>(api: &Api<K>, object: &K) -> kube::Result<()>
where
    K: Resource + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    match api.create(&PostParams::default(), object).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
        created => created.map(drop),
    }
}

fn secret(name: &str) -> Secret {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Secret { metadata, ..Secret::default() }
}

/// Keeps a secret for each map.
async fn keeps_a_secret(request: Request) -> Result<Action, BoxError> {
    if let Some(map) = request.object.present() {
        ensure(&request.api_of(&request.context), &secret(&map.name_any())).await?;
    }
    Ok(Action::done())
}

async fn creates_a_map(world: World) -> Result<(), BoxError> {
    world.server().create(&map("a"))?;
    world.settle().await?;
    Ok(())
}

/// Keeps a pod for each map. Deletes only the pod that it read before it confirmed the deletion.
async fn deletes_with_a_precondition(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    let (mut map, name) = ((*map).clone(), request.key.name());
    let (maps, pods) = (request.api(&request.context), request.api_of::<Pod>(&request.context));
    if map.metadata.deletion_timestamp.is_none() {
        if map.finalizers().is_empty() {
            map.finalizers_mut().push("example.com/pod".into());
            maps.replace(name, &PostParams::default(), &map).await?;
        }
        let spec = json!({"containers": [{"name": "db", "image": "db"}]});
        let pod = serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec}))?;
        ensure(&pods, &pod).await?;
        return Ok(Action::done());
    }
    let uid = pods.get_opt(name).await?.and_then(|pod| pod.uid());
    let now: Option<ConfigMap> = maps.get_opt(name).await?;
    if now.and_then(|now| now.resource_version()) != map.resource_version() {
        return Err("the map has changed".into());
    }
    if uid.is_some() {
        let preconditions = Preconditions { uid, resource_version: None };
        let params = DeleteParams::default().grace_period(0).preconditions(preconditions);
        match pods.delete(name, &params).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            deleted => drop(deleted?),
        }
    }
    map.finalizers_mut().clear();
    maps.replace(name, &PostParams::default(), &map).await?;
    Ok(Action::done())
}

#[test]
fn refused_delete_breaks_no_rule() {
    let scenario = of_maps(deletes_with_a_precondition);
    let scenario = scenario.never("a pod in use is deleted", |world| {
        let deletes = |write: String| write.starts_with("DELETE") && write.contains("/pods/");
        let lives = |map: ConfigMap| map.metadata.deletion_timestamp.is_none();
        world.just_written().is_some_and(deletes) && world.list().into_iter().any(lives)
    });
    let found = scenario.explore(|world: World| async move {
        creates_a_map(world.clone()).await?;
        world.server().delete(&map("a"))?;
        world.settle().await?;
        creates_a_map(world).await
    });
    assert!(found.failures.is_empty(), "{found}");
}

#[test]
fn just_written_is_in_the_server() {
    let checked = Arc::new(Mutex::new(0));
    let counted = checked.clone();
    let scenario = of_maps(keeps_a_secret).never("a create made nothing", move |world| {
        let created = world.just_written().is_some_and(|write| write.starts_with("POST"));
        *counted.lock() += u32::from(created);
        created && world.list::<Secret>().is_empty()
    });
    scenario.explore(creates_a_map).assert_passed();
    // In each run but that which dies before it; the other processes are refused.
    assert!(*checked.lock() > 4, "{checked:?}");
}

#[test]
fn stopped_program_is_not_started_again() {
    let looks = |world: World| async move {
        world.server().create(&map("b"))?;
        world.settle().await?;
        match world.get::<Secret>("shop", "b") {
            Some(_) => Err("a program that does not run has written".into()),
            None => Ok::<_, BoxError>(()),
        }
    };
    let stops = |world: World| async move {
        creates_a_map(world.clone()).await?;
        world.stop().await?;
        looks(world).await
    };
    let crashes = |world: World| async move {
        creates_a_map(world.clone()).await?;
        world.crash();
        looks(world.clone()).await?;
        world.start();
        world.settle().await?;
        Ok(())
    };
    of_maps(keeps_a_secret).explore(stops).assert_passed();
    of_maps(keeps_a_secret).explore(crashes).assert_passed();
}

/// Writes a note at its start, and again at its end.
async fn notes_start_and_end(program: Program) -> Result<(), BoxError> {
    let maps = Api::<ConfigMap>::namespaced(program.client(), "shop");
    let seen = Patch::Merge(json!({"metadata": {"annotations": {"seen": "yes"}}}));
    maps.patch("a", &PatchParams::default(), &seen).await?;
    program.stopping().cancelled().await;
    let _at_last = maps.patch("a", &PatchParams::default(), &seen).await;
    Ok(())
}

#[test]
fn program_may_crash_while_it_stops() {
    let scenario = Scenario::new(notes_start_and_end).server(|| {
        let server = ApiServer::new();
        server.create(&map("a")).unwrap();
        server
    });
    let found = scenario.explore(|world: World| async move {
        world.settle().await?;
        world.stop().await?;
        world.settle().await?;
        Ok(())
    });
    let found = found.assert_passed();
    assert_eq!((found.writes, found.not_reached.len()), (2, 0));
}

#[test]
fn script_may_start_the_program_often() {
    let found = of_maps(keeps_a_secret).explore(|world: World| async move {
        for _ in 0..8 {
            world.start();
            world.settle().await?;
        }
        creates_a_map(world).await
    });
    assert!(found.failures.is_empty(), "{found}");
}

#[test]
fn report_counts_restarts() {
    let ends_after_a_conflict = |program: Program| async move {
        let secrets = Api::<Secret>::namespaced(program.client(), "shop");
        secrets.create(&PostParams::default(), &secret("a")).await?;
        program.stopping().cancelled().await;
        Ok(())
    };
    let scenario = Scenario::new(ends_after_a_conflict);
    let found = scenario.explore(|world: World| async move { Ok(world.settle().await?) });
    let text = found.to_string();
    assert!(text.contains("the program has ended, after 8 restarts: "), "{text}");
}

#[test]
fn uids_inside_texts_are_not_compared() {
    /// Keeps a secret whose name has the uid of the map, and names it in the map.
    async fn keeps_by_uid(request: Request) -> Result<Action, BoxError> {
        let Some(map) = request.object.present() else { return Ok(Action::done()) };
        let name = format!("key-{}", map.uid().unwrap_or_default());
        ensure(&request.api_of(&request.context), &secret(&name)).await?;
        if !map.annotations().contains_key("secret") {
            note(&request, request.key.name(), "secret", &format!("shop/{name}")).await?;
        }
        Ok(Action::done())
    }
    let found = of_maps(keeps_by_uid).explore(|world: World| async move {
        for name in ["a", "b", "c"] {
            world.server().create(&map(name))?;
            world.settle().await?;
        }
        Ok(())
    });
    assert!(found.failures.is_empty(), "{found}");
}

/// Adds a finalizer to the newest state of a map.
async fn adds_a_finalizer(request: Request, own: &str, after: u64) -> Result<Action, BoxError> {
    sleep(Duration::from_millis(after)).await;
    let maps = request.api(&request.context);
    let map: Option<ConfigMap> = maps.get_opt(request.key.name()).await?;
    if let Some(mut map) = map
        && !map.finalizers().iter().any(|one| one == own)
    {
        map.finalizers_mut().push(own.into());
        maps.replace(request.key.name(), &PostParams::default(), &map).await?;
    }
    Ok(Action::done())
}

#[test]
fn order_of_finalizers_is_not_compared() {
    let scenario = Scenario::of_manager(|client: Client| {
        let factory = SharedInformerFactory::builder(client.clone()).build();
        let maps = factory.informer::<ConfigMap>();
        let one = Controller::builder("one", &maps).context(client.clone()).build();
        let two = Controller::builder("two", &maps).context(client).build();
        let manager = Manager::builder(&factory)
            .controller(one, |request| adds_a_finalizer(request, "example.com/one", 100))
            .controller(two, |request| adds_a_finalizer(request, "example.com/two", 130));
        Ok::<_, BoxError>(manager)
    });
    let found = scenario.explore(creates_a_map);
    assert!(found.failures.is_empty(), "{found}");
}

/// Creates a secret for each map, and gives up if that fails.
async fn gives_up(request: Request) -> Result<Action, BoxError> {
    if let Some(map) = request.object.present() {
        let secrets = request.api_of(&request.context);
        let _gives_up = secrets.create(&PostParams::default(), &secret(&map.name_any())).await;
    }
    Ok(Action::done())
}

#[test]
fn endless_script_fails_its_run() {
    let settles = |world: World| async move {
        world.server().create(&map("a"))?;
        while world.get::<Secret>("shop", "a").is_none() {
            world.settle().await?;
        }
        Ok(())
    };
    let sleeps = |world: World| async move {
        world.server().create(&map("a"))?;
        while world.get::<Secret>("shop", "a").is_none() {
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    };
    let scenario = of_maps(gives_up).settles_within(Duration::from_secs(100));
    let schedule = "conflict 1 POST /api/v1/namespaces/shop/secrets/a";
    let failed = scenario.replay(schedule, settles).unwrap_err();
    let text = "the world settled 100 times, and nothing changed";
    assert!(failed.problem.starts_with(text), "{failed}");
    let failed = scenario.replay(schedule, sleeps).unwrap_err();
    assert_eq!(failed.problem, "the script did not end within 10000s", "{failed}");
}

#[test]
fn report_has_the_text_of_a_panic() {
    let panics = of_maps(keeps_a_secret).never("it panics", |world| {
        assert!(world.list::<Secret>().is_empty(), "on purpose");
        false
    });
    let text = panics.explore(creates_a_map).to_string();
    assert!(text.contains("never: it panics, but the rule panicked: on purpose"), "{text}");

    let panics = Scenario::new(|_: Program| async { panic!("on purpose") });
    let text = panics.explore(creates_a_map).to_string();
    assert!(text.contains("the program has ended: it panicked: on purpose"), "{text}");
}

#[test]
fn schedule_of_an_odd_name_replays() {
    /// Creates a secret whose name no server accepts, and notes that it was refused.
    async fn creates_an_odd_name(request: Request) -> Result<Action, BoxError> {
        let Some(map) = request.object.present() else { return Ok(Action::done()) };
        if !map.annotations().contains_key("refused") {
            let secrets = request.api_of(&request.context);
            let made = secrets.create(&PostParams::default(), &secret("x + \"y\"")).await;
            let refused = made.is_err_and(|error| error.to_string().contains("nvalid"));
            note(&request, request.key.name(), "refused", &refused.to_string()).await?;
        }
        Ok(Action::done())
    }
    let found = of_maps(creates_an_odd_name).explore(creates_a_map);
    let first = found.failures[0].clone();
    assert!(first.schedule.ends_with("/secrets/x%20+%20\"y\""), "{found}");
    let replayed = of_maps(creates_an_odd_name).replay(&first.schedule, creates_a_map);
    assert_eq!(replayed, Err(first));
}

#[test]
fn report_names_the_wait_of_a_failed_key() {
    let scenario = Scenario::of_manager(|client: Client| {
        let factory = SharedInformerFactory::builder(client.clone()).build();
        let controller = Controller::builder("keeper", &factory.informer::<ConfigMap>());
        let patient = |_: &FailedTry<'_>| Action::requeue_after(Duration::from_secs(3_000));
        let controller = controller.error_policy(patient).context(client).build();
        Ok::<_, BoxError>(Manager::builder(&factory).controller(controller, keeps_a_secret))
    });
    let found = scenario.explore(creates_a_map);
    let throttled = found.failures.iter().find(|one| one.schedule.starts_with("throttle"));
    let problem = &throttled.unwrap().problem;
    for text in [
        "Secret/shop/a is missing\n  shop/a of keeper waits ",
        " for its next try, although the world had settled; if it must come first, set quiet_for, \
         which is 60s, beyond its delay; it failed: ",
    ] {
        assert!(problem.contains(text), "{problem}");
    }
}
