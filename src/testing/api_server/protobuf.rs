//! Answers in protobuf, for built-in types: the JSON of an answer, written by the table of their fields.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};

use super::ResponseBody;
use super::form::{Encoding, Form};
use super::list::{PIECE, data, written};
use super::resource::ResourceType;
use super::stored::Stored;
use crate::transport::protobuf::ProtobufObject;
use crate::transport::protobuf::encode::{around, encode, encode_message, head};

/// An object in its envelope.
pub(super) fn object(stored: &Stored, resource: &ResourceType, form: Form) -> Vec<u8> {
    let (version, kind) = types(resource, form);
    let message = stored.message(resource, form);
    let (before, after) = around(&version, &kind, message.len());
    [&before, &message[..], &after].concat()
}

/// A value that the server made itself. Whatever can't be written, its own fault, is told as such.
pub(super) fn value(value: &Value) -> Vec<u8> {
    let unwritable = || {
        let message = format!("{} {} is no built-in type", value["apiVersion"], value["kind"]);
        encode(&json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
            "reason": "InternalError", "code": 500,
        }))
    };
    encode(value).or_else(unwritable).unwrap_or_default()
}

/// What a client sent in protobuf.
pub(super) fn read(body: &[u8]) -> Option<Value> {
    ProtobufObject::from_envelope(body).ok()?.decode().ok()
}

/// A list, written piece by piece while it is read.
pub(super) fn list(
    resource: &ResourceType,
    (version, kind): (&str, &str),
    metadata: &Value,
    items: &[Arc<Stored>],
    form: Form,
) -> Response<ResponseBody> {
    // A list of nothing is its metadata, and items can follow it.
    let metadata = encode_message(version, kind, &json!({ "metadata": metadata }));
    let metadata = metadata.unwrap_or_default();
    let messages: Vec<Bytes> = items.iter().map(|item| item.message(resource, form)).collect();
    let size = |message: &Bytes| head(2, message.len()).len() + message.len();
    let length = metadata.len() + messages.iter().map(size).sum::<usize>();
    let (mut first, last) = around(version, kind, length);
    first.extend(metadata);
    let state = (first, messages.into_iter(), Some(last));
    let pieces = stream::unfold(state, |(mut piece, mut messages, mut last)| async move {
        last.as_ref()?;
        while piece.len() < PIECE {
            let Some(message) = messages.next() else {
                piece.extend(last.take().unwrap_or_default());
                break;
            };
            piece.extend(head(2, message.len()));
            piece.extend_from_slice(&message);
        }
        Some((Ok(data(piece)), (Vec::new(), messages, last)))
    });
    written(StreamBody::new(pieces.boxed()).boxed_unsync(), Encoding::Protobuf, false)
}

/// What an object says it is, in this form.
pub(super) fn types(resource: &ResourceType, form: Form) -> (String, String) {
    match form {
        Form::Metadata => ("meta.k8s.io/v1".into(), "PartialObjectMetadata".into()),
        _ => (resource.api_version(), resource.kind.clone()),
    }
}
