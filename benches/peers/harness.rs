//! The parts of this crate's measurement that a peer's lacks: times, bytes, and the command
//! line.

use std::alloc::System;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::runtime::{Builder, Runtime};

use super::{CYCLES, Failed};

#[global_allocator]
static ALLOCATED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A run of a measurement: told to begin and end its time, and to note how many bytes a key takes.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    pub(crate) bytes: usize,
    began: Option<(Instant, Duration)>,
}

impl Run {
    pub(crate) fn begin(&mut self) {
        let cpu = cpu_time();
        self.began = Some((Instant::now(), cpu));
    }

    pub(crate) fn end(&mut self) {
        let Some((began, cpu)) = self.began else { return };
        self.wall = began.elapsed();
        self.cpu = cpu_time().saturating_sub(cpu);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    Many,
}

pub(crate) fn runtime(threads: Threads) -> Runtime {
    let mut builder = match threads {
        Threads::One => Builder::new_current_thread(),
        Threads::Many => Builder::new_multi_thread(),
    };
    builder.enable_time().build().expect("there are threads")
}

pub(crate) fn stopped_clock() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("there are threads")
}

pub(crate) fn live() -> usize {
    let stats = ALLOCATED.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Processor time of all threads that run, by Linux's scheduler; elsewhere nothing.
fn cpu_time() -> Duration {
    // Brings this thread's account up to date, which is else done at the scheduler's next tick.
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanos = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

pub(crate) struct Options {
    pub(crate) runs: usize,
    pub(crate) held: usize,
    pub(crate) rounds: usize,
    pub(crate) only: Option<String>,
    pub(crate) peer: bool,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failed> {
        let mut options = Self { runs: 1, held: 1_000, rounds: 3, only: None, peer: false };
        let (mut runs, mut held, mut measures) = (None, None, false);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match &*argument {
                "--bench" => measures = true,
                "--runs" => runs = Some(value()?.parse()?),
                "--keys" => held = Some(value()?.parse()?),
                "--rounds" => options.rounds = value()?.parse()?,
                "--only" => options.only = Some(value()?),
                "--peer" => options.peer = true,
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        if measures {
            (options.runs, options.held) = (5, 1_000_000);
            CYCLES.store(10_000, Ordering::Relaxed);
        }
        options.runs = runs.unwrap_or(options.runs).max(1);
        options.held = held.unwrap_or(options.held).max(1);
        Ok(options)
    }
}
