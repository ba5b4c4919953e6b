//! Keys that wait to see their own writes.

use std::collections::HashMap;

use super::own_writes::Unobserved;
use crate::object::ObjectKey;
use crate::sync::Mutex;

/// The keys that wait, and how the wait of each is going.
#[derive(Debug, Default)]
pub(super) struct Unseen(Mutex<Waits>);

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
pub(super) enum Begun {
    /// It begins now; somebody has to watch it.
    New(u64),
    /// It is watched already.
    Waiting,
    /// It is over, and the writes were not seen.
    Failed(Unobserved),
}

impl Unseen {
    /// Begins a key's wait, or says how it is going.
    pub(super) fn begin(&self, key: &ObjectKey) -> Begun {
        let mut waits = self.0.lock();
        match waits.of.remove(key) {
            Some(Wait::Failed(missing)) => Begun::Failed(missing),
            Some(running) => {
                waits.of.insert(key.clone(), running);
                Begun::Waiting
            }
            None => {
                waits.begun += 1;
                let wait = waits.begun;
                waits.of.insert(key.clone(), Wait::Running(wait));
                Begun::New(wait)
            }
        }
    }

    /// Says how a wait ended. One that was ended before counts for nothing.
    pub(super) fn finish(&self, key: &ObjectKey, wait: u64, seen: Result<(), Unobserved>) {
        let mut waits = self.0.lock();
        if matches!(waits.of.get(key), Some(Wait::Running(running)) if *running == wait) {
            match seen {
                Ok(()) => drop(waits.of.remove(key)),
                Err(missing) => drop(waits.of.insert(key.clone(), Wait::Failed(missing))),
            }
        }
    }

    /// Ends a key's wait: it sees its writes.
    pub(super) fn end(&self, key: &ObjectKey) {
        let mut waits = self.0.lock();
        // Mostly empty, and then not worth a look-up.
        if !waits.of.is_empty() {
            waits.of.remove(key);
        }
    }
}
