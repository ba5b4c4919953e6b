//! Protobuf responses for built-in types, converted from JSON by the table of their fields.

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};

use super::body::ResponseBody;
use super::form::{Encoding, PIECE, data, response};
use kube_decode::protobuf::ProtobufObject;
use kube_decode::protobuf::encode::{around, encode, encode_message, head};

/// Encodes a value of the server's own. A value that cannot be encoded becomes an internal error.
pub(crate) fn value(value: &Value) -> Vec<u8> {
    let unwritable = || {
        let message = format!("{} {} is not a built-in type", value["apiVersion"], value["kind"]);
        encode(&json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
            "reason": "InternalError", "code": 500,
        }))
    };
    encode(value).or_else(unwritable).unwrap_or_default()
}

/// Decodes a body in protobuf.
pub(crate) fn read(body: &[u8]) -> Option<Value> {
    ProtobufObject::from_envelope(body).ok()?.decode().ok()
}

/// Returns a list of these items, encoded in pieces while it is read.
pub(crate) fn list(
    (version, kind): (&str, &str),
    metadata: &Value,
    messages: Vec<Bytes>,
) -> Response<ResponseBody> {
    // An empty list is its metadata, and items may follow it.
    let metadata = encode_message(version, kind, &json!({ "metadata": metadata }));
    let metadata = metadata.unwrap_or_default();
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
    response(StreamBody::new(pieces.boxed()).boxed_unsync(), Encoding::Protobuf, false)
}
