//! The deletes on which the controller has yet to act, of informers with kept caches.
//!
//! A cache keeps such a delete for the next process. It is over when a reconcile that found no
//! object has succeeded, or was given up.

use std::sync::Arc;

use crate::basics::Mutex;
use kube_informer::informer::{ReadBarrier, SharedInformer};
use kube_informer::object::ObjectKey;
use kube_informer::warm::PendingDeletes;

/// The pending deletes of the controller's own objects, by informer.
#[derive(Debug, Default)]
pub(super) struct OwnDeletes(Mutex<Vec<Followed>>);

#[derive(Debug)]
struct Followed {
    informer: SharedInformer,
    pending: Arc<PendingDeletes>,
    /// True if the controller followed it in order to work, and not only to stand by.
    works: bool,
}

impl OwnDeletes {
    /// Keeps the deletes of an informer pending for the controller of this name. Call this before
    /// its keys are queued. `works` says that the controller works from now on.
    pub(super) fn follow(&self, informer: &SharedInformer, name: &Arc<str>, works: bool) {
        let mut own = self.0.lock();
        if !own.iter().any(|one| one.informer == *informer)
            && let Some(pending) = informer.pending_deletes(name.clone())
        {
            let (informer, pending) = (informer.clone(), Arc::new(pending));
            own.push(Followed { informer, pending, works });
        }
    }

    /// Leaves an informer. Its pending deletes are for the next consumer of the name.
    pub(super) fn leave(&self, informer: &SharedInformer) {
        let mut own = self.0.lock();
        let left: Vec<_> = own.extract_if(.., |one| one.informer == *informer).collect();
        // Not under the lock: the last handle of an informer frees its store.
        drop(own);
        drop(left);
    }

    /// Leaves all informers. Forgets the deletes that came while this replica did not lead, because
    /// another one acts on them. Those of a term are for the next one.
    pub(super) fn stand_by(&self) {
        let left = std::mem::take(&mut *self.0.lock());
        for Followed { pending, works, .. } in &left {
            if !works {
                pending.finish_all();
            }
        }
    }

    /// Ends the delete of a key, if it was noted before `seen`.
    pub(super) fn finish(&self, key: &ObjectKey, seen: ReadBarrier) {
        let own: Vec<_> = self.0.lock().iter().map(|one| one.pending.clone()).collect();
        // Not under the lock: an object's `Drop` is user code.
        for pending in own {
            pending.finish(key, seen);
        }
    }
}
