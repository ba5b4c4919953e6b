//! Schedules of the work queue: several workers, several producers and its close.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use shuttle::future::{self, yield_now};
use shuttle::sync::mpsc::{Sender, channel};

use super::{join_all, run_scenario, spawn, spawn_waiter};
use crate::sync::Mutex;
use crate::workqueue::WorkQueue;

const SECOND: Duration = Duration::from_secs(1);

/// The number of adds of each item, and the items that workers hold.
#[derive(Default)]
struct WorkLog {
    asked: BTreeMap<u8, u32>,
    held: BTreeSet<u8>,
}

/// Works until the queue ends. Sends the number of adds of each item when its work began.
async fn work(queue: WorkQueue<u8>, desk: Arc<Mutex<WorkLog>>, told: Sender<(u8, u32)>) {
    while let Some(work) = queue.get().await {
        let asked = {
            let mut desk = desk.lock();
            assert!(desk.held.insert(*work), "two workers have {}", *work);
            desk.asked.get(&*work).copied().unwrap_or_default()
        };
        yield_now().await;
        desk.lock().held.remove(&*work);
        // The receiver may have enough and be gone.
        let _ = told.send((*work, asked));
    }
}

#[test]
fn every_add_is_processed_by_one_worker() {
    run_scenario(|_| {
        let (queue, desk) = (WorkQueue::new(), Arc::<Mutex<WorkLog>>::default());
        let (told, heard) = channel();
        let worker = || spawn_waiter(work(queue.clone(), desk.clone(), told.clone()));
        let workers = [worker(), worker()];
        let adders = [[1, 2, 1], [2, 3, 1]].map(|items| {
            let (queue, desk) = (queue.clone(), desk.clone());
            spawn(move || {
                for item in items {
                    *desk.lock().asked.entry(item).or_default() += 1;
                    assert!(queue.add(item), "the queue is open");
                }
            })
        });
        // The queue is open: a worker that sleeps while there is work sleeps for ever.
        let mut wanted: BTreeMap<u8, u32> = [(1, 3), (2, 2), (3, 1)].into();
        while !wanted.is_empty() {
            let (item, asked) = heard.recv().unwrap();
            wanted.retain(|other, times| *other != item || asked < *times);
        }
        join_all(adders);
        queue.shutdown();
        join_all(workers);
        assert_eq!(queue.status().processing + queue.len(), 0);
    });
}

/// Takes one item, and never returns for another.
async fn take_one(queue: WorkQueue<u8>) -> u8 {
    *queue.get().await.expect("the queue is open")
}

#[test]
fn each_add_wakes_one_worker() {
    run_scenario(|_| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| spawn_waiter(take_one(queue.clone())));
        let adders = [1, 2].map(|item| {
            let queue = queue.clone();
            spawn(move || queue.add(item))
        });
        let mut taken = join_all(workers);
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
        join_all(adders);
    });
}

#[test]
fn another_worker_takes_over_the_timer() {
    run_scenario(|time| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| spawn_waiter(take_one(queue.clone())));
        let later = {
            let queue = queue.clone();
            spawn(move || queue.add_after(1, SECOND))
        };
        let now = spawn(move || queue.add(2));
        join_all([later, now]);
        time.advance(SECOND);
        let mut taken = join_all(workers);
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}

#[test]
fn item_added_during_work_goes_to_a_waiting_worker() {
    run_scenario(|_| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| {
            let queue = queue.clone();
            spawn_waiter(async move {
                let work = queue.get().await.expect("the queue is open");
                // On the second add the item waits, or is being processed, already.
                queue.add(*work);
            })
        });
        let adder = spawn(move || queue.add(1));
        join_all(workers);
        join_all([adder]);
    });
}

#[test]
fn delayed_item_arrives_after_its_waiter_is_dropped() {
    run_scenario(|time| {
        let queue = WorkQueue::new();
        let (told, heard) = channel();
        let worker = || {
            let (queue, told) = (queue.clone(), told.clone());
            async move {
                while let Some(work) = queue.get().await {
                    let _ = told.send(*work);
                }
            }
        };
        let (impatient, patient) = (future::spawn(worker()), spawn_waiter(worker()));
        let adder = {
            let queue = queue.clone();
            spawn(move || {
                queue.add_after(2, 2 * SECOND);
                queue.add_after(1, SECOND);
                impatient.abort();
            })
        };
        join_all([adder]);
        for _ in 0..4 {
            time.advance(SECOND);
        }
        let mut missing = BTreeSet::from([1, 2]);
        while !missing.is_empty() {
            missing.remove(&heard.recv().unwrap());
        }
        queue.shutdown();
        join_all([patient]);
    });
}

#[test]
fn drain_ends_when_accepted_items_are_done() {
    run_scenario(|_| {
        let (queue, done) = (WorkQueue::new(), Arc::new(Mutex::new(BTreeSet::new())));
        let worker = || {
            let (queue, done) = (queue.clone(), done.clone());
            spawn_waiter(async move {
                while let Some(work) = queue.get().await {
                    yield_now().await;
                    done.lock().insert(*work);
                }
            })
        };
        let workers = [worker(), worker()];
        let adder = {
            let queue = queue.clone();
            spawn(move || (1..4).filter(|item| queue.add(*item)).collect::<BTreeSet<u8>>())
        };
        let ending = || {
            let (queue, done) = (queue.clone(), done.clone());
            spawn_waiter(async move {
                queue.shutdown_with_drain().await;
                done.lock().clone()
            })
        };
        let drained = join_all([ending(), ending()]);
        let taken_in = join_all([adder]).remove(0);
        assert_eq!(drained, [taken_in.clone(), taken_in]);
        join_all(workers);
    });
}

#[test]
fn shutdown_ends_an_idle_drain() {
    run_scenario(|_| {
        let queue = WorkQueue::new();
        queue.add(1);
        let drain = spawn_waiter({
            let queue = queue.clone();
            async move { drop(queue.shutdown_with_drain().await) }
        });
        let shutdown = spawn(move || drop(queue.shutdown()));
        join_all([drain, shutdown]);
    });
}

#[test]
fn key_woken_while_parking_returns() {
    run_scenario(|_| {
        let queue = WorkQueue::new();
        queue.add(1);
        let open = Arc::new(Mutex::new(false));
        let worker = {
            let (queue, open) = (queue.clone(), open.clone());
            spawn_waiter(async move {
                loop {
                    let work = queue.get().await.expect("the queue is open");
                    let is_open = *open.lock();
                    if is_open {
                        return;
                    }
                    work.park(SECOND);
                }
            })
        };
        let waker = spawn(move || {
            *open.lock() = true;
            queue.unpark(&1);
        });
        join_all([waker]);
        join_all([worker]);
    });
}
