//! A set of informers that join and leave at run time, and the handlers that follow them.
//!
//! One task compares the wanted members with the present ones. A member that is no longer wanted
//! leaves in three steps: its handlers are removed, they are told about the objects that they still
//! know, and its interest is dropped. It can join again after that. If the set is dropped
//! meanwhile, the handlers that it still has are removed, and told nothing.

mod index;
mod member;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::{BoxFuture, pending};
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

pub(super) use self::member::Farewell;
use self::member::{MemberHandler, SetMember};
use crate::factory::{Interest, SharedInformerFactory, SpecError};
use crate::indexer::{Index, IndexError, Snapshot};
use crate::informer::{InformerGroup, SharedInformer, StartError, SyncError, wait_for_all};
use crate::joining::Together;
use crate::object::{Event, ObjectKey};
use crate::panic::SafeDrop;
use crate::sync::Mutex;

/// The tag of a member: what it follows.
pub(super) trait Tag: Clone + PartialEq + Send + Sync + 'static {
    /// Returns whether a member with this tag replaces one of the same name with the tag `before`.
    fn replaces(&self, _before: &Self) -> bool {
        false
    }

    /// Returns whether handlers are told of this object of the member.
    fn covers(&self, _key: &ObjectKey) -> bool {
        true
    }
}

/// The tag of members that differ only by name.
impl Tag for () {}

/// A function that makes the informer of a member.
type Make<K, T> = Arc<dyn Fn(&Arc<str>, &T) -> Result<Interest<K>, SpecError> + Send + Sync>;

/// The members that are wanted now, by name.
pub(super) type Wanted<T> = BTreeMap<Arc<str>, T>;

/// A function that adds an index to the informer of a member, unless it has one of this name.
type AddIndex<K> = Arc<dyn Fn(&SharedInformer<K>) + Send + Sync>;

/// The period in which informers are requested again that were refused.
const RETRY: Duration = Duration::from_secs(30);

/// The reads of a factory that its informers do not show.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FactoryNeed {
    /// The resource as `kubectl` writes it. `*.*` for all.
    pub resource: Arc<str>,
    /// The only object, which is read with a get. `None` for the lists and watches of a set, whose
    /// members are known only at run time.
    pub name: Option<&'static str>,
    /// A sentence without its full stop: what suffices in place of it.
    pub comment: &'static str,
}

pub(super) struct Members<K, T> {
    factory: SharedInformerFactory,
    /// The factory forgets them when the set is dropped.
    needs: Arc<FactoryNeed>,
    state: Mutex<State<K, T>>,
    make: Make<K, T>,
    farewell: Farewell<K>,
    /// Woken after members joined or left.
    changed: watch::Sender<()>,
}

struct State<K, T> {
    present: BTreeMap<Arc<str>, SetMember<K, T>>,
    handlers: Vec<Arc<MemberHandler<K, T>>>,
    indexes: Vec<(Arc<str>, AddIndex<K>)>,
    /// The wanted members whose informer was refused, with the reason.
    refused: HashMap<Arc<str>, SpecError>,
    /// True if every wanted member is present or refused.
    settled: bool,
    /// The task that follows the wanted members.
    task: Option<AbortHandle>,
}

/// The tasks of members that leave, with their names.
type Leaving = Vec<(Arc<str>, BoxFuture<'static, ()>)>;

impl<K, T> Members<K, T>
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    pub(super) fn new(
        factory: &SharedInformerFactory,
        needs: FactoryNeed,
        make: Make<K, T>,
        farewell: Farewell<K>,
    ) -> Arc<Self> {
        let needs = Arc::new(needs);
        let mut known = factory.shared.set_needs.lock();
        known.retain(|needs| needs.strong_count() > 0);
        known.push(Arc::downgrade(&needs));
        drop(known);
        Self::made_by(factory.clone(), needs, make, farewell)
    }

    fn made_by(
        factory: SharedInformerFactory,
        needs: Arc<FactoryNeed>,
        make: Make<K, T>,
        farewell: Farewell<K>,
    ) -> Arc<Self> {
        let state = State {
            present: BTreeMap::new(),
            handlers: Vec::new(),
            indexes: Vec::new(),
            refused: HashMap::new(),
            settled: false,
            task: None,
        };
        let (state, changed) = (Mutex::new(state), watch::Sender::new(()));
        Arc::new(Self { factory, needs, state, make, farewell, changed })
    }

    /// Returns a set of the same informers that reads their objects as another type. Its members,
    /// handlers and indexes are its own.
    pub(super) fn viewed<V>(&self, farewell: Farewell<V>) -> Arc<Members<V, T>>
    where
        K: Serialize,
        V: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let make = self.make.clone();
        let make = move |name: &Arc<str>, tag: &T| Ok(make(name, tag)?.viewed()?);
        Members::made_by(self.factory.clone(), self.needs.clone(), Arc::new(make), farewell)
    }

    /// Returns the present members.
    pub(super) fn group(&self) -> InformerGroup<K> {
        let state = self.state.lock();
        InformerGroup::new(state.present.values().map(|member| (*member.interest).clone()))
    }

    /// Returns the present members with their tags, by name.
    pub(super) fn tagged(&self) -> Vec<(Arc<T>, SharedInformer<K>)> {
        let state = self.state.lock();
        let members = state.present.values();
        members.map(|member| (member.tag.clone(), (*member.interest).clone())).collect()
    }

    /// Returns the informer of the member of this name. O(log members).
    pub(super) fn informer_named(&self, name: &str) -> Option<SharedInformer<K>> {
        let state = self.state.lock();
        Some((*state.present.get(name)?.interest).clone())
    }

    /// Returns a receiver that is woken after members joined or left.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Returns the errors of wanted members whose informer the factory refused.
    pub(super) fn refused(&self) -> Vec<SpecError> {
        self.state.lock().refused.values().cloned().collect()
    }

    /// Waits until `reached` returns true, which is asked after each change of the members.
    async fn until_members(&self, reached: impl Fn() -> bool) {
        let mut changed = self.changed.subscribe();
        while !reached() {
            // The sender lives as long as `self`.
            let _ = changed.changed().await;
        }
    }

    /// Returns the error of a wanted member whose informer was refused.
    pub(super) fn refusal_of(&self, name: &str) -> Option<SpecError> {
        self.state.lock().refused.get(name).cloned()
    }

    /// Returns whether an informer is that of a present member.
    fn has(&self, informer: &SharedInformer) -> bool {
        let state = self.state.lock();
        state.present.values().any(|member| *member.interest == *informer)
    }

    /// Returns whether the task was started that follows the wanted members.
    pub(super) fn is_started(&self) -> bool {
        self.state.lock().task.is_some()
    }

    /// Adds a handler to all members, present and future ones.
    pub(super) fn add_handler(&self, call: impl Fn(&T, Event<K>) + Send + Sync + 'static) {
        let handler = Arc::new(SafeDrop::new(Box::new(call) as Box<_>));
        let mut state = self.state.lock();
        state.handlers.push(handler.clone());
        for member in state.present.values_mut() {
            member.attach(&handler);
        }
    }

    /// Adds an index to all members, present and future ones.
    fn add_any_index(&self, name: Arc<str>, add: AddIndex<K>) -> Result<(), IndexError> {
        let mut state = self.state.lock();
        if state.indexes.iter().any(|(other, _)| *other == name) {
            return Err(IndexError::Duplicate((*name).to_owned()));
        }
        state.indexes.push((name, add));
        drop(state);
        self.complete_indexes();
        Ok(())
    }

    /// Returns the indexes of this name, of the present members. They are looked up at each call,
    /// because another holder of an informer may be about to complete one.
    fn indexes_named(&self, name: &str) -> Vec<Index<K>> {
        let state = self.state.lock();
        let members = state.present.values();
        let indexes = members.filter_map(|member| member.interest.indexer().index(name).ok());
        indexes.collect()
    }

    /// Adds the indexes that members lack. Index functions are user code, so they run without the
    /// lock.
    fn complete_indexes(&self) {
        loop {
            let mut state = self.state.lock();
            let State { present, indexes, .. } = &mut *state;
            let lacks = |member: &&mut SetMember<K, T>| member.indexed < indexes.len();
            let Some(member) = present.values_mut().find(lacks) else { return };
            let (_, add) = indexes[member.indexed].clone();
            member.indexed += 1;
            let informer = (*member.interest).clone();
            drop(state);
            add(&informer);
        }
    }

    /// Starts the task that follows the wanted members, of which the stream returns each state.
    pub(super) fn start(
        self: &Arc<Self>,
        wanted: BoxStream<'static, Wanted<T>>,
    ) -> Result<(), StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let mut state = self.state.lock();
        if state.task.is_none() {
            let sets = self.factory.shared.sets.lock();
            let following = follow_until(sets.stop.clone(), Arc::downgrade(self), wanted);
            state.task = Some(sets.tasks.spawn_on(following.boxed(), &runtime).abort_handle());
        }
        Ok(())
    }

    /// Waits until the wanted members are present and have synced or left, for at most `limit`. An
    /// informer tells of them.
    pub(super) async fn wait_for_sync<D: Resource + Send + Sync + 'static>(
        &self,
        told_by: &SharedInformer<D>,
        limit: Duration,
    ) -> Result<(), SyncError> {
        let start = Instant::now();
        told_by.wait_for_sync(limit).await?;
        let rest = || limit.saturating_sub(start.elapsed());
        if timeout(rest(), self.until_members(|| self.state.lock().settled)).await.is_err() {
            return SyncError::unless_none(vec![told_by.unsynced().joining()], start);
        }
        let members = self.tagged().into_iter();
        let members: Vec<_> = members.map(|(_, informer)| informer.cast()).collect();
        wait_for_all(&members, rest(), |informer| self.has(informer)).await
    }

    /// Lets wanted members join that are not among those that still leave. Removes the others, and
    /// returns what they still have to do.
    fn adjust(self: &Arc<Self>, mut wanted: Wanted<T>, leaving: &HashSet<Arc<str>>) -> Leaving {
        let mut state = self.state.lock();
        let unwanted = |(name, member): &(&Arc<str>, &SetMember<K, T>)| {
            wanted.get(*name).is_none_or(|tag| tag.replaces(&member.tag))
        };
        let gone: BTreeSet<_> =
            state.present.iter().filter(unwanted).map(|(name, _)| name.clone()).collect();
        let before: HashSet<_> = state.refused.keys().cloned().collect();
        wanted.retain(|name, _| gone.contains(name) || !state.present.contains_key(name));
        let leaves = |name: &Arc<str>| gone.contains(name) || leaving.contains(name);
        let settled = !wanted.keys().any(leaves);
        // Not before they have joined.
        state.settled = false;
        drop(state);
        let (mut joined, mut refused) = (Vec::new(), HashMap::new());
        for (name, tag) in wanted {
            if leaves(&name) {
                continue;
            }
            // Made without the lock, because it may make an informer.
            match (self.make)(&name, &tag).map(|interest| (interest.start(), interest)) {
                Ok((Ok(()), interest)) => {
                    let (tag, attached, indexed) = (Arc::new(tag), Vec::new(), 0);
                    joined.push((name, SetMember { tag, attached, interest, indexed }));
                }
                // It was stopped meanwhile, or the runtime ends.
                Ok((Err(_), _)) => {}
                Err(error) => {
                    if !before.contains(&name) {
                        tracing::error!(%error, member = &*name, "an informer cannot join its set");
                    }
                    refused.insert(name, error);
                }
            }
        }
        let mut state = self.state.lock();
        let gone: Vec<_> =
            gone.into_iter().filter_map(|name| state.present.remove_entry(&name)).collect();
        for (name, mut member) in joined {
            for handler in &state.handlers {
                member.attach(handler);
            }
            state.present.insert(name, member);
        }
        state.settled = settled;
        let refused_before = std::mem::replace(&mut state.refused, refused);
        drop(state);
        drop(refused_before);
        self.complete_indexes();
        self.changed.send_replace(());
        let leave =
            |(name, member): (_, SetMember<K, T>)| (name, member.leave(self.farewell).boxed());
        gone.into_iter().map(leave).collect()
    }
}

impl<K, T> Members<K, T> {
    /// Drops the members that were made while the factory was shut down.
    fn drop_live(&self) {
        let mut state = self.state.lock();
        let present = std::mem::take(&mut state.present).into_iter();
        let (stopped, live) = present.partition(|(_, member)| member.interest.is_stopped());
        state.present = stopped;
        drop(state);
        // Without the lock, because an informer that ends may run user code.
        drop::<BTreeMap<_, _>>(live);
    }
}

impl<K, T> Drop for State<K, T> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// A function that other wanted members depend on: they are looked up after each of its ends, and
/// not before the first. Its futures are cancel safe.
pub(super) type Prepare = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Returns the wanted members that an informer tells of, until it stops: `look` returns them from
/// its store.
pub(super) fn told_by<D, T>(
    informer: SharedInformer<D>,
    prepare: Option<Prepare>,
    look: impl Fn(&Snapshot<D>) -> Wanted<T> + Send + Sync + 'static,
) -> BoxStream<'static, Wanted<T>>
where
    D: Resource + Send + Sync + 'static,
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let look = Arc::new(look);
    stream::unfold(None, move |before: Option<Wanted<T>>| {
        let (informer, look, prepare) = (informer.clone(), look.clone(), prepare.clone());
        async move {
            let now = if let Some(before) = before {
                let differs = |store: &Snapshot<D>| Some(look(store)).filter(|now| *now != before);
                loop {
                    let prepared = async {
                        match &prepare {
                            Some(prepare) => prepare().await,
                            None => pending().await,
                        }
                    };
                    tokio::select! {
                        biased;
                        () = informer.stopped() => return None,
                        now = informer.indexer().find_in_changes(differs) => break now,
                        () = prepared => {}
                    }
                    if let Some(now) = differs(&informer.snapshot()) {
                        break now;
                    }
                }
            } else {
                informer.wait_for_sync(Duration::MAX).await.ok()?;
                if let Some(prepare) = prepare {
                    prepare().await;
                }
                look(&informer.snapshot())
            };
            Some((now.clone(), Some(now)))
        }
    })
    .boxed()
}

/// Follows the wanted members until the factory is shut down. See [`follow`].
async fn follow_until<K, T>(
    stop: CancellationToken,
    members: Weak<Members<K, T>>,
    states: BoxStream<'static, Wanted<T>>,
) where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    let followed = stop.run_until_cancelled(follow(members.clone(), states)).await;
    if followed.is_none()
        && let Some(members) = members.upgrade()
    {
        members.drop_live();
    }
}

/// Follows the wanted members until the set is dropped, or until no more states come.
async fn follow<K, T>(members: Weak<Members<K, T>>, mut states: BoxStream<'static, Wanted<T>>)
where
    K: Resource + Send + Sync + 'static,
    T: Tag,
{
    let mut leaving = Together::default();
    let mut held: HashSet<Arc<str>> = HashSet::new();
    let Some(mut wanted) = states.next().await else { return };
    loop {
        let retries = {
            let Some(members) = members.upgrade() else { return };
            for (name, leaves) in members.adjust(wanted.clone(), &held) {
                held.insert(name.clone());
                leaving.push(async move { (name, leaves.await).0 }.boxed());
            }
            !members.state.lock().refused.is_empty()
        };
        tokio::select! {
            biased;
            Some(name) = leaving.next() => drop(held.remove(&name)),
            next = states.next() => match next {
                Some(next) => wanted = next,
                None => return,
            },
            () = sleep(RETRY), if retries => {}
        }
    }
}
