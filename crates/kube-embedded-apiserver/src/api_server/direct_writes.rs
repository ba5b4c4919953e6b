//! Direct writes without a request, by a test or a stand-in for a controller.

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::DirectWriteError;
use crate::api_server::ApiServer;
use crate::api_server::controllers;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::Store;
use crate::api_server::verbs::options::DeleteOptions;
use crate::api_server::verbs::{self, Deleted, Part, WriteTarget};

impl ApiServer {
    /// Creates an object directly, with its status. Returns it as stored.
    ///
    /// Direct writes have no field manager: `metadata.managedFields` are those that `object` has. A
    /// test of field ownership writes through a client of the server.
    ///
    /// # Errors
    /// Returns the `Status` that a client would get, or that the type is not served.
    pub fn create<K>(&self, object: &K) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, target, value| {
            verbs::create(store, WriteTarget { name: None, ..target }, value)
        })
    }

    /// Replaces an object directly, with its status. A stale `resourceVersion` is a conflict.
    /// Returns the object as stored.
    ///
    /// # Errors
    /// Returns the `Status` that a client would get, or that the type is not served.
    pub fn replace<K>(&self, object: &K) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, target, value| Ok(verbs::replace(store, target, value)?.1))
    }

    /// Deletes an object directly, without a grace period. Finalizers delay the deletion. Returns
    /// its last state.
    ///
    /// # Errors
    /// Returns the `Status` that a client would get, or that the type is not served.
    pub fn delete<K>(&self, object: &K) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, target, _| {
            let deleted = verbs::delete(store, target, &DeleteOptions::default())?;
            let (Deleted::Gone(object) | Deleted::Waits(object)) = deleted;
            Ok(object)
        })
    }

    fn write<K>(
        &self,
        object: &K,
        write: impl FnOnce(&mut Store, WriteTarget<'_>, Value) -> Result<Value, Failure>,
    ) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let value = serde_json::to_value(object).map_err(DirectWriteError::Encoding)?;
        let (namespace, name) = (object.meta().namespace.as_deref(), object.meta().name.as_deref());
        self.write_as(|store, resource| {
            let target = WriteTarget::direct(resource, namespace, name, Part::Both);
            write(store, WriteTarget { manager: "embedded", ..target }, value)
        })
    }

    /// Writes an object of a served type, and runs the controllers. Returns the object.
    pub(super) fn write_as<K>(
        &self,
        write: impl FnOnce(&mut Store, &ResourceType) -> Result<Value, Failure>,
    ) -> Result<K, DirectWriteError>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let mut store = self.inner.server.store.lock();
        let served = store.served(&K::group(&()), &K::version(&()), &K::plural(&()));
        let resource = served.cloned().ok_or_else(|| DirectWriteError::NotServed {
            api_version: K::api_version(&()).into(),
            kind: K::kind(&()).into(),
        })?;
        store.webhooks.check_direct(&resource)?;
        let written = write(&mut store, &resource);
        controllers::settle(&mut store);
        drop(store);
        serde_json::from_value(written?).map_err(DirectWriteError::Decoding)
    }
}
