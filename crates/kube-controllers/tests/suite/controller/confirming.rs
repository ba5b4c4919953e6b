//! A look at the server before an object is deleted.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, DeleteParams, ObjectMeta};
use kube::core::DynamicObject;
use kube_controllers::controller::{ConfirmError, Confirmation, Presence, ReconcileRequest};
use kube_controllers::{Action, Controller};
use kube_informer::testing::{ApiServer, Faults, Injection, Requests};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::unserved;
use crate::helpers::*;

/// Returns a request to reconcile the map `a`, which stays in the cache as it is now.
async fn request(server: &ApiServer) -> ReconcileRequest<ConfigMap> {
    let maps = factory(server).informer::<ConfigMap>();
    let (requests, mut came) = mpsc::unbounded_channel();
    let running = spawn(Controller::builder("work", &maps).build().run(
        CancellationToken::new(),
        move |request| {
            let _ = requests.send(request);
            async { Ok::<_, std::io::Error>(Action::done()) }
        },
    ));
    let request = came.recv().await.unwrap();
    running.abort();
    request
}

fn cached(request: &ReconcileRequest<ConfigMap>) -> Arc<ConfigMap> {
    match &request.object {
        Presence::Present(map) => map.clone(),
        other => panic!("{other:?}"),
    }
}

fn is(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}

#[tokio::test(start_paused = true)]
async fn confirmed_object_is_deleted_unless_it_changed_since() {
    let server = server_with(&["a"]);
    let request = request(&server).await;
    let api = request.api(&server.client());
    let map = cached(&request);
    let Ok(Confirmation::Unchanged(first)) = request.confirm(&api, &map).await else {
        panic!("nothing has changed")
    };
    assert_eq!(first.live(), &*map);
    assert_eq!(first.preconditions().uid, map.metadata.uid);
    server.replace(&crate::helpers::map("a", "2")).unwrap();
    let refused = first.delete(DeleteParams::default()).await.unwrap_err();
    assert!(is(&refused, 409), "{refused}");

    let Ok(Confirmation::Changed(newer)) = request.confirm(&api, &map).await else {
        panic!("the cached state is older")
    };
    assert_eq!(newer.live().data, crate::helpers::map("a", "2").data);
    assert!(newer.delete(DeleteParams::background()).await.unwrap().is_none());
    assert!(matches!(request.confirm(&api, &map).await, Ok(Confirmation::Gone)));
}

#[tokio::test(start_paused = true)]
async fn dependent_of_any_kind_is_confirmed() {
    let server = ApiServer::new();
    let owner = server.create(&map("a", "1")).unwrap();
    let mut secret = secret_of(&owner, "b");
    secret.metadata.finalizers = Some(vec!["example.com/keep".into()]);
    let secret = server.create(&secret).unwrap();
    let request = request(&server).await;
    let api = request.api_of::<Secret>(&server.client());
    let Ok(Confirmation::Unchanged(confirmed)) = request.confirm(&api, &secret).await else {
        panic!("nothing has changed")
    };
    let going = confirmed.delete(DeleteParams::default()).await.unwrap();
    assert!(going.unwrap().metadata.deletion_timestamp.is_some(), "it has a finalizer");

    let resource = kube::api::ApiResource::erase::<Secret>(&());
    let dynamic = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &resource);
    let found = dynamic.get("b").await.unwrap();
    let confirmed = request.confirm(&dynamic, &found).await;
    assert!(matches!(confirmed, Ok(Confirmation::Unchanged(_))), "{confirmed:?}");
}

#[tokio::test(start_paused = true)]
async fn another_object_of_the_name_is_not_confirmed() {
    let server = server_with(&["a"]);
    let request = request(&server).await;
    let api = request.api(&server.client());
    let map = cached(&request);
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let other = server.create(&crate::helpers::map("a", "2")).unwrap();
    match request.confirm(&api, &map).await {
        Ok(Confirmation::Replaced(found)) => assert_eq!(found.metadata.uid, other.metadata.uid),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn failed_look_says_nothing_of_the_object() {
    let server = server_with(&["a"]);
    let request = request(&server).await;
    let map = cached(&request);
    let faults = Faults::new();
    faults.inject(Requests::all(), Injection::status(403));
    let api = request.api(&faults.client(server.client()));
    match request.confirm(&api, &map).await {
        Err(error @ ConfirmError::Failed { .. }) => {
            assert!(error.to_string().starts_with("shop/a was not confirmed"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    // A look into another namespace would find nothing.
    let elsewhere = Api::<ConfigMap>::namespaced(server.client(), "bank");
    let wrong = request.confirm(&elsewhere, &map).await;
    assert!(matches!(wrong, Err(ConfirmError::WrongNamespace(_))), "{wrong:?}");
    let metadata = ObjectMeta { uid: None, ..map.metadata.clone() };
    let sent = ConfigMap { metadata, ..ConfigMap::default() };
    let unidentified = request.confirm(&request.api(&server.client()), &sent).await;
    assert!(matches!(unidentified, Err(ConfirmError::Unidentified)), "{unidentified:?}");
}

#[tokio::test(start_paused = true)]
async fn unserved_kind_says_nothing_of_the_object() {
    let server = server_with(&["a"]);
    let request = request(&server).await;
    let (api, map) = (request.api(&server.client()), cached(&request));
    for answer in unserved() {
        server.intercept(move |_| Some(answer.clone()));
        let confirmed = request.confirm(&api, &map).await;
        assert!(matches!(confirmed, Err(ConfirmError::Failed { .. })), "{confirmed:?}");
        server.stop_intercepting();
    }
}
