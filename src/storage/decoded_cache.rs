//! A cache of unpacked objects, and the list of those that only users hold.
//!
//! Objects that were recently read or stored are held, up to a number of bytes. The clock algorithm
//! (second chance) chooses the object to evict: the oldest one, unless it was read since its last
//! turn. An evicted object that users still hold is *lent*: its packed form keeps a weak reference
//! to it, and so its allocation. That allocation is freed some time after the last user drops the
//! object.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use super::packed::Packed;
use crate::object::AnyObject;
use crate::panic::SafeDropper;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::TURN;

/// The number of objects that one insertion may give a second chance: the bound of its cost.
const MAX_SECOND_CHANCES: usize = 32;

/// The number of lent objects that each insertion checks.
const CHECKED_PER_INSERT: usize = 2;

/// The time between two sweeps over the lent objects.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The unpacked objects of one informer.
pub(super) struct DecodedCache {
    limit: usize,
    ring: Mutex<Ring>,
    lending: Notify,
    dropper: SafeDropper,
}

struct Ring {
    /// The held objects; the next to evict comes first.
    held: VecDeque<Held>,
    bytes: usize,
    lent: VecDeque<Weak<Packed>>,
}

struct Held {
    packed: Weak<Packed>,
    object: Arc<dyn AnyObject>,
    bytes: usize,
}

impl DecodedCache {
    /// Makes a cache that holds up to `limit` bytes.
    pub(super) fn new(limit: usize, dropper: SafeDropper) -> Self {
        let ring = Ring { held: VecDeque::new(), bytes: 0, lent: VecDeque::new() };
        Self { limit, ring: Mutex::new(ring), lending: Notify::new(), dropper }
    }

    /// Returns whether the cache may hold any object.
    pub(super) fn holds(&self) -> bool {
        self.limit > 0
    }

    /// Returns the number of held objects and their estimated size in bytes.
    pub(super) fn held(&self) -> (usize, usize) {
        let ring = self.ring.lock();
        (ring.held.len(), ring.bytes)
    }

    /// Holds an object that was just unpacked, and evicts others for it. The caller must hold no
    /// lock, because an evicted object's `Drop` may run.
    pub(super) fn hold(&self, packed: Weak<Packed>, object: Arc<dyn AnyObject>, bytes: usize) {
        let mut gone = Vec::new();
        {
            let mut ring = self.ring.lock();
            ring.held.push_back(Held { packed, object, bytes });
            ring.bytes += bytes;
            let mut chances = MAX_SECOND_CHANCES;
            while ring.bytes > self.limit
                && let Some(held) = ring.held.pop_front()
            {
                if chances > 0 && held.packed.upgrade().is_some_and(|packed| packed.was_read()) {
                    chances -= 1;
                    ring.held.push_back(held);
                } else {
                    ring.bytes -= held.bytes;
                    gone.push(held);
                }
            }
        }
        for Held { packed, object, .. } in gone {
            // Its `Drop` is user code.
            self.dropper.free(object);
            if let Some(object) = packed.upgrade()
                && object.release()
            {
                self.add_lent(packed);
            }
        }
        self.check_lent(CHECKED_PER_INSERT);
    }

    /// Remembers an evicted object that users still hold.
    fn add_lent(&self, packed: Weak<Packed>) {
        self.ring.lock().lent.push_back(packed);
        self.lending.notify_one();
    }

    /// Checks some of the lent objects and forgets those that nobody holds. Returns how many
    /// remain.
    fn check_lent(&self, objects: usize) -> usize {
        let some: Vec<_> = {
            let lent = &mut self.ring.lock().lent;
            let some = objects.min(lent.len());
            lent.drain(..some).collect()
        };
        let still = some.into_iter().filter(|lent| lent.upgrade().is_some_and(|p| p.is_lent()));
        let still: Vec<_> = still.collect();
        let lent = &mut self.ring.lock().lent;
        lent.extend(still);
        lent.len()
    }

    /// Checks the lent objects from time to time, and yields to other tasks in between. Runs for as
    /// long as it is polled.
    pub(super) async fn sweep(&self) {
        loop {
            let mut left = self.ring.lock().lent.len();
            if left == 0 {
                self.lending.notified().await;
            }
            sleep(SWEEP_INTERVAL).await;
            left = left.max(self.ring.lock().lent.len());
            while left > 0 {
                self.check_lent(TURN);
                left = left.saturating_sub(TURN);
                crate::yield_budget::give_way().await;
            }
        }
    }

    #[cfg(test)]
    pub(super) fn lent_objects(&self) -> usize {
        self.ring.lock().lent.len()
    }
}
