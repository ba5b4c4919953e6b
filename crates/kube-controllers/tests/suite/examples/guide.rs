//! The guide and the code agree: metrics, tests, dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use kube_controllers::controller::metrics::DESCRIPTIONS as CONTROLLERS;
use kube_informer::metrics::DESCRIPTIONS as INFORMERS;

fn docs() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/src/docs").into()
}

#[test]
fn alerts_are_on_metrics_that_there_are() {
    let prefixes =
        ["kube_informer_", "informer_", "workqueue_", "controller_runtime_", "leader_election_"];
    let described = INFORMERS.iter().chain(CONTROLLERS);
    let known: BTreeSet<_> = described.map(|metric| metric.name.to_owned()).collect();
    let pages = [
        ("running_in_production.md", &prefixes[..], 21),
        ("when_one_replica_is_not_enough.md", &prefixes[..1], 1),
    ];
    for (page, prefixes, least) in pages {
        let named = metrics_in(page, prefixes);
        assert!(named.len() >= least, "{page}: {named:?}");
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{page}: {unknown:?}");
    }
}

/// The metrics with one of these prefixes that a page of the guide names.
fn metrics_in(page: &str, prefixes: &[&str]) -> BTreeSet<String> {
    let text = fs::read_to_string(docs().join(page)).unwrap();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let metrics = words.filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)));
    metrics.map(|word| word.strip_suffix("_bucket").unwrap_or(word).to_owned()).collect()
}

/// The tests on the page run in this suite.
#[test]
fn testing_page_shows_tests_that_run() {
    let page = fs::read_to_string(docs().join("testing_a_controller.md")).unwrap();
    for shown in [
        include_str!("testing_page.rs"),
        include_str!("reconcile_page.rs"),
        include_str!("finalizer_page.rs"),
    ] {
        assert!(shown.contains("#[tokio::test"));
        assert!(page.contains(&format!("```rust\n{shown}```")), "copy it into the page:\n{shown}");
    }
}

/// The informer's own tests do not have this crate.
#[test]
fn pages_of_the_informer_show_code_that_compiles() {
    for (page, shown) in [
        ("coming_from_client_go.md", include_str!("client_go_page.rs")),
        ("troubleshooting.md", include_str!("trigger_page.rs")),
    ] {
        let text = fs::read_to_string(docs().join("../../../../src/docs").join(page)).unwrap();
        assert!(
            text.contains(&format!("```rust,ignore\n{shown}```")),
            "copy it into {page}:\n{shown}"
        );
    }
}

/// A reader copies the dependencies and the code into a new crate.
#[test]
fn pages_name_crates_that_their_code_uses() {
    let known = "bytes futures http k8s_openapi kube kube_controllers kube_informer serde serde_json tokio \
                 tokio_util tracing tracing_subscriber";
    for page in ["tutorial.md", "testing_a_controller.md"] {
        let text = fs::read_to_string(docs().join(page)).unwrap();
        let blocks = |language: &'static str| {
            let blocks = text.split("```").skip(1).step_by(2);
            blocks.filter(move |block| block.starts_with(language))
        };
        let manifest: String = blocks("toml").collect();
        for name in known.split(' ') {
            let dependency = format!("\n{} = ", name.replace('_', "-"));
            let path = format!("{name}::");
            let uses = |code: &str| {
                code.match_indices(&path).any(|(at, _)| {
                    !code[..at].ends_with(|c: char| matches!(c, '_' | ':') || c.is_alphanumeric())
                })
            };
            let missing = blocks("rust").any(uses) && !manifest.contains(&dependency);
            assert!(!missing, "{page} uses {name}, and its dependencies lack it");
        }
    }
}
