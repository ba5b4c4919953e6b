//! Names and errors tell what is wrong.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ApiServer;
use kube_informer::{InformerSpec, SharedInformerFactory};

use crate::helpers::factory;

#[tokio::test(start_paused = true)]
async fn informers_with_other_selectors_have_other_names() {
    let server = ApiServer::new();
    let factory = SharedInformerFactory::builder(server.client()).name("shop").build();
    let spec = InformerSpec::<ConfigMap>::new;
    for spec in [
        spec(),
        spec().labels("app=web"),
        spec().labels("app=db").fields("metadata.name=a"),
        spec().labels("app=x").name("mine"),
    ] {
        let first = factory.informer_with(spec.clone()).unwrap();
        assert_eq!(first.status().name, factory.informer_with(spec).unwrap().status().name);
    }
    let names: Vec<_> = factory.status().informers.iter().map(|one| one.name.clone()).collect();
    let expected =
        ["mine", "shop", "shop labels app=db fields metadata.name=a", "shop labels app=web"];
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), expected);
}

#[tokio::test(start_paused = true)]
async fn unauthorized_list_says_what_to_do() {
    let server = ApiServer::new();
    server.intercept(|_| Some(http::Response::builder().status(401).body("".into()).unwrap()));
    let factory = factory(&server);
    factory.informer::<ConfigMap>();
    factory.start().unwrap();
    let error = factory.wait_for_sync(Duration::from_secs(9)).await.unwrap_err().to_string();
    assert!(error.contains("check kubeconfig or service account"), "{error}");
}
