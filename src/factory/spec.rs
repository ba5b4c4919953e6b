//! The specification of an informer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::error::OptionDifference;
use crate::reflector::Transform;
use crate::storage::Storage;

/// The objects that an informer holds, and how it holds them.
///
/// Type, namespace and selectors identify an informer: all callers that request the same one share
/// it. The first caller sets its other options. A later spec that sets one of them differently is
/// [refused](super::SpecError::Conflict). An option that a spec leaves unset never conflicts. Two
/// closures cannot be compared: a transform equals only itself, in a clone of its spec.
#[must_use]
pub struct InformerSpec<K> {
    pub(super) name: Option<Arc<str>>,
    pub(super) namespace: Option<Arc<str>>,
    pub(super) labels: Option<String>,
    pub(super) fields: Option<String>,
    pub(super) resync: Option<Duration>,
    pub(super) transform: Option<Transform<K>>,
    pub(super) streaming_list: Option<bool>,
    pub(super) page_size: Option<u32>,
    pub(super) trust_versions: Option<bool>,
    pub(super) storage: Option<Storage<K>>,
    pub(super) managed_fields: Option<bool>,
}

impl<K> InformerSpec<K> {
    /// Creates a spec with the factory's defaults.
    pub fn new() -> Self {
        Self {
            name: None,
            namespace: None,
            labels: None,
            fields: None,
            resync: None,
            transform: None,
            streaming_list: None,
            page_size: None,
            trust_versions: None,
            storage: None,
            managed_fields: None,
        }
    }

    /// Sets the name of this informer in metrics, spans and the status. The factory's name unless
    /// set. It distinguishes informers that differ only in their selectors.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Limits the informer to one namespace. A typed informer of a cluster-scoped kind is refused
    /// with [`SpecError::NoEffect`](super::SpecError::NoEffect).
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Limits the informer to the objects that a label selector selects. The server evaluates and
    /// validates the selector.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Limits the informer to the objects that a field selector selects. The server evaluates and
    /// validates the selector.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Sets the period after which handlers receive every stored object again, as an update. The
    /// factory's period unless set; zero means never.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// Sets a function that changes each object once, before it is stored, for example to drop
    /// unused fields. It must not change name, namespace, uid or resourceVersion. If it panics, the
    /// object counts as undecodable.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::InformerSpec;
    ///
    /// let spec = InformerSpec::<Pod>::new().transform(|pod| pod.metadata.managed_fields = None);
    /// ```
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Sets whether to fetch the first state as a stream (KEP-3157) instead of a list. The
    /// factory's setting unless set.
    pub fn streaming_list(mut self, streaming: bool) -> Self {
        self.streaming_list = Some(streaming);
        self
    }

    /// Sets the number of objects in a page of a list. The factory's setting unless set.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects);
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

    /// Sets the form in which objects are kept in memory. Decoded unless set: see
    /// [`storage`](crate::storage).
    pub fn storage(mut self, storage: Storage<K>) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Sets whether objects keep their `metadata.managedFields`. The factory's setting unless set.
    /// Without them an object takes a fraction of the memory: see
    /// [`ApiSource::without_managed_fields`](crate::transport::ApiSource::without_managed_fields).
    pub fn managed_fields(mut self, keep: bool) -> Self {
        self.managed_fields = Some(keep);
        self
    }
}

impl<K> InformerSpec<K> {
    /// Returns the options that this spec sets differently from `made`, the spec of an existing
    /// informer.
    pub(super) fn differences(&self, made: &Self) -> Vec<OptionDifference> {
        let mut found = Vec::new();
        let mut compare = |option, present: String, asked: Option<String>| {
            if let Some(asked) = asked.filter(|asked| *asked != present) {
                found.push(OptionDifference { option, present, requested: asked });
            }
        };
        let flag = |set: Option<bool>| set.map(|set| set.to_string());
        let period = |set: Option<Duration>| set.map(|set| format!("{set:?}"));
        let text = |set: &Option<Arc<str>>| set.as_ref().map(|set| format!("{set:?}"));
        let pages = |set: Option<u32>| set.map(|set| set.to_string());
        let stored = |set: &Option<Storage<K>>| set.as_ref().map(|set| format!("{set:?}"));
        let unset = || "unset".to_owned();
        compare("name", text(&made.name).unwrap_or_else(unset), text(&self.name));
        compare("resync", period(made.resync).unwrap_or_else(unset), period(self.resync));
        let streaming = flag(made.streaming_list).unwrap_or_else(unset);
        compare("streaming_list", streaming, flag(self.streaming_list));
        compare("page_size", pages(made.page_size).unwrap_or_else(unset), pages(self.page_size));
        let trust = flag(made.trust_versions).unwrap_or_else(unset);
        compare("trust_versions", trust, flag(self.trust_versions));
        compare("storage", stored(&made.storage).unwrap_or_else(unset), stored(&self.storage));
        let fields = flag(made.managed_fields).unwrap_or_else(unset);
        compare("managed_fields", fields, flag(self.managed_fields));
        if let Some(asked) = &self.transform {
            let (present, asked) = match &made.transform {
                None => ("none", "a transform"),
                Some(present) if same(present, asked) => return found,
                Some(_) => ("a transform", "another transform"),
            };
            let (present, asked) = (present.to_owned(), asked.to_owned());
            found.push(OptionDifference { option: "transform", present, requested: asked });
        }
        found
    }
}

/// Returns whether both are the same closure.
fn same<K>(a: &Transform<K>, b: &Transform<K>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}

impl<K> Clone for InformerSpec<K> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            labels: self.labels.clone(),
            fields: self.fields.clone(),
            resync: self.resync,
            transform: self.transform.clone(),
            streaming_list: self.streaming_list,
            page_size: self.page_size,
            trust_versions: self.trust_versions,
            storage: self.storage.clone(),
            managed_fields: self.managed_fields,
        }
    }
}

impl<K> Default for InformerSpec<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for InformerSpec<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerSpec")
            .field("name", &self.name)
            .field("namespace", &self.namespace)
            .field("labels", &self.labels)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}
