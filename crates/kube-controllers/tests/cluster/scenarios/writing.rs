//! Writing back: applies that are sent only for a reason.

use kube::api::{Patch, PatchParams};
use kube_controllers::writing::{Applied, Applier, ApplyError};
use kube_informer::informer::ConditionTimeout;
use kube_informer::{ObjectKey, SharedInformer};
use serde_json::json;

use super::super::harness::Outcome;
use super::super::rig::{Rig, SOON};
use super::super::widgets::{Widget, WidgetSpec, WidgetStatus};

const MANAGER: &str = "scenario";

fn desired(color: &str) -> Widget {
    Widget::new("applied", WidgetSpec { color: color.to_owned(), size: 1 })
}

/// Waits until the cache holds what was sent, and returns whether anything was.
async fn apply(
    rig: &Rig,
    applier: &Applier<Widget>,
    widgets: &SharedInformer<Widget>,
    desired: &Widget,
) -> bool {
    let Applied::Sent(answer) = applier.apply(desired).await.unwrap() else { return false };
    seen(rig, widgets, answer.metadata.resource_version.as_deref().unwrap_or_default())
        .await
        .unwrap();
    true
}

async fn seen(
    rig: &Rig,
    widgets: &SharedInformer<Widget>,
    version: &str,
) -> Result<(), ConditionTimeout> {
    let key = ObjectKey::namespaced(&rig.namespace, "applied").expect("it is a name");
    let at = |widget: Option<&Widget>| {
        widget.is_some_and(|widget| widget.metadata.resource_version.as_deref() == Some(version))
    };
    widgets.wait_until(&key, SOON, at).await.map(drop)
}

/// Changes the widget as another manager, by a merge patch, and waits until the cache shows it.
async fn meddle(rig: &Rig, widgets: &SharedInformer<Widget>, patch: serde_json::Value) {
    let parameters =
        PatchParams { field_manager: Some("meddler".into()), ..PatchParams::default() };
    let changed = rig.widgets().patch("applied", &parameters, &Patch::Merge(patch)).await.unwrap();
    let version = changed.metadata.resource_version.unwrap_or_default();
    seen(rig, widgets, &version).await.unwrap();
}

pub(super) async fn applies_are_sent_for_a_reason_only(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let widgets = factory.informer::<Widget>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let builder = || Applier::builder(rig.client(), &widgets, MANAGER);
    let applier = builder().force(true).build().unwrap();
    let mut wanted = desired("blue");
    wanted.metadata.namespace = Some(rig.namespace.clone());

    assert!(apply(&rig, &applier, &widgets, &wanted).await, "it is new");
    assert!(!apply(&rig, &applier, &widgets, &wanted).await, "it is there");
    meddle(&rig, &widgets, json!({ "metadata": { "labels": { "foreign": "yes" } } })).await;
    assert!(!apply(&rig, &applier, &widgets, &wanted).await, "a foreign label is left alone");
    meddle(&rig, &widgets, json!({ "spec": { "color": "red" } })).await;
    assert!(apply(&rig, &applier, &widgets, &wanted).await, "our field is put back");
    assert_eq!(rig.widgets().get("applied").await.unwrap().spec.color, "blue");
    wanted.spec.size = 2;
    assert!(apply(&rig, &applier, &widgets, &wanted).await, "something else is wanted");

    // A process that starts again sends once.
    let applier = builder().force(true).build().unwrap();
    assert!(apply(&rig, &applier, &widgets, &wanted).await, "it has sent nothing yet");
    assert!(!apply(&rig, &applier, &widgets, &wanted).await);

    wanted.status = Some(WidgetStatus { ready: true });
    let Applied::Sent(answer) = applier.apply_status(&wanted).await.unwrap() else {
        panic!("the status is new");
    };
    assert_eq!(answer.status, Some(WidgetStatus { ready: true }));
    let version = answer.metadata.resource_version.clone().unwrap_or_default();
    seen(&rig, &widgets, &version).await.unwrap();
    assert!(!applier.apply_status(&wanted).await.unwrap().was_sent());
    assert!(!applier.apply(&wanted).await.unwrap().was_sent(), "the status is no part of it");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}

pub(super) async fn a_conflict_names_manager_and_field(rig: Rig) -> Outcome {
    let (factory, errors) = rig.factory();
    let widgets = factory.informer::<Widget>();
    factory.start().unwrap();
    factory.wait_for_sync(SOON).await.unwrap();
    let applier = |manager: &str| {
        Applier::builder(rig.client(), &widgets, manager).build().expect("it is a whole type")
    };
    let mut wanted = desired("blue");
    wanted.metadata.namespace = Some(rig.namespace.clone());
    applier("first").apply(&wanted).await.unwrap();
    "red".clone_into(&mut wanted.spec.color);
    let refused = applier("second").apply(&wanted).await.unwrap_err();
    let ApplyError::Conflict { object, conflicts, .. } = &refused else { panic!("{refused}") };
    assert!(object.contains("applied"), "{object}");
    let found: Vec<_> =
        conflicts.iter().map(|conflict| (&*conflict.manager, &*conflict.field)).collect();
    assert_eq!(found, [("first", ".spec.color")]);
    assert!(!refused.to_string().contains("red"), "no values: {refused}");
    errors.assert_none();
    factory.shutdown().await;
    Ok(())
}
