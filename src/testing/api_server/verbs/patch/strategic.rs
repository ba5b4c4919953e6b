//! Strategic merge patch: a merge patch that knows which lists are sets and which are maps.
//!
//! The merge rules of lists in built-in types are those that the Go types declare in their
//! `patchStrategy` and `patchMergeKey` tags. All other lists are replaced whole.

use serde_json::{Map, Value};

use crate::testing::api_server::failure::Failure;

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ORDER: &str = "$setElementOrder/";

/// Applies a patch to an object of a built-in kind.
pub(super) fn apply(kind: &str, object: &mut Value, patch: &Value) -> Result<(), Failure> {
    let (Value::Object(members), Value::Object(patch)) = (object, patch) else {
        return Err(Failure::bad_request("error decoding patch: not an object"));
    };
    let mut at = Vec::new();
    Merging { kind, path: &mut at }.members(members, patch)
}

struct Merging<'a> {
    kind: &'a str,
    /// The current path, without list indexes.
    path: &'a mut Vec<String>,
}

fn invalid(problem: &str) -> Failure {
    Failure::bad_request(format!("invalid strategic merge patch: {problem}"))
}

impl Merging<'_> {
    fn members(
        &mut self,
        target: &mut Map<String, Value>,
        patch: &Map<String, Value>,
    ) -> Result<(), Failure> {
        match patch.get(DIRECTIVE).map(|directive| directive.as_str().unwrap_or_default()) {
            None | Some("merge") => {}
            Some("replace") => {
                target.clone_from(patch);
                target.remove(DIRECTIVE);
                return Ok(());
            }
            Some("delete") => {
                target.clear();
                return Ok(());
            }
            Some(_) => return Err(invalid("unknown $patch")),
        }
        if let Some(kept) = patch.get(RETAIN) {
            let kept = kept.as_array().ok_or_else(|| invalid("$retainKeys is not a list"))?;
            target.retain(|member, _| kept.iter().any(|kept| kept == member.as_str()));
        }
        for (member, gone) in patch {
            if let Some(list) = member.strip_prefix(DELETE_FROM)
                && let (Some(found), Some(gone)) =
                    (target.get_mut(list).and_then(Value::as_array_mut), gone.as_array())
            {
                found.retain(|value| !gone.contains(value));
            }
        }
        for (member, value) in patch.iter().filter(|(member, _)| !member.starts_with('$')) {
            self.path.push(member.clone());
            let order = patch.get(&format!("{ORDER}{member}"));
            let merged = self.member(target, member, value, order);
            self.path.pop();
            merged?;
        }
        // An order without elements only moves them.
        for (member, order) in patch {
            if let Some(list) = member.strip_prefix(ORDER)
                && !patch.contains_key(list)
                && target.get(list).is_some_and(Value::is_array)
            {
                self.path.push(list.to_owned());
                let merged = self.member(target, list, &Value::Array(Vec::new()), Some(order));
                self.path.pop();
                merged?;
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        target: &mut Map<String, Value>,
        member: &str,
        patch: &Value,
        order: Option<&Value>,
    ) -> Result<(), Failure> {
        match patch {
            Value::Null => drop(target.remove(member)),
            Value::Object(patch) => {
                if patch.get(DIRECTIVE).is_some_and(|directive| directive == "delete") {
                    target.remove(member);
                    return Ok(());
                }
                let found = target.entry(member).or_insert_with(|| Value::Object(Map::new()));
                if !found.is_object() {
                    *found = Value::Object(Map::new());
                }
                if let Value::Object(found) = found {
                    self.members(found, patch)?;
                }
            }
            Value::Array(patch) => {
                let found = target.remove(member);
                let found = match found {
                    Some(Value::Array(found)) => found,
                    _ => Vec::new(),
                };
                let order = order.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                target.insert(member.to_owned(), Value::Array(self.list(&found, patch, order)?));
            }
            plain => drop(target.insert(member.to_owned(), plain.clone())),
        }
        Ok(())
    }

    fn list(
        &mut self,
        found: &[Value],
        patch: &[Value],
        order: &[Value],
    ) -> Result<Vec<Value>, Failure> {
        match rule(self.kind, self.path) {
            ListRule::Replace => Ok(patch.to_vec()),
            ListRule::Set => {
                let mut merged = found.to_vec();
                merged.extend(patch.iter().filter(|value| !found.contains(value)).cloned());
                Ok(in_order(merged, found, order, |a, b| a == b))
            }
            ListRule::By(key) => {
                let merged = self.keyed(found, patch, key)?;
                let same = |a: &Value, b: &Value| !a[key].is_null() && a[key] == b[key];
                Ok(in_order(merged, found, order, same))
            }
        }
    }

    fn keyed(
        &mut self,
        found: &[Value],
        patch: &[Value],
        key: &str,
    ) -> Result<Vec<Value>, Failure> {
        let directive = |value: &Value, wanted: &str| value[DIRECTIVE] == wanted;
        if patch.iter().any(|element| directive(element, "replace")) {
            let rest = patch.iter().filter(|element| !directive(element, "replace"));
            return Ok(rest.cloned().collect());
        }
        let mut merged = found.to_vec();
        for element in patch {
            let Value::Object(members) = element else {
                return Err(invalid("an element of a merged list is not an object"));
            };
            let Some(wanted) = members.get(key) else {
                return Err(invalid(&format!("an element lacks its merge key {key}")));
            };
            if directive(element, "delete") {
                merged.retain(|found| found[key] != *wanted);
                continue;
            }
            let at = merged.iter().position(|found| found[key] == *wanted);
            let at = at.unwrap_or_else(|| {
                merged.push(Value::Object(Map::new()));
                merged.len() - 1
            });
            if let Value::Object(found) = &mut merged[at] {
                self.members(found, members)?;
            }
        }
        Ok(merged)
    }
}

/// Sorts the elements that `order` names. Each other element stays before those that it was before.
fn in_order(
    merged: Vec<Value>,
    found: &[Value],
    order: &[Value],
    same: impl Fn(&Value, &Value) -> bool,
) -> Vec<Value> {
    if order.is_empty() {
        return merged;
    }
    let place = |list: &[Value], value: &Value| list.iter().position(|other| same(other, value));
    let (mut named, others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|value| place(order, value).is_some());
    named.sort_by_key(|value| place(order, value));
    let mut others = others.into_iter().peekable();
    let mut sorted = Vec::new();
    for value in named {
        let at = place(found, &value);
        while let Some(other) = others.next_if(|other| at.is_some() && place(found, other) < at) {
            sorted.push(other);
        }
        sorted.push(value);
    }
    sorted.extend(others);
    sorted
}

/// The effect of a patch on a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListRule {
    Replace,
    /// Objects with the same value of this member are merged.
    By(&'static str),
    /// Texts or numbers are merged as a set.
    Set,
}

const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Returns the rule for a list at this path of members, without list indexes.
fn rule(kind: &str, path: &[String]) -> ListRule {
    let at = |back: usize| path.len().checked_sub(back).map_or("", |n| path[n].as_str());
    let (field, parent) = (at(1), at(2));
    let in_container = CONTAINERS.contains(&parent);
    let in_pod_spec = parent == "spec";
    match field {
        "finalizers" if parent == "metadata" => ListRule::Set,
        "ownerReferences" if parent == "metadata" => ListRule::By("uid"),
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "schedulingGates"
        | "resourceClaims"
            if in_pod_spec =>
        {
            ListRule::By("name")
        }
        "hostAliases" if in_pod_spec => ListRule::By("ip"),
        "topologySpreadConstraints" if in_pod_spec => ListRule::By("topologyKey"),
        "env" if in_container => ListRule::By("name"),
        "ports" if in_container => ListRule::By("containerPort"),
        "volumeMounts" if in_container => ListRule::By("mountPath"),
        "volumeDevices" if in_container => ListRule::By("devicePath"),
        "ports" if kind == "Service" && parent == "spec" => ListRule::By("port"),
        "secrets" if kind == "ServiceAccount" => ListRule::By("name"),
        "podIPs" | "hostIPs" if parent == "status" => ListRule::By("ip"),
        "podCIDRs" if parent == "spec" => ListRule::Set,
        "addresses" if kind == "Node" && parent == "status" => ListRule::By("type"),
        "conditions" if parent == "status" && has_mergeable_conditions(kind) => {
            ListRule::By("type")
        }
        "imagePullSecrets" | "webhooks" => ListRule::By("name"),
        "matchConditions" if parent == "webhooks" => ListRule::By("name"),
        _ => ListRule::Replace,
    }
}

fn has_mergeable_conditions(kind: &str) -> bool {
    !matches!(kind, "CustomResourceDefinition" | "CertificateSigningRequest")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(kind: &str, mut object: Value, patch: &Value) -> Value {
        apply(kind, &mut object, patch).unwrap();
        object
    }

    #[test]
    fn keyed_lists_merge_and_others_are_replaced() {
        let pod = json!({"spec": {
            "containers": [
                {"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}], "args": ["x"]},
                {"name": "b", "image": "1", "ports": [{"containerPort": 80, "name": "http"}]},
            ],
            "tolerations": [{"key": "k"}],
        }});
        let patch = json!({"spec": {
            "containers": [
                {"name": "b", "ports": [{"containerPort": 443}, {"containerPort": 80, "name": "w"}]},
                {"name": "a", "env": [{"name": "Y", "value": "2"}], "args": ["y"], "image": null},
                {"name": "c"},
            ],
            "tolerations": [{"key": "l"}],
        }});
        let wanted = json!({"spec": {
            "containers": [
                {
                    "name": "a", "args": ["y"],
                    "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}],
                },
                {
                    "name": "b", "image": "1",
                    "ports": [{"containerPort": 80, "name": "w"}, {"containerPort": 443}],
                },
                {"name": "c"},
            ],
            "tolerations": [{"key": "l"}],
        }});
        assert_eq!(patched("Pod", pod, &patch), wanted);
    }

    #[test]
    fn directives_delete_and_replace() {
        let object = json!({
            "metadata": {"finalizers": ["a", "b"], "labels": {"x": "1"}},
            "spec": {"volumes": [{"name": "v"}, {"name": "w"}], "ports": [{"port": 1}, {"port": 2}]},
        });
        let patch = json!({
            "metadata": {
                "$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c", "b"],
                "labels": {"$patch": "replace", "y": "2"},
            },
            "spec": {
                "volumes": [{"name": "v", "$patch": "delete"}],
                "ports": [{"$patch": "replace"}, {"port": 3}],
            },
        });
        let wanted = json!({
            "metadata": {"finalizers": ["b", "c"], "labels": {"y": "2"}},
            "spec": {"volumes": [{"name": "w"}], "ports": [{"port": 3}]},
        });
        assert_eq!(patched("Service", object, &patch), wanted);
    }

    #[test]
    fn new_map_has_no_directives_or_nulls() {
        let patch = json!({"spec": {"template": {
            "$retainKeys": ["spec"], "metadata": null, "spec": {"containers": [{"name": "a"}]},
        }}});
        let wanted = json!({"spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}});
        assert_eq!(patched("Deployment", json!({}), &patch), wanted);
    }

    #[test]
    fn order_moves_only_named_elements() {
        let object = json!({"spec": {"containers": [
            {"name": "mine"}, {"name": "a"}, {"name": "b"}, {"name": "last"}
        ]}});
        let order = json!([{"name": "new"}, {"name": "b"}, {"name": "a"}]);
        let patch = json!({"spec": {
            "$setElementOrder/containers": order, "containers": [{"name": "new"}],
        }});
        let names: Vec<_> = patched("Pod", object, &patch)["spec"]["containers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|container| container["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["new", "mine", "b", "a", "last"]);
    }

    #[test]
    fn invalid_patch_is_refused() {
        for patch in [
            json!({"spec": {"containers": [{"image": "x"}]}}),
            json!({"spec": {"containers": ["x"]}}),
            json!({"spec": {"$patch": "shred"}}),
            json!([]),
        ] {
            assert!(apply("Pod", &mut json!({"spec": {}}), &patch).is_err(), "{patch}");
        }
    }
}
