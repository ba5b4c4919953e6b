//! Plays worlds from seeds, on as many threads as there are processors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A world that takes longer than this, in real time, turns in circles.
const LONGEST: Duration = Duration::from_secs(120);

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is no number")))
}

/// Runs a world from its beginning to its end in simulated time.
pub(crate) fn in_simulated_time<T>(seed: u64, life: impl Future<Output = T>) -> T {
    // Delays and jitters are drawn from the thread's own generator.
    fastrand::seed(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(life)
}

/// Plays the usual number of worlds, or those that the environment names: `NAME_SEED=n` plays one,
/// `NAME_SEEDS=n` plays so many, `KUBE_INFORMER_SEEDS=n` plays n times the usual number, and
/// `KUBE_INFORMER_FRESH_SEEDS` plays others than usually. Returns what each returned.
///
/// # Panics
/// Panics if a world panics. The message names its seed.
pub(crate) fn play_all<T: Send>(name: &str, usual: u64, play: fn(u64) -> T) -> Vec<T> {
    let (one, many) = (format!("{name}_SEED"), format!("{name}_SEEDS"));
    let (from, to) = if let Some(seed) = number(&one) {
        (seed, seed + 1)
    } else {
        let from = number("KUBE_INFORMER_FRESH_SEEDS").map_or(0, |_| fastrand::u32(..).into());
        let usual = usual * number("KUBE_INFORMER_SEEDS").unwrap_or(1);
        (from, from + number(&many).unwrap_or(usual))
    };
    let begun = Instant::now();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (next, running) = (AtomicU64::new(from), AtomicU64::new(0));
    let (failures, results) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let at_work = Mutex::new(vec![None; threads]);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            running.fetch_add(1, Ordering::SeqCst);
            let (next, running, failures, results, at_work, one) =
                (&next, &running, &failures, &results, &at_work, &one);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= to {
                        break;
                    }
                    at_work.lock().unwrap()[thread] = Some((seed, Instant::now()));
                    match catch_unwind(AssertUnwindSafe(|| play(seed))) {
                        Ok(played) => results.lock().unwrap().push(played),
                        Err(panic) => {
                            let text = panic.downcast_ref::<String>().cloned();
                            let text = text.unwrap_or_else(|| "see above".into());
                            eprintln!("{one}={seed} fails: {text}");
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
                    eprintln!("{one}={seed} turns in circles");
                    std::process::exit(101);
                }
            }
        }
    });
    let (failures, results) = (failures.into_inner().unwrap(), results.into_inner().unwrap());
    println!("{} worlds in {:.1?}", to - from, begun.elapsed());
    assert!(failures.is_empty(), "{} of {} seeds fail: {failures:?}", failures.len(), to - from);
    results
}
