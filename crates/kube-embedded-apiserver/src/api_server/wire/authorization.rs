//! The user of a request, and whether the rules allow the request.

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method};

use super::query::{ParsedPath, RequestInfo, parameters};
use crate::api_server::failure::Failure;
use crate::api_server::rules::access::{Access, Attributes, User, refused};

/// Returns the user of a request: that of its token, or one that the request impersonates.
pub(super) fn user(
    access: &Access,
    head: &Parts,
    target: Option<&ParsedPath>,
) -> Result<User, Failure> {
    let user = match head.extensions.get::<User>() {
        Some(user) => user.clone(),
        None => authenticated(access, &head.headers)?,
    };
    if access.is_open() { Ok(user) } else { impersonated(access, user, head, target) }
}

fn authenticated(access: &Access, headers: &HeaderMap) -> Result<User, Failure> {
    if access.is_open() {
        return Ok(User::Anyone);
    }
    let header = headers.get(AUTHORIZATION);
    let header = header.map(|value| String::from_utf8_lossy(value.as_bytes())).unwrap_or_default();
    let token = match header.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    };
    let user = if token.is_empty() && !access.refuses_anonymous {
        Some(User::anonymous())
    } else {
        access.user(token)
    };
    user.ok_or_else(|| Failure::new(401, "Unauthorized", "Unauthorized"))
}

/// Returns the user that the request impersonates, if its own user may do so.
fn impersonated(
    access: &Access,
    user: User,
    head: &Parts,
    target: Option<&ParsedPath>,
) -> Result<User, Failure> {
    let all = |name: &str| -> Vec<&str> {
        head.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    };
    let (names, groups) = (all("impersonate-user"), all("impersonate-group"));
    let Some(name) = names.first().filter(|name| !name.is_empty()) else {
        if groups.is_empty() {
            return Ok(user);
        }
        let groups: Vec<String> = groups.iter().map(|group| format!("{group:?}")).collect();
        return Err(Failure::bad_request(format!(
            "requested &user.DefaultInfo{{Name:\"\", UID:\"\", Groups:[]string{{{}}}, \
             Extra:map[string][]string(nil)}} without impersonating a user name",
            groups.join(", ")
        )));
    };
    let wanted = Attributes {
        verb: "impersonate",
        group: "",
        resource: "users",
        subresource: None,
        namespace: None,
        name: Some(name),
    };
    if access.allows(&user, &wanted) {
        return Ok(User::Named((*name).to_owned()));
    }
    let Some(target) = target else { return Err(refused(&user, &wanted, wanted.verb)) };
    let verb = verb(&head.method, target.name.is_some(), is_watch(target, head));
    let verb = format!("impersonate-on:user-info:{verb}");
    Err(refused(&user, &attributes(target, &verb, target.name.as_deref()), &verb))
}

/// Returns whether a request watches. A get of one object does not.
pub(super) fn is_watch(target: &ParsedPath, head: &Parts) -> bool {
    let asked = || RequestInfo::new(&head.method, &head.uri).watch;
    target.watch || (target.name.is_none() && asked())
}

fn attributes<'a>(target: &'a ParsedPath, verb: &'a str, name: Option<&'a str>) -> Attributes<'a> {
    // The namespace of a `Namespace` object is itself.
    let namespaces = target.group.is_empty() && target.plural == "namespaces";
    let own = || target.name.as_deref().filter(|_| namespaces);
    Attributes {
        verb,
        group: &target.group,
        resource: &target.plural,
        subresource: target.subresource.as_deref(),
        namespace: target.namespace.as_deref().or_else(own),
        name,
    }
}

/// Returns a failure if no rule of the user allows the verb on the target.
pub(super) fn check(
    access: &mut Access,
    user: &User,
    verb: &str,
    target: &ParsedPath,
    head: &Parts,
) -> Result<(), Failure> {
    // A field selector may name the one object of a collection.
    let selected = || {
        let params = parameters(&head.uri);
        let selector = params.get("fieldSelector").filter(|_| matches!(verb, "list" | "watch"))?;
        let name = selector.strip_prefix("metadata.name=")?;
        let name = name.strip_prefix('=').unwrap_or(name);
        Some(name.to_owned()).filter(|name| !name.contains([',', '=', '\\']))
    };
    let name = target.name.clone().or_else(selected);
    access.check(user, &attributes(target, verb, name.as_deref()))
}

/// Returns a failure if the user may not use a path that leads to no object.
pub(super) fn check_path(
    access: &Access,
    user: &User,
    method: &Method,
    path: &str,
) -> Result<(), Failure> {
    let verb = method.as_str().to_ascii_lowercase();
    if access.allows_path(user, &verb, path) {
        return Ok(());
    }
    let name = match user {
        User::Anyone => "",
        User::Named(name) => name,
    };
    Err(Failure::forbidden_path(name, &verb, path))
}

/// Returns the verb of a request, as rules name it.
pub(super) fn verb(method: &Method, named: bool, watch: bool) -> &'static str {
    match (method.as_str(), named) {
        ("GET" | "HEAD", _) if watch => "watch",
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => "",
    }
}
