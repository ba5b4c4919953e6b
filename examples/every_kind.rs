//! The objects that belong to an application, over all kinds of the cluster, by a label.
//!
//! `cargo example every_kind` brings its own API server and ends by itself. `-- --cluster web`
//! lists the objects with the label `app.kubernetes.io/name=web` in the cluster of the present
//! kubeconfig, and follows them until Ctrl-C. Only metadata is requested and kept. The program
//! needs list and watch on all kinds that it follows; a kind that it may not list is named and left
//! out.

mod support;

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DynamicObject, ObjectMeta, PostParams};
use kube::core::{ApiResource, GroupVersionKind, PartialObjectMeta};
use kube::{Api, Client, Resource, ResourceExt};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use kube_informer::{Event, SharedInformerFactory};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const LABEL: &str = "app.kubernetes.io/name";

type Metadata = PartialObjectMeta<DynamicObject>;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let app = named.unwrap_or_else(|| "web".to_owned());
    let say = |line| println!("{line}");
    support::main(|client, stop| run(client, app, stop, say), life).await
}

/// Follows the objects of an application until `stop`; `say` is given each line.
pub(crate) async fn run(
    client: Client,
    app: String,
    stop: CancellationToken,
    say: impl Fn(String) + Clone + Send + Sync + 'static,
) -> Result<(), BoxError> {
    let factory =
        SharedInformerFactory::builder(client).name("every-kind").on_error(|_| {}).build();
    // Events come by the thousand, and are no part of an application.
    let kinds = factory.kinds_metadata(|kind| kind.kind != "Event" && kind.kind != "Lease");
    let (belongs, tell) = (move |object: &Metadata| has_label(object, &app), say.clone());
    let selects = belongs.clone();
    kinds.on_event(move |kind, event| {
        if let Some(line) = line(kind, &event, &selects) {
            tell(line);
        }
    });
    kinds.start()?;
    let synced = kinds.wait_for_sync(Duration::from_secs(30));
    if let Some(Err(error)) = stop.run_until_cancelled(synced).await {
        for unsynced in &error.unsynced {
            say(format!("! {unsynced}"));
        }
    }
    let (mut objects, mut followed) = (0, 0);
    for (_, informer) in kinds.informers() {
        followed += 1;
        objects += informer.lister().all().iter().filter(|object| belongs(object)).count();
    }
    say(format!("= {objects} objects, among {followed} kinds"));
    stop.cancelled().await;
    drop(kinds);
    factory.shutdown().await;
    Ok(())
}

fn has_label(object: &Metadata, app: &str) -> bool {
    object.labels().get(LABEL).is_some_and(|name| name == app)
}

/// Describes an event that concerns the application.
fn line(
    kind: &ApiResource,
    event: &Event<Metadata>,
    belongs: impl Fn(&Metadata) -> bool,
) -> Option<String> {
    let object = event.object();
    let namespace = object.namespace().map(|namespace| format!("{namespace}/"));
    let name = format!("{} {}{}", kind.kind, namespace.unwrap_or_default(), object.name_any());
    match event {
        Event::Added { .. } if belongs(object) => Some(format!("+ {name}")),
        Event::Updated { old, new } => match (belongs(old), belongs(new)) {
            (false, true) => Some(format!("+ {name}")),
            (true, false) => Some(format!("- {name}")),
            _ => None,
        },
        Event::Deleted { .. } | Event::MovedAway { .. } if belongs(object) => {
            Some(format!("- {name}"))
        }
        _ => None,
    }
}

/// An application of three kinds, one of which is defined while the program runs.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    let map = ConfigMap { metadata: labelled("config", "web"), ..ConfigMap::default() };
    server.create(&map)?;
    let service = Service { metadata: labelled("web", "web"), ..Service::default() };
    server.create(&service)?;
    let other = ConfigMap { metadata: labelled("other", "mail"), ..ConfigMap::default() };
    server.create(&other)?;
    support::moment().await;
    server.create(&definition()?)?;
    create_route(&server, "web").await?;
    support::moment().await;
    server.replace(&ConfigMap { metadata: labelled("config", "mail"), ..map })?;
    support::moment().await;
    // With the definition go its objects.
    server.delete(&definition()?)?;
    support::moment().await;
    Ok(())
}

pub(crate) fn labelled(name: &str, app: &str) -> ObjectMeta {
    ObjectMeta {
        namespace: Some("shop".into()),
        name: Some(name.into()),
        labels: Some([(LABEL.to_owned(), app.to_owned())].into()),
        ..ObjectMeta::default()
    }
}

/// Creates a route, a kind that [`definition`] defines.
pub(crate) async fn create_route(server: &ApiServer, app: &str) -> kube::Result<()> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Route"));
    let mut route = DynamicObject::new("main", &kind);
    *route.meta_mut() = labelled("main", app);
    let routes: Api<DynamicObject> = Api::namespaced_with(server.client(), "shop", &kind);
    routes.create(&PostParams::default(), &route).await.map(drop)
}

pub(crate) fn definition() -> Result<CustomResourceDefinition, serde_json::Error> {
    let schema = json!({"type": "object"});
    serde_json::from_value(json!({
        "metadata": {"name": "routes.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "routes", "kind": "Route"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    }))
}
