//! Webhooks of others as disturbances: they refuse a write once, are down, or answer late.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::{Client, Error, ResourceExt};
use kube_controllers::{Action, Controller, ReconcileRequest};
use kube_informer::error::BoxError;
use kube_scenario::{Program, Scenario, World};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;

use crate::scenarios::map;

const NOTE: &str = "PATCH /api/v1/namespaces/shop/configmaps/a";

type Request = ReconcileRequest<ConfigMap, Client>;

/// The time of a note, and its end: the code and message of an error.
type Noted = (Duration, Option<(u16, String)>);

fn notes<F>(reconcile: impl Fn(Request) -> F + Copy + Send + Sync + 'static) -> Scenario
where
    F: Future<Output = Result<Action, BoxError>> + Send + 'static,
{
    Scenario::new(move |program: Program| async move {
        let factory = program.factory();
        let maps = factory.informer::<ConfigMap>();
        let controller = Controller::builder("notes", &maps).context(program.client()).build();
        program.run(&factory, controller, reconcile).await
    })
}

async fn note(request: &Request) -> kube::Result<()> {
    let Some(map) = request.object.as_present() else { return Ok(()) };
    if !map.annotations().contains_key("note") {
        let note = Patch::Merge(json!({"metadata": {"annotations": {"note": "done"}}}));
        let maps = request.api(&request.context);
        maps.patch(request.key.name(), &PatchParams::default(), &note).await?;
    }
    Ok(())
}

/// Returns errors, after which the key is tried again.
async fn retries(request: Request) -> Result<Action, BoxError> {
    note(&request).await?;
    Ok(Action::done())
}

/// Takes a refusal for the last word.
async fn gives_up(request: Request) -> Result<Action, BoxError> {
    match note(&request).await {
        Err(Error::Api(status)) if status.code == 403 => Ok(Action::done()),
        noted => noted.map(|()| Action::done()).map_err(Into::into),
    }
}

async fn creates(world: World) -> Result<(), BoxError> {
    world.server().create(&map("a"))?;
    world.settle().await?;
    Ok(())
}

/// Returns what the first note met that a schedule disturbs.
fn met(disturbance: &str) -> Noted {
    let met = Arc::new(Mutex::new(Vec::<Noted>::new()));
    let seen = met.clone();
    let scenario = Scenario::new(move |program: Program| {
        let seen = seen.clone();
        async move {
            let factory = program.factory();
            let maps = factory.informer::<ConfigMap>();
            let controller = Controller::builder("notes", &maps).context(program.client()).build();
            let reconcile = move |request: Request| {
                let seen = seen.clone();
                async move {
                    let since = Instant::now();
                    let noted = note(&request).await;
                    let problem = match &noted {
                        Err(Error::Api(status)) => Some((status.code, status.message.clone())),
                        _ => None,
                    };
                    seen.lock().push((since.elapsed(), problem));
                    noted.map(|()| Action::done())
                }
            };
            program.run(&factory, controller, reconcile).await
        }
    });
    scenario.replay(&format!("{disturbance} 1 {NOTE}"), creates).unwrap();
    let all = met.lock().clone();
    // The other run has no disturbance.
    all.into_iter().max_by_key(|(time, problem)| (problem.is_some(), *time)).unwrap()
}

#[test]
fn each_disturbance_happens() {
    let (_, refused) = met("webhook-refuses");
    let denial = "admission webhook \"policy.example.com\" denied the request: not now";
    assert_eq!(refused, Some((403, denial.into())));
    let (code, message) = met("webhook-down").1.unwrap();
    assert_eq!(code, 500);
    assert!(message.starts_with("Internal error occurred: failed calling webhook"), "{message}");
    let (time, problem) = met("webhook-late");
    assert_eq!((time.as_secs(), problem), (9, None));
}

#[test]
fn swallowed_refusal_is_found() {
    notes(gives_up).explore(creates).assert_passed();
    let found = notes(gives_up).webhooks(true).explore(creates);
    let schedules: Vec<_> = found.failures.iter().map(|one| &*one.schedule).collect();
    assert_eq!(schedules, [format!("webhook-refuses 1 {NOTE}")]);
    let problem = &found.failures[0].problem;
    assert!(problem.contains("ConfigMap/shop/a"), "{problem}");
    let replayed = notes(gives_up).replay(schedules[0], creates);
    assert_eq!(replayed.unwrap_err(), found.failures[0]);

    let repaired = notes(retries).webhooks(true).explore(creates).assert_passed();
    assert_eq!(repaired.runs, notes(retries).explore(creates).runs + 3);
}
