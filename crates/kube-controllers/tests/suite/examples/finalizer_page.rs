use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ObjectMeta};
use kube::{Client, ResourceExt};
use kube_controllers::controller::{BoxError, FinalizerError, finalizer};
use kube_controllers::{Action, ReconcileRequest};
use kube_informer::testing::ApiServer;

async fn reconcile(request: ReconcileRequest<ConfigMap, Client>) -> Result<Action, FinalizerError> {
    let Some(map) = request.object.present() else { return Ok(Action::done()) };
    let api = request.api(&request.context);
    let action = finalizer(&api, "example.com/bucket", map, |_work| async {
        Ok::<_, BoxError>(Action::done()) // and make or delete the bucket here
    });
    action.await
}

#[tokio::test(start_paused = true)]
async fn map_gets_a_finalizer() {
    let server = ApiServer::new();
    let (namespace, name) = (Some("shop".into()), Some("a".into()));
    let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    let map = server.create(&map).unwrap(); // with its uid, unlike the map that the test made

    let request = ReconcileRequest::present(map, server.client());
    assert_eq!(reconcile(request).await.unwrap(), Action::done());
    let api = Api::<ConfigMap>::namespaced(server.client(), "shop");
    assert_eq!(api.get("a").await.unwrap().finalizers(), ["example.com/bucket"]);
}
