//! The bound of the stack that decoding takes. An overflow would abort the process.
//!
//! A type that contains itself and much else takes tens of kilobytes for each level of an object.

/// The largest part of a thread's stack that decoding uses, in bytes. A thread has 2 MiB unless its
/// creator asks for another size.
const LIMIT: usize = 1536 * 1024;

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
        self.0.saturating_sub(Self::here().0) > LIMIT
    }
}
