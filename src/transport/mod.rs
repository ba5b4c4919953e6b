//! The source over an API server: requests, negotiation, framing and decoding.
//!
//! [`ApiSource`] implements [`ListerWatcher`](crate::lister_watcher::ListerWatcher) over a
//! [`kube::Client`]. It reads raw bytes and returns each object as soon as its last byte has
//! arrived. It buffers one object and one frame, and for a large list a few portions of objects to
//! decode. It never retries and keeps no objects. An object that cannot be used does not affect its
//! neighbours.
//!
//! | objects | requested encoding | decoded by |
//! |---|---|---|
//! | built-in types, whole or as your own struct | protobuf, or else JSON | their JSON names |
//! | only metadata, of any type | protobuf, or else JSON | their JSON names |
//! | custom resources, dynamic objects | JSON | their JSON names |
//!
//! The `Content-Type` of an answer decides how it is decoded. If JSON comes instead of protobuf, or
//! if protobuf is refused (406), the source requests JSON for ten minutes, and then protobuf again.

mod answer;
mod decoding;
mod framing;
mod list_kind;
mod raw_item;
mod reader;
mod request;
mod source;

pub use self::source::ApiSource;
pub use crate::decode::{
    Decode, DecodeError, DecodeProtobuf, JsonDecode, SerdeDecode, WithoutManagedFields, protobuf,
};
