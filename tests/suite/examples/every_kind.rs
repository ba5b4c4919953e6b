//! `every_kind`: the objects of an application, over all kinds.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/every_kind.rs"]
mod example;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;

use self::example::{create_route, definition, labelled};
use super::support::{Running, Said};

fn map(name: &str, app: &str) -> ConfigMap {
    ConfigMap { metadata: labelled(name, app), ..ConfigMap::default() }
}

#[tokio::test(start_paused = true)]
async fn objects_of_an_application_are_found_in_every_kind() {
    // All but Secrets may be listed.
    let kinds = ["configmaps", "services", "routes.example.com"];
    let definitions = ["customresourcedefinitions.apiextensions.k8s.io"];
    let rules = [AccessRule::new(["list", "watch"], kinds.into_iter().chain(definitions))];
    let server = ApiServer::builder().token("t0ken", "finder", rules).build();
    server.create(&map("a", "web")).unwrap();
    server.create(&map("b", "mail")).unwrap();
    let metadata = labelled("hidden", "web");
    server.create(&Secret { metadata, ..Secret::default() }).unwrap();
    let said = Said::default();
    let (client, say) = (server.client_with_token("t0ken"), said.say());
    let running = Running::begin(|stop| example::run(client, "web".into(), stop, say));
    said.hears(&["+ ConfigMap shop/a"]).await;
    // A kind that is refused holds up no other, and is named.
    said.hears(&["! secrets", "forbidden"]).await;
    said.hears(&["= 1 objects, among "]).await;

    server.create(&definition().unwrap()).unwrap();
    create_route(&server, "web").await.unwrap();
    said.hears(&["+ Route shop/main"]).await;
    server.replace(&map("b", "web")).unwrap();
    said.hears(&["+ ConfigMap shop/b"]).await;
    server.replace(&map("a", "mail")).unwrap();
    said.hears(&["- ConfigMap shop/a"]).await;
    server.delete(&definition().unwrap()).unwrap();
    said.hears(&["- Route shop/main"]).await;
    running.end().await;
    assert!(!said.all().concat().contains("hidden"));
    let asked = server.requests();
    let whole = |one: &&kube_informer::testing::api_server::RequestInfo| {
        one.target.starts_with("/api/v1/configmaps")
    };
    assert_eq!(asked.iter().filter(whole).count(), 2, "one list, one watch");
}
