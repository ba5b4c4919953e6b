//! Stored objects in the forms and encodings of responses.

use bytes::Bytes;
use serde_json::json;

use super::form::Form;
use super::table;
use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::store::stored::Stored;
use kube_decode::protobuf::encode::{encode_message, envelope};

/// Writes an object in a form.
pub(super) fn write(stored: &Stored, resource: &ResourceType, form: Form, out: &mut Vec<u8>) {
    match form {
        Form::Whole => stored.write(resource, out),
        Form::Item => {
            out.push(b'{');
            out.extend_from_slice(stored.tail(resource));
        }
        Form::Metadata => {
            out.extend_from_slice(
                br#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":"#,
            );
            out.extend_from_slice(stored.metadata());
            out.push(b'}');
        }
        Form::Row(include) => {
            let row = table::row(resource, &stored.value(resource), include);
            out.extend_from_slice(row.to_string().as_bytes());
        }
    }
}

/// Writes an object as a response of its own: a row becomes a table with one row.
pub(super) fn write_alone(
    stored: &Stored,
    resource: &ResourceType,
    form: Form,
    with_columns: bool,
    out: &mut Vec<u8>,
) {
    let Form::Row(include) = form else {
        return write(stored, resource, form, out);
    };
    let row = table::row(resource, &stored.value(resource), include);
    let metadata = json!({ "resourceVersion": stored.revision.to_string() });
    let table = table::whole(resource, &metadata, with_columns, &[row]);
    out.extend_from_slice(table.to_string().as_bytes());
}

/// Returns the protobuf message of an object in a form.
pub(super) fn message(
    stored: &Stored,
    resource: &ResourceType,
    form: Form,
) -> Result<Bytes, Failure> {
    let encode = |form: Form| {
        let mut json = Vec::new();
        write(stored, resource, form, &mut json);
        let (version, kind) = form.types(resource);
        let value = serde_json::from_slice(&json).ok();
        let message = value.and_then(|value| encode_message(&version, &kind, &value));
        message.map(Bytes::from).ok_or_else(|| {
            let name = &stored.name;
            Failure::internal(&format!("{kind} {name:?} cannot be written in protobuf"))
        })
    };
    match form {
        Form::Metadata => encode(form),
        _ => stored.message(|| encode(Form::Whole)),
    }
}

/// Returns an object in protobuf, with its envelope.
pub(super) fn in_envelope(
    stored: &Stored,
    resource: &ResourceType,
    form: Form,
) -> Result<Vec<u8>, Failure> {
    let (version, kind) = form.types(resource);
    Ok(envelope(&version, &kind, &message(stored, resource, form)?))
}
