//! `own_pipeline`: the stages alone carry a list, a change and a missed delete.

#[allow(dead_code, reason = "its main")]
#[path = "../../../examples/own_pipeline.rs"]
mod example;

use std::sync::{Arc, Mutex};

use kube_informer::testing::FakeSource;

#[tokio::test(start_paused = true)]
async fn stages_alone_make_a_missed_delete_visible() {
    let source = Arc::new(FakeSource::new("configmaps", "ConfigMap"));
    for name in ["web", "db", "cache"] {
        source.put(example::settings(name, "shop"));
    }
    let lines = Arc::new(Mutex::new(Vec::new()));
    let said = lines.clone();
    example::run(&source, move |line| said.lock().unwrap().push(line)).await.unwrap();
    let lines = lines.lock().unwrap();
    let at = |text: &str| lines.iter().position(|line| line.contains(text)).ok_or(text).unwrap();
    assert!(at("cache was there") < at("team shop: 3"));
    assert!(at("db changed") < at("team shop: 2"));
    assert!(at("cache is gone; its final state was not seen") < at("team shop: 1"));
}
