//! Applies of objects, sent only if the cache shows a reason.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::BodyExt;
use kube::client::Body;
use kube::core::Status;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::builder::{Scope, scope_of};
use super::configuration::{Configuration, Place, lost};
use super::digest::Digest;
use super::error::{ApplyError, FieldConflict, ObjectName};
use super::owned_fields::OwnedFields;
use super::owners::set_controller_reference;
use super::records::{InFlight, Record, Records, Section};
use super::{ApplierBuilder, ApplierStatus};
use crate::controller::tracking_client;
use crate::indexer::Snapshot;
use crate::informer::{InformerGroup, SharedInformer};
use crate::object::{Cached, ObjectKey, ResourceVersion};
use crate::panic::catch;

/// Applies objects of one kind, and sends nothing while the cache shows that nothing is to be done.
///
/// Server-side apply sets the fields of a configuration and makes the field manager their owner.
/// Each reconcile can call [`apply`](Self::apply) with all that it wants: an applier sends the
/// request only if
///
/// - the configuration differs from the one that it applied last,
/// - the cached object differs at the manager's fields from the server's answer to that apply,
/// - it has not applied this object since the process started, or the answer was lost,
/// - the cache lags behind the answer, or does not hold the object.
///
/// It compares with the server's answer, not with the configuration: a server writes `1000m` as
/// `1`, adds defaults, and runs webhooks. The answer says which fields the manager owns. Fields of
/// other managers may change at will: a label, an injected container. An apply that changes nothing
/// is sent once, and then not again.
///
/// Without managed fields in the cache, an applier does not see that another manager has taken a
/// field over and left its value unchanged. It sees it where the informer keeps them: see
/// [`InformerSpec::managed_fields_of`](crate::InformerSpec::managed_fields_of). The same is true of
/// fields that another process adds under this manager's name. Call [`forget`](Self::forget) when
/// leadership begins, or keep the managed fields.
///
/// For each object the applier keeps its uid, its version and three digests, and no contents. A
/// record is dropped after its object is gone. Use one applier for each kind and manager: two of
/// them with different configurations of one object would each undo the other's.
///
/// The applier starts the informer if it does not run, holds it and keeps it running. Clones are cheap and share the record.
///
/// The service account needs the verb `patch` for the resource, and `create` if an apply may create
/// objects. For [`apply_status`](Self::apply_status) it needs `patch` for the subresource `status`.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::ObjectMeta;
/// use kube_informer::writing::{Applied, Applier};
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
pub struct Applier<K>(Arc<Inner<K>>);

pub(super) struct Inner<K> {
    pub(super) client: Client,
    pub(super) informers: InformerGroup<K>,
    /// The resource, as `kubectl` writes it.
    pub(super) resource: Arc<str>,
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Returns the path of the collection in a namespace.
    pub(super) path: Box<dyn Fn(Option<&str>) -> String + Send + Sync>,
    pub(super) manager: String,
    pub(super) force: bool,
    pub(super) records: Arc<Records>,
    pub(super) sent: AtomicU64,
    pub(super) unchanged: AtomicU64,
}

/// The result of an apply.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube_informer::writing::Applied;
///
/// fn is_ready(applied: &Applied<Deployment>) -> bool {
///     let status = applied.object().status.as_ref();
///     status.is_some_and(|status| status.ready_replicas.unwrap_or(0) > 0)
/// }
/// ```
#[derive(Debug)]
pub enum Applied<K> {
    /// Nothing was to be done. The object is the cached one.
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

impl<K> Applier<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    /// Returns a builder of an applier for the objects of an informer, or of a group of informers,
    /// under the name of this field manager.
    ///
    /// The applier wraps the client in a [`tracking_client`], so that a controller waits until it
    /// sees what it applied.
    pub fn builder(
        client: Client,
        informers: impl Into<InformerGroup<K>>,
        manager: impl Into<String>,
    ) -> ApplierBuilder<K>
    where
        K::DynamicType: Default,
    {
        Self::builder_with(client, informers, manager, K::DynamicType::default())
    }

    /// Returns a builder like [`builder`](Self::builder), for a type that is known only at run
    /// time.
    pub fn builder_with(
        client: Client,
        informers: impl Into<InformerGroup<K>>,
        manager: impl Into<String>,
        dynamic_type: K::DynamicType,
    ) -> ApplierBuilder<K> {
        let client = tracking_client(client);
        ApplierBuilder::new(client, informers.into(), manager.into(), dynamic_type)
    }

    pub(super) fn new(inner: Inner<K>) -> Self {
        Self(Arc::new(inner))
    }

    /// Applies all of a configuration but its status.
    ///
    /// `desired` has the fields that this manager wants to own, and no others: not an object that
    /// was read and changed. Members that are null count as not set. What the server alone sets
    /// (managed fields, times, generation) is left out. A `resourceVersion` makes the server refuse
    /// the apply if the object has changed; such an apply is always sent.
    ///
    /// If two applies of one object overlap, both are sent. If the future is dropped, the outcome
    /// is unknown, and the next apply of the object is sent.
    ///
    /// # Errors
    /// [`ApplyError`]. Without [`force`](ApplierBuilder::force),
    /// [`Conflict`](ApplyError::Conflict) names the managers that own some of the fields.
    pub async fn apply(&self, desired: &K) -> Result<Applied<K>, ApplyError> {
        self.apply_section(desired, Section::Main).await
    }

    /// Applies the status of a configuration, and nothing else of it.
    ///
    /// The object must exist. The status has a record of its own, and this method compares and
    /// sends like [`apply`](Self::apply).
    ///
    /// # Errors
    /// [`ApplyError`].
    pub async fn apply_status(&self, desired: &K) -> Result<Applied<K>, ApplyError> {
        self.apply_section(desired, Section::Status).await
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
        self.0.records.clear();
    }

    /// Returns the counts of this applier.
    pub fn status(&self) -> ApplierStatus {
        ApplierStatus {
            records: self.0.records.len(),
            sent: self.0.sent.load(Ordering::Relaxed),
            unchanged: self.0.unchanged.load(Ordering::Relaxed),
        }
    }

    async fn apply_section(&self, desired: &K, section: Section) -> Result<Applied<K>, ApplyError> {
        let inner = &*self.0;
        let target = inner.target(desired, section)?;
        // A cache that is never filled would have everything sent for ever. Without a runtime there
        // is no request either, and a stopped informer is not asked.
        let _started = target.informer.ensure_started();
        let store = target.informer.snapshot();
        let record = inner.records.get(&target.key, section);
        if let Some(cached) = inner.unchanged(&target, &store, record.as_ref()) {
            inner.unchanged.fetch_add(1, Ordering::Relaxed);
            return Ok(Applied::Unchanged(cached));
        }
        let overlooked = record.filter(|record| {
            store.cached_by_key(&target.key).is_none()
                && store.has_reached(&record.version)
                && !target.informer.is_stopped()
        });
        let epoch = store.epoch();
        drop(store);
        check_type(&target, desired)?;
        let flight = inner.records.begin(&target.key, section, |key, uid| inner.exists(key, uid));
        inner.sent.fetch_add(1, Ordering::Relaxed);
        let answer = inner.send(&target).await?;
        let (object, record) = inner.read(&target, &answer, epoch)?;
        let not_held = overlooked.is_some_and(|overlooked| {
            record.as_ref().is_some_and(|record| {
                (&overlooked.uid, &overlooked.version) == (&record.uid, &record.version)
            })
        });
        if let Some(record) = record {
            InFlight::answered(flight, record);
        }
        if not_held {
            return Err(ApplyError::NotHeld { object: target.to_string() });
        }
        Ok(Applied::Sent(object))
    }
}

/// An apply that was asked for.
struct Target<'a, K> {
    informer: &'a SharedInformer<K>,
    resource: &'a str,
    key: ObjectKey,
    section: Section,
    configuration: Configuration,
}

impl<K> fmt::Display for Target<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, key, .. } = self;
        ObjectName { resource, name: key.name(), namespace: key.namespace() }.fmt(f)
    }
}

impl<K> Inner<K>
where
    K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn target(&self, desired: &K, section: Section) -> Result<Target<'_, K>, ApplyError> {
        let resource = &*self.resource;
        let meta = desired.meta();
        let name = meta.name.as_deref().unwrap_or_default();
        let only = || match self.informers.informers() {
            [only] => only.collection().namespace.as_deref(),
            _ => None,
        };
        let namespace = match scope_of::<K>() {
            Scope::Cluster => None,
            Scope::Namespaced | Scope::Unknown => meta.namespace.as_deref().or_else(only),
        };
        let named = || ObjectName { resource, name, namespace }.to_string();
        let key = ObjectKey::from_parts(namespace, name)
            .map_err(|source| ApplyError::NoKey { resource: self.resource.clone(), source })?;
        if namespace.is_none() && scope_of::<K>() == Scope::Namespaced {
            return Err(ApplyError::NoNamespace { object: named() });
        }
        let Some(informer) = self.informers.informer_of(&key) else {
            return Err(ApplyError::NotFollowed { object: named() });
        };
        let failed = |reason| ApplyError::Unserializable { object: named(), reason };
        let object = to_value(desired).map_err(failed)?;
        let place = Place { api_version: &self.api_version, kind: &self.kind, namespace, name };
        let configuration = Configuration::new(object, &place, section);
        Ok(Target { informer, resource, key, section, configuration })
    }

    /// Returns the cached object if it shows that an apply would change nothing.
    fn unchanged(
        &self,
        target: &Target<'_, K>,
        store: &Snapshot<K>,
        record: Option<&Record>,
    ) -> Option<Arc<K>> {
        let Target { informer, key, section, configuration, .. } = target;
        let (record, cached) = (record?, store.cached_by_key(key)?);
        let version = cached.version()?;
        // A cache that lags behind the answer, or that no longer follows, proves nothing.
        let comparable = record.version == version || record.version.is_older_than(&version);
        if configuration.digest != record.desired
            || configuration.names_version()
            || record.epoch != store.epoch()
            || record.uid.as_deref() != cached.uid()
            || !comparable
            || store.is_stale(key)
            || informer.is_stopped()
        {
            return None;
        }
        let object = cached.get()?;
        let is_the_answer = record.version == version;
        if is_the_answer && record.confirmed {
            return Some(object);
        }
        let values = record.owned.digest(&to_value(&*object).ok()?);
        if is_the_answer {
            // The object is what the server answered. If the cache holds it in a slightly different
            // form, for example because it came as protobuf, that form is the one to compare with.
            self.records.confirm(key, *section, record, values);
            return Some(object);
        }
        (values == record.values && self.owns_fields(informer, &object, *section, record))
            .then_some(object)
    }

    /// Returns whether the manager still owns its fields, as far as the cached object shows.
    fn owns_fields(
        &self,
        informer: &SharedInformer<K>,
        cached: &K,
        section: Section,
        record: &Record,
    ) -> bool {
        let Some(ownership) = record.ownership else { return true };
        let entries = cached.meta().managed_fields.as_deref().unwrap_or_default();
        let mut own = entries.iter().filter(|e| e.manager.as_deref() == Some(&*self.manager));
        if own.clone().next().is_none() && !informer.keeps_managed_fields(&self.manager) {
            return true;
        }
        let fields = own.find(|entry| {
            entry.operation.as_deref() == Some("Apply")
                && entry.subresource.as_deref().unwrap_or_default() == subresource(section)
        });
        let fields = fields.and_then(|entry| entry.fields_v1.as_ref()).map(|fields| &fields.0);
        ownership == Digest::of(fields.unwrap_or(&Value::Null))
    }

    /// Returns whether the cache holds an object with this uid.
    fn exists(&self, key: &ObjectKey, uid: Option<&str>) -> bool {
        let Some(informer) = self.informers.informer_of(key) else { return false };
        let store = informer.snapshot();
        store.cached_by_key(key).is_some_and(|cached| Cached::uid(cached) == uid)
    }

    /// Sends the configuration. Returns the body of a successful answer.
    async fn send(&self, target: &Target<'_, K>) -> Result<Value, ApplyError> {
        let Target { key, configuration, .. } = target;
        let failed = |source| ApplyError::Request { object: target.to_string(), source };
        let path = (self.path)(key.namespace());
        let request = configuration.request(path, key.name(), &self.manager, self.force);
        let request = request.map_err(|error| failed(kube::Error::BuildRequest(error)))?;
        // Not `Client::request`, which logs a body that it cannot parse: it may hold Secrets.
        let (parts, body) =
            self.client.send(request.map(Body::from)).await.map_err(failed)?.into_parts();
        let body = body.collect().await.map_err(failed)?.to_bytes();
        if parts.status.is_success() {
            return serde_json::from_slice(&body).map_err(|error| target.unreadable(&error));
        }
        let status = serde_json::from_slice::<Status>(&body).unwrap_or_else(|_| {
            Status::failure(parts.status.canonical_reason().unwrap_or("refused"), "")
                .with_code(parts.status.as_u16())
        });
        let conflicts = FieldConflict::of(&status);
        Err(if conflicts.is_empty() {
            failed(kube::Error::Api(status.boxed()))
        } else {
            ApplyError::Conflict { object: target.to_string(), conflicts }
        })
    }

    /// Reads an answer. The record is `None` if the answer has no version.
    fn read(
        &self,
        target: &Target<'_, K>,
        answer: &Value,
        epoch: u64,
    ) -> Result<(Arc<K>, Option<Record>), ApplyError> {
        let read = catch(|| K::deserialize(answer).map_err(|error| error.to_string()));
        let object = read.and_then(|read| read).map_err(|error| target.unreadable(&error))?;
        let seen = to_value(&object).map_err(|error| target.unreadable(&error))?;
        let own = own_fields(answer, &self.manager, subresource(target.section));
        let (owned, ownership) = match own {
            Some(fields) => {
                let name = Digest::of(fields);
                let owned = || OwnedFields::from_fields_v1(fields);
                (self.records.share(name, owned), Some(name))
            }
            None => {
                let owned = OwnedFields::of_configuration(&target.configuration.fields());
                (Arc::new(owned), None)
            }
        };
        if let Some(field) = owned.missing(answer, &seen) {
            return Err(target.projected(field));
        }
        let meta = object.meta();
        let version = meta.resource_version.as_deref().filter(|version| !version.is_empty());
        let record = version.map(|version| Record {
            uid: meta.uid.clone(),
            version: ResourceVersion::from(version),
            epoch,
            desired: target.configuration.digest,
            values: owned.digest(&seen),
            owned,
            ownership,
            confirmed: false,
        });
        Ok((Arc::new(object), record))
    }
}

impl<K> Target<'_, K> {
    fn unreadable(&self, error: &dyn fmt::Display) -> ApplyError {
        ApplyError::UnreadableAnswer { object: self.to_string(), reason: error.to_string() }
    }

    fn projected(&self, field: String) -> ApplyError {
        ApplyError::Projected { object: self.to_string(), type_name: type_name::<K>(), field }
    }
}

/// Checks that the type can hold what it applies.
fn check_type<K>(target: &Target<'_, K>, desired: &K) -> Result<(), ApplyError>
where
    K: Serialize + DeserializeOwned,
{
    let read = to_value(desired)
        .and_then(|value| catch(|| K::deserialize(value).map_err(|error| error.to_string()))?);
    let read = read.and_then(|object| to_value(&object));
    let read = read.map_err(|reason| ApplyError::Unserializable {
        object: target.to_string(),
        reason: format!("its type cannot read what it writes: {reason}"),
    })?;
    match lost(&target.configuration.fields(), &read) {
        None => Ok(()),
        Some(field) => Err(target.projected(field)),
    }
}

/// Serialises an object. The error is that of its own code.
fn to_value<K: Serialize>(object: &K) -> Result<Value, String> {
    catch(|| serde_json::to_value(object).map_err(|error| error.to_string()))?
}

fn subresource(section: Section) -> &'static str {
    match section {
        Section::Main => "",
        Section::Status => "status",
    }
}

/// Returns the fields that a manager owns through applies: null if none. Returns `None` if the
/// answer has no managed fields at all.
fn own_fields<'a>(answer: &'a Value, manager: &str, subresource: &str) -> Option<&'a Value> {
    let entries = answer["metadata"]["managedFields"].as_array()?;
    let own = entries.iter().find(|entry| {
        entry["manager"] == manager
            && entry["operation"] == "Apply"
            && entry["subresource"].as_str().unwrap_or_default() == subresource
    });
    Some(own.map_or(&Value::Null, |entry| &entry["fieldsV1"]))
}

impl<K> Clone for Applier<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> fmt::Debug for Applier<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applier")
            .field("resource", &self.0.resource)
            .field("manager", &self.0.manager)
            .field("force", &self.0.force)
            .finish_non_exhaustive()
    }
}
