//! Kubernetes' protobuf encoding of the built-in types.
//!
//! A table of the types' fields, made from Go's published types, guides serde over the wire format,
//! so that any type that can be read from a server's JSON can be read from its protobuf, and comes
//! out the same. Custom resources have no such encoding. Nothing here panics on any bytes; what is
//! malformed is an error with a place.

#[cfg(any(test, feature = "testing"))]
pub(crate) mod encode;
mod envelope;
mod error;
mod fields;
mod members;
mod scalar;
mod schema;
#[rustfmt::skip]
mod table;
#[cfg(test)]
mod tests;
mod value;
mod wire;

pub(crate) use envelope::MEDIA_TYPE;
pub use envelope::ProtobufObject;
pub(crate) use envelope::{ENCODED, ItemType, MAGIC, types};
pub(crate) use scalar::text;
pub(crate) use wire::{Cursor, Raw};

/// The newest release of Kubernetes whose types are known, beside those of every older release that
/// `k8s-openapi` has types for. Fields that a later release adds are not seen in protobuf; ask for
/// JSON to have them.
pub const RELEASE: &str = table::RELEASE;

/// Whether this kind is built in, so that servers can send it in protobuf.
pub fn is_built_in(api_version: &str, kind: &str) -> bool {
    schema::MessageId::of(api_version, kind).is_some()
}
