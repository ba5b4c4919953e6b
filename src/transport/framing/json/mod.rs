//! The JSON encoding: lists and watches taken apart while they arrive, objects that can be looked
//! into without decoding them.

pub(in crate::transport) mod events;
pub(in crate::transport) mod list;
pub(in crate::transport) mod peek;
mod scan;

pub(in crate::transport) use scan::Scanner;
