//! The managers of an object's fields, as `metadata.managedFields` lists them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::api_server::rules::ownership::Set;

/// The largest number of managers that update. The oldest ones are merged beyond it.
const MOST_UPDATERS: usize = 10;
/// The manager that stands for merged ones.
const ANCIENT: &str = "ancient-changes";

/// The identity of a manager. An applier is the same in all versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) applies: bool,
    /// Empty for an applier.
    version: String,
    pub(super) subresource: String,
}

impl Identity {
    pub(super) fn new(name: &str, applies: bool, version: &str, subresource: &str) -> Self {
        let version = if applies { "" } else { version };
        Self {
            name: name.to_owned(),
            applies,
            version: version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    /// Returns the description of a manager in a conflict, with the version of the object that was
    /// applied if that is not the one of the manager.
    pub(super) fn described(&self, applied: Option<&str>) -> String {
        let mut text = format!("{:?}", self.name);
        if !self.subresource.is_empty() {
            text = format!("{text} with subresource {:?}", self.subresource);
        }
        let version = applied.unwrap_or(&self.version);
        if self.applies { text } else { format!("{text} using {version}") }
    }
}

/// The fields of one manager.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Manager {
    pub(super) version: String,
    /// The time of the last write that changed the object; null if there was none.
    pub(super) time: Value,
    pub(super) fields: Set,
}

/// All managers of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Managers(pub(super) BTreeMap<Identity, Manager>);

impl Managers {
    /// Reads managers. Returns `None` if an entry is invalid.
    pub(super) fn read(entries: &Value) -> Option<Self> {
        let mut managers = BTreeMap::new();
        for entry in entries.as_array().into_iter().flatten() {
            let text = |member: &str| entry[member].as_str().unwrap_or_default();
            let applies = match text("operation") {
                "Apply" => true,
                "Update" => false,
                _ => return None,
            };
            let version = text("apiVersion");
            if version.is_empty() || text("fieldsType") != "FieldsV1" {
                return None;
            }
            let fields = match &entry["fieldsV1"] {
                Value::Null => Set::default(),
                fields => Set::from_fields(fields)?,
            };
            let identity = Identity::new(text("manager"), applies, version, text("subresource"));
            let time = entry["time"].clone();
            managers.insert(identity, Manager { version: version.to_owned(), time, fields });
        }
        Some(Self(managers))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the entries: appliers first, then in the order of times and names. Managers without
    /// fields have none.
    pub(super) fn entries(self) -> Vec<Value> {
        let mut managers: Vec<(Identity, Manager)> =
            self.0.into_iter().filter(|(_, manager)| !manager.fields.is_empty()).collect();
        managers.sort_by(|(a, one), (b, other)| {
            let time = |manager: &Manager| manager.time.as_str().unwrap_or_default().to_owned();
            let order = |id: &Identity| !id.applies;
            (order(a), time(one), &a.name, &one.version, &a.subresource).cmp(&(
                order(b),
                time(other),
                &b.name,
                &other.version,
                &b.subresource,
            ))
        });
        managers.into_iter().map(|(identity, manager)| entry(identity, manager)).collect()
    }

    /// Merges the oldest updaters of a version, as long as there are too many.
    pub(super) fn limit(&mut self) {
        let updaters = self.0.iter().filter(|(identity, _)| !identity.applies);
        let mut oldest: Vec<(String, Identity)> = updaters
            .map(|(identity, manager)| {
                (manager.time.as_str().unwrap_or_default().to_owned(), identity.clone())
            })
            .collect();
        let mut count = oldest.len();
        oldest.sort();
        let mut firsts = BTreeMap::<String, Identity>::new();
        for (_, identity) in oldest {
            if count <= MOST_UPDATERS {
                return;
            }
            let Some(first) = firsts.get(&identity.version) else {
                firsts.insert(identity.version.clone(), identity);
                continue;
            };
            let merged = Identity::new(ANCIENT, false, &identity.version, "");
            if !self.0.contains_key(&merged)
                && let Some(manager) = self.0.remove(first)
            {
                self.0.insert(merged.clone(), manager);
            }
            if let Some(manager) = self.0.remove(&identity) {
                let into = self.0.entry(merged).or_default();
                into.fields = into.fields.union(&manager.fields);
                into.version = manager.version;
                into.time = manager.time;
                count -= 1;
            }
        }
    }
}

fn entry(identity: Identity, manager: Manager) -> Value {
    let mut entry = json!({
        "manager": identity.name, "operation": if identity.applies { "Apply" } else { "Update" },
        "apiVersion": manager.version, "fieldsType": "FieldsV1",
        "fieldsV1": manager.fields.to_fields(),
    });
    if !manager.time.is_null() {
        entry["time"] = manager.time;
    }
    if identity.name.is_empty()
        && let Some(members) = entry.as_object_mut()
    {
        members.remove("manager");
    }
    if !identity.subresource.is_empty() {
        entry["subresource"] = identity.subresource.into();
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updater(number: usize) -> Value {
        json!({
            "manager": format!("m{number:02}"), "operation": "Update", "apiVersion": "v1",
            "time": format!("2026-11-22T01:00:{number:02}Z"), "fieldsType": "FieldsV1",
            "fieldsV1": { format!("f:{number}"): {} },
        })
    }

    #[test]
    fn oldest_updaters_are_merged() {
        let entries: Vec<Value> = (0..12).map(updater).collect();
        let mut managers = Managers::read(&entries.into()).unwrap();
        managers.limit();
        let entries = managers.entries();
        assert_eq!(entries.len(), 10);
        assert_eq!(entries[0]["manager"], ANCIENT);
        assert_eq!(entries[0]["fieldsV1"], json!({"f:0": {}, "f:1": {}, "f:2": {}}));
        assert_eq!(entries[0]["time"], "2026-11-22T01:00:02Z");
    }

    #[test]
    fn invalid_entries_are_refused() {
        for (member, value) in
            [("operation", "Nope"), ("apiVersion", ""), ("fieldsType", "FieldsV2")]
        {
            let mut entry = updater(1);
            entry[member] = value.into();
            assert_eq!(Managers::read(&json!([entry])), None);
        }
    }
}
