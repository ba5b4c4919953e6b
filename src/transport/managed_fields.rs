//! The entries of `metadata.managedFields` that a source's objects keep.

use std::fmt;
use std::sync::Arc;

use kube::api::ObjectMeta;
use kube_decode::DecodeError;
use kube_decode::protobuf::ProtobufObject;

use crate::codec::DecodeAny;
use crate::object::{AnyObject, FieldSet};

/// The kept entries of `metadata.managedFields`.
#[derive(Clone, Default)]
pub(crate) enum ManagedFields {
    #[default]
    LeftOut,
    Kept,
    /// Those of the manager with this name.
    Of(Arc<str>),
}

impl ManagedFields {
    /// Returns the decoder of objects that keep these entries.
    pub(super) fn apply(&self, decoder: Arc<dyn DecodeAny>) -> Arc<dyn DecodeAny> {
        match self {
            Self::LeftOut => decoder.without_managed_fields().unwrap_or(decoder),
            Self::Kept => decoder,
            Self::Of(manager) => Arc::new(OneManager { decoder, manager: manager.clone() }),
        }
    }

    /// Returns whether the entries of this manager are kept.
    pub(super) fn include(&self, manager: &str) -> bool {
        match self {
            Self::LeftOut => false,
            Self::Kept => true,
            Self::Of(kept) => **kept == *manager,
        }
    }
}

impl From<bool> for ManagedFields {
    fn from(keep: bool) -> Self {
        if keep { Self::Kept } else { Self::LeftOut }
    }
}

/// Formats the choice as it was made: true, false, or the name of the manager.
impl fmt::Debug for ManagedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut => false.fmt(f),
            Self::Kept => true.fmt(f),
            Self::Of(manager) => manager.fmt(f),
        }
    }
}

/// A decoder that drops the entries of other managers.
struct OneManager {
    decoder: Arc<dyn DecodeAny>,
    manager: Arc<str>,
}

impl OneManager {
    fn strip(&self, mut object: Arc<dyn AnyObject>) -> Arc<dyn AnyObject> {
        if let Some(meta) = Arc::get_mut(&mut object).and_then(|object| object.meta_mut()) {
            let entries = &mut meta.managed_fields;
            if let Some(all) = entries {
                all.retain(|entry| entry.manager.as_deref() == Some(&*self.manager));
                all.shrink_to_fit();
            }
            entries.take_if(|kept| kept.is_empty());
        }
        object
    }
}

impl DecodeAny for OneManager {
    fn decode(
        &self,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        self.decoder.decode(object, fields).map(|object| self.strip(object))
    }

    fn decode_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        self.decoder.decode_protobuf(object, fields).map(|object| self.strip(object))
    }

    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        self.decoder.check_protobuf(object, wanted)
    }

    fn skips_managed_fields(&self) -> bool {
        false
    }

    fn knows_protobuf(&self) -> bool {
        self.decoder.knows_protobuf()
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn DecodeAny>> {
        self.decoder.without_managed_fields()
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn DecodeAny>> {
        let decoder = self.decoder.with_memory_limit(bytes)?;
        Some(Arc::new(Self { decoder, manager: self.manager.clone() }))
    }
}
