//! The tutorial's controller: each namespace gets a policy that refuses incoming connections, and
//! gets it back when someone deletes it.
//!
//! `cargo example default_deny` brings its own API server, creates a namespace, deletes its
//! policy, and ends by itself. `-- --cluster` works on the cluster of the present kubeconfig until
//! Ctrl-C. **It closes namespaces there to incoming connections.**

#[allow(unreachable_pub, reason = "the file is a library in the tutorial")]
mod controller;
#[path = "../support/mod.rs"]
mod support;

use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ObjectMeta};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_target(false).init();
    let run =
        |client, stop| async { Ok(controller::manager(client)?.build()?.run_until(stop).await?) };
    support::main(run, life).await
}

/// Creates a namespace and deletes its policy, which comes back.
async fn life(server: ApiServer) -> Result<(), BoxError> {
    let name = Some("shop".into());
    let metadata = ObjectMeta { name, ..ObjectMeta::default() };
    server.create(&Namespace { metadata, ..Namespace::default() })?;
    let policies = Api::<NetworkPolicy>::namespaced(server.client(), "shop");
    println!("created shop: its policy is {}", policy(&policies, "").await?);
    support::moment().await;
    let deleted = policy(&policies, "").await?;
    policies.delete("default-deny", &DeleteParams::default()).await?;
    println!("deleted it: its policy is {}", policy(&policies, &deleted).await?);
    Ok(())
}

/// Waits for a policy other than the one with this uid, and returns its uid.
async fn policy(policies: &Api<NetworkPolicy>, before: &str) -> Result<String, BoxError> {
    loop {
        let found = policies.get_opt("default-deny").await?.and_then(|policy| policy.uid());
        match found {
            Some(uid) if uid != before => return Ok(uid),
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}
