//! The reviews that admission webhooks get.

use serde_json::{Value, json};

use super::admission::{Admission, Operation};
use super::session::Session;
use crate::api_server::resource::ResourceType;

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }

    fn options(self) -> &'static str {
        match self {
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
            Self::Delete => "DeleteOptions",
        }
    }
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
    let mut options = session.options.clone();
    options["kind"] = admission.operation.options().into();
    options["apiVersion"] = "meta.k8s.io/v1".into();
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
        "options": options,
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
