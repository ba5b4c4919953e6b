//! The handle that adds and removes what a controller follows.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use tokio::time::Instant;

use super::error::CannotOwn;
use super::followed::Followed;
use super::membership::Membership;
use super::owner::Owner;
use super::sources::{SHARDED, Sources};
use super::triggers::{Keys, Predicate, Rule};
use super::{ControllerError, ControllerParts};
use kube_informer::informer::{InformerGroup, InformerStopped, StartError, SyncError};
use kube_informer::object::{EventRef, ObjectKey};
use kube_informer::seams::InformerSet;
use kube_informer::seams::Together;

/// A handle that adds and removes what a controller follows, before and while it runs. Clones are
/// cheap.
///
/// The methods are those of [`ControllerBuilder`](super::ControllerBuilder). Each returns a guard:
/// when it is dropped, the controller no longer follows these objects.
///
/// **Added** informers are started, and the keys of their objects are queued as at the start. While
/// one has not synced, or is not as new as this replica's term of leadership:
///
/// - The status names it as [missing](super::ControllerStatus::missing). A warning is logged after
///   the [sync timeout](super::ControllerBuilder::sync_timeout).
/// - Keys of its [own objects](Self::reconciles) wait, if no other informer knows of their object.
/// - No other reconcile waits. It must not take the absence of dependents for their deletion: wait
///   with [`wait_for_sync`](FollowGuard::wait_for_sync).
///
/// The next takeover awaits it until a request fails or the sync timeout ends. An informer that
/// fails or is stopped does not end the controller.
///
/// **Removed** objects queue nothing more, and keys that they have queued stay: their reconciles
/// find the controller's own objects. For its [own objects](Self::reconciles), the keys leave the
/// queue. A reconcile that begins later gets
/// [`Presence::Unknown`](super::Presence::Unknown), and never takes them for gone.
///
/// A [sharded](super::ControllerBuilder::sharded) controller follows only what it was built with.
///
/// ```no_run
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use kube_controllers::controller::{BoxError, FollowGuard, Following};
/// use kube_informer::{InformerSpec, SharedInformerFactory};
///
/// /// Also follows the secrets of a tenant, until the guard is dropped.
/// async fn join(
///     following: &Following<ConfigMap>,
///     factory: &SharedInformerFactory,
///     tenant: &str,
/// ) -> Result<FollowGuard, BoxError> {
///     let secrets = factory.informer_with(InformerSpec::<Secret>::new().namespace(tenant))?;
///     let guard = following.owns(&secrets)?;
///     guard.wait_for_sync(Duration::from_secs(30)).await?;
///     Ok(guard)
/// }
/// ```
pub struct Following<K> {
    name: Arc<str>,
    own: InformerGroup<K>,
    predicates: Arc<[Predicate]>,
    sources: Arc<Sources>,
    sharded: bool,
}

/// A guard of objects that a controller follows. Dropping it removes them.
///
/// The drop waits for nothing. A call of a mapping or a predicate that runs then goes on, and no
/// other begins.
#[must_use = "the controller follows the objects only while the guard lives"]
pub struct FollowGuard {
    sources: Arc<Sources>,
    number: u64,
    informers: Arc<dyn InformerSet>,
}

impl<K> Following<K> {
    pub(super) fn new(parts: &ControllerParts) -> Self {
        Self {
            name: parts.name.clone(),
            own: parts.objects.cast(),
            predicates: parts.predicates.clone(),
            sources: parts.sources.clone(),
            sharded: parts.slots.is_some(),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> Following<K> {
    /// Also reconciles the objects of these informers, such as those of one more namespace, or of
    /// another selector in the same one. If several informers have an object, a reconcile gets the
    /// newest state.
    ///
    /// # Errors
    /// [`ControllerError`]: the controller has ended or is sharded, or an informer did not start.
    pub fn reconciles(
        &self,
        followed: impl Into<Followed<K>>,
    ) -> Result<FollowGuard, ControllerError> {
        let mut followed = followed.into();
        followed.predicates.extend(self.predicates.iter().cloned());
        self.add(followed, Keys::Own)
    }

    /// Also follows objects that a `K` controls. See
    /// [`ControllerBuilder::owns`](super::ControllerBuilder::owns).
    ///
    /// # Errors
    /// [`ControllerError`]: the controller has ended or is sharded, an informer did not start, or a
    /// `K` cannot own such objects.
    pub fn owns<O>(&self, followed: impl Into<Followed<O>>) -> Result<FollowGuard, ControllerError>
    where
        O: Resource + Send + Sync + 'static,
    {
        self.add_owned(followed.into(), true)
    }

    /// Also follows objects that a `K` owns together with others. See
    /// [`ControllerBuilder::co_owns`](super::ControllerBuilder::co_owns).
    ///
    /// # Errors
    /// The errors of [`owns`](Self::owns).
    pub fn co_owns<O>(
        &self,
        followed: impl Into<Followed<O>>,
    ) -> Result<FollowGuard, ControllerError>
    where
        O: Resource + Send + Sync + 'static,
    {
        self.add_owned(followed.into(), false)
    }

    fn add_owned<O>(
        &self,
        followed: Followed<O>,
        controllers_only: bool,
    ) -> Result<FollowGuard, ControllerError>
    where
        O: Resource + Send + Sync + 'static,
    {
        if let Some(CannotOwn { owner, dependent }) =
            CannotOwn::of::<K, O>(&self.own, &followed.informers)
        {
            let controller = self.name.clone();
            return Err(ControllerError::CannotOwn { controller, owner, dependent });
        }
        self.add(followed, Keys::Owner(Owner::new::<K>(controllers_only)))
    }

    /// Also follows objects that concern some `K`. See
    /// [`ControllerBuilder::watches`](super::ControllerBuilder::watches).
    ///
    /// # Errors
    /// The errors of [`reconciles`](Self::reconciles).
    pub fn watches<O, I>(
        &self,
        followed: impl Into<Followed<O>>,
        keys: impl Fn(&O) -> I + Send + Sync + 'static,
    ) -> Result<FollowGuard, ControllerError>
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        self.add(followed.into(), Keys::of_state(keys))
    }

    /// Also follows objects that concern some `K`, with a function that sees the whole event. See
    /// [`ControllerBuilder::watches_events`](super::ControllerBuilder::watches_events).
    ///
    /// # Errors
    /// The errors of [`reconciles`](Self::reconciles).
    pub fn watches_events<O, I>(
        &self,
        followed: impl Into<Followed<O>>,
        keys: impl Fn(&EventRef<'_, O>) -> I + Send + Sync + 'static,
    ) -> Result<FollowGuard, ControllerError>
    where
        O: Resource + Send + Sync + 'static,
        I: IntoIterator<Item = ObjectKey>,
    {
        self.add(followed.into(), Keys::of_event(keys))
    }

    fn add<O>(&self, followed: Followed<O>, keys: Keys) -> Result<FollowGuard, ControllerError> {
        let controller = self.name.clone();
        if self.sharded {
            return Err(ControllerError::WrongSharding { controller, problem: SHARDED });
        }
        if let Some(stopped) = followed.informers.informers().iter().find(|one| one.is_stopped()) {
            let collection = stopped.collection().to_string();
            let source = InformerStopped;
            return Err(ControllerError::Stopped { controller, collection, source });
        }
        let informers = followed.source();
        let added = self.sources.add(&informers, Rule::new(followed.predicates, keys));
        let number = match added {
            Ok(number) => number,
            Err(StartError::Stopped) => return Err(ControllerError::Ended { controller }),
            Err(source) => return Err(ControllerError::NotStarted { controller, source }),
        };
        Ok(FollowGuard { sources: self.sources.clone(), number, informers })
    }
}

impl FollowGuard {
    /// Waits until the informers that are present have synced, and are as new as this replica's
    /// term of leadership, for at most `limit`. Cancel safe. The end of the controller changes
    /// nothing.
    ///
    /// # Errors
    /// [`SyncError`] names the others.
    pub async fn wait_for_sync(&self, limit: Duration) -> Result<(), SyncError> {
        let (start, since) = (Instant::now(), self.sources.since());
        let members: Vec<_> = self.informers.informers().iter().map(Membership::of).collect();
        let fresh = members.iter().map(|member: &Membership| member.fresh(since, limit).boxed());
        SyncError::join(Together::all(fresh).await, start)
    }
}

impl Drop for FollowGuard {
    fn drop(&mut self) {
        self.sources.remove(self.number);
    }
}

impl<K> Clone for Following<K> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            own: self.own.clone(),
            predicates: self.predicates.clone(),
            sources: self.sources.clone(),
            sharded: self.sharded,
        }
    }
}

impl<K> fmt::Debug for Following<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("controller", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for FollowGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowGuard").field("number", &self.number).finish_non_exhaustive()
    }
}
