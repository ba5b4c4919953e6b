//! Credentials that are never shown, and plug-ins that hang.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Output};

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::client::AuthError;
use kube::config::Kubeconfig;
use kube_controllers::clusters::{Cluster, ClusterPhase, Clusters, KubeconfigContexts};
use kube_controllers::controller::{BoxError, FinalizerError};
use kube_controllers::manager::serve::Serve;
use kube_controllers::{Action, Controller, Manager};
use kube_informer::client::renewing_client;
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::contexts::File;
use crate::fleet::Seen;
use crate::helpers::log::Log;
use crate::helpers::{S, factory, server_with, until};
use crate::http::exchange;
use crate::secrets::eventually;

/// Keys whose lines have the two characters `\\n` between them, or whose last line has no end.
const KEYS: [(&str, &str); 2] = [
    ("template", r"-----BEGIN EC PRIVATE KEY-----\nhunter2hunter2\n-----END EC PRIVATE KEY-----\n"),
    ("cut", "-----BEGIN EC PRIVATE KEY-----hunter2"),
];

fn base64(text: &str) -> Value {
    // A Secret's data are encoded the same way.
    serde_json::to_value(ByteString(text.into())).unwrap()
}

/// Returns a kubeconfig of contexts, each with its cluster and its user.
fn kubeconfig(contexts: &[(&str, Value, Value)]) -> Value {
    let all = |make: &dyn Fn(&(&str, Value, Value)) -> Value| -> Value {
        contexts.iter().map(make).collect()
    };
    json!({
        "clusters": all(&|(name, cluster, _)| json!({"name": name, "cluster": cluster})),
        "contexts":
            all(&|(name, ..)| json!({"name": name, "context": {"cluster": name, "user": name}})),
        "users": all(&|(name, _, user)| json!({"name": name, "user": user})),
    })
}

/// Returns a user whose credentials come from a script.
fn runs(script: &File) -> Value {
    json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "sh",
        "args": [script.path()], "interactiveMode": "Never",
    }})
}

async fn waits(cluster: Cluster) -> Result<(), Infallible> {
    cluster.stop().cancelled().await;
    Ok(())
}

fn shown(clusters: &Clusters) -> String {
    let status = clusters.status();
    format!("{status:?} {} {clusters:?}", serde_json::to_string(&status).unwrap())
}

/// Lets contexts fail, each for its reason. Returns all that is shown of them.
async fn failures<const N: usize>(contexts: [(&str, Value, Value, &str); N]) -> String {
    let log = Log::default();
    let _guard = log.install(tracing::Level::DEBUG);
    let file = File::new(contexts[0].0);
    let reasons = contexts.each_ref().map(|&(name, .., reason)| (name, reason));
    file.write(&kubeconfig(&contexts.map(|(name, cluster, user, _)| (name, cluster, user))));
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let stop = CancellationToken::new();
    let running = clusters.run(stop.clone(), waits);
    let test = async {
        sleep(30 * S).await;
        let status = clusters.status();
        for (name, reason) in reasons {
            let one = status.iter().find(|one| &*one.name == name).unwrap();
            assert!(one.last_error.as_deref().unwrap().contains(reason), "{one:?}");
        }
        stop.cancel();
        shown(&clusters) + &log.text()
    };
    tokio::join!(running, test).1
}

#[tokio::test(start_paused = true)]
async fn password_of_a_proxy_is_never_shown() {
    let contexts = [
        ("http", "http://me:hunter2@127.0.0.1:3128", "needs the feature `kube/http-proxy`"),
        ("socks", "socks5://me:hunter2@127.0.0.1:3128", "needs the feature `kube/socks5`"),
        ("ftp", "ftp://me:hunter2@127.0.0.1:3128", "has an unsupported protocol"),
        ("bad", "http://me:hunter2@ 127.0.0.1", "failed to parse proxy url"),
    ]
    .map(|(name, proxy, reason)| {
        let cluster = json!({"server": "https://127.0.0.1:1", "proxy-url": proxy});
        (name, cluster, json!({"token": "hunter2"}), reason)
    });
    let all = failures(contexts).await;
    assert!(all.contains("a cluster failed") && !all.contains("hunter2"), "{all}");
}

#[tokio::test(start_paused = true)]
async fn line_of_a_key_is_never_shown() {
    let contexts = KEYS.map(|(name, key)| {
        let (cluster, key) = (json!({"server": "https://127.0.0.1:1"}), base64(key));
        let user = json!({"client-certificate-data": key, "client-key-data": key});
        (name, cluster, user, "may quote a key")
    });
    let all = failures(contexts).await;
    // An error may have the line's bytes as numbers.
    let bytes: Vec<_> = b"hunter2".iter().map(ToString::to_string).collect();
    assert!(all.contains("a cluster failed") && !all.contains(&bytes.join(", ")), "{all}");
    assert!(!all.contains("hunter2"), "{all}");
}

#[tokio::test(start_paused = true)]
async fn error_of_a_reconcile_quotes_no_credentials_of_its_own() {
    let parse = || -> BoxError { Kubeconfig::from_yaml("users: hunter2").unwrap_err().into() };
    let proxy = || -> BoxError {
        let proxy_url = Box::new("socks5://me:hunter2@localhost".parse().unwrap());
        kube::Error::ProxyProtocolDisabled { proxy_url, protocol_feature: "kube/socks5" }.into()
    };
    let within = || -> BoxError { std::io::Error::other(failed_plugin()).into() };
    let finalizer = || -> BoxError { FinalizerError::Failed(failed_plugin().into()).into() };
    for error in [parse as fn() -> BoxError, proxy, within, finalizer] {
        let log = Log::default();
        let _guard = log.install(tracing::Level::INFO);
        let maps = factory(&server_with(&["a"])).informer::<ConfigMap>();
        let controller = Controller::builder("maps", &maps).build();
        let (handle, stop) = (controller.handle(), CancellationToken::new());
        let running = tokio::spawn(
            controller.run(stop.clone(), move |_| async move { Err::<Action, BoxError>(error()) }),
        );
        until("a failure", || handle.status().last_failure.is_some()).await;
        let told = log.text() + &serde_json::to_string(&handle.status()).unwrap();
        assert!(told.contains("reconcile failed") && !told.contains("hunter2"), "{told}");
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn first_error_of_a_renewing_client_quotes_no_plug_in() {
    let made = renewing_client(|| async { Err(failed_plugin()) }).await;
    let error = made.err().unwrap();
    let text = format!("{error} {error:?}");
    assert!(text.contains("exit status: 1") && !text.contains("hunter2"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn error_of_a_task_quotes_no_plug_in() {
    let log = Log::default();
    let _guard = log.install(tracing::Level::INFO);
    let manager = Manager::builder(&factory(&ApiServer::new()))
        .task_on_every_replica("remote", |_| async { Err::<(), _>(failed_plugin()) })
        .build()
        .unwrap();
    let ended = manager.run_until(CancellationToken::new()).await.unwrap_err();
    let text = format!("{} {ended} {ended:?}", log.text());
    assert!(text.contains("exit status: 1") && !text.contains("hunter2"), "{text}");
}

/// The error of a credential plug-in whose output has a token.
fn failed_plugin() -> kube::Error {
    let out = Output {
        status: ExitStatus::from_raw(256),
        stdout: b"{\"token\": \"hunter2\"}".to_vec(),
        stderr: b"hunter2".to_vec(),
    };
    kube::Error::Auth(AuthError::AuthExecRun { cmd: "login".into(), out: Box::new(out) })
}

/// A plug-in gives a token that is soon renewed, and then fails with output that has another one.
async fn output_of_a_plugin_that_fails(later: &str, reason: &str) {
    let log = Log::default();
    let _guard = log.install(tracing::Level::INFO);
    let (hub, server) = (ApiServer::new(), server_with(&["a"]));
    let at = server.listen(("127.0.0.1", 0)).await.unwrap();
    // kube runs the plug-in again at the next request.
    let expires = Timestamp::now().checked_add(SignedDuration::from_secs(30)).unwrap();
    let first = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {"token": "hunter2", "expirationTimestamp": expires.to_string()},
    });
    let (script, fails, file) = (File::new("plugin"), File::new("fails"), File::new("exec"));
    let flag = fails.path();
    script.write(&format!("if [ -e {flag} ]; then {later}\nfi\ncat <<'END'\n{first}\nEND\n"));
    let server = json!({"server": format!("http://{}", at.address())});
    file.write(&kubeconfig(&[("east", server, runs(&script))]));
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    let joins = move |cluster: Cluster| {
        // The client is made, and has sent nothing.
        fails.write("");
        Seen::default().follow(cluster)
    };
    let manager = Manager::builder(&factory(&hub))
        .clusters("fleet", &clusters, joins)
        .serve(Serve::new().health_address(any).metrics_address(any).without_metrics())
        .build()
        .unwrap();
    let (handle, stop) = (manager.handle(), CancellationToken::new());
    let running = tokio::spawn(manager.run_until(stop.clone()));
    eventually("the failure", || shown(&clusters).contains(reason)).await;
    let at = handle.addresses().unwrap().health;
    let ready = exchange(at, "GET", "/readyz?verbose", "localhost").await.2;
    assert!(ready.contains(reason), "{ready}");
    eventually("the log", || log.text().contains(reason)).await;
    let status = serde_json::to_string(&handle.status()).unwrap();
    let all = [shown(&clusters), log.text(), ready, status].concat();
    assert!(!all.contains("hunter2"), "{all}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn output_of_a_plugin_that_fails_is_never_shown() {
    let later = "echo '{\"token\": \"hunter2\"}'; exit 3";
    output_of_a_plugin_that_fails(later, "the credential plug-in failed (exit status: 3)").await;
}

#[tokio::test]
async fn output_of_a_plugin_that_cannot_be_read_is_never_shown() {
    let later = "echo 'WARNING: update'; echo '{\"status\": {\"token\": \"hunter2\"}}'; exit 0";
    output_of_a_plugin_that_fails(later, "the output of the credential plug-in cannot be read")
        .await;
}

/// On one thread, so that a plug-in which occupied it would hold up everything.
#[tokio::test]
async fn plugins_that_hang_hold_up_neither_others_nor_the_stop() {
    let server = server_with(&["a"]);
    let at = server.listen(("127.0.0.1", 0)).await.unwrap();
    // It ends with its file, or by itself after half a minute.
    let (script, hangs, file) = (File::new("hangs"), File::new("flag"), File::new("hang"));
    let flag = hangs.path();
    hangs.write("");
    script.write(&format!(
        "n=0; while [ -e {flag} ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done; exit 1"
    ));
    let server = json!({"server": format!("http://{}", at.address())});
    file.write(&kubeconfig(&[
        ("a-hangs", server.clone(), runs(&script)),
        ("b-hangs", server.clone(), runs(&script)),
        ("c-works", server, json!({"token": "x"})),
    ]));
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let (stop, seen) = (CancellationToken::new(), Seen::default());
    let following = seen.clone();
    let running = clusters.run(stop.clone(), move |cluster| following.clone().follow(cluster));
    let test = async {
        eventually("the one that works", || seen.all() == ["shop/a in c-works"]).await;
        let phases: Vec<_> = clusters.status().iter().map(|one| one.phase).collect();
        let hanging = ClusterPhase::Connecting;
        assert_eq!(phases, [hanging, hanging, ClusterPhase::Joined]);
        stop.cancel();
    };
    tokio::join!(running, test);
    assert!(hangs.exists(), "the plug-ins hang still");
}
