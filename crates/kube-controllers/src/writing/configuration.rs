//! The configuration of an object, as it is applied.

use k8s_openapi::ByteString;
use kube::core::params::{Patch, PatchParams};
use kube::core::{ObjectMeta, Request as KubeRequest};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::digest::Digest;
use super::hidden::{is_blank, means_none};
use super::records::Section;
use crate::basics::in_path;

/// Members of metadata that the server sets. An apply of them has no effect or is refused.
const SET_BY_SERVER: [&str; 6] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "selfLink",
];

/// Members of metadata that name the object. No manager owns them.
const IDENTITY: [&str; 4] = ["name", "namespace", "resourceVersion", "uid"];

/// A check of a value.
type Check = fn(&Value) -> bool;

/// The members of a Secret, the checks of their values, and the reasons of refusals.
const SECRET: [(&str, Check, &str); 5] = [
    ("data", is_map_of_texts, "is not a map of texts"),
    ("stringData", is_map_of_texts, "is not a map of texts"),
    ("type", Value::is_string, "is not a text"),
    ("immutable", Value::is_boolean, "is neither true nor false"),
    ("metadata", is_metadata, "is not the metadata of an object"),
];

/// The types that have a pod, and the place of its spec.
const POD_SPECS: [(&str, &str, &str); 9] = [
    ("v1", "Pod", "/spec"),
    ("v1", "PodTemplate", "/template/spec"),
    ("v1", "ReplicationController", "/spec/template/spec"),
    ("apps/v1", "Deployment", "/spec/template/spec"),
    ("apps/v1", "ReplicaSet", "/spec/template/spec"),
    ("apps/v1", "StatefulSet", "/spec/template/spec"),
    ("apps/v1", "DaemonSet", "/spec/template/spec"),
    ("batch/v1", "Job", "/spec/template/spec"),
    ("batch/v1", "CronJob", "/spec/jobTemplate/spec/template/spec"),
];

/// The type and name of an object.
pub(super) struct ObjectAddress<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    pub(super) namespace: Option<&'a str>,
    pub(super) name: &'a str,
}

/// The body of an apply, and its digest.
pub(super) struct Configuration {
    pub(super) body: Value,
    pub(super) digest: Digest,
    section: Section,
}

impl Configuration {
    /// Makes the body of an apply from a serialised object.
    pub(super) fn new(mut object: Value, address: &ObjectAddress<'_>, section: Section) -> Self {
        remove_nulls(&mut object);
        let mut members = match object {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let mut metadata = match members.remove("metadata") {
            Some(Value::Object(metadata)) => metadata,
            _ => Map::new(),
        };
        let keep = |name: &str, value: &Value| match section {
            Section::Main => {
                // An empty map of labels would own the labels of all managers.
                let empty = value.as_object().is_some_and(Map::is_empty)
                    || value.as_array().is_some_and(Vec::is_empty);
                !SET_BY_SERVER.contains(&name) && !empty
            }
            Section::Status => IDENTITY.contains(&name),
        };
        metadata.retain(|name, value| keep(name, value));
        metadata.insert("name".into(), address.name.into());
        metadata.remove("namespace");
        if let Some(namespace) = address.namespace {
            metadata.insert("namespace".into(), namespace.into());
        }
        match section {
            Section::Main => drop(members.remove("status")),
            Section::Status => members.retain(|name, _| name == "status"),
        }
        if is_secret(address.api_version, address.kind) {
            encode_texts(&mut members);
        }
        members.insert("apiVersion".into(), address.api_version.into());
        members.insert("kind".into(), address.kind.into());
        members.insert("metadata".into(), metadata.into());
        let mut body = Value::Object(members);
        name_account(&mut body, address);
        Self { digest: Digest::of(&body), body, section }
    }

    /// Returns whether the configuration names the version that it replaces. Only the server can
    /// answer that, not the cache.
    pub(super) fn names_version(&self) -> bool {
        self.body["metadata"].get("resourceVersion").is_some()
    }

    /// Returns the fields that the configuration sets.
    pub(super) fn fields(&self) -> Value {
        let mut fields = self.body.clone();
        if let Some(members) = fields.as_object_mut() {
            members.remove("apiVersion");
            members.remove("kind");
        }
        if let Some(metadata) = fields["metadata"].as_object_mut() {
            metadata.retain(|name, _| !IDENTITY.contains(&name.as_str()));
        }
        if fields["metadata"] == json!({})
            && let Some(members) = fields.as_object_mut()
        {
            members.remove("metadata");
        }
        fields
    }

    /// Returns the request that applies the configuration to an object of this collection.
    pub(super) fn request(
        &self,
        collection: String,
        name: &str,
        manager: &str,
        force: bool,
    ) -> Result<http::Request<Vec<u8>>, kube::core::request::Error> {
        let mut params = PatchParams::apply(manager);
        params.force = force;
        let (request, patch) = (KubeRequest::new(collection), Patch::Apply(&self.body));
        let name = &in_path(name);
        match self.section {
            Section::Main => request.patch(name, &params, &patch),
            Section::Status => request.patch_subresource("status", name, &params, &patch),
        }
    }
}

pub(super) fn is_secret(api_version: &str, kind: &str) -> bool {
    (api_version, kind) == ("v1", "Secret")
}

fn is_map_of_texts(value: &Value) -> bool {
    let may_be_text = |value: &Value| value.is_null() || value.is_string();
    value.as_object().is_some_and(|members| members.values().all(may_be_text))
}

fn is_metadata(value: &Value) -> bool {
    ObjectMeta::deserialize(value).is_ok()
}

/// Moves the texts of a Secret into its data, as a server does. It never returns the texts, so they
/// could not be compared, and a later apply without them would not remove the data.
fn encode_texts(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.remove("stringData") else { return };
    if texts.is_empty() {
        return;
    }
    let data = secret.entry("data").or_insert_with(|| json!({}));
    let Some(data) = data.as_object_mut() else { return };
    for (name, text) in texts {
        data.insert(name, json!(ByteString(text.as_str().unwrap_or_default().into())));
    }
}

/// Writes a pod's account into both of its fields, of which one is a deprecated alias. A server
/// shows it in both, so an alias that differs could never be put back. It also keeps an account
/// that is left in one of them, so a manager that owns only one could not remove it.
fn name_account(body: &mut Value, address: &ObjectAddress<'_>) {
    let kind = (address.api_version, address.kind);
    let found = POD_SPECS.iter().find(|(version, of, _)| (*version, *of) == kind);
    let Some((.., path)) = found else { return };
    let Some(spec) = body.pointer_mut(path).and_then(Value::as_object_mut) else { return };
    let is_set = |account: &&Value| !account.is_null() && **account != "";
    let [name, alias] = ["serviceAccountName", "serviceAccount"];
    let named = spec.get(name).filter(is_set).or(spec.get(alias).filter(is_set));
    if let Some(account) = named.cloned() {
        spec.insert(alias.to_owned(), account.clone());
        spec.insert(name.to_owned(), account);
    }
}

/// Returns a member of a value that contradicts the type of the object, and the reason.
pub(super) fn refused_member(value: &Value, address: &ObjectAddress<'_>) -> Option<Refused> {
    let ObjectAddress { api_version, kind, .. } = *address;
    // The server's refusal would quote a value, which may be a secret.
    let odd = || {
        let members = SECRET.iter().filter(|_| is_secret(api_version, kind));
        let mut odd = members.filter(|(name, is_right, _)| {
            let member = &value[*name];
            !member.is_null() && !is_right(member)
        });
        odd.next().map(|(name, _, reason)| (*name, (*reason).to_owned()))
    };
    contradiction("apiVersion", &value["apiVersion"], api_version)
        .or_else(|| contradiction("kind", &value["kind"], kind))
        .or_else(odd)
}

/// Returns a member of a partial value that is not for the object, and the reason. `given` is the
/// namespace of its key.
pub(super) fn refused_of_part(
    value: &Value,
    address: &ObjectAddress<'_>,
    given: Option<&str>,
    section: Section,
) -> Option<Refused> {
    let metadata = &value["metadata"];
    let namespace = address.namespace.unwrap_or_default();
    let shape = |name, value: &Value| {
        (!value.is_null() && !value.is_object()).then(|| (name, "is not a map".to_owned()))
    };
    let status = || {
        let reason = "is not applied with the object: use `apply_status_of`";
        let is_set = section == Section::Main && !value["status"].is_null();
        is_set.then(|| ("status", reason.to_owned()))
    };
    shape("the value", value)
        .or_else(|| shape("metadata", metadata))
        .or_else(|| contradiction("metadata.name", &metadata["name"], address.name))
        .or_else(|| contradiction("metadata.namespace", &metadata["namespace"], namespace))
        .or_else(|| contradiction("the namespace", &json!(given), namespace))
        .or_else(status)
}

/// A member of a value, and the reason why it is refused.
type Refused = (&'static str, String);

fn contradiction(name: &'static str, found: &Value, wanted: &str) -> Option<Refused> {
    let shown = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("{text:?}") };
    let reason = || {
        let found = found.as_str().map_or_else(|| "no text".to_owned(), shown);
        format!("is {found}, but that of the object is {}", shown(wanted))
    };
    (!found.is_null() && found != wanted).then(|| (name, reason()))
}

/// Returns the path of a value of `before` that `after` does not have.
pub(super) fn lost(before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        _ if means_none(before) && is_blank(after) => None,
        (Value::Object(before), Value::Object(after)) => before.iter().find_map(|(name, value)| {
            let path = lost(value, after.get(name).unwrap_or(&Value::Null))?;
            Some(format!(".{name}{path}"))
        }),
        // A type may hold a set, which has no order.
        (Value::Array(before), Value::Array(after)) if digests(before) == digests(after) => None,
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).enumerate().find_map(|(n, (before, after))| {
                lost(before, after).map(|path| format!("[{n}]{path}"))
            })
        }
        _ => (Digest::of(before) != Digest::of(after)).then(String::new),
    }
}

/// Returns the digests of the elements of a list, in an order of their own. The lists in them count
/// as sets.
pub(super) fn digests(elements: &[Value]) -> Vec<Digest> {
    let mut digests: Vec<_> = elements.iter().map(Digest::as_sets).collect();
    digests.sort_unstable();
    digests
}

/// Removes the members that are null. Types write them for what is not set.
fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(elements) => elements.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: ObjectAddress<'static> =
        ObjectAddress { api_version: "v1", kind: "Thing", namespace: Some("shop"), name: "a" };

    #[test]
    fn body_has_what_an_apply_may_set() {
        let object = json!({
            "metadata": {
                "name": "a", "creationTimestamp": null, "managedFields": [{}], "generation": 7,
                "labels": {}, "annotations": {"a": "b"}, "uid": "u", "resourceVersion": "5",
            },
            "spec": {"a": null, "emptyDir": {}, "list": [{"b": null}]},
            "status": {"ready": true},
        });
        let main = Configuration::new(object.clone(), &ADDRESS, Section::Main);
        let identity =
            json!({"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "5"});
        let mut metadata = identity.clone();
        metadata["annotations"] = json!({"a": "b"});
        assert_eq!(
            main.body,
            json!({
                "apiVersion": "v1", "kind": "Thing", "metadata": metadata,
                "spec": {"emptyDir": {}, "list": [{}]},
            })
        );
        assert!(main.names_version());
        assert_eq!(
            main.fields(),
            json!({
                "metadata": {"annotations": {"a": "b"}}, "spec": {"emptyDir": {}, "list": [{}]},
            })
        );
        let status = Configuration::new(object, &ADDRESS, Section::Status);
        assert_eq!(
            status.body,
            json!({
                "apiVersion": "v1", "kind": "Thing", "metadata": identity,
                "status": {"ready": true},
            })
        );
    }

    #[test]
    fn lost_values_are_named() {
        let whole = json!({"spec": {"a": [{"b": 1}, {"c": 2}]}});
        assert_eq!(lost(&whole, &whole), None);
        assert_eq!(lost(&json!({"a": 1}), &json!({"a": 1.0, "more": 2})), None);
        let slim = json!({"spec": {"a": [{"b": 1}, {}]}});
        assert_eq!(lost(&whole, &slim).as_deref(), Some(".spec.a[1].c"));
        assert_eq!(lost(&whole, &json!({})).as_deref(), Some(".spec"));
        assert_eq!(lost(&json!({"a": [1, 2]}), &json!({"a": [2, 1.0]})), None);
        assert_eq!(lost(&json!({"a": [1, 2]}), &json!({"a": [2, 2]})).as_deref(), Some(".a[0]"));
        assert_eq!(lost(&json!({"a": ["", {"b": false}]}), &json!({"a": ["", {}]})), None);
    }
}
