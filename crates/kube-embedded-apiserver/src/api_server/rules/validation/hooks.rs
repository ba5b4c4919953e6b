//! Configurations of admission webhooks.

use serde_json::Value;

use super::rows::Rule::{Check, OneOf, RequiredSince, Rows};
use super::rows::{self, Row, elements, invalid, is_empty};
use crate::api_server::failure::Cause;
use crate::api_server::rules::formats;

pub(super) const HOOKS: &[Row] = &[("webhooks[]", Rows(HOOK)), ("webhooks", Check(unique_names))];

const HOOK: &[Row] = &[
    ("name", Check(name)),
    ("sideEffects", RequiredSince("must specify one of None, NoneOnDryRun")),
    ("sideEffects", OneOf(&["None", "NoneOnDryRun"])),
    ("clientConfig.url", Check(url)),
    ("admissionReviewVersions", RequiredSince("must specify one of v1, v1beta1")),
    ("admissionReviewVersions", Check(versions)),
];

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

fn unique_names(hooks: &Value, path: &str, causes: &mut Vec<Cause>) {
    let names = elements(hooks).enumerate();
    let names = names.map(|(n, hook)| (format!("{path}[{n}].name"), rows::text(hook, "name")));
    rows::unique(names.filter(|(_, name)| !name.is_empty()), causes);
}

fn url(url: &Value, path: &str, causes: &mut Vec<Cause>) {
    let Some((scheme, _)) = url.as_str().and_then(|url| url.split_once("://")) else { return };
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "https" && scheme.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let problem = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
        causes.push(Cause::invalid(path, &scheme, problem));
    }
}

/// Checks that the server knows one of the versions of reviews.
fn versions(versions: &Value, path: &str, causes: &mut Vec<Cause>) {
    let known = |version: &Value| matches!(version.as_str(), Some("v1" | "v1beta1"));
    if !is_empty(versions) && !elements(versions).any(known) {
        causes.push(invalid(path, versions, "must include at least one of v1, v1beta1"));
    }
}
