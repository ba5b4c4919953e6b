//! Creates, replaces, patches and deletes.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::resource::ResourceType;
use super::status::Failure;
use super::store::Store;
use super::stored::{Stored, key};

/// Which object is written, as the path names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) resource: &'a ResourceType,
    pub(super) namespace: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) status_only: bool,
}

impl Place<'_> {
    fn name(&self) -> &str {
        self.name.unwrap_or_default()
    }

    fn key(&self) -> String {
        key(self.namespace.unwrap_or_default(), self.name())
    }

    fn current(&self, store: &Store) -> Result<Arc<Stored>, Failure> {
        let collection = store.find(|served| served == self.resource);
        let object = collection.and_then(|collection| collection.objects.get(&self.key()));
        object.cloned().ok_or_else(|| Failure::not_found(self.resource, self.name()))
    }

    /// A body that is an object of this type and place, with its metadata an object.
    fn check(&self, mut object: Value) -> Result<Value, Failure> {
        let Some(members) = object.as_object_mut() else {
            return Err(Failure::bad_request("the object provided is unrecognized"));
        };
        for (member, expected) in
            [("kind", self.resource.kind.clone()), ("apiVersion", self.resource.api_version())]
        {
            let found = members.get(member).and_then(Value::as_str);
            if found.is_some_and(|found| found != expected) {
                let message = format!("{member} of the object does not match what is expected");
                return Err(Failure::bad_request(message));
            }
        }
        let metadata = members.entry("metadata").or_insert_with(|| json!({}));
        if !metadata.is_object() {
            return Err(Failure::bad_request("metadata is no object"));
        }
        match (self.resource.namespaced, self.namespace) {
            (true, Some(namespace)) => {
                let found = metadata["namespace"].as_str();
                if found.is_some_and(|found| !found.is_empty() && found != namespace) {
                    let message = "the namespace of the provided object does not match the \
                                   namespace sent on the request";
                    return Err(Failure::bad_request(message));
                }
                metadata["namespace"] = namespace.into();
            }
            (true, None) => {
                return Err(Failure::bad_request(
                    "an empty namespace may not be set during creation",
                ));
            }
            (false, _) => {
                metadata.as_object_mut().map(|metadata| metadata.remove("namespace"));
            }
        }
        Ok(object)
    }
}

pub(super) fn create(store: &mut Store, place: Place<'_>, object: Value) -> Result<Value, Failure> {
    let mut object = place.check(object)?;
    let metadata = &mut object["metadata"];
    if metadata["resourceVersion"].as_str().is_some_and(|version| !version.is_empty()) {
        let message = "resourceVersion should not be set on objects to be created";
        return Err(Failure::bad_request(message));
    }
    let given = metadata["name"].as_str().unwrap_or_default().to_owned();
    let name = match (&*given, metadata["generateName"].as_str()) {
        ("", Some(prefix)) => format!("{prefix}{}", suffix()),
        _ => given,
    };
    if !is_name(&name) {
        let problem = "a lowercase RFC 1123 subdomain is required";
        return Err(Failure::invalid(&place.resource.kind, &name, "metadata.name", problem));
    }
    metadata["name"] = name.clone().into();
    metadata["uid"] = uid().into();
    metadata["generation"] = 1.into();
    metadata["creationTimestamp"] = now().into();
    let place = Place { name: Some(&name), ..place };
    if place.current(store).is_ok() {
        return Err(Failure::exists(place.resource, &name));
    }
    stored(store, place, object)
}

pub(super) fn replace(
    store: &mut Store,
    place: Place<'_>,
    object: Value,
) -> Result<Value, Failure> {
    let object = place.check(object)?;
    let current = place.current(store)?;
    if object["metadata"]["name"].as_str() != place.name {
        let message = "the name of the object does not match the name on the URL";
        return Err(Failure::bad_request(message));
    }
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    if !version.is_empty() && version != current.revision.to_string() {
        return Err(Failure::conflict(place.resource, place.name()));
    }
    update(store, place, &current, object)
}

pub(super) fn merge_patch(
    store: &mut Store,
    place: Place<'_>,
    patch: &Value,
) -> Result<Value, Failure> {
    let current = place.current(store)?;
    let version = patch["metadata"]["resourceVersion"].as_str();
    if version.is_some_and(|version| version != current.revision.to_string()) {
        return Err(Failure::conflict(place.resource, place.name()));
    }
    let mut object = current.value(place.resource);
    merge(&mut object, patch);
    let object = place.check(object)?;
    update(store, place, &current, object)
}

/// RFC 7386.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (member, value) in members {
        if value.is_null() {
            target.as_object_mut().map(|target| target.remove(member));
        } else {
            merge(&mut target[member], value);
        }
    }
}

/// Puts a new state in place of `current`: what the server sets stays as the server set it.
fn update(
    store: &mut Store,
    place: Place<'_>,
    current: &Arc<Stored>,
    mut object: Value,
) -> Result<Value, Failure> {
    let before = current.value(place.resource);
    if place.status_only {
        let status = object["status"].take();
        object = before.clone();
        object["status"] = status;
    }
    for member in ["uid", "creationTimestamp", "generation", "deletionTimestamp", "name"] {
        let value = &before["metadata"][member];
        if value.is_null() {
            object["metadata"].as_object_mut().map(|metadata| metadata.remove(member));
        } else {
            object["metadata"][member] = value.clone();
        }
    }
    object["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
    object["kind"] = before["kind"].clone();
    object["apiVersion"] = before["apiVersion"].clone();
    if object == before {
        // As on a real server: no change, no revision, no event.
        return Ok(before);
    }
    let asked = |object: &Value| {
        let mut asked = object.clone();
        if let Some(members) = asked.as_object_mut() {
            members.remove("metadata");
            members.remove("status");
        }
        asked
    };
    if asked(&object) != asked(&before) {
        let generation = before["metadata"]["generation"].as_u64().unwrap_or(0);
        object["metadata"]["generation"] = (generation + 1).into();
    }
    let waits = object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty());
    if !object["metadata"]["deletionTimestamp"].is_null() && !waits {
        // The last finalizer is gone: so is the object.
        stored(store, place, object)?;
        return delete(store, place);
    }
    stored(store, place, object)
}

pub(super) fn delete(store: &mut Store, place: Place<'_>) -> Result<Value, Failure> {
    let current = place.current(store)?;
    let mut object = current.value(place.resource);
    let waits = object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty());
    if waits {
        if object["metadata"]["deletionTimestamp"].is_null() {
            object["metadata"]["deletionTimestamp"] = now().into();
            object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
            return stored(store, place, object);
        }
        return Ok(object);
    }
    let removed = store.remove(place.resource, &place.key());
    let last = removed.ok_or_else(|| Failure::not_found(place.resource, place.name()))?;
    Ok(last.value(place.resource))
}

pub(super) fn get(store: &Store, place: Place<'_>) -> Result<Arc<Stored>, Failure> {
    place.current(store)
}

fn stored(store: &mut Store, place: Place<'_>, object: Value) -> Result<Value, Failure> {
    let stored = store.put(place.resource, object).ok_or_else(Failure::not_served)?;
    Ok(stored.value(place.resource))
}

/// A DNS subdomain, as nearly every name is.
fn is_name(name: &str) -> bool {
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.len() <= 253
        && end(name.chars().next())
        && end(name.chars().next_back())
        && name.chars().all(|c| end(Some(c)) || matches!(c, '-' | '.' | ':'))
}

fn suffix() -> String {
    (0..5)
        .map(|_| fastrand::choice(b"bcdfghjklmnpqrstvwxz2456789").map_or('x', |c| char::from(*c)))
        .collect()
}

fn uid() -> String {
    let (high, low) = (fastrand::u64(..), fastrand::u64(..));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

fn now() -> String {
    k8s_openapi::jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
