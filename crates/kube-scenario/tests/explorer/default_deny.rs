//! The example `default_deny`: the tutorial's controller.

#[allow(unreachable_pub, reason = "the file is a library in the tutorial")]
#[path = "../../../../examples/default_deny/controller.rs"]
mod example;

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::{Api, ResourceExt};
use kube_informer::error::BoxError;
use serde_json::json;

use kube_scenario::{Scenario, World};

fn default_deny() -> Scenario {
    Scenario::of_manager(example::manager)
}

fn namespace(name: &str) -> Namespace {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    Namespace { metadata, ..Namespace::default() }
}

fn policy(world: &World, namespace: &str) -> Option<NetworkPolicy> {
    world.get(namespace, "default-deny")
}

#[tokio::test(start_paused = true)]
async fn policy_comes_back() {
    let world = default_deny().start();
    world.server().create(&namespace("shop")).unwrap();
    world.settle().await.unwrap();
    let first = policy(&world, "shop").unwrap();
    let types = first.spec.as_ref().and_then(|spec| spec.policy_types.clone());
    assert_eq!(types, Some(vec!["Ingress".to_owned()]));

    world.server().delete(&first).unwrap();
    world.settle().await.unwrap();
    let second = policy(&world, "shop").unwrap();
    assert_ne!(second.uid(), first.uid());
    assert_eq!(second.owner_references()[0].name, "shop");

    let mut open = second.clone();
    open.spec.get_or_insert_default().policy_types = Some(vec!["Egress".into()]);
    world.server().replace(&open).unwrap();
    world.settle().await.unwrap();
    assert_eq!(policy(&world, "shop").unwrap().spec, first.spec);
    assert_eq!(world.list::<Lease>().len(), 1, "it works while it leads");
    world.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fields_that_another_manager_took_are_taken_back() {
    let world = default_deny().start();
    world.server().create(&namespace("shop")).unwrap();
    world.settle().await.unwrap();
    let before = policy(&world, "shop").unwrap().spec;
    let open = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "spec": {"podSelector": {}, "policyTypes": ["Egress"]},
    });
    let policies = Api::<NetworkPolicy>::namespaced(world.server().client(), "shop");
    let forced = PatchParams::apply("kubectl").force();
    policies.patch("default-deny", &forced, &Patch::Apply(open)).await.unwrap();
    world.settle().await.unwrap();
    assert_eq!(policy(&world, "shop").unwrap().spec, before);
}

#[tokio::test(start_paused = true)]
async fn system_namespaces_stay_open() {
    let world = default_deny().start();
    for name in ["kube-node-pool", "shop"] {
        world.server().create(&namespace(name)).unwrap();
    }
    world.settle().await.unwrap();
    assert!(policy(&world, "shop").is_some());
    assert!(policy(&world, "kube-node-pool").is_none());
}

#[tokio::test(start_paused = true)]
async fn namespace_that_is_being_deleted_gets_no_policy() {
    let world = default_deny().start();
    let mut going = namespace("shop");
    going.metadata.finalizers = Some(vec!["example.com/kept".into()]);
    world.server().create(&going).unwrap();
    world.settle().await.unwrap();
    let writes = world.writes().len();
    // The namespace controller deletes the policy.
    world.server().delete(&going).unwrap();
    world.settle().await.unwrap();
    assert!(policy(&world, "shop").is_none());
    assert_eq!(world.writes().len(), writes, "nothing is tried");
}

async fn deletes_and_opens(world: World) -> Result<(), BoxError> {
    world.server().create(&namespace("shop"))?;
    world.settle().await?;
    if let Some(policy) = policy(&world, "shop") {
        world.server().delete(&policy)?;
    }
    world.settle().await?;
    world.server().create(&namespace("blog"))?;
    world.settle().await?;
    Ok(())
}

/// The informer never has the policy that is created and deleted while its watch is broken, so no
/// event tells of the deletion.
#[test]
fn exploration_finds_only_an_unseen_policy() {
    // Longer than the election after a crash.
    let scenario = default_deny().quiet_for(Duration::from_secs(30));
    let found = scenario.explore(deletes_and_opens);
    let failed: Vec<_> = found.failures.iter().map(|one| &*one.schedule).collect();
    let policies = "/apis/networking.k8s.io/v1/networkpolicies";
    assert_eq!(failed, [format!("gap 1 EVENT {policies} shop/default-deny")], "{found}");
    assert!(found.writes >= 3, "{found}");
}
