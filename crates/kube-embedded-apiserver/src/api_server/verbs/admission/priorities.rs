//! Priorities of pods, which follow from the names of their classes.

use serde_json::Value;

use super::{WriteTarget, objects};
use crate::api_server::failure::Failure;
use crate::api_server::store::Store;

/// The classes that every cluster has.
const SYSTEM: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// The name, value and policy of a class.
struct Class {
    name: String,
    value: i64,
    preemption: String,
}

/// Sets the priority of a new pod.
pub(super) fn complete(
    store: &Store,
    target: WriteTarget<'_>,
    pod: &mut Value,
) -> Result<(), Failure> {
    let wanted = pod["spec"]["priorityClassName"].as_str().unwrap_or_default().to_owned();
    let class = match &*wanted {
        "" => default(store),
        name => named(store, name).ok_or_else(|| {
            let problem = format!("no PriorityClass with name {name} was found");
            Failure::forbidden(target.resource, target.name(), &problem)
        })?,
    };
    let spec = &mut pod["spec"];
    if spec["priority"].as_i64().is_some_and(|given| given != class.value) {
        let problem = format!(
            "the integer value of priority ({}) must not be provided in pod spec; priority \
             admission controller computed {} from the given PriorityClass name",
            spec["priority"], class.value
        );
        return Err(Failure::forbidden(target.resource, target.name(), &problem));
    }
    if let Some(given) =
        spec["preemptionPolicy"].as_str().filter(|given| *given != class.preemption)
    {
        let problem = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; \
             priority admission controller computed {} from the given PriorityClass name",
            class.preemption
        );
        return Err(Failure::forbidden(target.resource, target.name(), &problem));
    }
    if !class.name.is_empty() {
        spec["priorityClassName"] = class.name.into();
    }
    spec["priority"] = class.value.into();
    spec["preemptionPolicy"] = class.preemption.into();
    Ok(())
}

/// Refuses a second class of pods that name none.
pub(super) fn admit_class(
    store: &Store,
    target: WriteTarget<'_>,
    class: &Value,
) -> Result<(), Failure> {
    let mut others = classes(store).filter(|other| {
        other["globalDefault"] == true && other["metadata"]["name"] != class["metadata"]["name"]
    });
    let Some(other) = others.next().filter(|_| class["globalDefault"] == true) else {
        return Ok(());
    };
    let name = other["metadata"]["name"].as_str().unwrap_or_default();
    let problem =
        format!("PriorityClass {name} is already marked as default. Only one default can exist");
    Err(Failure::forbidden(target.resource, target.name(), &problem))
}

fn classes(store: &Store) -> impl Iterator<Item = Value> {
    objects(store, ("scheduling.k8s.io", "v1", "priorityclasses"), None)
}

fn read(class: &Value) -> Class {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let preemption = class["preemptionPolicy"].as_str().unwrap_or("PreemptLowerPriority");
    Class {
        name: text(&class["metadata"]["name"]),
        value: class["value"].as_i64().unwrap_or(0),
        preemption: preemption.to_owned(),
    }
}

fn system(name: &str, value: i64) -> Class {
    Class { name: name.to_owned(), value, preemption: "PreemptLowerPriority".to_owned() }
}

fn named(store: &Store, name: &str) -> Option<Class> {
    let found = classes(store).find(|class| class["metadata"]["name"] == name);
    let known = SYSTEM.iter().find(|(known, _)| *known == name);
    found.map(|class| read(&class)).or_else(|| known.map(|(name, value)| system(name, *value)))
}

/// Returns the class of pods that name none: the lowest of the default ones.
fn default(store: &Store) -> Class {
    let defaults = classes(store).filter(|class| class["globalDefault"] == true);
    let lowest = defaults.map(|class| read(&class)).min_by_key(|class| class.value);
    lowest.unwrap_or_else(|| system("", 0))
}
