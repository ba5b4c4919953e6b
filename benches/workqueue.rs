//! The work queue beside client-go's: measurement by measurement what
//! benches/peers/workqueue/main.go does, in the same words.
//!
//! `cargo bench --bench workqueue` prints one line of JSON for each; `-- --peer` builds and runs
//! the Go program in turn, where Go is installed, and prints a table with ratios. `--runs 5`,
//! `--keys 1000000` and `--only name` as there; `--rounds 3` with `--peer`. Without cargo's
//! `--bench`, as `cargo test --benches` calls it, it only shows that everything runs.
//!
//! Tasks stand for the Go program's goroutines, once on one thread and once on as many as there are
//! processors: `runtime` says which. Everything else is on one thread. Keys are
//! [`ObjectKey`]s, which controllers have: as a Go string a pointer and a length, plus a count of
//! references. What is got is held as a guard until it is done; room for the guards is made before
//! a run and does not count. Memory is what the allocator counts, which costs a few nanoseconds for
//! each allocation; a queue allocates to grow and for nothing else.

#[path = "peers/harness.rs"]
mod harness;
#[path = "peers/table.rs"]
mod table;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube_informer::ObjectKey;
use kube_informer::workqueue::{ExponentialBackoff, Work, WorkQueue};
use serde_json::json;

use self::harness::{Options, Run, Threads, live, runtime, stopped_clock};

const HOUR: Duration = Duration::from_secs(3_600);

type Queue = WorkQueue<ObjectKey>;
type Failed = Box<dyn std::error::Error>;

struct Bench {
    name: &'static str,
    n: usize,
    threads: Option<Threads>,
    run: fn(&mut Run, &[ObjectKey], Threads),
}

fn main() -> Result<(), Failed> {
    let options = Options::parse(std::env::args().skip(1))?;
    if options.peer {
        return table::compare(options.only.as_deref(), options.runs, options.held, options.rounds);
    }
    let some = options.held.min(100_000);
    let keys = keys(options.held.max(100))?;
    for bench in benches(options.held, some) {
        if options.only.as_ref().is_some_and(|only| only != bench.name) {
            continue;
        }
        let threads = bench.threads.unwrap_or(Threads::One);
        let runs: Vec<_> = (0..options.runs)
            .map(|_| {
                let mut run = Run::default();
                (bench.run)(&mut run, &keys[..bench.n.min(keys.len())], threads);
                run
            })
            .collect();
        let per_op = |of: fn(&Run) -> f64| {
            #[allow(clippy::cast_precision_loss, reason = "a count far below 2^52")]
            let n = bench.n as f64;
            table::median(runs.iter().map(|run| of(run) / n).collect())
        };
        let mut line = json!({
            "bench": bench.name, "n": bench.n,
            "ns_per_op": per_op(|run| run.wall.as_secs_f64() * 1e9),
            "cpu_ns_per_op": per_op(|run| run.cpu.as_secs_f64() * 1e9),
        });
        #[allow(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        let bytes = per_op(|run| run.bytes as f64);
        if bytes > 0.0 {
            line["bytes_per_key"] = bytes.into();
        }
        match bench.threads {
            Some(Threads::One) => line["runtime"] = "current_thread".into(),
            Some(Threads::Many) => line["runtime"] = "multi_thread".into(),
            None => {}
        }
        println!("{line}");
    }
    Ok(())
}

/// In the order of the Go program.
fn benches(held: usize, some: usize) -> Vec<Bench> {
    type Measure = fn(&mut Run, &[ObjectKey], Threads);
    let one = |name, n, run: Measure| Bench { name, n, threads: None, run };
    let on = |name, n, threads, run: Measure| Bench { name, n, threads: Some(threads), run };
    vec![
        one("cycle", CYCLES.load(Ordering::Relaxed) * 100, cycle),
        one("add_get_done", some, add_get_done),
        one("add_get_done", held, add_get_done),
        one("dedup_queued", held, dedup_queued),
        one("dedup_processing", some, dedup_processing),
        on("throughput_1_8", held, Threads::One, throughput),
        on("throughput_1_8", held, Threads::Many, throughput),
        one("add_after_fake_clock", some, add_after_fake_clock),
        on("add_after_arrive", some, Threads::One, add_after_arrive),
        on("add_after_arrive", some, Threads::Many, add_after_arrive),
        one("rate_limited_item", some, rate_limited_item),
        one("rate_limited_default", some, rate_limited_default),
        one("forget", some, forget),
        one("held_queued", held, held_queued),
        one("held_processing", held, held_processing),
        one("held_delayed", held, held_delayed),
    ]
}

/// `cycle`: a hundred keys; for each add, get and done before the next, so that the queue never
/// holds more than one. 10,000 rounds on one queue. An operation is the three calls for one key.
fn cycle(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    let rounds = CYCLES.load(Ordering::Relaxed);
    runtime(threads).block_on(async {
        let queue = Queue::new();
        run.begin();
        for _ in 0..rounds {
            for key in &keys[..100] {
                queue.add(key.clone());
                drop(queue.get().await);
            }
        }
        run.end();
    });
}

/// The number of rounds of `cycle`, a hundred operations each.
static CYCLES: AtomicUsize = AtomicUsize::new(10);

/// `add_get_done`: one task adds all keys, gets all, and says done for all, each in order. An
/// operation is the three calls for one key.
fn add_get_done(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let queue = Queue::new();
        let mut held = Vec::with_capacity(keys.len());
        run.begin();
        add(&queue, keys);
        get(&queue, keys.len(), &mut held).await;
        done(&mut held);
        run.end();
    });
}

/// `dedup_queued`: all keys are queued already; each is added once more. An operation is one of
/// these adds.
fn dedup_queued(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let queue = Queue::new();
        add(&queue, keys);
        run.begin();
        add(&queue, keys);
        run.end();
        assert_eq!(queue.len(), keys.len());
    });
}

/// `dedup_processing`: all keys are being processed; each is added twice, done, got and done again.
/// An operation is these five calls for one key; all keys go through each call before the next.
fn dedup_processing(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let queue = Queue::new();
        let mut held = Vec::with_capacity(keys.len());
        add(&queue, keys);
        get(&queue, keys.len(), &mut held).await;
        run.begin();
        add(&queue, keys);
        add(&queue, keys);
        done(&mut held);
        get(&queue, keys.len(), &mut held).await;
        done(&mut held);
        run.end();
        assert!(queue.is_empty());
    });
}

/// `throughput_1_8`: one task adds all keys as fast as it can while eight get and say done, doing
/// nothing with them. From the first add until every key is done; the queue is shut down after the
/// last add and drained. An operation is the whole way of one key.
fn throughput(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    let keys = keys.to_vec();
    runtime(threads).block_on(async {
        let queue = Queue::new();
        run.begin();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let queue = queue.clone();
            tasks.spawn(async move {
                while let Some(work) = queue.get().await {
                    drop(work);
                    // One thread for all: others have their turn, too.
                    tokio::task::coop::consume_budget().await;
                }
            });
        }
        tasks.spawn(async move {
            for key in &keys {
                queue.add(key.clone());
                tokio::task::coop::consume_budget().await;
            }
            queue.shutdown();
        });
        while tasks.join_next().await.is_some() {}
        run.end();
    });
}

/// `add_after_fake_clock`: each key is added after a delay below ten minutes, at random but the
/// same in every run; then the clock steps eleven minutes and every key is got (not done). An
/// operation is the add-after and the get of one key.
fn add_after_fake_clock(run: &mut Run, keys: &[ObjectKey], _: Threads) {
    stopped_clock().block_on(async {
        let queue = Queue::new();
        let delays = delays(keys.len(), 600 * Duration::from_secs(1));
        let mut held = Vec::with_capacity(keys.len());
        run.begin();
        for (key, delay) in keys.iter().zip(delays) {
            queue.add_after(key.clone(), delay);
        }
        tokio::time::advance(Duration::from_secs(660)).await;
        get(&queue, keys.len(), &mut held).await;
        run.end();
    });
}

/// `add_after_arrive`: the real clock. Each key is added after a delay of at most 20 ms, at random
/// but the same in every run; one task adds, another gets and says done until it has had all. From
/// the first add until the last done. The wall time can't be less than the adds take or the last
/// delay, so look at the processor time, too.
fn add_after_arrive(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    let keys = keys.to_vec();
    runtime(threads).block_on(async {
        let queue = Queue::new();
        let delays = delays(keys.len(), Duration::from_millis(20));
        run.begin();
        let (arriving, n) = (queue.clone(), keys.len());
        let all = tokio::spawn(async move {
            for _ in 0..n {
                drop(arriving.get().await);
                tokio::task::coop::consume_budget().await;
            }
        });
        let adding = tokio::spawn(async move {
            for (key, delay) in keys.into_iter().zip(delays) {
                queue.add_after(key, delay);
                tokio::task::coop::consume_budget().await;
            }
            queue
        });
        let (ended, _queue) = (all.await, adding.await);
        run.end();
        assert!(ended.is_ok());
    });
}

/// `rate_limited_item`: each key is added rate-limited once, by the per-item exponential limiter
/// alone (an hour, doubling, so that none arrives). An operation is one call.
fn rate_limited_item(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    let limiter = ExponentialBackoff::new(HOUR, 1_000 * HOUR);
    rate_limited(run, keys, threads, Queue::builder().limiter(limiter).build());
}

/// `rate_limited_default`: the same by the default limiter of controllers: the later of per-item
/// exponential (5 ms to 1000 s) and a bucket of 10 a second with a burst of 100. The first few keys
/// arrive meanwhile; nobody gets them.
fn rate_limited_default(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    rate_limited(run, keys, threads, Queue::new());
}

fn rate_limited(run: &mut Run, keys: &[ObjectKey], threads: Threads, queue: Queue) {
    runtime(threads).block_on(async {
        run.begin();
        for key in keys {
            queue.add_rate_limited(key.clone());
        }
        run.end();
        drop(queue);
    });
}

/// `forget`: each key failed once and is forgotten. An operation is num-requeues and forget of one
/// key.
fn forget(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let limiter = ExponentialBackoff::new(HOUR, 1_000 * HOUR);
        let queue = Queue::builder().limiter(limiter).build();
        for key in keys {
            queue.add_rate_limited(key.clone());
        }
        run.begin();
        for key in keys {
            assert_eq!(queue.num_requeues(key), 1);
            queue.forget(key);
        }
        run.end();
    });
}

/// `held_queued`: all keys are added to a new queue and stay there. An operation is one add; the
/// bytes are those of the queue with all keys in it (a key's text not counted, its pointer and
/// length are).
fn held_queued(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let before = live();
        let queue = Queue::new();
        run.begin();
        add(&queue, keys);
        run.end();
        run.bytes = live() - before;
        assert_eq!(queue.len(), keys.len());
    });
}

/// `held_processing`: all keys were got and none is done. An operation is one get; the bytes are
/// those of the queue then, with what it keeps from having held all keys.
fn held_processing(run: &mut Run, keys: &[ObjectKey], threads: Threads) {
    runtime(threads).block_on(async {
        let mut held = Vec::with_capacity(keys.len());
        let before = live();
        let queue = Queue::new();
        add(&queue, keys);
        run.begin();
        get(&queue, keys.len(), &mut held).await;
        run.end();
        run.bytes = live() - before;
    });
}

/// `held_delayed`: all keys are added after a delay between one and two hours, the same in every
/// run, and wait. An operation is one add-after; the bytes are those of the queue then.
fn held_delayed(run: &mut Run, keys: &[ObjectKey], _: Threads) {
    stopped_clock().block_on(async {
        let delays = delays(keys.len(), HOUR);
        let before = live();
        let queue = Queue::new();
        run.begin();
        for (key, delay) in keys.iter().zip(&delays) {
            queue.add_after(key.clone(), HOUR + *delay);
        }
        run.end();
        run.bytes = live() - before;
        black_box(&delays);
        assert!(queue.is_empty());
    });
}

fn add(queue: &Queue, keys: &[ObjectKey]) {
    for key in keys {
        queue.add(key.clone());
    }
}

async fn get(queue: &Queue, n: usize, held: &mut Vec<Work<ObjectKey>>) {
    for _ in 0..n {
        held.extend(queue.get().await);
    }
}

/// Says done for all, in the order in which they were got.
fn done(held: &mut Vec<Work<ObjectKey>>) {
    held.drain(..).for_each(drop);
}

/// Strings as controllers have them: a hundred namespaces, in order of the names.
fn keys(n: usize) -> Result<Vec<ObjectKey>, Failed> {
    let key =
        |n| ObjectKey::namespaced(&format!("namespace-{:03}", n % 100), &format!("name-{n:07}"));
    Ok((0..n).map(key).collect::<Result<_, _>>()?)
}

/// The same delays in every run: uniform in [0, below).
fn delays(n: usize, below: Duration) -> Vec<Duration> {
    let mut random = fastrand::Rng::with_seed(1);
    let below = u64::try_from(below.as_nanos()).unwrap_or(u64::MAX);
    (0..n).map(|_| Duration::from_nanos(random.u64(..below))).collect()
}
