//! The permissions that the documentation names suffice.

use k8s_openapi::api::apps::v1::Deployment;
use kube_controllers::writing::{Applier, ApplyError};
use kube_informer::SharedInformerFactory;
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;
use serde_json::json;

use super::support::*;
use crate::helpers::S;

#[tokio::test(start_paused = true)]
async fn documented_permissions_suffice() {
    let rules = [
        AccessRule::new(["list", "watch", "create", "patch"], ["deployments.apps"]),
        AccessRule::new(["patch"], ["deployments/status.apps"]),
        AccessRule::new(["create", "patch"], ["events.events.k8s.io"]),
    ];
    let server = ApiServer::builder().token("t", "site", rules).build();
    let client = server.client_with_token("t");
    let factory = SharedInformerFactory::builder(client.clone()).build();
    let deployments = factory.informer::<Deployment>();
    let applier = Applier::builder(client.clone(), &deployments, "site").build().unwrap();
    let mut desired = deployment(3, "1");
    desired.status = serde_json::from_value(json!({"replicas": 3})).unwrap();
    for _ in 0..2 {
        applier.apply(&desired).await.unwrap();
        applier.apply_status(&desired).await.unwrap();
    }
    {
        let events = kube_controllers::writing::EventRecorder::new(client, "site").unwrap();
        for _ in 0..2 {
            events.normal(&desired, "Applied", "");
        }
        assert!(events.flush(S).await);
        assert_eq!(events.status().published, 2);
    }
    server.revoke("site");
    desired.metadata.labels = None;
    let refused = applier.apply(&desired).await.unwrap_err();
    let ApplyError::Request { source: kube::Error::Api(status), .. } = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(status.code, 403);
    factory.shutdown().await;
}
