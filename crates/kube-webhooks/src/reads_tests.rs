//! Webhooks that read informers.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_embedded_apiserver::ApiServer;
use kube_informer::SharedInformerFactory;

use crate::{Admission, Hook, Webhooks};

const S: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn cache_that_is_not_fresh_is_not_read() {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    let maps = factory.informer::<ConfigMap>();
    let hook = |path: &str| {
        let lister = maps.lister();
        let hook = Hook::validate(path, move |review: Admission<ConfigMap>| {
            assert!(lister.get(&review.name).is_err());
            async { Ok(()) }
        });
        hook.reads(&maps)
    };
    let webhooks = Webhooks::builder()
        .hook(hook("/any-age"))
        .hook(hook("/now").fresh_within(Duration::ZERO))
        .build()
        .unwrap();
    let ask = async |path: &str| {
        let body = r#"{
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "u",
                "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
                "resource": { "group": "", "version": "v1", "resource": "configmaps" },
                "operation": "DELETE"
            }
        }"#;
        let request = Request::post(path).body(Full::<Bytes>::from(body)).unwrap();
        webhooks.answer(request).await.status().as_u16()
    };
    assert_eq!(ask("/any-age").await, 503);
    let reasons = webhooks.not_ready();
    assert_eq!(reasons[0], "/any-age: the cache of configmaps has not synced");
    factory.start().unwrap();
    factory.wait_for_sync(S).await.unwrap();
    assert_eq!((ask("/any-age").await, ask("/now").await), (200, 200));

    tokio::time::sleep(10 * S).await;
    assert_eq!((ask("/any-age").await, ask("/now").await), (200, 503));
    assert_eq!(
        webhooks.not_ready(),
        ["/now: the cache of configmaps is 10s old, and the limit is 2s"]
    );
    factory.shutdown().await;
}
