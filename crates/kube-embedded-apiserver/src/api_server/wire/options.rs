//! The options of a write, as a request states them.

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};
use kube_decode::names::unprintable;
use serde_json::Value;

use super::content::{Syntax, syntax, types};
use super::query::{is_true, number, parameters};
use crate::api_server::failure::{Cause, Failure};
use crate::api_server::verbs::options::{
    DeleteOptions, WriteOptions, dry_run, propagation, unknown,
};

/// The longest name of a field manager, in bytes.
const LONGEST_MANAGER: usize = 128;

/// Returns the values of a parameter that may be repeated.
fn all(uri: &Uri, name: &str) -> Vec<String> {
    let params = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    params.filter(|(found, _)| found == name).map(|(_, value)| value.into_owned()).collect()
}

impl WriteOptions {
    /// Parses the options of a request.
    pub(super) fn parse(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Self, Failure> {
        let kind = match *method {
            Method::POST => "CreateOptions",
            Method::PUT => "UpdateOptions",
            Method::DELETE => "DeleteOptions",
            _ => "PatchOptions",
        };
        let params = parameters(uri);
        let get = |name: &str| params.get(name).filter(|value| !value.is_empty());
        let agent = headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok());
        let program = agent.unwrap_or("unknown").split('/').next().unwrap_or_default();
        let deletes = *method == Method::DELETE;
        let grace = if deletes { number(&params, "gracePeriodSeconds")? } else { None };
        check_manager(kind, get("fieldManager").map_or("", |value| value))?;
        Ok(Self {
            force_given: params.contains_key("force"),
            dry_run: dry_run(kind, &all(uri, "dryRun"))?,
            manager_given: get("fieldManager").is_some(),
            force: get("force").is_some_and(|value| is_true(value)),
            manager: get("fieldManager").map_or(program, |value| &**value).to_owned(),
            unknown: unknown(kind, get("fieldValidation").map_or("", |value| value))?,
            grace,
            propagation: get("propagationPolicy").map(|value| propagation(value)).transpose()?,
        })
    }
}

/// Checks the name of a field manager.
fn check_manager(kind: &str, manager: &str) -> Result<(), Failure> {
    let mut causes = Vec::new();
    if manager.len() > LONGEST_MANAGER {
        causes.push(Cause::too_long("fieldManager", LONGEST_MANAGER as u64));
    }
    if let Some((at, found)) = unprintable(manager) {
        let problem = format!("invalid character U+{:04X} (at position {at})", u32::from(found));
        causes.push(Cause::invalid("fieldManager", manager, &problem));
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid_kind("meta.k8s.io", kind, "", &causes))
}

impl DeleteOptions {
    /// Parses the body of a delete, or its query where it has no body.
    pub(super) fn parse(
        content_type: &str,
        body: &Bytes,
        query: &WriteOptions,
    ) -> Result<Self, Failure> {
        if body.is_empty() {
            return Self::of(&Value::Null, query);
        }
        let prefix = "couldn't get version/kind; json parse error: ";
        let parsed = syntax(content_type, body, prefix).map_err(|problem| match problem {
            Syntax::MediaType(failure) => *failure,
            Syntax::Text(problem) => Failure::bad_request(problem),
        })?;
        let body = parsed.value;
        let (kind, version) = types(&body).map_err(Failure::bad_request)?;
        if !matches!(kind, "" | "DeleteOptions") {
            let version = if version.is_empty() { "v1" } else { version };
            return Err(Failure::bad_request(format!(
                "no kind {kind:?} is registered for version {version:?} in scheme \
                 \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
            )));
        }
        // A server reads one of both.
        Self::of(&body, &WriteOptions::default())
    }
}
