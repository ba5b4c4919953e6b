//! Gets and lists.

use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{ListParams, PostParams};
use kube::core::PartialObjectMeta;

use super::*;

#[tokio::test]
async fn pages_show_one_moment_until_compaction() {
    let (server, _, maps) = rig();
    for n in 0..7 {
        server.create(&map(&format!("m{n}"))).unwrap();
    }
    let page = |token: Option<String>| {
        let params = ListParams { limit: Some(3), continue_token: token, ..ListParams::default() };
        let maps = maps.clone();
        async move { maps.list(&params).await }
    };
    let first = page(None).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(4));
    server.delete(&map("m4")).unwrap();
    server.create(&map("m9")).unwrap();
    let second = page(first.metadata.continue_.clone()).await.unwrap();
    let names: Vec<_> = second.items.iter().filter_map(|m| m.metadata.name.clone()).collect();
    assert_eq!(names, ["m3", "m4", "m5"], "as it was");
    assert_eq!(second.metadata.resource_version, first.metadata.resource_version);
    server.compact();
    let expired = page(second.metadata.continue_.clone()).await.unwrap_err();
    let kube::Error::Api(status) = expired else { panic!() };
    assert_eq!((status.code, &*status.reason), (410, "Expired"));
    let go_on = status.metadata.and_then(|metadata| metadata.continue_);
    let rest = page(go_on).await.unwrap();
    let names: Vec<_> = rest.items.iter().filter_map(|m| m.metadata.name.clone()).collect();
    assert_eq!(names, ["m6", "m9"], "as it is");
    assert_eq!(code(&page(Some("garbage".into())).await.unwrap_err()), 400);
}

#[tokio::test(start_paused = true)]
async fn versions_that_cannot_be_had_are_refused() {
    let (server, _, maps) = rig();
    server.create(&map("a")).unwrap();
    server.compact();
    let at = |version: &str, exact: bool| {
        let params = ListParams::default().at(version);
        let params = if exact {
            params.matching(kube::api::VersionMatch::Exact)
        } else {
            params.matching(kube::api::VersionMatch::NotOlderThan)
        };
        let maps = maps.clone();
        async move { maps.list(&params).await }
    };
    let kube::Error::Api(status) = at("999999", false).await.unwrap_err() else { panic!() };
    assert_eq!((status.code, &*status.reason), (504, "Timeout"));
    assert_eq!(code(&at("1", true).await.unwrap_err()), 410);
    assert_eq!(at("1", false).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn selectors_narrow_lists() {
    let (server, client, maps) = rig();
    server.create(&labelled("a", "web")).unwrap();
    server.create(&labelled("b", "db")).unwrap();
    for (params, count) in [
        (ListParams::default().labels("app=web"), 1),
        (ListParams::default().labels("app notin (web, db)"), 0),
        (ListParams::default().fields("metadata.name=b"), 1),
        (ListParams::default().fields("metadata.name!=b,metadata.namespace=default"), 1),
    ] {
        assert_eq!(maps.list(&params).await.unwrap().items.len(), count, "{params:?}");
    }
    let list = |params: ListParams| {
        let maps = maps.clone();
        async move { code(&maps.list(&params).await.unwrap_err()) }
    };
    assert_eq!(list(ListParams::default().labels("a===")).await, 400);
    assert_eq!(list(ListParams::default().fields("spec.bogus=1")).await, 400);
    let pods: Api<Pod> = Api::all(client);
    let on_node = ListParams::default().fields("spec.nodeName=n1");
    assert!(pods.list(&on_node).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn metadata_alone_can_be_had() {
    let (server, client, maps) = rig();
    server.create(&labelled("a", "web")).unwrap();
    let metadata: Api<PartialObjectMeta<ConfigMap>> = Api::default_namespaced(client);
    let list = metadata.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items[0].metadata.labels.as_ref().unwrap()["app"], "web");
    let whole = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(whole.items.len(), 1);
}

#[tokio::test]
async fn cluster_scoped_types_and_all_namespaces() {
    let (server, client, _) = rig();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let metadata = ObjectMeta { name: Some("shop".into()), ..ObjectMeta::default() };
    let shop = Namespace { metadata, ..Namespace::default() };
    namespaces.create(&PostParams::default(), &shop).await.unwrap();
    assert!(namespaces.get("shop").await.is_ok());
    let mut elsewhere = map("a");
    elsewhere.metadata.namespace = Some("shop".into());
    server.create(&elsewhere).unwrap();
    server.create(&map("a")).unwrap();
    let all: Api<ConfigMap> = Api::all(client.clone());
    assert_eq!(all.list(&ListParams::default()).await.unwrap().items.len(), 2);
    let one: Api<ConfigMap> = Api::namespaced(client, "shop");
    assert_eq!(one.list(&ListParams::default()).await.unwrap().items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn first_of_repeated_parameters_counts() {
    let (server, ..) = rig();
    for name in ["a", "b", "c"] {
        server.create(&map(name)).unwrap();
    }
    let maps = "/api/v1/namespaces/default/configmaps";
    let names = async |query: &str| -> Vec<Value> {
        let list = get(&server, &format!("{maps}?{query}")).await.json();
        let items = list["items"].as_array().unwrap().clone();
        items.into_iter().map(|item| item["metadata"]["name"].clone()).collect()
    };
    assert_eq!(names("limit=1&limit=2").await, ["a"]);
    assert_eq!(names("fieldSelector=metadata.name=b&fieldSelector=metadata.name=c").await, ["b"]);
    assert_eq!(names("limit=-1").await.len(), 3, "below zero is no limit");
    assert_eq!(names("watch=false&watch=true").await.len(), 3);
    assert_eq!(names("watch=0").await.len(), 3);
    let refused = get(&server, &format!("{maps}?limit=x")).await.json();
    assert_eq!(refused["message"], "strconv.ParseInt: parsing \"x\": invalid syntax");
    let watched = get(&server, &format!("{maps}?watch&timeoutSeconds=1")).await;
    assert_eq!(watched.status, 200);
    assert!(String::from_utf8(watched.body).unwrap().starts_with("{\"type\":\"ADDED\""));
}
