//! Clusters whose kubeconfigs are in Secrets.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube_controllers::clusters::{ClusterPhase, Clusters, KubeconfigSecrets};
use kube_informer::testing::ApiServer;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::fleet::Seen;
use crate::helpers::log::Log;
use crate::helpers::{MS, S, factory, metadata, server_with};

const TOKEN: &str = "hunter2";

/// Returns a kubeconfig of a server at this address.
fn kubeconfig(at: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "main",
        "clusters": [{"name": "main", "cluster": {"server": at}}],
        "users": [{"name": "main", "user": {"token": TOKEN}}],
        "contexts": [{"name": "main", "context": {"cluster": "main", "user": "main"}}],
    })
}

fn secret(name: &str, kubeconfig: &impl ToString) -> Secret {
    let mut metadata = metadata("fleet", name);
    metadata.labels = Some(BTreeMap::from([("cluster".into(), "true".into())]));
    let data = ByteString(kubeconfig.to_string().into());
    let data = Some(BTreeMap::from([("kubeconfig".into(), data)]));
    Secret { metadata, data, ..Secret::default() }
}

/// Waits in real time, because the servers are behind sockets.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if holds() {
            return;
        }
        sleep(10 * MS).await;
    }
    panic!("{what} did not come");
}

fn lists(server: &ApiServer) -> usize {
    server.requests().iter().filter(|one| !one.target.contains("watch")).count()
}

#[tokio::test]
async fn clusters_follow_their_secrets_over_real_connections() {
    let (hub, east, west) = (ApiServer::new(), server_with(&["e"]), server_with(&["w"]));
    let at_east = east.listen(("127.0.0.1", 0)).await.unwrap();
    let at_west = west.listen(("127.0.0.1", 0)).await.unwrap();
    // A server that speaks no TLS.
    let garbage = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let at_garbage = garbage.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = garbage.accept().await {
            let _ = socket.write_all(b"SSH-2.0-OpenSSH_9.9\r\n").await;
        }
    });
    let factory = factory(&hub);
    let secrets = KubeconfigSecrets::new(&factory, "fleet", "cluster=true").unwrap();
    let clusters = Clusters::builder(secrets).factory(|factory| factory.on_error(|_| ())).build();
    let (seen, stop) = (Seen::default(), CancellationToken::new());
    hub.create(&secret("east", &kubeconfig(&format!("http://{}", at_east.address())))).unwrap();
    hub.create(&secret("garbage", &kubeconfig(&format!("https://{at_garbage}")))).unwrap();
    let following = seen.clone();
    let running = clusters.run(stop.clone(), move |cluster| following.clone().follow(cluster));
    let test = async {
        eventually("east", || seen.all() == ["shop/e in east"]).await;
        // Another label is no other kubeconfig.
        let config = kubeconfig(&format!("http://{}", at_east.address()));
        let mut labelled = secret("east", &config);
        labelled.metadata.labels.as_mut().unwrap().insert("team".into(), "a".into());
        hub.replace(&labelled).unwrap();
        hub.create(&secret("west", &kubeconfig(&format!("http://{}", at_west.address())))).unwrap();
        eventually("west", || seen.all().len() == 2).await;
        assert_eq!(lists(&east), 1, "east did not join again");
        // Another server: east joins again with a new client, and west does not.
        assert_eq!(lists(&west), 1);
        let other = ["http://", &at_west.address().to_string(), "/"].concat();
        hub.replace(&secret("east", &kubeconfig(&other))).unwrap();
        eventually("east's new server", || seen.all().contains(&"shop/w in east".into())).await;
        assert_eq!(lists(&west), 2);
        eventually("an error of the handshake", || {
            let status = clusters.status();
            let garbage = status.iter().find(|one| &*one.name == "garbage").unwrap();
            assert_eq!(garbage.phase, ClusterPhase::Joined);
            garbage.informers.iter().any(|one| one.reflector.last_error.is_some())
        })
        .await;
        hub.delete(&secret("east", &"")).unwrap();
        eventually("the leave", || clusters.get("east").is_none()).await;
        stop.cancel();
    };
    tokio::join!(running, test);
    assert!(clusters.status().is_empty());
    drop((at_east, at_west));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn bad_kubeconfigs_are_named_and_never_quoted() {
    let with = |pointer: &str, value: Value| {
        let mut config = kubeconfig("https://example.invalid");
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        config.pointer_mut(parent).unwrap()[key] = value;
        config
    };
    let user = "/users/0/user";
    let exec = json!({"command": "sh", "args": ["-c", "touch /tmp/hunter2"]});
    let bad = [
        ("absent", Value::Null, "no kubeconfig under this key"),
        ("yaml", json!(format!("{TOKEN}: [")), "not valid YAML"),
        ("type", with("/clusters", json!(TOKEN)), "not valid YAML"),
        ("context", with("/current-context", json!(TOKEN)), "lacks its current context"),
        ("server", with("/clusters/0/cluster/server", json!("hunter2 :")), "lacks"),
        ("ca", with("/clusters/0/cluster/certificate-authority-data", json!("hunter2!")), "lacks"),
        ("exec", with(&format!("{user}/exec"), exec), "names a program"),
        (
            "provider",
            with(&format!("{user}/auth-provider"), json!({"name": "gcp"})),
            "names a program",
        ),
        ("token-file", with(&format!("{user}/tokenFile"), json!("/hunter2")), "names a file"),
        ("key", with(&format!("{user}/client-key"), json!("/hunter2")), "names a file"),
        ("cert", with(&format!("{user}/client-certificate"), json!("/hunter2")), "names a file"),
        (
            "ca-file",
            with("/clusters/0/cluster/certificate-authority", json!("/hunter2")),
            "names a file",
        ),
        (
            "key-data",
            with(&format!("{user}/client-key-data"), json!("aHVudGVyMg==")),
            "no client can be made",
        ),
    ];
    let log = Log::default();
    let _guard = log.install(tracing::Level::TRACE);
    let hub = ApiServer::new();
    for (name, config, _) in &bad {
        let text = config.as_str().map_or_else(|| config.to_string(), str::to_owned);
        let mut secret = secret(name, &text);
        if config.is_null() {
            secret.data = None;
        }
        hub.create(&secret).unwrap();
    }
    let factory = factory(&hub);
    let secrets = KubeconfigSecrets::new(&factory, "fleet", "cluster=true").unwrap();
    let clusters = Clusters::builder(secrets).build();
    let stop = CancellationToken::new();
    let running = clusters.run(stop.clone(), |cluster| async move {
        assert!(cluster.name().is_empty(), "it has no client");
        Ok::<(), std::convert::Infallible>(())
    });
    let test = async {
        sleep(300 * S).await;
        let status = clusters.status();
        assert_eq!(status.len(), bad.len());
        for (name, _, why) in &bad {
            let one = status.iter().find(|one| *one.name == **name).unwrap();
            let error = one.last_error.as_deref().unwrap_or_default();
            assert!(error.contains(why), "{name}: {error}");
            assert_eq!(one.phase, ClusterPhase::Waiting);
            hub.delete(&secret(name, &"")).unwrap();
        }
        let shown = format!("{status:?} {}", serde_json::to_string(&status).unwrap());
        sleep(S).await;
        assert!(clusters.status().is_empty());
        stop.cancel();
        shown
    };
    let ((), shown) = tokio::join!(running, test);
    let all = format!("{shown} {} {clusters:?}", log.text());
    assert!(all.contains("is tried again"), "the log has the failures");
    for part in [TOKEN, "aHVudGVyMg", "touch"] {
        assert!(!all.contains(part), "{part}");
    }
}
