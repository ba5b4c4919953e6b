//! The tokens of service accounts (`serviceaccounts/token`).
//!
//! A token is new for each request, and is known from then on. Its user is
//! `system:serviceaccount:NAMESPACE:NAME`. It does not expire.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::{Part, WriteTarget, managed_fields};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::names;
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::access::{Access, ISSUER};
use crate::api_server::rules::members::at;
use crate::api_server::store::Store;

/// The lifetime of a token without one, in seconds.
const LIFETIME: i64 = 3600;

/// The shortest lifetime, in seconds.
const SHORTEST: i64 = 600;

/// The longest lifetime, in seconds.
const LONGEST: i64 = 1 << 32;

/// The kinds to whose lifetime a token can be bound, with their resources.
const BINDABLE: [(&str, &str, &str); 3] =
    [("v1", "Pod", "pods"), ("v1", "Secret", "secrets"), ("v1", "Node", "nodes")];

/// Creates a token for the service account that `target` names.
pub(crate) fn request(
    store: &Store,
    access: &mut Access,
    target: WriteTarget<'_>,
    mut asked: Value,
) -> Result<Value, Failure> {
    let account = target.current(store)?.value(target.resource);
    let types = ResourceType::new("authentication.k8s.io", "v1", "TokenRequest", "tokens", true);
    asked["kind"] = "TokenRequest".into();
    asked["apiVersion"] = types.api_version().into();
    let refuse = |name: &str, cause: Cause| {
        Err(Failure::invalid_kind("authentication.k8s.io", "TokenRequest", name, &[cause]))
    };
    let given = asked["metadata"]["name"].as_str().unwrap_or_default();
    if !given.is_empty() && given != target.name() {
        let problem = "must match the service account name if specified";
        return refuse(target.name(), Cause::invalid("metadata.name", given, problem));
    }
    at(&mut asked, &["metadata"]);
    let spec = at(&mut asked, &["spec"]);
    if spec["expirationSeconds"].is_null() {
        spec["expirationSeconds"] = LIFETIME.into();
    }
    let lifetime = spec["expirationSeconds"].as_i64().unwrap_or(LIFETIME);
    let problem = match lifetime {
        ..SHORTEST => Some("may not specify a duration less than 10 minutes"),
        SHORTEST..=LONGEST => None,
        _ => Some("may not specify a duration larger than 2^32 seconds"),
    };
    if let Some(problem) = problem {
        let lifetime = lifetime.to_string();
        return refuse("", Cause::invalid_raw("spec.expirationSeconds", &lifetime, problem));
    }
    let target = WriteTarget { resource: &types, part: Part::Object, ..target };
    let mut tracked = json!({ "metadata": {}, "spec": asked["spec"] });
    managed_fields::track(store, &target, None, &mut tracked)?;
    if let Some(entry) = tracked["metadata"]["managedFields"].get_mut(0) {
        entry["subresource"] = "token".into();
        asked["metadata"]["managedFields"] = tracked["metadata"]["managedFields"].clone();
    }
    let spec = at(&mut asked, &["spec"]);
    if spec["audiences"].as_array().is_none_or(Vec::is_empty) {
        spec["audiences"] = json!([ISSUER]);
    }
    // The member is always there.
    spec["boundObjectRef"] = spec["boundObjectRef"].take();
    check_bound(store, target, &asked["spec"]["boundObjectRef"])?;
    let namespace = target.namespace.unwrap_or_default();
    let user = format!("system:serviceaccount:{namespace}:{}", target.name());
    let expires = names::after(lifetime);
    let claims = json!({ "iss": ISSUER, "sub": user, "aud": asked["spec"]["audiences"] });
    let parts = [json!({ "alg": "none" }).to_string(), claims.to_string(), names::uid()];
    let token = parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
    if !target.dry_run {
        let audiences = asked["spec"]["audiences"].as_array().into_iter().flatten();
        let audiences = audiences.filter_map(|one| one.as_str().map(str::to_owned)).collect();
        access.issue(token.clone(), user, audiences);
    }
    for member in ["name", "namespace", "uid"] {
        asked["metadata"][member] = account["metadata"][member].clone();
    }
    asked["metadata"]["creationTimestamp"] = names::now().into();
    asked["status"] = json!({ "token": token, "expirationTimestamp": expires });
    Ok(asked)
}

/// Returns a failure if the object to which the token is bound does not exist.
fn check_bound(store: &Store, target: WriteTarget<'_>, bound: &Value) -> Result<(), Failure> {
    if bound.is_null() {
        return Ok(());
    }
    let text = |member: &str| bound[member].as_str().unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let known = BINDABLE.iter().find(|known| (known.0, known.1) == (version, kind));
    let types = known.and_then(|(_, _, plural)| store.served("", "v1", plural));
    let Some(types) = types else {
        let version = match version.split_once('/') {
            Some(_) => version.to_owned(),
            None => format!("/{version}"),
        };
        let message = format!("cannot bind token to object of type {version}, Kind={kind}");
        return Err(Failure::bad_request(message));
    };
    let namespace = target.namespace.filter(|_| types.namespaced);
    let target = WriteTarget { resource: types, namespace, name: Some(text("name")), ..target };
    let found = target.current(store)?;
    if !matches!(text("uid"), "") && text("uid") != found.uid {
        let problem = format!(
            "the UID in the bound object reference ({}) does not match the UID in record. The \
             object might have been deleted and then recreated",
            text("uid")
        );
        let named = ResourceType::new("", "v1", kind, kind, true);
        return Err(Failure::precondition_failed(&named, target.name(), &problem));
    }
    Ok(())
}
