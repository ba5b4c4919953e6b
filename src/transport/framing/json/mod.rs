//! The JSON encoding: framers of lists and watches, and partial reads of objects.

pub(in crate::transport) mod events;
pub(in crate::transport) mod list;
pub(in crate::transport) mod peek;
mod scan;

pub(in crate::transport) use scan::Scanner;
