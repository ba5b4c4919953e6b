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
const FORMAT: u32 = 2;

/// A decoder of kept objects.
pub(crate) struct KeptDecoder(Vec<(WireForm, Arc<Codec>, Arc<ResponseContext>)>);

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
        let forms = [(WireForm::Json, Encoding::Json, None)].into_iter();
        let forms = forms.chain([(WireForm::Envelope, Encoding::Protobuf, None)]);
        let forms = forms.chain(item.map(|item| (WireForm::Item, Encoding::Protobuf, Some(item))));
        KeptDecoder(
            forms
                .map(|(form, encoding, item)| {
                    let answer = ResponseContext {
                        request: self.collection.request_name(Verb::List),
                        encoding,
                        limit: self.object_limit,
                        packer: packer.cloned(),
                        moved_to: self.moved_to.get(),
                    };
                    (form, self.codecs.of(encoding, item), Arc::new(answer))
                })
                .collect(),
        )
    }
}

impl KeptDecoder {
    /// Returns the key and the object of these bytes. `None` if they can't be decoded.
    pub(crate) fn decode(&self, form: u8, bytes: &[u8]) -> Option<(ObjectKey, Cached)> {
        let (_, codec, answer) = self.0.iter().find(|(known, ..)| *known as u8 == form)?;
        if bytes.len() > answer.limit {
            return None;
        }
        let bytes = RawBytes::Whole(Bytes::copy_from_slice(bytes));
        let (codec, answer) = (codec.clone(), answer.clone());
        let object = RawObject { bytes, offset: 0, codec, answer }.decode().ok()?;
        let key = object.key().ok()?;
        // Only packed objects have bytes to be kept again.
        match object.form {
            SourceForm::Packed(_, object) if object.is_packed() => Some((key, object)),
            _ => None,
        }
    }
}
