//! The form in which a server writes objects of built-in types.
//!
//! A server reads a body into its own types, and writes these again. Members that are null or empty
//! disappear, members that its types always have appear, and quantities, times and bytes become
//! canonical. The table of the types' fields says which members these are.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::bytes;
use super::quantity::{self, Quantity};
use kube_decode::protobuf::schema::{
    Field, INLINE, Kind, MessageId, NULLABLE, REQUIRED, SKIP_ZERO, Shape,
};

/// The largest depth of nested values. It is the depth at which JSON bodies end, too.
const MAX_DEPTH: usize = 128;

/// Removes members that are null or empty, and writes other values in their canonical form. Returns
/// the problem of a value that its type cannot hold.
pub(crate) fn strip(api_version: &str, kind: &str, object: &mut Value) -> Result<(), String> {
    match (MessageId::of(api_version, kind), object.as_object_mut()) {
        (Some(id), Some(members)) => strip_members(id, members, 0),
        _ => Ok(()),
    }
}

/// Adds the members that the type always has.
pub(crate) fn complete(api_version: &str, kind: &str, object: &mut Value) {
    if let (Some(id), Some(members)) = (MessageId::of(api_version, kind), object.as_object_mut()) {
        complete_members(id, members, Added::All, 0);
    }
}

/// Adds the members that the type always has and that are objects. Their defaults can follow.
pub(crate) fn add_structures(api_version: &str, kind: &str, object: &mut Value) {
    if let (Some(id), Some(members)) = (MessageId::of(api_version, kind), object.as_object_mut()) {
        complete_members(id, members, Added::Structures, 0);
    }
}

/// Adds the members that the type always has, and makes empty lists null, because storage does not
/// tell them from lists that are not there.
pub(crate) fn settle(api_version: &str, kind: &str, object: &mut Value) {
    if let (Some(id), Some(members)) = (MessageId::of(api_version, kind), object.as_object_mut()) {
        complete_members(id, members, Added::Stored, 0);
    }
}

/// The members that are added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Added {
    Structures,
    All,
    /// All, and null for lists that are empty.
    Stored,
}

fn strip_members(
    id: MessageId,
    members: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for field in id.fields() {
        if field.is(INLINE) {
            strip_members(field.target(), members, depth + 1)?;
            continue;
        }
        // Owners of fields are another module's.
        if field.name() == "managedFields" {
            continue;
        }
        let Some(value) = members.get_mut(field.name()) else { continue };
        strip_field(field, value, depth)?;
        if is_empty(field, value) {
            members.remove(field.name());
        }
    }
    Ok(())
}

fn strip_field(field: &Field, value: &mut Value, depth: usize) -> Result<(), String> {
    match (field.shape, value) {
        (Shape::One, value) => strip_value(field, value, depth),
        (Shape::Repeated, Value::Array(elements)) => {
            elements.iter_mut().try_for_each(|element| strip_value(field, element, depth))
        }
        (Shape::Map, Value::Object(values)) => values.values_mut().try_for_each(|value| {
            if value.is_null() && field.kind == Kind::String {
                *value = "".into();
            }
            strip_value(field, value, depth)
        }),
        _ => Ok(()),
    }
}

fn strip_value(field: &Field, value: &mut Value, depth: usize) -> Result<(), String> {
    match (field.kind, value) {
        (Kind::Message, Value::Object(members)) => {
            strip_members(field.target(), members, depth + 1)
        }
        (Kind::Quantity, value @ (Value::String(_) | Value::Number(_))) => {
            let quantity = Quantity::of(value).ok_or(quantity::PROBLEM)?;
            *value = quantity.canonical().into();
            Ok(())
        }
        (Kind::Time, Value::String(text)) => {
            write_time(text, "%Y-%m-%dT%H:%M:%SZ");
            Ok(())
        }
        (Kind::MicroTime, Value::String(text)) => {
            write_time(text, "%Y-%m-%dT%H:%M:%S.%6fZ");
            Ok(())
        }
        (Kind::Bytes, Value::String(text)) => write_bytes(text),
        _ => Ok(()),
    }
}

/// Writes a time in UTC, with the precision of its type.
fn write_time(text: &mut String, format: &str) {
    if let Ok(time) = text.parse::<Timestamp>() {
        *text = time.strftime(format).to_string();
    }
}

/// Writes bytes in canonical base64. Returns the problem of a text that is not base64.
pub(crate) fn write_bytes(text: &mut String) -> Result<(), String> {
    let bytes = bytes::decode(text);
    *text = STANDARD.encode(bytes.map_err(|at| format!("illegal base64 data at input byte {at}"))?);
    Ok(())
}

/// Returns whether a member that is not there gets this empty text or this zero.
fn comes_back(field: &Field, value: &Value) -> bool {
    field.is(REQUIRED) && zero(field) == *value
}

/// Returns whether a server leaves the member out.
fn is_empty(field: &Field, value: &Value) -> bool {
    match value {
        // A required member that has no value gets one again.
        Value::Null => true,
        // The empty list of an autoscaler's policies has no default.
        Value::Array(elements) => {
            elements.is_empty() && !field.is(REQUIRED) && field.name() != "policies"
        }
        Value::Object(members) if field.shape == Shape::Map => {
            members.is_empty() && !field.is(REQUIRED)
        }
        // An empty text or a zero has a default only if it is no pointer.
        Value::String(text) => text.is_empty() && (field.is(SKIP_ZERO) || comes_back(field, value)),
        Value::Bool(value) => !value && field.is(SKIP_ZERO),
        Value::Number(number) => {
            number.as_f64() == Some(0.0) && (field.is(SKIP_ZERO) || comes_back(field, value))
        }
        Value::Object(_) => false,
    }
}

fn complete_members(id: MessageId, members: &mut Map<String, Value>, added: Added, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for field in id.fields() {
        if field.is(INLINE) {
            complete_members(field.target(), members, added, depth + 1);
            continue;
        }
        if field.name() == "managedFields" {
            continue;
        }
        let found = members.get(field.name());
        let is_empty = |value: &Value| match value {
            Value::Array(elements) => added == Added::Stored && elements.is_empty(),
            value => value.is_null(),
        };
        if field.is(REQUIRED) && found.is_none_or(is_empty) {
            let zero = zero(field);
            if added != Added::Structures || zero.is_object() {
                members.insert(field.name().to_owned(), zero);
            }
        }
        if field.kind != Kind::Message {
            continue;
        }
        let inner = |value: &mut Value| {
            if let Some(members) = value.as_object_mut() {
                complete_members(field.target(), members, added, depth + 1);
            }
        };
        match (field.shape, members.get_mut(field.name())) {
            (Shape::One, Some(value)) => inner(value),
            (Shape::Repeated, Some(Value::Array(elements))) => elements.iter_mut().for_each(inner),
            (Shape::Map, Some(Value::Object(values))) => values.values_mut().for_each(inner),
            _ => {}
        }
    }
}

/// Returns the value of a member that is not there.
fn zero(field: &Field) -> Value {
    if field.is(NULLABLE) || field.shape != Shape::One {
        return Value::Null;
    }
    match field.kind {
        Kind::String => "".into(),
        Kind::Int | Kind::Double | Kind::IntOrString => 0.into(),
        Kind::Bool => false.into(),
        Kind::Message => json!({}),
        Kind::Quantity => "0".into(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(mut object: Value) -> Value {
        let text = |member: &str| object[member].as_str().unwrap().to_owned();
        let (version, kind) = (text("apiVersion"), text("kind"));
        strip(&version, &kind, &mut object).unwrap();
        complete(&version, &kind, &mut object);
        object
    }

    #[test]
    fn empty_members_disappear_and_constant_ones_appear() {
        let given = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "p", "labels": {}, "annotations": { "a": null } },
            "spec": { "containers": [
                { "name": "c", "image": "", "ports": [], "livenessProbe": null },
            ] },
        });
        let expected = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "p", "annotations": { "a": "" } },
            "spec": { "containers": [{ "name": "c", "resources": {} }] },
            "status": {},
        });
        assert_eq!(normal(given), expected);
    }

    #[test]
    fn pointers_to_zero_stay() {
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "j" },
            "spec": { "suspend": false, "parallelism": 0, "template": {} },
        });
        let found = normal(job);
        assert_eq!(found["spec"]["suspend"], json!(false));
        assert_eq!(found["spec"]["parallelism"], json!(0));
        assert_eq!(found["spec"]["template"]["spec"]["containers"], Value::Null);
    }

    #[test]
    fn values_that_a_type_cannot_hold_are_named() {
        let mut secret = json!({ "data": { "k": "%" } });
        let problem = strip("v1", "Secret", &mut secret).unwrap_err();
        assert_eq!(problem, "illegal base64 data at input byte 0");
    }

    #[test]
    fn bytes_become_canonical_base64() {
        let objects = [
            ("v1", "Secret", "/data/a"),
            ("v1", "ConfigMap", "/binaryData/a"),
            ("certificates.k8s.io/v1", "CertificateSigningRequest", "/spec/request"),
            ("certificates.k8s.io/v1", "CertificateSigningRequest", "/status/certificate"),
            ("apiregistration.k8s.io/v1", "APIService", "/spec/caBundle"),
            (
                "admissionregistration.k8s.io/v1",
                "MutatingWebhookConfiguration",
                "/webhooks/0/clientConfig/caBundle",
            ),
            (
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "/spec/conversion/webhook/clientConfig/caBundle",
            ),
        ];
        for (version, kind, path) in objects {
            for text in ["eA==", "eA\n==", "e\r\nA==\n", "eB=="] {
                let mut object = path.rsplit('/').fold(json!(text), |inner, member| match member {
                    "" => inner,
                    "0" => json!([inner]),
                    member => json!({ member: inner }),
                });
                strip(version, kind, &mut object).unwrap();
                assert_eq!(object.pointer(path), Some(&json!("eA==")), "{kind} {text}");
            }
        }
    }
}
