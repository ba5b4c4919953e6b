//! A queue with several workers, several who add, and who closes it.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::poll;
use shuttle::future::{self, block_on, yield_now};
use shuttle::sync::mpsc::{Sender, channel};

use super::{all, play, spawn, waiting};
use crate::sync::Mutex;
use crate::workqueue::WorkQueue;

const SECOND: Duration = Duration::from_secs(1);

/// What was asked for, how often, and what is in hands.
#[derive(Default)]
struct Desk {
    asked: BTreeMap<u8, u32>,
    held: BTreeSet<u8>,
}

/// Works until the queue ends; tells how often each item had been asked for when its work began.
async fn work(queue: WorkQueue<u8>, desk: Arc<Mutex<Desk>>, told: Sender<(u8, u32)>) {
    while let Some(work) = queue.get().await {
        let asked = {
            let mut desk = desk.lock();
            assert!(desk.held.insert(*work), "two workers have {}", *work);
            desk.asked.get(&*work).copied().unwrap_or_default()
        };
        yield_now().await;
        desk.lock().held.remove(&*work);
        // Who listens may have heard enough.
        let _ = told.send((*work, asked));
    }
}

#[test]
fn whatever_is_added_is_worked_on_after_that_by_one_at_a_time() {
    play(|_| {
        let (queue, desk) = (WorkQueue::new(), Arc::<Mutex<Desk>>::default());
        let (told, heard) = channel();
        let worker = || waiting(work(queue.clone(), desk.clone(), told.clone()));
        let workers = [worker(), worker()];
        let adders = [[1, 2, 1], [2, 3, 1]].map(|items| {
            let (queue, desk) = (queue.clone(), desk.clone());
            spawn(move || {
                for item in items {
                    *desk.lock().asked.entry(item).or_default() += 1;
                    assert!(queue.add(item), "it is open");
                }
            })
        });
        // Nobody closes it meanwhile: who sleeps though there is work sleeps for ever.
        let mut wanted: BTreeMap<u8, u32> = [(1, 3), (2, 2), (3, 1)].into();
        while !wanted.is_empty() {
            let (item, asked) = heard.recv().unwrap();
            wanted.retain(|other, times| *other != item || asked < *times);
        }
        all(adders);
        queue.shutdown();
        all(workers);
        assert_eq!(queue.status().processing + queue.len(), 0);
    });
}

/// Takes one item, and never comes back for another.
async fn take_one(queue: WorkQueue<u8>) -> u8 {
    *queue.get().await.expect("nobody closes it")
}

#[test]
fn each_add_wakes_one_of_those_who_wait() {
    play(|_| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| waiting(take_one(queue.clone())));
        let adders = [1, 2].map(|item| {
            let queue = queue.clone();
            spawn(move || queue.add(item))
        });
        let mut taken = all(workers);
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
        all(adders);
    });
}

#[test]
fn what_is_delayed_is_waited_for_by_another_where_the_one_who_did_got_work() {
    play(|time| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| waiting(take_one(queue.clone())));
        let later = {
            let queue = queue.clone();
            spawn(move || queue.add_after(1, SECOND))
        };
        let now = spawn(move || queue.add(2));
        all([later, now]);
        time.passes(SECOND);
        let mut taken = all(workers);
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}

#[test]
fn what_is_added_while_it_is_worked_on_comes_to_another_who_waits() {
    play(|_| {
        let queue = WorkQueue::new();
        let workers = [(), ()].map(|()| {
            let queue = queue.clone();
            waiting(async move {
                let work = queue.get().await.expect("nobody closes it");
                // The second time it waits, or is processed, already.
                queue.add(*work);
            })
        });
        let adder = spawn(move || queue.add(1));
        all(workers);
        all([adder]);
    });
}

#[test]
fn what_is_delayed_comes_though_the_worker_that_waits_for_it_goes_away() {
    play(|time| {
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
        let (impatient, patient) = (future::spawn(worker()), waiting(worker()));
        let adder = {
            let queue = queue.clone();
            spawn(move || {
                queue.add_after(2, 2 * SECOND);
                queue.add_after(1, SECOND);
                impatient.abort();
            })
        };
        all([adder]);
        for _ in 0..4 {
            time.passes(SECOND);
        }
        let mut missing = BTreeSet::from([1, 2]);
        while !missing.is_empty() {
            missing.remove(&heard.recv().unwrap());
        }
        queue.shutdown();
        all([patient]);
    });
}

#[test]
fn a_drain_ends_when_all_that_was_taken_in_is_done() {
    play(|_| {
        let (queue, done) = (WorkQueue::new(), Arc::new(Mutex::new(BTreeSet::new())));
        let worker = || {
            let (queue, done) = (queue.clone(), done.clone());
            waiting(async move {
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
            waiting(async move {
                queue.shutdown_with_drain().await;
                done.lock().clone()
            })
        };
        let drained = all([ending(), ending()]);
        let taken_in = all([adder]).remove(0);
        assert_eq!(drained, [taken_in.clone(), taken_in]);
        all(workers);
    });
}

#[test]
fn a_drain_with_nobody_at_work_ends_by_a_shutdown() {
    play(|_| {
        let queue = WorkQueue::new();
        queue.add(1);
        let drain = waiting({
            let queue = queue.clone();
            async move { drop(queue.shutdown_with_drain().await) }
        });
        let shutdown = spawn(move || drop(queue.shutdown()));
        all([drain, shutdown]);
    });
}

#[test]
fn a_drain_waits_for_what_is_delayed_where_that_is_kept() {
    play(|time| {
        let queue = WorkQueue::builder().keep_delayed_on_drain(true).build();
        queue.add_after(1, SECOND);
        let workers = [(), ()].map(|()| {
            let queue = queue.clone();
            waiting(async move {
                let mut worked = 0;
                while let Some(work) = queue.get().await {
                    drop(work);
                    worked += 1;
                }
                worked
            })
        });
        block_on(async {
            let mut drain = pin!(queue.shutdown_with_drain());
            assert!(poll!(&mut drain).is_pending(), "something is delayed");
            time.passes(SECOND);
            drain.await;
        });
        assert_eq!(all(workers).iter().sum::<u32>(), 1);
    });
}

#[test]
fn a_key_that_is_woken_while_its_worker_parks_it_comes_again() {
    play(|_| {
        let queue = WorkQueue::new();
        queue.add(1);
        let open = Arc::new(Mutex::new(false));
        let worker = {
            let (queue, open) = (queue.clone(), open.clone());
            waiting(async move {
                loop {
                    let work = queue.get().await.expect("nobody closes it");
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
        all([waker]);
        all([worker]);
    });
}
