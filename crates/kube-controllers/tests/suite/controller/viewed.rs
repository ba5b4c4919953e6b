//! Objects that a controller follows through a view, which can't read some of their states.

use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Resource;
use kube::api::ObjectMeta;
use kube_controllers::Controller;
use kube_controllers::controller::Followed;
use kube_informer::EventRef;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::sleep;

use crate::helpers::*;

/// Config maps with this entry.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = ConfigMap)]
struct Valued {
    metadata: ObjectMeta,
    data: Value,
}

#[derive(Clone, Debug, Deserialize)]
struct Value {
    value: String,
}

/// Secrets with this entry.
#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = Secret)]
struct Typed {
    metadata: ObjectMeta,
    #[expect(dead_code, reason = "only its presence counts")]
    data: Value,
}

/// Returns the value of the newest state, and of the one before.
fn tell(event: &EventRef<'_, Valued>) -> String {
    let new = &event.object().data.value;
    match event {
        EventRef::Added { .. } => format!("+{new}"),
        EventRef::Updated { old, .. } => format!("{}~{new}", old.data.value),
        EventRef::Deleted { final_state_known, .. } => format!("-{new} {final_state_known}"),
        EventRef::MovedAway { .. } => format!("<{new}"),
    }
}

/// A config map with a value, or without.
fn valued(value: &str) -> ConfigMap {
    let mut map = map("a", value);
    if value.is_empty() {
        map.data = None;
    }
    map
}

/// Returns the events that a mapping function gets of a config map with these values in turn, which
/// is then deleted.
async fn mapped(values: &[&str]) -> Vec<String> {
    let server = server_with(&[]);
    let factory = factory(&server);
    let followed = factory.informer::<ConfigMap>().view().unwrap();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = log.clone();
    let map = move |event: &EventRef<'_, Valued>| {
        told.lock().push(tell(event));
        [key("owner")]
    };
    let owners = factory.informer::<Secret>();
    let controller =
        Controller::builder("viewed", &owners).watches_events::<Valued, _>(&followed, map).build();
    let noting = Noting::run(controller);
    sleep(S).await;
    for (n, value) in values.iter().enumerate() {
        let map = valued(value);
        if n == 0 { server.create(&map) } else { server.replace(&map) }.unwrap();
        sleep(S).await;
    }
    server.delete(&valued("")).unwrap();
    sleep(S).await;
    noting.stop.cancel();
    noting.running.await.unwrap().unwrap();
    log.lock().clone()
}

#[tokio::test(start_paused = true)]
async fn events_of_a_view_fit_together_without_unreadable_states() {
    for (values, expected) in [
        (&["", "1"][..], &["+1", "-1 true"][..]),
        (&["1", "", "2"], &["+1", "1~2", "-2 true"]),
        (&["1", ""], &["+1", "-1 false"]),
        (&["", ""], &[]),
        (&["1", "", "", "2", ""], &["+1", "1~2", "-2 false"]),
    ] {
        let told = mapped(values).await;
        assert_eq!(told, expected, "{values:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn owner_is_reconciled_for_dependents_that_a_view_cannot_read() {
    for filtered in [false, true] {
        let server = server_with(&["owner"]);
        let factory = factory(&server);
        let owners = factory.informer::<ConfigMap>();
        let followed = factory.informer::<Secret>().view::<Typed>().unwrap();
        let mut dependents = Followed::from(&followed);
        if filtered {
            dependents = dependents.predicate(|_: &EventRef<'_, Typed>| true);
        }
        let noting = Noting::run(Controller::builder("owners", &owners).owns(dependents).build());
        sleep(S).await;
        assert_eq!(noting.log.take(), [key("owner")]);
        let owner = owners.lister().get_by_key(&key("owner")).unwrap();
        let mut secret = secret_of(&owner, "a");
        for (n, readable) in [false, true, false, false, true, false].into_iter().enumerate() {
            secret.data = readable.then(|| [("value".into(), ByteString(b"1".into()))].into());
            secret.immutable = Some(n % 2 == 0);
            if n == 0 { server.create(&secret) } else { server.replace(&secret) }.unwrap();
            sleep(S).await;
            assert_eq!(noting.log.take(), [key("owner")], "{filtered}, {n}");
        }
        server.delete(&secret).unwrap();
        sleep(S).await;
        assert_eq!(noting.log.take(), [key("owner")], "{filtered}, deleted");
        factory.shutdown().await;
    }
}
