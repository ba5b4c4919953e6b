//! Watches and processes that are held, and the settling at which they go on.

use std::mem;
use std::pin::pin;
use std::sync::Arc;

use serde_json::Value;

use crate::record::Record;
use crate::schedule::{Disturbance, Step};
use crate::settling::Unsettled;
use crate::target::is_background_object;
use crate::world::World;

/// Watches that deliver nothing.
#[derive(Clone)]
pub(crate) struct Hold {
    /// The path of the watches. `None` for all.
    pub(crate) collection: Option<Arc<str>>,
    /// The number of settled times when it began.
    pub(crate) since: u64,
    /// True if the watches end when it is over.
    pub(crate) ends: bool,
}

impl World {
    /// Holds the process, and starts another one in its place. Does nothing while the test stops
    /// the program.
    pub(crate) fn take_over(&self) {
        if self.0.record.lock().stopped {
            return;
        }
        let Some(life) = self.0.life.lock().take() else { return };
        let _first = life.turn.taken_at.set(self.0.server.revision());
        life.turn.taken.cancel();
        let since = self.0.record.lock().settled;
        if let Some((life, _)) = self.0.former.lock().replace((life, since)) {
            self.ends(&life);
        }
        self.begins();
    }

    /// Returns true if watches or a process are held, or the program is away.
    pub(crate) fn holds(&self) -> bool {
        let held = self.0.former.lock().as_ref().is_some_and(|(life, _)| life.turn.is_held());
        held || self.0.record.lock().away || !self.0.held.lock().is_empty()
    }

    /// Waits while the watches of a collection deliver nothing. Returns true if this one ends then.
    pub(crate) async fn held(&self, collection: &Arc<str>) -> bool {
        let of = |hold: &&Hold| hold.collection.as_ref().is_none_or(|of| of == collection);
        let mut ends = false;
        loop {
            let mut changed = pin!(self.0.held_changed.notified());
            changed.as_mut().enable();
            let held: Vec<_> = self.0.held.lock().iter().filter(of).map(|one| one.ends).collect();
            if held.is_empty() {
                return ends;
            }
            ends |= held.contains(&true);
            changed.await;
        }
    }

    /// Begins to hold watches.
    pub(crate) fn hold(&self, hold: Hold) {
        self.0.held.lock().push(hold);
        self.0.held_changed.notify_waiters();
    }

    /// Begins a stale restart that is due, or lets go on what was held when the world settled
    /// before. Returns false if nothing was to be done.
    pub(crate) fn release(&self, at_once: bool) -> bool {
        let settled = self.0.record.lock().settled;
        let lately = self.holds_since(settled);
        if lately && !at_once && self.0.holds_long {
            // The test acts once more while the program does not see it.
            self.settles(&mut self.0.record.lock());
            return false;
        }
        if self.let_go() {
            return true;
        }
        if at_once {
            return false;
        }
        let mut record = self.0.record.lock();
        self.settles(&mut record);
        let mut steps = self.0.schedule.iter().flat_map(|schedule| &schedule.0);
        let due =
            |step: &&Step| step.disturbance == Disturbance::StaleRestart { settle: record.settled };
        let Some(due) = steps.find(due) else { return false };
        let before = record.writes.iter().find(|(position, _)| *position == due.at);
        let Some((_, revision)) = before else { return false };
        record.stale = Some((*revision, due.clone()));
        let since = record.settled;
        drop(record);
        self.hold(Hold { collection: None, since, ends: false });
        self.dies();
        true
    }

    fn settles(&self, record: &mut Record) {
        record.settles(self.0.server.revision());
        if self.0.explored {
            let objects = self.0.server.objects();
            let before = record.states.last();
            let same = before.is_some_and(|before| compared(before).eq(compared(&objects)));
            record.unchanged = if same { record.unchanged + 1 } else { 0 };
            record.states.push(objects);
        }
    }

    /// Returns true if a disturbance of the last acts holds something.
    fn holds_since(&self, settled: u64) -> bool {
        let watches = self.0.held.lock();
        watches.iter().any(|hold| hold.since == settled && hold.collection.is_some())
            || self
                .0
                .former
                .lock()
                .as_ref()
                .is_some_and(|(life, since)| *since == settled && life.turn.is_held())
    }

    /// Lets held watches or a held process go on, ends a process that went on, or lets a program
    /// return. Returns false if there is none.
    fn let_go(&self) -> bool {
        if mem::take(&mut self.0.record.lock().away) {
            return true;
        }
        if !mem::take(&mut *self.0.held.lock()).is_empty() {
            self.0.record.lock().stale = None;
            self.0.held_changed.notify_waiters();
            return true;
        }
        let mut former = self.0.former.lock();
        let Some((life, _)) = &*former else { return false };
        if life.turn.is_held() {
            life.turn.goes_on.cancel();
        } else if let Some((life, _)) = former.take() {
            self.ends(&life);
        }
        true
    }

    /// Lets everything go on, and waits until the program has settled for the last time.
    pub(crate) async fn settle_at_last(&self) -> Result<(), Unsettled> {
        self.settle().await?;
        while self.let_go() {
            self.settle().await?;
        }
        Ok(())
    }
}

/// Returns the objects without Leases and Events.
fn compared(objects: &[Value]) -> impl Iterator<Item = &Value> {
    objects.iter().filter(|one| !is_background_object(one))
}
