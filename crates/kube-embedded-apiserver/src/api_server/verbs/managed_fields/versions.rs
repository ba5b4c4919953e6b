//! The versions in which managers wrote an object, if a webhook converts between them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Value, json};

use crate::api_server::resource::ResourceType;
use crate::api_server::rules::members::at;
use crate::api_server::rules::ownership::{Comparison, compare, problems};
use crate::api_server::rules::shape::Shape;
use crate::api_server::store::Store;
use crate::api_server::verbs::{Part, WriteTarget};
use crate::api_server::webhooks::{self, Conversion, Session};

use super::managers::Managers;
use super::unwritten;

/// The versions of a target's type. Without a webhook, an object has the same form in all.
pub(super) struct Versions<'a> {
    target: &'a WriteTarget<'a>,
    own: String,
    types: &'a [std::sync::Arc<ResourceType>],
    webhook: Option<(&'a Session, &'a Conversion)>,
}

impl<'a> Versions<'a> {
    pub(super) fn of(store: &'a Store, target: &'a WriteTarget<'a>) -> Self {
        // A scale has the same form in all versions.
        let converts = target.part != Part::Scale;
        let conversion = || store.webhooks.conversion(target.resource).filter(|_| converts);
        Self {
            target,
            own: target.resource.api_version(),
            types: store.of(target.resource).map_or(&[][..], |all| &all.versions),
            webhook: target.session.and_then(|session| Some((session, conversion()?))),
        }
    }

    /// Returns the version of the write.
    pub(super) fn own(&self) -> &str {
        &self.own
    }

    /// Returns whether the object is written through its scale.
    pub(super) fn is_of_scale(&self) -> bool {
        self.target.part == Part::Scale
    }

    pub(super) fn shape(&self, version: &str) -> Shape<'a> {
        let known = self.types.iter().find(|known| known.api_version() == version);
        let known = known.filter(|_| self.webhook.is_some());
        Shape::of(known.map_or(self.target.resource, |known| known))
    }

    /// Returns an object in another version. Each conversion leads from or to the write's version.
    pub(super) fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Value, String> {
        let Some((session, conversion)) = self.webhook.filter(|_| from != to) else {
            return Ok(object.clone());
        };
        if !self.types.iter().any(|known| known.api_version() == to) {
            return Err(format!("request to convert CR to an invalid group/version: {to}"));
        }
        let mut object = object.clone();
        object["metadata"].as_object_mut().map(|members| members.remove("managedFields"));
        let short = |version: &str| version.rsplit('/').next().unwrap_or_default().to_owned();
        for (from, to) in [(from, &*self.own), (&*self.own, to)] {
            let versions = (&*short(from), &*short(to));
            let resource = self.target.resource;
            object = webhooks::convert(session, conversion, resource, versions, object)?;
        }
        // A webhook may keep members that the other version does not have.
        problems(self.shape(to), &object).map_or(Ok(object), Err)
    }

    /// Checks that an object of the write's version has a form in each manager's version.
    pub(super) fn check(&self, managers: &Managers, object: &Value) -> Result<(), String> {
        if self.webhook.is_none() {
            return Ok(());
        }
        let versions = managers.0.values().map(|manager| &manager.version);
        versions.into_iter().try_for_each(|to| self.convert(object, &self.own, to).map(drop))
    }

    /// Returns the differences between two objects of the write's version.
    pub(super) fn differences<'o>(&'o self, objects: (&'o Value, &'o Value)) -> Differences<'o> {
        Differences { versions: self, objects, known: BTreeMap::new() }
    }

    /// Converts two objects from the write's version to another one, and compares the fields that
    /// this part of the API writes.
    fn difference(
        &self,
        version: &str,
        (old, new): (&Value, &Value),
    ) -> Result<Comparison, String> {
        let of = |object: &Value, word: &str| {
            self.convert(object, &self.own, version)
                .map_err(|problem| format!("failed to convert {word} object: {problem}"))
        };
        let shape = self.shape(version);
        if self.is_of_scale() {
            let (old, new) =
                (replicas(self.target.resource, old), replicas(self.target.resource, new));
            return Ok(compare(shape, &old, &new));
        }
        if self.webhook.is_none() || version == self.own {
            return Ok(compare(shape, old, new).without(&unwritten(self.target)));
        }
        let (old, new) = (of(old, "old")?, of(new, "new")?);
        Ok(compare(shape, &old, &new).without(&unwritten(self.target)))
    }
}

/// The differences between two objects, each found once.
pub(super) struct Differences<'o> {
    versions: &'o Versions<'o>,
    objects: (&'o Value, &'o Value),
    /// By version. Without a webhook, all versions have that of the write's one.
    known: BTreeMap<String, Comparison>,
}

impl Differences<'_> {
    /// Returns the difference between the objects in a version.
    pub(super) fn of(&mut self, version: &str) -> Result<&Comparison, String> {
        let versions = self.versions;
        let version = if versions.webhook.is_none() { versions.own() } else { version };
        Ok(match self.known.entry(version.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(versions.difference(version, self.objects)?),
        })
    }
}

/// Returns an object with only the number of replicas that it wants.
fn replicas(resource: &ResourceType, object: &Value) -> Value {
    let mut only = json!({});
    let path = resource.scale.iter().flat_map(|paths| paths.spec.split('.'));
    let path: Vec<&str> = path.collect();
    let wanted = path.iter().fold(object, |value, member| &value[*member]);
    if let Some((last, above)) = path.split_last() {
        // The parent exists even without a number, so that it does not count as a change.
        let holder = at(&mut only, above);
        if !wanted.is_null() {
            holder[*last] = wanted.clone();
        }
    }
    only
}
