//! The fields of an object that a manager owns, and the values at these fields.
//!
//! The server's answer to an apply says which fields the manager owns now: the entry of
//! `metadata.managedFields` follows the schema, which this process does not have. It distinguishes
//! an associative list, whose elements have their own owners, from an atomic one.

mod order;
mod unseen;

use serde_json::{Map, Value};

use super::configuration::Configuration;
use super::digest::{Digest, Digester};
use super::hidden::{is_blank, means_none};

pub(super) use order::Unordered;

/// The fields of one manager.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OwnedFields {
    part: Part,
    /// The lists whose order does not count.
    pub(super) unordered: Unordered,
}

/// The owned fields below one field.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// All of it.
    Whole,
    /// Some members of a map, or some elements of a list.
    Some {
        members: Vec<(Box<str>, Part)>,
        /// Elements that have these values at these members.
        elements: Vec<(Keys, Part)>,
        /// Elements with these digests.
        values: Vec<Digest>,
    },
}

/// The values that identify an element of a list, by the names of its members.
type Keys = Box<[(Box<str>, Value)]>;

impl Default for Part {
    fn default() -> Self {
        Self::Some { members: Vec::new(), elements: Vec::new(), values: Vec::new() }
    }
}

impl OwnedFields {
    /// Reads a set in the form `FieldsV1`. Returns `None` if it has another form.
    pub(super) fn from_fields_v1(fields: &Value) -> Option<Self> {
        let part = Part::some(fields.as_object()?);
        (part != Part::Whole).then(|| part.into())
    }

    /// Returns the fields of a configuration, with each list as a whole: the set if the server does
    /// not name the owned fields.
    pub(super) fn of_configuration(configuration: &Value) -> Self {
        match Part::of(configuration) {
            // A configuration without fields owns nothing.
            Part::Whole => Self::default(),
            part @ Part::Some { .. } => part.into(),
        }
    }

    /// Adds the values of a configuration that the set does not cover. Returns whether there were
    /// any.
    pub(super) fn cover(&mut self, configuration: &Value) -> bool {
        self.part.cover(configuration)
    }

    /// Returns the digest of an object's values at these fields.
    pub(super) fn digest(&self, object: &Value) -> Digest {
        let mut digester = Digester::new();
        if self.unordered.is_empty() {
            self.part.add(Some(object), &mut digester);
        } else {
            let mut object = object.clone();
            self.unordered.sort(&mut object);
            self.part.add(Some(&object), &mut digester);
        }
        digester.finish()
    }

    /// Returns the path of a value of the configuration that an object does not show. It may show
    /// another value in its place, because the server may write it in another form.
    pub(super) fn hidden(&self, configuration: &Value, object: &Value) -> Option<String> {
        self.part.hidden(configuration, Some(object))
    }

    /// Returns the digest of a configuration. The order of a set does not count.
    pub(super) fn digest_of(&self, configuration: &Configuration) -> Digest {
        if !self.part.has_set() && self.unordered.is_empty() {
            return configuration.digest;
        }
        let mut body = configuration.body.clone();
        self.unordered.sort(&mut body);
        self.part.sort_sets(&mut body);
        Digest::of(&body)
    }
}

impl From<Part> for OwnedFields {
    fn from(part: Part) -> Self {
        Self { part, unordered: Unordered::default() }
    }
}

impl Part {
    fn read(fields: &Value) -> Self {
        match fields.as_object() {
            Some(fields) if !fields.is_empty() => Self::some(fields),
            _ => Self::Whole,
        }
    }

    fn some(fields: &Map<String, Value>) -> Self {
        let (mut members, mut elements, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (step, below) in fields {
            let part = || Self::read(below);
            match step.split_once(':') {
                Some(("f", name)) => members.push((name.into(), part())),
                Some(("k", keys)) => match kube_decode::json::<Map<String, Value>>(keys.as_bytes())
                {
                    Ok(keys) => {
                        let keys = keys.into_iter().map(|(name, value)| (name.into(), value));
                        elements.push((keys.collect(), part()));
                    }
                    Err(_) => return Self::Whole,
                },
                Some(("v", value)) => match kube_decode::json(value.as_bytes()) {
                    Ok(value) => values.push(Digest::of(&value)),
                    Err(_) => return Self::Whole,
                },
                // The field itself.
                None if step == "." => {}
                // An index, or a form that is not known: all of it is compared.
                _ => return Self::Whole,
            }
        }
        Self::Some { members, elements, values }
    }

    fn of(configuration: &Value) -> Self {
        match configuration {
            Value::Object(all) if !all.is_empty() => {
                let members =
                    all.iter().map(|(name, value)| (name.as_str().into(), Self::of(value)));
                Self::Some { members: members.collect(), elements: Vec::new(), values: Vec::new() }
            }
            _ => Self::Whole,
        }
    }

    fn cover(&mut self, configuration: &Value) -> bool {
        let Self::Some { members, elements, values } = self else { return false };
        let mut added = false;
        match configuration {
            Value::Object(all) => {
                for (name, value) in all.iter().filter(|(_, value)| !is_empty(value)) {
                    if let Some((_, part)) = members.iter_mut().find(|(known, _)| **known == **name)
                    {
                        added |= part.cover(value);
                    } else {
                        members.push((name.as_str().into(), Self::of(value)));
                        added = true;
                    }
                }
            }
            // The server may complete the keys of an element, so only their number is compared.
            Value::Array(list) if list.len() <= elements.len() + values.len() => {
                for (keys, part) in elements {
                    if let [configured] = with_keys(keys, list)[..] {
                        added |= part.cover(configured);
                    }
                }
            }
            _ => {
                *self = Self::Whole;
                added = true;
            }
        }
        added
    }

    fn add(&self, value: Option<&Value>, into: &mut Digester) {
        let value = match value {
            None | Some(Value::Null) => return into.absent(),
            Some(value) => value,
        };
        let Self::Some { members, elements, values } = self else { return into.value(value) };
        match value {
            Value::Object(object) => {
                into.map();
                for (name, part) in members {
                    part.add(object.get(&**name), into);
                }
            }
            Value::Array(list) => {
                into.list();
                for (keys, part) in elements {
                    let found = with_keys(keys, list);
                    into.count(found.len());
                    for element in found {
                        part.add(Some(element), into);
                    }
                }
                for n in counts(values, list) {
                    into.count(n);
                }
            }
            // The owned fields are gone.
            other => into.value(other),
        }
    }

    fn has_set(&self) -> bool {
        let Self::Some { members, elements, values } = self else { return false };
        !values.is_empty()
            || members.iter().any(|(_, part)| part.has_set())
            || elements.iter().any(|(_, part)| part.has_set())
    }

    fn sort_sets(&self, value: &mut Value) {
        let Self::Some { members, elements, values } = self else { return };
        for (name, part) in members {
            if let Some(value) = value.get_mut(&**name) {
                part.sort_sets(value);
            }
        }
        let Value::Array(list) = value else { return };
        for (keys, part) in elements {
            // The server may complete the keys of an element.
            let found = if list.iter().any(|element| is(keys, element)) { is } else { fits };
            let elements = list.iter_mut().filter(|element| found(keys, element));
            elements.for_each(|element| part.sort_sets(element));
        }
        if !values.is_empty() {
            list.sort_by(|one, other| Digest::of(one).cmp(&Digest::of(other)));
        }
    }

    fn hidden(&self, configured: &Value, shown: Option<&Value>) -> Option<String> {
        if means_none(configured) {
            return None;
        }
        let Some(shown) = shown.filter(|shown| !is_blank(shown)) else {
            return Some(String::new());
        };
        match (configured, shown) {
            (Value::Object(configured), Value::Object(shown)) => {
                let members: &[_] =
                    if let Self::Some { members, .. } = self { members } else { &[] };
                configured.iter().find_map(|(name, value)| {
                    let part = members.iter().find(|(known, _)| **known == **name);
                    let part = part.map_or(&Self::Whole, |(_, part)| part);
                    Some(format!(".{name}{}", part.hidden(value, shown.get(name))?))
                })
            }
            (Value::Array(configured), Value::Array(shown)) => match self {
                Self::Some { elements, values, .. } if elements.len() + values.len() > 0 => {
                    let element =
                        |(keys, part): &(Keys, Self)| part.hidden_in(keys, configured, shown);
                    elements.iter().find_map(element).or_else(|| {
                        let is_missing = counts(values, shown).contains(&0);
                        is_missing.then(|| "[]".to_owned())
                    })
                }
                _ if configured.len() > shown.len() => Some("[]".to_owned()),
                // The elements that a webhook has added may be anywhere.
                _ if configured.len() < shown.len() => None,
                _ => configured.iter().zip(shown).enumerate().find_map(|(n, (value, shown))| {
                    Some(format!("[{n}]{}", Self::Whole.hidden(value, Some(shown))?))
                }),
            },
            _ => None,
        }
    }

    /// Returns the path of a value of an element that a list does not show. The server may complete
    /// an element's keys, so several configured ones may be the one with these keys.
    fn hidden_in(&self, keys: &Keys, configured: &[Value], shown: &[Value]) -> Option<String> {
        let path = match with_keys(keys, shown).first() {
            None => String::new(),
            Some(found) => {
                let exact = configured.iter().find(|element| is(keys, element));
                let fitting = configured.iter().filter(|one| exact.is_none() && fits(keys, one));
                let mut paths =
                    exact.into_iter().chain(fitting).map(|one| self.hidden(one, Some(found)));
                paths.next().filter(|_| paths.all(|path| path.is_some()))??
            }
        };
        Some(format!("[{}]{path}", names(keys)))
    }
}

fn names(keys: &[(Box<str>, Value)]) -> String {
    keys.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(",")
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

/// Returns how often a list has each of these elements.
fn counts(values: &[Digest], list: &[Value]) -> Vec<usize> {
    if values.is_empty() {
        return Vec::new();
    }
    let present: Vec<Digest> = list.iter().map(Digest::of).collect();
    let count = |value| present.iter().filter(|present| *present == value).count();
    values.iter().map(count).collect()
}

/// Returns the elements of a list that have these values. If there are none, these are the ones
/// that leave some of them out, because their type does not write its default.
fn with_keys<'l>(keys: &Keys, list: &'l [Value]) -> Vec<&'l Value> {
    let exact: Vec<_> = list.iter().filter(|element| is(keys, element)).collect();
    if !exact.is_empty() {
        return exact;
    }
    list.iter().filter(|element| fits(keys, element)).collect()
}

/// Returns whether an element has these values.
fn is(keys: &Keys, element: &Value) -> bool {
    keys.iter().all(|(name, value)| element.get(&**name).is_some_and(|found| same(found, value)))
}

/// Returns whether an element has no other values than these.
fn fits(keys: &Keys, element: &Value) -> bool {
    keys.iter().all(|(name, value)| element.get(&**name).is_none_or(|found| same(found, value)))
}

/// Returns whether both are one value: `1` and `1.0` are.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && Digest::of(one) == Digest::of(other))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn uncovered_values_are_added() {
        let configuration = json!({"spec": {
            "replicas": 3, "none": {}, "text": "a",
            "ports": [{"port": 80}], "args": ["a"], "env": [{"name": "A", "value": "1"}],
        }});
        let all = json!({"f:spec": {
            "f:replicas": {}, "f:text": {}, "f:args": {},
            "f:ports": {r#"k:{"port":80,"protocol":"TCP"}"#: {".": {}, "f:port": {}}},
            "f:env": {r#"k:{"name":"A"}"#: {".": {}, "f:name": {}, "f:value": {}}},
        }});
        let mut complete = OwnedFields::from_fields_v1(&all).unwrap();
        assert!(!complete.cover(&configuration));
        for removed in ["/f:replicas", "/f:args", "/f:ports", r#"/f:env/k:{"name":"A"}/f:value"#] {
            let mut fields = all.clone();
            let (above, name) = removed.rsplit_once('/').unwrap();
            let above = fields.pointer_mut(&format!("/f:spec{above}")).unwrap();
            above.as_object_mut().unwrap().remove(name).unwrap();
            let mut owned = OwnedFields::from_fields_v1(&fields).unwrap();
            assert!(owned.cover(&configuration), "{removed}");
            assert!(!owned.cover(&configuration), "{removed}");
            for changed in ["/replicas", "/args/0", "/ports/0/port", "/env/0/value"] {
                let mut other = configuration.clone();
                *other.pointer_mut(&format!("/spec{changed}")).unwrap() = json!("theirs");
                let (before, after) = (owned.digest(&configuration), owned.digest(&other));
                assert_ne!(before, after, "{removed} and {changed}");
            }
        }
    }

    #[test]
    fn hidden_values_are_named() {
        let configured = json!({
            "metadata": {"labels": {"a": "b"}, "finalizers": ["x", "y"]},
            "spec": {
                "replicas": 3, "cpu": "1000m", "text": "a", "off": false, "none": {}, "zero": 0,
                "ports": [{"port": 80}, {"port": 80, "protocol": "UDP", "name": "u"}],
                "args": ["a", "b"], "atomic": {"a": {"b": 1}},
            },
        });
        let fields = json!({
            "f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {"v:\"x\"": {}, "v:\"y\"": {}}},
            "f:spec": {
                "f:replicas": {}, "f:cpu": {}, "f:text": {}, "f:off": {}, "f:none": {},
                "f:zero": {}, "f:args": {}, "f:atomic": {},
                "f:ports": {
                    r#"k:{"port":80,"protocol":"TCP"}"#: {".": {}, "f:port": {}},
                    r#"k:{"port":80,"protocol":"UDP"}"#: {".": {}, "f:port": {}, "f:name": {}},
                },
            },
        });
        let all = json!({
            "metadata": {"labels": {"a": "other"}, "finalizers": ["z", "y", "x"]},
            "spec": {
                "replicas": 4, "cpu": "1", "text": "other",
                "ports": [
                    {"port": 80, "protocol": "UDP", "name": "other"},
                    {"port": 443, "protocol": "TCP"}, {"port": 80, "protocol": "TCP"},
                ],
                "args": ["b", "c"], "atomic": {"a": {"b": 2}, "c": 3},
            },
        });
        let owned = OwnedFields::from_fields_v1(&fields).unwrap();
        let none = OwnedFields::default();
        assert_eq!(owned.hidden(&configured, &all), None, "each is there, with any value");
        for (at, shown, path) in [
            ("/metadata/labels", json!({}), ".metadata.labels"),
            ("/metadata/labels/a", json!(null), ".metadata.labels.a"),
            ("/metadata/finalizers/2", json!("other"), ".metadata.finalizers[]"),
            ("/spec", json!(null), ".spec"),
            ("/spec/replicas", json!(null), ".spec.replicas"),
            ("/spec/text", json!(""), ".spec.text"),
            ("/spec/ports/0/name", json!(null), ".spec.ports[port,protocol].name"),
            ("/spec/ports/2/port", json!(81), ".spec.ports[port,protocol]"),
            ("/spec/args", json!(["a"]), ".spec.args[]"),
            ("/spec/atomic/a/b", json!(null), ".spec.atomic.a.b"),
        ] {
            let mut object = all.clone();
            *object.pointer_mut(at).unwrap() = shown;
            assert_eq!(owned.hidden(&configured, &object).as_deref(), Some(path), "{at}");
            // Without the owned fields, an element with other keys may be the configured one.
            if !path.contains("[]") && !path.contains("ports") {
                assert_eq!(none.hidden(&configured, &object).as_deref(), Some(path), "{at}");
            }
        }
    }

    #[test]
    fn fields_of_another_form_are_not_read() {
        for fields in [json!(null), json!("x"), json!([]), json!({"x": {}}), json!({"k:x": {}})] {
            assert_eq!(OwnedFields::from_fields_v1(&fields), None, "{fields}");
        }
        assert_eq!(OwnedFields::of_configuration(&json!({})), OwnedFields::default());
    }
}
