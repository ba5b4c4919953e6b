//! The informer that a span or a metric is about.

use std::fmt::Display;
use std::sync::Arc;

use tracing::field::display;
use tracing::level_filters::LevelFilter;
use tracing::{Span, debug_span, info_span};

use super::MetricLabels;

/// The resourceVersion that a span begins with.
type Version<'a> = Option<&'a dyn Display>;

// The targets of the spans: a filter names the stage.
const REFLECTOR: &str = "kube_informer::reflector";
const INFORMER: &str = "kube_informer::informer";
const PROCESSOR: &str = "kube_informer::processor";

/// The name and the collection of an informer, for the spans and metrics of its stages. With the
/// default, metrics record nothing.
///
/// Each span is a root and ends with one piece of work: a trace that an exporter builds of it ends,
/// too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) name: Arc<str>,
    /// The resource, as `kubectl` writes it.
    pub(crate) resource: Arc<str>,
    pub(crate) namespace: Option<Arc<str>>,
    /// client-go's labels, without the API version.
    pub(crate) labels: MetricLabels,
}

impl Origin {
    pub(crate) fn new(name: Arc<str>, resource: Arc<str>, namespace: Option<Arc<str>>) -> Self {
        let (plural, group) = resource.split_once('.').unwrap_or((&resource, ""));
        let labels = MetricLabels::new(&[
            ("name", &name),
            ("group", group),
            ("resource", plural),
            ("namespace", namespace.as_deref().unwrap_or("")),
        ]);
        Self { name, resource, namespace, labels }
    }

    // Functions, because a span is much code for each place.

    /// Returns the span of a request for a list. `streaming` is true for one as a watch.
    pub(crate) fn list(&self, version: Version<'_>, page: bool, streaming: bool) -> Span {
        let Self { name, resource, namespace, .. } = self;
        let (name, resource, namespace) = (&**name, &**resource, namespace.as_deref());
        let version = version.map(display);
        info_span!(
            target: REFLECTOR, parent: None, "list", name, resource, namespace, version, page,
            streaming
        )
    }

    /// Returns the span of a watch, from its request to its end.
    pub(crate) fn watch(&self, version: Version<'_>) -> Span {
        let Self { name, resource, namespace, .. } = self;
        let (name, resource, namespace) = (&**name, &**resource, namespace.as_deref());
        let version = version.map(display);
        info_span!(target: REFLECTOR, parent: None, "watch", name, resource, namespace, version)
    }

    /// Returns the span of a batch of changes that is stored.
    pub(crate) fn batch(&self, version: Version<'_>, deltas: usize) -> Span {
        if is_off(LevelFilter::DEBUG) {
            return Span::none();
        }
        let Self { name, resource, namespace, .. } = self;
        let (name, resource, namespace) = (&**name, &**resource, namespace.as_deref());
        let version = version.map(display);
        debug_span!(
            target: INFORMER, parent: None, "batch", name, resource, namespace, version, deltas
        )
    }

    /// Returns the span of one call of a handler, with the key of the object.
    pub(crate) fn handle(&self, handler: &str, key: &str) -> Span {
        if is_off(LevelFilter::INFO) {
            return Span::none();
        }
        let Self { name, resource, .. } = self;
        let (name, resource) = (&**name, &**resource);
        info_span!(target: PROCESSOR, parent: None, "handle", name, resource, handler, key)
    }
}

/// Returns whether no subscriber takes spans of this level. With tracing's feature `log`, which
/// `kube` turns on, a span has a cost even then.
fn is_off(level: LevelFilter) -> bool {
    LevelFilter::current() < level
}
