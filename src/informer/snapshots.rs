//! Snapshots of several informers.

use kube::Resource;

use super::SharedInformer;
use crate::indexer::Snapshot;

/// Takes a snapshot of each informer of a tuple: of two to six informers.
///
/// Each snapshot is of one moment that the server had, and says of which
/// [version](Snapshot::version). The moments of two snapshots differ: an object of one may name an
/// object that the other does not have yet, or no longer has. Watches of different kinds are not
/// synchronised by the API server, so no client can do better. To see a write of your own, first
/// [wait](SharedInformer::wait_for) for its version.
///
/// ```
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use kube_informer::SharedInformer;
/// use kube_informer::informer::snapshots;
///
/// fn print(pods: &SharedInformer<Pod>, nodes: &SharedInformer<Node>) {
///     let (pods, nodes) = snapshots((pods, nodes));
///     println!("{} pods at {:?}", pods.len(), pods.version());
///     println!("{} nodes at {:?}", nodes.len(), nodes.version());
/// }
/// ```
pub fn snapshots<T: Informers>(informers: T) -> T::Snapshots {
    informers.snapshots()
}

/// Informers of which [`snapshots`] takes snapshots: tuples of references to two to six informers.
pub trait Informers {
    /// A tuple of snapshots.
    type Snapshots;

    /// Takes a snapshot of each informer.
    fn snapshots(self) -> Self::Snapshots;
}

macro_rules! informers {
    ($($K:ident),+) => {
        impl<$($K: Resource + Send + Sync + 'static),+> Informers for ($(&SharedInformer<$K>,)+) {
            type Snapshots = ($(Snapshot<$K>,)+);

            #[allow(non_snake_case, reason = "a variable has the name of its type")]
            fn snapshots(self) -> Self::Snapshots {
                let ($($K,)+) = self;
                ($($K.snapshot(),)+)
            }
        }
    };
}

informers!(A, B);
informers!(A, B, C);
informers!(A, B, C, D);
informers!(A, B, C, D, E);
informers!(A, B, C, D, E, F);
