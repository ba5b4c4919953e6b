//! One apply: the comparison with the cache, the request, and its answer.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::client::Body;
use kube::{Client, Resource};
use kube_decode::numbers::check_numbers;
use kube_decode::{Decode, SerdeDecode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::configuration::{Configuration, is_secret, lost};
use super::digest::Digest;
use super::error::{ApplyError, FieldConflict};
use super::hidden::{Evidence, HiddenFields, shows_none};
use super::owned_fields::{OwnedFields, Unordered};
use super::records::{Record, RecordState, RecordedVersion, Records, Section};
use super::target::{Desired, RequestedApply, meta};
use crate::controller::current_won;
use kube_informer::indexer::Snapshot;
use kube_informer::informer::{InformerGroup, ReadBarrier, SharedInformer};
use kube_informer::object::{AnyObject, ObjectKey, ResourceVersion, ShardSelector};
use kube_informer::seams::{KindReach, catch, read_body, refusal, without_credentials};

/// The problem of an object that this applier was not made for.
const STRANGE: &str = "it is of another type";

/// The problem of a type whose `Serialize` panicked.
const PANICKED: &str = "the type's code panicked when it was to be written as JSON";

/// The state that all clones of an applier share. It is compiled once, for objects of any type.
pub(super) struct Exchange {
    pub(super) client: Client,
    pub(super) informers: InformerGroup,
    pub(super) object_type: ObjectType,
    /// The resource, as `kubectl` writes it.
    pub(super) resource: Arc<str>,
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Returns the path of the collection in a namespace.
    pub(super) path: Box<PathOf>,
    pub(super) manager: String,
    pub(super) force: bool,
    pub(super) records: Arc<Records>,
    pub(super) hidden: HiddenFields,
    pub(super) sent: AtomicU64,
    pub(super) unchanged: AtomicU64,
}

/// The type of the objects, and its code.
pub(super) struct ObjectType {
    id: TypeId,
    name: &'static str,
    pub(super) reach: KindReach,
    pub(super) to_value: fn(&dyn AnyObject) -> Result<Value, String>,
    from_value: fn(&Value) -> Result<Arc<dyn AnyObject>, String>,
}

/// A function from a namespace, or `None`, to the path of the collection.
type PathOf = dyn Fn(Option<&str>) -> String + Send + Sync;

/// The object of an apply, and whether the configuration was sent. The object is then the server's
/// answer, and otherwise the cached one.
type Outcome = (Arc<dyn AnyObject>, bool);

/// The answer to an apply.
pub(super) struct ApplyAnswer {
    pub(super) object: Arc<dyn AnyObject>,
    /// `None` if the answer has no version.
    pub(super) record: Option<Record>,
    /// True if the object has the values of the configuration, written as there.
    pub(super) shows_values: bool,
}

impl ObjectType {
    pub(super) fn of<K>() -> Self
    where
        K: Resource + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self {
            id: TypeId::of::<K>(),
            name: type_name::<K>(),
            reach: KindReach::of::<K>(),
            to_value: to_value::<K>,
            from_value: from_value::<K>,
        }
    }

    fn is_of(&self, object: &dyn AnyObject) -> bool {
        (object as &dyn Any).type_id() == self.id
    }

    fn projected(&self, target: &RequestedApply<'_>, field: String) -> ApplyError {
        ApplyError::Projected { object: target.to_string(), type_name: self.name, field }
    }
}

impl Exchange {
    /// Applies a section of an object.
    pub(super) fn apply<'a>(
        &'a self,
        desired: Desired<'a>,
        section: Section,
    ) -> BoxFuture<'a, Result<Outcome, ApplyError>> {
        self.apply_section(desired, section).boxed()
    }

    async fn apply_section(
        &self,
        desired: Desired<'_>,
        section: Section,
    ) -> Result<Outcome, ApplyError> {
        let whole = match desired {
            Desired::Object(object) => Some(object),
            Desired::Part { .. } => None,
        };
        let target = self.target(desired, section)?;
        // With a cache that is never filled, everything would be sent for ever. Errors do not
        // matter: without a runtime no request follows, and a stopped informer is not asked.
        let _started = target.informer.start();
        let store = target.informer.snapshot();
        let record = self.records.get(&target.key, section);
        if let Some(cached) = self.unchanged(&target, &store, record.as_ref()) {
            self.unchanged.fetch_add(1, Ordering::Relaxed);
            return Ok((cached, false));
        }
        let overlooked = record.filter(|record| {
            store.get_cached(&target.key).is_none()
                && store.has_reached(&record.version)
                && !target.informer.is_stopped()
        });
        let cached = store.get_cached(&target.key).and_then(|cached| cached.version());
        let (at, shard) = ((ReadBarrier::now(), store.epoch()), store.shard().cloned());
        drop(store);
        // A part may lack members that the type demands: only the answer shows what the type loses.
        if let Some(object) = whole {
            self.check(&target, object)?;
        }
        let flight = self.records.begin(&target.key, section, |key, at| self.sight(key, at));
        let mut tries = 0;
        let ApplyAnswer { object, record, .. } = loop {
            tries += 1;
            self.sent.fetch_add(1, Ordering::Relaxed);
            let answer = self.send(&target).await?;
            let answer = self.read(&target, &answer, at, shard.as_ref(), whole.is_some())?;
            let is_new = |record: &Record| {
                cached.as_ref().is_none_or(|cached| !cached.is_at_least(&record.version))
            };
            // Either the server writes the values differently, and answers the same again, or a
            // proxy has answered with the object as it was.
            if answer.shows_values || answer.record.as_ref().is_none_or(is_new) || tries > 1 {
                break answer;
            }
        };
        let not_held = overlooked.is_some_and(|overlooked| {
            record.as_ref().is_some_and(|record| {
                (&overlooked.uid, &overlooked.version) == (&record.uid, &record.version)
            })
        });
        if let Some(record) = record {
            flight.answered(record);
        }
        if not_held {
            return Err(ApplyError::NotHeld { object: target.to_string() });
        }
        Ok((object, true))
    }

    /// Checks that the type can hold what it applies.
    fn check(
        &self,
        target: &RequestedApply<'_>,
        desired: &dyn AnyObject,
    ) -> Result<(), ApplyError> {
        let of = &self.object_type;
        let read = (of.to_value)(desired).and_then(|value| (of.from_value)(&value));
        let read = read.and_then(|object| (of.to_value)(&*object));
        let read = read.map_err(|reason| ApplyError::Unserializable {
            object: target.to_string(),
            reason: format!("its type cannot read what it writes: {reason}"),
        })?;
        let read = Configuration::new(read, &self.address(&target.key), target.section);
        match lost(&target.configuration.fields(), &read.fields()) {
            None => Ok(()),
            Some(field) => Err(of.projected(target, field)),
        }
    }

    /// Returns the cached object if it shows that an apply would change nothing.
    fn unchanged(
        &self,
        target: &RequestedApply<'_>,
        store: &Snapshot,
        record: Option<&Record>,
    ) -> Option<Arc<dyn AnyObject>> {
        let RequestedApply { informer, key, section, configuration, .. } = target;
        let (record, cached) = (record?, store.get_cached(key)?);
        let version = cached.version()?;
        // A cache that lags behind the answer, or whose informer has stopped, proves nothing.
        let comparable = version.is_at_least(&record.version);
        if record.owned.digest_of(configuration) != record.desired
            || configuration.names_version()
            || record.begun < current_won()
            || record.epoch != store.epoch()
            || record.tenure != store.shard().and_then(|of| of.stamp(cached.place(of.key())?))
            || record.uid.as_deref() != cached.uid()
            || !comparable
            || store.is_stale(key)
            || informer.is_stopped()
        {
            return None;
        }
        let object = cached.read(None).filter(|object| self.object_type.is_of(&**object))?;
        let is_the_answer = record.version == version;
        if is_the_answer && record.confirmed {
            return Some(object);
        }
        let value = (self.object_type.to_value)(&*object).ok()?;
        // Its fields may have other names there.
        let is_in_other_version = self.is_in_other_version(&value);
        if is_the_answer {
            // The object is the server's answer. If the cache holds it in a slightly different
            // form, for example because it came as protobuf, that form is the one to compare with.
            let values = match record.values {
                _ if is_in_other_version => {
                    let hidden = Some(".apiVersion".to_owned());
                    self.evidence(&record.owned, hidden, &value, *section)
                }
                Evidence::State(_) => Evidence::state(&value, *section),
                fields if fields == Evidence::Fields(record.owned.digest(&value)) => fields,
                Evidence::Fields(_) => {
                    let hidden = record.owned.hidden(&configuration.fields(), &value);
                    self.evidence(&record.owned, hidden, &value, *section)
                }
            };
            self.records.confirm(key, *section, record, values);
            return Some(object);
        }
        let values = match record.values {
            Evidence::Fields(_) if is_in_other_version => return None,
            Evidence::Fields(_) => Evidence::Fields(record.owned.digest(&value)),
            Evidence::State(_) => Evidence::state(&value, *section),
        };
        (values == record.values && self.owns_fields(informer, &*object, *section, record))
            .then_some(object)
    }

    /// Returns whether a cached object states another version of its kind than is applied.
    fn is_in_other_version(&self, cached: &Value) -> bool {
        let stated = cached["apiVersion"].as_str().filter(|stated| !stated.is_empty());
        stated.is_some_and(|stated| stated != self.api_version)
    }

    /// Returns what shows a change of the fields that a configuration has set. `hidden` is the path
    /// of one that the object does not show.
    fn evidence(
        &self,
        owned: &OwnedFields,
        hidden: Option<String>,
        object: &Value,
        section: Section,
    ) -> Evidence {
        match hidden {
            None => Evidence::Fields(owned.digest(object)),
            Some(field) => {
                self.hidden.note(&self.resource, &self.manager, &self.without_keys(field));
                Evidence::state(object, section)
            }
        }
    }

    /// Returns the path of a field. That of a Secret's datum has no key: it may tell a secret.
    fn without_keys(&self, field: String) -> String {
        let is_datum = is_secret(&self.api_version, &self.kind) && field.starts_with(".data.");
        if is_datum { ".data.*".to_owned() } else { field }
    }

    /// Returns whether the manager still owns its fields, as far as the cached object shows.
    fn owns_fields(
        &self,
        informer: &SharedInformer,
        cached: &dyn AnyObject,
        section: Section,
        record: &Record,
    ) -> bool {
        let Some(ownership) = record.ownership else { return true };
        let entries = meta(cached).managed_fields.as_deref().unwrap_or_default();
        let mut own = entries.iter().filter(|e| e.manager.as_deref() == Some(&*self.manager));
        if own.clone().next().is_none() && !informer.keeps_managed_fields(&self.manager) {
            return true;
        }
        let fields = own.find(|entry| {
            entry.operation.as_deref() == Some("Apply")
                && entry.subresource.as_deref().unwrap_or_default() == subresource(section)
        });
        let fields = fields.and_then(|entry| entry.fields_v1.as_ref()).map(|fields| &fields.0);
        ownership == Digest::of(fields.unwrap_or(&Value::Null))
    }

    /// Returns the cache's view of a record's object.
    fn sight(&self, key: &ObjectKey, record: &RecordedVersion) -> RecordState {
        let Some(informer) = self.informers.informer_of(key) else { return RecordState::Gone };
        let store = informer.snapshot();
        let cached = store.get_cached(key);
        if cached.is_some_and(|cached| cached.uid() == record.uid.as_deref()) {
            RecordState::Held
        } else if record.epoch == store.epoch() && !store.has_reached(&record.version) {
            RecordState::NotYet
        } else {
            RecordState::Gone
        }
    }

    /// Sends the configuration. Returns the body of a successful answer.
    async fn send(&self, target: &RequestedApply<'_>) -> Result<Value, ApplyError> {
        let RequestedApply { key, configuration, section, .. } = target;
        let status = matches!(section, Section::Status);
        let failed = |source| ApplyError::Request { object: target.to_string(), source, status };
        let path = (self.path)(key.namespace());
        let request = configuration.request(path, key.name(), &self.manager, self.force);
        let request = request.map_err(|error| failed(kube::Error::BuildRequest(error)))?;
        // Not `Client::request`, which logs a body that it cannot parse: it may hold Secrets.
        let answer = self.client.send(request.map(Body::from)).await;
        let answer = answer.map_err(|error| failed(without_credentials(error)))?;
        let (parts, body) = answer.into_parts();
        let body = read_body(body).await.map_err(failed)?;
        if parts.status.is_success() {
            return kube_decode::json(&body).map_err(|error| target.unreadable(error.to_string()));
        }
        let status = refusal(parts.status, &parts.headers, &body);
        let conflicts = FieldConflict::of(&status);
        Err(if conflicts.is_empty() {
            failed(kube::Error::Api(status.boxed()))
        } else {
            ApplyError::Conflict { object: target.to_string(), conflicts }
        })
    }

    /// Reads an answer. The record is `None` if the answer has no version.
    fn read(
        &self,
        target: &RequestedApply<'_>,
        answer: &Value,
        (begun, epoch): (ReadBarrier, u64),
        shard: Option<&ShardSelector>,
        is_whole: bool,
    ) -> Result<ApplyAnswer, ApplyError> {
        let of = &self.object_type;
        let object = (of.from_value)(answer).map_err(|reason| target.unreadable(reason))?;
        let meta = meta(&*object);
        let namespace = meta.namespace.as_deref().filter(|namespace| !namespace.is_empty());
        let is_elsewhere = namespace.is_some() && namespace != target.key.namespace();
        if meta.name.as_deref() != Some(target.key.name()) || is_elsewhere {
            let reason = "it is not about this object: its name is missing or another, or its \
                          namespace is another";
            return Err(target.unreadable(reason.to_owned()));
        }
        let seen = (of.to_value)(&*object).map_err(|reason| target.unreadable(reason))?;
        let own = own_fields(answer, &self.manager, subresource(target.section));
        let configured = target.configuration.fields();
        let read = |other: &Value| (of.from_value)(other).and_then(|other| (of.to_value)(&*other));
        let mut asked = OwnedFields::of_configuration(&configured);
        let unordered = Unordered::of(&configured, &seen, read);
        asked.unordered = unordered.clone();
        let shows_values = asked.digest(&target.configuration.body) == asked.digest(&seen);
        let shows_any = shows_values || shows_none(&configured, &seen);
        if own == Some(&Value::Null) && !shows_any {
            // A proxy may answer with the object as it was.
            let reason = "it shows neither the configuration nor a field of this manager";
            return Err(target.unreadable(reason.to_owned()));
        }
        let (mut owned, named, ownership) = match (own, own.and_then(OwnedFields::from_fields_v1)) {
            (Some(fields), Some(mut owned)) => {
                let added = owned.cover(&configured).then_some(&configured);
                (owned, Some(json!([fields, added])), Some(Digest::of(fields)))
            }
            (fields, _) => {
                // A manager that applies no field owns none.
                let none = fields.filter(|_| configured == json!({}));
                (asked, None, none.map(Digest::of))
            }
        };
        let unseen = owned.unseen(answer, &seen, read);
        let mut hidden = unseen.map_err(|field| of.projected(target, self.without_keys(field)))?;
        // A part may ask for an order that the cache does not show.
        hidden = hidden.or_else(|| owned.unseen_order(&unordered, is_whole, answer, &seen));
        owned.unordered = if is_whole { unordered } else { Unordered::default() };
        let hidden = hidden.or_else(|| owned.hidden(&configured, answer));
        let owned = match named {
            Some(named) => {
                let name = Digest::of(&json!([named, owned.unordered.to_value()]));
                self.records.share(name, || owned)
            }
            None => Arc::new(owned),
        };
        let version = meta.resource_version.as_deref().filter(|version| !version.is_empty());
        let record = version.map(|version| Record {
            uid: meta.uid.clone(),
            version: ResourceVersion::from(version),
            epoch,
            tenure: shard.and_then(|of| of.stamp(of.key().hash(meta))),
            begun,
            desired: owned.digest_of(&target.configuration),
            values: self.evidence(&owned, hidden, &seen, target.section),
            owned,
            ownership,
            confirmed: false,
        });
        Ok(ApplyAnswer { object, record, shows_values })
    }
}

/// Serialises an object.
fn to_value<K: Serialize + 'static>(object: &dyn AnyObject) -> Result<Value, String> {
    let Some(object) = (object as &dyn Any).downcast_ref::<K>() else {
        return Err(STRANGE.to_owned());
    };
    serialized(object)
}

/// Serialises a value. The error quotes nothing of it, as the message of a panic may.
pub(super) fn serialized(value: impl Serialize) -> Result<Value, String> {
    let refused = |_| "a value cannot be written as JSON".to_owned();
    catch(|| {
        let written = serde_json::to_value(&value).map_err(refused)?;
        check_numbers(&written, &value)?;
        Ok(written)
    })
    .unwrap_or_else(|_| Err(PANICKED.to_owned()))
}

/// Reads an object. The error quotes nothing of it, as the message of a panic may.
///
/// It is decoded as an informer's objects are: a program then contains the type's code once.
fn from_value<K>(value: &Value) -> Result<Arc<dyn AnyObject>, String>
where
    K: Resource + DeserializeOwned + Send + Sync + 'static,
{
    let text = value.to_string();
    let problem = match catch(|| SerdeDecode::<K>::new().decode(text.as_bytes())) {
        Ok(Ok(object)) => return Ok(Arc::new(object)),
        Ok(Err(error)) => error.to_string(),
        Err(_) => return Err("the decoder panicked".to_owned()),
    };
    // The place is that of the text above, which nobody sees.
    Err(problem.rsplit_once(" at line ").map_or(&*problem, |(problem, _)| problem).to_owned())
}

fn subresource(section: Section) -> &'static str {
    match section {
        Section::Main => "",
        Section::Status => "status",
    }
}

/// Returns the fields that a manager owns through applies: null if none. Returns `None` if the
/// answer has no managed fields at all.
fn own_fields<'a>(answer: &'a Value, manager: &str, subresource: &str) -> Option<&'a Value> {
    let entries = answer["metadata"]["managedFields"].as_array()?;
    let own = entries.iter().find(|entry| {
        entry["manager"] == manager
            && entry["operation"] == "Apply"
            && entry["subresource"].as_str().unwrap_or_default() == subresource
    });
    Some(own.map_or(&Value::Null, |entry| &entry["fieldsV1"]))
}
