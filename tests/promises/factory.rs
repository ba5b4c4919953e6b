//! The factory's informers: identity, options and ends.
