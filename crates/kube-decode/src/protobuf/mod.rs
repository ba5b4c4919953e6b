//! Kubernetes' protobuf encoding of the built-in types.
//!
//! A table of the types' fields, generated from the published Go types, guides serde over the wire
//! format. Any type that can be deserialised from a server's JSON can be deserialised from its
//! protobuf, with the same result. Custom resources have no such encoding. No bytes cause a panic:
//! malformed input is an error with a place.
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_decode::protobuf::{ProtobufObject, RELEASE, is_built_in};
//! # let pod = serde_json::json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}});
//! # let body = kube_decode::encode_protobuf(&pod).unwrap();
//!
//! // The body of a GET with `Accept: application/vnd.kubernetes.protobuf`:
//! let object = ProtobufObject::from_envelope(&body)?;
//! assert_eq!(object.types(), Some(("v1", "Pod")));
//! let pod: Pod = object.decode()?;
//! assert_eq!(pod.metadata.name.as_deref(), Some("web"));
//!
//! assert!(is_built_in("apps/v1", "Deployment"), "not known in Kubernetes {RELEASE}");
//! # Ok::<(), kube_decode::DecodeError>(())
//! ```

#[cfg(feature = "encode")]
#[doc(hidden)]
pub mod encode;
mod envelope;
mod fields;
mod members;
mod path;
mod scalar;
#[doc(hidden)]
pub mod schema;
#[rustfmt::skip]
mod table;
#[cfg(test)]
mod tests;
pub(super) mod value;
mod wire;

#[doc(hidden)]
pub use envelope::{ENCODED, ItemType, MAGIC, types};
pub use envelope::{MEDIA_TYPE, ProtobufObject};
pub(super) use members::{Elements, Entries, MemberValue, Members};
#[doc(hidden)]
pub use scalar::text;
pub(super) use scalar::{SECONDS, Stamp};
pub(super) use schema::is_name;
#[doc(hidden)]
pub use wire::{Cursor, Raw};

/// The newest release of Kubernetes whose types are known. The types of each older release that
/// `k8s-openapi` supports are known, too. Fields of later releases are not seen in protobuf.
/// Request JSON to get them.
pub const RELEASE: &str = table::RELEASE;

/// Returns whether this kind is built in. Servers can send built-in kinds in protobuf.
pub fn is_built_in(api_version: &str, kind: &str) -> bool {
    schema::MessageId::of(api_version, kind).is_some()
}

/// Returns whether a built-in kind has this group and version.
#[doc(hidden)]
pub fn is_built_in_version(api_version: &str) -> bool {
    schema::has_version(api_version)
}
