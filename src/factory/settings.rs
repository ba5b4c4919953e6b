//! The options that a factory sets for all its informers, and a spec for one.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::reflector::{ErrorHandler, ListMode, ReflectorOptions};
use crate::transport::{ApiSource, ManagedFields};

/// The options that both a factory and a spec have. `None` is unset.
#[derive(Clone, Default)]
pub(super) struct Settings {
    pub(super) name: Option<Arc<str>>,
    pub(super) resync: Option<Duration>,
    pub(super) list_mode: Option<ListMode>,
    pub(super) page_size: Option<u32>,
    pub(super) any_version: Option<bool>,
    pub(super) object_limit: Option<usize>,
    pub(super) memory_limit: Option<usize>,
    pub(super) managed_fields: Option<ManagedFields>,
    pub(super) gzip: Option<bool>,
    pub(super) freshness_limit: Option<Duration>,
    pub(super) on_error: Option<ErrorHandler>,
}

impl Settings {
    /// Returns the settings of a factory before its builder sets any.
    ///
    /// An option stays unset if its default depends on other things.
    pub(super) fn of_factory() -> Self {
        Self {
            name: Some("".into()),
            resync: Some(Duration::ZERO),
            list_mode: Some(ListMode::Auto),
            any_version: Some(false),
            managed_fields: Some(ManagedFields::LeftOut),
            gzip: Some(false),
            ..Self::default()
        }
    }

    /// Returns these settings, with those of `defaults` for unset options.
    pub(super) fn or(self, defaults: &Self) -> Self {
        Self {
            name: self.name.or_else(|| defaults.name.clone()),
            resync: self.resync.or(defaults.resync),
            list_mode: self.list_mode.or(defaults.list_mode),
            page_size: self.page_size.or(defaults.page_size),
            any_version: self.any_version.or(defaults.any_version),
            object_limit: self.object_limit.or(defaults.object_limit),
            memory_limit: self.memory_limit.or(defaults.memory_limit),
            managed_fields: self.managed_fields.or_else(|| defaults.managed_fields.clone()),
            gzip: self.gzip.or(defaults.gzip),
            freshness_limit: self.freshness_limit.or(defaults.freshness_limit),
            on_error: self.on_error.or_else(|| defaults.on_error.clone()),
        }
    }

    /// Applies the options of a source.
    pub(super) fn source(&self, mut source: ApiSource) -> ApiSource {
        if let Some(bytes) = self.object_limit {
            source = source.object_limit(bytes);
        }
        if let Some(bytes) = self.memory_limit {
            source = source.memory_limit(bytes);
        }
        if let Some(managed_fields) = &self.managed_fields {
            source = source.keeping(managed_fields.clone());
        }
        #[cfg(feature = "gzip")]
        if let Some(compressed) = self.gzip {
            source = source.gzip(compressed);
        }
        source
    }

    /// Applies the options of a reflector.
    pub(super) fn reflector(&self, mut options: ReflectorOptions) -> ReflectorOptions {
        if let Some(mode) = self.list_mode {
            options = options.list_mode(mode);
        }
        if let Some(objects) = self.page_size {
            options = options.page_size(objects);
        }
        if let Some(any) = self.any_version {
            options = options.any_version(any);
        }
        if let Some(limit) = self.freshness_limit {
            options = options.freshness_limit(limit);
        }
        if let Some(handler) = self.on_error.clone() {
            options = options.on_error(move |error| handler(error));
        }
        options
    }

    /// Adds the options that `requested` sets differently from these.
    pub(super) fn differences(&self, requested: &Self, found: &mut Differences) {
        let (made, asked) = (self, requested);
        found.compare("name", made.name.as_ref(), asked.name.as_ref());
        found.compare("resync", made.resync.as_ref(), asked.resync.as_ref());
        found.compare("list_mode", made.list_mode.as_ref(), asked.list_mode.as_ref());
        found.compare("page_size", made.page_size.as_ref(), asked.page_size.as_ref());
        found.compare("any_version", made.any_version.as_ref(), asked.any_version.as_ref());
        found.compare("object_limit", made.object_limit.as_ref(), asked.object_limit.as_ref());
        found.compare("memory_limit", made.memory_limit.as_ref(), asked.memory_limit.as_ref());
        found.compare(
            "managed_fields",
            made.managed_fields.as_ref(),
            asked.managed_fields.as_ref(),
        );
        found.compare("gzip", made.gzip.as_ref(), asked.gzip.as_ref());
        found.compare(
            "freshness_limit",
            made.freshness_limit.as_ref(),
            asked.freshness_limit.as_ref(),
        );
        found.compare_closures("on_error", made.on_error.as_ref(), asked.on_error.as_ref());
    }
}

/// The options in which an informer differs from a request.
#[derive(Default)]
pub(super) struct Differences(pub(super) Vec<String>);

impl Differences {
    /// Compares an option that shows its value. An unset request is no difference.
    pub(super) fn compare<T: Debug>(
        &mut self,
        option: &'static str,
        present: Option<&T>,
        requested: Option<&T>,
    ) {
        let Some(requested) = requested else { return };
        let requested = format!("{requested:?}");
        let present = present.map_or("unset".to_owned(), |set| format!("{set:?}"));
        if present != requested {
            self.0.push(format!("{option} is {present}, requested: {requested}"));
        }
    }

    /// Compares closures. A closure equals only its own clones.
    pub(super) fn compare_closures<F: ?Sized>(
        &mut self,
        option: &'static str,
        present: Option<&Arc<F>>,
        requested: Option<&Arc<F>>,
    ) {
        let Some(requested) = requested else { return };
        let (present, requested) = match present {
            None => ("unset", "a closure"),
            Some(present) if same(present, requested) => return,
            Some(_) => ("a closure", "another closure"),
        };
        self.0.push(format!("{option} is {present}, requested: {requested}"));
    }
}

/// Returns whether both are the same closure.
fn same<F: ?Sized>(a: &Arc<F>, b: &Arc<F>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}

/// Writes the setters of [`Settings`], which the builder has in its field `settings`.
macro_rules! setters {
    (impl $($builder:tt)*) => {
        impl $($builder)* {
            /// Sets the name in metrics, spans, errors and the status. Unless set, in the spec or
            /// in the factory, it is empty. An informer with selectors and no name of its own has
            /// the factory's name and the selectors, such as `shop labels app=web`. In a factory,
            /// use the name of the program or the controller.
            pub fn name(mut self, name: impl Into<std::sync::Arc<str>>) -> Self {
                self.settings.name = Some(name.into());
                self
            }

            /// Sets the period after which handlers receive every stored object again, as an
            /// update. Never unless set, in the spec or in the factory; zero means never.
            pub fn resync(mut self, period: std::time::Duration) -> Self {
                self.settings.resync = Some(period);
                self
            }

            /// Sets the form of lists: plain or streaming. [`ListMode::Auto`] unless set, in the
            /// spec or in the factory.
            ///
            /// [`ListMode::Auto`]: crate::reflector::ListMode::Auto
            pub fn list_mode(mut self, mode: crate::reflector::ListMode) -> Self {
                self.settings.list_mode = Some(mode);
                self
            }

            /// Sets the number of objects in a page of a list. See
            /// [`ReflectorOptions::page_size`](crate::reflector::ReflectorOptions::page_size) for
            /// the default.
            pub fn page_size(mut self, objects: u32) -> Self {
                self.settings.page_size = Some(objects);
                self
            }

            /// Sets whether any cache of the server may answer the first list, however far it lags
            /// behind. Off unless set, in the spec or in the factory. See
            /// [`ReflectorOptions::any_version`] for the risk and for the saving.
            ///
            /// [`ReflectorOptions::any_version`]: crate::reflector::ReflectorOptions::any_version
            pub fn any_version(mut self, any: bool) -> Self {
                self.settings.any_version = Some(any);
                self
            }

            /// Sets the size limit of one encoded object, in bytes. 16 MiB unless set, in the spec
            /// or in the factory: see
            /// [`ApiSource::object_limit`](crate::transport::ApiSource::object_limit).
            pub fn object_limit(mut self, bytes: usize) -> Self {
                self.settings.object_limit = Some(bytes);
                self
            }

            /// Sets the memory limit of one decoded object, in bytes. A larger object is refused.
            /// Four times [`object_limit`](Self::object_limit) unless set, and at least 64 MiB: see
            /// [`ApiSource::memory_limit`](crate::transport::ApiSource::memory_limit).
            pub fn memory_limit(mut self, bytes: usize) -> Self {
                self.settings.memory_limit = Some(bytes);
                self
            }

            /// Sets whether objects keep their `metadata.managedFields`. They do not unless set, in
            /// the spec or in the factory: see
            /// [`ApiSource::managed_fields`](crate::transport::ApiSource::managed_fields).
            pub fn managed_fields(mut self, keep: bool) -> Self {
                self.settings.managed_fields = Some(keep.into());
                self
            }

            /// Keeps only one manager's entries of `metadata.managedFields`. It replaces
            /// [`managed_fields`](Self::managed_fields). Use it in a program that applies objects
            /// and watches the fields that it owns.
            pub fn managed_fields_of(mut self, manager: impl Into<std::sync::Arc<str>>) -> Self {
                let manager = crate::transport::ManagedFields::Of(manager.into());
                self.settings.managed_fields = Some(manager);
                self
            }

            /// Sets whether lists and watches are requested compressed with gzip. Off unless set,
            /// in the spec or in the factory: see [`ApiSource::gzip`].
            ///
            /// The factory's setting does not apply to Secrets, only that of their spec does. The
            /// size of a compressed answer says something about a secret if others choose texts
            /// beside it and see the traffic.
            ///
            /// [`ApiSource::gzip`]: crate::transport::ApiSource::gzip
            #[cfg(feature = "gzip")]
            pub fn gzip(mut self, compressed: bool) -> Self {
                self.settings.gzip = Some(compressed);
                self
            }

            /// Sets the longest time in which an informer is not proved to be current: see
            /// [`ReflectorOptions::freshness_limit`]. Unless set, in the spec or in the factory, no
            /// additional requests are made for this.
            ///
            /// [`ReflectorOptions::freshness_limit`]: crate::reflector::ReflectorOptions::freshness_limit
            pub fn freshness_limit(mut self, limit: std::time::Duration) -> Self {
                self.settings.freshness_limit = Some(limit);
                self
            }

            /// Sets a function that is called with each error of an informer. A spec's function
            /// replaces the factory's. Unless set, errors are logged as warnings.
            pub fn on_error(
                mut self,
                handler: impl Fn(&crate::error::SourceError) + Send + Sync + 'static,
            ) -> Self {
                self.settings.on_error = Some(crate::reflector::error_handler(handler));
                self
            }
        }
    };
}
pub(super) use setters;
