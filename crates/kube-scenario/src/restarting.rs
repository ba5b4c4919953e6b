//! Ends of a program that keeps caches, and its way back.

use tokio::time::timeout;

use crate::schedule::{Disturbance, Position, SETTLED};
use crate::target::is_background;
use crate::world::{GRACE, World};

impl World {
    /// Notes that a kept cache is about to be written. Returns the disturbance that this gets.
    pub(crate) fn cache_is_written(&self, path: &str) -> Option<Disturbance> {
        let name = format!("KEEP {path}");
        if is_background(&name) {
            return None;
        }
        let mut record = self.record().lock();
        let position = record.position(name);
        record.keeping.push(position.clone());
        self.is_due(&mut record, &position)
    }

    /// Tells the process to stop. When it has ended, it starts again.
    pub(crate) fn stops(&self) {
        if let Some(life) = &*self.0.life.lock() {
            life.program.stopping().cancel();
        }
    }

    /// Ends the program when it has settled for the nth time, if this is due. It starts again when
    /// the world settles next. Returns whether it was due.
    pub(crate) async fn leaves(&self, nth: u64) -> bool {
        let at = Position { nth, name: SETTLED.into() };
        let due = {
            let mut record = self.record().lock();
            if record.stopped || record.disturbed.iter().any(|(done, _)| done.at == at) {
                return false;
            }
            self.is_due(&mut record, &at)
        };
        let Some(due) = due else { return false };
        let ended = self.0.life.lock().as_ref().map(|life| life.ended.clone());
        if due == Disturbance::Stop
            && let Some(mut ended) = ended
        {
            self.stops();
            // A kubelet kills a process that does not end in time.
            let _late = timeout(GRACE, ended.wait_for(Option::is_some)).await;
        }
        self.dies();
        self.record().lock().away = true;
        true
    }
}
