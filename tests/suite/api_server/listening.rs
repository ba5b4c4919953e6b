//! The server on a port, through sockets.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_informer::testing::api_server::AccessRule;

use super::*;

async fn client(kubeconfig: &str) -> Client {
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    Client::try_from(config).unwrap()
}

#[tokio::test]
async fn a_client_lists_and_watches_over_a_socket() {
    let server = ApiServer::new();
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let client = client(&listening.kubeconfig(None)).await;
    server.create(&map("a")).unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    assert_eq!(maps.list(&ListParams::default()).await.unwrap().items.len(), 1);
    let from = server.revision().to_string();
    let mut watch = maps.watch(&WatchParams::default(), &from).await.unwrap().boxed();
    server.create(&map("b")).unwrap();
    let event = watch.next().await.unwrap().unwrap();
    assert!(matches!(event, WatchEvent::Added(b) if b.metadata.name.as_deref() == Some("b")));
    server.drop_connections();
    assert!(watch.next().await.is_none_or(|event| event.is_err()), "kube takes it for an end");
    let mut watch = maps.watch(&WatchParams::default(), &from).await.unwrap().boxed();
    watch.next().await.unwrap().unwrap();
    let address = listening.address();
    listening.shutdown().await;
    let ended = tokio::time::timeout(Duration::from_secs(5), watch.next()).await.unwrap();
    assert!(ended.is_none_or(|event| event.is_err()));
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[cfg(feature = "testing-tls")]
#[tokio::test]
async fn a_token_is_asked_for_over_tls() {
    let reads = AccessRule::new(["list"], ["configmaps"]);
    let server = ApiServer::builder().token("s3cret", "viewer", [reads]).build();
    let listening = server.listen_tls("127.0.0.1:0").await.unwrap();
    assert!(listening.url().starts_with("https://"));
    let list = async |kubeconfig: String| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client(&kubeconfig).await);
        maps.list(&ListParams::default()).await
    };
    list(listening.kubeconfig(Some("s3cret"))).await.unwrap();
    assert_eq!(code(&list(listening.kubeconfig(None)).await.unwrap_err()), 401);
    let stranger = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap().kubeconfig(None);
    let port = |text: &str| text.lines().find(|l| l.contains("server:")).unwrap().to_owned();
    let wrong = stranger.replace(&port(&stranger), &port(&listening.kubeconfig(None)));
    assert!(list(wrong).await.is_err(), "a certificate of somebody else");
}
