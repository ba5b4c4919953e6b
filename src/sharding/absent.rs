//! A membership that cannot exist, for a program without the feature `sharding`.
//!
//! Controllers and managers are written for both cases. This type has no value, so the code of
//! sharded ones never runs.

use std::convert::Infallible;

use tokio::sync::watch;

use crate::lease::WorkScope;
use crate::object::{ShardKey, ShardSelector};

#[derive(Clone, Debug)]
pub(crate) struct Sharding(Infallible);

#[derive(Clone, Debug)]
pub(crate) struct ShardBy(Infallible);

#[derive(Clone, Debug)]
pub(crate) struct ShardingStatus(Infallible);

impl ShardBy {
    pub(crate) fn objects(self) -> ShardKey {
        match self.0 {}
    }
}

impl Sharding {
    pub(crate) fn group(&self) -> &str {
        match self.0 {}
    }

    pub(crate) fn by(&self) -> ShardBy {
        match self.0 {}
    }

    pub(crate) fn slots(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn slot_of(&self, _: u64) -> usize {
        match self.0 {}
    }

    pub(crate) fn start_of(&self, _: usize) -> u64 {
        match self.0 {}
    }

    pub(crate) fn objects(&self) -> watch::Receiver<ShardSelector> {
        match self.0 {}
    }

    pub(crate) fn dependents(&self) -> watch::Receiver<ShardSelector> {
        match self.0 {}
    }

    pub(crate) fn tenure(&self, _: u64) -> Option<(WorkScope, u64)> {
        match self.0 {}
    }

    pub(crate) fn has_run(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn watch_status(&self) -> watch::Receiver<ShardingStatus> {
        match self.0 {}
    }

    #[cfg(feature = "manager")]
    pub(crate) async fn finish_blocked(&self) {
        match self.0 {}
    }
}
