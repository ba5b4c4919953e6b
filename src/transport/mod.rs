//! Asks an API server: requests, negotiation, framing, decoding.
//!
//! [`ApiSource`] is the [`ListerWatcher`](crate::lister_watcher::ListerWatcher) over a [`kube::Client`]. It reads raw bytes and gives each
//! object as soon as it is there; what it holds is one object and one frame. It never retries, never
//! remembers what it gave, and never lets one bad object spoil its neighbours.
//!
//! | objects | are asked for in | decoded by |
//! |---|---|---|
//! | of built-in types, whole or as a struct of one's own | protobuf, else JSON | their JSON names, in either encoding |
//! | metadata alone, of any type | protobuf, else JSON | the same |
//! | custom resources, dynamic objects | JSON | the same |
//!
//! What comes is taken by its `Content-Type`. Where JSON came instead of protobuf, or protobuf was
//! refused (406), the source asks for JSON for ten minutes, and then for protobuf again.

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
