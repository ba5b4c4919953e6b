//! The `scale` subresource: the desired and actual number of replicas.
//!
//! A scale is not stored. It is computed from its object, and a write changes the object, so
//! versions and conflicts are those of the object.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::Selector;
use serde_json::{Value, json};

use super::managed_fields::apply;
use super::options::WriteOptions;
use super::patch::{Form, Patch};
use super::{Part, WriteTarget, update};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::members::at;
use crate::api_server::rules::shape::{self, Shape};
use crate::api_server::store::Store;
use crate::api_server::store::stored::Stored;

/// The version of scales.
pub(crate) const VERSION: &str = "autoscaling/v1";

/// Returns the scale of an object.
pub(crate) fn read(resource: &ResourceType, stored: &Stored) -> Result<Value, Failure> {
    of(resource, &stored.value(resource))
}

fn of(resource: &ResourceType, object: &Value) -> Result<Value, Failure> {
    let paths = resource.scale.as_ref().ok_or_else(Failure::not_served)?;
    if resource.custom && at_path(object, &paths.spec).is_null() {
        let problem = format!("the spec replicas field \".{}\" does not exist", paths.spec);
        return Err(Failure::internal(&problem));
    }
    seen(resource, object)
}

fn at_path<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |value, member| &value[member])
}

/// Returns the scale of an object, which has no replicas if the object has none.
fn seen(resource: &ResourceType, object: &Value) -> Result<Value, Failure> {
    let paths = resource.scale.as_ref().ok_or_else(Failure::not_served)?;
    let found = |path: &str| at_path(object, path);
    let wanted = match found(&paths.spec) {
        Value::Null if resource.custom => 0,
        // The default of a built-in type.
        Value::Null => 1,
        value => value.as_i64().unwrap_or(0),
    };
    let mut metadata = json!({});
    for member in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if !object["metadata"][member].is_null() {
            metadata[member] = object["metadata"][member].clone();
        }
    }
    let mut scale = json!({
        "kind": "Scale", "apiVersion": VERSION, "metadata": metadata, "spec": {},
        "status": { "replicas": found(&paths.status).as_i64().unwrap_or(0) },
    });
    if wanted != 0 {
        scale["spec"]["replicas"] = wanted.into();
    }
    let selector = paths.selector.as_deref().map(|path| selector_text(found(path)));
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        scale["status"]["selector"] = selector.into();
    }
    Ok(scale)
}

/// Returns a selector as a text for `kubectl -l`. The selector may be such a text, a label
/// selector, or labels. An empty text selects nothing.
pub(crate) fn selector_text(selector: &Value) -> String {
    let Value::Object(members) = selector else {
        return selector.as_str().unwrap_or_default().to_owned();
    };
    let structured = ["matchLabels", "matchExpressions"].iter().any(|m| members.contains_key(*m));
    let whole = if structured { selector.clone() } else { json!({ "matchLabels": selector }) };
    let parsed = serde_json::from_value::<LabelSelector>(whole).ok();
    let parsed = parsed.and_then(|selector| Selector::try_from(selector).ok());
    let mut terms: Vec<String> =
        parsed.into_iter().flatten().map(|term| term.to_string()).collect();
    // Sorted by key, whatever the operator.
    terms.sort_by(|a, b| a.trim_start_matches('!').cmp(b.trim_start_matches('!')));
    terms.join(",")
}

/// Scales an object as a scale says.
pub(crate) fn replace(
    store: &mut Store,
    target: WriteTarget<'_>,
    scale: &Value,
) -> Result<Value, Failure> {
    let current = target.current(store)?;
    write(store, target, &current, scale)
}

/// Patches an object's scale.
pub(crate) fn patch(
    store: &mut Store,
    target: WriteTarget<'_>,
    options: &WriteOptions,
    media_type: &str,
    body: &[u8],
) -> Result<Value, Failure> {
    let form = Form::of(media_type, target.resource.custom)?;
    let current = target.current(store)?;
    // A patch may give replicas to an object that has none.
    let mut scale = seen(target.resource, &current.value(target.resource))?;
    let patch = Patch::read(form, body)?;
    let shape = Shape::of_kind(VERSION, "Scale");
    let before = scale.clone();
    patch.apply(shape, &mut scale)?;
    patch.decode(shape, target, options.unknown, (&before, &mut scale), |source, scale| {
        let unknown = shape::decode(shape, source, scale)?.into_iter();
        Ok(unknown.map(|path| format!("unknown field {path:?}")).collect())
    })?;
    write(store, target, &current, &scale)
}

/// Applies a configuration to an object's scale. It can set the number of replicas.
///
/// A real server cannot do so for custom types: it refuses every apply that changes something.
pub(crate) fn apply(
    store: &mut Store,
    target: WriteTarget<'_>,
    options: &WriteOptions,
    applied: &Value,
) -> Result<Value, Failure> {
    let current = target.current(store)?;
    apply::check(Shape::of_kind(VERSION, "Scale"), (VERSION, "Scale"), applied)?;
    let mut whole = json!({
        "apiVersion": target.resource.api_version(), "kind": target.resource.kind,
        "metadata": { "name": target.name() },
    });
    // The uid and version of the scale are preconditions.
    for member in ["uid", "resourceVersion"] {
        let value = &applied["metadata"][member];
        if !value.is_null() {
            whole["metadata"][member] = value.clone();
        }
    }
    let replicas = &applied["spec"]["replicas"];
    if !replicas.is_null() {
        set_replicas(target.resource, &mut whole, replicas)?;
    }
    let custom = target.resource.custom;
    let target = WriteTarget { dry_run: target.dry_run || custom, ..target };
    let (_, object) = apply::apply(store, target, options, &whole, None)?;
    if custom && object != current.value(target.resource) {
        return Err(Failure::without_reason(&format!(
            "failed to convert new object ({}) to proper version: request to convert CR to an \
             invalid group/version: {VERSION}",
            apply::named(applied, "Scale")
        )));
    }
    of(target.resource, &object)
}

fn write(
    store: &mut Store,
    target: WriteTarget<'_>,
    current: &Arc<Stored>,
    scale: &Value,
) -> Result<Value, Failure> {
    let paths = target.resource.scale.as_ref().ok_or_else(Failure::not_served)?;
    for (member, expected) in [("kind", "Scale"), ("apiVersion", VERSION)] {
        let found = scale[member].as_str().unwrap_or_default();
        if !found.is_empty() && found != expected {
            let message = format!(
                "the {member} in the data ({found}) does not match the expected {member} \
                 ({expected})"
            );
            return Err(Failure::bad_request(message));
        }
    }
    let name = scale["metadata"]["name"].as_str().unwrap_or_default();
    if name != target.name() {
        return Err(Failure::name_mismatch(name, target.name()));
    }
    let replicas = match &scale["spec"]["replicas"] {
        Value::Null => 0,
        value => value
            .as_i64()
            .filter(|replicas| i32::try_from(*replicas).is_ok())
            .ok_or_else(|| Failure::bad_request("spec.replicas is not a 32-bit number"))?,
    };
    if replicas < 0 {
        return Err(negative(&target, &paths.spec, replicas));
    }
    let mut object = current.value(target.resource);
    set_replicas(target.resource, &mut object, &replicas.into())?;
    // The uid and version of the scale are preconditions.
    target.check_uid(&scale["metadata"], current)?;
    object["metadata"]["resourceVersion"] = scale["metadata"]["resourceVersion"].clone();
    of(target.resource, &update(store, target, current, object)?)
}

/// Returns an object as a write through its scale shows it.
pub(super) fn as_written<'o>(
    target: WriteTarget<'_>,
    object: &'o Value,
) -> Result<Cow<'o, Value>, Failure> {
    if target.part != Part::Scale {
        return Ok(Cow::Borrowed(object));
    }
    seen(target.resource, object).map(Cow::Owned)
}

/// Sets the number of replicas that an object wants.
pub(super) fn set_replicas(
    resource: &ResourceType,
    object: &mut Value,
    replicas: &Value,
) -> Result<(), Failure> {
    let paths = resource.scale.as_ref().ok_or_else(Failure::not_served)?;
    let members: Vec<&str> = paths.spec.split('.').collect();
    if let Some((last, above)) = members.split_last() {
        at(object, above)[*last] = replicas.clone();
    }
    Ok(())
}

fn negative(target: &WriteTarget<'_>, path: &str, replicas: i64) -> Failure {
    let replicas = replicas.to_string();
    if target.resource.custom {
        let problem = "should be a non-negative integer";
        let cause = Cause::invalid_raw(&format!(".{path}"), &replicas, problem);
        return Failure::invalid(target.resource, target.name(), &[cause]);
    }
    let problem = "must be greater than or equal to 0";
    let cause = Cause::invalid_raw("spec.replicas", &replicas, problem);
    Failure::invalid_kind("autoscaling", "Scale", target.name(), &[cause])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_become_texts_sorted_by_key() {
        for (selector, text) in [
            (json!({"b": "2", "a": "1"}), "a=1,b=2"),
            (json!("app=web"), "app=web"),
            (json!(null), ""),
            (
                json!({
                    "matchLabels": {"tier": "front"},
                    "matchExpressions": [
                        {"key": "legacy", "operator": "DoesNotExist"},
                        {"key": "app", "operator": "In", "values": ["b", "a"]},
                    ],
                }),
                "app in (a,b),!legacy,tier=front",
            ),
        ] {
            assert_eq!(selector_text(&selector), text);
        }
    }
}
