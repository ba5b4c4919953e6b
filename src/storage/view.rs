//! Views: the objects of an informer, read as another type.
//!
//! A [`View`] decodes the bytes of a packed object into its own type, which may name a few fields
//! only. The packed object holds what a view has read, by the same heat as the whole object. An
//! object without bytes is serialised first. What a view can't read is missing only from that view.

use std::any::{Any, TypeId};
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use kube::api::ObjectMeta;
use kube_decode::DecodeError;
use serde_json::Value;

use super::buffer::Buffer;
use super::packed::Packed;
use super::shared::{Counter, Shared};
use crate::codec::{Codec, DecodeAny};
use crate::error::Fault;
use crate::object::{
    AnyObject, Cached, CachedEvent, FieldSet, Form, ObjectKey, PackedObject, PassingRead,
    Projection, answers_of_wrapped, downcast,
};
use crate::panic::catch;
use crate::sync::Mutex;

/// The number of states whose report a view remembers.
const REMEMBERED: usize = 16_384;

/// A function that serialises an object of an informer's type. `None` if that fails.
pub(crate) type Serialised = fn(&dyn AnyObject) -> Option<Vec<u8>>;

/// The type of a view, and what decodes into it.
#[derive(Clone)]
pub(crate) struct ViewType {
    pub(crate) name: &'static str,
    pub(crate) id: TypeId,
    /// True if all views of the type share what they read. False for a decoder of the caller's own.
    pub(crate) is_shared: bool,
    pub(crate) decoder: Arc<dyn DecodeAny>,
    /// The fields that the type reads, if its decoding would read others, too.
    pub(crate) fields: Option<FieldSet>,
    /// True if the decoder reads the whole object.
    pub(crate) whole: bool,
    pub(crate) serialised: Serialised,
}

/// The objects of an informer as another type.
pub(crate) struct View {
    of: ViewType,
    /// Decodes objects that were serialised for the view.
    json: Codec,
    shared: Arc<Shared>,
    objects: AtomicUsize,
    bytes: AtomicUsize,
    hits: Counter,
    misses: Counter,
    converted: Counter,
    unreadable: Counter,
    /// The states without bytes that were reported as unreadable, each with its version.
    reported: Mutex<HashSet<(Option<ObjectKey>, Option<String>)>>,
}

/// Figures of a view of an informer's objects.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ViewStatus {
    /// The name of the view's type.
    pub name: String,
    /// True if the type takes any field, so that each read of a cold object decodes all of it. So
    /// does a type with `#[serde(flatten)]`.
    pub whole: bool,
    /// The number of objects that are held as the view read them.
    pub hot_objects: usize,
    /// The estimated size of these, in bytes.
    pub hot_bytes: usize,
    /// The number of reads that found the object decoded.
    pub hits: u64,
    /// The number of reads that decoded the object.
    pub misses: u64,
    /// The number of reads that had to serialise the object first, because its bytes are not kept.
    pub converted: u64,
    /// The number of reads that failed because the type does not fit the object.
    pub unreadable: u64,
}

impl View {
    pub(super) fn new(of: ViewType, shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self {
            json: Codec::plain(of.decoder.clone(), 0),
            of,
            shared,
            objects: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            hits: Counter::default(),
            misses: Counter::default(),
            converted: Counter::default(),
            unreadable: Counter::default(),
            reported: Mutex::default(),
        })
    }

    /// Logs if reads of this view decode whole objects.
    pub(super) fn tell_whole(&self) {
        if self.of.whole {
            let (resource, view) = (self.shared.figures.resource(), self.of.name);
            tracing::info!(
                resource,
                view,
                "the type of this view takes any field, so its reads decode whole objects"
            );
        }
    }

    /// Returns whether a view of this type shares what it reads with this one.
    pub(super) fn is_shared_with(&self, other: &ViewType) -> bool {
        self.of.is_shared && other.is_shared && self.of.id == other.id
    }

    pub(crate) fn serialised(&self) -> Serialised {
        self.of.serialised
    }

    pub(super) fn status(&self) -> ViewStatus {
        ViewStatus {
            name: self.of.name.to_owned(),
            whole: self.of.whole,
            hot_objects: self.objects.load(Relaxed),
            hot_bytes: self.bytes.load(Relaxed),
            hits: self.hits.get(),
            misses: self.misses.get(),
            converted: self.converted.get(),
            unreadable: self.unreadable.get(),
        }
    }

    /// Returns the memory that an object takes, of which `charged` bytes were counted as it was
    /// decoded. A decoder of the caller's own may count none. Then the encoded size counts.
    pub(super) fn estimate(&self, charged: usize, written: usize) -> usize {
        if charged == 0 && !self.of.is_shared { written } else { charged }
    }

    /// Counts a read that needed no decoding.
    pub(super) fn found(&self, is_readable: bool) {
        if is_readable {
            self.hits.add()
        } else {
            self.unreadable.add()
        };
    }

    /// Counts a read that decoded the object.
    pub(super) fn missed(&self) {
        self.misses.add();
    }

    /// Counts an object that became hot.
    pub(super) fn warmed(&self, bytes: u32) {
        self.objects.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as usize, Relaxed);
    }

    /// Counts an object that is no longer hot.
    pub(super) fn cooled(&self, bytes: u32) {
        self.objects.fetch_sub(1, Relaxed);
        self.bytes.fetch_sub(bytes as usize, Relaxed);
    }

    /// Decodes an object from the bytes that this codec reads.
    pub(crate) fn decode(
        &self,
        codec: &Codec,
        bytes: &[u8],
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        codec.decode_as(&self.of.decoder, bytes, self.of.fields.as_ref())
    }

    /// Counts an object that the view can't read, and reports it with its key.
    #[cold]
    pub(super) fn report(&self, key: Option<ObjectKey>, uid: Option<&str>, error: &DecodeError) {
        self.unreadable.add();
        let problem = format!("{error} (read as {})", self.of.name);
        self.shared.figures.report(uid, Fault::Undecodable { key, problem });
    }

    /// Returns an object as the view's type. `None` if the view can't read it, which was reported.
    /// If `warms` is true, what was read stays for a while.
    pub(crate) fn read(
        self: &Arc<Self>,
        object: &Cached,
        warms: bool,
    ) -> Option<Arc<dyn AnyObject>> {
        match object.downcast_ref::<Packed>() {
            Some(packed) => packed.read_as(self, warms),
            None => self.convert(object.read(None)?),
        }
    }

    /// Returns a decoded object as the view's type. It may be of this type already. Then only a
    /// decoder of the caller's own reads it.
    pub(crate) fn convert(&self, decoded: Arc<dyn AnyObject>) -> Option<Arc<dyn AnyObject>> {
        let is_own = (&*decoded as &dyn Any).type_id() == self.of.id;
        if is_own && self.of.is_shared {
            return Some(decoded);
        }
        let object = &*decoded;
        if self.converted.add() == 0 {
            let (resource, view) = (self.shared.figures.resource(), self.of.name);
            tracing::warn!(
                resource,
                view,
                "the bytes of an object are not kept, so each read of this view serialises it: the \
                 informer has a transform, its source has no bytes, or the object is nested deep"
            );
        }
        let read = match catch(|| (self.of.serialised)(object)) {
            Ok(Some(bytes)) => {
                let bytes = Buffer::holding(bytes, self.shared.wipe);
                self.decode(&self.json, bytes.as_slice())
            }
            // The program put it into the store.
            Ok(None) if is_own => return Some(decoded),
            _ => Err(DecodeError::new("its Serialize failed or panicked")),
        };
        read.inspect_err(|error| self.report_decoded(object, error)).ok()
    }

    /// Returns a part of a decoded object as JSON, whatever the view's type has of it. `None` if
    /// the object can't be serialised.
    fn project(&self, object: &Cached, part: Projection<'_>) -> Option<Value> {
        let decoded = object.read(None)?;
        let bytes = catch(|| (self.of.serialised)(&*decoded)).ok()??;
        let bytes = Buffer::holding(bytes, self.shared.wipe);
        Some(self.json.project(bytes.as_slice(), part).ok().flatten().unwrap_or_default())
    }

    /// Counts a decoded object that the view can't read. Reports each of its states once, because
    /// every read converts it again.
    #[cold]
    fn report_decoded(&self, object: &dyn AnyObject, error: &DecodeError) {
        let meta = catch(|| object.meta()).ok().flatten();
        let key = meta.and_then(|meta| ObjectKey::of_meta(meta).ok());
        let state = (key.clone(), meta.and_then(|meta| meta.resource_version.clone()));
        let mut reported = self.reported.lock();
        if reported.len() >= REMEMBERED {
            reported.clear();
        }
        let is_new = reported.insert(state);
        drop(reported);
        if is_new {
            self.report(key, meta.and_then(|meta| meta.uid.as_deref()), error);
        } else {
            self.unreadable.add();
        }
    }

    /// Returns an object that its readers read as the view's type.
    pub(crate) fn show(self: &Arc<Self>, object: Cached, warms: bool) -> Cached {
        if let Some(told) = object.told() {
            return told.map(|object| self.show(object.clone(), warms));
        }
        let digest = object.digest();
        let seen = Seen { object, view: self.clone(), warms, converted: OnceLock::new() };
        Cached::any(Arc::new(seen)).with_digest(digest)
    }

    /// Returns an event whose objects are read as the view's type. An old state stays only if it
    /// was read before, because it leaves the store.
    pub(crate) fn show_event(self: &Arc<Self>, event: CachedEvent) -> CachedEvent {
        match event {
            CachedEvent::Updated { old, new } => {
                CachedEvent::Updated { old: self.show(old, false), new: self.show(new, true) }
            }
            event => event.map(|object| self.show(object, true)),
        }
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("View").field(&self.of.name).finish()
    }
}

/// Returns an object for a reader of this type: as a view reads it, or itself.
pub(crate) fn read_as<K: Send + Sync + 'static>(
    view: Option<&Arc<View>>,
    object: &Cached,
) -> Option<Arc<K>> {
    match view {
        None => object.get_as(),
        Some(view) => downcast(view.read(object, true)?),
    }
}

/// Returns an object for a reader of this type, as the cache holds it.
pub(crate) fn show_as<K: ?Sized>(view: Option<&Arc<View>>, object: Cached) -> Cached<K> {
    match view {
        None => object.cast(),
        Some(view) => view.show(object, true).cast(),
    }
}

/// An object that its readers read as the type of a view.
struct Seen {
    object: Cached,
    view: Arc<View>,
    /// True if a read keeps the object for later ones.
    warms: bool,
    /// The object that was converted for readers, if it has no bytes.
    converted: OnceLock<Option<Arc<dyn AnyObject>>>,
}

impl Seen {
    fn read(&self, warms: bool) -> Option<Arc<dyn AnyObject>> {
        if self.object.is_packed() {
            return self.view.read(&self.object, warms);
        }
        self.converted.get_or_init(|| self.view.read(&self.object, warms)).clone()
    }
}

/// Both forms of the object may be held here alone, and the `Drop` of each is user code that may
/// panic.
impl Drop for Seen {
    fn drop(&mut self) {
        self.view.shared.dropper.free(self.converted.take());
    }
}

impl AnyObject for Seen {
    fn form(&self) -> Form<'_> {
        Form::Packed(self)
    }

    fn meta_mut(&mut self) -> Option<&mut ObjectMeta> {
        None
    }
}

impl PackedObject for Seen {
    answers_of_wrapped!();

    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        self.read(self.warms)
    }

    fn get_for(&self, read: PassingRead) -> Option<Arc<dyn AnyObject>> {
        self.read(self.warms && read != PassingRead::Index)
    }

    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        // The metadata of a state that the view can't read are still known.
        self.get().or_else(|| self.object.read(Some(fields)))
    }

    fn project(&self, part: Projection<'_>) -> Option<Value> {
        self.object.projected(part).or_else(|| self.view.project(&self.object, part))
    }

    fn is_unreadable(&self) -> bool {
        match self.object.downcast_ref::<Packed>() {
            Some(packed) => packed.is_unreadable_by(&self.view),
            None => matches!(self.converted.get(), Some(None)),
        }
    }

    fn shown(&self) -> Option<&Cached> {
        Some(&self.object)
    }
}
