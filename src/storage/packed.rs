//! One packed object.
//!
//! The compressed bytes and the uid share one allocation. The struct is small, because there is one
//! for each object. An object's own lock is held for some nanoseconds, and never during unpacking:
//! a writer must not wait for a reader. No other lock is held when it is taken.

mod reads;

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use kube::api::ObjectMeta;
use kube_decode::DecodeError;
use serde_json::Value;

use super::PackError;
use super::buffer::{Buffer, wipe};
use super::dictionary::{Compressed, Dictionary};
use super::held::{Held, Part, Whole};
use super::shared::{Labels, Shared};
use crate::codec::Codec;
use crate::object::{
    AnyObject, FieldSet, Form, IndexValues, PackedObject, PassingRead, Projection, ResourceVersion,
};
use crate::sync::Mutex;

/// The data that packed objects with the same encoding share.
pub(super) struct PackContext {
    pub(super) codec: Arc<Codec>,
    /// True if the bytes are those that the server sent.
    pub(super) is_wire: bool,
    pub(super) shared: Arc<Shared>,
}

/// A packed object.
pub(super) struct Packed {
    me: Weak<Self>,
    dictionary: Arc<Dictionary<PackContext>>,
    index_values: Option<Box<IndexValues>>,
    labels: Option<Arc<Labels>>,
    /// The version; empty if there is none.
    version: ResourceVersion,
    /// The uid, then the compressed object.
    bytes: Box<[u8]>,
    held: Mutex<Held>,
    /// The size of the object before compression, in bytes.
    written_len: u32,
    /// The length of the uid, in bytes.
    uid_len: u16,
    marks: Marks,
}

/// The changing properties of a packed object, in one byte.
struct Marks(AtomicU8);

impl Marks {
    /// The object was read for the initial add of some handler.
    const LISTED: u8 = 1;
    /// The object is in the list of lent objects.
    const LENT: u8 = 2;
    /// The last attempt to unpack the object failed.
    const UNREADABLE: u8 = 4;
    /// A failed attempt was reported.
    const REPORTED: u8 = 8;
    /// The object has a version. An empty version to compare with would allocate.
    const VERSIONED: u8 = 16;
    /// The object replaced another state, and was not read yet.
    const NEW: u8 = 32;
    /// A failed read of a part was reported.
    const PART_REPORTED: u8 = 64;

    fn new(versioned: bool) -> Self {
        Self(AtomicU8::new(if versioned { Self::VERSIONED } else { 0 }))
    }

    fn has(&self, mark: u8) -> bool {
        self.0.load(Relaxed) & mark != 0
    }

    /// Sets or removes a mark. Returns whether it was set before.
    fn set(&self, mark: u8, on: bool) -> bool {
        let before =
            if on { self.0.fetch_or(mark, Relaxed) } else { self.0.fetch_and(!mark, Relaxed) };
        before & mark != 0
    }
}

/// The metadata that is read without unpacking the object.
pub(super) struct KeptMetadata<'o> {
    pub(super) uid: &'o str,
    pub(super) version: &'o str,
    pub(super) labels: Option<&'o Labels>,
}

impl<'o> KeptMetadata<'o> {
    pub(super) fn of(meta: &'o ObjectMeta) -> Self {
        Self {
            uid: meta.uid.as_deref().unwrap_or_default(),
            version: meta.resource_version.as_deref().unwrap_or_default(),
            labels: meta.labels.as_ref(),
        }
    }
}

impl Packed {
    /// Packs an object that is encoded as these bytes.
    pub(super) fn new(
        written: &[u8],
        metadata: &KeptMetadata<'_>,
        index_values: Option<IndexValues>,
        dictionary: Arc<Dictionary<PackContext>>,
    ) -> Result<Arc<Self>, PackError> {
        let shared = &dictionary.context.shared;
        let &KeptMetadata { uid, version, labels } = metadata;
        let uid_len = u16::try_from(uid.len()).map_err(|_| PackError::TooLarge)?;
        let len = u32::try_from(written.len()).map_err(|_| PackError::TooLarge)?;
        let compressed = dictionary.compress(written, shared.wipe);
        let (compressed, used) = compressed.ok_or(PackError::TooLarge)?;
        let compressed = compressed.as_slice().get(..used).unwrap_or_default();
        let mut bytes = Vec::with_capacity(uid.len() + compressed.len());
        bytes.extend_from_slice(uid.as_bytes());
        bytes.extend_from_slice(compressed);
        shared.figures.packed(bytes.len());
        let labels = labels.map(|labels| shared.labels.share(labels));
        Ok(Arc::new_cyclic(|me| Self {
            me: me.clone(),
            index_values: index_values.map(Box::new),
            labels,
            version: version.into(),
            bytes: bytes.into_boxed_slice(),
            held: Mutex::default(),
            written_len: len,
            uid_len,
            marks: Marks::new(!version.is_empty()),
            dictionary,
        }))
    }

    fn shared(&self) -> &Shared {
        &self.dictionary.context.shared
    }

    /// Notes that the object replaces another state.
    pub(super) fn replaces(&self) {
        self.marks.set(Marks::NEW, true);
        self.shared().heat.replaced();
    }

    /// Holds the unpacked object of a new state that has this heat. Drops the object if the heat is
    /// zero.
    pub(super) fn inherit(&self, unpacked: Arc<dyn AnyObject>, heat: u8) {
        let shared = self.shared();
        if heat == 0 || !shared.heat.is_on() {
            return shared.dropper.free(unpacked);
        }
        if shared.is_full() {
            *self.held.lock().whole_mut() = Whole::Lent(Arc::downgrade(&unpacked));
            self.note_lent(true);
            return shared.dropper.free(shared.heat.keep_for_reader(unpacked));
        }
        shared.heat.warmed(self.unpacked_bytes(&*unpacked));
        let mut held = self.held.lock();
        let was_hot = held.is_hot();
        *held.whole_mut() = Whole::Hot { object: unpacked, heat };
        drop(held);
        self.enrol(was_hot);
    }

    /// Lets the sweeps cool the object from now on, unless they did before.
    fn enrol(&self, was_hot: bool) {
        if !was_hot {
            self.shared().heat.enrol(self.me.clone());
        }
    }

    /// Returns the estimated size of the unpacked object, in bytes.
    fn unpacked_bytes(&self, object: &dyn AnyObject) -> usize {
        size_of_val(object) + self.dictionary.context.codec.expansion() * self.written_len as usize
    }

    /// Returns the size of the packed object, in bytes.
    pub(super) fn packed_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the size of the object before compression, in bytes.
    pub(super) fn written_bytes(&self) -> usize {
        self.written_len as usize
    }

    /// Returns whether the object was compressed to about the same fraction as another, or a larger
    /// one.
    pub(super) fn is_no_smaller(&self, other: &Self) -> bool {
        let product =
            |one: &Self, two: &Self| one.packed_bytes() as u64 * u64::from(two.written_len);
        4 * product(self, other) > 3 * product(other, self)
    }

    pub(super) fn context(&self) -> &Arc<PackContext> {
        &self.dictionary.context
    }

    /// Releases the forms that `is_due` chooses by their heat, which it may lower. Returns whether
    /// anything is still hot.
    pub(super) fn release(&self, is_due: impl FnMut(&mut u8) -> bool) -> bool {
        let mut held = self.held.lock();
        let (whole, parts) = held.release(is_due);
        let is_hot = held.is_hot();
        drop(held);
        for part in parts {
            self.free_part(part);
        }
        if let Some(object) = whole {
            self.shared().heat.cooled(self.unpacked_bytes(&*object));
            // Its `Drop` is user code.
            self.shared().dropper.free(object);
            let lent = self.held.lock().whole_mut().is_lent();
            self.note_lent(lent);
        }
        is_hot
    }

    fn free_part(&self, part: Part) {
        if let Some(object) = part.object {
            self.shared().heat.shrank(part.bytes as usize);
            if let Some(view) = part.view.upgrade() {
                view.cooled(part.bytes);
            }
            self.shared().dropper.free(object);
        }
    }

    /// Returns whether only users hold the object, so that it stays lent.
    pub(super) fn is_lent(&self) -> bool {
        let mut held = self.held.lock();
        let lent = held.whole_mut().is_lent();
        self.marks.set(Marks::LENT, lent);
        lent
    }

    /// Adds an object that is lent now to the list of lent objects, unless it is there.
    fn note_lent(&self, lent: bool) {
        let heat = &self.shared().heat;
        if lent && heat.is_swept() && !self.marks.set(Marks::LENT, true) {
            heat.lent(self.me.clone());
        }
    }

    pub(super) fn uid(&self) -> Option<&str> {
        let uid = self.bytes.get(..usize::from(self.uid_len))?;
        std::str::from_utf8(uid).ok().filter(|uid| !uid.is_empty())
    }

    /// Returns whether the metadata that is kept beside the bytes is this.
    #[cfg(feature = "compact")]
    pub(super) fn keeps(&self, meta: &ObjectMeta) -> bool {
        let KeptMetadata { uid, version, labels } = KeptMetadata::of(meta);
        self.uid().unwrap_or_default() == uid
            && self.version == version.into()
            && self.labels.as_deref() == labels
    }

    fn version(&self) -> Option<ResourceVersion> {
        self.marks.has(Marks::VERSIONED).then(|| self.version.clone())
    }
}

impl Compressed for Packed {
    fn bytes(&self) -> Option<Buffer> {
        self.decompress().ok()
    }
}

impl AnyObject for Packed {
    fn form(&self) -> Form<'_> {
        Form::Packed(self)
    }

    fn meta_mut(&mut self) -> Option<&mut ObjectMeta> {
        None
    }
}

impl PackedObject for Packed {
    fn get(&self) -> Option<Arc<dyn AnyObject>> {
        self.read(true)
    }

    fn get_for(&self, read: PassingRead) -> Option<Arc<dyn AnyObject>> {
        self.read(match read {
            PassingRead::InitialAdd => self.marks.set(Marks::LISTED, true),
            PassingRead::Index => false,
        })
    }

    fn heat(&self) -> u8 {
        self.held.lock().whole().heat()
    }

    fn get_fields(&self, fields: &FieldSet) -> Option<Arc<dyn AnyObject>> {
        let held = self.held.lock().whole().get();
        if held.is_some() {
            return held;
        }
        // The part is not shared with other readers, which may need other fields.
        self.unpack(Some(fields)).inspect_err(|error| self.report(error)).ok()
    }

    fn project(&self, part: Projection<'_>) -> Option<Value> {
        let written = self.decompress();
        let found = written
            .and_then(|written| self.dictionary.context.codec.project(written.as_slice(), part));
        // The object as a whole may be readable: a tree of JSON can't hold what a type can.
        let report = |error: &DecodeError| self.report_once(Marks::PART_REPORTED, error);
        Some(found.inspect_err(report).ok().flatten().unwrap_or_default())
    }

    fn with_content(&self, without: &FieldSet, call: &mut dyn FnMut(bool, &[u8])) {
        let PackContext { codec, is_wire: true, shared } = &*self.dictionary.context else {
            return;
        };
        let rest =
            self.decompress().ok().and_then(|bytes| codec.without(bytes.as_slice(), without));
        if let Some((is_protobuf, rest)) = rest {
            call(is_protobuf, Buffer::holding(rest, shared.wipe).as_slice());
        }
    }

    fn with_wire(&self, call: &mut dyn FnMut(u64, &[u8])) {
        let PackContext { codec, is_wire: true, shared } = &*self.dictionary.context else {
            return;
        };
        if !shared.wipe
            && !shared.figures.is_of_secrets()
            && let Ok(bytes) = self.decompress()
        {
            let form = if shared.check { codec.form() } else { codec.form().unchecked() };
            call(form.0, bytes.as_slice());
        }
    }

    fn uid(&self) -> Option<&str> {
        self.uid()
    }

    fn version(&self) -> Option<ResourceVersion> {
        self.version()
    }

    fn labels(&self) -> Option<&Labels> {
        self.labels.as_deref()
    }

    fn index_values(&self) -> Option<&IndexValues> {
        self.index_values.as_deref()
    }

    fn is_unreadable(&self) -> bool {
        self.marks.has(Marks::UNREADABLE)
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        if self.shared().wipe {
            wipe(&mut self.bytes);
        }
        let shared = &self.dictionary.context.shared;
        let held = self.held.get_mut();
        if held.is_hot() {
            shared.heat.left();
        }
        let (whole, parts) = held.take();
        if let Whole::Hot { object, .. } = whole {
            shared.heat.cooled(self.unpacked_bytes(&*object));
            shared.dropper.free(object);
        }
        for part in parts {
            self.free_part(part);
        }
        shared.figures.dropped(self.bytes.len());
        if let Some(labels) = self.labels.take() {
            shared.labels.release(labels);
        }
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn packed_struct_is_small() {
        let counts = 2 * size_of::<usize>();
        assert!(size_of::<Packed>() + counts <= 120, "{}", size_of::<Packed>());
    }
}
