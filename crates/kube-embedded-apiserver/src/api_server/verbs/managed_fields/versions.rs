//! The versions in which managers wrote an object, and the conversions between them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Value, json};

use crate::api_server::resource::ResourceType;
use crate::api_server::rules::members::at;
use crate::api_server::rules::ownership::{Comparison, compare, problems_of_whole};
use crate::api_server::rules::shape::Shape;
use crate::api_server::store::Store;
use crate::api_server::verbs::{Part, WriteTarget};
use crate::api_server::webhooks::{self, Conversion, Session};

use super::managers::Managers;
use super::unwritten;

/// The versions of a target's type.
pub(super) struct Versions<'a> {
    target: &'a WriteTarget<'a>,
    own: String,
    types: &'a [std::sync::Arc<ResourceType>],
    conversion: Converting<'a>,
}

/// The conversion between the versions of a type.
#[derive(Clone, Copy)]
enum Converting<'a> {
    /// All versions are taken for the same one.
    Nothing,
    /// An object keeps its members in every version, whose schema may not know them.
    Version,
    Webhook(&'a Session, &'a Conversion),
}

impl<'a> Versions<'a> {
    pub(super) fn of(store: &'a Store, target: &'a WriteTarget<'a>) -> Self {
        let resource = target.resource;
        let conversion = match (target.session, store.webhooks.conversion(resource)) {
            // A scale has the same form in all versions.
            _ if target.part == Part::Scale => Converting::Nothing,
            (Some(session), Some(conversion)) => Converting::Webhook(session, conversion),
            (_, None) if resource.custom && resource.conversion.is_none() => Converting::Version,
            _ => Converting::Nothing,
        };
        Self {
            target,
            own: target.resource.api_version(),
            types: store.of(target.resource).map_or(&[][..], |all| &all.versions),
            conversion,
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

    fn converts(&self) -> bool {
        !matches!(self.conversion, Converting::Nothing)
    }

    pub(super) fn shape(&self, version: &str) -> Shape<'a> {
        let known = self.types.iter().find(|known| known.api_version() == version);
        let known = known.filter(|_| self.converts());
        Shape::of(known.map_or(self.target.resource, |known| known))
    }

    /// Returns an object in another version. Each conversion leads from or to the write's version.
    pub(super) fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Value, String> {
        if from == to || !self.converts() {
            return Ok(object.clone());
        }
        if !self.types.iter().any(|known| known.api_version() == to) {
            if matches!(self.conversion, Converting::Version) {
                // The schema of a version that is not served is not at hand.
                return Ok(object.clone());
            }
            return Err(format!("request to convert CR to an invalid group/version: {to}"));
        }
        let mut object = object.clone();
        object["metadata"].as_object_mut().map(|members| members.remove("managedFields"));
        if let Converting::Webhook(session, conversion) = self.conversion {
            let short = |version: &str| version.rsplit('/').next().unwrap_or_default().to_owned();
            for (from, to) in [(from, &*self.own), (&*self.own, to)] {
                let versions = (&*short(from), &*short(to));
                let resource = self.target.resource;
                object = webhooks::convert(session, conversion, resource, versions, object)?;
            }
        } else {
            object["apiVersion"] = to.into();
        }
        // The other version may not have all members.
        problems_of_whole(self.shape(to), &object).map_or(Ok(object), Err)
    }

    /// Checks that an object of the write's version has a form in each manager's version.
    pub(super) fn check(&self, managers: &Managers, object: &Value) -> Result<(), String> {
        if !self.converts() {
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
        if version == self.own || !self.converts() {
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
    /// By version. Without a conversion, all versions have that of the write's one.
    known: BTreeMap<String, Comparison>,
}

impl Differences<'_> {
    /// Returns the difference between the objects in a version.
    pub(super) fn of(&mut self, version: &str) -> Result<&Comparison, String> {
        let versions = self.versions;
        let version = if versions.converts() { version } else { versions.own() };
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
