//! Independent keys: positions of like reconciles are tried once.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_scenario::{Exploration, Program, Scenario, World};
use serde_json::json;

use crate::scenarios::map;

type Request = ReconcileRequest<ConfigMap, Client>;

/// A controller of maps with this reconcile.
pub(crate) fn of_maps<F>(reconcile: fn(Request) -> F) -> Scenario
where
    F: Future<Output = Result<Action, BoxError>> + Send + 'static,
{
    Scenario::new(move |program: Program| async move {
        let factory = program.factory();
        let maps = factory.informer::<ConfigMap>();
        let secrets = factory.informer::<Secret>();
        let client = program.client();
        let controller = Controller::builder("maps", &maps).owns(&secrets).context(client).build();
        program.run(&factory, controller, reconcile).await
    })
}

/// Creates a secret under a generated name, and then notes it: a crash between the two leaves one.
pub(crate) async fn leaves_a_secret(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if !map.annotations().contains_key("secret") {
        let mut secret = Secret::default();
        secret.metadata.generate_name = Some(format!("{}-", map.name_any()));
        let secrets = request.api_of::<Secret>(&request.context);
        let name = secrets.create(&PostParams::default(), &secret).await?.name_any();
        note(&request, request.key.name(), "secret", &name).await?;
    }
    Ok(Action::done())
}

pub(crate) async fn note(
    request: &Request,
    map: &str,
    name: &str,
    value: &str,
) -> kube::Result<ConfigMap> {
    let note = Patch::Merge(json!({"metadata": {"annotations": {name: value}}}));
    request.api(&request.context).patch(map, &PatchParams::default(), &note).await
}

/// Notes each map in itself, and in a map that all share.
async fn shares_a_map(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if request.key.name() != "all" && !map.annotations().contains_key("seen") {
        note(&request, "all", &map.name_any(), "seen").await?;
        note(&request, request.key.name(), "seen", "yes").await?;
    }
    Ok(Action::done())
}

/// Notes each map in itself, after a look at the map `all`.
async fn reads_a_map(request: Request) -> Result<Action, BoxError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    if request.key.name() != "all" && !map.annotations().contains_key("seen") {
        request.api(&request.context).get("all").await?;
        note(&request, request.key.name(), "seen", "yes").await?;
    }
    Ok(Action::done())
}

/// Explores the creation of maps, with and without the promise.
fn explored(scenario: &Scenario, maps: &'static [(&str, &str)]) -> [Exploration; 2] {
    let script = |world: World| async move {
        for (name, data) in maps {
            let data = Some([("text".to_owned(), (*data).to_owned())].into());
            world.server().create(&ConfigMap { data, ..map(name) })?;
        }
        world.settle().await?;
        Ok(())
    };
    [scenario.clone().independent_keys().explore(script), scenario.explore(script)]
}

const ALIKE: [(&str, &str); 4] = [("a", "of a"), ("b", "of b"), ("c", "of c"), ("d", "of d")];

#[test]
fn like_keys_are_tried_once() {
    let [reduced, full] = explored(&of_maps(leaves_a_secret), &ALIKE);
    assert_eq!((reduced.writes, full.writes), (8, 8));
    // Two writes and two events of each key.
    assert_eq!((reduced.representing, reduced.represented.len()), (4, 12));
    assert_eq!((reduced.runs - 2) * 4, full.runs - 2);
    assert!(full.represented.is_empty());

    let first = "crash-after 1 POST /api/v1/namespaces/shop/secrets/a-*";
    assert_eq!(reduced.failures[0].schedule, first);
    assert_eq!(reduced.failures.len() * 4, full.failures.len());
    let text = reduced.to_string();
    let stand = format!("; {} positions stand for {} of like", 4, reduced.represented.len());
    assert!(text.contains(&stand), "{text}");
}

#[test]
fn other_contents_are_tried_too() {
    let keys = &[("a", "of a"), ("b", "large"), ("c", "of c")];
    let [reduced, full] = explored(&of_maps(leaves_a_secret), keys);
    assert_eq!((reduced.runs - 2) * 3, (full.runs - 2) * 2, "{reduced}");
    assert!(reduced.represented.iter().all(|one| one.contains("/c")), "{reduced:?}");
}

#[test]
fn keys_that_share_an_object_are_not_reduced() {
    let maps = &[("all", ""), ("a", "of a"), ("b", "of b")];
    for scenario in [of_maps(shares_a_map), of_maps(reads_a_map)] {
        let [reduced, full] = explored(&scenario, maps);
        assert_eq!((reduced.runs, reduced.represented.len()), (full.runs, 0), "{reduced}");
    }
}

#[test]
fn pairs_are_of_one_key() {
    let notes_twice = |request: Request| async move {
        let Some(map) = request.object.present() else { return Ok(Action::done()) };
        for name in ["first", "second"] {
            if !map.annotations().contains_key(name) {
                note(&request, request.key.name(), name, "yes").await?;
            }
        }
        Ok(Action::done())
    };
    let [reduced, full] = explored(&of_maps(notes_twice).pairs(1), &ALIKE[..2]);
    assert!(reduced.failures.is_empty(), "{reduced}");
    assert!(reduced.possible_pairs > 0 && reduced.possible_pairs * 3 < full.possible_pairs);
}
