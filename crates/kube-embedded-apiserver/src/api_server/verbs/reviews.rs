//! Reviews of access: the user's own identity, tokens, and permissions. A client creates a review,
//! and the server answers it without storing it.
//!
//! The rules of [`access`](crate::api_server::rules::access) decide the answer: without
//! tokens every user may do everything.

use serde_json::{Value, json};

use super::{WriteTarget, managed_fields};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::names::now;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::access::{Access, AccessRule, Attributes, ISSUER, User};
use crate::api_server::store::Store;

/// Paths that a rules review shows, which every user with a token may get.
const PATHS: [&[&str]; 3] = [
    &["/healthz", "/livez", "/readyz", "/version", "/version/"],
    &["/.well-known", "/.well-known/*"],
    &[
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ],
];

/// Answers a review.
pub(crate) fn answer(
    store: &Store,
    access: &Access,
    user: &User,
    target: WriteTarget<'_>,
    mut asked: Value,
) -> Result<Value, Failure> {
    let resource = target.resource;
    asked["kind"] = resource.kind.clone().into();
    asked["apiVersion"] = resource.api_version().into();
    if !asked["metadata"].is_object() {
        asked["metadata"] = json!({});
    }
    match &*resource.plural {
        "selfsubjectreviews" => {
            asked["metadata"]["creationTimestamp"] = now().into();
            asked["status"] = json!({ "userInfo": about(user) });
            return Ok(asked);
        }
        "selfsubjectrulesreviews" => return rules(access, user, &asked),
        _ => {}
    }
    managed_fields::track(store, &target, None, &mut asked)?;
    if resource.plural == "tokenreviews" {
        return token(access, asked);
    }
    let own = resource.plural.starts_with("self");
    let causes = problems(&asked, own, target.namespace);
    if !causes.is_empty() {
        return Err(Failure::invalid_kind(&resource.group, "", "", &causes));
    }
    if let Some(metadata) = asked["metadata"].as_object_mut() {
        metadata.remove("namespace");
        metadata.extend(target.namespace.map(|name| ("namespace".to_owned(), name.into())));
    }
    let spec = &asked["spec"];
    let named;
    let user = if own {
        user
    } else {
        named = access.named(spec["user"].as_str().unwrap_or_default());
        &named
    };
    let path = &spec["nonResourceAttributes"];
    let text = |member: &str| path[member].as_str().unwrap_or_default();
    let allowed = if path.is_null() {
        access.allows(user, &attributes(&spec["resourceAttributes"]))
    } else {
        access.allows_path(user, text("verb"), text("path"))
    };
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
        name: text("name"),
    }
}

/// Returns the problems of a review.
fn problems(review: &Value, own: bool, namespace: Option<&str>) -> Vec<Cause> {
    let spec = &review["spec"];
    let mut causes = Vec::new();
    let (of, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    if of.is_null() && path.is_null() {
        let problem =
            "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        causes.push(Cause::invalid_raw("spec.resourceAttributes", "null", problem));
    }
    if !of.is_null() && !path.is_null() {
        let text = |member: &str| path[member].as_str().unwrap_or_default();
        let value = json!({ "Path": text("path"), "Verb": text("verb") }).to_string();
        let problem = "cannot be specified in combination with resourceAttributes";
        causes.push(Cause::invalid_raw("spec.nonResourceAttributes", &value, problem));
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
    let metadata = review["metadata"].as_object().into_iter().flatten();
    if metadata.into_iter().any(|(name, _)| !matches!(&**name, "namespace" | "managedFields")) {
        let metadata = review["metadata"].to_string();
        causes.push(Cause::invalid_raw("metadata", &metadata, "must be empty"));
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

/// Answers a review of a token.
fn token(access: &Access, mut asked: Value) -> Result<Value, Failure> {
    let token = asked["spec"]["token"].as_str().unwrap_or_default();
    if token.is_empty() {
        let message = "token is required for TokenReview in authentication";
        return Err(Failure::bad_request(message));
    }
    let wanted = asked["spec"]["audiences"].as_array().filter(|wanted| !wanted.is_empty());
    let wanted: Vec<&str> = wanted
        .map_or_else(|| vec![ISSUER], |wanted| wanted.iter().filter_map(Value::as_str).collect());
    asked["status"] = match access.identity(token) {
        None => json!({ "user": {}, "error": "invalid bearer token" }),
        Some((user, audiences)) => {
            let met: Vec<&str> =
                wanted.iter().copied().filter(|one| audiences.iter().any(|a| a == one)).collect();
            if met.is_empty() {
                let quoted = |all: Vec<String>| format!("[{}]", all.join(" "));
                let own = quoted(audiences.iter().map(|one| format!("{one:?}")).collect());
                let wanted = quoted(wanted.iter().map(|one| format!("{one:?}")).collect());
                let problem = format!(
                    "[invalid bearer token, token audiences {own} is invalid for the target \
                     audiences {wanted}]"
                );
                json!({ "user": {}, "error": problem })
            } else {
                json!({ "authenticated": true, "user": about(&user), "audiences": met })
            }
        }
    };
    Ok(asked)
}

/// Answers a review of the user's rules in a namespace.
fn rules(access: &Access, user: &User, asked: &Value) -> Result<Value, Failure> {
    if asked["spec"]["namespace"].as_str().unwrap_or_default().is_empty() {
        return Err(Failure::bad_request("no namespace on request"));
    }
    let rule = |group: &str, resources: &[&str]| json!({ "verbs": ["create"], "apiGroups": [group], "resources": resources });
    let mut resources = vec![
        rule("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
        rule("authentication.k8s.io", &["selfsubjectreviews"]),
    ];
    match user {
        User::Anyone => resources.push(AccessRule::everything().described()),
        User::Named(name) => {
            resources.extend(access.rules(name).map(AccessRule::described));
        }
    }
    let paths: Vec<Value> =
        PATHS.iter().map(|paths| json!({ "verbs": ["get"], "nonResourceURLs": paths })).collect();
    Ok(json!({
        "kind": asked["kind"], "apiVersion": asked["apiVersion"], "metadata": {}, "spec": {},
        "status": { "resourceRules": resources, "nonResourceRules": paths, "incomplete": false },
    }))
}

pub(crate) fn about(user: &User) -> Value {
    let name = match user {
        User::Anyone => "kubernetes-admin",
        User::Named(name) => name,
    };
    json!({ "username": name, "groups": user.groups() })
}
