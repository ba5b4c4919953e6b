//! Keys that wait until the cache shows their own writes.

use std::collections::HashMap;

use super::own_writes::Unobserved;
use crate::object::ObjectKey;
use crate::sync::Mutex;

/// The waiting keys, with the state of each wait.
#[derive(Debug, Default)]
pub(super) struct WriteWaits(Mutex<Waits>);

#[derive(Debug, Default)]
struct Waits {
    of: HashMap<ObjectKey, Wait>,
    begun: u64,
}

#[derive(Debug)]
enum Wait {
    Running(u64),
    Failed(Unobserved),
}

/// The state of a key's wait.
#[derive(Debug)]
pub(super) enum WaitState {
    /// The wait begins now, under this number. The caller starts the task that watches the cache.
    New(u64),
    /// A task watches the cache already.
    Waiting,
    /// The wait is over, and the cache did not show the writes.
    Failed(Unobserved),
}

impl WriteWaits {
    /// Begins a key's wait, or returns the state of the wait that has begun.
    pub(super) fn begin(&self, key: &ObjectKey) -> WaitState {
        let mut waits = self.0.lock();
        match waits.of.remove(key) {
            Some(Wait::Failed(missing)) => WaitState::Failed(missing),
            Some(running) => {
                waits.of.insert(key.clone(), running);
                WaitState::Waiting
            }
            None => {
                waits.begun += 1;
                let wait = waits.begun;
                waits.of.insert(key.clone(), Wait::Running(wait));
                WaitState::New(wait)
            }
        }
    }

    /// Records the result of a wait. Has no effect if the wait was already ended.
    pub(super) fn finish(&self, key: &ObjectKey, wait: u64, seen: Result<(), Unobserved>) {
        let mut waits = self.0.lock();
        if matches!(waits.of.get(key), Some(Wait::Running(running)) if *running == wait) {
            match seen {
                Ok(()) => drop(waits.of.remove(key)),
                Err(missing) => drop(waits.of.insert(key.clone(), Wait::Failed(missing))),
            }
        }
    }

    /// Ends a key's wait, because the cache shows its writes.
    pub(super) fn end(&self, key: &ObjectKey) {
        let mut waits = self.0.lock();
        // The map is mostly empty. Saves hashing the key.
        if !waits.of.is_empty() {
            waits.of.remove(key);
        }
    }
}
