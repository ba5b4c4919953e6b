//! One object at one revision, as the server keeps it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use serde_json::Value;

use super::shard;
use crate::api_server::resource::{ResourceType, absent, stored_path};

/// An object in several versions of its type.
pub(crate) type Views = Vec<(String, Value)>;

/// A call of a webhook for the form of an object that a watch cache has.
pub(crate) type FormCall = Shared<BoxFuture<'static, Result<Arc<Stored>, String>>>;

/// The largest depth of a stored object. A list adds two levels, and `serde_json` reads 128.
const MOST_DEPTH: usize = 120;

/// The capacity of an object's JSON before it is written, in bytes.
const TYPICAL_SIZE: usize = 1024;

/// A stored object: its bytes, and the values for selectors. It never changes.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) revision: u64,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    /// The values of the type's selectable fields, in its order.
    pub(crate) fields: Vec<String>,
    pub(crate) uid: String,
    /// The hash of the uid.
    pub(crate) hash: u64,
    /// The version in which the object is stored. Empty if it is that of its type's definition.
    pub(crate) version: String,
    /// True if the deletion has begun.
    pub(crate) deleting: bool,
    /// The uids of the owners.
    pub(crate) owners: Vec<String>,
    /// The object's JSON behind its kind and apiVersion: `"metadata":{…},…}`.
    tail: Bytes,
    /// The same in the versions whose objects differ from the stored form.
    views: Vec<(String, Bytes)>,
    /// The JSON of the metadata.
    metadata: Bytes,
    /// The protobuf message, once it was requested.
    message: OnceLock<Bytes>,
    /// The calls for the forms that watch caches have, each with the version as its definition
    /// describes it: a watch that began before a change of the definition asks for another form.
    forms: Mutex<Vec<(Arc<ResourceType>, FormCall)>>,
}

impl Stored {
    /// Stores an object whose metadata is valid and that is not [too deep](is_too_deep). Sets its
    /// version.
    pub(crate) fn new(resource: &ResourceType, revision: u64, object: &mut Value) -> Self {
        object["metadata"]["resourceVersion"] = revision.to_string().into();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
        let labels = labels.map(|(key, value)| (key.clone(), text(value))).collect();
        let fields = resource.fields.iter().map(|path| {
            let mut value = &*object;
            for member in stored_path(path).split('.') {
                value = &value[member];
            }
            match value {
                Value::Null => absent(path).to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }
        });
        let (namespace, name) =
            (text(&object["metadata"]["namespace"]), text(&object["metadata"]["name"]));
        let fields = fields.collect();
        let uid = text(&object["metadata"]["uid"]);
        let deleting = !object["metadata"]["deletionTimestamp"].is_null();
        let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        let owners = owners.map(|owner| text(&owner["uid"])).collect();
        let (tail, metadata) = tail_of(object);
        Self {
            revision,
            namespace,
            name,
            labels,
            fields,
            hash: shard::hash(&uid),
            uid,
            version: String::new(),
            deleting,
            owners,
            metadata: tail.slice(metadata),
            tail,
            views: Vec::new(),
            message: OnceLock::new(),
            forms: Mutex::default(),
        }
    }

    /// Sets the object's form in the versions that differ from the stored form.
    #[must_use]
    pub(crate) fn with_views(mut self, views: Views) -> Self {
        let revision = self.revision.to_string();
        let tail = |(version, mut object): (String, Value)| {
            object["metadata"]["resourceVersion"] = revision.clone().into();
            (version, tail_of(&object).0)
        };
        self.views = views.into_iter().map(tail).collect();
        self
    }

    /// Sets the version in which the object is stored.
    #[must_use]
    pub(crate) fn in_version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Returns the object at a later revision.
    pub(crate) fn at(&self, resource: &ResourceType, revision: u64) -> Self {
        let view = |(version, tail): &(String, Bytes)| {
            let value = serde_json::from_slice(&[b"{", &**tail].concat());
            Some((version.clone(), value.ok()?))
        };
        let views = self.views.iter().filter_map(view).collect();
        let later = Self::new(resource, revision, &mut self.stored_value(resource));
        later.with_views(views).in_version(&self.version)
    }

    /// Returns the same object in a form that was read later.
    pub(crate) fn seen_as(&self, resource: &ResourceType, views: Views) -> Self {
        let seen = Self::new(resource, self.revision, &mut self.stored_value(resource));
        seen.with_views(views).in_version(&self.version)
    }

    /// Returns the size of the object's JSON in bytes, without kind and apiVersion.
    pub(crate) fn size(&self) -> usize {
        self.tail.len() + 1
    }

    /// Returns the key that objects are ordered by.
    pub(crate) fn key(&self) -> String {
        key(&self.namespace, &self.name)
    }

    /// Returns the object as a value, with kind and apiVersion.
    pub(crate) fn value(&self, resource: &ResourceType) -> Value {
        let mut bytes = Vec::new();
        self.write(resource, &mut bytes);
        serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| unreachable!("a stored object can be read: {error}"))
    }

    /// Returns the object in its stored form, with kind and apiVersion.
    pub(crate) fn stored_value(&self, resource: &ResourceType) -> Value {
        let mut bytes = Vec::new();
        write_head(resource, &mut bytes);
        bytes.extend_from_slice(&self.tail);
        serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| unreachable!("a stored object can be read: {error}"))
    }

    /// Writes the object in a version of its type.
    pub(crate) fn write(&self, resource: &ResourceType, out: &mut Vec<u8>) {
        write_head(resource, out);
        out.extend_from_slice(self.tail(resource));
    }

    /// Returns the object's JSON in a version of its type, without kind and apiVersion, but for the
    /// opening brace.
    pub(crate) fn tail(&self, resource: &ResourceType) -> &[u8] {
        let view = self.views.iter().find(|(version, _)| *version == resource.version);
        view.map_or(&self.tail, |(_, tail)| tail)
    }

    /// Returns the JSON of the metadata.
    pub(crate) fn metadata(&self) -> &[u8] {
        &self.metadata
    }

    /// Returns the call for the object's form in the watch cache of a version. `call` begins it,
    /// unless one is running or has succeeded.
    pub(crate) fn form(
        &self,
        resource: &Arc<ResourceType>,
        call: impl FnOnce() -> BoxFuture<'static, Result<Arc<Self>, String>>,
    ) -> FormCall {
        let mut forms = self.forms.lock();
        if let Some((_, form)) = forms.iter_mut().find(|(known, _)| Arc::ptr_eq(known, resource)) {
            // One that failed while nobody waited for it counts, too.
            if matches!(form.clone().now_or_never(), Some(Err(_))) {
                *form = call().shared();
            }
            return form.clone();
        }
        let form = call().shared();
        forms.push((resource.clone(), form.clone()));
        form
    }

    /// Returns the object's form in the watch cache of a version, if a webhook has converted it.
    pub(crate) fn known_form(&self, resource: &ResourceType) -> Option<Arc<Self>> {
        let forms = self.forms.lock();
        let (_, form) =
            forms.iter().find(|(known, _)| std::ptr::eq(Arc::as_ptr(known), resource))?;
        form.clone().now_or_never()?.ok()
    }

    /// Returns the protobuf message, which `encode` makes once.
    pub(crate) fn message<E>(&self, encode: impl FnOnce() -> Result<Bytes, E>) -> Result<Bytes, E> {
        if let Some(known) = self.message.get() {
            return Ok(known.clone());
        }
        let message = encode()?;
        Ok(self.message.get_or_init(|| message).clone())
    }
}

fn write_head(resource: &ResourceType, out: &mut Vec<u8>) {
    let (kind, version) = (&resource.kind, resource.api_version());
    let head = format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",");
    out.extend_from_slice(head.as_bytes());
}

/// Writes an object without kind, apiVersion and the opening brace. Also returns where its metadata
/// is.
fn tail_of(object: &Value) -> (Bytes, Range<usize>) {
    let (mut tail, mut metadata) = (Vec::with_capacity(TYPICAL_SIZE), 0..0);
    for (name, value) in object.as_object().into_iter().flatten() {
        if matches!(name.as_str(), "kind" | "apiVersion") {
            continue;
        }
        if !tail.is_empty() {
            tail.push(b',');
        }
        tail.extend_from_slice(Value::from(name.as_str()).to_string().as_bytes());
        tail.push(b':');
        let start = tail.len();
        // Memory takes every byte, and a value has no number that JSON lacks.
        let _ = serde_json::to_writer(&mut tail, value);
        if name == "metadata" {
            metadata = start..tail.len();
        }
    }
    tail.push(b'}');
    (tail.into(), metadata)
}

/// Returns whether a value is nested more deeply than readers of JSON go, even in a list.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    // On the heap, because the stack is what a deep value exhausts.
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MOST_DEPTH {
            return true;
        }
        match value {
            Value::Array(elements) => open.extend(elements.iter().map(|value| (value, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}

pub(crate) fn key(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}
