//! The entries of `metadata.managedFields` that a source's objects keep.

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use kube_decode::protobuf::ProtobufObject;
use kube_decode::{Decode, DecodeError, DecodeProtobuf};

use crate::codec::protobuf_of;
use crate::object::FieldSet;

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
    pub(super) fn apply<K: Resource + 'static>(
        &self,
        decoder: Arc<dyn Decode<K>>,
    ) -> Arc<dyn Decode<K>> {
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
struct OneManager<K> {
    decoder: Arc<dyn Decode<K>>,
    manager: Arc<str>,
}

impl<K: Resource> OneManager<K> {
    fn strip(&self, mut object: K) -> K {
        let entries = &mut object.meta_mut().managed_fields;
        if let Some(all) = entries {
            all.retain(|entry| entry.manager.as_deref() == Some(&*self.manager));
            all.shrink_to_fit();
        }
        entries.take_if(|kept| kept.is_empty());
        object
    }
}

impl<K: Resource + 'static> Decode<K> for OneManager<K> {
    fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        self.decoder.decode(object).map(|object| self.strip(object))
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Result<K, DecodeError> {
        self.decoder.decode_fields(object, fields).map(|object| self.strip(object))
    }

    fn protobuf(&self) -> Option<&dyn DecodeProtobuf<K>> {
        self.decoder.protobuf().map(|_| self as &dyn DecodeProtobuf<K>)
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn Decode<K>>> {
        self.decoder.without_managed_fields()
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn Decode<K>>> {
        let decoder = self.decoder.with_memory_limit(bytes)?;
        Some(Arc::new(Self { decoder, manager: self.manager.clone() }))
    }
}

impl<K: Resource + 'static> DecodeProtobuf<K> for OneManager<K> {
    fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<K, DecodeError> {
        protobuf_of(&*self.decoder)?.decode_protobuf(object).map(|object| self.strip(object))
    }

    fn decode_protobuf_fields(
        &self,
        object: &ProtobufObject<'_>,
        fields: &FieldSet,
    ) -> Result<K, DecodeError> {
        protobuf_of(&*self.decoder)?
            .decode_protobuf_fields(object, fields)
            .map(|object| self.strip(object))
    }
}
