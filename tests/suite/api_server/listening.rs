//! The server on a port, through sockets.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_informer::testing::api_server::{AccessRule, ListeningServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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
    assert_eq!(code(&list(listening.kubeconfig(None)).await.unwrap_err()), 403);
    let stranger = ApiServer::new().listen_tls("127.0.0.1:0").await.unwrap().kubeconfig(None);
    let port = |text: &str| text.lines().find(|l| l.contains("server:")).unwrap().to_owned();
    let wrong = stranger.replace(&port(&stranger), &port(&listening.kubeconfig(None)));
    assert!(list(wrong).await.is_err(), "a certificate of somebody else");
}

/// Sends bytes to a server, and returns the connection.
async fn sent(listening: &ListeningServer, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(listening.address()).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Returns the first bytes of a response; an empty text if the server disconnects.
async fn head(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 512];
    let length = stream.read(&mut bytes).await.unwrap_or_default();
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

#[tokio::test(start_paused = true)]
async fn slow_clients_are_disconnected() {
    let listening = ApiServer::new().listen("127.0.0.1:0").await.unwrap();
    let mut slow = sent(&listening, "GET /api HTTP/1.1\r\nHost: localhost\r\nX-").await;
    let answer = head(&mut slow).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    let post = "POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\n";
    for body in ["Content-Length: 9\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"] {
        let mut slow = sent(&listening, &format!("{post}{body}")).await;
        let answer = head(&mut slow).await;
        assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn large_body_is_refused_before_it_is_read() {
    let listening = ApiServer::new().listen("127.0.0.1:0").await.unwrap();
    let length = 3 * 1024 * 1024 + 1;
    let post = format!(
        "POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
    );
    let answer = head(&mut sent(&listening, &post).await).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn further_clients_wait_for_a_connection() {
    let server = ApiServer::builder().max_connections(1).build();
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let get = "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut first = sent(&listening, get).await;
    assert!(head(&mut first).await.starts_with("HTTP/1.1 200"));
    let mut second = sent(&listening, get).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(server.requests().len(), 1);
    drop(first);
    assert!(head(&mut second).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn names_of_other_hosts_do_not_reach_a_loopback_address() {
    let listening = ApiServer::new().listen("127.0.0.1:0").await.unwrap();
    let port = listening.address().port();
    for (host, status) in [
        (format!("localhost:{port}"), "200"),
        (format!("127.0.0.1:{port}"), "200"),
        (format!("evil.example:{port}"), "403"),
    ] {
        let get = format!("GET /version HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = head(&mut sent(&listening, &get).await).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
    }
}

#[tokio::test]
async fn closure_that_waits_for_another_thread_does_not_block_it() {
    let server = ApiServer::new();
    let within = server.clone();
    server.intercept(move |_| {
        let server = within.clone();
        let asking = std::thread::spawn(move || {
            // The clock of this thread is paused, so that it does not wait in fact.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(get(&server, "/version")).status
        });
        assert_eq!(asking.join().unwrap(), 500);
        None
    });
    assert_eq!(get(&server, "/version").await.status, 200);
    server.stop_intercepting();
}

#[tokio::test]
async fn kubeconfig_holds_any_token() {
    let listening = ApiServer::new().listen("127.0.0.1:0").await.unwrap();
    for token in ["t0ps3cret", "", "a: b", "\"'\\", "null", "\u{200b}é", "a\nb"] {
        let kubeconfig = Kubeconfig::from_yaml(&listening.kubeconfig(Some(token))).unwrap();
        let user = serde_json::to_value(&kubeconfig.auth_infos[0].auth_info).unwrap();
        assert_eq!(user["token"], token);
    }
}
