//! The forms in which a source's objects come: an encoding, and what decodes it.
//!
//! One form for all objects that come the same way, however many requests they come by, so that who
//! keeps their bytes keeps one pointer for all.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube::api::ObjectMeta;
use serde::Deserialize;

use super::budget::MEMORY_LIMIT;
use super::decode::{Decode, DecodeError, json};
use super::framer::Encoding;
use super::protobuf::{ItemType, ProtobufObject};
use crate::object::{FieldSet, ObjectEncoding};
use crate::panic::catch;
use crate::sync::Mutex;

/// How the objects of an answer, or of a list, are to be read.
pub(super) struct Form<K> {
    encoding: Encoding,
    /// What the items of a list in protobuf are. In a watch each object says what it is.
    item: Option<ItemType>,
    decoder: Arc<dyn Decode<K>>,
    /// What decodes the same without managed fields, where that is less.
    light: Option<Arc<dyn Decode<K>>>,
}

/// What is looked for in an object that is not decoded.
#[derive(Deserialize)]
struct Look {
    metadata: Said,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<BTreeMap<String, String>>,
}

/// All forms of a source.
pub(super) struct Forms<K> {
    decoder: Arc<dyn Decode<K>>,
    /// There are but a few: JSON, the watch's protobuf, the list's.
    forms: Mutex<Vec<Arc<Form<K>>>>,
}

impl<K: 'static> Forms<K> {
    /// With this decoder.
    pub(super) fn new(decoder: Arc<dyn Decode<K>>) -> Self {
        Self { decoder, forms: Mutex::default() }
    }

    /// The same, where an object may take this much memory, if the decoder bounds that.
    pub(super) fn with_memory_limit(self: Arc<Self>, bytes: usize) -> Arc<Self> {
        match self.decoder.with_memory_limit(bytes) {
            Some(decoder) => Arc::new(Self::new(decoder)),
            None => self,
        }
    }

    pub(super) fn decoder(&self) -> &dyn Decode<K> {
        &*self.decoder
    }

    /// The form of what comes in this encoding, as items of this type.
    pub(super) fn of(&self, encoding: Encoding, item: Option<ItemType>) -> Arc<Form<K>> {
        let mut forms = self.forms.lock();
        let same = |form: &&Arc<Form<K>>| form.encoding == encoding && form.item == item;
        if let Some(form) = forms.iter().find(same) {
            return form.clone();
        }
        let decoder = self.decoder.clone();
        let reads =
            |light: &Arc<dyn Decode<K>>| encoding == Encoding::Json || light.protobuf().is_some();
        let light = decoder.without_managed_fields().filter(reads);
        let form = Arc::new(Form { encoding, item, decoder, light });
        forms.push(form.clone());
        form
    }
}

impl<K: 'static> Form<K> {
    /// The whole object.
    pub(super) fn decode(&self, object: &[u8]) -> Result<K, DecodeError> {
        self.read(&*self.decoder, object, None)
    }

    /// The object without what is not asked of it on its way; and whether it is whole all the same.
    pub(super) fn decode_lightly(&self, object: &[u8]) -> Result<(K, bool), DecodeError> {
        let decoder = self.light.as_ref().unwrap_or(&self.decoder);
        Ok((self.read(&**decoder, object, None)?, self.light.is_none()))
    }

    /// What an object says of itself, without the rest of it.
    pub(super) fn look_into(&self, object: &[u8]) -> Result<ObjectMeta, DecodeError> {
        let Look { metadata } = match self.encoding {
            Encoding::Json => json(object, PhantomData, MEMORY_LIMIT)?,
            Encoding::Protobuf => self.protobuf(object)?.decode()?,
        };
        let Said { name, namespace, uid, resource_version, labels } = metadata;
        Ok(ObjectMeta { name, namespace, uid, resource_version, labels, ..ObjectMeta::default() })
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The object, whole or with nothing but these fields.
    ///
    /// Serde's code of a type is a user's: where it panics that is an answer, without its words, which
    /// may quote the object.
    fn read(
        &self,
        decoder: &dyn Decode<K>,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<K, DecodeError> {
        catch(|| self.ask(decoder, object, fields))
            .unwrap_or_else(|_| Err(DecodeError::new("the decoder panicked")))
    }

    fn ask(
        &self,
        decoder: &dyn Decode<K>,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<K, DecodeError> {
        if self.encoding == Encoding::Json {
            return match fields {
                Some(fields) => decoder.decode_fields(object, fields),
                None => decoder.decode(object),
            };
        }
        let unknown = || DecodeError::new("the decoder does not know protobuf");
        let decoder = decoder.protobuf().ok_or_else(unknown)?;
        let object = self.protobuf(object)?;
        match fields {
            Some(fields) => decoder.decode_protobuf_fields(&object, fields),
            None => decoder.decode_protobuf(&object),
        }
    }

    fn protobuf<'o>(&self, object: &'o [u8]) -> Result<ProtobufObject<'o>, DecodeError> {
        match self.item {
            Some(item) => Ok(item.object(object)),
            None => ProtobufObject::from_envelope(object),
        }
    }
}

impl<K: 'static> ObjectEncoding<K> for Form<K> {
    fn decode(&self, object: &[u8]) -> Option<K> {
        Self::decode(self, object).ok()
    }

    fn decode_fields(&self, object: &[u8], fields: &FieldSet) -> Option<K> {
        // A type may demand more than the fields.
        let part = self.read(&*self.decoder, object, Some(fields));
        part.or_else(|_| Self::decode(self, object)).ok()
    }

    fn expansion(&self) -> usize {
        // Of a pod as its type has it.
        match self.encoding {
            Encoding::Json => 11,
            Encoding::Protobuf => 18,
        }
    }
}

impl<K> fmt::Debug for Form<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form")
            .field("encoding", &self.encoding)
            .field("item", &self.item)
            .finish_non_exhaustive()
    }
}
