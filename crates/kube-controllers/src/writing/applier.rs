//! Applies of objects, sent only if the cache shows a reason.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kube::core::ObjectMeta;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::error::ApplyError;
use super::exchange::{Exchange, serialized};
use super::owners::set_controller_reference;
use super::records::Section;
use super::target::Desired;
use super::{ApplierBuilder, ApplierStatus};
use crate::controller::tracking_client;
use kube_informer::informer::InformerGroup;
use kube_informer::object::ObjectKey;

/// An applier of objects of one kind, which sends a request only if the cache shows a need.
///
/// Server-side apply sets the fields of a configuration and makes the field manager their owner.
/// Each reconcile can call [`apply`](Self::apply) with all that it wants: an applier sends the
/// request only if
///
/// - the configuration differs from the one that it applied last,
/// - the cached object differs at the manager's fields from the server's answer to that apply,
/// - it has not applied this object since the process started, or the answer was lost,
/// - it has not applied this object since the running reconcile's term of leadership began, or
///   since its slot was won,
/// - the cache lags behind the answer, or does not hold the object.
///
/// It compares with the server's answer, not with the configuration: a server writes `1000m` as
/// `1`, adds defaults, and runs webhooks. The answer says which fields the manager owns. Fields of
/// other managers may change at will: a label, an injected container. An apply that changes nothing
/// is sent once, and then not again. It is sent twice if the server writes its values differently
/// from the configuration: the first answer may be that of a proxy which did not pass the apply on.
///
/// The texts in a Secret's `stringData` are applied as its `data`, because a server returns only
/// these. The account of a pod is applied as its `serviceAccountName` and as its `serviceAccount`,
/// because a server shows it in both, and keeps one that is left in either. Other fields may not be
/// shown, either: a server moves, drops or never returns them. A type may drop an element of a
/// list, or read a field that it never writes. A default that the type leaves out counts as never
/// written if the type refuses most other values, as an enum does. A type may also read several
/// values as one, even those of an element's key: a number of less precision, or an enum whose last
/// variant stands for all others. Of such a field, not every change shows. The applier then also
/// sends an apply whenever the object's generation or anything but its status differs from the
/// answer. For a status, and for kinds without a generation, it sends one for each new version. It
/// warns of the field, and [`ApplierStatus::hidden_fields`] names it. The applier learns of such a
/// field from the answer. If the type reads other values as the very one that was applied, a change
/// to these does not show.
///
/// An informer of a dynamic type may hold the objects in another version of their kind than the
/// applier's. Their fields may then have other names, so none of them shows: the field that is
/// named is `.apiVersion`.
///
/// The server decides the order of a list whose elements have keys, such as `initContainers`. If
/// another manager changes only the order, that is not undone. Nor does it count in a list that is
/// a set in the schema, such as `finalizers`. In any other list, the order is part of the value,
/// unless the applier's type holds it as a set, or keeps it sorted: these show no change of an
/// order. If a part of an object has such a list, the order counts, and the list is a field of
/// which not every change shows. So is a list that the type sorts only as it reads, and one that
/// the type holds as a set in some elements of a list and not in others. A `HashSet` in such a
/// place is sent again whenever its order changes: use a `BTreeSet` there.
///
/// Without managed fields in the cache, an applier does not see that another manager has taken a
/// field over and left its value unchanged. It does where the informer keeps these: see
/// [`InformerSpec::managed_fields_of`](kube_informer::InformerSpec::managed_fields_of). The same is
/// true of fields that another process adds under this manager's name. A reconcile sends its
/// applies once in each term of leadership, or tenure of its slot, and so removes such fields.
/// Outside of reconciles, call [`forget`](Self::forget) when leadership begins, or keep the managed
/// fields.
///
/// For each object the applier keeps its uid, its version, three digests and the names of the owned
/// fields, which objects share. It keeps no contents. A record is dropped after its object is gone.
/// While the cache lags, the applier keeps the records of 65,536 objects that the cache does not
/// show yet, and drops others: these objects are applied once more.
///
/// Use one applier for each kind and manager: two of them with different configurations of one
/// object would each undo the other's. The applier starts the informer if it does not run, and
/// keeps it running. Once that informer is stopped, each apply is sent, because the cache shows
/// nothing new. Clones are cheap and share the record.
///
/// The service account needs the verb `patch` for the resource, and `create` if an apply may create
/// objects. For [`apply_status`](Self::apply_status) it needs `patch` for the subresource `status`.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::ObjectMeta;
/// use kube_controllers::writing::{Applied, Applier};
/// use kube_informer::{SharedInformerFactory, testing::ApiServer};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let client = ApiServer::new().client();
/// let factory = SharedInformerFactory::builder(client.clone()).build();
/// let maps = factory.informer::<ConfigMap>();
/// factory.start()?;
/// factory.wait_for_sync(Duration::from_secs(5)).await?;
///
/// let applier = Applier::builder(client, &maps, "site-controller").force(true).build()?;
/// let metadata = ObjectMeta {
///     namespace: Some("shop".into()),
///     name: Some("settings".into()),
///     ..ObjectMeta::default()
/// };
/// let data = Some([("colour".into(), "green".into())].into());
/// let desired = ConfigMap { metadata, data, ..ConfigMap::default() };
/// let Applied::Sent(answer) = applier.apply(&desired).await? else { panic!("it is new") };
/// let version = answer.metadata.resource_version.as_deref().unwrap_or_default();
/// maps.wait_for(&version.into(), Duration::from_secs(5)).await?;
/// assert!(matches!(applier.apply(&desired).await?, Applied::Unchanged(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// # }
/// ```
pub struct Applier<K> {
    exchange: Arc<Exchange>,
    of: PhantomData<fn() -> K>,
}

/// The result of an apply.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube_controllers::writing::Applied;
///
/// fn is_ready(applied: &Applied<Deployment>) -> bool {
///     let status = applied.object().status.as_ref();
///     status.is_some_and(|status| status.ready_replicas.unwrap_or(0) > 0)
/// }
/// ```
pub enum Applied<K> {
    /// There was nothing to do. The object is the cached one.
    Unchanged(Arc<K>),
    /// The configuration was sent. The object is the server's answer.
    Sent(Arc<K>),
}

impl<K> Applied<K> {
    /// Returns the object: the cached one or the server's answer.
    pub fn object(&self) -> &Arc<K> {
        let (Self::Unchanged(object) | Self::Sent(object)) = self;
        object
    }

    /// Returns whether the configuration was sent.
    pub fn was_sent(&self) -> bool {
        matches!(self, Self::Sent(_))
    }
}

impl<K> Clone for Applied<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Unchanged(object) => Self::Unchanged(object.clone()),
            Self::Sent(object) => Self::Sent(object.clone()),
        }
    }
}

/// Writes only the variant: objects may hold secrets.
impl<K> fmt::Debug for Applied<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.was_sent() { "Sent" } else { "Unchanged" })
    }
}

impl<K> Applier<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    /// Returns a builder of an applier for the objects of an informer, or of a group of informers,
    /// under the name of this field manager.
    ///
    /// The applier wraps the client in a [`tracking_client`], so that a controller waits until it
    /// sees the applied objects.
    pub fn builder(
        client: Client,
        informers: impl Into<InformerGroup<K>>,
        manager: impl Into<String>,
    ) -> ApplierBuilder<K>
    where
        K::DynamicType: Default,
    {
        let client = tracking_client(client);
        ApplierBuilder::new(client, informers.into(), manager.into(), K::DynamicType::default())
    }

    /// Returns a builder like [`builder`](Self::builder), for a type that is known only at run
    /// time.
    pub fn builder_with(
        client: Client,
        informers: impl Into<InformerGroup<K>>,
        manager: impl Into<String>,
        dynamic_type: &K::DynamicType,
    ) -> ApplierBuilder<K>
    where
        K::DynamicType: Clone,
    {
        let client = tracking_client(client);
        ApplierBuilder::new(client, informers.into(), manager.into(), dynamic_type.clone())
    }

    pub(super) fn new(exchange: Exchange) -> Self {
        Self { exchange: Arc::new(exchange), of: PhantomData }
    }

    /// Applies all of a configuration but its status.
    ///
    /// The status is left out even if the kind has no subresource `status`, which the applier
    /// cannot see: set such a status in another way.
    ///
    /// `desired` has the fields that this manager wants to own, and no others: not an object that
    /// was read and changed. If the type demands members that the manager does not want to own, use
    /// [`apply_partial`](Self::apply_partial). Members that are null count as not set. Fields that
    /// only the server sets (managed fields, times, generation) are left out. A `resourceVersion`
    /// makes the server refuse the apply if the object has changed; such an apply is always sent.
    ///
    /// If two applies of one object overlap, both are sent. If the future is dropped, the outcome
    /// is unknown, and the next apply of the object is sent.
    ///
    /// # Errors
    /// [`ApplyError`]. Without [`force`](ApplierBuilder::force),
    /// [`Conflict`](ApplyError::Conflict) names the managers that own some of the fields.
    pub async fn apply(&self, desired: &K) -> Result<Applied<K>, ApplyError> {
        self.apply_desired(Desired::Object(desired), Section::Main).await
    }

    /// Applies the status of a configuration, and nothing else of it.
    ///
    /// The object must exist, and its kind must have the subresource `status`. The status has a
    /// record of its own, and this method compares and sends like [`apply`](Self::apply).
    ///
    /// # Errors
    /// [`ApplyError`]. The server answers 404 both for an object that does not exist and for a kind
    /// without the subresource.
    pub async fn apply_status(&self, desired: &K) -> Result<Applied<K>, ApplyError> {
        self.apply_desired(Desired::Object(desired), Section::Status).await
    }

    /// Applies some fields of an object, and nothing else of it.
    ///
    /// `value` has the members that this manager wants to own. It may be of any type, so it can
    /// leave out members that the applier's type demands: this owns one annotation of a set. Its
    /// lists need an order that stays: of a `BTreeSet`, not of a `HashSet`.
    ///
    /// ```
    /// use k8s_openapi::api::apps::v1::StatefulSet;
    /// use kube_informer::ObjectKey;
    /// use kube_controllers::writing::{Applier, ApplyError};
    /// use serde_json::json;
    ///
    /// async fn restart(
    ///     sets: &Applier<StatefulSet>,
    ///     key: &ObjectKey,
    ///     time: &str,
    /// ) -> Result<bool, ApplyError> {
    ///     let annotations = json!({ "example.com/restarted": time });
    ///     let template = json!({ "metadata": { "annotations": annotations } });
    ///     let applied = sets.apply_partial(key, json!({ "spec": { "template": template } }));
    ///     Ok(applied.await?.was_sent())
    /// }
    /// ```
    ///
    /// The applier sets `apiVersion`, `kind`, name and namespace. The value may name them, too, if
    /// they are the same. Otherwise, this method compares and sends like [`apply`](Self::apply),
    /// and has the same record: each of both removes the fields of this manager that only the other
    /// one has set. For another set of fields of the same objects, use an applier with another
    /// manager's name.
    ///
    /// If the object does not exist, the server creates it from the value, or refuses the value
    /// because members are missing. It creates nothing if the value has the `uid` of the object in
    /// its metadata.
    ///
    /// # Errors
    /// [`ApplyError`]. [`InvalidMember`](ApplyError::InvalidMember) if the value contradicts the
    /// key or the applier, has a status, or is not a map, or if a Secret's data are not texts. A
    /// field that the applier's type does not hold is an error only after it was sent:
    /// [`Projected`](ApplyError::Projected).
    pub async fn apply_partial(
        &self,
        key: &ObjectKey,
        value: impl Serialize,
    ) -> Result<Applied<K>, ApplyError> {
        let (name, namespace) = (key.name(), key.namespace());
        let desired = Desired::Part { name, namespace, value: serialized(value) };
        self.apply_desired(desired, Section::Main).await
    }

    /// Applies a status to an object that exists, and nothing else of it.
    ///
    /// `status` may be of any type: that of the object's status, or only the members that this
    /// manager wants to own. The rest is as with [`apply_status`](Self::apply_status). Of `object`,
    /// only its name and namespace count.
    ///
    /// ```
    /// use kube::CustomResource;
    /// use kube_controllers::writing::{Applier, ApplyError};
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    /// #[kube(group = "example.com", version = "v1", kind = "Site", namespaced)]
    /// #[kube(status = "SiteStatus")]
    /// struct SiteSpec {
    ///     pages: u32,
    /// }
    ///
    /// #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    /// struct SiteStatus {
    ///     published: u32,
    /// }
    ///
    /// async fn report(site: &Site, sites: &Applier<Site>) -> Result<(), ApplyError> {
    ///     sites.apply_status_of(site, SiteStatus { published: site.spec.pages }).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ApplyError`], as with [`apply_status`](Self::apply_status). A field that the applier's
    /// type does not hold is an error only after it was sent: [`Projected`](ApplyError::Projected).
    pub async fn apply_status_of(
        &self,
        object: &K,
        status: impl Serialize,
    ) -> Result<Applied<K>, ApplyError> {
        let ObjectMeta { name, namespace, .. } = object.meta();
        let status = serialized(status);
        let desired = Desired::Part {
            name: name.as_deref().unwrap_or_default(),
            namespace: namespace.as_deref(),
            value: status.map(|status| json!({ "status": status })),
        };
        self.apply_desired(desired, Section::Status).await
    }

    /// Sets the owner as the object's controller, checks it, and applies the object.
    ///
    /// See [`set_controller_reference`] for the checks.
    ///
    /// # Errors
    /// [`ApplyError`].
    pub async fn apply_owned<O>(&self, owner: &O, mut desired: K) -> Result<Applied<K>, ApplyError>
    where
        O: Resource<DynamicType: Default>,
    {
        set_controller_reference(owner, &mut desired)?;
        self.apply(&desired).await
    }

    /// Forgets what was applied. The next apply of each object is sent.
    pub fn forget(&self) {
        self.exchange.records.clear();
    }

    /// Returns the counts of this applier.
    pub fn status(&self) -> ApplierStatus {
        ApplierStatus {
            records: self.exchange.records.len(),
            sent: self.exchange.sent.load(Ordering::Relaxed),
            unchanged: self.exchange.unchanged.load(Ordering::Relaxed),
            hidden_fields: self.exchange.hidden.paths(),
        }
    }

    async fn apply_desired(
        &self,
        desired: Desired<'_>,
        section: Section,
    ) -> Result<Applied<K>, ApplyError> {
        let (object, sent) = self.exchange.apply(desired, section).await?;
        let Ok(object) = (object as Arc<dyn Any + Send + Sync>).downcast() else {
            unreachable!("the answer and the informers have the type of the applier")
        };
        Ok(if sent { Applied::Sent(object) } else { Applied::Unchanged(object) })
    }
}

impl<K> Clone for Applier<K> {
    fn clone(&self) -> Self {
        Self { exchange: self.exchange.clone(), of: PhantomData }
    }
}

impl<K> fmt::Debug for Applier<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applier")
            .field("resource", &self.exchange.resource)
            .field("manager", &self.exchange.manager)
            .field("force", &self.exchange.force)
            .finish_non_exhaustive()
    }
}
