//! Arguments of public functions, tried with values that no caller means.
//!
//! `.ci/arguments` has the rule of each argument. One that is neither free nor only looked up fails
//! here until it is tried.

mod controllers;
mod informer;
mod results;
mod server;
mod waits;
mod webhooks;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::runtime::Builder;

const S: Duration = Duration::from_secs(1);

/// Times that no caller means, and two that one may.
const TIMES: [Duration; 7] = [
    Duration::ZERO,
    Duration::from_nanos(1),
    Duration::from_millis(1),
    S,
    Duration::from_secs(40 * 365 * 86_400),
    Duration::from_secs(u64::MAX / 2),
    Duration::MAX,
];

const NUMBERS: [u64; 8] = [0, 1, 2, 999, 65_536, 1 << 32, u64::MAX / 2, u64::MAX];

const SHARES: [f64; 9] =
    [0.0, 0.5, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Runs a future on a runtime of its own, whose time is paused.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().unwrap().block_on(future)
}

/// The arguments, and what was found about them.
struct Trials {
    /// The rule of each argument that was not tried yet.
    rules: BTreeMap<&'static str, Vec<(&'static str, &'static str)>>,
    problems: Vec<String>,
}

impl Trials {
    fn new() -> Self {
        let lines = include_str!("../../../../.ci/arguments").lines();
        let rows = lines.filter(|line| !line.starts_with('#')).map(|line| {
            let (item, arguments) = line.split_once(' ').unwrap();
            (item, arguments.split(' ').map(|one| one.split_once('=').unwrap()).collect())
        });
        Self { rules: rows.collect(), problems: Vec::new() }
    }

    /// Takes the rule of an argument, named as `Type::function argument`.
    fn rule(&mut self, of: &str) -> &'static str {
        let (function, argument) = of.split_once(' ').unwrap();
        let path = format!("::{function}");
        let mut known = self.rules.iter_mut().filter(|(item, _)| item.ends_with(&path));
        let arguments = known.next().unwrap_or_else(|| panic!("no line of {function}")).1;
        assert!(known.next().is_none(), "name the module of {function}");
        let place = arguments.iter().position(|(name, _)| *name == argument);
        arguments.remove(place.unwrap_or_else(|| panic!("{of} has no rule, or two trials"))).1
    }

    fn note(&mut self, of: &str, value: &dyn Debug, trial: impl FnOnce() -> Result<(), String>) {
        if let Err(problem) = catch_unwind(AssertUnwindSafe(trial)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Err(format!("panicked: {:?}", text.or(panic.downcast_ref::<&str>().copied())))
        }) {
            self.problems.push(format!("{of}: {value:?} {problem}"));
        }
    }

    /// Tries values of an argument that has a rule of its own.
    fn check<T: Debug + Clone>(
        &mut self,
        of: &str,
        good: impl IntoIterator<Item = T>,
        bad: impl IntoIterator<Item = T>,
        takes: impl Fn(T) -> bool,
    ) {
        assert_eq!(self.rule(of), "checked", "{of}");
        self.judge(of, good, bad, takes);
    }

    fn judge<T: Debug + Clone>(
        &mut self,
        of: &str,
        good: impl IntoIterator<Item = T>,
        bad: impl IntoIterator<Item = T>,
        takes: impl Fn(T) -> bool,
    ) {
        let good = good.into_iter().map(|value| (value, true));
        for (value, expected) in good.chain(bad.into_iter().map(|value| (value, false))) {
            self.note(of, &value.clone(), || {
                let is_allowed = takes(value);
                let found = || format!("is {}taken", if is_allowed { "" } else { "not " });
                (is_allowed == expected).then_some(()).ok_or_else(found)
            });
        }
    }

    /// Tries names and selectors of which a rule of API servers decides.
    fn names(&mut self, of: &str, takes: impl Fn(&str) -> bool) {
        let (good, bad) = names(self.rule(of));
        self.judge(of, good, bad, |name: String| takes(&name));
    }

    fn all<T: Debug + Copy>(&mut self, of: &str, values: &[T], run: impl Fn(T)) {
        let rule = self.rule(of);
        assert!(["any", "raised"].contains(&rule), "{of} is {rule}");
        for value in values {
            self.note(of, value, || {
                run(*value);
                Ok(())
            });
        }
    }

    /// Tries times, each of which must work.
    fn times(&mut self, of: &str, run: impl Fn(Duration)) {
        self.all(of, &TIMES, run);
    }

    /// Tries numbers, each of which must work.
    fn numbers(&mut self, of: &str, run: impl Fn(u64)) {
        self.all(of, &NUMBERS, run);
    }

    /// Tries numbers as they are used for places in memory, each of which must work.
    fn sizes(&mut self, of: &str, run: impl Fn(usize)) {
        self.numbers(of, |number| run(usize::try_from(number).unwrap_or(usize::MAX)));
    }

    /// Tries fractions, each of which must work.
    fn shares(&mut self, of: &str, run: impl Fn(f64)) {
        self.all(of, &SHARES, run);
    }
}

/// Returns texts that a rule allows, and others.
fn names(rule: &str) -> (Vec<String>, Vec<String>) {
    let long = |length: usize| "a".repeat(length);
    let (good, bad): (&[&str], &[&str]) = match rule {
        "label" => (&["a", "a-1", "1"], &["A", "-a", "a-", "a.b", "a_b", "1ca428e5."]),
        "subdomain" => (&["a", "a.b-1", "1"], &["A", "-a", "a-", "a.", ".a", "a..b", "a_b"]),
        "qualified" => (&["a", "A.b_c-1", "a.b/C"], &["-a", "a-", "a/b/c", "/a", "a/", "A/b"]),
        "manager" => (&["a", "a b", "a/b", "é"], &["a\t"]),
        "parameter" => (&["pretty", "A"], &["limit", "labelSelector", "shardSelector", "watch"]),
        "data-key" => (&["a", "A_b.c-1", "-"], &[".", "..", "..a", "a/b"]),
        "labels" => (&["", "a=b", "a", "!a", "a in (b,c),d!=e"], &["a=b=c", "a b", "=b", "a in b"]),
        "fields" => (
            &["", "a.b=c", "a!=b", "a==b,c=d", "a\\=b", "a\\!=b", "a\\,=b"],
            &["a", "a=b,c", "a=b=c", "a=\\x", "a\\=b=c", "a\\!=b=c", "a\\,"],
        ),
        "name" => (&["a", "é", "a/b"], &[""]),
        rule => panic!("the rule {rule}"),
    };
    let mut good: Vec<_> = good.iter().map(ToString::to_string).collect();
    let mut bad: Vec<_> = bad.iter().map(ToString::to_string).collect();
    if !["manager", "parameter", "name", "fields"].contains(&rule) {
        bad.extend(["é", "a\u{7f}", "a\u{85}", "\u{200b}", "a%2f"].map(str::to_owned));
    }
    if !["manager", "parameter", "name", "fields", "labels"].contains(&rule) {
        bad.extend(["a\n", " a", "a ", "a\0"].map(str::to_owned));
    }
    if !["labels", "fields", "name"].contains(&rule) {
        bad.push(String::new());
    }
    let most = match rule {
        "label" | "qualified" => 63,
        "subdomain" | "data-key" => 253,
        "manager" => 128,
        _ => return (good, bad),
    };
    good.push(long(most));
    bad.push(long(most + 1));
    if rule == "manager" {
        bad.extend(["a\u{7f}", "a\u{85}", "a\n", "\u{200b}"].map(str::to_owned));
    }
    (good, bad)
}

#[test]
fn arguments_keep_their_rules() {
    let mut trials = Trials::new();
    informer::try_all(&mut trials);
    waits::try_all(&mut trials);
    controllers::try_all(&mut trials);
    webhooks::try_all(&mut trials);
    server::try_all(&mut trials);
    for (item, arguments) in &trials.rules {
        let untried = arguments.iter().filter(|(_, rule)| !["free", "known"].contains(rule));
        trials
            .problems
            .extend(untried.map(|(name, rule)| format!("{item} {name}: {rule}, not tried")));
    }
    assert!(trials.problems.is_empty(), "\n{}", trials.problems.join("\n"));
}
