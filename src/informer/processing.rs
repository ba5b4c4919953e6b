//! What a batch is to the store and to the handlers.
//!
//! It only says so: the pipeline commits and distributes.

use kube::Resource;

use crate::delta_fifo::Batch;
use crate::indexer::Draft;
use crate::object::{Cached, CachedEvent, Delta, ObjectKey};
use crate::processor::{Notification, Recipients};

/// What some deltas come to.
pub(super) struct Applied<K> {
    /// What the handlers are to hear.
    pub(super) notifications: Vec<Notification<K>>,
    /// States that left the store and that no handler hears of. They are kept until the store's
    /// state before is freed, so that no object goes with that.
    pub(super) unheard: Vec<Cached<K>>,
}

/// Does to the store what deltas say, and gives what the handlers are to hear of it.
///
/// `initial`: they belong to the first population. `restored`: equal versions are no sign that
/// nothing changed. `resyncing`: somebody wants to hear of what did not change.
pub(super) fn apply<K: Resource + Send + Sync + 'static>(
    tx: &mut Draft<K>,
    deltas: &[(ObjectKey, Delta<K>)],
    initial: bool,
    restored: bool,
    resyncing: bool,
) -> Applied<K> {
    let relisted = if restored { Recipients::Everyone } else { Recipients::Resyncing };
    let (mut notifications, mut unheard) = (Vec::new(), Vec::new());
    for (key, delta) in deltas {
        let (event, recipients) = match delta {
            Delta::Unreadable => {
                tx.mark_stale(key);
                continue;
            }
            Delta::Forgotten => {
                tx.forget_unreadable(key);
                continue;
            }
            Delta::Deleted { object, final_state_known } => {
                let Some(stored) = tx.remove(key) else { continue };
                unheard.push(stored);
                let (object, final_state_known) = (object.clone(), *final_state_known);
                (CachedEvent::Deleted { object, final_state_known }, Recipients::Everyone)
            }
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) => {
                present(tx, key, object, initial, relisted)
            }
            // Nothing happened: it is told again as it is stored, and stays stale if it was.
            Delta::Sync(_) => match tx.get(key) {
                Some(stored) => {
                    let (old, new) = (stored.clone(), stored.clone());
                    (CachedEvent::Updated { old, new }, Recipients::Due)
                }
                None => continue,
            },
        };
        if recipients == Recipients::Everyone || resyncing {
            notifications.push(Notification { key: key.clone(), event, recipients });
        } else if let CachedEvent::Updated { old, .. } = event {
            unheard.push(old);
        }
    }
    Applied { notifications, unheard }
}

/// The store is at the batch's version.
pub(super) fn stamp<K>(tx: &mut Draft<K>, batch: &Batch<K>) {
    if batch.restored {
        tx.begin_epoch();
    }
    if batch.list {
        tx.set_complete(batch.complete);
    }
    if let Some(version) = &batch.version {
        let goes_back = tx.version().is_some_and(|known| version.is_older_than(known));
        if !goes_back || batch.restored {
            tx.set_version(version.clone());
        }
    }
}

/// An object is there: added, or updated, of which `unchanged` hear even if it is no news.
fn present<K: Resource + Send + Sync + 'static>(
    tx: &mut Draft<K>,
    key: &ObjectKey,
    object: &Cached<K>,
    initial: bool,
    unchanged: Recipients,
) -> (CachedEvent<K>, Recipients) {
    let stored = tx.get(key);
    let same = stored.is_some_and(|stored| stored.is(object));
    if same && !tx.is_stale(key) {
        // Nothing to write: a relist of what is known costs no copy of the store's nodes.
        return (CachedEvent::Updated { old: object.clone(), new: object.clone() }, unchanged);
    }
    match tx.put(key, object) {
        None => (CachedEvent::Added { object: object.clone(), initial }, Recipients::Everyone),
        Some(old) => {
            let no_news = old.version() == object.version();
            let recipients = if no_news { unchanged } else { Recipients::Everyone };
            (CachedEvent::Updated { old, new: object.clone() }, recipients)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use futures::FutureExt;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::delta_fifo::DeltaFifo;
    use crate::indexer::Indexer;
    use crate::object::{Change, Replacement};

    #[test]
    fn only_a_restored_backup_takes_the_version_back() {
        let store = Indexer::<ConfigMap>::new();
        let fifo = DeltaFifo::new(Arc::new(store.clone()));
        let mut draft = store.draft();
        let list = |version: u64, restored| {
            let (items, unreadable) = (Vec::new(), HashSet::new());
            let version = version.into();
            Change::Replace(Replacement { items, unreadable, complete: true, version, restored })
        };
        for (change, version) in [
            (Change::Bookmark(7.into()), 7),
            (Change::Bookmark(5.into()), 7),
            (list(6, false), 7),
            (list(3, true), 3),
        ] {
            fifo.push(change);
            let batch = fifo.pop().now_or_never().flatten().expect("something was pushed");
            stamp(&mut draft, &batch);
            assert_eq!(draft.version(), Some(&version.into()));
        }
    }
}
