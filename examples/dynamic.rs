//! Follows the objects of a kind that is known at run time only: the server is asked what it
//! serves.
//!
//! `cargo example dynamic` brings its own API server, defines a kind there, and ends by
//! itself. `cargo example dynamic -- --cluster deployments.apps` follows that kind in the
//! cluster of the present kubeconfig until Ctrl-C. A kind is named as for kubectl: `pods`,
//! `Deployment`, `widgets.example.com`.

mod support;

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::discovery::verbs;
use kube::{Api, Client, Discovery, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, ObjectKey, SharedInformerFactory};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let kind = named.unwrap_or_else(|| "widgets".to_owned());
    support::main(|client, stop| run(client, kind, stop, |line| println!("{line}")), life).await
}

/// Follows the objects of the kind of this name until `stop`; `say` is given each line.
pub(crate) async fn run(
    client: Client,
    kind: String,
    stop: CancellationToken,
    mut say: impl FnMut(String),
) -> Result<(), BoxError> {
    let resource = find(&client, &kind).await?;
    say(format!("{kind} is {} of {}", resource.kind, resource.api_version));
    let factory = SharedInformerFactory::builder(client).name("dynamic").build();
    let objects = factory.dynamic(&resource);
    let by_app =
        objects.add_index("app", |object: &DynamicObject| object.labels().get("app").cloned())?;
    let mut events = objects.events()?;
    factory.start()?;
    let Some(synced) =
        stop.run_until_cancelled(factory.wait_for_sync(Duration::from_secs(30))).await
    else {
        return Ok(());
    };
    synced?;
    say(format!("{} objects, {} apps", objects.lister().len(), by_app.values().len()));
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            event = events.next() => match event {
                Some(event) => say(line(&event)?),
                None => break,
            },
        }
    }
    factory.shutdown().await;
    Ok(())
}

/// The resource of this name, in the version that the server recommends.
async fn find(client: &Client, name: &str) -> Result<ApiResource, BoxError> {
    let (name, group) = match name.split_once('.') {
        Some((name, group)) => (name, Some(group)),
        None => (name, None),
    };
    let discovery = Discovery::new(client.clone()).run().await?;
    let mut found = Vec::new();
    for (resource, capabilities) in
        discovery.groups_alphabetical().iter().flat_map(|group| group.recommended_resources())
    {
        let named = resource.plural == name || resource.kind.eq_ignore_ascii_case(name);
        let meant = named && group.is_none_or(|group| resource.group == group);
        let can = |verb| capabilities.supports_operation(verb);
        if meant && can(verbs::LIST) && can(verbs::WATCH) {
            found.push(resource);
        }
    }
    match found.len() {
        0 => Err(format!("the server has no {name} that can be listed and watched").into()),
        1 => Ok(found.remove(0)),
        _ => {
            let names = found.iter().map(|kind| format!("{}.{}", kind.plural, kind.group));
            let names: Vec<_> = names.collect();
            Err(format!("{name} may be any of {}", names.join(", ")).into())
        }
    }
}

fn line(event: &Event<DynamicObject>) -> Result<String, BoxError> {
    let object = event.object();
    let key = ObjectKey::of(&**object)?;
    Ok(match event {
        Event::Added { .. } => format!("+ {key} {}", state(object)),
        Event::Updated { old, new } => format!("~ {key} {} → {}", state(old), state(new)),
        Event::Deleted { .. } | Event::MovedAway { .. } => format!("- {key}"),
    })
}

/// Returns a state that most kinds have: a phase, or the condition `Ready`.
fn state(object: &DynamicObject) -> &str {
    let status = &object.data["status"];
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let ready = || conditions.clone().find(|condition| condition["type"] == "Ready");
    let phase = status["phase"].as_str();
    phase.unwrap_or_else(|| match ready().and_then(|condition| condition["status"].as_str()) {
        Some("True") => "Ready",
        Some(_) => "not ready",
        None => "no status",
    })
}

/// A definition, and a few objects' lives, on the embedded server.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    server.create(&definition()?)?;
    support::moment().await;
    let resource = find(&server.client(), "widgets.example.com").await?;
    let widgets = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &resource);
    for n in 0..3 {
        let mut widget = DynamicObject::new(&format!("widget-{n}"), &resource);
        widget.labels_mut().insert("app".into(), "web".into());
        widgets.create(&PostParams::default(), &widget).await?;
        support::moment().await;
        let status = Patch::Merge(json!({"status": {"phase": "Running"}}));
        widgets.patch_status(&widget.name_any(), &PatchParams::default(), &status).await?;
    }
    support::moment().await;
    // With the definition go its objects.
    server.delete(&definition()?)?;
    support::moment().await;
    Ok(())
}

/// Returns the definition that makes the server serve widgets.
pub(crate) fn definition() -> Result<CustomResourceDefinition, serde_json::Error> {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version: Value = json!({
        "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    });
    serde_json::from_value(json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version],
        },
    }))
}
