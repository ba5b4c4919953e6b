//! Following a collection whose kind is not always served.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::BoxFuture;

use super::driver::ReflectorDriver;
use super::status::ReflectorState;
use super::{ChangeSink, Reflector};
use crate::object::{Change, ResourceVersion};
use crate::time::Moment;

/// A kind that may come and go.
pub(crate) trait Serving: Send + Sync {
    /// Waits until it is known whether the kind is served. Later requests of the source are for the
    /// version that is served now.
    fn state(&self) -> BoxFuture<'_, ServingState>;

    /// Waits until the last [state](Self::state) no longer holds.
    fn changed(&self) -> BoxFuture<'_, ()>;

    /// Waits for a view that began after this moment. Returns whether the last state holds in it.
    fn holds_since(&self, since: Moment) -> BoxFuture<'_, bool>;

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
        loop {
            match serving.state().await {
                ServingState::Served => {
                    tokio::select! {
                        biased;
                        () = serving.changed() => {}
                        () = self.reflect(sink) => {}
                    }
                    let version = self.machine.version().cloned();
                    self.driver.last_version = version.or(self.driver.last_version.take());
                    self.machine.begin_again();
                    self.driver.stream = None;
                    (self.driver.permit, self.driver.busy_for) = (None, None);
                }
                ServingState::NotServed { reason, gone } => {
                    if gone {
                        self.driver.hand_on_nothing(sink).await;
                    }
                    self.driver.await_kind(reason, gone, serving).await;
                }
            }
        }
    }
}

impl ReflectorDriver {
    /// Hands on a list without items, unless the sink has had none.
    async fn hand_on_nothing(&mut self, sink: &impl ChangeSink) {
        self.accumulator.discard().await;
        if !std::mem::take(&mut self.handed_on) {
            return;
        }
        let version = self.last_version.clone().unwrap_or(ResourceVersion::ANY);
        let mut list = self.accumulator.take(version, false).await;
        list.shard = self.options.shard.as_ref().map(|shard| shard.borrow().clone());
        sink.emit(Change::Replace(list)).await;
    }

    /// Waits until the state of the kind changes. `gone` is true if it has no objects.
    async fn await_kind(&mut self, reason: Arc<str>, gone: bool, serving: &Arc<dyn Serving>) {
        self.status.enter(ReflectorState::AwaitingKind);
        let proof = gone.then(|| Arc::downgrade(serving));
        self.status.cell().await_kind(Some(AwaitedKind { reason, gone: proof }));
        let mut changed = serving.changed();
        loop {
            // Without objects, a new view of the definitions proves that there are none.
            let proof = async {
                self.proving.next().await;
                let begun = Moment::now();
                serving.holds_since(begun).await.then_some(begun)
            };
            tokio::select! {
                biased;
                () = &mut changed => break,
                begun = proof, if gone => {
                    if let Some(begun) = begun {
                        self.proving.listed(begun);
                    }
                }
            }
        }
        self.status.cell().await_kind(None);
        self.status.enter(ReflectorState::Listing { loaded: 0, total: None });
    }
}
