//! Informers that end with the last guard of an interest.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use kube::api::DynamicObject;
use kube::core::{ApiResource, PartialObjectMeta};

use super::dynamic::dynamic_request;
use super::{
    Hold, InformerSpec, SharedInformerFactory, SpecError, TypedResource, refuse_differences,
};
use crate::informer::SharedInformer;
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
}

/// The holders of one informer of a factory.
#[derive(Debug)]
pub(super) struct Holders(Mutex<HeldBy>);

#[derive(Clone, Copy, Debug)]
enum HeldBy {
    /// This many guards.
    Guards(usize),
    /// The factory, until the informer is removed.
    Factory,
    /// None. The informer is about to stop.
    None,
}

impl Holders {
    pub(super) fn new(hold: Hold) -> Arc<Self> {
        Arc::new(Self(Mutex::new(match hold {
            Hold::Factory => HeldBy::Factory,
            Hold::Guard => HeldBy::Guards(1),
        })))
    }

    /// Returns whether the last guard was dropped.
    pub(super) fn is_none(&self) -> bool {
        matches!(*self.0.lock(), HeldBy::None)
    }

    /// Adds a holder. Returns false if the last one has left before.
    pub(super) fn add(&self, hold: Hold) -> bool {
        let mut by = self.0.lock();
        *by = match (*by, hold) {
            (HeldBy::None, _) => return false,
            (HeldBy::Guards(guards), Hold::Guard) => HeldBy::Guards(guards + 1),
            (HeldBy::Factory, _) | (_, Hold::Factory) => HeldBy::Factory,
        };
        true
    }

    /// Removes a guard. Returns whether it was the last holder.
    fn remove_guard(&self) -> bool {
        let mut held = self.0.lock();
        *held = match *held {
            HeldBy::Guards(1) => HeldBy::None,
            HeldBy::Guards(guards) => HeldBy::Guards(guards - 1),
            other => other,
        };
        matches!(*held, HeldBy::None)
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
        refuse_differences(self.find(self.typed_request(spec), Hold::Guard))
            .map(|(informer, holders)| Interest { informer, holders })
    }

    /// Returns a guard of the informer that a spec describes, of a resource that is known only at
    /// run time. See [`interest`](Self::interest) and [`dynamic_with`](Self::dynamic_with).
    ///
    /// # Errors
    /// [`SpecError::Conflict`] if the factory has this informer with other options.
    pub fn dynamic_interest(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<DynamicObject>,
    ) -> Result<Interest<DynamicObject>, SpecError> {
        let request = dynamic_request(self, resource, spec, ApiSource::dynamic);
        refuse_differences(self.find(request, Hold::Guard))
            .map(|(informer, holders)| Interest { informer, holders })
    }

    /// Returns a guard of the informer that a spec describes, of only the metadata of a resource
    /// that is known only at run time. See [`interest`](Self::interest).
    ///
    /// # Errors
    /// [`SpecError::Conflict`] if the factory has this informer with other options.
    pub fn dynamic_metadata_interest(
        &self,
        resource: &ApiResource,
        spec: InformerSpec<PartialObjectMeta<DynamicObject>>,
    ) -> Result<Interest<PartialObjectMeta<DynamicObject>>, SpecError> {
        let request = dynamic_request(self, resource, spec, ApiSource::with_type);
        refuse_differences(self.find(request, Hold::Guard))
            .map(|(informer, holders)| Interest { informer, holders })
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
        self.holders.add(Hold::Guard);
        Self { informer: self.informer.clone(), holders: self.holders.clone() }
    }
}

impl<K: ?Sized> Drop for Interest<K> {
    fn drop(&mut self) {
        if self.holders.remove_guard() {
            self.informer.stop(false);
        }
    }
}

impl<K: ?Sized> fmt::Debug for Interest<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interest").field(&self.informer).finish()
    }
}
