//! Readiness of a manager with webhooks.

use bytes::Bytes;
use http_body_util::Full;
use k8s_openapi::api::coordination::v1::Lease;
use kube::core::GroupVersionKind;
use kube_webhooks::{Admission, Conversion, ManagedCertificates, Service, Webhooks};

use super::*;

#[tokio::test(start_paused = true)]
async fn readiness_does_not_wait_for_kinds_that_we_convert() {
    let faults = Faults::new();
    let to = |resource: &str| Requests::all().to(resource);
    let unconverted = faults.inject(to("leases"), Injection::status(500));
    let slow = faults.inject(to("configmaps"), Injection::status(503));
    let no_secrets = faults.inject(to("secrets"), Injection::status(403));
    let server = ApiServer::new();
    let client = faults.client(server.client());
    let factory = SharedInformerFactory::builder(client.clone()).on_error(|_| {}).build();
    let _converted = factory.informer::<Lease>();
    let controller = Controller::builder("maps", &factory.informer::<ConfigMap>()).build();
    // Any kind can stand for one that is converted.
    let hub = GroupVersionKind::gvk("coordination.k8s.io", "v1", "Lease");
    let conversion = Conversion::dynamic_hub(&hub, "leases").dynamic("v1beta1", Ok, Ok);
    let webhooks = Webhooks::builder()
        .convert("/convert", conversion)
        .validate("/maps", async |_: Admission<ConfigMap>| Ok(()))
        .build()
        .unwrap();
    let certificates = ManagedCertificates::new(client, Service::new("default", "hooks"), "hooks");
    let server = webhooks.listen(([127, 0, 0, 1], 0), certificates.into()).await.unwrap();
    let manager = Manager::builder(&factory)
        .webhooks(server)
        .controller(controller, |_| async { Ok::<_, Infallible>(Action::done()) });
    let rig = Rig::run(Serve::new(), faults, manager);
    sleep(S).await;
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 500);
    assert!(body.contains("[-]webhooks failed: cannot read the secret hooks"), "{body}");
    assert!(body.contains("[-]informer-sync/configmaps failed"), "{body}");

    no_secrets.remove();
    slow.remove();
    sleep(70 * S).await;
    let (status, body) = rig.get("/readyz?verbose").await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("[+]webhooks ok"), "{body}");
    assert!(body.contains("informer-sync/leases.coordination.k8s.io"), "{body}");
    let manager = &rig
        .site
        .answer(ALL, Request::get("/status").body(Full::<Bytes>::default()).unwrap())
        .await;
    let status: serde_json::Value = serde_json::from_slice(manager.body()).unwrap();
    assert_eq!(status["phase"], "syncing");
    assert_eq!(status["webhooks"]["certificate"]["exchanged"], 1);

    unconverted.remove();
    sleep(70 * S).await;
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    rig.stop.cancel();
    rig.running.await.unwrap().unwrap();
}
