//! Small worlds in simulated time: a server that is written to, informers behind random faults,
//! handlers that panic, dawdle, come and go. When the faults stop, everything must come right.
//!
//! A world is made from a seed. One that fails says so; `CONVERGENCE_SEED=n` plays it again, alone,
//! and `CONVERGENCE_SEEDS=n` plays so many instead of the usual 2,000.

#![cfg(feature = "testing")]

mod handler;
mod object;
mod tally;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tally::Tally;
use world::play;

const SEEDS: u64 = 2_000;

/// A world that takes longer than this, in real time, turns in circles.
const LONGEST: Duration = Duration::from_secs(120);

/// The message of a handler that panics on purpose.
const ON_PURPOSE: &str = "on purpose";

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

#[test]
fn everything_converges_after_the_faults() {
    keep_quiet_about_panics_on_purpose();
    let (from, to) = match number("CONVERGENCE_SEED") {
        Some(seed) => (seed, seed + 1),
        None => (0, number("CONVERGENCE_SEEDS").unwrap_or(SEEDS)),
    };
    let begun = Instant::now();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (next, running) = (AtomicU64::new(from), AtomicU64::new(0));
    let (failures, tally) = (Mutex::new(Vec::new()), Mutex::new(Tally::default()));
    let at_work = Mutex::new(vec![None; threads]);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            running.fetch_add(1, Ordering::SeqCst);
            let (next, running, failures, tally, at_work) =
                (&next, &running, &failures, &tally, &at_work);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= to {
                        break;
                    }
                    at_work.lock().unwrap()[thread] = Some((seed, Instant::now()));
                    match catch_unwind(AssertUnwindSafe(|| play(seed))) {
                        Ok(played) => tally.lock().unwrap().add(&played),
                        Err(panic) => {
                            let text = panic.downcast_ref::<String>().cloned();
                            let text = text.unwrap_or_else(|| "see above".into());
                            eprintln!("CONVERGENCE_SEED={seed} fails: {text}");
                            failures.lock().unwrap().push(seed);
                        }
                    }
                    at_work.lock().unwrap()[thread] = None;
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(20));
            for (seed, since) in at_work.lock().unwrap().iter().flatten() {
                if since.elapsed() > LONGEST {
                    eprintln!("CONVERGENCE_SEED={seed} turns in circles");
                    std::process::exit(101);
                }
            }
        }
    });
    let (failures, tally) = (failures.into_inner().unwrap(), tally.into_inner().unwrap());
    println!("{} worlds in {:.1?}: {tally}", to - from, begun.elapsed());
    assert!(failures.is_empty(), "{} of {} seeds fail: {failures:?}", failures.len(), to - from);
    if to - from >= 1_000 {
        tally.assert_saw_everything();
    }
}

fn keep_quiet_about_panics_on_purpose() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>() != Some(&ON_PURPOSE) {
            usual(panic);
        }
    }));
}
