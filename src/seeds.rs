//! The configuration of property tests: seeds of failures are kept under `tests/`.

use proptest::test_runner::{Config, FileFailurePersistence};

/// Returns the default configuration, with seeds under `tests/proptest-regressions`.
pub(crate) fn kept() -> Config {
    // A path beside `src`, joined with the path of the test's file below `src`.
    let seeds = FileFailurePersistence::SourceParallel("tests/proptest-regressions");
    Config { failure_persistence: Some(Box::new(seeds)), ..Config::default() }
}

/// Returns the same for so many cases.
pub(crate) fn cases(cases: u32) -> Config {
    Config { cases, ..kept() }
}

#[test]
fn finds_seeds_of_failures() {
    let kept = kept().failure_persistence.expect("a place for seeds");
    assert!(!kept.load_persisted_failures2(Some("src/delta_fifo/tests/convergence.rs")).is_empty());
}
