//! `default_deny`, the tutorial's controller, and that the tutorial shows it as it is.

#[allow(unreachable_pub, reason = "the file is a library in the tutorial")]
#[path = "../../../examples/default_deny/controller.rs"]
mod example;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams};
use kube::{Client, ResourceExt};
use kube_informer::controller::BoxError;
use kube_informer::testing::ApiServer;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::support::{Running, eventually};

async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    Ok(example::manager(client)?.build()?.run_until(stop).await?)
}

fn namespace(name: &str) -> Namespace {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

#[tokio::test(start_paused = true)]
async fn policy_comes_back() {
    let server = ApiServer::new();
    let client = server.client();
    let running = Running::begin(|stop| run(client, stop));
    server.create(&namespace("shop")).unwrap();
    let policies = Api::<NetworkPolicy>::namespaced(server.client(), "shop");
    let found = || async { policies.get_opt("default-deny").await.unwrap() };
    let first = eventually("the policy", found).await;

    policies.delete("default-deny", &DeleteParams::default()).await.unwrap();
    let second = eventually("another policy", || async {
        found().await.filter(|policy| policy.uid() != first.uid())
    })
    .await;
    assert_eq!(second.owner_references()[0].name, "shop");

    let open = Patch::Merge(json!({"spec": {"policyTypes": ["Egress"]}}));
    policies.patch("default-deny", &PatchParams::default(), &open).await.unwrap();
    eventually("the policy as it was", || async {
        found().await.filter(|policy| policy.spec == first.spec)
    })
    .await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn system_namespaces_stay_open() {
    let server = ApiServer::new();
    let client = server.client();
    let running = Running::begin(|stop| run(client, stop));
    for name in ["kube-node-pool", "shop"] {
        server.create(&namespace(name)).unwrap();
    }
    let policies = |name| Api::<NetworkPolicy>::namespaced(server.client(), name);
    let shop = policies("shop");
    eventually("the policy", || async { shop.get_opt("default-deny").await.unwrap() }).await;
    assert!(policies("kube-node-pool").get_opt("default-deny").await.unwrap().is_none());
    running.end().await;
}

/// The tutorial's test file, as a reader copies it.
mod test {
    use super::example as default_deny;

    include!("../../../examples/default_deny/test.rs");

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "the manager has ended: namespaces may not be listed or watched")]
    async fn wait_shows_why_the_manager_ended() {
        let server = ApiServer::builder().token("t", "nobody", []).build();
        let client = server.client_with_token("t");
        let manager = default_deny::manager(client).unwrap().build().unwrap();
        let mut running = tokio::spawn(manager.run_until(CancellationToken::new()));
        wait_for_policy(&Api::namespaced(server.client(), "shop"), &mut running).await;
    }
}

#[test]
fn tutorial_shows_the_example() {
    let page = include_str!("../../../src/docs/tutorial.md");
    // Lines of a doctest that readers do not see.
    let shown: Vec<_> = page.lines().filter(|line| !line.starts_with("# mod ")).collect();
    let shown = shown.join("\n");
    for file in [
        include_str!("../../../examples/default_deny/controller.rs"),
        include_str!("../../../examples/default_deny/test.rs"),
    ] {
        assert!(shown.contains(&format!("```rust\n{file}```")), "copy it into the page:\n{file}");
    }
}
