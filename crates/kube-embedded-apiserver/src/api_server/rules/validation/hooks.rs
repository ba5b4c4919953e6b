//! Configurations of admission webhooks.

use std::collections::HashSet;

use serde_json::Value;

use super::rows::Rule::{AtMost, Check, Given, Named, OneOf, Required, RequiredSince, Rows};
use super::rows::{self, Row, child, elements, invalid, is_empty, text};
use super::selectors;
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;
use crate::api_server::rules::schema::cel;

pub(super) const HOOKS: &[Row] = &[("webhooks[]", Rows(HOOK)), ("webhooks", Check(unique_names))];

const HOOK: &[Row] = &[
    ("name", Check(name)),
    ("rules[]", Rows(RULE)),
    ("failurePolicy", OneOf(&["Fail", "Ignore"])),
    ("matchPolicy", OneOf(&["Equivalent", "Exact"])),
    ("sideEffects", Check(side_effects)),
    ("sideEffects", OneOf(&["None", "NoneOnDryRun"])),
    ("timeoutSeconds", Check(timeout)),
    ("namespaceSelector", Check(selectors::selector)),
    ("objectSelector", Check(selectors::selector)),
    ("reinvocationPolicy", OneOf(&["IfNeeded", "Never"])),
    ("clientConfig", Check(client)),
    ("matchConditions", AtMost(64)),
    ("matchConditions[].expression", Check(expression)),
    ("matchConditions[].name", Named(formats::label_key)),
    ("matchConditions", Check(unique_names)),
    ("admissionReviewVersions", RequiredSince("must specify one of v1, v1beta1")),
    ("admissionReviewVersions", Check(versions)),
];

const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

const RULE: &[Row] = &[
    ("operations", Required),
    ("operations", Check(|list, path, causes| star_alone(list, path, "operations", causes))),
    ("operations[]", OneOf(OPERATIONS)),
    ("apiGroups", Required),
    ("apiGroups", Check(|list, path, causes| star_alone(list, path, "API groups", causes))),
    ("apiVersions", Required),
    ("apiVersions", Check(|list, path, causes| star_alone(list, path, "API versions", causes))),
    ("apiVersions[]", Required),
    ("resources", Required),
    ("resources", Check(resources)),
    ("scope", OneOf(&["*", "Cluster", "Namespaced"])),
];

fn side_effects(effects: &Value, path: &str, causes: &mut Vec<Cause>) {
    if effects.is_null() {
        causes.push(Cause::required(path, "must specify one of None, NoneOnDryRun"));
    }
}

fn name(name: &Value, path: &str, causes: &mut Vec<Cause>) {
    let name = name.as_str().unwrap_or_default();
    let problems = formats::subdomain(name);
    if name.is_empty() {
        causes.push(Cause::required(path, ""));
    } else if !problems.is_empty() {
        causes.push(Cause::invalid(path, name, &problems.join(",")));
    } else if name.split('.').count() < 3 {
        let problem = "should be a domain with at least three segments separated by dots";
        causes.push(Cause::invalid(path, name, problem));
    }
}

/// The variables of match conditions.
pub(crate) const VARIABLES: [&str; 5] =
    ["object", "oldObject", "request", "authorizer", "namespaceObject"];

fn expression(expression: &Value, path: &str, causes: &mut Vec<Cause>) {
    let source = expression.as_str().unwrap_or_default();
    if source.trim().is_empty() {
        causes.push(Cause::required(path, ""));
    } else if let Some(problem) = cel::condition_problem(source, &VARIABLES) {
        causes.push(Cause::invalid(path, source, &problem));
    }
}

fn unique_names(list: &Value, path: &str, causes: &mut Vec<Cause>) {
    let names = elements(list).enumerate();
    let names = names.map(|(n, one)| (format!("{path}[{n}].name"), text(one, "name")));
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

fn star_alone(list: &Value, path: &str, things: &str, causes: &mut Vec<Cause>) {
    if elements(list).count() > 1 && elements(list).any(|one| one == "*") {
        let problem = format!("if '*' is present, must not specify other {things}");
        causes.push(invalid(path, list, &problem));
    }
}

/// Checks the resources and subresources of a rule, none of which includes another one.
fn resources(list: &Value, path: &str, causes: &mut Vec<Cause>) {
    let all = || elements(list).filter_map(Value::as_str);
    let mut known = HashSet::new();
    for (n, name) in all().enumerate() {
        let path = format!("{path}[{n}]");
        if name.is_empty() {
            causes.push(Cause::required(&path, ""));
        }
        let Some((resource, part)) = name.split_once('/') else { continue };
        for wide in [format!("{resource}/*"), format!("*/{part}")] {
            if known.contains(&wide) {
                let problem = format!("if '{wide}' is present, must not specify {name}");
                causes.push(Cause::invalid(&path, name, &problem));
            }
        }
        if resource == "*" || part == "*" {
            known.insert(name.to_owned());
        }
    }
    if all().count() > 1 && all().any(|name| name == "*/*") {
        let problem = "if '*/*' is present, must not specify other resources";
        causes.push(invalid(path, list, problem));
    }
    let plain = all().filter(|name| !name.contains('/') && !name.is_empty()).last();
    if all().any(|name| name == "*") && plain.is_some_and(|name| name != "*") {
        let problem = "if '*' is present, must not specify other resources without subresources";
        causes.push(invalid(path, list, problem));
    }
}

fn timeout(seconds: &Value, path: &str, causes: &mut Vec<Cause>) {
    if seconds.as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        let problem = "the timeout value must be between 1 and 30 seconds";
        causes.push(invalid(path, seconds, problem));
    }
}

const SERVICE: &[Row] = &[("port", Given(port)), ("path", Given(service_path))];

/// Checks the address of a webhook.
pub(crate) fn client(client: &Value, path: &str, causes: &mut Vec<Cause>) {
    match (client["url"].as_str(), &client["service"]) {
        (Some(found), Value::Null) => url(found, &child(path, "url"), causes),
        (None, service @ Value::Object(_)) => {
            let path = child(path, "service");
            // A server takes the name for the namespace, and the namespace for the name.
            for (name, blamed) in [("namespace", "name"), ("name", "namespace")] {
                if text(service, name).is_empty() {
                    causes.push(Cause::required(&child(&path, blamed), ""));
                }
            }
            rows::check(SERVICE, &path, service, causes);
        }
        _ => causes.push(Cause::required(path, "exactly one of url or service is required")),
    }
}

fn port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    if port.as_i64().is_some_and(|port| !(1..=65_535).contains(&port)) {
        let problem = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(invalid(path, port, problem));
    }
}

/// Checks the path of a service, whose parts are names.
fn service_path(place: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = place.as_str().unwrap_or_default();
    if matches!(place, "" | "/") {
        return;
    }
    let mut find = |problem: &str| causes.push(Cause::invalid(path, place, problem));
    if place == "//" {
        return find("segment[0] may not be empty");
    }
    if !place.starts_with('/') {
        find("must start with a '/'");
    }
    let mut rest = place.chars();
    rest.next();
    let rest = rest.as_str();
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    for (n, part) in rest.split('/').enumerate() {
        match formats::subdomain(part).first() {
            _ if part.is_empty() => find(&format!("segment[{n}] may not be empty")),
            Some(problem) => find(&format!("segment[{n}]: {problem}")),
            None => {}
        }
    }
}

fn url(url: &str, path: &str, causes: &mut Vec<Cause>) {
    let (whole, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (place, query) = whole.split_once('?').unwrap_or((whole, ""));
    let (scheme, rest) = match place.split_once(':') {
        Some((scheme, rest)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
            (scheme.to_ascii_lowercase(), rest)
        }
        _ => (String::new(), place),
    };
    let authority = rest.strip_prefix("//").and_then(|rest| rest.split('/').next()).unwrap_or("");
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let form = "; desired format: https://host[/path]";
    if let Some(escape) = invalid_escape(url) {
        let problem = format!("parse {url:?}: invalid URL escape {escape:?}{form}");
        causes.push(Cause::required(path, &format!("url must be a valid URL: {problem}")));
        return;
    }
    for (bad, shown, problem) in [
        (scheme != "https", &*scheme, format!("'https' is the only allowed URL scheme{form}")),
        (host.is_empty(), host, format!("host must be specified{form}")),
        (!user.is_empty(), user, "user information is not permitted in the URL".to_owned()),
        (!fragment.is_empty(), fragment, "fragments are not permitted in the URL".to_owned()),
        (!query.is_empty(), query, "query parameters are not permitted in the URL".to_owned()),
    ] {
        if bad {
            causes.push(Cause::invalid(path, shown, &problem));
        }
    }
}

/// Returns the first percent sign of a URL that no two digits follow, with what follows.
fn invalid_escape(url: &str) -> Option<&str> {
    url.match_indices('%').map(|(at, _)| url.get(at..at + 3).unwrap_or(&url[at..])).find(|escape| {
        escape.len() < 3 || !escape[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Checks that the server knows one of the versions of reviews.
fn versions(versions: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut seen = HashSet::new();
    for (n, version) in elements(versions).filter_map(Value::as_str).enumerate() {
        let path = format!("{path}[{n}]");
        if seen.insert(version) {
            rows::is(formats::old_label, version, &path, causes);
        } else {
            causes.push(Cause::invalid(&path, version, "duplicate version"));
        }
    }
    let known = |version: &Value| matches!(version.as_str(), Some("v1" | "v1beta1"));
    if !is_empty(versions) && !elements(versions).any(known) {
        causes.push(invalid(path, versions, "must include at least one of v1, v1beta1"));
    }
}
