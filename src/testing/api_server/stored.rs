//! One object at one revision, as the server keeps it.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::resource::ResourceType;

/// An object at rest: its bytes, and what selectors look at. Never changed.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) revision: u64,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    /// The values of the type's selectable fields, in its order.
    pub(super) fields: Vec<String>,
    /// The object's JSON behind its kind and apiVersion: `"metadata":{…},…}`.
    tail: Bytes,
    /// The JSON of its metadata.
    metadata: Bytes,
}

/// How an object is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With kind and apiVersion.
    Whole,
    /// Without, as items of built-in lists are.
    Item,
    /// As a `PartialObjectMetadata`.
    Metadata,
}

impl Stored {
    /// Keeps an object whose metadata is in order.
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
            tail: Bytes::from(whole).slice(1..),
            metadata: metadata.into(),
        }
    }

    /// The key it is ordered by.
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
        }
    }

    /// The object as a value, with kind and apiVersion.
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
