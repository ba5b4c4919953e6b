//! The configuration of property tests. The crates below `crates/` and the programs `suite` have
//! this module, too.
//!
//! Each file draws the same cases in every run, so that no change goes red by chance.
//! `KUBE_INFORMER_SEEDS=n` draws n times as many, and `KUBE_INFORMER_FRESH_SEEDS=n` others and n
//! times as many. The seeds of failures are kept under `tests/data/proptest-regressions`, and run
//! first.

#![allow(dead_code, reason = "some programs use only one of the two functions")]

use std::panic::Location;

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};

const FRESH: &str = "KUBE_INFORMER_FRESH_SEEDS";

/// Returns the configuration for the caller's file, with a quarter of the default number of cases.
#[track_caller]
pub(crate) fn kept() -> Config {
    of_file(Location::caller().file(), Config::default().cases / 4)
}

/// Returns the same for this number of cases.
#[track_caller]
pub(crate) fn cases(cases: u32) -> Config {
    of_file(Location::caller().file(), cases)
}

fn of_file(file: &'static str, cases: u32) -> Config {
    // Beside the folder of `lib.rs` or `main.rs`. The path of the test's file is appended.
    let in_src = file.starts_with("src") || file.contains("/src/");
    let folder =
        if in_src { "tests/data/proptest-regressions" } else { "data/proptest-regressions" };
    let failure_persistence: Box<_> = Box::new(FileFailurePersistence::SourceParallel(folder));
    let (rng_seed, times) = match factor(FRESH) {
        Some(times) => (RngSeed::Random, times),
        None => (RngSeed::Fixed(hash(file)), factor("KUBE_INFORMER_SEEDS").unwrap_or(1)),
    };
    Config {
        cases: cases.saturating_mul(times),
        rng_seed,
        failure_persistence: Some(failure_persistence),
        ..Config::default()
    }
}

/// Returns the factor that the environment asks for.
fn factor(variable: &str) -> Option<u32> {
    let value = std::env::var(variable).ok()?;
    let factor = value.parse().ok().filter(|factor| *factor > 0);
    Some(factor.unwrap_or_else(|| panic!("{variable}={value} is no number")))
}

/// Returns the FNV-1a hash, which is the same on every machine and in every release.
fn hash(file: &str) -> u64 {
    let byte = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    file.bytes().fold(0xcbf2_9ce4_8422_2325, byte)
}

#[test]
fn finds_seeds_of_failures() {
    let file = "tests/suite/delta_fifo/convergence.rs";
    let kept = of_file(file, 1).failure_persistence.expect("a place for seeds");
    assert!(!kept.load_persisted_failures2(Some(file)).is_empty());
}

#[test]
fn each_file_draws_its_own_cases_again() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;

    let draw = |file| {
        let mut runner = TestRunner::new(of_file(file, 1));
        proptest::num::u64::ANY.new_tree(&mut runner).unwrap().current()
    };
    let same = draw("src/a.rs") == draw("src/a.rs");
    assert_eq!(same, factor(FRESH).is_none());
    assert_ne!(draw("src/a.rs"), draw("src/b.rs"));
}
