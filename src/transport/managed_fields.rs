//! The entries of `metadata.managedFields` that a source's objects keep.

use std::fmt;
use std::sync::Arc;

use kube::api::ObjectMeta;
use kube_decode::protobuf::ProtobufObject;
use kube_decode::{DecodeError, bare};

use crate::codec::DecodeAny;
use crate::object::{AnyObject, FieldSet, InvalidName, NameRule};

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

    /// Refuses a name that no manager can have.
    pub(crate) fn check(&self) -> Result<(), InvalidName> {
        let Self::Of(manager) = self else { return Ok(()) };
        NameRule::FieldManager.check("manager of the kept fields", manager)
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
///
/// They are cut out of the bytes, because a type may compute a field from them as it is decoded.
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
        let cut = bare::json_of(object, &self.manager);
        let decoded = cut.map(|cut| self.decoder.decode(&cut, fields)).and_then(Result::ok);
        // The place in an error is that of the bytes that came.
        let decoded = decoded.map_or_else(|| self.decoder.decode(object, fields), Ok);
        decoded.map(|object| self.strip(object))
    }

    fn decode_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        let mut cut = Vec::new();
        let cut = object.of_manager(&self.manager, &mut cut);
        let decoded =
            cut.map(|cut| self.decoder.decode_protobuf(&cut, fields)).and_then(Result::ok);
        let decoded = decoded.map_or_else(|| self.decoder.decode_protobuf(object, fields), Ok);
        decoded.map(|object| self.strip(object))
    }

    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        self.decoder.check_protobuf(object, accepted, wanted)
    }

    fn fingerprint(&self) -> Option<u64> {
        self.decoder.fingerprint()
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

    fn manager(&self) -> Option<&str> {
        Some(&self.manager)
    }

    fn restrict(&self, other: &Arc<dyn DecodeAny>) -> Option<Arc<dyn DecodeAny>> {
        Some(Arc::new(Self { decoder: other.clone(), manager: self.manager.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{Resource, ResourceExt};
    use kube_decode::{SerdeDecode, encode_protobuf};
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::codec::decode_any;

    /// An object that counts the entries as it is decoded.
    #[derive(Deserialize, Resource)]
    #[resource(inherit = ConfigMap)]
    #[serde(from = "Bare")]
    struct Counted {
        metadata: ObjectMeta,
        count: usize,
    }

    #[derive(Deserialize)]
    struct Bare {
        metadata: ObjectMeta,
    }

    impl From<Bare> for Counted {
        fn from(Bare { metadata }: Bare) -> Self {
            Self { count: metadata.managed_fields.as_ref().map_or(0, Vec::len), metadata }
        }
    }

    #[test]
    fn computed_field_sees_only_the_kept_entries() {
        let entry = |manager| json!({"manager": manager, "operation": "Apply"});
        let entries = json!([entry("a"), entry("b"), entry("a")]);
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "m", "managedFields": entries}});
        let bytes = encode_protobuf(&map).unwrap();
        let message = ProtobufObject::from_envelope(&bytes).unwrap();
        for (manager, count) in [("a", 2), ("b", 1), ("c", 0)] {
            let decoder = decode_any(Arc::new(SerdeDecode::<Counted>::new()));
            let decoder = ManagedFields::Of(manager.into()).apply(decoder);
            for object in [
                decoder.decode(map.to_string().as_bytes(), None).unwrap(),
                decoder.decode_protobuf(&message, None).unwrap(),
            ] {
                let object = object.downcast_ref::<Counted>().unwrap();
                assert_eq!((object.managed_fields().len(), object.count), (count, count));
            }
        }
    }
}
