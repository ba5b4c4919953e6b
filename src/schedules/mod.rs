//! Parts of the crate under many interleavings of the tasks that share them.
//!
//! `RUSTC_WORKSPACE_WRAPPER=.ci/with-schedules cargo test --lib schedules::` builds the unit tests
//! with the locks and wake-ups of [`sync`](crate::sync) that give way, and plays each scenario here
//! under random schedules and under ones of few, far-reaching preemptions (PCT). A wake-up that is
//! lost shows as a deadlock: nobody can go on, though there is something to do. Time is simulated
//! and passes only where a scenario says so.
//!
//! `SCHEDULES=n` plays so many instead of the usual, `SCHEDULES_SEED=n` others. A failure names its
//! seed, and the schedule itself, which `shuttle::replay` takes.

mod fifo;
mod handlers;
mod own_writes;
mod store;
mod workqueue;

use std::sync::Arc;
use std::time::Duration;

use shuttle::future::block_on;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};
use tokio::runtime::{Builder, Runtime};

/// Under how many schedules of each sort a scenario is played.
const SCHEDULES: usize = 1_500;

/// How many preemptions a bug may need to be found by PCT, and one more.
const DEPTH: usize = 3;

/// The simulated time of one play.
#[derive(Clone)]
struct Time(Arc<Runtime>);

impl Time {
    /// To be called by one task at a time.
    fn passes(&self, time: Duration) {
        self.0.block_on(tokio::time::advance(time));
    }
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

/// Plays a scenario under many schedules.
fn play(scenario: fn(Time)) {
    let seed = number("SCHEDULES_SEED").unwrap_or(1);
    let plays = number("SCHEDULES").map_or(SCHEDULES, |n| usize::try_from(n).unwrap());
    play_by("random", seed, RandomScheduler::new_from_seed(seed, plays), scenario);
    play_by("PCT", seed, PctScheduler::new_from_seed(seed, DEPTH, plays), scenario);
}

fn play_by(sort: &str, seed: u64, scheduler: impl Scheduler + 'static, scenario: fn(Time)) {
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
    // Debug builds of tokio and of what is formatted in a panic need more than the usual 60 kB.
    config.stack_size = 512 * 1024;
    let runner = Runner::new(scheduler, config);
    runner.run(move || {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = Arc::new(runtime.expect("a runtime"));
        let _inside = runtime.enter();
        scenario(Time(runtime.clone()));
    });
}

/// A thread that does something.
fn spawn<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> shuttle::thread::JoinHandle<T> {
    shuttle::thread::spawn(act)
}

/// A thread that waits for a future.
fn waiting<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> shuttle::thread::JoinHandle<T> {
    spawn(move || block_on(future))
}

/// What all of these threads came to.
fn all<T>(threads: impl IntoIterator<Item = shuttle::thread::JoinHandle<T>>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().expect("it did not panic")).collect()
}
