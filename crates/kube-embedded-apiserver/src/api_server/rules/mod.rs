//! Rules about kinds, as data and pure functions: what is served, which names are valid, what a
//! schema says, who may do what.
//!
//! Rules see values and no store.

pub(crate) mod access;
pub(crate) mod bytes;
pub(crate) mod changes;
pub(crate) mod conditions;
pub(crate) mod defaults;
pub(crate) mod definition;
pub(crate) mod formats;
pub(crate) mod go_format;
pub(crate) mod internal_form;
pub(crate) mod json;
pub(crate) mod kinds;
pub(crate) mod members;
pub(crate) mod metadata;
pub(crate) mod normal_form;
pub(crate) mod ownership;
pub(crate) mod preparation;
pub(crate) mod quantity;
pub(crate) mod registered;
pub(crate) mod schema;
pub(crate) mod shape;
pub(crate) mod strategy;
pub(crate) mod unimplemented;
pub(crate) mod validation;
pub(crate) mod warnings;
