//! The user of a request, and whether the rules allow the request.

use http::{HeaderMap, Method};

use super::query::Target;
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::resource::ResourceType;
use crate::testing::api_server::rules::access::{Access, Attributes, User};

/// Returns the user of a request's token.
pub(super) fn user(access: &Access, headers: &HeaderMap) -> Result<User, Failure> {
    if access.is_open() {
        return Ok(User::Anyone);
    }
    let header = headers.get(http::header::AUTHORIZATION);
    let header = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = match header.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    };
    let unknown = || Failure::new(401, "Unauthorized", "Unauthorized");
    access.user(token).ok_or_else(unknown)
}

/// Returns a failure if no rule of the user allows the verb on the target.
pub(super) fn check(
    access: &Access,
    user: &User,
    verb: &str,
    target: &Target,
    resource: &ResourceType,
) -> Result<(), Failure> {
    // The namespace of a `Namespace` object is itself.
    let own = || target.name.as_deref().filter(|_| resource.qualified() == "namespaces");
    let wanted = Attributes {
        verb,
        group: &resource.group,
        resource: &resource.plural,
        subresource: target.subresource.as_deref(),
        namespace: target.namespace.as_deref().or_else(own),
    };
    access.check(user, &wanted, resource, target.name.as_deref().unwrap_or_default())
}

/// Returns the verb of a request, as rules name it.
pub(super) fn verb(method: &Method, named: bool, watch: bool) -> &'static str {
    match (method.as_str(), named) {
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) if watch => "watch",
        ("GET" | "HEAD", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => "",
    }
}
