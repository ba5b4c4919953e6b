//! Decoders of Kubernetes objects: protobuf and JSON, into `k8s-openapi`'s types or any type that
//! implements `Deserialize`.
//!
//! A server sends built-in kinds in protobuf to a client that asks for it. A pod then takes two
//! thirds of the bytes of JSON and half of the work to decode. This crate decodes both:
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_decode::protobuf::ProtobufObject;
//! # let body = kube_decode::encode_protobuf(&serde_json::json!({
//! #     "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
//! # })).unwrap();
//!
//! // The body of an answer:
//! let pod: Pod = ProtobufObject::from_envelope(&body)?.decode()?;
//! assert_eq!(pod.metadata.name.as_deref(), Some("web"));
//! # Ok::<(), kube_decode::DecodeError>(())
//! ```
//!
//! [`SerdeDecode`] decodes both encodings, with a memory limit, and on request without
//! `metadata.managedFields`. [`Decode`] is the interface for an encoding, a projection, or a type
//! that reads only metadata.
//!
//! Nearly everything is decoded by serde. The protobuf of common kinds has direct decoders, which
//! leave every unusual form to serde. No bytes cause a panic. Errors name the field by its path and
//! never quote the object, because it may be a Secret: a key of a map is shown as `*`.
//!
//! This crate sends no requests. `kube-informer` lists and watches with it.

#[cfg(test)]
#[macro_use]
mod sixty;

#[cfg(test)]
mod any_json;
#[doc(hidden)]
pub mod bare;
mod base64;
mod budget;
#[doc(hidden)]
pub mod content;
mod decode;
mod decode_error;
mod direct;
mod dynamic;
mod error;
mod field_set;
mod json;
#[doc(hidden)]
pub mod labels;
#[doc(hidden)]
pub mod names;
mod node;
#[doc(hidden)]
pub mod numbers;
mod path;
#[doc(hidden)]
pub mod private_keys;
mod probe;
pub mod protobuf;
mod rule;
#[cfg(test)]
#[path = "../../../src/seeds.rs"]
mod seeds;
mod serde_decode;
#[doc(hidden)]
pub mod stack;
mod text;
#[doc(hidden)]
pub mod time;
mod value_at;

#[doc(hidden)]
pub use budget::{MEMORY_LIMIT, charged, uncharged};
pub use decode::{Decode, DecodeProtobuf};
pub use decode_error::DecodeError;
#[doc(hidden)]
pub use dynamic::DynamicDecode;
pub use field_set::FieldSet;
#[doc(hidden)]
pub use probe::names_its_fields;
#[cfg(feature = "encode")]
pub use protobuf::encode::encode as encode_protobuf;
pub use serde_decode::SerdeDecode;
#[doc(hidden)]
pub use serde_decode::json;
#[doc(hidden)]
pub use value_at::{value_in_json, value_in_protobuf};

#[cfg(test)]
pub(crate) mod tests;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
