//! The age of the last proof that the cache is current.
