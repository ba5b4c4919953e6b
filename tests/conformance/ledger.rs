//! The lists of steps that may differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A deliberate difference from a real server.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) scenario: &'static str,
    pub(crate) steps: &'static [usize],
    /// The beginnings of the paths that differ; if there are none, the whole step.
    pub(crate) paths: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// Steps of scenarios that differ and should not, by the number of the step.
pub(crate) type Open = BTreeMap<String, BTreeSet<usize>>;

static WRITING: Mutex<()> = Mutex::new(());

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/open.txt")
}

/// Reads the list of open differences: a scenario a line, with its steps.
pub(crate) fn open() -> Open {
    let text = std::fs::read_to_string(file()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(scenario, steps)| (scenario.to_owned(), parse(steps))).collect()
}

/// Replaces the open differences of a scenario.
pub(crate) fn write(scenario: &str, steps: BTreeSet<usize>) {
    let _guard = WRITING.lock().unwrap();
    let mut all = open();
    all.insert(scenario.to_owned(), steps);
    let mut text = String::new();
    for (scenario, steps) in all.iter().filter(|(_, steps)| !steps.is_empty()) {
        writeln!(text, "{scenario}:{}", format(steps)).unwrap();
    }
    std::fs::write(file(), text).expect("the list of open differences can be written");
}

fn parse(steps: &str) -> BTreeSet<usize> {
    let number = |text: &str| text.parse().expect("a number of a step");
    steps
        .split_whitespace()
        .flat_map(|part| match part.split_once('-') {
            Some((first, last)) => number(first)..=number(last),
            None => number(part)..=number(part),
        })
        .collect()
}

fn format(steps: &BTreeSet<usize>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &step in steps {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == step => *last = step,
            _ => ranges.push((step, step)),
        }
    }
    ranges.into_iter().fold(String::new(), |mut text, (first, last)| {
        if first == last {
            let _ = write!(text, " {first}");
        } else {
            let _ = write!(text, " {first}-{last}");
        }
        text
    })
}

#[test]
fn ranges_of_steps_are_read_as_written() {
    let steps = BTreeSet::from([1, 2, 3, 5, 7, 8]);
    assert_eq!(format(&steps), " 1-3 5 7-8");
    assert_eq!(parse(&format(&steps)), steps);
}
