//! Following a collection whose kind is not always served.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use tokio::sync::watch;
use tokio::time::sleep;

use super::driver::ReflectorDriver;
use super::status::ReflectorState;
use super::{ChangeSink, Reflector};
use crate::object::{Change, ResourceVersion, ShardSelector};
use crate::time::ReadBarrier;

/// The time in which the news comes that a kind is not served any more. Its watch ends first.
const NEWS: Duration = Duration::from_secs(1);

/// A kind that may come and go.
pub(crate) trait Serving: Send + Sync {
    /// Waits until it is known whether the kind is served. Later requests of the source are for the
    /// version that is served now.
    fn state(&self) -> BoxFuture<'_, ServingState>;

    /// Waits until the last [state](Self::state) no longer holds.
    fn changed(&self) -> BoxFuture<'_, ()>;

    /// Waits for a view that began after this moment. Returns whether the last state holds in it.
    fn holds_since(&self, since: ReadBarrier) -> BoxFuture<'_, bool>;

    /// Returns the age of the view that the last state is from.
    fn freshness(&self) -> Option<Duration>;
}

/// The answer to whether a kind is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServingState {
    Served,
    NotServed {
        /// The reason, such as a missing definition.
        reason: Arc<str>,
        /// True if every object of the kind is gone. If false, objects may exist that cannot be
        /// listed.
        gone: bool,
    },
}

/// A kind that is not served.
#[derive(Clone)]
pub(super) struct AwaitedKind {
    /// The reason, such as a missing definition.
    pub(super) reason: Arc<str>,
    /// The proof that it has no objects. `None` if objects may exist that cannot be listed.
    pub(super) gone: Option<Weak<dyn Serving>>,
}

impl fmt::Debug for AwaitedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AwaitedKind").field(&self.reason).finish()
    }
}

impl AwaitedKind {
    /// Returns the age of the proof that the kind has no objects.
    pub(super) fn age(&self) -> Option<Duration> {
        self.gone.as_ref()?.upgrade()?.freshness()
    }
}

impl Reflector {
    /// Lists and watches while the kind is served, for ever.
    pub(super) async fn reflect_while_served(
        &mut self,
        serving: &Arc<dyn Serving>,
        sink: &impl ChangeSink,
    ) {
        let mut emptied = Emptied { ever: false, shard: self.driver.options.shard.clone() };
        loop {
            let mut state = serving.state();
            let state = if let Some(state) = (&mut state).now_or_never() {
                state
            } else {
                self.driver.status.enter(ReflectorState::AwaitingKind);
                state.await
            };
            match state {
                ServingState::Served => {
                    self.driver.status.enter(ReflectorState::LISTS);
                    tokio::select! {
                        biased;
                        () = serving.changed() => {}
                        () = self.reflect(sink) => {}
                    }
                    let version = self.machine.version().cloned();
                    self.driver.last_version = version.or(self.driver.last_version.take());
                    self.machine.begin_again();
                    self.driver.stream = None;
                    self.driver.prover.forget();
                    self.driver.prover.allow_short_watch();
                    self.driver.permit.reset();
                }
                ServingState::NotServed { reason, gone } => {
                    // Otherwise the sink has no objects.
                    if gone && std::mem::take(&mut self.driver.handed_on) {
                        self.driver.hand_on_nothing(&mut emptied, sink).await;
                    }
                    self.driver.await_kind(reason, gone, serving, &mut emptied, sink).await;
                }
            }
        }
    }
}

/// The knowledge that the sink has of a kind without objects.
struct Emptied {
    /// True if it has had a list without items.
    ever: bool,
    /// The shards. Seen are those that it was told.
    shard: Option<watch::Receiver<ShardSelector>>,
}

impl Emptied {
    /// Waits until the sink, which has no objects, does not know the shard.
    async fn other_shard(&self) {
        // A clone, because the shard counts as told only when it was.
        if let Some(mut shard) = self.shard.clone().filter(|_| self.ever)
            && shard.changed().await.is_ok()
        {
            return;
        }
        pending::<()>().await;
    }
}

impl ReflectorDriver {
    /// Gives the news that the kind is not served any more time to come, before an error is
    /// reported that may be due to it. The news drops this future, and nothing has failed.
    pub(super) async fn await_news_of_kind(&mut self) {
        if self.options.serving.is_some() {
            sleep(NEWS).await;
        }
    }

    /// Hands on a list without items.
    async fn hand_on_nothing(&mut self, emptied: &mut Emptied, sink: &impl ChangeSink) {
        self.accumulator.discard().await;
        let version = self.last_version.clone().unwrap_or(ResourceVersion::ANY);
        let mut list = self.accumulator.take(version, false).await;
        emptied.ever = true;
        list.shard = emptied.shard.as_mut().map(|shard| shard.borrow_and_update().clone());
        self.emit(Change::Replace(list), sink).await;
    }

    /// Waits until the state of the kind changes. `gone` is true if it has no objects.
    async fn await_kind(
        &mut self,
        reason: Arc<str>,
        gone: bool,
        serving: &Arc<dyn Serving>,
        emptied: &mut Emptied,
        sink: &impl ChangeSink,
    ) {
        self.status.enter(ReflectorState::AwaitingKind);
        let proof = gone.then(|| Arc::downgrade(serving));
        self.status.cell().await_kind(Some(AwaitedKind { reason, gone: proof }));
        let mut changed = serving.changed();
        // True if the sink does not know the shard.
        let mut arrived = false;
        loop {
            // Without objects, a new view of the definitions proves that there are none.
            let proof = async {
                if !arrived {
                    tokio::select! {
                        biased;
                        () = emptied.other_shard() => arrived = true,
                        _ = self.prover.next() => {}
                    }
                }
                let begun = ReadBarrier::now();
                serving.holds_since(begun).await.then_some(begun)
            };
            tokio::select! {
                biased;
                () = &mut changed => break,
                begun = proof, if gone => {
                    let Some(begun) = begun else { continue };
                    if std::mem::take(&mut arrived) {
                        self.hand_on_nothing(emptied, sink).await;
                    }
                    self.prover.listed(begun);
                }
            }
        }
        self.status.cell().await_kind(None);
    }
}
