//! Clusters of a kubeconfig's contexts.

use std::fs;
use std::path::PathBuf;

use kube_informer::clusters::{Clusters, KubeconfigContexts};
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::helpers::{S, until};

/// A file that is removed at the end.
struct File(PathBuf);

impl File {
    fn write(&self, contexts: &[(&str, &str)]) {
        let clusters = contexts
            .iter()
            .map(|(name, at)| json!({"name": name, "cluster": {"server": format!("http://{at}")}}));
        let contexts = contexts
            .iter()
            .map(|(name, _)| json!({"name": name, "context": {"cluster": name, "user": "me"}}));
        let config = json!({
            "clusters": clusters.collect::<Vec<_>>(),
            "contexts": contexts.collect::<Vec<_>>(),
            "users": [{"name": "me", "user": {"token": "hunter2"}}],
        });
        fs::write(&self.0, config.to_string()).unwrap();
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn contexts_join_and_leave_with_the_file() {
    kube_informer::testing::seed_by_test();
    let name = format!("kube-informer-contexts-{}.yaml", std::process::id());
    let file = File(std::env::temp_dir().join(name));
    let stop = CancellationToken::new();
    let clusters = Clusters::builder(KubeconfigContexts::from_file(&file.0)).build();
    let running = clusters.run(stop.clone(), |cluster| async move {
        cluster.stop().cancelled().await;
        Ok::<_, std::convert::Infallible>(())
    });
    let names = || clusters.status().iter().map(|one| one.name.to_string()).collect::<Vec<_>>();
    let ages = || clusters.status().iter().map(|one| one.phase_age.as_secs()).collect::<Vec<_>>();
    let test = async {
        // The file comes later.
        sleep(25 * S).await;
        file.write(&[("a", "127.0.0.1:1"), ("b", "127.0.0.1:2")]);
        until("two clusters", || names() == ["a", "b"]).await;
        sleep(100 * S).await;
        assert!(ages().iter().all(|age| *age >= 99), "{:?}", ages());
        // One changes its server, one leaves, one joins.
        file.write(&[("a", "127.0.0.1:1"), ("c", "127.0.0.1:3")]);
        until("the change", || names() == ["a", "c"]).await;
        file.write(&[("a", "127.0.0.1:4"), ("c", "127.0.0.1:3")]);
        sleep(15 * S).await;
        let ages = ages();
        assert!(ages[0] < 15 && ages[1] >= 15, "{ages:?}");
        // A broken file changes nothing.
        fs::write(&file.0, "hunter2: [").unwrap();
        sleep(60 * S).await;
        assert_eq!(names(), ["a", "c"]);
        stop.cancel();
    };
    tokio::join!(running, test);
}
