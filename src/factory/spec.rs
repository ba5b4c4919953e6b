//! The options of one informer, and the errors of a factory that refuses them.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use super::registry::ShardChannel;
use super::settings::{Differences, Settings, setters};
use crate::informer::ViewError;
use crate::labels::{InvalidSelector, LabelSelector, field_problem};
use crate::lister_watcher::Collection;
use crate::object::{AnyObject, InvalidName, NameRule, ShardSelector};
use crate::reflector::Transform;
use crate::storage::Storage;

/// The objects that an informer holds, and how it holds them.
///
/// Type, namespace, selectors and shard identify an informer: all callers that request the same one
/// share it. The first caller sets its other options. A later spec that sets one of them
/// differently is [refused](super::SpecError::Conflict). An option that a spec leaves unset never
/// conflicts. Two closures cannot be compared: a transform equals only itself, in a clone of its
/// spec.
#[must_use]
pub struct InformerSpec<K: ?Sized = dyn AnyObject> {
    pub(super) settings: Settings,
    pub(super) namespace: Option<Arc<str>>,
    pub(super) labels: Option<String>,
    pub(super) fields: Option<String>,
    pub(super) shard: Option<ShardChannel>,
    pub(super) transform: Option<Transform>,
    pub(super) trust_versions: Option<bool>,
    pub(super) when_served: Option<bool>,
    pub(super) storage: Option<Storage<K>>,
    pub(super) warm: Option<bool>,
}

impl<K: ?Sized> InformerSpec<K> {
    /// Creates a spec with the factory's defaults.
    pub fn new() -> Self {
        Self {
            settings: Settings::default(),
            namespace: None,
            labels: None,
            fields: None,
            shard: None,
            transform: None,
            trust_versions: None,
            when_served: None,
            storage: None,
            warm: None,
        }
    }

    /// Returns the name of an informer that has none of its own and selects objects: the factory's
    /// name and the selectors. Metrics of informers that differ only by selector thus differ.
    pub(super) fn selecting_name(&self, factory: Option<&str>) -> Option<Arc<str>> {
        let labels = self.labels.as_ref().map(|labels| format!("labels {labels}"));
        let fields = self.fields.as_ref().map(|fields| format!("fields {fields}"));
        let selectors: Vec<_> = labels.into_iter().chain(fields).collect();
        if selectors.is_empty() {
            return None;
        }
        let factory = factory.filter(|name| !name.is_empty()).map(str::to_owned);
        Some(factory.into_iter().chain(selectors).collect::<Vec<_>>().join(" ").into())
    }

    /// Limits the informer to one namespace, which must be an RFC 1123 label. A typed informer of a
    /// cluster-scoped kind is refused with [`SpecError::NoEffect`](super::SpecError::NoEffect).
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Limits the informer to the objects that a label selector selects. The factory
    /// [refuses](super::SpecError::Labels) an invalid one, and the server evaluates it.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Limits the informer to the objects that a field selector selects. The factory
    /// [refuses](super::SpecError::Fields) one with an invalid syntax. The server evaluates it, and
    /// knows which fields a kind selects by.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Limits the informer to the shard that a channel holds, which may change at any time. See
    /// [`ReflectorOptions::shard`](crate::reflector::ReflectorOptions::shard) for the changes.
    ///
    /// An object that leaves the shard is reported as
    /// [`Event::MovedAway`](crate::Event::MovedAway). An object that comes is reported as added,
    /// and initial. While the shard is empty, the informer counts as synced and makes no request. A
    /// factory does not share informers that follow different channels.
    ///
    /// If the selector's key changes, all objects leave, and those of the new shard come. If the
    /// sender is dropped, the shard never changes again.
    ///
    /// The channel may come from one that divides the objects among replicas. A shard that never
    /// changes:
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::InformerSpec;
    /// use kube_informer::object::{ShardKey, ShardSelector};
    /// use tokio::sync::watch;
    ///
    /// let half = ShardSelector::new(ShardKey::Uid, [0..=u64::MAX / 2]);
    /// let spec = InformerSpec::<Pod>::new().shard(watch::channel(half).1);
    /// ```
    pub fn shard(mut self, shard: watch::Receiver<ShardSelector>) -> Self {
        self.shard = Some(ShardChannel(shard));
        self
    }

    /// Sets a function that changes each object once, before it is stored, for example to drop
    /// unused fields. Name, namespace, uid, `resourceVersion` and `deletionTimestamp` stay as the
    /// server sent them. In a shard by controlling owner, the controlling owner reference stays,
    /// too. If the function panics, the object counts as undecodable.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::InformerSpec;
    ///
    /// let spec = InformerSpec::<Pod>::new().transform(|pod| pod.metadata.annotations = None);
    /// ```
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self
    where
        K: Sized + 'static,
    {
        self.transform = Some(crate::reflector::transform(transform));
        self
    }

    /// Sets whether a relist treats an object with equal uid and resourceVersion as unchanged,
    /// without decoding it. Unless set, this is on for built-in types and off for others:
    /// conversion can change a custom resource without a new version. See
    /// [`ApiSource::trust_versions`](crate::transport::ApiSource::trust_versions).
    pub fn trust_versions(mut self, trust: bool) -> Self {
        self.trust_versions = Some(trust);
        self
    }

    /// Follows the objects while their kind is served, and waits for it otherwise.
    ///
    /// The informer starts when the kind's definition is established. A kind without a definition
    /// is looked up in the server's discovery, every 5 minutes until it is there. When the
    /// definition is removed, the objects are reported as deleted, the watch stops, and the
    /// informer waits for the kind to come back. An informer of a
    /// [dynamic](super::SharedInformerFactory::dynamic_with) resource moves to another version when
    /// its own is not served. One of a type waits for its version, and keeps the objects meanwhile,
    /// because they exist.
    ///
    /// Waiting is no failure. The status and `/readyz?verbose` name the informer and the reason,
    /// and [`wait_for_sync`](super::SharedInformerFactory::wait_for_sync) of the factory leaves it
    /// out. Consumers that follow it may begin before the kind comes.
    ///
    /// All such informers share one informer of definitions,
    /// which must be allowed to list and watch `customresourcedefinitions`. It keeps only names,
    /// versions and conditions.
    ///
    /// ```
    /// use kube::core::{ApiResource, GroupVersionKind};
    /// use kube_informer::factory::SpecError;
    /// use kube_informer::{InformerSpec, SharedInformerFactory};
    ///
    /// fn follow(factory: &SharedInformerFactory) -> Result<(), SpecError> {
    ///     let route = GroupVersionKind::gvk("gateway.networking.k8s.io", "v1", "HTTPRoute");
    ///     let routes = ApiResource::from_gvk(&route);
    ///     let routes = factory.dynamic_with(&routes, InformerSpec::new().when_served())?;
    ///     let _ = routes.on_event(|event| println!("{event:?}"));
    ///     Ok(())
    /// }
    /// ```
    pub fn when_served(mut self) -> Self {
        self.when_served = Some(true);
        self
    }

    /// Sets whether the objects are kept for the next start, if the factory has a store for them:
    /// see [`SharedInformerFactoryBuilder::warm`](super::SharedInformerFactoryBuilder::warm). On
    /// unless set.
    pub fn warm(mut self, keep: bool) -> Self {
        self.warm = Some(keep);
        self
    }

    /// Sets the form in which objects are kept in memory. Packed unless set: see
    /// [read what you need](crate::docs::read_what_you_need).
    pub fn storage(mut self, storage: Storage<K>) -> Self {
        self.storage = Some(storage);
        self
    }
}

setters!(impl<K: ?Sized> InformerSpec<K>);

impl<K: ?Sized> InformerSpec<K> {
    /// Refuses what a server would refuse in every request.
    pub(super) fn check(&self) -> Result<(), SpecError> {
        if let Some(namespace) = &self.namespace {
            NameRule::Label.check("namespace", namespace)?;
        }
        if let Some(managed_fields) = &self.settings.managed_fields {
            managed_fields.check()?;
        }
        if let Some(labels) = &self.labels {
            labels.parse::<LabelSelector>()?;
        }
        let problem = |fields: &String| Some((fields.clone(), field_problem(fields)?));
        match self.fields.as_ref().and_then(problem) {
            Some((selector, problem)) => Err(SpecError::Fields { selector, problem }),
            None => Ok(()),
        }
    }

    /// Returns the same spec for objects of any type.
    pub(super) fn erase(self) -> InformerSpec {
        InformerSpec {
            settings: self.settings,
            namespace: self.namespace,
            labels: self.labels,
            fields: self.fields,
            shard: self.shard,
            transform: self.transform,
            trust_versions: self.trust_versions,
            when_served: self.when_served,
            storage: self.storage.map(Storage::erase),
            warm: self.warm,
        }
    }

    /// Returns the options that this spec sets differently from `made`, the spec of an existing
    /// informer.
    pub(super) fn differences(&self, made: &Self) -> Vec<String> {
        let mut found = Differences::default();
        made.settings.differences(&self.settings, &mut found);
        let Self { trust_versions, when_served, storage, transform, warm, .. } = self;
        found.compare("trust_versions", made.trust_versions.as_ref(), trust_versions.as_ref());
        found.compare("when_served", made.when_served.as_ref(), when_served.as_ref());
        found.compare("warm", made.warm.as_ref(), warm.as_ref());
        found.compare("storage", made.storage.as_ref(), storage.as_ref());
        found.compare_closures("transform", made.transform.as_ref(), transform.as_ref());
        found.0
    }
}

impl<K: ?Sized> Clone for InformerSpec<K> {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            namespace: self.namespace.clone(),
            labels: self.labels.clone(),
            fields: self.fields.clone(),
            shard: self.shard.clone(),
            transform: self.transform.clone(),
            trust_versions: self.trust_versions,
            when_served: self.when_served,
            storage: self.storage.clone(),
            warm: self.warm,
        }
    }
}

impl<K: ?Sized> Default for InformerSpec<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ?Sized> fmt::Debug for InformerSpec<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerSpec")
            .field("name", &self.settings.name)
            .field("namespace", &self.namespace)
            .field("labels", &self.labels)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

/// An error of a factory that refuses an [`InformerSpec`](super::InformerSpec).
///
/// The options on which two parts of a program disagree:
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::factory::SpecError;
/// use kube_informer::{InformerSpec, SharedInformerFactory, testing::ApiServer};
///
/// fn describe(error: &SpecError) -> String {
///     let SpecError::Conflict { collection, differences, .. } = error else {
///         return error.to_string();
///     };
///     format!("{collection}: set only once: {}", differences.join(", "))
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let factory = SharedInformerFactory::builder(ApiServer::new().client()).build();
/// let pods = factory.informer_with(InformerSpec::<Pod>::new().managed_fields(true))?;
/// let refused = factory.informer_with(InformerSpec::<Pod>::new().managed_fields(false));
/// let wanted = "pods: set only once: managed_fields is true, requested: false";
/// assert_eq!(describe(&refused.unwrap_err()), wanted);
/// # drop(pods);
/// # Ok::<(), SpecError>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The factory already has this informer, with other options.
    ///
    /// Type, namespace, selectors and shard identify an informer. All callers that request the same
    /// one share it, so its other options cannot differ. An option that a spec leaves unset never
    /// conflicts.
    #[error(
        "an informer of {collection} exists with other options: {}; request it with clones of one \
         spec, or from another factory",
        .differences.join(", ")
    )]
    #[non_exhaustive]
    Conflict {
        /// The collection that the informer holds.
        collection: Collection,
        /// The options that differ, such as `page_size is 10, requested: 20`. There is at least
        /// one.
        differences: Vec<String>,
    },
    /// No namespace, resource or field manager can have this name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The label selector is invalid.
    #[error(transparent)]
    Labels(#[from] InvalidSelector),
    /// The syntax of the field selector is invalid.
    #[error("invalid field selector {selector:?}: {problem}")]
    #[non_exhaustive]
    Fields {
        /// The selector.
        selector: String,
        /// The problem, by the rules of Kubernetes' `ParseSelector`.
        problem: &'static str,
    },
    /// An option of the spec would have no effect.
    #[error("the option {option} of {resource} has no effect: {reason}")]
    #[non_exhaustive]
    NoEffect {
        /// The requested resource, as `kubectl` writes it.
        resource: Arc<str>,
        /// The option's name.
        option: &'static str,
        /// The reason, and what to do.
        reason: &'static str,
    },
    /// The objects can't be read through the view of a set.
    #[error(transparent)]
    View(#[from] ViewError),
}
