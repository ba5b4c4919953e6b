//! A manager without additions, for a program without the feature `coming-and-going`. It runs the
//! controllers that it was built with.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::status::ManagerState;
use crate::informer::SharedInformer;
use crate::sharding::Sharding;

#[derive(Default)]
pub(super) struct Additions;

pub(super) struct Added(Infallible);

impl Added {
    pub(super) fn name(&self) -> &Arc<str> {
        match self.0 {}
    }
}

impl Additions {
    #[cfg(feature = "serve")]
    pub(super) fn is_leaving(&self, _: &str) -> bool {
        false
    }

    pub(super) async fn next(&self) -> Added {
        pending().await
    }

    pub(super) fn close(&self) {}

    pub(super) fn clear(&self) {}

    pub(super) fn shardings(&self) -> Vec<Sharding> {
        Vec::new()
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    pub(super) fn informers(&self) -> Vec<SharedInformer> {
        Vec::new()
    }
}

pub(super) async fn host(
    _: Arc<ManagerState>,
    added: Added,
    _: CancellationToken,
) -> Result<(), ManagerError> {
    match added.0 {}
}
