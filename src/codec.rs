//! Codecs: an encoding of objects, with its decoder.
//!
//! A source's objects in one layout share one codec, whatever request they come from. Storage that
//! keeps their bytes therefore keeps one codec for all of them. Compact storage has another one for
//! the objects that it writes itself.

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::sync::{Arc, LazyLock, OnceLock};

use kube::Resource;
use kube::api::ObjectMeta;
use kube_decode::protobuf::{ItemType, ProtobufObject};
use kube_decode::{
    Decode, DecodeError, DecodeProtobuf, SerdeDecode, bare, content, uncharged, value_in_json,
    value_in_protobuf,
};
use serde::Deserialize;
use serde_json::Value;

use crate::object::{AnyObject, FieldSet, Projection};
use crate::panic::{catch, drop_safely};
use crate::sync::Mutex;

/// The encoding of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Protobuf,
}

/// An encoding of objects, and its decoder.
pub(crate) struct Codec {
    layout: Layout,
    decoder: Arc<dyn DecodeAny>,
    /// The approximate number of bytes of memory that each encoded byte becomes.
    expansion: usize,
    fingerprint: OnceLock<u64>,
}

/// The form of an object's bytes, for a store that keeps them from one run to the next: a number of
/// the layout, and the fingerprint of the decoder that accepted the object, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireForm(pub(crate) u64);

impl WireForm {
    /// The bits of the layout.
    const LAYOUT: u64 = 0xff;

    /// Returns the form of an object that no decoder has accepted.
    pub(crate) fn unchecked(self) -> Self {
        Self(self.0 & Self::LAYOUT)
    }
}

/// The layout of the bytes that the decoder receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The encoded object, without a wrapper.
    Plain,
    /// A protobuf message in an envelope that names its type. Watch events hold these.
    Envelope,
    /// A protobuf message of this type. Lists hold these.
    Item(ItemType),
}

/// The fields of [`Head`], so that the rest of an object is skipped unread.
static HEAD: LazyLock<FieldSet> = LazyLock::new(|| {
    let names = ["name", "namespace", "uid", "resourceVersion", "labels"];
    FieldSet::from_paths(names.map(|name| format!("metadata.{name}")))
});

/// The metadata that is read from an object without decoding it.
#[derive(Deserialize)]
pub(crate) struct Head {
    metadata: HeadMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadMetadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<BTreeMap<String, String>>,
}

impl From<Head> for ObjectMeta {
    fn from(Head { metadata }: Head) -> Self {
        let HeadMetadata { name, namespace, uid, resource_version, labels } = metadata;
        Self { name, namespace, uid, resource_version, labels, ..Self::default() }
    }
}

/// A decoder of objects of any type.
pub(crate) trait DecodeAny: Send + Sync {
    /// Decodes an object from JSON: whole, or with at least these fields.
    fn decode(
        &self,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError>;

    /// Decodes an object from protobuf: whole, or with at least these fields.
    fn decode_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError>;

    /// Returns the metadata of an object that is sure to be decoded from protobuf. See
    /// [`DecodeProtobuf::check_protobuf`](kube_decode::DecodeProtobuf::check_protobuf).
    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta>;

    /// Returns a number that decoders of protobuf share only if they decode the same objects.
    fn fingerprint(&self) -> Option<u64>;

    /// Returns whether the decoder skips managed fields.
    fn skips_managed_fields(&self) -> bool;

    /// Returns whether the decoder knows protobuf. Without it, protobuf is not requested.
    fn knows_protobuf(&self) -> bool;

    /// Returns a decoder that skips managed fields, if there is one.
    fn without_managed_fields(&self) -> Option<Arc<dyn DecodeAny>>;

    /// Returns the decoder with a memory limit, if it can have one.
    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn DecodeAny>>;

    /// Returns the only manager whose managed fields the decoder keeps, if there is one.
    fn manager(&self) -> Option<&str> {
        None
    }

    /// Returns another type's decoder with the rule for managed fields that this one has, unless it
    /// has none.
    fn restrict(&self, other: &Arc<dyn DecodeAny>) -> Option<Arc<dyn DecodeAny>> {
        let _ = other;
        None
    }
}

/// A decoder of one type.
struct DecodeType<K> {
    decoder: Arc<dyn Decode<K>>,
    skips_managed_fields: bool,
}

/// Returns a decoder of one type as a decoder of any.
pub(crate) fn decode_any<K: Resource + Send + Sync + 'static>(
    decoder: Arc<dyn Decode<K>>,
) -> Arc<dyn DecodeAny> {
    Arc::new(DecodeType { decoder, skips_managed_fields: false })
}

impl<K: Resource + Send + Sync + 'static> DecodeAny for DecodeType<K> {
    fn decode(
        &self,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        Ok(Arc::new(match fields {
            Some(fields) => self.decoder.decode_fields(object, fields)?,
            None => self.decoder.decode(object)?,
        }))
    }

    fn decode_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        let Some(decoder) = self.decoder.protobuf() else {
            // The decoder of a view, whose informer has asked for protobuf.
            return self.decode(&json_of(object)?, fields);
        };
        Ok(Arc::new(match fields {
            Some(fields) => decoder.decode_protobuf_fields(object, fields)?,
            None => decoder.decode_protobuf(object)?,
        }))
    }

    fn check_protobuf(
        &self,
        object: &ProtobufObject<'_>,
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        self.decoder.protobuf()?.check_protobuf(object, accepted, wanted)
    }

    fn fingerprint(&self) -> Option<u64> {
        self.decoder.protobuf()?.fingerprint()
    }

    fn skips_managed_fields(&self) -> bool {
        self.skips_managed_fields
    }

    fn knows_protobuf(&self) -> bool {
        self.decoder.protobuf().is_some()
    }

    fn without_managed_fields(&self) -> Option<Arc<dyn DecodeAny>> {
        let decoder = self.decoder.without_managed_fields()?;
        Some(Arc::new(Self { decoder, skips_managed_fields: true }))
    }

    fn with_memory_limit(&self, bytes: usize) -> Option<Arc<dyn DecodeAny>> {
        let decoder = self.decoder.with_memory_limit(bytes)?;
        Some(Arc::new(Self { decoder, ..*self }))
    }
}

/// Returns an object in JSON.
fn json_of(object: &ProtobufObject<'_>) -> Result<Vec<u8>, DecodeError> {
    let value: Value = uncharged(|| SerdeDecode::new().decode_protobuf(object))?;
    serde_json::to_vec(&value).map_err(|error| DecodeError::new(error.to_string()))
}

/// The codecs of one source.
pub(crate) struct Codecs {
    decoder: Arc<dyn DecodeAny>,
    /// A source has at most a few: JSON, the watch's protobuf, the list's protobuf.
    codecs: Mutex<Vec<Arc<Codec>>>,
}

impl Codecs {
    /// Creates the codecs of this decoder.
    pub(crate) fn new(decoder: Arc<dyn DecodeAny>) -> Self {
        Self { decoder, codecs: Mutex::default() }
    }

    pub(crate) fn decoder(&self) -> &dyn DecodeAny {
        &*self.decoder
    }

    /// Returns the codec of objects in this encoding. In protobuf, `item` is the type of a list's
    /// items.
    pub(crate) fn of(&self, encoding: Encoding, item: Option<ItemType>) -> Arc<Codec> {
        let layout = match (encoding, item) {
            (Encoding::Json, _) => Layout::Plain,
            (Encoding::Protobuf, None) => Layout::Envelope,
            (Encoding::Protobuf, Some(item)) => Layout::Item(item),
        };
        let mut codecs = self.codecs.lock();
        if let Some(codec) = codecs.iter().find(|codec| codec.layout == layout) {
            return codec.clone();
        }
        // Measured on a pod decoded as its type.
        let expansion = if encoding == Encoding::Json { 11 } else { 18 };
        let (decoder, fingerprint) = (self.decoder.clone(), OnceLock::new());
        let codec = Arc::new(Codec { layout, decoder, expansion, fingerprint });
        codecs.push(codec.clone());
        codec
    }
}

impl Codec {
    /// Returns the form of an object that the codec has accepted.
    pub(crate) fn form(&self) -> WireForm {
        // The numbers are written.
        let layout = match self.layout {
            Layout::Plain => return WireForm(1),
            Layout::Envelope => 2,
            Layout::Item(_) => 3,
        };
        let fingerprint = || self.decoder.fingerprint().unwrap_or(0);
        WireForm(layout | (self.fingerprint.get_or_init(fingerprint) & !WireForm::LAYOUT))
    }

    /// Creates a codec that passes all bytes to this decoder.
    pub(crate) fn plain(decoder: Arc<dyn DecodeAny>, expansion: usize) -> Self {
        Self { layout: Layout::Plain, decoder, expansion, fingerprint: OnceLock::new() }
    }

    /// Decodes an object with at least these fields.
    pub(crate) fn decode_fields(
        &self,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        if fields.is_some()
            && let Ok(part) = self.read(object, fields)
        {
            return Ok(part);
        }
        // A type may require more than these fields.
        self.decode(object)
    }

    /// Decodes an object as another type, of which only these fields may be read.
    pub(crate) fn decode_as(
        &self,
        decoder: &Arc<dyn DecodeAny>,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        let restricted = self.decoder.restrict(decoder);
        self.ask(&**restricted.as_ref().unwrap_or(decoder), object, fields)
    }

    /// Reads an object's name, namespace, uid, version and labels, and skips the rest of it.
    pub(crate) fn decode_head(&self, object: &[u8]) -> Result<ObjectMeta, DecodeError> {
        let head: Head = match self.layout {
            Layout::Plain => SerdeDecode::new().decode_fields(object, &HEAD)?,
            _ => self.protobuf(object)?.decode()?,
        };
        Ok(head.into())
    }
}

impl Codec {
    /// Returns the metadata of an object that is sure to be decoded, and builds nothing else.
    /// `None` if only decoding tells, or if `wanted` returns false for namespace and name. Of an
    /// object that was `accepted` with this [`form`](Self::form), only the metadata is checked.
    pub(crate) fn check(
        &self,
        object: &[u8],
        accepted: bool,
        wanted: &mut dyn FnMut(Option<&str>, &str) -> bool,
    ) -> Option<ObjectMeta> {
        if self.layout == Layout::Plain {
            return None;
        }
        extend_heap();
        let check = || self.decoder.check_protobuf(&self.protobuf(object).ok()?, accepted, wanted);
        catch(check).ok().flatten()
    }

    /// Returns the object's bytes without managed fields. `None` if it has none, or if its readers
    /// get them.
    pub(crate) fn bare(&self, object: &[u8]) -> Option<Vec<u8>> {
        if !self.decoder.skips_managed_fields() {
            return None;
        }
        match self.layout {
            Layout::Plain => bare::json(object),
            Layout::Envelope => bare::protobuf(object, true),
            Layout::Item(_) => bare::protobuf(object, false),
        }
    }

    /// Returns the object without these fields, for comparison, and whether that is protobuf.
    /// `None` if the fields can't be left out of the bytes.
    pub(crate) fn without(&self, object: &[u8], fields: &FieldSet) -> Option<(bool, Vec<u8>)> {
        match self.layout {
            Layout::Plain => Some((false, content::json(object, fields)?)),
            _ => Some((true, content::protobuf(&self.protobuf(object).ok()?, fields)?)),
        }
    }

    /// Returns a part of an object as JSON, if it has that part.
    pub(crate) fn project(
        &self,
        object: &[u8],
        part: Projection<'_>,
    ) -> Result<Option<Value>, DecodeError> {
        let decoder = SerdeDecode::<Value>::new();
        // Managed fields are in the metadata alone.
        let is_apart = matches!(part, Projection::Path(path)
            if !path.is_empty() && path.split('.').next() != Some("metadata"));
        let manager = self.decoder.manager().filter(|_| !is_apart);
        let cut = manager.and_then(|manager| match self.layout {
            Layout::Plain => bare::json_of(object, manager),
            layout => bare::protobuf_of(object, layout == Layout::Envelope, Some(manager)),
        });
        let object = cut.as_deref().unwrap_or(object);
        match (self.layout, part) {
            (Layout::Plain, Projection::Path(path)) => value_in_json(object, path),
            (Layout::Plain, Projection::Fields(fields)) => {
                decoder.decode_fields(object, fields).map(Some)
            }
            (_, Projection::Path(path)) => value_in_protobuf(&self.protobuf(object)?, path),
            (_, Projection::Fields(fields)) => {
                decoder.decode_protobuf_fields(&self.protobuf(object)?, fields).map(Some)
            }
        }
    }

    /// Decodes the whole object.
    pub(crate) fn decode(&self, object: &[u8]) -> Result<Arc<dyn AnyObject>, DecodeError> {
        self.read(object, None)
    }

    /// Decodes an object, whole or with only these fields.
    ///
    /// A type's serde code is user code. Its panic is an error without the panic's message, which
    /// may quote the object.
    fn read(
        &self,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        if fields.is_none() {
            extend_heap();
        }
        self.ask(&*self.decoder, object, fields)
    }

    /// Returns whether the whole object takes at most this much memory. False if that is unknown.
    pub(crate) fn decodes_within(&self, object: &[u8], bytes: usize) -> bool {
        let limited = self.decoder.with_memory_limit(bytes);
        limited.is_some_and(|decoder| {
            self.ask(&*decoder, object, None).is_ok_and(|object| !drop_safely(object))
        })
    }

    fn ask(
        &self,
        decoder: &dyn DecodeAny,
        object: &[u8],
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        let ask = || match self.layout {
            Layout::Plain => decoder.decode(object, fields),
            _ => decoder.decode_protobuf(&self.protobuf(object)?, fields),
        };
        catch(ask).unwrap_or_else(|_| Err(DecodeError::new("the decoder panicked")))
    }

    fn protobuf<'o>(&self, object: &'o [u8]) -> Result<ProtobufObject<'o>, DecodeError> {
        match self.layout {
            Layout::Item(item) => Ok(item.object(object)),
            _ => ProtobufObject::from_envelope(object),
        }
    }
}

impl Codec {
    /// Returns the approximate number of bytes of memory that each encoded byte becomes.
    pub(crate) fn expansion(&self) -> usize {
        self.expansion
    }
}

impl fmt::Debug for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codec").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Makes room for an object in the heap of this thread.
///
/// glibc extends the heap of every thread but the first by a page at a time, each with a call of
/// the kernel, and a decoded pod takes ten pages. The block that is freed here stays in the heap.
fn extend_heap() {
    const ROOM: usize = 64 << 10;
    drop(black_box(Vec::<u8>::with_capacity(ROOM)));
}
