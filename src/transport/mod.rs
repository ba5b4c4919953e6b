//! Asks an API server: requests, negotiation, framing, decoding.
//!
//! [`ApiSource`] is the [`ListerWatcher`](crate::lister_watcher::ListerWatcher) over a [`kube::Client`]. It reads raw bytes and gives each
//! object as soon as it is there; what it holds is one object and one frame. It never retries, never
//! remembers what it gave, and never lets one bad object spoil its neighbours.

mod answer;
mod capture;
mod decode;
mod framer;
mod json;
pub mod protobuf;
mod reader;
mod request;
mod source;

pub use decode::{Decode, DecodeError, DecodeProtobuf, JsonDecode, SerdeDecode};
pub use source::ApiSource;
