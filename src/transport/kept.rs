//! The decoding of objects that were kept as they had arrived.

use std::sync::Arc;

use bytes::Bytes;
use kube::Client;
use kube_decode::protobuf::ItemType;

use super::collection::ApiCollection;
use super::framing::Encoding;
use super::framing::capture::RawBytes;
use super::list_kind::{METADATA, METADATA_VERSION};
use super::raw_item::{RawObject, ResponseContext};
use crate::codec::{Codec, WireForm};
use crate::error::Verb;
use crate::lister_watcher::{Collection, SourceForm};
use crate::object::{Cached, ObjectKey};
use crate::packer::Packer;

/// The version of all that a table's bytes depend on and its name does not state.
const FORMAT: u32 = 3;

/// A decoder of kept objects.
pub(crate) struct KeptDecoder(Vec<KeptForm>);

/// The decoding of objects in one layout.
struct KeptForm {
    /// The form in which these objects are kept by this run.
    written: WireForm,
    codec: Arc<Codec>,
    answer: Arc<ResponseContext>,
    /// The same for objects in this form, which were checked before they were kept.
    accepting: Arc<ResponseContext>,
}

impl ApiCollection {
    /// Returns a text that states all on which the bytes of the objects depend.
    pub(crate) fn table_name(&self) -> String {
        let Self { managed_fields, protobuf, .. } = self;
        let selection = self.selection();
        format!("{FORMAT} {selection:?} managedFields={managed_fields:?} protobuf={protobuf}")
    }

    /// Returns the number of times that the server changed the API version of the objects.
    pub(crate) fn moves(&self) -> u64 {
        self.moved_to.moves()
    }

    pub(crate) fn name(&self) -> &Collection {
        &self.collection
    }

    /// Returns whether equal versions count as equal objects.
    pub(crate) fn trusts_versions(&self) -> bool {
        self.trust_versions
    }

    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    pub(crate) fn kept_decoder(&self, packer: Option<&Packer>) -> KeptDecoder {
        let item = if self.selection.metadata_only {
            ItemType::of(METADATA_VERSION, &format!("{METADATA}List"))
        } else {
            ItemType::of(&self.api_version, &format!("{}List", self.collection.kind))
        };
        let layouts = [(Encoding::Json, None), (Encoding::Protobuf, None)].into_iter();
        let layouts = layouts.chain(item.map(|item| (Encoding::Protobuf, Some(item))));
        let form = |(encoding, item)| {
            let context = |packer| {
                Arc::new(ResponseContext {
                    request: self.collection.request_name(Verb::List),
                    encoding,
                    limit: self.object_limit,
                    packer,
                    moved_to: self.moved_to.get(),
                })
            };
            let codec = self.codecs.of(encoding, item);
            let checks = packer.is_some_and(Packer::checks);
            KeptForm {
                written: if checks { codec.form() } else { codec.form().unchecked() },
                codec,
                answer: context(packer.cloned()),
                accepting: context(packer.map(Packer::accepting)),
            }
        };
        KeptDecoder(layouts.map(form).collect())
    }
}

impl KeptDecoder {
    /// Returns the key and the object of these bytes, and whether it would be kept again in this
    /// form. `None` if the bytes can't be decoded.
    pub(crate) fn decode(&self, form: u64, bytes: &[u8]) -> Option<(ObjectKey, Cached, bool)> {
        let form = WireForm(form);
        let mut known = self.0.iter();
        let known = known.find(|known| known.written.unchecked() == form.unchecked())?;
        let is_current = known.written == form;
        let was_checked = is_current && form != form.unchecked();
        let answer = if was_checked { &known.accepting } else { &known.answer };
        if bytes.len() > answer.limit {
            return None;
        }
        let bytes = RawBytes::Whole(Bytes::copy_from_slice(bytes));
        let (codec, answer) = (known.codec.clone(), answer.clone());
        let object = RawObject { bytes, offset: 0, codec, answer }.decode().ok()?;
        let key = object.key().ok()?;
        // Only packed objects have bytes to be kept again.
        match object.form {
            SourceForm::Packed(_, object) if object.is_packed() => Some((key, object, is_current)),
            _ => None,
        }
    }
}
