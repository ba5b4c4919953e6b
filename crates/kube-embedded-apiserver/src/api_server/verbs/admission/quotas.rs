//! Quotas: what a namespace may use, and how much of it is in use.
//!
//! The status of a quota says what counts. A controller sets it, and a write adds to it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::limits::sum;
use super::{Part, WriteTarget, objects};
use crate::api_server::failure::Failure;
use crate::api_server::rules::preparation::quality_of_service;
use crate::api_server::rules::quantity::Quantity;
use crate::api_server::store::Store;
use crate::api_server::verbs;

/// The kinds that a quota counts by a plain name.
const COUNTED: [&str; 8] = [
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.nodeports",
];

/// Refuses a new object or a change that a quota does not allow, or counts what it adds.
pub(super) fn admit(
    store: &mut Store,
    target: WriteTarget<'_>,
    before: Option<&Value>,
    object: &Value,
) -> Result<(), Failure> {
    if target.namespace.is_none() {
        return Ok(());
    }
    let mut usage = usage(target, object);
    if let Some(before) = before {
        let known = self::usage(target, before);
        let rest = |name: &str| known.get(name).copied().unwrap_or(Quantity::count(0));
        usage.retain(|name, amount| *amount > rest(name));
        for (name, amount) in &mut usage {
            *amount = amount.minus(rest(name));
        }
        if usage.is_empty() {
            return Ok(());
        }
    }
    let quotas: Vec<Value> =
        objects(store, ("", "v1", "resourcequotas"), target.namespace).collect();
    let mut counted = Vec::new();
    for quota in quotas.into_iter().filter(|quota| in_scope(target, &quota["spec"], object)) {
        let name = quota["metadata"]["name"].as_str().unwrap_or_default();
        let hard = quota["status"]["hard"].as_object();
        let limited =
            |resource: &str| hard.and_then(|hard| hard.get(resource)).and_then(Quantity::of);
        let used = |resource: &str| {
            Quantity::of(&quota["status"]["used"][resource]).unwrap_or(Quantity::count(0))
        };
        if target.resource.qualified() == "pods" {
            let named = hard.into_iter().flatten().map(|(resource, _)| resource);
            let missing = unnamed(object, named.map(String::as_str));
            if !missing.is_empty() {
                let problem = format!("failed quota: {name}: must specify {}", missing.join("; "));
                return Err(Failure::forbidden(target.resource, target.name(), &problem));
            }
        }
        let relevant: BTreeMap<&String, Quantity> = usage
            .iter()
            .filter(|(resource, _)| limited(resource).is_some())
            .map(|(resource, amount)| (resource, *amount))
            .collect();
        let unknown = |name: &&String| quota["status"]["used"][name.as_str()].is_null();
        if relevant.keys().any(unknown) {
            let named: Vec<&str> = relevant.keys().map(|name| name.as_str()).collect();
            let named = named.join(",");
            let problem = format!("status unknown for quota: {name}, resources: {named}");
            return Err(Failure::forbidden(target.resource, target.name(), &problem));
        }
        let over: Vec<(&String, Quantity)> = relevant
            .iter()
            .filter(|(resource, amount)| {
                limited(resource).is_some_and(|most| used(resource).plus(**amount) > most)
            })
            .map(|(resource, amount)| (*resource, *amount))
            .collect();
        if !over.is_empty() {
            let list = |amount: &dyn Fn(&str, Quantity) -> Quantity| -> String {
                let all = over.iter().map(|(resource, requested)| {
                    format!("{resource}={}", amount(resource, *requested).canonical())
                });
                all.collect::<Vec<_>>().join(",")
            };
            let problem = format!(
                "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
                list(&|_, requested| requested),
                list(&|resource, _| used(resource)),
                list(&|resource, _| limited(resource).unwrap_or(Quantity::count(0))),
            );
            return Err(Failure::forbidden(target.resource, target.name(), &problem));
        }
        if !relevant.is_empty() {
            let mut after = quota.clone();
            for (resource, amount) in relevant {
                let sum = used(resource).plus(amount).canonical();
                after["status"]["used"][resource.as_str()] = sum.into();
            }
            counted.push(after);
        }
    }
    if target.dry_run { Ok(()) } else { count(store, target, counted) }
}

/// Stores quotas whose usage has changed.
fn count(store: &mut Store, target: WriteTarget<'_>, quotas: Vec<Value>) -> Result<(), Failure> {
    let Some(types) = store.served("", "v1", "resourcequotas").cloned() else { return Ok(()) };
    for quota in quotas {
        let name = quota["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let target = WriteTarget {
            resource: &types,
            name: Some(&name),
            part: Part::Both,
            manager: "",
            ..target
        };
        let current = target.current(store)?;
        verbs::update(store, target, &current, quota)?;
    }
    Ok(())
}

/// Returns what a new object uses.
fn usage(target: WriteTarget<'_>, object: &Value) -> BTreeMap<String, Quantity> {
    let mut usage = BTreeMap::new();
    let resource = target.resource.qualified();
    usage.insert(format!("count/{resource}"), Quantity::count(1));
    if COUNTED.contains(&&*resource) {
        usage.insert(resource.clone(), Quantity::count(1));
    }
    match &*resource {
        "pods" => {
            for (list, prefixes) in [("requests", &["", "requests."][..]), ("limits", &["limits."])]
            {
                for (name, amount) in sum(object, list).as_object().into_iter().flatten() {
                    let Some(amount) = Quantity::of(amount) else { continue };
                    for prefix in prefixes {
                        usage.insert(format!("{prefix}{name}"), amount);
                    }
                }
            }
        }
        "persistentvolumeclaims" => {
            let spec = &object["spec"];
            let storage = Quantity::of(&spec["resources"]["requests"]["storage"]);
            usage.extend(storage.map(|amount| ("requests.storage".to_owned(), amount)));
            if let Some(class) = spec["storageClassName"].as_str() {
                for name in ["persistentvolumeclaims", "requests.storage"] {
                    let amount = usage.get(name).copied();
                    let name = format!("{class}.storageclass.storage.k8s.io/{name}");
                    usage.extend(amount.map(|amount| (name, amount)));
                }
            }
        }
        "services" => {
            let ports = object["spec"]["ports"].as_array().map_or(0, Vec::len);
            let ports = i64::try_from(ports).unwrap_or(i64::MAX);
            match object["spec"]["type"].as_str() {
                Some("NodePort") => {
                    usage.insert("services.nodeports".into(), Quantity::count(ports));
                }
                Some("LoadBalancer") => {
                    usage.insert("services.nodeports".into(), Quantity::count(ports));
                    usage.insert("services.loadbalancers".into(), Quantity::count(1));
                }
                _ => {}
            }
        }
        _ => {}
    }
    usage
}

/// Returns whether an object is in all scopes of a quota. Only pods and claims are in any.
fn in_scope(target: WriteTarget<'_>, quota: &Value, object: &Value) -> bool {
    let spec = &object["spec"];
    let kind = target.resource.qualified();
    let one = |scope: &str, operator: &str, values: &Value| {
        let chosen = |name: &Value| {
            let name = name.as_str().filter(|name| !name.is_empty());
            let listed = values.as_array().into_iter().flatten().any(|one| one.as_str() == name);
            match operator {
                "In" => name.is_some() && listed,
                "NotIn" => !listed,
                "DoesNotExist" => name.is_none(),
                _ => name.is_some(),
            }
        };
        match (&*kind, scope) {
            ("pods", "Terminating") => !spec["activeDeadlineSeconds"].is_null(),
            ("pods", "NotTerminating") => spec["activeDeadlineSeconds"].is_null(),
            ("pods", "BestEffort") => quality_of_service(spec) == "BestEffort",
            ("pods", "NotBestEffort") => quality_of_service(spec) != "BestEffort",
            ("pods", "PriorityClass") => chosen(&spec["priorityClassName"]),
            ("pods", "CrossNamespacePodAffinity") => reaches_others(&spec["affinity"]),
            ("persistentvolumeclaims", "VolumeAttributesClass") => {
                chosen(&spec["volumeAttributesClassName"])
            }
            _ => false,
        }
    };
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut scopes = quota["scopes"].as_array().into_iter().flatten();
    let mut selected = quota["scopeSelector"]["matchExpressions"].as_array().into_iter().flatten();
    scopes.all(|scope| one(scope.as_str().unwrap_or_default(), "Exists", &Value::Null))
        && selected.all(|expression| {
            let (scope, operator) = (text(expression, "scopeName"), text(expression, "operator"));
            one(&scope, &operator, &expression["values"])
        })
}

/// Returns whether an affinity looks at pods of other namespaces.
fn reaches_others(affinity: &Value) -> bool {
    let others = |term: &Value| {
        let term = if term["podAffinityTerm"].is_null() { term } else { &term["podAffinityTerm"] };
        let named = term["namespaces"].as_array().is_some_and(|all| !all.is_empty());
        named || !term["namespaceSelector"].is_null()
    };
    let terms = ["podAffinity", "podAntiAffinity"].into_iter().flat_map(|kind| {
        affinity[kind].as_object().into_iter().flatten().filter_map(|(_, terms)| terms.as_array())
    });
    terms.flatten().any(others)
}

/// Returns the limited resources that containers leave out, each with the containers' names.
fn unnamed<'a>(pod: &Value, limited: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut missing = Vec::new();
    for resource in limited {
        let (list, name) = match resource.split_once('.') {
            Some(("requests", name)) => ("requests", name),
            Some(("limits", name)) => ("limits", name),
            None if matches!(resource, "cpu" | "memory") => ("requests", resource),
            _ => continue,
        };
        if !matches!(name, "cpu" | "memory") {
            continue;
        }
        let containers = ["containers", "initContainers"]
            .into_iter()
            .flat_map(|list| pod["spec"][list].as_array().into_iter().flatten());
        let names: Vec<&str> = containers
            .filter(|container| container["resources"][list][name].is_null())
            .map(|container| container["name"].as_str().unwrap_or_default())
            .collect();
        if !names.is_empty() {
            missing.push(format!("{resource} for: {}", names.join(",")));
        }
    }
    missing
}
