//! The decoded forms of one packed object: the whole object, and what each view reads of it.
//!
//! A cold object has none, and an object that no view reads has no room for views. So a view costs
//! memory only for the objects that are read through it.

use std::sync::{Arc, Weak};

use super::heat::HOTTEST;
use super::view::View;
use crate::object::AnyObject;

/// The decoded forms of an object that something holds.
pub(super) enum Held {
    /// No view has read the object lately.
    Whole(Whole),
    /// At least one view has.
    Viewed(Box<Viewed>),
}

/// The whole object, decoded.
#[derive(Default)]
pub(super) enum Whole {
    /// Nothing holds it.
    #[default]
    Absent,
    /// Users may hold it.
    Lent(Weak<dyn AnyObject>),
    /// It stays until sweeps have cooled it, see [`Heat`](super::heat::Heat).
    Hot { object: Arc<dyn AnyObject>, heat: u8 },
}

/// The whole object, and the parts that views have read. The first part lies here, because most
/// objects have one, and a read waits for each place in memory.
pub(super) struct Viewed {
    whole: Whole,
    first: Part,
    others: Vec<Part>,
}

/// One object as one view reads it.
pub(super) struct Part {
    /// Weak, because the view may be gone before the part is cold.
    pub(super) view: Weak<View>,
    /// `None` if the view can't read the object. That stays so, because the bytes do.
    pub(super) object: Option<Arc<dyn AnyObject>>,
    /// The estimated size of the object, in bytes.
    pub(super) bytes: u32,
    heat: u8,
}

impl Default for Held {
    fn default() -> Self {
        Self::Whole(Whole::Absent)
    }
}

impl Whole {
    /// Returns the object, if anything holds it.
    pub(super) fn get(&self) -> Option<Arc<dyn AnyObject>> {
        match self {
            Self::Absent => None,
            Self::Lent(object) => object.upgrade(),
            Self::Hot { object, .. } => Some(object.clone()),
        }
    }

    /// Drops a weak reference to an object that nothing holds, because it keeps the allocation.
    /// Returns whether only users hold the object.
    pub(super) fn is_lent(&mut self) -> bool {
        let Self::Lent(object) = &*self else { return false };
        let held = object.strong_count() > 0;
        if !held {
            *self = Self::Absent;
        }
        held
    }

    /// Returns the number of sweeps for which the object stays.
    pub(super) fn heat(&self) -> u8 {
        match self {
            Self::Hot { heat, .. } => *heat,
            Self::Absent | Self::Lent(_) => 0,
        }
    }

    /// Returns the object if it is due. Then it counts as lent.
    fn release(&mut self, is_due: impl FnOnce(&mut u8) -> bool) -> Option<Arc<dyn AnyObject>> {
        let Self::Hot { object, heat } = self else { return None };
        if !is_due(heat) {
            return None;
        }
        let lent = Self::Lent(Arc::downgrade(object));
        match std::mem::replace(self, lent) {
            Self::Hot { object, .. } => Some(object),
            Self::Absent | Self::Lent(_) => None,
        }
    }
}

impl Part {
    /// Makes the part of an object that was just read.
    pub(super) fn new(view: &Arc<View>, object: Option<Arc<dyn AnyObject>>, bytes: usize) -> Self {
        let heat = if object.is_some() { HOTTEST } else { 0 };
        Self {
            view: Arc::downgrade(view),
            object,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            heat,
        }
    }

    /// Returns the object for a reader. If `warms` is true, it is as hot as can be from now on.
    pub(super) fn read(&mut self, warms: bool) -> Option<Arc<dyn AnyObject>> {
        if warms && self.object.is_some() {
            self.heat = HOTTEST;
        }
        self.object.clone()
    }

    fn is_of(&self, view: &Arc<View>) -> bool {
        std::ptr::eq(self.view.as_ptr(), Arc::as_ptr(view))
    }

    /// Returns whether a reader can find the part. One that the view can't read has no heat, so
    /// sweeps do not remove it.
    fn is_of_use(&self) -> bool {
        self.object.is_some() || self.view.strong_count() > 0
    }
}

impl Held {
    pub(super) fn whole(&self) -> &Whole {
        match self {
            Self::Whole(whole) => whole,
            Self::Viewed(viewed) => &viewed.whole,
        }
    }

    pub(super) fn whole_mut(&mut self) -> &mut Whole {
        match self {
            Self::Whole(whole) => whole,
            Self::Viewed(viewed) => &mut viewed.whole,
        }
    }

    /// Returns what this view has read.
    pub(super) fn part(&mut self, view: &Arc<View>) -> Option<&mut Part> {
        let Self::Viewed(viewed) = self else { return None };
        let Viewed { first, others, .. } = &mut **viewed;
        if first.is_of(view) {
            return Some(first);
        }
        others.iter_mut().find(|part| part.is_of(view))
    }

    /// Adds what a view has read.
    pub(super) fn keep(&mut self, part: Part) {
        match self {
            Self::Viewed(viewed) => {
                viewed.others.retain(Part::is_of_use);
                if viewed.first.is_of_use() {
                    viewed.others.push(part);
                } else {
                    viewed.first = part;
                }
            }
            Self::Whole(whole) => {
                let whole = std::mem::take(whole);
                *self = Self::Viewed(Box::new(Viewed { whole, first: part, others: Vec::new() }));
            }
        }
    }

    /// Returns whether sweeps must cool something.
    pub(super) fn is_hot(&self) -> bool {
        let is_hot = |part: &Part| part.heat > 0;
        self.whole().heat() > 0
            || matches!(self, Self::Viewed(viewed)
                if is_hot(&viewed.first) || viewed.others.iter().any(is_hot))
    }

    /// Returns the forms that `is_due` chooses by their heat, which it may lower.
    pub(super) fn release(
        &mut self,
        mut is_due: impl FnMut(&mut u8) -> bool,
    ) -> (Option<Arc<dyn AnyObject>>, Vec<Part>) {
        let viewed = match self {
            Self::Whole(whole) => return (whole.release(is_due), Vec::new()),
            Self::Viewed(viewed) => viewed,
        };
        let released = viewed.whole.release(&mut is_due);
        let mut is_due = |part: &mut Part| part.object.is_some() && is_due(&mut part.heat);
        let mut parts: Vec<_> = viewed.others.extract_if(.., &mut is_due).collect();
        if is_due(&mut viewed.first) {
            if let Some(next) = viewed.others.pop() {
                parts.push(std::mem::replace(&mut viewed.first, next));
            } else {
                let whole = std::mem::take(&mut viewed.whole);
                parts.extend(std::mem::replace(self, Self::Whole(whole)).take().1);
            }
        }
        (released, parts)
    }

    /// Returns everything.
    pub(super) fn take(&mut self) -> (Whole, impl Iterator<Item = Part> + use<>) {
        let (whole, first, others) = match std::mem::take(self) {
            Self::Whole(whole) => (whole, None, Vec::new()),
            Self::Viewed(viewed) => (viewed.whole, Some(viewed.first), viewed.others),
        };
        (whole, first.into_iter().chain(others))
    }
}
