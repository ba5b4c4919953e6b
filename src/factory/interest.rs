//! Informers that end with the last guard of an interest.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::Resource;
use kube::api::DynamicObject;
use kube::core::{ApiResource, PartialObjectMeta};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::dynamic::dynamic_request;
use super::registry::Request;
use super::{Found, Hold, InformerSpec, SharedInformerFactory, SpecError, TypedResource};
use crate::informer::{SharedInformer, ViewError};
use crate::object::AnyObject;
use crate::sync::Mutex;
use crate::transport::ApiSource;

/// A guard that keeps a factory's informer alive. The informer ends with its last guard.
///
/// The guard derefs to the [`SharedInformer`]. Clones share the interest, and may be dropped on any
/// thread, also in a handler. When the last one is dropped, the informer ends as with
/// [`remove`](SharedInformerFactory::remove), without a wait: the watch stops, handlers and waiting
/// events are dropped, streams end, metrics and status go. A controller that follows the informer
/// ends with an error, so keep a guard until it has ended. Other handles, listers and indexes read
/// *stopped*, and the objects are freed with the last of them.
///
/// If the informer is also requested with [`informer`](SharedInformerFactory::informer) or a
/// method like it, it lives until it is removed, whatever guards are dropped. The order of the
/// requests does not matter.
///
/// A handler that owns a guard of its own informer keeps it running for ever. Give it a lister.
#[must_use = "the informer ends when its last guard is dropped"]
pub struct Interest<K: ?Sized = dyn AnyObject> {
    informer: SharedInformer<K>,
    holders: Arc<Holders>,
    hold: Hold,
}

/// The holders of one informer of a factory.
#[derive(Debug)]
pub(super) struct Holders {
    by: Mutex<HeldBy>,
    /// True while the program holds the informer neither with the factory nor with a guard.
    of_set: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
enum HeldBy {
    /// This many guards of the program, and of sets.
    Guards { own: usize, of_sets: usize },
    /// The factory, until the informer is removed.
    Factory,
    /// None. The informer is about to stop.
    None,
}

impl Holders {
    /// Creates the holders of an informer, which learns from `of_set` whether only sets hold it.
    pub(super) fn new(hold: Hold, of_set: Arc<AtomicBool>) -> Arc<Self> {
        let by = Mutex::new(HeldBy::Guards { own: 0, of_sets: 0 });
        let holders = Self { by, of_set };
        holders.add(hold);
        Arc::new(holders)
    }

    /// Returns whether the last guard was dropped.
    pub(super) fn is_none(&self) -> bool {
        matches!(*self.by.lock(), HeldBy::None)
    }

    /// Adds a holder. Returns false if the last one has left before.
    pub(super) fn add(&self, hold: Hold) -> bool {
        let mut by = self.by.lock();
        match (&mut *by, hold) {
            (HeldBy::None, _) => return false,
            (HeldBy::Factory, _) => {}
            (HeldBy::Guards { own, .. }, Hold::Guard) => *own += 1,
            (HeldBy::Guards { of_sets, .. }, Hold::Set) => *of_sets += 1,
            (by, Hold::Factory) => *by = HeldBy::Factory,
        }
        self.tell(*by);
        true
    }

    /// Removes a guard. Returns whether it was the last holder.
    fn remove_guard(&self, hold: Hold) -> bool {
        let mut by = self.by.lock();
        if let HeldBy::Guards { own, of_sets } = &mut *by {
            *if matches!(hold, Hold::Set) { of_sets } else { own } -= 1;
        }
        if matches!(*by, HeldBy::Guards { own: 0, of_sets: 0 }) {
            *by = HeldBy::None;
        }
        self.tell(*by);
        matches!(*by, HeldBy::None)
    }

    /// Tells the informer whether the program holds it. Called with the lock.
    fn tell(&self, by: HeldBy) {
        let of_set = matches!(by, HeldBy::Guards { own: 0, .. } | HeldBy::None);
        self.of_set.store(of_set, Ordering::SeqCst);
    }
}

impl SharedInformerFactory {
    /// Returns a guard of the informer that a spec describes. The informer ends with its last
    /// guard.
    ///
    /// Informers are identified as in [`informer_with`](Self::informer_with). A caller that asks
    /// while the last guard is dropped gets a live informer: the same or a new one. Call
    /// [`start`](Self::start) after the request, as for any informer.
    ///
    /// ```
    /// # #[cfg(feature = "testing")] {
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
    /// let secrets = factory.interest(InformerSpec::<Secret>::new().namespace("shop"))?;
    /// factory.start()?;
    /// secrets.wait_for_sync(Duration::from_secs(30)).await?;
    /// println!("{} secrets", secrets.lister().len());
    /// drop(secrets);
    /// assert!(factory.status().informers.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with). They leave the informer as it is.
    pub fn interest<K>(&self, spec: InformerSpec<K>) -> Result<Interest<K>, SpecError>
    where
        K: TypedResource,
    {
        self.refuse_namespace(&spec)?;
        self.guard(self.typed_request(spec), Hold::Guard)
    }

    /// Returns a set's guard of the informer that a spec describes.
    pub(super) fn set_interest<K>(&self, spec: InformerSpec<K>) -> Result<Interest<K>, SpecError>
    where
        K: TypedResource,
    {
        self.refuse_namespace(&spec)?;
        self.guard(self.typed_request(spec), Hold::Set)
    }

    pub(super) fn guard<K: Resource + Send + Sync + 'static>(
        &self,
        request: Request,
        hold: Hold,
    ) -> Result<Interest<K>, SpecError> {
        let Found { informer, holders, .. } = self.find_checked(request, hold)?;
        Ok(Interest { informer: informer.cast(), holders, hold })
    }

    /// Returns a guard of the informer that a spec describes, of a resource that is known only at
    /// run time. See [`interest`](Self::interest) and [`dynamic_with`](Self::dynamic_with).
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with).
    pub fn dynamic_interest(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> Result<Interest<DynamicObject>, SpecError> {
        self.guard(dynamic_request(self, resource, spec, ApiSource::dynamic), Hold::Guard)
    }

    /// Returns a guard of the informer that a spec describes, of only the metadata of a resource
    /// that is known only at run time. See [`interest`](Self::interest).
    ///
    /// # Errors
    /// The errors of [`informer_with`](Self::informer_with).
    pub fn dynamic_metadata_interest(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<PartialObjectMeta<DynamicObject>>,
    ) -> Result<Interest<PartialObjectMeta<DynamicObject>>, SpecError> {
        self.guard(dynamic_request(self, resource, spec, ApiSource::with_type), Hold::Guard)
    }
}

impl<K: Resource + Serialize + Send + Sync + 'static> Interest<K> {
    /// Returns a guard of the same informer that reads its objects as another type.
    pub(super) fn viewed<V>(&self) -> Result<Interest<V>, ViewError>
    where
        V: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let Self { informer, holders, hold } = self;
        let informer = informer.view()?;
        holders.add(*hold);
        Ok(Interest { informer, holders: holders.clone(), hold: *hold })
    }
}

impl<K: ?Sized> Deref for Interest<K> {
    type Target = SharedInformer<K>;

    fn deref(&self) -> &SharedInformer<K> {
        &self.informer
    }
}

impl<K: ?Sized> Clone for Interest<K> {
    fn clone(&self) -> Self {
        let Self { informer, holders, hold } = self;
        holders.add(*hold);
        Self { informer: informer.clone(), holders: holders.clone(), hold: *hold }
    }
}

impl<K: ?Sized> Drop for Interest<K> {
    fn drop(&mut self) {
        if self.holders.remove_guard(self.hold) {
            self.informer.stop(false);
        }
    }
}

impl<K: ?Sized> fmt::Debug for Interest<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interest").field(&self.informer).finish()
    }
}
