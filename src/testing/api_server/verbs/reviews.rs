//! Reviews of access: the user's own identity, and permissions. A client creates a review, and the
//! server answers it without storing it.
//!
//! The rules of [`access`](crate::testing::api_server::rules::access) decide the answer: without tokens every user may do
//! everything.

use serde_json::{Value, json};

use crate::testing::api_server::failure::{Cause, Failure};
use crate::testing::api_server::names::now;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::rules::access::{Access, Attributes, User};

/// Returns whether every user may create this review, because it is about the user itself.
pub(crate) fn is_open(resource: &ResourceType) -> bool {
    resource.review && resource.plural.starts_with("self")
}

/// Answers a review.
pub(crate) fn answer(
    access: &Access,
    user: &User,
    namespace: Option<&str>,
    resource: &ResourceType,
    mut asked: Value,
) -> Result<Value, Failure> {
    for (member, expected) in
        [("kind", resource.kind.clone()), ("apiVersion", resource.api_version())]
    {
        let found = asked[member].as_str().unwrap_or_default();
        if !asked.is_object() || (!found.is_empty() && found != expected) {
            let message = format!("the {member} in the data does not match {expected}");
            return Err(Failure::bad_request(message));
        }
        asked[member] = expected.into();
    }
    if !asked["metadata"].is_object() {
        asked["metadata"] = json!({});
    }
    if resource.plural == "selfsubjectreviews" {
        asked["metadata"]["creationTimestamp"] = now().into();
        asked["status"] = json!({ "userInfo": about(user) });
        return Ok(asked);
    }
    let spec = &asked["spec"];
    let own = is_open(resource);
    let causes = problems(spec, own, namespace);
    if !causes.is_empty() {
        return Err(Failure::invalid(resource, "", &causes));
    }
    let named;
    let user = if own {
        user
    } else {
        named = access.named(spec["user"].as_str().unwrap_or_default());
        &named
    };
    let of = &spec["resourceAttributes"];
    // A review of a path, not of a resource, is about discovery, which is open to all.
    let allowed = of.is_null() || access.allows(user, &attributes(of));
    asked["status"] = json!({ "allowed": allowed });
    Ok(asked)
}

fn attributes(of: &Value) -> Attributes<'_> {
    let text = |member: &str| of[member].as_str().filter(|text| !text.is_empty());
    Attributes {
        verb: text("verb").unwrap_or_default(),
        group: text("group").unwrap_or_default(),
        resource: text("resource").unwrap_or_default(),
        subresource: text("subresource"),
        namespace: text("namespace"),
    }
}

/// Returns the problems of a review.
fn problems(spec: &Value, own: bool, namespace: Option<&str>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let of = &spec["resourceAttributes"];
    if of.is_null() == spec["nonResourceAttributes"].is_null() {
        let problem =
            "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        causes.push(Cause::invalid_raw("spec.resourceAttributes", "null", problem));
    }
    let nobody = spec["user"].as_str().unwrap_or_default().is_empty()
        && spec["groups"].as_array().is_none_or(Vec::is_empty);
    if !own && nobody {
        let problem = "at least one of user or group must be specified";
        causes.push(Cause::invalid("spec.user", "", problem));
    }
    let asked = of["namespace"].as_str().unwrap_or_default();
    if namespace.is_some_and(|namespace| asked != namespace) {
        let problem = "must match metadata.namespace";
        causes.push(Cause::invalid("spec.resourceAttributes.namespace", asked, problem));
    }
    causes
}

/// Notes the requester in a new certificate request, whatever the request says.
pub(crate) fn note_requester(resource: &ResourceType, user: &User, object: &mut Value) {
    if resource.qualified() != "certificatesigningrequests.certificates.k8s.io" {
        return;
    }
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        for member in ["username", "uid", "groups", "extra"] {
            spec.remove(member);
        }
        if let Value::Object(known) = about(user) {
            spec.extend(known);
        }
    }
}

fn about(user: &User) -> Value {
    match user {
        User::Anyone => json!({
            "username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"],
        }),
        User::Named(name) => json!({ "username": name, "groups": ["system:authenticated"] }),
    }
}
