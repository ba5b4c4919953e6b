//! One object at one revision, as the server keeps it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::form::Form;
use super::resource::ResourceType;
use super::{shard, table};
use crate::transport::protobuf::encode::{encode_message, envelope};

/// A stored object: its bytes, and the values for selectors. It never changes.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) revision: u64,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    /// The values of the type's selectable fields, in its order.
    pub(super) fields: Vec<String>,
    /// The hash of the uid.
    pub(super) hash: u64,
    /// The object's JSON behind its kind and apiVersion: `"metadata":{…},…}`.
    tail: Bytes,
    /// The JSON of the metadata.
    metadata: Bytes,
    /// The protobuf message, once it was requested.
    message: OnceLock<Bytes>,
}

impl Stored {
    /// Stores an object whose metadata is valid.
    pub(super) fn new(resource: &ResourceType, revision: u64, mut object: Value) -> Self {
        object["metadata"]["resourceVersion"] = revision.to_string().into();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
        let labels = labels.map(|(key, value)| (key.clone(), text(value))).collect();
        let fields = resource.fields.iter().map(|path| {
            let mut value = &object;
            for member in path.split('.') {
                value = &value[member];
            }
            match value {
                Value::Null => super::builtin::absent(path).to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }
        });
        let (namespace, name) =
            (text(&object["metadata"]["namespace"]), text(&object["metadata"]["name"]));
        let fields = fields.collect();
        let hash = shard::hash(object["metadata"]["uid"].as_str().unwrap_or_default());
        let mut members = match object {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        members.remove("kind");
        members.remove("apiVersion");
        let metadata = members.get("metadata").map(Value::to_string).unwrap_or_default();
        let whole = Value::Object(members).to_string();
        Self {
            revision,
            namespace,
            name,
            labels,
            fields,
            hash,
            tail: Bytes::from(whole).slice(1..),
            metadata: metadata.into(),
            message: OnceLock::new(),
        }
    }

    /// Returns the key that objects are ordered by.
    pub(super) fn key(&self) -> String {
        key(&self.namespace, &self.name)
    }

    pub(super) fn write(&self, resource: &ResourceType, form: Form, out: &mut Vec<u8>) {
        let (kind, version) = (&resource.kind, resource.api_version());
        match form {
            Form::Whole => {
                let head = format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",");
                out.extend_from_slice(head.as_bytes());
                out.extend_from_slice(&self.tail);
            }
            Form::Item => {
                out.push(b'{');
                out.extend_from_slice(&self.tail);
            }
            Form::Metadata => {
                out.extend_from_slice(
                    br#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":"#,
                );
                out.extend_from_slice(&self.metadata);
                out.push(b'}');
            }
            Form::Row(include) => {
                let row = table::row(resource, &self.value(resource), include);
                out.extend_from_slice(row.to_string().as_bytes());
            }
        }
    }

    /// Writes the object as a response of its own: a row becomes a table with one row.
    pub(super) fn write_alone(
        &self,
        resource: &ResourceType,
        form: Form,
        with_columns: bool,
        out: &mut Vec<u8>,
    ) {
        let Form::Row(include) = form else {
            return self.write(resource, form, out);
        };
        let row = table::row(resource, &self.value(resource), include);
        let metadata = json!({ "resourceVersion": self.revision.to_string() });
        let table = table::whole(resource, &metadata, with_columns, &[row]);
        out.extend_from_slice(table.to_string().as_bytes());
    }

    /// Returns the protobuf message of the object in this form.
    pub(super) fn message(&self, resource: &ResourceType, form: Form) -> Bytes {
        let write = |form| {
            let mut json = Vec::new();
            self.write(resource, form, &mut json);
            let value: Value = serde_json::from_slice(&json).unwrap_or_default();
            let (version, kind) = form.types(resource);
            Bytes::from(encode_message(&version, &kind, &value).unwrap_or_default())
        };
        match form {
            Form::Metadata => write(form),
            _ => self.message.get_or_init(|| write(Form::Whole)).clone(),
        }
    }

    /// Returns the object in protobuf, with its envelope.
    pub(super) fn envelope(&self, resource: &ResourceType, form: Form) -> Vec<u8> {
        let (version, kind) = form.types(resource);
        envelope(&version, &kind, &self.message(resource, form))
    }

    /// Returns the object as a value, with kind and apiVersion.
    pub(super) fn value(&self, resource: &ResourceType) -> Value {
        let mut bytes = Vec::new();
        self.write(resource, Form::Whole, &mut bytes);
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

pub(super) fn key(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}
