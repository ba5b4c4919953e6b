//! A controller without additions, for a program without the feature `coming-and-going`. It follows
//! the informers that it was built with.

use std::future::{Ready, pending, ready};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::super::membership::Membership;
use super::following::Connector;
use super::own_writes::WriteLog;
use super::presence::Sight;
use super::triggers::Rule;
use super::waiting::WaitingKeys;
use crate::basics::Mutex;
use crate::informer::{InformerGroup, ReadBarrier as Moment, SharedInformer};
use crate::object::ObjectKey;
use crate::seams::InformerSet;
use crate::workqueue::{Work, WorkQueue};

pub(super) struct Additions(Mutex<State>);

struct State {
    built: Option<InformerGroup>,
    since: Moment,
}

impl Additions {
    pub(super) fn new(
        built: InformerGroup,
        _: Arc<WriteLog>,
        _: Arc<WaitingKeys>,
        _: Duration,
    ) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { built: Some(built), since: Moment::START })))
    }

    /// Does nothing, because there is no set.
    pub(super) fn add_set(&self, _: Arc<dyn InformerSet>, _: Rule) {}

    pub(super) fn end(&self) {
        let built = self.0.lock().built.take();
        drop(built);
    }

    pub(super) fn begin(&self, since: Moment) {
        self.0.lock().since = since;
    }

    pub(super) fn wrong_if_sharded(&self) -> Option<&'static str> {
        None
    }

    pub(super) fn informers(&self) -> Vec<SharedInformer> {
        Vec::new()
    }

    pub(super) fn members(&self) -> Vec<(Membership, CancellationToken)> {
        Vec::new()
    }

    /// Looks up one of the controller's own objects. `place` is the object's place on the ring, if
    /// it is known. O(log objects).
    pub(super) fn sight(&self, key: &ObjectKey, place: Option<u64>) -> Sight {
        let state = self.0.lock();
        let (built, since) = (state.built.clone(), state.since);
        drop(state);
        let built = built.and_then(|built| built.informer_of(key).cloned());
        Sight::of(key, place, built, since)
    }

    #[allow(clippy::unused_self, reason = "the signature with the feature")]
    pub(super) fn awaits_sight(&self, _: &ObjectKey) -> bool {
        false
    }

    pub(super) fn queue_unseen(&self, _: &WorkQueue<ObjectKey>) -> Ready<()> {
        ready(())
    }

    pub(super) fn missing(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}

pub(super) struct Term {
    pub(super) additions: Arc<Additions>,
    pub(super) connector: Connector,
    pub(super) since: Moment,
}

pub(super) struct AdditionTasks;

impl AdditionTasks {
    pub(super) fn new(_: Term) -> Self {
        Self
    }

    #[allow(clippy::unused_self, reason = "the signature with the feature")]
    pub(super) fn begin(&mut self) -> Ready<()> {
        ready(())
    }

    pub(super) async fn changed(&mut self) -> bool {
        pending().await
    }
}
