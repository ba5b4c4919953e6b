//! Demands for the state of a quorum read that began after a moment.
//!
//! A process that takes over work from another one must not act on an older view than the other
//! had. Events and bookmarks of a watch prove nothing here, because the server that sends them may
//! lag behind. Only a quorum read that began after the moment does.

use tokio::sync::watch;

use super::ReflectorMonitor;
use crate::time::ReadBarrier;

/// The demands on one reflector, and its proof. The waiters and the reflector share it.
#[derive(Debug, Default)]
pub(super) struct Demands {
    wanted: watch::Sender<Wanted>,
    /// The last reads that were handed on.
    made: watch::Sender<Reads>,
}

/// The moments at which quorum reads began. [`ReadBarrier::START`] if there is none.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    /// A question or a list.
    any: ReadBarrier,
    /// A list of everything.
    list: ReadBarrier,
}

/// The reads that the waiters want: later ones than these.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    after: Reads,
    waiters: usize,
}

impl Reads {
    fn max(self, other: Self) -> Self {
        Self { any: self.any.max(other.any), list: self.list.max(other.list) }
    }

    /// Returns whether these reads are later than all that there are in `others`.
    fn are_after(self, others: Self) -> bool {
        let is_after =
            |own: ReadBarrier, other: ReadBarrier| other == ReadBarrier::START || own > other;
        is_after(self.any, others.any) && is_after(self.list, others.list)
    }
}

impl ReflectorMonitor {
    /// Waits until the state of a quorum read that began after this moment was handed on. Waiters
    /// share one request. Cancel safe.
    pub(crate) async fn proved_since(&self, since: ReadBarrier) {
        self.0.demands().made_after(Reads { any: since, list: ReadBarrier::START }).await;
    }

    /// Waits until a quorum list of everything that began after this moment was handed on. Use it
    /// where history may have been lost: a restored server may have passed every known version.
    /// Waiters share one list. Cancel safe.
    pub(crate) async fn listed_since(&self, since: ReadBarrier) {
        self.0.demands().made_after(Reads { any: since, list: since }).await;
    }
}

impl Demands {
    async fn made_after(&self, reads: Reads) {
        let mut made = self.made.subscribe();
        if made.borrow_and_update().are_after(reads) {
            return;
        }
        self.wanted.send_modify(|wanted| {
            wanted.after = wanted.after.max(reads);
            wanted.waiters += 1;
        });
        let _waits = Waits(self);
        // The sender lives as long as `self`.
        let _made = made.wait_for(|made| made.are_after(reads)).await;
    }

    /// Returns a receiver of what is wanted.
    pub(super) fn subscribe(&self) -> watch::Receiver<Wanted> {
        self.wanted.subscribe()
    }

    /// Returns whether these reads were not made yet.
    pub(super) fn lacks(&self, wanted: Wanted) -> bool {
        wanted.after.any > ReadBarrier::START && !self.made.borrow().are_after(wanted.after)
    }

    /// Returns whether only a list of everything will do.
    pub(super) fn lacks_list(&self, wanted: Wanted) -> bool {
        wanted.after.list > ReadBarrier::START && wanted.after.list >= self.made.borrow().list
    }

    /// Notes that the state of a quorum read that began at this moment was handed on, and whether
    /// it was a list of everything.
    pub(super) fn prove(&self, begun: ReadBarrier, listed: bool) {
        let list = if listed { begun } else { ReadBarrier::START };
        self.made.send_modify(|made| *made = made.max(Reads { any: begun, list }));
    }
}

struct Waits<'a>(&'a Demands);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.wanted.send_modify(|wanted| {
            wanted.waiters -= 1;
            if wanted.waiters == 0 {
                wanted.after = Reads::default();
            }
        });
    }
}
