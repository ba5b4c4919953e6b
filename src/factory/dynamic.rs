//! Informers of resources that are known only at run time.

use std::any::TypeId;

use kube::api::DynamicObject;
use kube::core::{ApiResource, PartialObjectMeta};
use kube::{Client, Resource};

use super::registry::Request;
use super::{Hold, InformerSpec, SharedInformerFactory, SpecError};
use crate::informer::SharedInformer;
use crate::transport::ApiSource;

impl SharedInformerFactory {
    /// Returns the informer of all objects of a resource that is known only at run time. The
    /// factory's namespace does not apply, because the scope of the resource is unknown.
    pub fn dynamic(&self, resource: &ApiResource) -> SharedInformer<DynamicObject> {
        self.get(dynamic_request(self, resource, InformerSpec::new(), ApiSource::dynamic))
    }

    /// Returns the informer that a spec describes, of a resource that is known only at run time.
    /// The factory's namespace does not apply, because the scope of the resource is unknown: set
    /// the namespace in the spec.
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with).
    pub fn dynamic_with(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> Result<SharedInformer<DynamicObject>, SpecError> {
        let request = dynamic_request(self, resource, spec, ApiSource::dynamic);
        Ok(self.find_checked(request, Hold::Factory)?.informer.cast())
    }

    /// Returns the informer of only the metadata of all objects of a resource that is known only at
    /// run time. It requests nothing else from the server.
    ///
    /// The objects do not name their kind: the server sends `PartialObjectMetadata`. The factory's
    /// namespace does not apply, as in [`dynamic`](Self::dynamic).
    ///
    /// ```
    /// use kube::ResourceExt;
    /// use kube::core::ApiResource;
    /// use kube_informer::SharedInformerFactory;
    ///
    /// /// Follows the labels of all objects of a resource.
    /// fn follow(factory: &SharedInformerFactory, resource: &ApiResource) {
    ///     let objects = factory.dynamic_metadata(resource);
    ///     let _ = objects.on_event(|event| println!("{:?}", event.object().labels()));
    /// }
    /// ```
    pub fn dynamic_metadata(
        &self,
        resource: &ApiResource,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        let spec = InformerSpec::<PartialObjectMeta<DynamicObject>>::new();
        self.get(dynamic_request(self, resource, spec, ApiSource::with_type))
    }

    /// Returns the informer that a spec describes, of only the metadata of a resource that is known
    /// only at run time.
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with).
    pub fn dynamic_metadata_with(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<PartialObjectMeta<DynamicObject>>,
    ) -> Result<SharedInformer<PartialObjectMeta<DynamicObject>>, SpecError> {
        let request = dynamic_request(self, resource, spec, ApiSource::with_type);
        Ok(self.find_checked(request, Hold::Factory)?.informer.cast())
    }
}

pub(super) fn dynamic_request<K: Resource<DynamicType = ApiResource> + 'static>(
    factory: &SharedInformerFactory,
    resource: &ApiResource,
    spec: InformerSpec<K>,
    source: fn(Client, ApiResource) -> ApiSource<K>,
) -> Request {
    let path = K::url_path(resource, None);
    let (client, resource) = (factory.shared.client.clone(), resource.clone());
    let of = resource.clone();
    let source = Box::new(move || source(client, of).erase());
    let object = TypeId::of::<K>();
    Request { object, path, resource, moves: true, spec: spec.erase(), source }
}
