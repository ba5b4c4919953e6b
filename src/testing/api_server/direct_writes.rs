//! Direct writes without a request, by a test or a stand-in for a controller.

use std::error::Error;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::testing::api_server::ApiServer;
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::store::Store;
use crate::testing::api_server::verbs::options::DeleteOptions;
use crate::testing::api_server::verbs::{self, Deleted, Part, Place};

impl ApiServer {
    /// Creates an object directly, with its status. Returns it as stored.
    ///
    /// # Errors
    /// Returns the message of the `Status` that a client would get.
    pub fn create<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, place, value| {
            verbs::create(store, Place { name: None, ..place }, value)
        })
    }

    /// Replaces an object directly, with its status. A stale `resourceVersion` is a conflict.
    /// Returns the object as stored.
    ///
    /// # Errors
    /// Returns the message of the `Status` that a client would get.
    pub fn replace<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, verbs::replace)
    }

    /// Deletes an object directly, without a grace period. Finalizers delay the deletion. Returns
    /// its last state.
    ///
    /// # Errors
    /// Returns the message of the `Status` that a client would get.
    pub fn delete<K>(&self, object: &K) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        self.write(object, |store, place, _| {
            let deleted = verbs::delete(store, place, &DeleteOptions::default())?;
            let (Deleted::Gone(object) | Deleted::Waits(object)) = deleted;
            Ok(object)
        })
    }

    fn write<K>(
        &self,
        object: &K,
        write: impl FnOnce(&mut Store, Place<'_>, Value) -> Result<Value, Failure>,
    ) -> Result<K, String>
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let told = |error: &dyn Error| error.to_string();
        let value = serde_json::to_value(object).map_err(|error| told(&error))?;
        let mut store = self.inner.server.store.lock();
        let served = store.served(&K::group(&()), &K::version(&()), &K::plural(&()));
        let resource =
            served.cloned().ok_or_else(|| "this type is not served: register it".to_owned())?;
        let place = Place {
            resource: &resource,
            namespace: object.meta().namespace.as_deref(),
            name: object.meta().name.as_deref(),
            part: Part::Both,
            dry_run: false,
            manager: "embedded",
        };
        let written = write(&mut store, place, value).map_err(|failure| failure.message)?;
        serde_json::from_value(written).map_err(|error| told(&error))
    }
}
