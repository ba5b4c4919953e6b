//! The types whose objects a factory can follow without an `ApiResource`.

use kube::Resource;
use serde::de::DeserializeOwned;

/// A type that names its resource and can be decoded. Every such type implements it: those of
/// `k8s-openapi`, derived custom resources, and your own structs that inherit a resource.
///
/// ```
/// use kube_informer::SharedInformerFactory;
/// use kube_informer::factory::TypedResource;
///
/// fn count<K: TypedResource>(factory: &SharedInformerFactory) -> usize {
///     factory.informer::<K>().lister().len()
/// }
/// ```
pub trait TypedResource:
    Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static
{
}

impl<K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static> TypedResource for K {}
