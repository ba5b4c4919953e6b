//! The deletes on which the controller has yet to act, of informers with kept caches.
//!
//! A cache keeps such a delete for the next process. It is over when a reconcile that found no
//! object has succeeded, or was given up.

use crate::basics::Mutex;
use kube_informer::informer::{ReadBarrier, SharedInformer};
use kube_informer::object::ObjectKey;
use kube_informer::warm::PendingDeletes;

/// The pending deletes of the controller's own objects, by informer.
#[derive(Debug, Default)]
pub(super) struct OwnDeletes(Mutex<Vec<(SharedInformer, PendingDeletes)>>);

impl OwnDeletes {
    /// Keeps the deletes of an informer pending. Call this before its keys are queued.
    pub(super) fn follow(&self, informer: &SharedInformer) {
        let mut own = self.0.lock();
        if !own.iter().any(|(followed, _)| followed == informer)
            && let Some(pending) = informer.pending_deletes()
        {
            own.push((informer.clone(), pending));
        }
    }

    /// Leaves an informer. Its pending deletes are for its next consumer.
    pub(super) fn leave(&self, informer: &SharedInformer) {
        self.0.lock().retain(|(followed, _)| followed != informer);
    }

    /// Leaves all informers and forgets their deletes, because another replica may lead, which acts
    /// on them.
    pub(super) fn give_up(&self) {
        for (_, pending) in self.0.lock().drain(..) {
            pending.finish_all();
        }
    }

    /// Ends the delete of a key, if it was noted before `seen`.
    pub(super) fn finish(&self, key: &ObjectKey, seen: ReadBarrier) {
        for (_, pending) in &*self.0.lock() {
            pending.finish(key, seen);
        }
    }
}
