//! Which objects are unpacked: those that are held here, and those that users hold.
//!
//! A few that were read or stored lately are held, as many as go into a number of bytes; who has to go
//! is decided as a clock does: the oldest, unless it was read since it last came to its turn. An object
//! that goes while somebody else holds it is *lent*: its packed form still knows it, and what that
//! costs (the room of the struct itself) is freed some time after the last user let go of it.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use super::packed::Packed;
use crate::sync::{Mutex, Notify};
use crate::yield_budget::TURN;

/// How many objects may be passed over for one that goes: what an insertion costs at most.
const CHANCES: usize = 32;

/// How many lent objects each insertion looks after.
const LOOKED_AFTER: usize = 2;

/// How long users are given to let go of what they read.
const PATIENCE: Duration = Duration::from_secs(1);

/// The unpacked objects of one informer.
pub(super) struct DecodedCache<K> {
    limit: usize,
    ring: Mutex<Ring<K>>,
    lending: Notify,
}

struct Ring<K> {
    /// The next to go is the first.
    held: VecDeque<Held<K>>,
    bytes: usize,
    lent: VecDeque<Weak<Packed<K>>>,
}

struct Held<K> {
    packed: Weak<Packed<K>>,
    object: Arc<K>,
    bytes: usize,
}

impl<K> DecodedCache<K> {
    /// Holds so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        let ring = Ring { held: VecDeque::new(), bytes: 0, lent: VecDeque::new() };
        Self { limit, ring: Mutex::new(ring), lending: Notify::new() }
    }

    /// Whether it holds anything at all.
    pub(super) fn holds(&self) -> bool {
        self.limit > 0
    }

    /// How many objects are held, and their bytes.
    pub(super) fn held(&self) -> (usize, usize) {
        let ring = self.ring.lock();
        (ring.held.len(), ring.bytes)
    }

    /// Holds an object that was just unpacked; others go for it. To be called with nothing locked.
    pub(super) fn hold(&self, packed: Weak<Packed<K>>, object: Arc<K>, bytes: usize) {
        let mut gone = Vec::new();
        {
            let mut ring = self.ring.lock();
            ring.held.push_back(Held { packed, object, bytes });
            ring.bytes += bytes;
            let mut chances = CHANCES;
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
            // Its `Drop` is the user's code.
            crate::panic::let_go(object);
            if let Some(object) = packed.upgrade()
                && object.release()
            {
                self.lent(packed);
            }
        }
        self.look_after(LOOKED_AFTER);
    }

    /// Remembers to look after an object that somebody holds.
    fn lent(&self, packed: Weak<Packed<K>>) {
        self.ring.lock().lent.push_back(packed);
        self.lending.notify_one();
    }

    /// Looks after so many of the lent objects; how many there are left.
    fn look_after(&self, objects: usize) -> usize {
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

    /// Looks after what is lent, from time to time and in turns, for as long as it is polled.
    pub(super) async fn sweep(&self) {
        loop {
            let mut left = self.ring.lock().lent.len();
            if left == 0 {
                self.lending.notified().await;
            }
            sleep(PATIENCE).await;
            left = left.max(self.ring.lock().lent.len());
            while left > 0 {
                self.look_after(TURN);
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
