//! Clusters of a kubeconfig's contexts.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kube_controllers::clusters::{Clusters, KubeconfigContexts};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, until};

/// A file that is removed at the end.
pub(crate) struct File(PathBuf);

impl File {
    /// Names a file that does not exist yet.
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("kube-informer-{name}-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn exists(&self) -> bool {
        self.0.exists()
    }

    pub(crate) fn write(&self, text: &(impl ToString + ?Sized)) {
        fs::write(&self.0, text.to_string()).unwrap();
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns a kubeconfig of contexts, each with the address of its server.
fn kubeconfig(contexts: &[(&str, &str)]) -> Value {
    let clusters = contexts
        .iter()
        .map(|(name, at)| json!({"name": name, "cluster": {"server": format!("http://{at}")}}));
    let contexts = contexts
        .iter()
        .map(|(name, _)| json!({"name": name, "context": {"cluster": name, "user": "me"}}));
    json!({
        "clusters": clusters.collect::<Value>(),
        "contexts": contexts.collect::<Value>(),
        "users": [{"name": "me", "user": {"token": "hunter2"}}],
    })
}

#[tokio::test(start_paused = true)]
async fn contexts_join_and_leave_with_the_file() {
    kube_informer::testing::seed_by_test();
    let file = File::new("contexts");
    let stop = CancellationToken::new();
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let running = clusters.run(stop.clone(), |cluster| async move {
        cluster.stop().cancelled().await;
        Ok::<_, Infallible>(())
    });
    let names = || clusters.status().iter().map(|one| one.name.to_string()).collect::<Vec<_>>();
    let ages = || clusters.status().iter().map(|one| one.phase_age.as_secs()).collect::<Vec<_>>();
    let test = async {
        // The file comes later.
        sleep(25 * S).await;
        file.write(&kubeconfig(&[("a", "127.0.0.1:1"), ("b", "127.0.0.1:2")]));
        until("two clusters", || names() == ["a", "b"]).await;
        sleep(100 * S).await;
        assert!(ages().iter().all(|age| *age >= 99), "{:?}", ages());
        // One changes its server, one leaves, one joins.
        file.write(&kubeconfig(&[("a", "127.0.0.1:1"), ("c", "127.0.0.1:3")]));
        until("the change", || names() == ["a", "c"]).await;
        file.write(&kubeconfig(&[("a", "127.0.0.1:4"), ("c", "127.0.0.1:3")]));
        sleep(15 * S).await;
        let ages = ages();
        assert!(ages[0] < 15 && ages[1] >= 15, "{ages:?}");
        // A broken file changes nothing.
        file.write("hunter2: [");
        sleep(60 * S).await;
        assert_eq!(names(), ["a", "c"]);
        stop.cancel();
    };
    tokio::join!(running, test);
}

/// Runs clusters of a file. Returns how often clusters have joined after each of the texts, which
/// replace one another.
async fn joins(file: &File, texts: impl IntoIterator<Item = String>) -> Vec<(usize, usize)> {
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let (stop, joins) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
    let count = joins.clone();
    let running = clusters.run(stop.clone(), move |cluster| {
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            cluster.stop().cancelled().await;
            Ok::<_, Infallible>(())
        }
    });
    let test = async {
        let mut counts = Vec::new();
        for text in texts {
            file.write(&text);
            sleep(25 * S).await;
            counts.push((joins.load(Ordering::Relaxed), clusters.status().len()));
        }
        stop.cancel();
        counts
    };
    let ((), counts) = tokio::join!(running, test);
    counts
}

#[tokio::test(start_paused = true)]
async fn changes_elsewhere_in_the_file_join_no_cluster_again() {
    let mut config = kubeconfig(&[("a", "127.0.0.1:1")]);
    // It is named twice: the first one counts.
    let mut again = config["contexts"][0].clone();
    again["context"]["user"] = json!("nobody");
    config["contexts"].as_array_mut().unwrap().push(again);
    let mut texts = vec![config.to_string(), config.to_string()];
    let extensions = json!([{"name": "tool", "extension": {"last": "now"}}]);
    for (pointer, key, value) in [
        ("", "current-context", json!("a")),
        ("", "preferences", json!({"colors": true})),
        ("", "extensions", extensions.clone()),
        ("", "kind", json!("Config")),
        ("", "x-tool", json!("now")),
        ("/contexts/0", "x-tool", json!("now")),
        ("/contexts/0/context", "extensions", extensions),
        ("/contexts/1/context", "user", json!("me")),
        ("/users/0", "x-tool", json!("now")),
    ] {
        config.pointer_mut(pointer).unwrap()[key] = value;
        texts.push(config.to_string());
    }
    let unchanged = vec![(1, 1); texts.len()];
    config["users"][0]["user"]["token"] = json!("other");
    texts.push(config.to_string());
    let counts = joins(&File::new("elsewhere"), texts).await;
    assert_eq!(counts[..unchanged.len()], unchanged);
    assert_eq!(counts.last(), Some(&(2, 1)), "the user changed");
}

#[tokio::test(start_paused = true)]
async fn file_without_content_removes_no_cluster() {
    let full = kubeconfig(&[("a", "127.0.0.1:1"), ("b", "127.0.0.1:2")]).to_string();
    let none = json!({"kind": "Config", "contexts": []}).to_string();
    let texts = [full.clone(), String::new(), full.clone(), "---\n".into(), full.clone(), none];
    let counts = joins(&File::new("empty"), texts).await;
    assert_eq!(counts, [(2, 2), (2, 2), (2, 2), (2, 2), (2, 2), (2, 0)]);
}

/// The file is read while it is written, and again when it is whole.
#[tokio::test(start_paused = true)]
async fn file_that_is_just_being_written_removes_no_cluster() {
    let (file, stop) = (File::new("writing"), CancellationToken::new());
    let both = [("a", "127.0.0.1:1"), ("b", "127.0.0.1:2")];
    file.write(&kubeconfig(&both));
    let clusters = Clusters::builder(KubeconfigContexts::from_file(file.path())).build();
    let running = clusters.run(stop.clone(), |cluster| async move {
        cluster.stop().cancelled().await;
        Ok::<_, Infallible>(())
    });
    let test = async {
        sleep(5 * S).await;
        file.write(&kubeconfig(&both[..1]));
        // The reading at 10 s sees half of it.
        sleep(5 * S + S / 2).await;
        file.write(&kubeconfig(&both));
        sleep(30 * S).await;
        let status = clusters.status();
        assert!(status.len() == 2 && status.iter().all(|one| one.phase_age > 40 * S), "{status:?}");
        stop.cancel();
    };
    tokio::join!(running, test);
}
