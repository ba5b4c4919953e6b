//! Field ownership: `metadata.managedFields`, updated by every write that is a request.
//!
//! A write makes its manager the owner of what it sets or changes, and removes that from all other
//! managers. Server-side apply checks for conflicts first (see [`apply`]). Direct writes of the
//! test have no owner.

pub(crate) mod apply;
mod managers;
mod versions;

use serde_json::{Value, json};

use self::managers::{Identity, Manager, Managers};
use self::versions::Versions;
use super::{Part, WriteTarget};
use crate::api_server::failure::Failure;
use crate::api_server::names::now;
use crate::api_server::rules::ownership::{Set, compare, problems_of_whole};
use crate::api_server::rules::shape::{self, Shape};
use crate::api_server::store::Store;
use crate::api_server::webhooks::{self, Session};

/// Fields that no manager owns.
const UNOWNED: [&[&str]; 12] = [
    &["f:apiVersion"],
    &["f:kind"],
    &["f:metadata"],
    &["f:metadata", "f:name"],
    &["f:metadata", "f:namespace"],
    &["f:metadata", "f:creationTimestamp"],
    &["f:metadata", "f:selfLink"],
    &["f:metadata", "f:uid"],
    &["f:metadata", "f:clusterName"],
    &["f:metadata", "f:generation"],
    &["f:metadata", "f:managedFields"],
    &["f:metadata", "f:resourceVersion"],
];

fn set(paths: &[&[&str]]) -> Set {
    let mut set = Set::default();
    for path in paths {
        set.insert_path(path);
    }
    set
}

/// Returns the fields that this part of the API does not write.
fn unwritten(target: &WriteTarget<'_>) -> Set {
    match target.part {
        _ if untracked(target) => set(&[&["f:spec"], &["f:status"]]),
        Part::Status if target.resource.custom => set(&[&["f:metadata"], &["f:spec"]]),
        Part::Status | Part::Approval => {
            let mut unwritten = set(&[&["f:spec"]]);
            for member in target.resource.kept_by_status {
                unwritten.insert_path(&["f:metadata", &format!("f:{member}")]);
            }
            unwritten
        }
        _ if target.resource.status => set(&[&["f:status"]]),
        _ => Set::default(),
    }
}

/// Returns whether the type's objects have no owners of specification and status.
fn untracked(target: &WriteTarget<'_>) -> bool {
    target.resource.qualified() == "certificatesigningrequests.certificates.k8s.io"
}

fn identity(target: &WriteTarget<'_>, name: &str, applies: bool) -> Identity {
    Identity::new(name, applies, &target.resource.api_version(), target.part.subresource())
}

/// Returns whether a request asks to forget all managers.
fn is_reset(entries: &Value) -> bool {
    entries.as_array().is_some_and(|entries| match &**entries {
        [] => true,
        [only] => *only == json!({}),
        _ => false,
    })
}

/// Returns the managers that count for a write: those that the new object names, or else those of
/// the old one.
fn given(target: &WriteTarget<'_>, before: &Value, after: &Value) -> Managers {
    let live = || Managers::read(before).unwrap_or_default();
    if !matches!(target.part, Part::Object | Part::Both) {
        return live();
    }
    if is_reset(after) {
        return Managers::default();
    }
    Managers::read(after).filter(|managers| !managers.is_empty()).unwrap_or_else(live)
}

/// Records that `target`'s manager changed `before` to `after`, by any write except an apply. The
/// only failure is that of a webhook that has not answered yet.
pub(crate) fn track(
    store: &Store,
    target: &WriteTarget<'_>,
    before: Option<&Value>,
    after: &mut Value,
) -> Result<(), Failure> {
    if target.part == Part::Both {
        // The test process writes the entries that it likes.
        return Ok(());
    }
    let known = before.map_or(&Value::Null, |before| &before["metadata"]["managedFields"]);
    let mut managers = given(target, known, &after["metadata"]["managedFields"]);
    set_entries(after, Vec::new());
    // Without managers, tracking has ended. An apply begins it again.
    if before.is_some() && managers.is_empty() {
        return Ok(());
    }
    let shape = Shape::of(target.resource);
    let empty = before.is_none().then(|| shape::empty(shape));
    let old = before.or(empty.as_ref()).unwrap_or(&Value::Null);
    let updated = if target.session.is_some() && target.resource.custom {
        problems_of_whole(shape, after).map_or(Ok(()), Err)
    } else {
        Ok(())
    };
    let versions = Versions::of(store, target);
    let updated = updated
        .and_then(|()| versions.check(&managers, old))
        .and_then(|()| update(&versions, target, &mut managers, target.manager, (old, after)));
    if updated.is_ok() {
        set_entries(after, managers.entries());
        return Ok(());
    }
    if target.session.is_some_and(Session::is_incomplete) {
        return Err(webhooks::pending());
    }
    // An object that has no form in a manager's version keeps its owners.
    set_entries(after, known.as_array().cloned().unwrap_or_default());
    Ok(())
}

/// Records the manager of an object that is created below another one: the fields of a kind.
pub(crate) fn own_part(
    target: &WriteTarget<'_>,
    subresource: &str,
    (version, kind): (&str, &str),
    object: &mut Value,
) {
    let shape = Shape::of_kind(version, kind);
    let fields = compare(shape, &shape::empty(shape), object).set().difference(&set(&UNOWNED));
    let own = Identity::new(target.manager, false, version, subresource);
    let manager = Manager { version: version.to_owned(), time: now().into(), fields };
    set_entries(object, Managers([(own, manager)].into()).entries());
}

/// Makes a manager the owner of what is different in the new object.
fn update(
    versions: &Versions<'_>,
    target: &WriteTarget<'_>,
    managers: &mut Managers,
    name: &str,
    objects: (&Value, &Value),
) -> Result<(), String> {
    let mut differences = versions.differences(objects);
    let written = differences.of(versions.own())?.set();
    for manager in managers.0.values_mut() {
        let seen = differences.of(&manager.version)?;
        let fields = manager.fields.difference(&seen.set());
        manager.fields = fields.difference(&seen.removed);
    }
    managers.0.retain(|_, manager| !manager.fields.is_empty());
    let fields = written.difference(&set(&UNOWNED));
    if !fields.is_empty() {
        let own = managers.0.entry(identity(target, name, false)).or_default();
        *own = Manager {
            version: target.resource.api_version(),
            // A scale has no time of its write.
            time: if target.part == Part::Scale { own.time.take() } else { now().into() },
            fields: own.fields.union(&fields),
        };
    }
    managers.limit();
    Ok(())
}

fn set_entries(object: &mut Value, entries: Vec<Value>) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        if !entries.is_empty() {
            metadata.insert("managedFields".into(), entries.into());
        }
    }
}

/// Returns whether a write changed nothing but the times of managers.
pub(crate) fn is_unchanged(before: &Value, after: &Value) -> bool {
    let (Some(one), Some(other)) = (before.as_object(), after.as_object()) else {
        return before == after;
    };
    let entries = |object: &Value| {
        let mut entries = object["metadata"]["managedFields"].clone();
        for entry in entries.as_array_mut().into_iter().flatten() {
            entry.as_object_mut().map(|members| members.remove("time"));
        }
        entries
    };
    let rest = |object: &Value| {
        let mut metadata = object["metadata"].clone();
        metadata.as_object_mut().map(|members| members.remove("managedFields"));
        metadata
    };
    one.len() == other.len()
        && one.iter().all(|(name, value)| name == "metadata" || other.get(name) == Some(value))
        && rest(before) == rest(after)
        && entries(before) == entries(after)
}
