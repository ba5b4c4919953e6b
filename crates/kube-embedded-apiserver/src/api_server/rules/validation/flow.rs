//! Flow schemas, which choose the priority level of requests.

use serde_json::Value;

use super::rows::Rule::{Check, Given, Optional, RequiredSince};
use super::rows::{self, Row, child, elements, invalid, is_empty, text};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const FLOW_SCHEMA: &[Row] = &[
    ("", Check(precedence)),
    ("spec.distinguisherMethod", Given(distinguisher)),
    ("spec.priorityLevelConfiguration.name", Optional(formats::subdomain)),
    ("spec.priorityLevelConfiguration.name", RequiredSince("must reference a priority level")),
    ("spec.rules[]", Check(rule)),
];

const MOST_PRECEDENCE: i64 = 10_000;

fn precedence(schema: &Value, _: &str, causes: &mut Vec<Cause>) {
    let value = &schema["spec"]["matchingPrecedence"];
    let problem = match value.as_i64() {
        Some(..=0) => "must be a positive value".to_owned(),
        Some(1) if schema["metadata"]["name"] != "exempt" => {
            "only the schema named 'exempt' may have matchingPrecedence 1".to_owned()
        }
        Some(found) if found > MOST_PRECEDENCE => {
            format!("must not be greater than {MOST_PRECEDENCE}")
        }
        _ => return,
    };
    causes.push(invalid("spec.matchingPrecedence", value, &problem));
}

fn distinguisher(method: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = text(method, "type");
    if !matches!(kind, "ByNamespace" | "ByUser") {
        let shown = format!("{{\"Type\":{kind:?}}}");
        let supported = "\"ByNamespace\", \"ByUser\"";
        causes.push(Cause::unsupported_raw(&child(path, "type"), &shown, supported));
    }
}

fn rule(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    let at_subjects = child(path, "subjects");
    if is_empty(&rule["subjects"]) {
        causes.push(Cause::required(&at_subjects, "subjects must contain at least one value"));
    }
    for (n, one) in elements(&rule["subjects"]).enumerate() {
        subject(one, &format!("{at_subjects}[{n}]"), causes);
    }
    if is_empty(&rule["resourceRules"]) && is_empty(&rule["nonResourceRules"]) {
        let problem = "at least one of resourceRules and nonResourceRules has to be non-empty";
        causes.push(Cause::required(path, problem));
    }
    for (n, rule) in elements(&rule["resourceRules"]).enumerate() {
        resources(rule, &format!("{path}.resourceRules[{n}]"), causes);
    }
    for (n, rule) in elements(&rule["nonResourceRules"]).enumerate() {
        let path = format!("{path}.nonResourceRules[{n}]");
        verbs(rule, &path, causes);
        let problem = "nonResourceURLs must contain at least one value";
        let list = ("nonResourceURLs", problem, "non-resource URLs");
        if !is_all(rule, list, &path, causes) {
            for (n, url) in elements(&rule["nonResourceURLs"]).enumerate() {
                let path = format!("{path}.nonResourceURLs[{n}]");
                place(url.as_str().unwrap_or_default(), &path, causes);
            }
        }
    }
}

const KINDS: [(&str, &str); 3] =
    [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];

fn subject(subject: &Value, path: &str, causes: &mut Vec<Cause>) {
    let kind = text(subject, "kind");
    if KINDS.iter().all(|(known, _)| *known != kind) {
        let supported = ["Group", "ServiceAccount", "User"];
        return causes.push(rows::unsupported(&child(path, "kind"), kind, &supported));
    }
    for (of, member) in KINDS {
        let (value, path) = (&subject[member], child(path, member));
        if of != kind {
            if !value.is_null() {
                let problem = format!("{member} is forbidden when subject kind is not '{of}'");
                causes.push(Cause::forbidden(&path, &problem));
            }
            continue;
        }
        if value.is_null() {
            let problem = format!("{member} is required when subject kind is '{of}'");
            causes.push(Cause::required(&path, &problem));
            continue;
        }
        let account = of == "ServiceAccount";
        match text(value, "name") {
            "" => causes.push(Cause::required(&child(&path, "name"), "")),
            name if account && name != "*" => {
                rows::is(formats::subdomain, name, &child(&path, "name"), causes);
            }
            _ => {}
        }
        match text(value, "namespace") {
            _ if !account => {}
            "" => {
                let problem = "must specify namespace for service account";
                causes.push(Cause::required(&child(&path, "namespace"), problem));
            }
            name => rows::is(formats::label, name, &child(&path, "namespace"), causes),
        }
    }
}

fn resources(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    verbs(rule, path, causes);
    for list in [
        ("apiGroups", "resource rules must supply at least one api group", "api groups"),
        ("resources", "resource rules must supply at least one resource", "resources"),
    ] {
        is_all(rule, list, path, causes);
    }
    if is_empty(&rule["namespaces"]) && rule["clusterScope"] == true {
        return;
    }
    let problem = "resource rules that are not cluster scoped must supply at least one namespace";
    if !is_all(rule, ("namespaces", problem, "namespaces"), path, causes) {
        for (n, name) in elements(&rule["namespaces"]).enumerate() {
            let name = name.as_str().unwrap_or_default();
            for problem in formats::label(name) {
                let problem =
                    format!("each member of this list must be '*' or a DNS-1123 label; {problem}");
                causes.push(Cause::invalid(&format!("{path}.namespaces[{n}]"), name, &problem));
            }
        }
    }
}

fn verbs(rule: &Value, path: &str, causes: &mut Vec<Cause>) {
    const VERBS: [&str; 9] = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "proxy",
        "update",
        "watch",
    ];
    let list = ("verbs", "verbs must contain at least one value", "verbs");
    let known = |verb: &Value| verb.as_str().is_some_and(|verb| VERBS.contains(&verb));
    if !is_all(rule, list, path, causes) && !elements(&rule["verbs"]).all(known) {
        let supported = VERBS.map(|verb| format!("{verb:?}")).join(", ");
        let shown = rule["verbs"].to_string();
        causes.push(Cause::unsupported_raw(&child(path, "verbs"), &shown, &supported));
    }
}

/// Checks a list that has elements, or a star alone. Returns whether it has a star.
fn is_all(
    rule: &Value,
    (name, missing, things): (&str, &str, &str),
    path: &str,
    causes: &mut Vec<Cause>,
) -> bool {
    let (list, path) = (&rule[name], child(path, name));
    let star = elements(list).any(|one| one == "*");
    if is_empty(list) {
        causes.push(Cause::required(&path, missing));
    } else if star && elements(list).count() > 1 {
        let problem = format!("if '*' is present, must not specify other {things}");
        causes.push(invalid(&path, list, &problem));
    }
    star
}

/// Checks the path of requests that are not for a resource.
fn place(place: &str, path: &str, causes: &mut Vec<Cause>) {
    let stars = place.matches('*').count();
    let problem = match place {
        "" => "must not be empty",
        "/" => return,
        _ if !place.starts_with('/') => "must start with slash",
        _ if place.contains(' ') => "must not contain white-space",
        _ if place.contains("//") => "must not contain double slash",
        _ if stars > 1 || (stars == 1 && !place.ends_with("/*")) => {
            "wildcard can only do suffix matching"
        }
        _ => return,
    };
    causes.push(Cause::invalid(path, place, problem));
}
