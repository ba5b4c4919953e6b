//! `referenced_secrets`: a gateway reads the Secrets that its Ingresses name, and no others.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/referenced_secrets.rs"]
mod example;

use kube_informer::testing::ApiServer;
use kube_informer::testing::api_server::AccessRule;

use self::example::{ingress, secret, service, slice};
use super::support::{Running, Said};

/// Returns a server whose gateway may read everything but Secrets, and only this Secret of `shop`.
fn server_that_allows(name: &str) -> ApiServer {
    let rules = [
        AccessRule::new(
            ["list", "watch"],
            ["services", "endpointslices.discovery.k8s.io", "ingresses.networking.k8s.io"],
        ),
        AccessRule::new(["list", "watch"], ["secrets"]).namespaces(["shop"]).names([name]),
    ];
    ApiServer::builder().token("t0ken", "gateway", rules).build()
}

#[tokio::test(start_paused = true)]
async fn configuration_follows_the_secrets_that_ingresses_name() {
    let server = server_that_allows("web-tls");
    for (name, value) in [("web-tls", "s3cret"), ("unrelated", "0ther")] {
        server.create(&secret("shop", name, value)).unwrap();
    }
    server.create(&service("shop").unwrap()).unwrap();
    server.create(&slice("shop", &["10.0.0.1"]).unwrap()).unwrap();
    server.create(&ingress("shop", "a.example.com", "web-tls").unwrap()).unwrap();
    let said = Said::default();
    let (client, say) = (server.client_with_token("t0ken"), said.say());
    let running = Running::begin(|stop| example::run(client, stop, say));
    said.hears(&["a.example.com: TLS of shop/web-tls at ", "to 10.0.0.1:8080"]).await;

    server.replace(&slice("shop", &["10.0.0.1", "10.0.0.2"]).unwrap()).unwrap();
    said.hears(&["to 10.0.0.1:8080 10.0.0.2:8080"]).await;
    server.delete(&secret("shop", "web-tls", "")).unwrap();
    said.hears(&["a.example.com: no TLS, because shop/web-tls does not exist"]).await;
    server.create(&secret("shop", "web-tls", "n3w")).unwrap();
    let revision = format!("TLS of shop/web-tls at {}", server.revision());
    said.hears(&[&revision]).await;

    // A name that is forbidden holds up no other.
    server.replace(&ingress("shop", "a.example.com", "unrelated").unwrap()).unwrap();
    said.hears(&["a.example.com: TLS waits for shop/unrelated"]).await;
    server.delete(&ingress("shop", "a.example.com", "unrelated").unwrap()).unwrap();
    said.hears(&["a.example.com: is gone"]).await;
    running.end().await;
    said.hears(&["= 0 secrets are followed"]).await;

    let asked = server.requests().into_iter().map(|one| one.target);
    let asked: Vec<_> = asked.filter(|target| target.contains("/secrets")).collect();
    assert!(asked.iter().all(|target| target.contains("metadata.name")), "{asked:?}");
    let all = said.all().concat();
    assert!(!["s3cret", "0ther", "n3w"].iter().any(|content| all.contains(content)), "{all}");
}
