//! The protobuf encoding: framers of lists and watches, and partial reads of objects.

pub(super) mod events;
pub(super) mod list;
pub(super) mod peek;
