//! The handover of objects from members that leave to others that take over.
//!
//! A handler is called by one member at a time for each object. The members that leave are silenced
//! first. Then each handler is attached to the new members, with the objects that it knows, so that
//! it is told only what differs.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use tokio::time::timeout;

use super::member::{Known, Member, MemberHandler, tell};
use super::{Members, State, Tag};
use crate::indexer::Snapshot;
use crate::informer::SharedInformer;
use crate::joining::join_all;
use crate::object::{Cached, CachedEvent, ObjectKey, ShardSelector};
use crate::processor::HandlerRegistration;
use crate::sync::Mutex;

/// The longest time in which a handler is not called because a new member shows an older state.
const PATIENCE: Duration = Duration::from_secs(60);

/// The objects that a handler knows.
type Objects<K> = HashMap<ObjectKey, Cached<K>>;

/// A handler that is called by no member.
struct Silenced<K, T> {
    handler: Arc<MemberHandler<K, T>>,
    objects: Objects<K>,
    /// A member that called it last.
    tag: Arc<T>,
}

/// Returns whether a store shows this state of an object, or a later one.
pub(in crate::factory) fn shows<K>(
    store: &Snapshot<K>,
    key: &ObjectKey,
    state: &Cached<K>,
) -> bool {
    let Some(version) = state.version() else { return true };
    match store.get_cached(key).and_then(|object| object.version()) {
        Some(now) => !now.is_older_than(&version),
        None => store.has_reached(&version),
    }
}

/// Hands the objects of members that have left over to present ones. Tells the handlers farewell of
/// the objects that none of them covers.
pub(super) async fn hand_over<K, T>(
    set: Weak<Members<K, T>>,
    from: Vec<Member<K, T>>,
    to: Vec<Arc<str>>,
) where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    let mut interests = Vec::new();
    let mut silenced: Vec<Silenced<K, T>> = Vec::new();
    for Member { tag, interest, attached, .. } in from {
        for one in attached {
            one.registration.remove_and_wait().await;
            let objects = std::mem::take(&mut one.known.lock().objects);
            let same = |other: &&mut Silenced<K, T>| Arc::ptr_eq(&other.handler, &one.handler);
            if let Some(other) = silenced.iter_mut().find(same) {
                other.objects.extend(objects);
            } else {
                let handler = one.handler.clone();
                silenced.push(Silenced { handler, objects, tag: tag.clone() });
            }
        }
        interests.push(interest);
    }
    let mut work = Vec::new();
    for Silenced { handler, mut objects, tag } in silenced {
        let Some(members) = set.upgrade() else { return };
        for name in &to {
            let Some((tag, informer)) = members.tagged_as(name) else { continue };
            // One that is refused knows nothing, and holds up no other.
            if informer.has_synced() {
                let covered = objects.extract_if(|key, _| tag.covers(key)).collect();
                let (set, name) = (set.clone(), name.clone());
                work.push(take_over(set, name, informer, handler.clone(), covered).boxed());
            }
        }
        tell(&handler, &tag, objects, members.farewell).await;
    }
    join_all(work).await;
    drop(interests);
    if let Some(set) = set.upgrade() {
        set.finish_takeover(&to);
    }
}

/// Attaches a handler, which knows these objects, to a member.
async fn take_over<K, T>(
    set: Weak<Members<K, T>>,
    name: Arc<str>,
    informer: SharedInformer<K>,
    handler: Arc<MemberHandler<K, T>>,
    mut objects: Objects<K>,
) where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    loop {
        let caught_up = informer.indexer().find_in_changes(|store| {
            let reached = objects.iter().all(|(key, known)| shows(store, key, known));
            reached.then(|| store.clone())
        });
        let store = tokio::select! {
            store = timeout(PATIENCE, caught_up) => store.ok(),
            () = informer.stopped() => None,
        };
        let Some(store) = store else {
            // Its watch has failed since it was chosen: nothing is known for now.
            if let Some(members) = set.upgrade()
                && let Some((tag, _)) = members.tagged_as(&name)
            {
                tell(&handler, &tag, objects, members.farewell).await;
            }
            return;
        };
        let gone: Vec<_> = objects.extract_if(|key, _| store.get_cached(key).is_none()).collect();
        let Some(members) = set.upgrade() else { return };
        if let Some((tag, _)) = members.tagged_as(&name) {
            let (deleted, left): (Vec<_>, _) = gone.into_iter().partition(|(key, _)| {
                let place = |shard: &ShardSelector| shard.key().place(key, |_| None);
                let has = |shard| place(shard).is_none_or(|place| shard.contains(place));
                store.shard().is_none_or(has)
            });
            tell(&handler, &tag, left, members.farewell).await;
            let gone = |object| CachedEvent::Deleted { object, final_state_known: false };
            tell(&handler, &tag, deleted, gone).await;
        }
        let inherited: HashSet<_> = objects.keys().cloned().collect();
        let known = Known { objects: std::mem::take(&mut objects), inherited };
        let Some((registration, known)) = members.attach_to(&name, &handler, known) else { return };
        drop(members);
        if !registration.wait_for_sync().await || known.lock().inherited.is_empty() {
            return;
        }
        // An object was deleted just before the handler was attached. Nobody but this task may call
        // the handler while it is told.
        registration.remove_and_wait().await;
        let Some(members) = set.upgrade() else { return };
        members.detach_from(&name, &handler);
        objects = std::mem::take(&mut known.lock().objects);
    }
}

impl<K, T> Members<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    /// Returns whether a member takes over in a namespace.
    pub(in crate::factory) fn is_handing_over(&self, namespace: &str) -> bool {
        let state = self.state.lock();
        let of = |member: &&Member<K, T>| member.tag.namespace() == Some(namespace);
        state.present.values().filter(of).any(|member| member.takes_over)
    }

    fn tagged_as(&self, name: &str) -> Option<(Arc<T>, SharedInformer<K>)> {
        let state = self.state.lock();
        let member = state.present.get(name)?;
        Some((member.tag.clone(), (*member.interest).clone()))
    }

    /// Attaches a handler to a member, unless it has it.
    fn attach_to(
        &self,
        name: &str,
        handler: &Arc<MemberHandler<K, T>>,
        known: Known<K>,
    ) -> Option<(HandlerRegistration, Arc<Mutex<Known<K>>>)> {
        let mut state = self.state.lock();
        let member = state.present.get_mut(name)?;
        if member.attached.iter().any(|one| Arc::ptr_eq(&one.handler, handler)) {
            return None;
        }
        let attached = member.attach(handler, known)?;
        Some((attached.registration.clone(), attached.known.clone()))
    }

    fn detach_from(&self, name: &str, handler: &Arc<MemberHandler<K, T>>) {
        if let Some(member) = self.state.lock().present.get_mut(name) {
            member.attached.retain(|one| !Arc::ptr_eq(&one.handler, handler));
        }
    }

    /// Attaches the handlers that no member before had, and lets the members leave again.
    fn finish_takeover(&self, names: &[Arc<str>]) {
        let mut state = self.state.lock();
        let State { present, handlers, .. } = &mut *state;
        for name in names {
            let Some(member) = present.get_mut(name) else { continue };
            member.takes_over = false;
            for handler in &*handlers {
                if !member.attached.iter().any(|one| Arc::ptr_eq(&one.handler, handler)) {
                    member.attach(handler, Known::nothing());
                }
            }
        }
    }
}
