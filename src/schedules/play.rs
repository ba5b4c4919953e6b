//! The runner of scenarios, and what they share. The crate `kube-controllers` has this module, too.

#![allow(dead_code, reason = "not every crate advances the time")]

use std::sync::Arc;
use std::time::Duration;

use shuttle::future::block_on;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};
use tokio::runtime::{Builder, Runtime};

/// The number of schedules of each kind that a scenario runs under.
const SCHEDULES: usize = 1_500;

/// The number of preemptions that PCT uses, plus one.
const DEPTH: usize = 3;

/// The simulated time of one run.
#[derive(Clone)]
pub(crate) struct Time(Arc<Runtime>);

impl Time {
    /// Advances the time. Only one task may call this at a time.
    pub(crate) fn advance(&self, time: Duration) {
        self.0.block_on(tokio::time::advance(time));
    }
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is not a number")))
}

/// Runs a scenario under many schedules.
pub(crate) fn run_scenario(scenario: fn(Time)) {
    let seed = number("SCHEDULES_SEED").unwrap_or(1);
    let plays = number("SCHEDULES").map_or(SCHEDULES, |n| usize::try_from(n).unwrap());
    run_with_scheduler("random", seed, RandomScheduler::new_from_seed(seed, plays), scenario);
    run_with_scheduler("PCT", seed, PctScheduler::new_from_seed(seed, DEPTH, plays), scenario);
}

fn run_with_scheduler(
    sort: &str,
    seed: u64,
    scheduler: impl Scheduler + 'static,
    scenario: fn(Time),
) {
    struct Failing<'a>(&'a str, u64);
    impl Drop for Failing<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("SCHEDULES_SEED={} fails, by {} scheduling", self.1, self.0);
            }
        }
    }
    let _failing = Failing(sort, seed);
    let mut config = Config::new();
    // Debug builds of tokio and of panic messages need more than the default 60 kB.
    config.stack_size = 512 * 1024;
    let runner = Runner::new(scheduler, config);
    runner.run(move || {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = Arc::new(runtime.expect("a runtime"));
        let _inside = runtime.enter();
        scenario(Time(runtime.clone()));
    });
}

/// Spawns a thread.
pub(crate) fn spawn<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> shuttle::thread::JoinHandle<T> {
    shuttle::thread::spawn(act)
}

/// Spawns a thread that waits for a future.
pub(crate) fn spawn_waiter<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> shuttle::thread::JoinHandle<T> {
    spawn(move || block_on(future))
}

/// Returns the results of all threads.
pub(crate) fn join_all<T>(
    threads: impl IntoIterator<Item = shuttle::thread::JoinHandle<T>>,
) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().expect("it did not panic")).collect()
}
