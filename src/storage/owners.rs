//! Dictionaries for the objects of one controller owner.
//!
//! The pods of one `ReplicaSet` differ in little more than names and status. With the first of them
//! as the dictionary, the others take a quarter of the bytes that they take with samples of all.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::dictionary::{Dictionary, SIZE};
use super::packed::{PackContext, Packed};
use crate::object::hash_str;
use crate::sync::Mutex;

/// The number of objects in a row that a dictionary must fit badly to be given up.
const MISFITS: u8 = 8;

/// The largest number of owners that are remembered.
const OWNERS: usize = 4_096;

/// The dictionaries of the owners that objects arrived for.
///
/// Owners are told apart by the hashes of their uids. A mistake only compresses worse.
#[derive(Default)]
pub(super) struct OwnerDictionaries(Mutex<Owners>);

#[derive(Default)]
struct Owners {
    of: HashMap<u64, Owner>,
    /// The number of objects of other owners to pass before owners are forgotten again.
    pass: usize,
}

/// An owner that objects arrived for.
struct Owner {
    /// The last object that was packed without a dictionary of its owner.
    first: Weak<Packed>,
    /// The dictionary that consists of it. It lives as long as an object that was packed with it.
    dictionary: Weak<Dictionary<PackContext>>,
    misfits: u8,
}

impl OwnerDictionaries {
    /// Returns the dictionary for an object of an owner. `None` if the owner has no other object.
    pub(super) fn choose(&self, owner: &str, uid: &str) -> Option<Arc<Dictionary<PackContext>>> {
        let mut owners = self.0.lock();
        let owner = owners.of.get_mut(&hash_str(owner))?;
        let known = owner.dictionary.upgrade();
        if known.is_some() {
            return known;
        }
        // A later state of the only object would keep the earlier one.
        let first = owner.first.upgrade().filter(|first| first.uid() != Some(uid))?;
        let new = Arc::new(Dictionary::of_object(first.context().clone(), first));
        (owner.dictionary, owner.misfits) = (Arc::downgrade(&new), 0);
        Some(new)
    }

    /// Notes an object that was packed without a dictionary of its owner.
    pub(super) fn note_first(&self, owner: &str, first: &Arc<Packed>) {
        if first.written_bytes() > SIZE {
            return;
        }
        let mut owners = self.0.lock();
        let owner = hash_str(owner);
        if owners.of.len() >= OWNERS && !owners.of.contains_key(&owner) {
            if owners.pass > 0 {
                owners.pass -= 1;
                return;
            }
            // A list is sorted by name, so the objects of an owner mostly come together.
            owners.of.retain(|_, owner| owner.dictionary.strong_count() > 0);
            if owners.of.len() >= OWNERS {
                owners.pass = OWNERS;
                return;
            }
        }
        let (first, dictionary) = (Arc::downgrade(first), Weak::new());
        owners.of.insert(owner, Owner { first, dictionary, misfits: 0 });
    }

    /// Notes an object that was packed with the dictionary of its owner. Gives up a dictionary that
    /// no longer fits, as after a change of the owner's template.
    pub(super) fn note_use(&self, owner: &str, packed: &Packed) {
        let mut owners = self.0.lock();
        let owner = hash_str(owner);
        let Some(known) = owners.of.get_mut(&owner) else { return };
        let is_misfit = known.first.upgrade().is_none_or(|first| packed.is_no_smaller(&first));
        known.misfits = if is_misfit { known.misfits + 1 } else { 0 };
        if known.misfits >= MISFITS {
            owners.of.remove(&owner);
        }
    }
}
