//! A process for each test, and what it allocates.

#[path = "../cluster/arguments.rs"]
mod arguments;

use std::alloc::System;
use std::num::NonZero;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use self::arguments::Arguments;

/// Counts what this process allocates. A program makes it the allocator.
pub(crate) static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The bytes that are allocated now.
pub(crate) fn in_use() -> usize {
    let stats = COUNTED.stats();
    // These figures include reallocations.
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

/// Runs the tests that the arguments name, each in a process of its own.
pub(crate) fn run(tests: &[(&'static str, fn())]) -> ExitCode {
    let arguments = Arguments::parse(std::env::args().skip(1));
    let wanted: Vec<_> = tests.iter().filter(|(name, _)| arguments.wants(name)).collect();
    if arguments.list {
        for (name, _) in wanted {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    if let [(name, test)] = wanted[..] {
        test();
        println!("\ntest {name} ... ok\n");
        return ExitCode::SUCCESS;
    }
    println!();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(wanted.len()) {
            scope.spawn(|| {
                while let Some((name, _)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !passes(name) {
                        failed.lock().unwrap().push(*name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let (result, passed) =
        (if failed.is_empty() { "ok" } else { "FAILED" }, wanted.len() - failed.len());
    println!("\ntest result: {result}. {passed} passed; {} failed {failed:?}\n", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one test in a process of its own. Prints its output if it fails.
fn passes(name: &str) -> bool {
    let begun = Instant::now();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--exact", name]).output().unwrap();
    let took = begun.elapsed().as_secs_f32();
    if output.status.success() {
        println!("test {name} ... ok ({took:.1} s)");
        return true;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    println!("test {name} ... FAILED ({took:.1} s, {})\n{stdout}{stderr}", output.status);
    false
}
