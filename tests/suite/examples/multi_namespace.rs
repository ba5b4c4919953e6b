//! `multi_namespace`: some namespaces as one, each with what it may and when it syncs.

#[allow(dead_code, reason = "its main, and its scripted life")]
#[path = "../../../examples/multi_namespace.rs"]
mod example;

use kube_informer::testing::ApiServer;

use self::example::{forbidden, pod};
use super::support::{Running, Said};

fn begin(server: &ApiServer, said: &Said) -> Running {
    let namespaces = ["shop", "bank", "mail"].map(str::to_owned).into();
    let (client, say) = (server.client(), said.say());
    Running::begin(|stop| example::run(client, namespaces, stop, say))
}

#[tokio::test(start_paused = true)]
async fn forbidden_namespace_holds_up_no_other() {
    let server = ApiServer::new();
    server.intercept(|request| request.target.contains("/namespaces/mail/").then(forbidden));
    for namespace in ["shop", "bank", "mail", "kube-system"] {
        server.create(&pod(namespace, "web")).unwrap();
    }
    let said = Said::default();
    let running = begin(&server, &said);
    said.hears(&["shop has synced"]).await;
    said.hears(&["bank has synced"]).await;
    said.hears(&["mail has not: ", "403", "you may not list them here"]).await;
    said.hears(&["= 2 pods; by app: web 2"]).await;

    server.create(&pod("bank", "db")).unwrap();
    said.hears(&["+ bank/db-0"]).await;
    server.stop_intercepting();
    said.hears(&["mail has synced"]).await;
    said.hears(&["= 4 pods; by app: db 1, web 3"]).await;
    server.delete(&pod("mail", "web")).unwrap();
    said.hears(&["- mail/web-0"]).await;
    assert!(!said.all().iter().any(|line| line.contains("kube-system")));
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_of_the_whole_cluster() {
    let server = ApiServer::new();
    let said = Said::default();
    let running = begin(&server, &said);
    for namespace in ["shop", "bank", "mail"] {
        said.hears(&[namespace, "has synced"]).await;
    }
    running.end().await;
    let asked = server.requests();
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|asked| asked.target.contains("/namespaces/")), "{asked:?}");
}
