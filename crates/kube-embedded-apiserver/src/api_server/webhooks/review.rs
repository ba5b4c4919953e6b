//! The reviews that admission webhooks get.

use serde_json::{Value, json};

use super::admission::{Admission, Operation};
use super::session::Session;
use crate::api_server::resource::ResourceType;
use crate::api_server::verbs::grace;

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }

    fn options(self) -> Option<&'static str> {
        match self {
            Self::Create => Some("CreateOptions"),
            Self::Update => Some("UpdateOptions"),
            Self::Delete => Some("DeleteOptions"),
            Self::Connect => None,
        }
    }
}

/// Returns the options of a request, with the defaults of a delete.
fn options(session: &Session, admission: &Admission<'_>) -> Value {
    let Some(kind) = admission.operation.options() else { return Value::Null };
    let mut options = session.options.clone();
    options["kind"] = kind.into();
    options["apiVersion"] = "meta.k8s.io/v1".into();
    let Some(old) = admission.old.filter(|_| admission.operation == Operation::Delete) else {
        return options;
    };
    if admission.target.resource.graceful && !session.unnamed {
        let asked = options["gracePeriodSeconds"].as_i64();
        options["gracePeriodSeconds"] = grace(old, asked).into();
    }
    if admission.is_of_namespace() && options["preconditions"]["uid"].is_null() {
        options["preconditions"]["uid"] = old["metadata"]["uid"].clone();
    }
    options
}

/// Returns the request of a review, whose objects are in the version `seen`. It has no uid yet.
pub(super) fn request(
    session: &Session,
    admission: &Admission<'_>,
    seen: &ResourceType,
    object: Option<&Value>,
    old: Option<&Value>,
) -> Value {
    let target = admission.target;
    let kind = |resource: &ResourceType| match admission.kind {
        Some((group, version, kind)) => json!({"group": group, "version": version, "kind": kind}),
        None => json!({
            "group": resource.group, "version": resource.version, "kind": resource.kind,
        }),
    };
    let of = |resource: &ResourceType| {
        json!({
            "group": resource.group, "version": resource.version, "resource": resource.plural,
        })
    };
    let mut request = json!({
        "kind": kind(seen),
        "resource": of(seen),
        "requestKind": kind(target.resource),
        "requestResource": of(target.resource),
        "operation": admission.operation.name(),
        "userInfo": session.user,
        "object": object,
        "oldObject": old,
        "dryRun": target.dry_run,
        "options": options(session, admission),
    });
    let own = || object.and_then(|object| object["metadata"]["name"].as_str());
    let name = target.name.filter(|name| !name.is_empty()).or_else(own);
    if let Some(name) = name.filter(|name| !name.is_empty() && !session.unnamed) {
        request["name"] = name.into();
    }
    // The namespace of a `Namespace` object is itself.
    let is_generated = object.is_some_and(|it| !it["metadata"]["generateName"].is_null());
    let itself = name.filter(|_| admission.is_of_namespace() && !is_generated);
    if let Some(namespace) = target.namespace.or(itself) {
        request["namespace"] = namespace.into();
    }
    if !admission.subresource.is_empty() {
        request["subResource"] = admission.subresource.into();
        request["requestSubResource"] = admission.subresource.into();
    }
    request
}
