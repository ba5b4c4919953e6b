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
//!
//! # A decoder of your own
//!
//! It can check what serde cannot. An object that it refuses is reported under its key, and the
//! last good state stays in the store:
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_informer::transport::protobuf::ProtobufObject;
//! use kube_informer::transport::{ApiSource, Decode, DecodeError, DecodeProtobuf, SerdeDecode};
//!
//! struct WithConfig(SerdeDecode<ConfigMap>);
//!
//! fn check(map: ConfigMap) -> Result<ConfigMap, DecodeError> {
//!     let valid = map.data.as_ref().is_some_and(|data| data.contains_key("config"));
//!     if valid { Ok(map) } else { Err(DecodeError::new("the key `config` is missing")) }
//! }
//!
//! impl Decode<ConfigMap> for WithConfig {
//!     fn decode(&self, object: &[u8]) -> Result<ConfigMap, DecodeError> {
//!         self.0.decode(object).and_then(check)
//!     }
//!     fn protobuf(&self) -> Option<&dyn DecodeProtobuf<ConfigMap>> {
//!         Some(self)
//!     }
//! }
//!
//! impl DecodeProtobuf<ConfigMap> for WithConfig {
//!     fn decode_protobuf(&self, object: &ProtobufObject<'_>) -> Result<ConfigMap, DecodeError> {
//!         self.0.decode_protobuf(object).and_then(check)
//!     }
//! }
//!
//! fn source(client: kube::Client) -> ApiSource<ConfigMap> {
//!     ApiSource::new(client).decoder(WithConfig(SerdeDecode::new()))
//! }
//! ```

mod answer;
pub(crate) mod collection;
pub(crate) mod decode_threads;
mod decoding;
pub(crate) mod document;
mod framing;
#[cfg(feature = "gzip")]
mod gzip;
mod kept;
mod list_kind;
mod managed_fields;
mod opening;
mod raw_item;
mod reader;
mod request;
mod shard_filter;
mod source;

pub(crate) use self::collection::{ApiCollection, VersionInUse, check_resource};
pub(crate) use self::decode_threads::DecodeThreads;
pub(crate) use self::document::read_discovery;
pub(crate) use self::document::read_resources;
pub(crate) use self::managed_fields::ManagedFields;
pub use self::source::ApiSource;
#[doc(no_inline)]
pub use kube_decode::{Decode, DecodeError, DecodeProtobuf, SerdeDecode, protobuf};
