//! Runs scenarios and tells of each what became of it.

use std::any::Any;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::LocalBoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::Semaphore;
use tokio::task::{LocalSet, spawn_local};

use super::arguments::Arguments;
use super::backend::{Backend, KINDS, Kind};
use super::rig::Rig;
use super::{FORGETTING, SCENARIOS, trial_limit, trials};

/// Why something could not be run here.
#[derive(Clone, Debug)]
pub(crate) struct Skip(pub(crate) String);

/// The result of a scenario that did not panic.
pub(crate) type Outcome = Result<(), Skip>;

pub(crate) type Scenario = fn(Rig) -> LocalBoxFuture<'static, Outcome>;

/// A test that runs on a server of its own.
pub(crate) type Trial = fn() -> LocalBoxFuture<'static, Outcome>;

/// Names scenarios by their functions.
macro_rules! scenarios {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$((stringify!($name), |rig| $module::$name(rig).boxed_local())),*]
    };
}
pub(crate) use scenarios;

/// The longest time of a scenario.
pub(crate) const LIMIT: Duration = Duration::from_secs(150);
/// The number of scenarios that run at a time.
const AT_ONCE: usize = 8;

#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    skipped: usize,
    failures: Vec<(String, String)>,
}

impl Tally {
    fn count(&mut self, name: String, took: Duration, outcome: Result<Outcome, String>) {
        let result = match &outcome {
            Ok(Ok(())) => {
                self.passed += 1;
                "ok".to_owned()
            }
            Ok(Err(Skip(why))) => {
                self.skipped += 1;
                format!("skipped: {why}")
            }
            Err(_) => "FAILED".to_owned(),
        };
        println!("test {name} ... {result} ({:.1} s)", took.as_secs_f32());
        if let Err(problem) = outcome {
            self.failures.push((name, problem));
        }
    }
}

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse(std::env::args().skip(1));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let tally = runtime.expect("a runtime").block_on(LocalSet::new().run_until(run(&arguments)));
    if tally.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run(arguments: &Arguments) -> Tally {
    let (mut tally, start) = (Tally::default(), Instant::now());
    if arguments.list {
        let all = KINDS.iter().flat_map(|kind| {
            wanted(*kind, SCENARIOS, arguments).chain(wanted(*kind, FORGETTING, arguments))
        });
        for name in all.map(|(name, _)| name).chain(trials().map(|(name, _)| (*name).to_owned())) {
            println!("{name}: test");
        }
        return tally;
    }
    println!();
    for kind in KINDS {
        let together: Vec<_> = wanted(*kind, SCENARIOS, arguments).collect();
        let alone: Vec<_> = wanted(*kind, FORGETTING, arguments).collect();
        let number = together.len() + alone.len();
        if number == 0 {
            continue;
        }
        let begun = Instant::now();
        match outcome_of(Backend::open(*kind), LIMIT).await {
            Ok(Ok(backend)) => {
                let backend = Arc::new(backend);
                run_on(&backend, together, AT_ONCE, &mut tally).await;
                run_on(&backend, alone, 1, &mut tally).await;
                backend.clean().await;
            }
            Err(problem) => {
                let name = format!("{}::opens", kind.name());
                tally.count(name, begun.elapsed(), Err(problem));
            }
            Ok(Err(Skip(why))) => {
                println!("skipped {} ({} scenarios): {why}", kind.name(), number);
                tally.skipped += number;
            }
        }
    }
    let trials = trials().filter(|(name, _)| arguments.wants(name));
    let trials = trials.map(|(name, trial)| async move {
        let begun = Instant::now();
        let outcome = outcome_of(trial(), trial_limit()).await;
        ((*name).to_owned(), begun.elapsed(), outcome)
    });
    let mut running: FuturesUnordered<_> = trials.collect();
    while let Some((name, took, outcome)) = running.next().await {
        tally.count(name, took, outcome);
    }
    for (name, problem) in &tally.failures {
        println!("\n---- {name}\n{problem}");
    }
    let result = if tally.failures.is_empty() { "ok" } else { "FAILED" };
    let (passed, failed, skipped) = (tally.passed, tally.failures.len(), tally.skipped);
    let seconds = start.elapsed().as_secs_f32();
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {skipped} skipped; finished in {seconds:.1}s\n"
    );
    tally
}

fn wanted(
    kind: Kind,
    scenarios: &[(&str, Scenario)],
    arguments: &Arguments,
) -> impl Iterator<Item = (String, Scenario)> {
    scenarios
        .iter()
        .map(move |(name, scenario)| (format!("{}::{name}", kind.name()), *scenario))
        .filter(|(name, _)| arguments.wants(name))
}

async fn run_on(
    backend: &Arc<Backend>,
    wanted: Vec<(String, Scenario)>,
    at_once: usize,
    tally: &mut Tally,
) {
    let permits = Arc::new(Semaphore::new(at_once));
    let mut running: FuturesUnordered<_> = wanted
        .into_iter()
        .map(|(name, scenario)| {
            let (permits, backend) = (permits.clone(), backend.clone());
            async move {
                let _permit = permits.acquire().await.expect("it is never closed");
                let begun = Instant::now();
                let prepared = async move { scenario(Rig::new(backend).await).await };
                let outcome = outcome_of(prepared, LIMIT).await;
                (name, begun.elapsed(), outcome)
            }
        })
        .collect();
    while let Some((name, took, outcome)) = running.next().await {
        tally.count(name, took, outcome);
    }
}

/// In a task of its own, so that a panic is one scenario's.
async fn outcome_of<T: 'static>(
    scenario: impl Future<Output = T> + 'static,
    limit: Duration,
) -> Result<T, String> {
    match tokio::time::timeout(limit, spawn_local(scenario)).await {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(error)) => Err(text_of(&*error.into_panic())),
        Err(_) => Err(format!("not over after {limit:?}")),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "it panicked".to_owned())
}
