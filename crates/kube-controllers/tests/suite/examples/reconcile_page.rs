use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::ObjectMeta;
use kube_controllers::{Action, ReconcileRequest};
use kube_informer::testing;

/// The time after which a map is deleted.
const LIFETIME: Duration = Duration::from_secs(3_600);

struct Context {
    now: fn() -> Timestamp,
}

async fn reconcile(request: ReconcileRequest<ConfigMap, Context>) -> Result<Action, kube::Error> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    let Some(made) = &map.metadata.creation_timestamp else { return Ok(Action::done()) };
    let age = (request.context.now)().duration_since(made.0);
    match LIFETIME.checked_sub(age.unsigned_abs()) {
        Some(left) if !left.is_zero() => Ok(Action::requeue_after(left)),
        _ => Ok(Action::done()), // and delete it here
    }
}

#[tokio::test(start_paused = true)]
async fn map_is_left_alone_for_an_hour() {
    let creation_timestamp = Some(Time(testing::now()));
    let metadata = ObjectMeta {
        name: Some("a".into()),
        namespace: Some("shop".into()),
        creation_timestamp,
        ..ObjectMeta::default()
    };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    let request = || ReconcileRequest::present(map.clone(), Context { now: testing::now });

    assert_eq!(reconcile(request()).await.unwrap(), Action::requeue_after(LIFETIME));
    tokio::time::sleep(LIFETIME).await;
    assert_eq!(reconcile(request()).await.unwrap(), Action::done());
}
