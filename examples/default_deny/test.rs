use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::api::{Api, DeleteParams, ObjectMeta};
use kube_controllers::manager::ManagerError;
use kube_informer::testing::ApiServer;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

type Running = JoinHandle<Result<(), ManagerError>>;

#[tokio::test(start_paused = true)]
async fn policy_comes_back_after_deletion() {
    let server = ApiServer::new();
    let stop = CancellationToken::new();
    let manager = default_deny::manager(server.client()).unwrap().build().unwrap();
    let mut running = tokio::spawn(manager.run_until(stop.clone()));
    let policies = Api::<NetworkPolicy>::namespaced(server.client(), "shop");

    let metadata = ObjectMeta { name: Some("shop".into()), ..ObjectMeta::default() };
    server.create(&Namespace { metadata, ..Namespace::default() }).unwrap();
    wait_for_policy(&policies, &mut running).await;

    policies.delete("default-deny", &DeleteParams::default()).await.unwrap();
    wait_for_policy(&policies, &mut running).await;

    stop.cancel();
    running.await.unwrap().unwrap();
}

async fn wait_for_policy(policies: &Api<NetworkPolicy>, running: &mut Running) {
    let there = async {
        while policies.get_opt("default-deny").await.unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        () = there => {}
        ended = running => panic!("the manager has ended: {}", ended.unwrap().unwrap_err()),
        () = tokio::time::sleep(Duration::from_secs(600)) => panic!("no policy in ten minutes"),
    }
}
