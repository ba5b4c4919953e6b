//! Error texts name the whole cause.
