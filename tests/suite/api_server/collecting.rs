//! The garbage collector: owners, propagation policies, and objects whose owner never was.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::api::{Api, DeleteParams, ObjectMeta, PropagationPolicy};
use kube_informer::testing::ApiServer;

use crate::helpers::{map_in, metadata};

fn collecting() -> ApiServer {
    ApiServer::builder().garbage_collection(true).build()
}

fn map(name: &str, owners: &[&OwnerReference]) -> ConfigMap {
    let mut map = map_in("default", name);
    map.metadata.owner_references = Some(owners.iter().copied().cloned().collect());
    map
}

/// Creates an object, and returns a reference to it.
fn create(server: &ApiServer, name: &str, owners: &[&OwnerReference]) -> OwnerReference {
    server.create(&map(name, owners)).unwrap().controller_owner_ref(&()).unwrap()
}

fn blocking(owner: &OwnerReference) -> OwnerReference {
    let controller = None;
    OwnerReference { block_owner_deletion: Some(true), controller, ..owner.clone() }
}

fn weak(owner: &OwnerReference) -> OwnerReference {
    OwnerReference { block_owner_deletion: None, controller: None, ..owner.clone() }
}

async fn names(server: &ApiServer) -> Vec<String> {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let all = maps.list(&kube::api::ListParams::default()).await.unwrap();
    all.items.into_iter().filter_map(|map| map.metadata.name).collect()
}

async fn delete(server: &ApiServer, name: &str, policy: Option<PropagationPolicy>) {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let params = DeleteParams { propagation_policy: policy, ..DeleteParams::default() };
    drop(maps.delete(name, &params).await.unwrap());
}

#[tokio::test]
async fn dependents_of_a_deleted_owner_are_deleted_to_the_last_generation() {
    let server = collecting();
    let grandparent = create(&server, "grandparent", &[]);
    let parent = create(&server, "parent", &[&grandparent]);
    create(&server, "child", &[&parent]);
    create(&server, "stranger", &[]);
    delete(&server, "grandparent", None).await;
    assert_eq!(names(&server).await, ["stranger"]);
}

#[tokio::test]
async fn object_stays_while_one_of_its_owners_does() {
    let server = collecting();
    let (one, two) = (create(&server, "one", &[]), create(&server, "two", &[]));
    create(&server, "child", &[&weak(&one), &weak(&two)]);
    delete(&server, "one", None).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let owners = maps.get("child").await.unwrap().metadata.owner_references.unwrap();
    assert_eq!(owners, [weak(&two)], "the reference to the owner that is gone");
    delete(&server, "two", None).await;
    assert_eq!(names(&server).await, [""; 0]);
}

#[tokio::test]
async fn orphaned_dependents_lose_their_owner_and_stay() {
    let server = collecting();
    let owner = create(&server, "owner", &[]);
    create(&server, "child", &[&owner]);
    delete(&server, "owner", Some(PropagationPolicy::Orphan)).await;
    assert_eq!(names(&server).await, ["child"]);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    assert_eq!(maps.get("child").await.unwrap().metadata.owner_references, None);
}

#[tokio::test]
async fn foreground_deletion_waits_for_dependents_that_block_it() {
    let server = collecting();
    let owner = create(&server, "owner", &[]);
    let mut held = map("held", &[&blocking(&owner)]);
    held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
    server.create(&held).unwrap();
    create(&server, "loose", &[&weak(&owner)]);
    delete(&server, "owner", Some(PropagationPolicy::Foreground)).await;
    assert_eq!(names(&server).await, ["held", "owner"], "the owner waits");
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let patch = serde_json::json!({"metadata": {"finalizers": null}});
    let patch = kube::api::Patch::Merge(patch);
    maps.patch("held", &kube::api::PatchParams::default(), &patch).await.unwrap();
    assert_eq!(names(&server).await, [""; 0]);
}

#[tokio::test]
async fn foreground_deletion_leaves_what_another_owner_has() {
    let server = collecting();
    let (one, two) = (create(&server, "one", &[]), create(&server, "two", &[]));
    create(&server, "child", &[&blocking(&one), &blocking(&two)]);
    delete(&server, "one", Some(PropagationPolicy::Foreground)).await;
    assert_eq!(names(&server).await, ["child", "two"]);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let owners = maps.get("child").await.unwrap().metadata.owner_references.unwrap();
    assert_eq!(owners, [blocking(&two)]);
}

#[tokio::test]
async fn owner_goes_once_its_dependent_no_longer_blocks_it() {
    for release in [
        serde_json::json!({"metadata": {"ownerReferences": null}}),
        serde_json::json!({"metadata": {"ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "owner's",
            "blockOwnerDeletion": false,
        }]}}),
    ] {
        let server = collecting();
        let owner = create(&server, "owner", &[]);
        let mut held = map("held", &[&blocking(&owner)]);
        held.metadata.finalizers = Some(vec!["example.com/hold".into()]);
        server.create(&held).unwrap();
        delete(&server, "owner", Some(PropagationPolicy::Foreground)).await;
        assert_eq!(names(&server).await, ["held", "owner"]);
        let release = release.to_string().replace("owner's", &owner.uid);
        let release: serde_json::Value = serde_json::from_str(&release).unwrap();
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        let params = kube::api::PatchParams::default();
        maps.patch("held", &params, &kube::api::Patch::Merge(release)).await.unwrap();
        assert_eq!(names(&server).await, ["held"]);
    }
}

#[tokio::test]
async fn owners_of_each_other_go_together() {
    let server = collecting();
    let one = create(&server, "one", &[]);
    let two = create(&server, "two", &[&blocking(&one)]);
    let mut cycle = map("one", &[&blocking(&two)]);
    cycle.metadata.uid = Some(one.uid.clone());
    server.replace(&cycle).unwrap();
    delete(&server, "one", Some(PropagationPolicy::Foreground)).await;
    assert_eq!(names(&server).await, [""; 0]);

    let selfish = create(&server, "selfish", &[]);
    server.replace(&map("selfish", &[&blocking(&selfish)])).unwrap();
    delete(&server, "selfish", Some(PropagationPolicy::Foreground)).await;
    assert_eq!(names(&server).await, [""; 0]);
}

#[tokio::test]
async fn object_of_the_cluster_with_an_owner_in_a_namespace_is_left_alone() {
    let server = collecting();
    let owner = create(&server, "owner", &[]);
    let metadata = ObjectMeta {
        name: Some("shop".into()),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    };
    server.create(&Namespace { metadata, ..Namespace::default() }).unwrap();
    delete(&server, "owner", None).await;
    let namespaces: Api<Namespace> = Api::all(server.client());
    assert!(namespaces.get("shop").await.is_ok());
}

#[tokio::test]
async fn owner_that_is_not_there_takes_its_dependent_along() {
    let server = collecting();
    let owner = create(&server, "owner", &[]);
    let other_uid = OwnerReference { uid: "another".into(), ..owner.clone() };
    create(&server, "of-the-present", &[&owner]);
    create(&server, "of-a-predecessor", &[&other_uid]);
    assert_eq!(names(&server).await, ["of-the-present", "owner"]);
}

#[tokio::test]
async fn owner_of_another_namespace_is_no_owner_and_one_of_the_cluster_is() {
    let server = collecting();
    let namespace: Namespace =
        serde_json::from_value(serde_json::json!({"metadata": {"name": "shop"}})).unwrap();
    let namespace = server.create(&namespace).unwrap().controller_owner_ref(&()).unwrap();
    create(&server, "of-the-cluster", &[&namespace]);
    let secret = Secret { metadata: metadata("shop", "elsewhere"), ..Secret::default() };
    let secret = server.create(&secret).unwrap().controller_owner_ref(&()).unwrap();
    create(&server, "of-elsewhere", &[&secret]);
    assert_eq!(names(&server).await, ["of-the-cluster"]);
}

#[tokio::test]
async fn nothing_is_collected_unless_it_is_asked_for() {
    let server = ApiServer::new();
    let owner = create(&server, "owner", &[]);
    create(&server, "child", &[&owner]);
    delete(&server, "owner", None).await;
    assert_eq!(names(&server).await, ["child"]);
}

#[tokio::test]
async fn owner_with_thousands_of_dependents_is_collected_in_one_request() {
    let server = collecting();
    let owner = create(&server, "owner", &[]);
    for n in 0..2000 {
        create(&server, &format!("child-{n}"), &[&owner]);
    }
    delete(&server, "owner", Some(PropagationPolicy::Foreground)).await;
    assert_eq!(names(&server).await, [""; 0]);
}
