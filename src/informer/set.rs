//! Informers of one kind, for a consumer that follows all of them.

use tokio::sync::watch;

use super::{InformerGroup, SharedInformer, StartError};
use crate::object::ObjectKey;

/// A set of informers of one kind, of which some may join and leave.
pub trait InformerSet: Send + Sync {
    /// Starts to follow the members. A second call has no effect.
    #[allow(clippy::missing_errors_doc, reason = "hidden: public for `kube-controllers` only")]
    fn start(&self) -> Result<(), StartError>;

    /// Returns the members that are present now.
    fn informers(&self) -> Vec<SharedInformer>;

    /// Returns the member that has the object of a key.
    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer>;

    /// Returns whether the collection of a member tells which one it is.
    fn has_collections(&self) -> bool {
        true
    }

    /// Returns whether this is a group, whose members never change.
    fn is_group(&self) -> bool {
        false
    }

    /// Returns a receiver that is woken after members joined or left.
    fn changes(&self) -> watch::Receiver<()>;
}

impl InformerSet for InformerGroup {
    fn start(&self) -> Result<(), StartError> {
        Self::start(self)
    }

    fn informers(&self) -> Vec<SharedInformer> {
        Self::informers(self).to_vec()
    }

    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer> {
        Self::informer_of(self, key).cloned()
    }

    fn is_group(&self) -> bool {
        true
    }

    fn changes(&self) -> watch::Receiver<()> {
        watch::channel(()).1
    }
}
