//! Tokens and rules.

use futures::{StreamExt, TryStreamExt};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchParams};
use kube_informer::testing::api_server::AccessRule;
use serde_json::json;

use super::*;

fn guarded(rules: impl IntoIterator<Item = AccessRule>) -> ApiServer {
    ApiServer::builder().token("s3cret", "viewer", rules).build()
}

fn recorded(file: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transcripts/");
    serde_json::from_slice(&std::fs::read(format!("{folder}{file}")).unwrap()).unwrap()
}

async fn with(server: &ApiServer, token: &str, path: &str) -> Answer {
    let header = format!("Bearer {token}");
    ask(server, "GET", path, &[("authorization", &header)], &Value::Null).await
}

#[tokio::test]
async fn refusals_are_in_a_real_servers_words() {
    let server = guarded([]);
    let bad = with(&server, "wrong", "/api/v1/pods").await;
    assert_eq!((bad.status, bad.json()), (401, recorded("error-401.json")));
    let nobody = get(&server, "/api/v1/pods").await.json();
    let message = "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in \
                   API group \"\" at the cluster scope";
    assert_eq!((&nobody["code"], &nobody["message"]), (&json!(403), &json!(message)));
    assert_eq!(get(&server, "/version").await.status, 200);
    let list = with(&server, "s3cret", "/api/v1/pods").await;
    assert_eq!((list.status, list.json()), (403, recorded("error-403.json")));
    let watch = with(&server, "s3cret", "/api/v1/pods?watch=1").await;
    assert_eq!((watch.status, watch.json()), (403, recorded("error-403-watch.json")));
    let status = "/apis/apps/v1/namespaces/shop/deployments/d/status";
    let message = with(&server, "s3cret", status).await.json()["message"].clone();
    assert_eq!(
        message,
        "deployments.apps \"d\" is forbidden: User \"viewer\" cannot get resource \
         \"deployments/status\" in API group \"apps\" in the namespace \"shop\""
    );
    assert_eq!(with(&server, "s3cret", "/apis").await.status, 200, "discovery is for all");
    assert!(!format!("{server:?}").contains("s3cret"));
    assert!(!format!("{:?}", ApiServer::builder().token("s3cret", "u", [])).contains("s3cret"));
}

#[tokio::test]
async fn rule_allows_only_its_verbs_resources_and_namespaces() {
    let reads = AccessRule::new(["get", "list"], ["configmaps"]).namespaces(["default"]);
    let patches = AccessRule::new(["patch"], ["*"]);
    let server = guarded([reads, patches]);
    server.create(&map("a")).unwrap();
    let client = server.client_with_token("s3cret");
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    maps.get("a").await.unwrap();
    maps.list(&ListParams::default()).await.unwrap();
    let patch = Patch::Merge(json!({"data": {"x": "y"}}));
    maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
    let refused = |result: Result<(), kube::Error>| assert_eq!(code(&result.unwrap_err()), 403);
    let elsewhere: Api<ConfigMap> = Api::namespaced(client.clone(), "elsewhere");
    let all: Api<ConfigMap> = Api::all(client);
    refused(elsewhere.get("a").await.map(drop));
    refused(all.list(&ListParams::default()).await.map(drop));
    refused(maps.watch(&WatchParams::default(), "0").await.map(drop));
    refused(maps.create(&PostParams::default(), &map("b")).await.map(drop));
    refused(maps.replace("a", &PostParams::default(), &map("a")).await.map(drop));
    refused(maps.delete("a", &DeleteParams::default()).await.map(drop));
    let every = ListParams::default();
    refused(maps.delete_collection(&DeleteParams::default(), &every).await.map(drop));
    let own: Api<ConfigMap> = Api::default_namespaced(server.client());
    own.delete("a", &DeleteParams::default()).await.unwrap();
}

#[tokio::test]
async fn apply_that_creates_needs_both_verbs() {
    let server = guarded([AccessRule::new(["patch"], ["configmaps"])]);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client_with_token("s3cret"));
    let patch = Patch::Apply(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"},
    }));
    let apply = || async { maps.patch("a", &PatchParams::apply("m"), &patch).await };
    let kube::Error::Api(refused) = apply().await.unwrap_err() else { panic!("not a status") };
    assert_eq!(
        refused.message,
        "configmaps \"a\" is forbidden: User \"viewer\" cannot create resource \"configmaps\" in \
         API group \"\" in the namespace \"default\""
    );
    server.grant("viewer", AccessRule::new(["create"], ["configmaps"]));
    apply().await.unwrap();
    server.revoke("viewer");
    server.grant("viewer", AccessRule::new(["patch"], ["configmaps"]));
    apply().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn rules_change_while_a_watch_stays_open() {
    let server = guarded([AccessRule::everything()]);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client_with_token("s3cret"));
    let watch = maps.watch(&WatchParams::default().timeout(1), "1").await.unwrap().boxed();
    let taken = server.revoke("viewer");
    assert_eq!(code(&maps.get("a").await.unwrap_err()), 403);
    server.create(&map("a")).unwrap();
    assert_eq!(watch.try_collect::<Vec<_>>().await.unwrap().len(), 1);
    for rule in taken {
        server.grant("viewer", rule);
    }
    maps.get("a").await.unwrap();
}

const REVIEWS: &str = "/apis/authorization.k8s.io/v1";

#[tokio::test]
async fn who_may_what_can_be_asked() {
    let reads = AccessRule::new(["get", "list"], ["pods", "deployments.apps"]).namespaces(["shop"]);
    let server = guarded([reads]);
    let may = async |of: Value| {
        let review = json!({"spec": {"resourceAttributes": of}});
        let bearer = [("authorization", "Bearer s3cret")];
        let path = format!("{REVIEWS}/selfsubjectaccessreviews");
        let told = ask(&server, "POST", &path, &bearer, &review).await;
        assert_eq!(told.status, 201, "{:?}", told.json());
        told.json()["status"]["allowed"].as_bool().unwrap()
    };
    assert!(may(json!({"verb": "get", "resource": "pods", "namespace": "shop"})).await);
    assert!(!may(json!({"verb": "get", "resource": "pods", "namespace": "bank"})).await);
    assert!(!may(json!({"verb": "list", "resource": "pods"})).await, "in all namespaces");
    assert!(!may(json!({"verb": "delete", "resource": "pods", "namespace": "shop"})).await);
    assert!(
        may(json!({
            "verb": "list", "group": "apps", "resource": "deployments", "namespace": "shop",
        }))
        .await
    );
    assert!(
        !may(json!({
            "verb": "get", "resource": "pods", "subresource": "status", "namespace": "shop",
        }))
        .await
    );

    // Of others only who may ask, and what they may.
    let of = json!({"verb": "get", "resource": "pods", "namespace": "shop"});
    let review = json!({"spec": {"user": "viewer", "resourceAttributes": of}});
    let path = format!("{REVIEWS}/subjectaccessreviews");
    let bearer = [("authorization", "Bearer s3cret")];
    assert_eq!(ask(&server, "POST", &path, &bearer, &review).await.status, 403);
    server.grant(
        "viewer",
        AccessRule::new(["create"], ["subjectaccessreviews.authorization.k8s.io"]),
    );
    let told = ask(&server, "POST", &path, &bearer, &review).await.json();
    assert_eq!(told["status"], json!({"allowed": true}));
    let nobody = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    assert_eq!(ask(&server, "POST", &path, &bearer, &nobody).await.status, 422);
    assert_eq!(with(&server, "s3cret", &path).await.status, 403, "a question is not listed");
}

#[tokio::test]
async fn who_one_is_can_be_asked() {
    let server = guarded([]);
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let bearer = [("authorization", "Bearer s3cret")];
    let told = ask(&server, "POST", path, &bearer, &json!({})).await;
    let told = (told.status, told.json()["status"]["userInfo"]["username"].clone());
    assert_eq!(told, (201, "viewer".into()));
    let open = ApiServer::new();
    let review = json!({"spec": {"resourceAttributes": {"verb": "*", "resource": "*"}}});
    let path = format!("{REVIEWS}/selfsubjectaccessreviews");
    assert_eq!(ask(&open, "POST", &path, &[], &review).await.json()["status"]["allowed"], true);
    let neither = ask(&open, "POST", &path, &[], &json!({"spec": {}})).await;
    assert_eq!(neither.status, 422);
}

#[tokio::test]
async fn anonymous_requests_have_a_user_or_are_refused() {
    let builder = || ApiServer::builder().token("s3cret", "viewer", []);
    let server = builder().build();
    server.grant("system:anonymous", AccessRule::new(["list"], ["configmaps"]));
    assert_eq!(get(&server, "/api/v1/configmaps").await.status, 200);
    assert_eq!(get(&server, "/api").await.status, 403);
    let server = builder().anonymous_requests(false).build();
    for path in ["/api/v1/configmaps", "/api", "/version", "/healthz"] {
        assert_eq!(get(&server, path).await.status, 401, "{path}");
    }
}

#[tokio::test]
async fn rule_with_names_allows_only_those_objects() {
    let server = guarded([AccessRule::new(["*"], ["configmaps"]).names(["a"])]);
    for name in ["a", "b"] {
        server.create(&map(name)).unwrap();
    }
    let maps = "/api/v1/namespaces/default/configmaps";
    for (path, status) in [
        (format!("{maps}/a"), 200),
        (format!("{maps}/b"), 403),
        (maps.to_owned(), 403),
        (format!("{maps}?fieldSelector=metadata.name=a"), 200),
        (format!("{maps}?fieldSelector=metadata.name=b"), 403),
        (format!("{maps}?fieldSelector=metadata.name!=b"), 403),
    ] {
        assert_eq!(with(&server, "s3cret", &path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn tokens_are_valid_for_their_audiences_alone() {
    let server = ApiServer::new();
    let account = json!({"metadata": {"name": "sa"}});
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(ask(&server, "POST", accounts, &[], &account).await.status, 201);
    let wanted = json!({"spec": {"audiences": ["vault"]}});
    let made = ask(&server, "POST", &format!("{accounts}/sa/token"), &[], &wanted).await.json();
    let token = made["status"]["token"].as_str().unwrap();
    let reviewed = async |audiences: Value| {
        let review = json!({"spec": {"token": token, "audiences": audiences}});
        let path = "/apis/authentication.k8s.io/v1/tokenreviews";
        ask(&server, "POST", path, &[], &review).await.json()["status"].clone()
    };
    let valid = reviewed(json!(["vault", "other"])).await;
    assert_eq!(valid["authenticated"], true);
    assert_eq!(valid["audiences"], json!(["vault"]));
    assert_eq!(valid["user"]["username"], "system:serviceaccount:default:sa");
    let invalid = reviewed(Value::Null).await;
    assert!(invalid["authenticated"].is_null(), "{invalid}");
    let problem = "[invalid bearer token, token audiences [\"vault\"] is invalid for the target \
                   audiences [\"https://kubernetes.default.svc\"]]";
    assert_eq!(invalid["error"], problem);
}
