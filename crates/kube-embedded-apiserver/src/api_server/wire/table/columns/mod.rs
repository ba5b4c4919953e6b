//! The columns of built-in types, and the values of their cells.

mod cluster;
mod metrics;
mod network;
mod pod;
mod storage;
mod workloads;

use serde_json::Value;

use super::duration;
use crate::api_server::resource::ResourceType;

pub(super) use self::pod::conditions as pod_conditions;

/// A column: its name, its type, its priority (1 for a wide table only), and its cells.
pub(super) struct BuiltinColumn {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) wide: i64,
    pub(super) cell: fn(&Value) -> Value,
    /// The documentation; empty for that of the name.
    pub(super) description: &'static str,
}

impl BuiltinColumn {
    const fn described(self, description: &'static str) -> Self {
        Self { description, ..self }
    }
}

const fn text(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "string", wide: 0, cell, description: "" }
}

const fn wide(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "string", wide: 1, cell, description: "" }
}

const fn integer(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "integer", wide: 0, cell, description: "" }
}

const fn boolean(name: &'static str, cell: fn(&Value) -> Value) -> BuiltinColumn {
    BuiltinColumn { name, kind: "boolean", wide: 0, cell, description: "" }
}

const NAME: BuiltinColumn = text("Name", |o| o["metadata"]["name"].clone());
const AGE: BuiltinColumn = text("Age", |o| duration::since(&o["metadata"]["creationTimestamp"]));

const GENERIC: &[BuiltinColumn] = &[NAME, AGE];

/// The columns of the types that have none of their own on a real server, either.
const PLAIN: &[BuiltinColumn] = &[
    NAME,
    BuiltinColumn {
        kind: "date",
        ..text("Created At", |o| o["metadata"]["creationTimestamp"].clone()).described(super::AGE)
    },
];

/// Returns the columns of a type.
pub(super) fn of(resource: &ResourceType) -> &'static [BuiltinColumn] {
    let name = &*resource.qualified();
    let found = workloads::of(name)
        .or_else(|| network::of(name))
        .or_else(|| storage::of(name))
        .or_else(|| cluster::of(name));
    found.unwrap_or(match name {
        "limitranges"
        | "roles.rbac.authorization.k8s.io"
        | "clusterroles.rbac.authorization.k8s.io"
        | "customresourcedefinitions.apiextensions.k8s.io" => PLAIN,
        _ => GENERIC,
    })
}

fn or(value: &Value, otherwise: &str) -> Value {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or(otherwise).into()
}

fn or_none(value: &Value) -> Value {
    or(value, "<none>")
}

fn or_unset(value: &Value) -> Value {
    or(value, "<unset>")
}

/// Returns a text; an absent one is empty.
fn plain(value: &Value) -> Value {
    or(value, "")
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn count(value: &Value) -> Value {
    value.as_i64().unwrap_or(0).into()
}

fn truth(value: &Value) -> Value {
    (*value == true).into()
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn number_of(list: &Value) -> Value {
    elements(list).count().into()
}

/// Returns the condition of a type.
fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    elements(&object["status"]["conditions"]).find(|condition| condition["type"] == kind)
}

fn joined(texts: impl IntoIterator<Item = String>, separator: &str) -> Value {
    texts.into_iter().collect::<Vec<_>>().join(separator).into()
}

fn or_none_joined(texts: impl IntoIterator<Item = String>) -> Value {
    or_none(&joined(texts, ","))
}

/// Returns the first texts of a list, and the number of the others.
fn first_of(texts: &[String], most: usize, separator: &str, nothing: &str) -> Value {
    if texts.is_empty() {
        return nothing.into();
    }
    let shown = texts[..texts.len().min(most)].join(separator);
    match texts.len().saturating_sub(most) {
        0 => shown.into(),
        more => format!("{shown} + {more} more...").into(),
    }
}

/// Returns `a=b,c=d`.
fn pairs(map: &Value) -> Value {
    let pairs = map.as_object().into_iter().flatten();
    or_none_joined(pairs.map(|(name, value)| format!("{name}={}", str_of(value))))
}

/// Returns the text of a label selector: `a=b,c in (d,e),!f`.
fn selector(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let mut all: Vec<(String, String)> = labels
        .map(|(key, value)| (key.clone(), format!("{key}={}", str_of(value))))
        .chain(elements(&selector["matchExpressions"]).map(|wanted| {
            let key = str_of(&wanted["key"]);
            let mut values: Vec<&str> = elements(&wanted["values"]).map(str_of).collect();
            values.sort_unstable();
            let values = values.join(",");
            let text = match str_of(&wanted["operator"]) {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "DoesNotExist" => format!("!{key}"),
                _ => key.to_owned(),
            };
            (key.to_owned(), text)
        }))
        .collect();
    all.sort();
    all.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_written_like_in_queries() {
        let wanted = json!({"matchLabels": {"app": "web"}, "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["b", "a"]},
            {"key": "zone", "operator": "NotIn", "values": ["x"]},
            {"key": "b", "operator": "Exists"}, {"key": "c", "operator": "DoesNotExist"},
        ]});
        assert_eq!(selector(&wanted), "app=web,b,!c,tier in (a,b),zone notin (x)");
        assert_eq!(selector(&Value::Null), "");
    }

    #[test]
    fn long_lists_are_cut() {
        let texts = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(first_of(&texts, 3, ",", "-"), "a,b,c + 2 more...");
        assert_eq!(first_of(&texts[..3], 3, ",", "-"), "a,b,c");
        assert_eq!(first_of(&[], 3, ",", "-"), "-");
    }
}
