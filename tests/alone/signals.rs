//! Each example ends at SIGTERM as at Ctrl-C: Kubernetes ends a pod by it.

#[path = "../../examples/support/interrupted.rs"]
mod interrupted;

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::time::Duration;

use tokio::time::timeout;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn examples_end_at_sigterm() {
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let by_itself = text.contains("ctrl_c(") && !file.ends_with("support/interrupted.rs");
        assert!(!by_itself, "{} knows Ctrl-C only", file.display());
    }
    if !cfg!(unix) {
        return;
    }
    let mut ended = pin!(interrupted::interrupted());
    assert!(futures::poll!(ended.as_mut()).is_pending(), "it listens from now on");
    let kill = format!("kill -TERM {}", std::process::id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    timeout(Duration::from_secs(120), ended).await.unwrap().unwrap();
}

/// Every Rust file under a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
