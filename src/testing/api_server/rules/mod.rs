//! Rules about kinds, as data and pure functions: what is served, which names are valid, what a
//! schema says, who may do what.
//!
//! Rules see values and no store.

pub(crate) mod access;
pub(crate) mod definition;
pub(crate) mod go_format;
pub(crate) mod kinds;
pub(crate) mod metadata;
pub(crate) mod ownership;
pub(crate) mod schema;
pub(crate) mod shape;
pub(crate) mod strategy;
