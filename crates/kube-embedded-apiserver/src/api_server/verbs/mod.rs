//! Creates, replaces and deletes: the effect of a write on the store.
//!
//! A write is checked, completed with what a server sets, and stored. It is atomic under the
//! store's lock. The controllers act on it afterwards.

mod admission;
mod built_in;
pub(crate) mod connect;
mod create;
pub(crate) mod decoding;
mod delete;
pub(crate) mod list;
pub(crate) mod managed_fields;
pub(crate) mod options;
pub(crate) mod patch;
pub(crate) mod pods;
pub(crate) mod reviews;
pub(crate) mod scale;
pub(crate) mod tokens;
mod update;

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::api_server::failure::Failure;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::schema;
use crate::api_server::rules::shape::Source;
use crate::api_server::rules::{metadata, unimplemented};
use crate::api_server::store::Store;
use crate::api_server::store::stored::{Stored, Views, is_too_deep, key};
use crate::api_server::webhooks::{self, Admission, Conversion, Operation, Session};

pub(crate) use self::create::{create, create_as_is};
pub(crate) use self::delete::{delete, delete_all, grace, purge};
pub(crate) use self::update::{replace, update, update_as_is, update_from};

/// The part of an object that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but the status, if the type has a separate status.
    Object,
    Status,
    /// The object, through its scale.
    Scale,
    /// The finalizers of a namespace's spec, with its metadata.
    Finalize,
    /// The conditions of a certificate request that decide about it.
    Approval,
    /// The ephemeral containers of a pod.
    EphemeralContainers,
    /// The resources of a pod's containers.
    Resize,
    /// The object with its status, which only the test process may write.
    Both,
}

impl Part {
    /// Returns the subresource in whose name managers and webhooks see a write.
    fn subresource(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Finalize => "finalize",
            Self::Approval => "approval",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Resize => "resize",
            Self::Object | Self::Both => "",
        }
    }
}

/// The object to write, as the path names it, with the options of the write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteTarget<'a> {
    pub(crate) resource: &'a ResourceType,
    pub(crate) namespace: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) part: Part,
    /// True if nothing is stored.
    pub(crate) dry_run: bool,
    /// The manager of the write, for field ownership.
    pub(crate) manager: &'a str,
    /// True if a write is refused that a rule would judge that is not implemented.
    pub(crate) strict: bool,
    /// The warnings of the response, if there is one.
    pub(crate) warnings: Option<&'a Warnings>,
    /// The webhooks of the request. The test process and the controllers call none.
    pub(crate) session: Option<&'a Session>,
}

/// The warnings about a write, each once.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Mutex<Vec<String>>);

impl Warnings {
    pub(crate) fn add(&self, warnings: impl IntoIterator<Item = String>) {
        let mut known = self.0.lock();
        for warning in warnings {
            if !known.contains(&warning) {
                known.push(warning);
            }
        }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

/// The result of a delete.
#[derive(Debug)]
pub(crate) enum Deleted {
    Gone(Value),
    /// The object waits for finalizers or a grace period.
    Waits(Value),
}

impl<'a> WriteTarget<'a> {
    /// Returns the target of a write that no request asked for.
    pub(crate) fn direct(
        resource: &'a ResourceType,
        namespace: Option<&'a str>,
        name: Option<&'a str>,
        part: Part,
    ) -> Self {
        Self {
            resource,
            namespace,
            name,
            part,
            dry_run: false,
            manager: "",
            strict: false,
            warnings: None,
            session: None,
        }
    }

    /// Returns the write as webhooks judge it, given the state before.
    fn admission<'b>(&'b self, operation: Operation, old: Option<&'b Value>) -> Admission<'b> {
        let subresource = self.part.subresource();
        let kind = (self.part == Part::Scale).then_some(("autoscaling", "v1", "Scale"));
        Admission { target: *self, operation, subresource, kind, old }
    }

    /// Adds warnings to the response.
    pub(crate) fn warn(&self, warnings: impl IntoIterator<Item = String>) {
        if let Some(known) = self.warnings {
            known.add(warnings);
        }
    }

    /// Returns a failure if the write is strict and a rule would judge it that is not implemented.
    fn check_implemented(
        &self,
        store: &Store,
        before: Option<&Value>,
        object: &Value,
    ) -> Result<(), Failure> {
        if !self.strict {
            return Ok(());
        }
        let is_served = |client: &Value| store.webhooks.serves(client);
        let rule = unimplemented::rule(self.resource, before, object, &is_served);
        rule.map_or(Ok(()), |rule| Err(Failure::not_implemented(&rule)))
    }

    /// Returns whether a replace of a missing object creates it.
    fn creates_missing(&self) -> bool {
        self.resource.creates_on_replace && self.part == Part::Object
    }

    fn other_uid(&self, wanted: &str, found: &str) -> Failure {
        Failure::other_uid(self.resource, self.namespace, self.name(), (wanted, found))
    }

    /// Returns a failure if metadata with a uid is not that of the current object.
    fn check_uid(&self, metadata: &Value, current: &Stored) -> Result<(), Failure> {
        match metadata["uid"].as_str().unwrap_or_default() {
            wanted if wanted.is_empty() || wanted == current.uid => Ok(()),
            wanted => Err(self.other_uid(wanted, &current.uid)),
        }
    }

    /// Returns a failure if an object does not have the name of the path.
    pub(crate) fn check_name(&self, object: &Value) -> Result<(), Failure> {
        match object["metadata"]["name"].as_str().unwrap_or_default() {
            "" => Err(Failure::name_missing(self.name())),
            name if name != self.name() => Err(Failure::name_mismatch(name, self.name())),
            _ => Ok(()),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.name.unwrap_or_default()
    }

    pub(crate) fn key(&self) -> String {
        key(self.namespace.unwrap_or_default(), self.name())
    }

    /// Returns the stored object.
    pub(crate) fn stored(&self, store: &Store) -> Option<Arc<Stored>> {
        store.of(self.resource).and_then(|all| all.objects.get(&self.key())).cloned()
    }

    /// Returns the stored object, with its form in the version of the write.
    pub(crate) fn current(&self, store: &Store) -> Result<Arc<Stored>, Failure> {
        let stored = self.stored(store);
        let stored = stored.ok_or_else(|| Failure::not_found(self.resource, self.name()))?;
        match self.session {
            Some(session) => webhooks::current(session, self.resource, &stored),
            None => Ok(stored),
        }
    }

    /// Returns the body as an object of this type and target, whose metadata is an object.
    pub(crate) fn check(&self, mut object: Value) -> Result<Value, Failure> {
        let Some(members) = object.as_object_mut() else {
            return Err(Failure::bad_request("the object provided is unrecognized"));
        };
        for (member, expected) in
            [("kind", self.resource.kind.clone()), ("apiVersion", self.resource.api_version())]
        {
            let found = members.get(member).and_then(Value::as_str);
            if found.is_some_and(|found| !found.is_empty() && found != expected) {
                let message = format!(
                    "the {member} in the data ({}) does not match the expected {member} ({expected})",
                    found.unwrap_or_default()
                );
                return Err(Failure::bad_request(message));
            }
            members.insert(member.into(), expected.into());
        }
        let metadata = members.entry("metadata").or_insert_with(|| json!({}));
        let Some(metadata) = metadata.as_object_mut() else {
            return Err(Failure::bad_request("metadata is not an object"));
        };
        metadata::tidy(metadata);
        match (self.resource.namespaced, self.namespace) {
            (true, Some(namespace)) => {
                let found = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default();
                if !found.is_empty() && found != namespace {
                    let message = "the namespace of the provided object does not match the \
                                   namespace sent on the request";
                    return Err(Failure::bad_request(message));
                }
                metadata.insert("namespace".into(), namespace.into());
            }
            (true, None) => {
                let message = "an empty namespace may not be set during creation";
                return Err(Failure::bad_request(message));
            }
            (false, _) => drop(metadata.remove("namespace")),
        }
        Ok(object)
    }

    /// Returns an object that webhooks may have changed, as one that a client sends.
    fn check_mutated(&self, mut object: Value) -> Result<Value, Failure> {
        // Webhooks have a scheme of their own.
        let failed = |problem: String| match problem.split_once(" in scheme ") {
            Some((problem, _)) => {
                let scheme = "in scheme \"pkg/runtime/scheme.go:111\"";
                Failure::internal(&format!("{problem} {scheme}"))
            }
            None => Failure::internal(&problem),
        };
        decoding::check_kind(self.resource, &object).map_err(failed)?;
        let version = object["apiVersion"].as_str().unwrap_or_default();
        if self.resource.custom && version != self.resource.api_version() {
            return Err(Failure::without_reason(&format!(
                "request to convert CR from an invalid group/version: {version}"
            )));
        }
        patch::check_kind(self.resource, &object)?;
        if object["metadata"]["managedFields"].as_array().is_some_and(Vec::is_empty) {
            take_metadata(&mut object, "managedFields");
        }
        let mut unpruned = object.clone();
        decoding::members(self.resource, Source::Json, &mut object).map_err(failed)?;
        if self.resource.custom {
            // Other webhooks see members that the schema does not know.
            for member in ["labels", "annotations"] {
                if !object["metadata"][member].is_null() {
                    unpruned["metadata"][member] = object["metadata"][member].take();
                }
            }
            object = unpruned;
        }
        let mut object = self.check(object)?;
        if self.resource.custom {
            schema::add_defaults(&self.resource.schema, &mut object);
        }
        built_in::decode(*self, &mut object)?;
        Ok(object)
    }

    /// Stores a new state, unless this is a dry run.
    fn put(&self, store: &mut Store, object: Value) -> Result<Value, Failure> {
        if is_too_deep(&object) {
            return Err(Failure::too_deep());
        }
        if let Some(conversion) = store.webhooks.clone().conversion(self.resource) {
            return self.put_converted(store, conversion, object);
        }
        let mut object = object;
        let version = if self.resource.conversion.is_some() {
            // A webhook that is registered later converts from the version of this write.
            &*self.resource.version
        } else {
            schema::convert_to_storage(self.resource, &mut object);
            ""
        };
        let versions = store.of(self.resource).map_or(&[][..], |all| &all.versions);
        // With equal schemas, the object has the same form in all versions.
        let differ = versions.iter().any(|version| version.storage_schema.is_some());
        let views = if differ { schema::views(versions, &object) } else { Views::new() };
        if self.dry_run {
            let view = views.into_iter().find(|(version, _)| *version == self.resource.version);
            return Ok(view.map_or(object, |(_, view)| view));
        }
        let stored = Stored::new(self.resource, store.revision + 1, &mut object);
        let stored = stored.with_views(views).in_version(version);
        check_size(stored.size())?;
        let stored = store.put(self.resource, stored).ok_or_else(Failure::not_served)?;
        Ok(if differ { stored.value(self.resource) } else { object })
    }

    /// Stores a new state of a type that a webhook converts, unless this is a dry run.
    fn put_converted(
        &self,
        store: &mut Store,
        conversion: &Conversion,
        object: Value,
    ) -> Result<Value, Failure> {
        let known = self.stored(store).map(|stored| stored.version.clone());
        let (mut stored, mut seen, version) = match self.session {
            Some(session) => {
                let (stored, seen) =
                    webhooks::stored_and_seen(session, conversion, self.resource, object)?;
                (stored, seen, conversion.storage.clone())
            }
            // The controllers change only metadata, in the form that is stored.
            None => (object.clone(), object, known.unwrap_or_default()),
        };
        if self.dry_run {
            return Ok(seen);
        }
        let revision = store.revision + 1;
        let stored = Stored::new(self.resource, revision, &mut stored).in_version(&version);
        check_size(stored.size())?;
        store.put(self.resource, stored).ok_or_else(Failure::not_served)?;
        seen["metadata"]["resourceVersion"] = revision.to_string().into();
        Ok(seen)
    }

    /// Removes the object, unless this is a dry run.
    fn remove(&self, store: &mut Store, current: &Stored) -> Result<Value, Failure> {
        if self.dry_run {
            return Ok(current.value(self.resource));
        }
        let removed = store.remove(self.resource, &self.key());
        let last = removed.ok_or_else(|| Failure::not_found(self.resource, self.name()))?;
        Ok(last.value(self.resource))
    }
}

/// The largest object that a real server's storage takes, in bytes.
const LARGEST: usize = 3 * 512 * 1024;

/// The largest message to that storage, in bytes.
const LARGEST_MESSAGE: usize = 2 * 1024 * 1024;

/// Returns a failure if an object of this size is too large for a real server's storage.
fn check_size(size: usize) -> Result<(), Failure> {
    match size {
        ..LARGEST => Ok(()),
        LARGEST..LARGEST_MESSAGE => {
            Err(Failure::without_reason("etcdserver: request is too large"))
        }
        size => Err(Failure::without_reason(&format!(
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max \
             ({size} vs. {LARGEST_MESSAGE})"
        ))),
    }
}

/// Returns whether the object has finalizers.
fn has_finalizers(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty())
}

/// Returns whether nothing holds up the removal of an object that is being deleted.
fn is_over(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let grace = metadata["deletionGracePeriodSeconds"].as_u64().unwrap_or(0);
    let is_namespace = object["kind"] == "Namespace" && object["apiVersion"] == "v1";
    // The content of a namespace has a finalizer of its own.
    let finalized =
        !is_namespace || object["spec"]["finalizers"].as_array().is_none_or(Vec::is_empty);
    !metadata["deletionTimestamp"].is_null() && grace == 0 && finalized && !has_finalizers(object)
}

/// Removes a member of an object's metadata.
fn take_metadata(object: &mut Value, member: &str) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove(member);
    }
}
