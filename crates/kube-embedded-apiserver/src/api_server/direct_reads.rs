//! Direct reads without a request, by a test.

use kube::Resource;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::DirectWriteError;
use crate::api_server::ApiServer;

impl ApiServer {
    /// Returns all objects of a type as they are stored now, by namespace and name. No request is
    /// logged.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_embedded_apiserver::ApiServer;
    ///
    /// assert!(ApiServer::new().list::<Pod>()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns that the type is not served, or that an object is not one of `K`.
    pub fn list<K>(&self) -> Result<Vec<K>, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let store = self.inner.server.store.lock();
        let served = store.served(&K::group(&()), &K::version(&()), &K::plural(&()));
        let resource = served.ok_or_else(|| DirectWriteError::NotServed {
            api_version: K::api_version(&()).into(),
            kind: K::kind(&()).into(),
        })?;
        store.webhooks.check_direct(resource)?;
        let objects = store.of(resource).into_iter().flat_map(|of| of.objects.values());
        let values: Vec<_> = objects.map(|stored| stored.value(resource)).collect();
        drop(store);
        let decoded = values.into_iter().map(serde_json::from_value);
        decoded.collect::<Result<_, _>>().map_err(DirectWriteError::Decoding)
    }

    /// Returns all stored objects of all types, each in the version in which it is stored. No
    /// request is logged.
    pub fn objects(&self) -> Vec<Value> {
        let store = self.inner.server.store.lock();
        let objects = store.collections.iter().flat_map(|collection| {
            let resource = collection.versions.first().into_iter();
            resource.flat_map(|resource| {
                collection.objects.values().map(|stored| stored.stored_value(resource))
            })
        });
        objects.collect()
    }
}
