//! Views: the objects of an informer as another type of the same resource.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

use kube::Resource;
use kube::core::PartialObjectMeta;
use kube_decode::{Decode, SerdeDecode, names_its_fields};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{InformerGroup, SharedInformer};
use crate::codec::decode_any;
use crate::object::{AnyObject, FieldSet};
use crate::panic::catch;
use crate::storage::ViewType;

/// An informer's objects can't be read as another type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The informer keeps its objects decoded, so each read of a view would serialise and decode an
    /// object.
    #[error(
        "the informer of {resource} keeps its objects decoded: read them as they are, or let it \
         keep their bytes with `Storage::packed()`, which is the default"
    )]
    Decoded {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
    },
    /// The informer keeps its objects decoded, because its type is small. Their bytes are gone, and
    /// with them the fields that the type lacks.
    #[error(
        "the informer of {resource} keeps its objects decoded, because its type is small, and \
         that type may lack what the view reads: make the view before the informer starts, or a \
         view of an informer of the whole type"
    )]
    Small {
        /// The resource, as `kubectl` writes it.
        resource: Arc<str>,
    },
}

impl<K: Resource + Serialize + Send + Sync + 'static> SharedInformer<K> {
    /// Returns a handle of the same informer that reads its objects as `V`: a struct with the
    /// fields that a reader needs, [`PartialObjectMeta`], or
    /// [`DynamicObject`](kube::core::DynamicObject).
    ///
    /// A view has no watch and no objects of its own. It decodes an object when it is read, from
    /// the bytes that the informer keeps, and only the fields that `V` names. What was read stays
    /// decoded as long as whole objects do, see [`Storage::hot_for`](crate::Storage::hot_for). All
    /// handles of a view share that.
    ///
    /// Everything that an informer gives works with `V`: listers, snapshots, indexes, handlers,
    /// streams. An index may be added through any of the handles, and serves all:
    /// `view.indexer().index("node")`. The [`snapshots`](fn@super::snapshots) of an informer and its
    /// views show one moment. Stopping a view stops the informer.
    ///
    /// An object that `V` can't be decoded from is missing from this view only. It is reported to
    /// the log and to `on_error`, and counted, as [`ViewStatus`](crate::storage::ViewStatus) says.
    ///
    /// If the bytes of an object are not known, because of a transform or a source without bytes
    /// such as `FakeSource`, each read serialises the object first. A type that takes any field, as
    /// with `#[serde(flatten)]`, decodes whole objects. Log and status tell both.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube::{Resource, api::ObjectMeta};
    /// use kube_informer::SharedInformer;
    /// use kube_informer::informer::ViewError;
    /// use serde::Deserialize;
    ///
    /// #[derive(Clone, Debug, Deserialize, Resource)]
    /// #[resource(inherit = Pod)]
    /// struct PlacedPod {
    ///     metadata: ObjectMeta,
    ///     spec: Place,
    /// }
    ///
    /// #[derive(Clone, Debug, Deserialize)]
    /// #[serde(rename_all = "camelCase")]
    /// struct Place {
    ///     node_name: Option<String>,
    /// }
    ///
    /// fn nodes(pods: &SharedInformer<Pod>) -> Result<Vec<String>, ViewError> {
    ///     let placed = pods.view::<PlacedPod>()?.lister().all();
    ///     Ok(placed.iter().filter_map(|pod| pod.spec.node_name.clone()).collect())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ViewError::Decoded`] with [`Storage::decoded()`](crate::Storage::decoded).
    /// [`ViewError::Small`] if the informer has released the bytes of its objects, because its type
    /// is small. It keeps them if it had a view before.
    pub fn view<V>(&self) -> Result<SharedInformer<V>, ViewError>
    where
        V: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let id = TypeId::of::<V>();
        let is_metadata = id == TypeId::of::<PartialObjectMeta<K>>();
        let metadata = || FieldSet::from_paths(["apiVersion", "kind", "metadata"]);
        // A type's serde code is user code.
        let whole = || !catch(names_its_fields::<V>).unwrap_or(false);
        self.view_of(ViewType {
            name: type_name::<V>(),
            id,
            is_shared: true,
            decoder: decode_any(Arc::new(SerdeDecode::<V>::new())),
            fields: is_metadata.then(metadata),
            whole: !is_metadata && whole(),
            serialised: serialise::<K>,
        })
    }

    /// Returns a view like [`view`](Self::view) that decodes in a way of its own. Views share what
    /// they read only if they are clones.
    ///
    /// A decoder of JSON also reads objects that came in protobuf: each is written as JSON first.
    ///
    /// # Errors
    /// The errors of [`view`](Self::view).
    pub fn view_with<V>(&self, decoder: impl Decode<V>) -> Result<SharedInformer<V>, ViewError>
    where
        V: Resource + Send + Sync + 'static,
    {
        self.view_of(ViewType {
            name: type_name::<V>(),
            id: TypeId::of::<V>(),
            is_shared: false,
            decoder: decode_any(Arc::new(decoder)),
            fields: None,
            whole: false,
            serialised: serialise::<K>,
        })
    }

    fn view_of<V>(&self, of: ViewType) -> Result<SharedInformer<V>, ViewError> {
        let Some(keeper) = &self.pipeline.keeper else {
            return Err(ViewError::Decoded { resource: self.collection().resource.clone() });
        };
        // The objects of a view's view are those that the informer stores.
        let serialised = self.indexer.view().map_or(of.serialised, |view| view.serialised());
        let view = keeper.view(ViewType { serialised, ..of });
        let small = || ViewError::Small { resource: self.collection().resource.clone() };
        let view = view.ok_or_else(small)?;
        let indexer = self.indexer.through(view);
        Ok(SharedInformer { pipeline: self.pipeline.clone(), indexer, last: self.last.clone() })
    }
}

impl<K: Resource + Serialize + Send + Sync + 'static> InformerGroup<K> {
    /// Returns a group of the same informers that reads their objects as `V`: see
    /// [`SharedInformer::view`].
    ///
    /// # Errors
    /// The errors of [`SharedInformer::view`].
    pub fn view<V>(&self) -> Result<InformerGroup<V>, ViewError>
    where
        V: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let views: Result<Vec<_>, _> = self.informers().iter().map(SharedInformer::view).collect();
        Ok(InformerGroup::new(views?))
    }
}

/// Serialises an object of this type.
fn serialise<K: Serialize + 'static>(object: &dyn AnyObject) -> Option<Vec<u8>> {
    let object = (object as &dyn Any).downcast_ref::<K>()?;
    serde_json::to_vec(object).ok()
}
