//! Limit ranges: defaults and bounds of the resources of containers.

use serde_json::{Map, Value, json};

use super::{WriteTarget, objects};
use crate::api_server::failure::Failure;
use crate::api_server::rules::quantity::Quantity;
use crate::api_server::store::Store;

const LISTS: [&str; 2] = ["containers", "initContainers"];

fn ranges(store: &Store, target: WriteTarget<'_>) -> Vec<Value> {
    objects(store, ("", "v1", "limitranges"), target.namespace).collect()
}

fn limits<'a>(ranges: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let all =
        ranges.iter().flat_map(|range| range["spec"]["limits"].as_array().into_iter().flatten());
    all.filter(move |limit| limit["type"] == kind)
}

/// Sets the requests and limits that the containers of a new pod leave out.
pub(super) fn complete(store: &Store, target: WriteTarget<'_>, pod: &mut Value) {
    let ranges = ranges(store, target);
    let (mut requests, mut most) = (Map::new(), Map::new());
    for limit in limits(&ranges, "Container") {
        for (totals, member) in [(&mut requests, "defaultRequest"), (&mut most, "default")] {
            for (name, value) in limit[member].as_object().into_iter().flatten() {
                totals.insert(name.clone(), value.clone());
            }
        }
    }
    if requests.is_empty() && most.is_empty() {
        return;
    }
    let mut said = Vec::new();
    for list in LISTS {
        let containers = pod["spec"].get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter(|one| one.is_object()) {
            let subject = if list == "containers" { "container" } else { "init container" };
            let name = container["name"].as_str().unwrap_or_default().to_owned();
            for (member, word, defaults) in
                [("requests", "request", &requests), ("limits", "limit", &most)]
            {
                let set = fill(&mut container["resources"], member, defaults);
                if !set.is_empty() {
                    said.push(format!("{} {word} for {subject} {name}", set.join(", ")));
                }
            }
        }
    }
    if !said.is_empty() {
        let text = format!("LimitRanger plugin set: {}", said.join("; "));
        if !pod["metadata"]["annotations"].is_object() {
            pod["metadata"]["annotations"] = json!({});
        }
        pod["metadata"]["annotations"]["kubernetes.io/limit-ranger"] = text.into();
    }
}

/// Sets the amounts that a list leaves out. Returns their names.
fn fill(resources: &mut Value, member: &str, defaults: &Map<String, Value>) -> Vec<String> {
    let mut set = Vec::new();
    if !resources.is_object() {
        *resources = json!({});
    }
    for (name, amount) in defaults {
        if resources[member][name].is_null() {
            if !resources[member].is_object() {
                resources[member] = json!({});
            }
            resources[member][name] = amount.clone();
            set.push(name.clone());
        }
    }
    set
}

/// Refuses a pod whose containers are outside of the bounds.
pub(super) fn admit(store: &Store, target: WriteTarget<'_>, pod: &Value) -> Result<(), Failure> {
    let ranges = ranges(store, target);
    let mut problems = Vec::new();
    for limit in limits(&ranges, "Container") {
        for list in LISTS {
            for container in pod["spec"][list].as_array().into_iter().flatten() {
                check(limit, "Container", &container["resources"], &mut problems);
            }
        }
    }
    for limit in limits(&ranges, "Pod") {
        let resources = json!({ "requests": sum(pod, "requests"), "limits": sum(pod, "limits") });
        check(limit, "Pod", &resources, &mut problems);
    }
    match &problems[..] {
        [] => Ok(()),
        [problem] => Err(Failure::forbidden(target.resource, target.name(), problem)),
        problems => {
            let all = format!("[{}]", problems.join(", "));
            Err(Failure::forbidden(target.resource, target.name(), &all))
        }
    }
}

/// Returns the sum of the amounts of a pod's containers.
pub(super) fn sum(pod: &Value, member: &str) -> Value {
    let mut sums: std::collections::BTreeMap<String, Quantity> = std::collections::BTreeMap::new();
    for container in pod["spec"]["containers"].as_array().into_iter().flatten() {
        for (name, amount) in container["resources"][member].as_object().into_iter().flatten() {
            let Some(amount) = Quantity::of(amount) else { continue };
            let sum = sums.get(name).map_or(amount, |sum| sum.plus(amount));
            sums.insert(name.clone(), sum);
        }
    }
    sums.into_iter().map(|(name, sum)| (name, Value::from(sum.canonical()))).collect()
}

fn check(limit: &Value, kind: &str, resources: &Value, problems: &mut Vec<String>) {
    let amount = |list: &str, name: &str| Quantity::of(&resources[list][name]);
    for (name, least) in limit["min"].as_object().into_iter().flatten() {
        let Some(least) = Quantity::of(least) else { continue };
        let shown = least.canonical();
        match amount("requests", name) {
            None => problems.push(format!(
                "minimum {name} usage per {kind} is {shown}.  No request is specified"
            )),
            Some(request) if request < least => problems.push(format!(
                "minimum {name} usage per {kind} is {shown}, but request is {}",
                request.canonical()
            )),
            Some(_) => {}
        }
    }
    for (name, most) in limit["max"].as_object().into_iter().flatten() {
        let Some(most) = Quantity::of(most) else { continue };
        let shown = most.canonical();
        match (amount("limits", name), amount("requests", name)) {
            (None, _) => problems.push(format!(
                "maximum {name} usage per {kind} is {shown}.  No limit is specified"
            )),
            (Some(limit), _) if limit > most => problems.push(format!(
                "maximum {name} usage per {kind} is {shown}, but limit is {}",
                limit.canonical()
            )),
            (_, Some(request)) if request > most => problems.push(format!(
                "maximum {name} usage per {kind} is {shown}, but request is {}",
                request.canonical()
            )),
            _ => {}
        }
    }
}
