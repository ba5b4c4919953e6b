//! Field ownership: `metadata.managedFields`, updated by every write that is a request.
//!
//! A write makes its manager the owner of what it sets or changes, and removes that from all other
//! managers. Server-side apply checks for conflicts first (see [`apply`]). Direct writes of the
//! test have no owner.

pub(crate) mod apply;
mod rules;
mod set;
mod walk;

use serde_json::{Value, json};

use self::set::Set;
use self::walk::Walk;
use crate::testing::api_server::names::now;
use crate::testing::api_server::verbs::{Part, Place};

/// Members of an object that have no owner.
const UNOWNED: [&str; 10] = [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
];

/// The fields of one manager.
#[derive(Clone, Debug, PartialEq)]
struct Manager {
    name: String,
    applies: bool,
    version: String,
    subresource: String,
    time: Value,
    fields: Set,
}

impl Manager {
    fn new(place: &Place<'_>, applies: bool) -> Self {
        Self {
            name: place.manager.to_owned(),
            applies,
            version: place.resource.api_version(),
            subresource: match place.part {
                Part::Status => "status".into(),
                Part::Scale => "scale".into(),
                Part::Finalize => "finalize".into(),
                Part::Object | Part::Both => String::new(),
            },
            time: now().into(),
            fields: Set::default(),
        }
    }

    fn same_as(&self, other: &Self) -> bool {
        self.name == other.name
            && self.applies == other.applies
            && self.subresource == other.subresource
            && (self.applies || self.version == other.version)
    }

    /// Returns the description of a manager in a conflict.
    fn described(&self) -> String {
        let mut text = format!("{:?}", self.name);
        if !self.subresource.is_empty() {
            text = format!("{text} with subresource {:?}", self.subresource);
        }
        format!("{text} using {}", self.version)
    }
}

fn read(object: &Value) -> Vec<Manager> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entries
        .filter(|entry| entry["manager"].is_string())
        .map(|entry| Manager {
            name: text(&entry["manager"]),
            applies: entry["operation"] == "Apply",
            version: text(&entry["apiVersion"]),
            subresource: text(&entry["subresource"]),
            time: entry["time"].clone(),
            fields: Set::from_fields(&entry["fieldsV1"]),
        })
        .collect()
}

fn write(object: &mut Value, mut managers: Vec<Manager>) {
    managers.retain(|manager| !manager.fields.is_empty());
    // Managers that apply come first, then the order of their writes.
    managers.sort_by_key(|manager| (!manager.applies, manager.time.to_string()));
    let entry = |manager: Manager| {
        let mut entry = json!({
            "manager": manager.name, "operation": if manager.applies { "Apply" } else { "Update" },
            "apiVersion": manager.version, "time": manager.time, "fieldsType": "FieldsV1",
            "fieldsV1": manager.fields.to_fields(),
        });
        if !manager.subresource.is_empty() {
            entry["subresource"] = manager.subresource.into();
        }
        entry
    };
    let entries: Vec<Value> = managers.into_iter().map(entry).collect();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        if !entries.is_empty() {
            metadata.insert("managedFields".into(), entries.into());
        }
    }
}

/// Returns the object without members that have no owner.
fn ownable(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(members) = object.as_object_mut() {
        members.remove("kind");
        members.remove("apiVersion");
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|name, _| !UNOWNED.contains(&name.as_str()));
    }
    if object["metadata"].as_object().is_some_and(serde_json::Map::is_empty)
        && let Some(members) = object.as_object_mut()
    {
        members.remove("metadata");
    }
    object
}

/// Records that `place`'s manager changed `before` to `after`, by any write except an apply.
pub(crate) fn track(place: &Place<'_>, before: Option<&Value>, after: &mut Value) {
    if place.part == Part::Both {
        return;
    }
    let reset = after["metadata"]["managedFields"].as_array();
    let reset = reset.is_some_and(|entries| entries.len() == 1 && entries[0] == json!({}));
    let managers = before.filter(|_| !reset).map_or_else(Vec::new, read);
    let old = before.map_or_else(|| json!({}), ownable);
    let mut new = ownable(after);
    if before.is_none() && place.resource.status {
        // The status that a server adds has no owner.
        new.as_object_mut().map(|members| members.remove("status"));
    }
    let difference = Walk(place.resource).difference(&old, &new);
    let mut own = Manager::new(place, false);
    let mut others = Vec::new();
    for manager in managers {
        if manager.same_as(&own) {
            own = manager;
        } else {
            let fields = manager.fields.difference(&difference.set).difference(&difference.removed);
            others.push(Manager { fields, ..manager });
        }
    }
    let fields = own.fields.union(&difference.set).difference(&difference.removed);
    if fields != own.fields {
        own = Manager { fields, time: now().into(), ..own };
    }
    others.push(own);
    write(after, others);
}
