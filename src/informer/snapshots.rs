//! Snapshots of several informers.

use std::collections::HashMap;

use kube::Resource;

use super::{InformerGroup, SharedInformer};
use crate::indexer::Snapshot;

/// Takes a snapshot of each informer of a tuple, a slice or a group. For an iterator, map
/// [`SharedInformer::snapshot`].
///
/// Each snapshot shows the server's state at one moment, and names its
/// [version](Snapshot::version). An informer and its [views](SharedInformer::view) show the same
/// moment. The moments of two informers differ: an object of one may name an object that the other
/// does not have yet, or has already removed. Watches of different kinds are not synchronised by
/// the API server, so no client can do better. To see a write of your own, first
/// [wait](SharedInformer::wait_for) for its version.
///
/// ```
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use kube_informer::SharedInformer;
/// use kube_informer::informer::snapshots;
///
/// fn count(clusters: &[SharedInformer<Pod>]) -> usize {
///     snapshots(clusters).iter().map(|pods| pods.len()).sum()
/// }
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

/// The informers that [`snapshots`] accepts: a group, a slice, array or vector of one kind, or a
/// tuple of two to six references.
pub trait Informers {
    /// A tuple or a vector of snapshots, in the order of the informers.
    type Snapshots;

    /// Takes a snapshot of each informer.
    fn snapshots(self) -> Self::Snapshots;
}

impl<K: Resource + Send + Sync + 'static> Informers for &[SharedInformer<K>] {
    type Snapshots = Vec<Snapshot<K>>;

    fn snapshots(self) -> Self::Snapshots {
        let mut moments = Moments::default();
        self.iter().map(|informer| moments.of(informer)).collect()
    }
}

impl<K: Resource + Send + Sync + 'static, const N: usize> Informers for &[SharedInformer<K>; N] {
    type Snapshots = Vec<Snapshot<K>>;

    fn snapshots(self) -> Self::Snapshots {
        self.as_slice().snapshots()
    }
}

impl<K: Resource + Send + Sync + 'static> Informers for &Vec<SharedInformer<K>> {
    type Snapshots = Vec<Snapshot<K>>;

    fn snapshots(self) -> Self::Snapshots {
        self.as_slice().snapshots()
    }
}

impl<K: Resource + Send + Sync + 'static> Informers for &InformerGroup<K> {
    type Snapshots = Vec<Snapshot<K>>;

    fn snapshots(self) -> Self::Snapshots {
        self.informers().snapshots()
    }
}

/// The snapshots that were taken, one of each store, by the store's address. The caller keeps the
/// stores alive.
#[derive(Default)]
struct Moments(HashMap<usize, Snapshot>);

impl Moments {
    /// Returns a snapshot of the moment that any snapshot of the same store shows.
    fn of<K: Resource + Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<K>,
    ) -> Snapshot<K> {
        let indexer = informer.indexer();
        let taken = self.0.entry(indexer.address()).or_insert_with(|| indexer.snapshot().cast());
        taken.through(indexer.view())
    }
}

macro_rules! informers {
    ($($K:ident),+) => {
        impl<$($K: Resource + Send + Sync + 'static),+> Informers for ($(&SharedInformer<$K>,)+) {
            type Snapshots = ($(Snapshot<$K>,)+);

            #[allow(non_snake_case, reason = "a variable has the name of its type")]
            fn snapshots(self) -> Self::Snapshots {
                let ($($K,)+) = self;
                let mut moments = Moments::default();
                ($(moments.of($K),)+)
            }
        }
    };
}

informers!(A, B);
informers!(A, B, C);
informers!(A, B, C, D);
informers!(A, B, C, D, E);
informers!(A, B, C, D, E, F);
