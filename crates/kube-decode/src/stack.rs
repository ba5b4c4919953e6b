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

/// The part of the stack, in bytes, that a type may take for each level of a buffer from which it
/// builds its value. Such a type takes its parts from the buffer, where nothing can be measured. A
/// struct with sixty fields takes 10 kB, or 33 kB in a build that is not optimised. One that also
/// contains three such structs takes 52 kB, so all levels that this allows fit in 2 MiB. Not
/// optimised it takes 140 kB, and can overflow: a bound for it would refuse common objects.
const LEVEL: usize = if cfg!(debug_assertions) { 48 * 1024 } else { 44 * 1024 };

/// The part of the stack, in bytes, that most types take at most for each level of a buffer.
const USUAL_LEVEL: usize = if cfg!(debug_assertions) { 16 * 1024 } else { 12 * 1024 };

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

/// Returns whether a type is serde's buffer. Derived code builds another type's value from it: for
/// flattened fields, and for enums that are untagged or internally tagged.
#[must_use]
pub fn is_buffer<T>() -> bool {
    std::any::type_name::<T>().contains("::Content")
}

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
        !self.holds(0)
    }

    /// Returns whether the stack also holds the levels of a buffer, from which a type builds its
    /// value.
    #[inline]
    #[must_use]
    pub fn holds(self, levels: usize) -> bool {
        // The stack grows downwards.
        let used = self.0.saturating_sub(Self::here().0);
        let with = |level: usize| used.saturating_add(levels.saturating_mul(level));
        if with(USUAL_LEVEL) > DEEP {
            WAS_DEEP.set(true);
        }
        with(LEVEL) <= LIMIT
    }
}
