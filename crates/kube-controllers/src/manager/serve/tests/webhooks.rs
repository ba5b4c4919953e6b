//! Readiness of a manager with webhooks.

use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use kube_webhooks::{Admission, Conversion, Hook, ManagedCertificates, Service, Webhooks};

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

/// A definition whose objects are stored in v1, and converted by our Service.
fn definition(plural: &str, kind: &str) -> serde_json::Value {
    let version = |name: &str| {
        serde_json::json!({
            "name": name, "served": true, "storage": name == "v1",
            "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            } },
        })
    };
    serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": plural, "kind": kind },
            "versions": [version("v1"), version("v2")],
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": { "service": {
                    "namespace": "default", "name": "hooks", "path": format!("/{plural}"),
                } },
            } },
        },
    })
}

fn dynamic(plural: &str, kind: &str, version: &str) -> ApiResource {
    let kind = GroupVersionKind::gvk("example.com", version, kind);
    ApiResource::from_gvk_with_plural(&kind, plural)
}

/// Kinds that we convert hold all permits to list, the webhook reads a kind that lists after them,
/// and the Service sends nothing to a pod that is not ready. Without a watch cache, each list waits
/// for the conversion.
#[tokio::test(start_paused = true)]
async fn converted_kinds_do_not_keep_the_permits_of_what_webhooks_read() {
    const KINDS: [(&str, &str); 3] = [("cogs", "Cog"), ("gears", "Gear"), ("wheels", "Wheel")];
    let server = ApiServer::builder().watch_cache(false).build();
    let faults = Faults::new();
    let client = faults.client(server.client());
    let slow = faults.inject(Requests::all().to("configmaps"), Injection::status(503));
    let definitions =
        GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let definitions: Api<DynamicObject> =
        Api::all_with(client.clone(), &ApiResource::from_gvk(&definitions));
    for (plural, kind) in KINDS {
        let definition = serde_json::from_value(definition(plural, kind)).unwrap();
        definitions.create(&PostParams::default(), &definition).await.unwrap();
        let stored = dynamic(plural, kind, "v1");
        let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &stored);
        let object = DynamicObject::new("a", &stored);
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    let factory = SharedInformerFactory::builder(client.clone())
        .max_concurrent_lists(KINDS.len())
        .on_error(|_| {})
        .build();
    let converted = KINDS.map(|(plural, kind)| factory.dynamic(&dynamic(plural, kind, "v2")));
    let maps = factory.informer::<ConfigMap>();
    let validate = Hook::validate("/maps", async |_: Admission<ConfigMap>| Ok(())).reads(&maps);
    let mut webhooks = Webhooks::builder().hook(validate);
    for (plural, kind) in KINDS {
        let hub = GroupVersionKind::gvk("example.com", "v2", kind);
        let conversion = Conversion::dynamic_hub(&hub, plural).dynamic("v1", Ok, Ok);
        webhooks = webhooks.convert(format!("/{plural}"), conversion);
    }
    let webhooks = webhooks.build().unwrap();
    let ready = Arc::new(AtomicBool::new(false));
    let (is_ready, answers) = (ready.clone(), webhooks.clone());
    server.webhook("default/hooks", move |request| {
        let (webhooks, is_ready) = (answers.clone(), is_ready.load(Ordering::Relaxed));
        async move {
            if !is_ready {
                return std::future::pending().await;
            }
            let (head, body) = webhooks.answer(request.map(Full::new)).await.into_parts();
            Response::from_parts(head, body.collect().await.unwrap().to_bytes())
        }
    });
    let certificates = ManagedCertificates::new(client, Service::new("default", "hooks"), "hooks");
    let listening = webhooks.listen(([127, 0, 0, 1], 0), certificates.into()).await.unwrap();
    let manager = Manager::builder(&factory).webhooks(listening);
    let rig = Rig::run(Serve::new(), faults, manager);

    // The other kinds have all permits when it is to be listed again.
    sleep(S / 10).await;
    slow.remove();
    sleep(10 * S).await;
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 500, "{body}");
    assert!(body.contains("[-]informer-sync/configmaps failed: waits to list"), "{body}");
    let unready = webhooks.not_ready();
    assert_eq!(unready, ["/maps: the cache of configmaps has not synced"]);
    // A conversion takes 30 s until it fails.
    sleep(60 * S).await;
    let (status, body) = rig.get("/readyz").await;
    assert_eq!(status, 200, "{body}");
    assert!(webhooks.not_ready().is_empty());
    assert!(converted.iter().all(|informer| !informer.has_synced()));

    ready.store(true, Ordering::Relaxed);
    sleep(120 * S).await;
    assert!(converted.iter().all(kube_informer::SharedInformer::has_synced));
    assert_eq!(rig.get("/readyz").await, (200, "ok".into()));
    rig.stop.cancel();
    rig.running.await.unwrap().unwrap();
}
