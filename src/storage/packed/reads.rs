//! Reads of a packed object: what is held, or else what is decoded from its bytes.

use std::sync::Arc;

use kube_decode::{DecodeError, charged};

use super::{Marks, Packed};
use crate::error::Fault;
use crate::object::{AnyObject, FieldSet, ObjectKey};
use crate::storage::buffer::Buffer;
use crate::storage::heat::HOTTEST;
use crate::storage::held::{Part, Whole};
use crate::storage::shared::Shared;
use crate::storage::view::View;

impl Packed {
    /// Unpacks the object: whole, or with at least these fields.
    pub(in crate::storage) fn unpack(
        &self,
        fields: Option<&FieldSet>,
    ) -> Result<Arc<dyn AnyObject>, DecodeError> {
        self.dictionary.context.codec.decode_fields(self.decompress()?.as_slice(), fields)
    }

    pub(super) fn decompress(&self) -> Result<Buffer, DecodeError> {
        let compressed = self.bytes.get(usize::from(self.uid_len)..).unwrap_or_default();
        self.dictionary
            .decompress(compressed, self.written_len as usize, self.shared().wipe)
            .ok_or_else(|| DecodeError::new("the compressed bytes are not valid"))
    }

    /// Counts a failed read. Reports the first one of this object, with the object's key, which may
    /// still be readable.
    #[cold]
    pub(super) fn report(&self, error: &DecodeError) {
        self.marks.set(Marks::UNREADABLE, true);
        self.report_once(Marks::REPORTED, error);
    }

    /// Counts a failed read. Reports it unless the object has this mark.
    pub(super) fn report_once(&self, mark: u8, error: &DecodeError) {
        let figures = &self.shared().figures;
        figures.unreadable.add();
        if self.marks.set(mark, true) {
            return;
        }
        let problem = error.to_string();
        figures.report(self.uid(), Fault::Undecodable { key: self.key(), problem });
    }

    /// Returns the object, and unpacks it if nothing holds it. If `warms` is true, the object is
    /// hot from now on.
    ///
    /// Readers that come at once may each unpack it, so that none waits for another. All return the
    /// same object.
    pub(super) fn read(&self, warms: bool) -> Option<Arc<dyn AnyObject>> {
        let Shared { figures, dropper, heat, .. } = self.shared();
        if warms && self.marks.has(Marks::NEW) && self.marks.set(Marks::NEW, false) {
            heat.was_read();
        }
        let held = self.lend(None, warms);
        if held.is_some() {
            figures.hits.add();
            return held;
        }
        let unpacked = self.unpack(None).inspect_err(|error| self.report(error)).ok()?;
        figures.misses.add();
        if self.marks.has(Marks::UNREADABLE) {
            self.marks.set(Marks::UNREADABLE, false);
        }
        let object = self.lend(Some(&unpacked), warms);
        // Another reader may have been quicker. The `Drop` of this copy is then user code.
        dropper.free(unpacked);
        object
    }

    /// Returns the object that something holds, or else the `unpacked` one, which is held from now
    /// on. If `warms` is true, the returned object is hot.
    fn lend(
        &self,
        unpacked: Option<&Arc<dyn AnyObject>>,
        warms: bool,
    ) -> Option<Arc<dyn AnyObject>> {
        let heat = &self.shared().heat;
        let mut held = self.held.lock();
        let was_hot = held.is_hot();
        let whole = held.whole_mut();
        let known = whole.get();
        let is_known = known.is_some();
        let object = known.or_else(|| unpacked.cloned())?;
        let (mut warmed, mut lent) = (false, false);
        match whole {
            Whole::Hot { heat, .. } if warms => *heat = HOTTEST,
            Whole::Hot { .. } => {}
            whole if warms && self.shared().may_warm() => {
                *whole = Whole::Hot { object: object.clone(), heat: HOTTEST };
                warmed = true;
            }
            whole if !is_known => {
                *whole = Whole::Lent(Arc::downgrade(&object));
                lent = true;
            }
            _ => {}
        }
        drop(held);
        if warmed {
            heat.warmed(self.unpacked_bytes(&*object));
            self.enrol(was_hot);
        }
        self.note_lent(lent);
        Some(object)
    }

    /// Returns the object as a view reads it, and decodes that unless it is held. If `warms` is
    /// true, it is hot from now on. Returns `None` if the view can't read the object.
    ///
    /// Readers that come at once may each decode it, so that none waits for another.
    pub(in crate::storage) fn read_as(
        &self,
        view: &Arc<View>,
        warms: bool,
    ) -> Option<Arc<dyn AnyObject>> {
        if let Some(part) = self.held.lock().part(view) {
            view.found(part.object.is_some());
            return part.read(warms);
        }
        let Shared { dropper, heat, .. } = self.shared();
        let (decoded, bytes) =
            charged(|| view.decode(&self.dictionary.context.codec, self.decompress()?.as_slice()));
        let (object, error) = match decoded {
            Ok(object) => (Some(object), None),
            Err(error) => (None, Some(error)),
        };
        if object.is_some() {
            view.missed();
            if !(warms && self.shared().may_warm()) {
                return object;
            }
        }
        let own = object.as_ref().map_or(0, |object| size_of_val(&**object));
        let bytes = view.estimate(bytes, self.written_len as usize);
        let part = Part::new(view, object.clone(), own + bytes);
        let mut held = self.held.lock();
        if let Some(known) = held.part(view) {
            // Another reader was quicker. The `Drop` of this copy is user code.
            let known = known.read(warms);
            drop(held);
            dropper.free(part.object);
            dropper.free(object);
            return known;
        }
        let was_hot = held.is_hot();
        let bytes = part.bytes;
        held.keep(part);
        drop(held);
        if let Some(error) = error {
            view.report(self.key(), self.uid(), &error);
        } else {
            view.warmed(bytes);
            heat.grew(bytes as usize);
            self.enrol(was_hot);
        }
        object
    }

    /// Returns whether a view has tried to read the object and can't.
    pub(in crate::storage) fn is_unreadable_by(&self, view: &Arc<View>) -> bool {
        self.held.lock().part(view).is_some_and(|part| part.object.is_none())
    }

    /// Returns the object's key, which may be readable when the object is not.
    pub(super) fn key(&self) -> Option<ObjectKey> {
        let written = self.decompress().ok()?;
        let head = self.dictionary.context.codec.decode_head(written.as_slice());
        ObjectKey::of_meta(&head.ok()?).ok()
    }
}
