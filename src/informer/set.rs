//! Informers that join and leave at run time, for a consumer that follows all of them.

use tokio::sync::watch;

use super::{SharedInformer, StartError};
use crate::object::ObjectKey;

/// A set of informers of one kind, of which some may join and leave.
pub(crate) trait InformerSet: Send + Sync {
    /// Starts to follow the members. A second call has no effect.
    fn start(&self) -> Result<(), StartError>;

    /// Returns the members that are present now.
    fn informers(&self) -> Vec<SharedInformer>;

    /// Returns the member that has the object of a key.
    fn informer_of(&self, key: &ObjectKey) -> Option<SharedInformer>;

    /// Returns whether the collection of a member tells which one it is.
    fn has_collections(&self) -> bool {
        true
    }

    /// Returns a receiver that is woken after members joined or left.
    fn changes(&self) -> watch::Receiver<()>;
}
