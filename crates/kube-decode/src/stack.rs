//! The bound of the stack that decoding takes. An overflow would abort the process.
//!
//! A type that contains itself and much else takes tens of kilobytes for each level of an object.

use std::cell::Cell;

/// The largest part of a thread's stack that decoding uses, in bytes. A thread has 2 MiB unless its
/// creator asks for another size.
const LIMIT: usize = 1536 * 1024;

/// The part of the stack, in bytes, above which decoding is deep: a thread with a small stack, or
/// one that is deep in calls already, may not have it.
const DEEP: usize = 256 * 1024;

thread_local! {
    /// True if decoding was deep on this thread.
    static WAS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function that decodes. Also returns whether it used so much of the stack that it must not
/// run on any thread.
pub fn measured<T>(decode: impl FnOnce() -> T) -> (T, bool) {
    WAS_DEEP.set(false);
    let decoded = decode();
    (decoded, WAS_DEEP.get())
}

/// The problem of an object whose type takes too much of the stack at the depth of the object.
pub(crate) const NO_STACK: &str =
    "lists and maps are nested so deep that their type could overflow the stack";

/// The place on the stack at which decoding began.
#[derive(Clone, Copy, Debug)]
pub struct Stack(usize);

impl Stack {
    /// Returns the caller's place.
    #[inline]
    #[must_use]
    pub fn here() -> Self {
        let here = 0_u8;
        Self((&raw const here).addr())
    }

    /// Returns whether the caller has used up the part of the stack that decoding may use.
    #[inline]
    #[must_use]
    pub fn is_used_up(self) -> bool {
        // The stack grows downwards.
        let used = self.0.saturating_sub(Self::here().0);
        if used > DEEP {
            WAS_DEEP.set(true);
        }
        used > LIMIT
    }
}
