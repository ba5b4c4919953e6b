//! Kubernetes' protobuf encoding: lists and watches taken apart while they arrive, objects that can
//! be looked into without decoding them.

pub(super) mod events;
pub(super) mod list;
pub(super) mod peek;
