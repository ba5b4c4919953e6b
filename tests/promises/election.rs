//! The lease is given back only after the work is over.
