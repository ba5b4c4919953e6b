//! Errors say the cause: every one of them, once, with what was asked and what to do.

use std::error::Error;
use std::time::Duration;

use http::Response;
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::client::Body;
use kube_informer::error::{FaultClass, SourceError};
use kube_informer::lister_watcher::{ListHints, ListQuery, ListerWatcher};
use kube_informer::testing::ApiServer;
use kube_informer::transport::ApiSource;
use kube_informer::{InformerSpec, ObjectKey, SharedInformerFactory};
use serde_json::json;
use tokio::net::TcpListener;

use crate::helpers::{answered_by, refusal};

/// A client of this address, which does not retry by itself.
fn client(url: &str) -> kube::Client {
    let mut config = kube::Config::new(url.parse().unwrap());
    config.default_retry = false;
    kube::Client::try_from(config).unwrap()
}

async fn failure<K>(source: &ApiSource<K>) -> SourceError
where
    K: kube::Resource + Send + Sync + 'static,
{
    match source.list(&ListQuery::default(), &ListHints::none()).await {
        Ok(_) => panic!("the list succeeds"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_refused_connection_names_address_path_and_cause() {
    // A port that was just free.
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let source = ApiSource::<Pod>::new(client(&format!("http://{address}"))).namespace("shop");
    let error = failure(&source).await;
    assert_eq!(error.class(), FaultClass::Refused);
    let text = error.to_string();
    assert!(text.starts_with("list pods in shop: no answer: GET "), "{text}");
    assert!(text.contains(&format!("{address}/api/v1/namespaces/shop/pods")), "{text}");
    assert!(text.contains("Connection refused"), "{text}");
    for cause in ["client error (Connect)", "tcp connect error", "Connection refused"] {
        assert_eq!(text.matches(cause).count(), 1, "{text}");
    }
}

#[tokio::test]
async fn an_unknown_name_says_that_it_is_unknown() {
    let error = failure(&ApiSource::<Pod>::new(client("http://no-such-name.invalid"))).await;
    let text = error.to_string();
    assert!(text.contains("/api/v1/pods") && text.contains("dns error"), "{text}");
    assert!(text.contains("failed to lookup address information"), "{text}");
}

#[tokio::test]
async fn an_untrusted_certificate_is_called_that() {
    let listening = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap();
    let error = failure(&ApiSource::<Pod>::new(client(&listening.url()))).await;
    let text = error.to_string();
    assert!(text.contains("/api/v1/pods") && text.contains("certificate"), "{text}");
}

#[tokio::test]
async fn a_missing_collection_asks_about_definition_and_scope() {
    let missing = || {
        answered_by(|_| {
            Response::builder().status(404).body(Body::from(b"404 not found".to_vec())).unwrap()
        })
    };
    let text = failure(&ApiSource::<Pod>::new(missing())).await.to_string();
    assert!(text.contains("definition installed"), "{text}");
    let text = failure(&ApiSource::<Node>::new(missing()).namespace("shop")).await.to_string();
    assert!(text.contains("no namespaces"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_is_cut_in_the_log() {
    let page = format!("<html>{}", "é".repeat(1 << 20));
    let client = answered_by(move |_| {
        Response::builder().status(502).body(Body::from(page.clone().into_bytes())).unwrap()
    });
    let factory = SharedInformerFactory::builder(client).build();
    factory.informer::<Pod>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(Duration::from_secs(1)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("502: <html>é") && text.contains("(cut)"), "{text}");
    assert!(text.len() < 2048, "{} bytes", text.len());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn sync_error_has_the_last_error_as_source() {
    let client = answered_by(|_| refusal(403, "Forbidden", "not for you").map(Body::from));
    let factory = SharedInformerFactory::builder(client).build();
    factory.informer::<Pod>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(Duration::from_secs(10)).await.unwrap_err();
    assert!(error.to_string().contains("not for you"), "{error}");
    let source = error.source().and_then(|source| source.downcast_ref::<SourceError>());
    assert_eq!(source.unwrap().class(), FaultClass::Forbidden);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn sync_error_tells_apart_informers_of_one_kind() {
    let server = ApiServer::builder().token("t", "nobody", []).build();
    let factory = SharedInformerFactory::builder(server.client_with_token("t")).name("west");
    let factory = factory.on_error(|_| {}).build();
    for tenant in ["a", "b"] {
        let spec = InformerSpec::<Pod>::new().labels(format!("tenant={tenant}"));
        factory.informer_with(spec).unwrap();
    }
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(Duration::from_secs(5)).await.unwrap_err();
    let text = error.to_string();
    for name in ["pods (west labels tenant=a): ", "pods (west labels tenant=b): ", "pods (west): "]
    {
        assert!(text.contains(name), "{name:?} in {text}");
    }
    let key = ObjectKey::namespaced("shop", "a").unwrap();
    let late = pods.wait_until(&key, Duration::from_secs(1), |pod| pod.is_some()).await;
    let text = late.unwrap_err().to_string();
    assert!(text.contains("has not synced: pods (west): ") && text.contains("403"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn waits_on_an_informer_that_was_not_started_say_so() {
    let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    let (pods, limit) = (factory.informer::<Pod>(), Duration::from_secs(5));
    let key = ObjectKey::namespaced("shop", "a").unwrap();
    let late = pods.wait_until(&key, limit, |pod| pod.is_some()).await.unwrap_err();
    let read = pods.lister().namespace("shop").get_at_least("a", &"7".into(), limit).await;
    let sync = factory.wait_for_sync(limit).await.unwrap_err();
    for text in [late.to_string(), sync.to_string()] {
        assert!(text.contains("was not started; call `start` of its factory"), "{text}");
    }
    let text = read.unwrap_err().to_string();
    assert!(text.contains("no list") && text.contains("start its informer"), "{text}");
}

/// `kubectl get --raw` prints what the server sends.
#[tokio::test(start_paused = true)]
async fn column_of_wrong_type_fits_the_raw_object() {
    #[derive(Clone, Debug, kube::CustomResource, serde::Deserialize, serde::Serialize)]
    #[kube(group = "example.com", version = "v1", kind = "Site", namespaced, schema = "disabled")]
    struct SiteSpec {
        replicas: i32,
    }
    let server = ApiServer::new();
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let versions = json!([{
        "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}
    }]);
    let names = json!({"plural": "sites", "kind": "Site"});
    let definition: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": {"name": "sites.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": names, "versions": versions
        },
    }))
    .unwrap();
    server.create(&definition).unwrap();
    let resource = ApiResource::erase::<Site>(&());
    let mut site = DynamicObject::new("a", &resource).within("shop");
    site.data = json!({"spec": {"replicas": "three", "other": 1}});
    let sites = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &resource);
    sites.create(&PostParams::default(), &site).await.unwrap();

    let source = SharedInformerFactory::builder(server.client()).build();
    let typed = source.informer::<Site>();
    source.start().unwrap();
    typed.wait_for_sync(Duration::from_secs(60)).await.unwrap();
    let error = typed.status().reflector.last_error.unwrap().0.to_string();
    let (_, column) = error.rsplit_once("expected i32 at line 1 column ").unwrap();
    let path = "/apis/example.com/v1/namespaces/shop/sites/a";
    let raw = http::Request::get(path).body(vec![]).unwrap();
    let raw = server.client().request_text(raw).await.unwrap();
    let until = &raw[..column.parse().unwrap()];
    assert!(until.ends_with(r#""replicas":"three""#), "{error}: {until}");
}
