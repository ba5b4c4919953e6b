//! The time for which an object stays unpacked after it was read.
//!
//! An object that was read is *hot*: its packed form holds it. Each read makes it as hot as
//! possible, and a sweep every half age cools it by one step. The third sweep without a read
//! releases it. So it stays for at least one age, and for at most one and a half.
//!
//! An object that the packed form does not hold may still be *lent*: users hold it. The packed form
//! then keeps a weak reference, and so the allocation. A second sweep frees it some time after the
//! last user dropped the object.
//!
//! A new state is as hot as the state that it replaces. Where at least half of such states are
//! read, as by a handler of updates, each is as hot as if it had been read. So it is decoded as it
//! arrives, which replaces its check, and by the thread that decodes the states after it: an
//! allocator such as glibc's reuses memory only there.
//!
//! When the held objects reach the limit, the coldest ones are released. Objects that were read
//! since the last sweep stay, so that a scan of a store that does not fit keeps a part of it. At
//! the limit, a new state that is expected to be read waits decoded for its readers. It waits for
//! at most a second, and only the last few states do.
//!
//! Sweeps visit only objects that are hot or lent, in slices, and yield in between.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::sleep;

use super::packed::Packed;
use super::shared::Shared;
use crate::object::AnyObject;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::{TURN, YieldBudget};

/// The heat of an object that was just read: the number of sweeps that end it.
pub(super) const HOTTEST: u8 = 3;

/// The time between two sweeps over the lent objects.
const LENT_INTERVAL: Duration = Duration::from_secs(1);

/// The number of hot objects that may be dropped between two sweeps before their entries are
/// removed. More hot objects raise it.
const MAX_DROPPED: usize = 1024;

/// The number of new states that wait for their readers while the limit is reached.
const WAITING: usize = 64;

/// The largest score of [`Heat::score`]. Above half of it, new states are expected to be read.
const MAX_SCORE: u32 = 256;

/// The hot and the lent objects of one informer.
pub(super) struct Heat {
    /// The time between two sweeps over the hot objects. Zero if no object may be hot.
    half_age: Duration,
    /// True while sweeps run. Without them no object becomes hot, because none would cool.
    sweeping: AtomicBool,
    /// Lower by one for each state that replaced another, and higher by two for each that was read.
    score: AtomicU32,
    objects: AtomicUsize,
    bytes: AtomicUsize,
    /// The size of all that is held, of whole objects and of parts of them.
    held: AtomicUsize,
    /// New states that wait for their readers, the oldest first.
    waiting: Mutex<VecDeque<Arc<dyn AnyObject>>>,
    hot: Roll,
    lent: Roll,
    /// The number of entries of `hot` whose objects were dropped.
    dropped: AtomicUsize,
    /// Notified when there are many such entries.
    crowded: Notify,
    /// Notified when the limit is reached.
    full: Notify,
}

impl Heat {
    /// Makes the heat of objects that stay hot for `age`. With zero, no object becomes hot.
    pub(super) fn new(age: Duration) -> Self {
        Self {
            half_age: age / 2,
            sweeping: AtomicBool::new(false),
            score: AtomicU32::new(0),
            objects: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            waiting: Mutex::default(),
            hot: Roll::default(),
            lent: Roll::default(),
            dropped: AtomicUsize::new(0),
            crowded: Notify::new(),
            full: Notify::new(),
        }
    }

    /// Returns whether objects may become hot now.
    pub(super) fn is_on(&self) -> bool {
        !self.half_age.is_zero() && self.is_swept()
    }

    /// Returns whether sweeps run.
    pub(super) fn is_swept(&self) -> bool {
        self.sweeping.load(Relaxed)
    }

    /// Returns the estimated size of all that is held, in bytes.
    pub(super) fn size(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Lets the sweeps release the coldest objects.
    pub(super) fn make_room(&self) {
        self.full.notify_one();
    }

    /// Holds a new state for its readers. Returns the oldest such state if too many wait.
    pub(super) fn keep_for_reader(&self, object: Arc<dyn AnyObject>) -> Option<Arc<dyn AnyObject>> {
        let mut waiting = self.waiting.lock();
        waiting.push_back(object);
        if waiting.len() > WAITING { waiting.pop_front() } else { None }
    }

    /// Counts the bytes of a part that became hot.
    pub(super) fn grew(&self, bytes: usize) {
        self.held.fetch_add(bytes, Relaxed);
    }

    /// Counts the bytes of a part that has cooled.
    pub(super) fn shrank(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Takes the new states that still wait for their readers.
    pub(super) fn take_waiting(&self) -> VecDeque<Arc<dyn AnyObject>> {
        std::mem::take(&mut *self.waiting.lock())
    }

    /// Returns the heat of a state that replaces one of this heat.
    pub(super) fn of_next(&self, before: u8, is_full: impl FnOnce() -> bool) -> u8 {
        let expected = self.score.load(Relaxed) > MAX_SCORE / 2 && self.is_on();
        match before {
            _ if expected => HOTTEST,
            0 => 0,
            _ if is_full() => 0,
            before => before,
        }
    }

    /// Counts a state that replaced another.
    pub(super) fn replaced(&self) {
        let _at_zero = self.score.fetch_update(Relaxed, Relaxed, |score| score.checked_sub(1));
    }

    /// Counts the first read of such a state.
    pub(super) fn was_read(&self) {
        let higher = |score: u32| Some((score + 2).min(MAX_SCORE));
        let _score = self.score.fetch_update(Relaxed, Relaxed, higher);
    }

    /// Returns the number of hot objects and their estimated size in bytes.
    pub(super) fn held(&self) -> (usize, usize) {
        (self.objects.load(Relaxed), self.bytes.load(Relaxed))
    }

    /// Counts an object that became hot.
    pub(super) fn warmed(&self, bytes: usize) {
        self.objects.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
        self.grew(bytes);
    }

    /// Lets the sweeps cool an object from now on.
    pub(super) fn enrol(&self, packed: Weak<Packed>) {
        self.hot.add(packed);
    }

    /// Counts an object that is no longer hot.
    pub(super) fn cooled(&self, bytes: usize) {
        self.objects.fetch_sub(1, Relaxed);
        self.bytes.fetch_sub(bytes, Relaxed);
        self.shrank(bytes);
    }

    /// Counts a hot object whose packed form was dropped. Its entry stays until a sweep.
    pub(super) fn left(&self) {
        let dropped = self.dropped.fetch_add(1, Relaxed);
        if dropped >= MAX_DROPPED.max(self.hot.len.load(Relaxed) / 2) {
            self.crowded.notify_one();
        }
    }

    /// Remembers an object that only users hold.
    pub(super) fn lent(&self, packed: Weak<Packed>) {
        self.lent.add(packed);
    }

    /// Sweeps over the hot objects.
    async fn sweep_hot(&self, shared: &Shared) {
        let mut budget = YieldBudget::new();
        loop {
            self.hot.until_used().await;
            let mut due = std::pin::pin!(sleep(self.half_age));
            let mut all_were_read = false;
            loop {
                tokio::select! {
                    biased;
                    () = &mut due => break,
                    () = self.crowded.notified() => {
                        self.dropped.store(0, Relaxed);
                        self.hot.visit(&mut budget, |_| true).await;
                    }
                    () = self.full.notified(), if !all_were_read => {
                        all_were_read = !self.release_coldest(shared, &mut budget).await;
                    }
                }
            }
            self.dropped.store(0, Relaxed);
            let cool = |heat: &mut u8| {
                *heat -= 1;
                *heat == 0
            };
            self.hot.visit(&mut budget, |packed| packed.release(cool)).await;
            // Objects are released again only after another read finds no room.
            let _before = self.full.notified().now_or_never();
        }
    }

    /// Releases the coldest objects until an eighth of the limit is free. Returns false if what was
    /// read since the last sweep takes more than that.
    async fn release_coldest(&self, shared: &Shared, budget: &mut YieldBudget) -> bool {
        let is_crowded = || {
            let limit = shared.hot_limit();
            self.size() > limit - limit / 8
        };
        for coldest in 1..HOTTEST {
            let is_due = |heat: &mut u8| *heat <= coldest && is_crowded();
            if is_crowded() {
                self.hot.visit(budget, |packed| packed.release(is_due)).await;
            }
        }
        !is_crowded()
    }

    /// Sweeps over the lent objects, and drops the new states that wait for their readers.
    async fn sweep_lent(&self, shared: &Shared) {
        let mut budget = YieldBudget::new();
        loop {
            self.lent.until_used().await;
            sleep(LENT_INTERVAL).await;
            shared.free_waiting();
            self.lent.visit(&mut budget, Packed::is_lent).await;
        }
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> [usize; 2] {
        [&self.hot, &self.lent].map(|roll| roll.slices.lock().iter().map(Vec::len).sum())
    }
}

/// The sweeps of one informer.
pub(super) struct Sweeps(Arc<Shared>);

impl Sweeps {
    /// Lets objects become hot, for as long as this value lives.
    pub(super) fn begin(shared: Arc<Shared>) -> Self {
        shared.heat.sweeping.store(true, Relaxed);
        Self(shared)
    }

    /// Sweeps for as long as it is polled.
    pub(super) async fn run(&self) {
        let shared = &*self.0;
        futures::join!(shared.heat.sweep_hot(shared), shared.heat.sweep_lent(shared));
    }
}

impl Drop for Sweeps {
    fn drop(&mut self) {
        self.0.heat.sweeping.store(false, Relaxed);
        self.0.free_waiting();
    }
}

/// The packed objects that one sweep visits. They are kept in slices, so the time of an addition
/// does not grow with them.
#[derive(Default)]
struct Roll {
    slices: Mutex<VecDeque<Vec<Weak<Packed>>>>,
    len: AtomicUsize,
    /// Notified when there is a first object.
    used: Notify,
}

impl Roll {
    fn add(&self, packed: Weak<Packed>) {
        self.len.fetch_add(1, Relaxed);
        let mut slices = self.slices.lock();
        let first = slices.is_empty();
        match slices.back_mut() {
            Some(slice) if slice.len() < TURN => slice.push(packed),
            _ => {
                let mut slice = Vec::with_capacity(TURN);
                slice.push(packed);
                slices.push_back(slice);
            }
        }
        drop(slices);
        if first {
            self.used.notify_one();
        }
    }

    /// Waits until there is an object.
    async fn until_used(&self) {
        while self.slices.lock().is_empty() {
            self.used.notified().await;
        }
    }

    /// Visits the objects that are there now, and yields in between. Removes those that were
    /// dropped, and those for which `stays` returns false.
    async fn visit(&self, budget: &mut YieldBudget, stays: impl Fn(&Packed) -> bool) {
        let slices = std::mem::take(&mut *self.slices.lock());
        for packed in slices.into_iter().flatten() {
            budget.spend(1).await;
            self.len.fetch_sub(1, Relaxed);
            if packed.upgrade().is_some_and(|packed| stays(&packed)) {
                self.add(packed);
            }
        }
    }
}
