//! The objects at the end of a run, without those facts in which equal runs differ.

use std::collections::HashMap;
use std::mem;

use serde_json::{Map, Value};

use super::texts::without_names;
use crate::target::is_background_object;

/// The members that count writes, name the writer, or are numbers of the server's choice.
const LEFT_OUT: [&str; 6] = [
    "generation",
    "managedFields",
    "nodePort",
    "observedGeneration",
    "resourceVersion",
    "selfLink",
];

/// The members whose lists are sets: two writers may add their items in any order.
const SETS: [&str; 3] = ["conditions", "finalizers", "ownerReferences"];

/// The longest chain of objects of which each has the uid of the next in its name.
const DEPTH: usize = 8;

/// The objects of a server, each with its name, in the order of their names.
#[derive(Debug, PartialEq)]
pub(super) struct End(Vec<(String, Value)>);

impl End {
    pub(super) fn of(mut objects: Vec<Value>) -> Self {
        objects.retain(|object| !is_background_object(object));
        let mut names = HashMap::new();
        for one in &mut objects {
            note_names(one, &mut names);
        }
        resolve(&mut names);
        let normal_form = |mut one: Value| {
            normalize(&mut one, &names);
            (name(&one), one)
        };
        let mut normalized: Vec<_> = objects.into_iter().map(normal_form).collect();
        normalized.sort_by_cached_key(|(name, one)| (name.clone(), one.to_string()));
        Self(normalized)
    }

    /// Returns the first difference of another end from this one.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            match (ours.peek(), theirs.peek()) {
                (None, None) => return None,
                (Some((name, one)), Some((same, another))) if name == same => {
                    if let Some(text) = first_difference("", one, another) {
                        return Some(format!("{name}{text}"));
                    }
                    ours.next();
                    theirs.next();
                }
                (Some((name, _)), Some((other, _))) if other < name => {
                    return Some(format!("{other} is left over"));
                }
                (Some((name, _)), _) => return Some(format!("{name} is missing")),
                (None, Some((name, _))) => return Some(format!("{name} is left over")),
            }
        }
    }
}

/// Notes which texts of an object are compared under another name, and gives it that name.
pub(super) fn note_names(object: &mut Value, names: &mut HashMap<String, String>) {
    let metadata = &mut object["metadata"];
    if let (Some(prefix), Some(generated)) =
        (text(&metadata["generateName"]), text(&metadata["name"]))
    {
        let any = format!("{prefix}*");
        metadata["name"] = any.clone().into();
        names.insert(generated, any);
    }
    if let Some(uid) = text(&metadata["uid"]) {
        names.insert(uid, format!("uid of {}", name(object)));
    }
    if let Some(address) = text(&object["spec"]["clusterIP"]).filter(|ip| ip != "None") {
        names.insert(address, format!("address of {}", name(object)));
    }
}

/// Replaces names inside of the texts that stand for others: an object's name may hold the uid of
/// another one.
pub(super) fn resolve(names: &mut HashMap<String, String>) {
    for _ in 0..DEPTH {
        let before = names.clone();
        for text in names.values_mut() {
            *text = without_names(text, &before);
        }
        if *names == before {
            break;
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn name(object: &Value) -> String {
    let part = |value: &Value| text(value).map(|text| format!("/{text}")).unwrap_or_default();
    let metadata = &object["metadata"];
    let kind = object["kind"].as_str().unwrap_or_default();
    format!("{kind}{}{}", part(&metadata["namespace"]), part(&metadata["name"]))
}

/// Replaces uids, generated names, addresses of services, and times, also inside of texts and of
/// members' names. Sorts sets.
pub(super) fn normalize(value: &mut Value, names: &HashMap<String, String>) {
    match value {
        Value::Object(members) => {
            let mut normalized = Map::new();
            for (member, mut value) in mem::take(members) {
                if LEFT_OUT.contains(&&*member) {
                    continue;
                }
                normalize(&mut value, names);
                if let Value::Array(items) = &mut value
                    && SETS.contains(&&*member)
                {
                    items.sort_by_cached_key(Value::to_string);
                }
                let mut member = without_names(&member, names);
                while normalized.contains_key(&member) {
                    member += " and another";
                }
                normalized.insert(member, value);
            }
            *members = normalized;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalize(item, names)),
        Value::String(text) => *text = without_names(text, names),
        _ => {}
    }
}

/// Returns the path at which two values differ, and both parts. Contents of Secrets are not shown.
fn first_difference(path: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let names = ours.keys().chain(theirs.keys().filter(|name| !ours.contains_key(*name)));
            names.into_iter().find_map(|name| {
                first_difference(&format!("{path}.{name}"), &one[name], &other[name])
            })
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut items = (0..).zip(ours.iter().zip(theirs));
            items.find_map(|(at, (one, other))| {
                first_difference(&format!("{path}.{at}"), one, other)
            })
        }
        _ if one == other => None,
        _ if path.starts_with(".data") || path.starts_with(".stringData") => {
            Some(format!("{path} differs"))
        }
        _ => Some(format!("{path} is {other} instead of {one}")),
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use serde_json::json;

    use super::*;

    fn end(objects: &[Value]) -> End {
        let none = HashMap::new();
        let named = objects.iter().cloned().map(|mut object| {
            normalize(&mut object, &none);
            (name(&object), object)
        });
        End(named.collect())
    }

    #[test]
    fn uids_versions_and_times_are_no_difference() {
        let object = |uid: &str, version: &str, time: &str| {
            json!({
                "kind": "ConfigMap",
                "metadata": {
                    "name": "a", "uid": uid, "resourceVersion": version, "creationTimestamp": time,
                },
            })
        };
        let one = object("6d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f", "3", "2026-01-01T00:00:00Z");
        let other = object("7d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f", "4", "2026-01-02T00:00:00.5Z");
        assert_eq!(end(&[one]).difference(&end(&[other])), None);
    }

    #[test]
    fn names_of_members_and_order_of_sets_are_no_difference() {
        let object = |uid: &str, finalizers: [&str; 2]| {
            json!({
                "kind": "ConfigMap", "metadata": {"name": "a", "finalizers": finalizers},
                "data": {format!("pod-{uid}"): "x", "order": finalizers},
            })
        };
        let one = object("6d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f", ["a/b", "c/d"]);
        let other = object("7d2f0e1c-51b8-4d22-9a4c-0c5a9f1d2e3f", ["c/d", "a/b"]);
        let found = end(&[one]).difference(&end(&[other]));
        assert_eq!(found.as_deref(), Some("ConfigMap/a.data.order.0 differs"));
    }

    #[test]
    fn first_difference_is_named() {
        let pod = |name: &str, node: &str| json!({"kind": "Pod", "metadata": {"name": name}, "spec": {"nodeName": node}});
        let (one, other) = (pod("a", "n1"), pod("a", "n2"));
        let found = end(from_ref(&one)).difference(&end(from_ref(&other)));
        assert_eq!(found.as_deref(), Some("Pod/a.spec.nodeName is \"n2\" instead of \"n1\""));
        let found = end(&[one.clone(), pod("b", "")]).difference(&end(from_ref(&one)));
        assert_eq!(found.as_deref(), Some("Pod/b is missing"));
        let found = end(&[pod("b", "")]).difference(&end(&[other, pod("b", "")]));
        assert_eq!(found.as_deref(), Some("Pod/a is left over"));
        let secret = |data: &str| json!({"kind": "Secret", "data": {"a": data}});
        let found = end(&[secret("x")]).difference(&end(&[secret("y")]));
        assert_eq!(found.as_deref(), Some("Secret.data.a differs"));
    }
}
