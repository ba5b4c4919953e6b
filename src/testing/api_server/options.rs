//! The options of a write: dry run, preconditions, grace, propagation.

use http::{HeaderMap, Method, Uri};
use serde_json::Value;

use super::query::{is_true, parameters};
use super::resource::ResourceType;
use super::status::{Cause, Failure};
use super::stored::Stored;

/// The options that every write may have in its query.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteOptions {
    pub(super) dry_run: bool,
    pub(super) manager: String,
    /// True if the request names its manager.
    pub(super) manager_given: bool,
    /// True if the write takes fields over from other managers; only for server-side apply.
    pub(super) force: bool,
    pub(super) unknown: FieldValidation,
    grace: Option<i64>,
    propagation: Option<Propagation>,
}

/// The handling of unknown members (`fieldValidation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FieldValidation {
    /// They are dropped silently.
    Ignore,
    /// They are dropped, and the response warns about them.
    #[default]
    Warn,
    /// The write is refused.
    Strict,
}

/// The handling of an object's dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Propagation {
    Orphan,
    Background,
    Foreground,
}

/// The options of a delete.
#[derive(Clone, Debug, Default)]
pub(super) struct DeleteOptions {
    pub(super) grace: Option<i64>,
    pub(super) propagation: Option<Propagation>,
    pub(super) dry_run: bool,
    uid: Option<String>,
    version: Option<String>,
}

fn unsupported(kind: &str, field: &str, value: &str, supported: &str) -> Failure {
    let cause = Cause::unsupported(field, value, supported);
    Failure::invalid_options(kind, &cause)
}

fn dry_run(kind: &str, value: &str) -> Result<bool, Failure> {
    match value {
        "All" => Ok(true),
        "" => Ok(false),
        other => Err(unsupported(kind, "dryRun", other, "\"All\"")),
    }
}

fn unknown(kind: &str, value: &str) -> Result<FieldValidation, Failure> {
    match value {
        "Ignore" => Ok(FieldValidation::Ignore),
        "" | "Warn" => Ok(FieldValidation::Warn),
        "Strict" => Ok(FieldValidation::Strict),
        other => {
            let supported = "\"\", \"Ignore\", \"Strict\", \"Warn\"";
            Err(unsupported(kind, "fieldValidation", other, supported))
        }
    }
}

fn propagation(value: &str) -> Result<Propagation, Failure> {
    match value {
        "Orphan" => Ok(Propagation::Orphan),
        "Background" => Ok(Propagation::Background),
        "Foreground" => Ok(Propagation::Foreground),
        other => {
            let supported = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
            Err(unsupported("DeleteOptions", "propagationPolicy", other, supported))
        }
    }
}

impl WriteOptions {
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
        let grace = get("gracePeriodSeconds").map(|value| {
            let problem = |_| Failure::bad_request(format!("gracePeriodSeconds: {value:?}"));
            value.parse().map_err(problem)
        });
        Ok(Self {
            dry_run: dry_run(kind, get("dryRun").map_or("", |value| value))?,
            manager_given: get("fieldManager").is_some(),
            force: get("force").is_some_and(|value| is_true(value)),
            manager: get("fieldManager").map_or(program, |value| &**value).to_owned(),
            unknown: unknown(kind, get("fieldValidation").map_or("", |value| value))?,
            grace: grace.transpose()?,
            propagation: get("propagationPolicy").map(|value| propagation(value)).transpose()?,
        })
    }
}

impl DeleteOptions {
    /// Parses the body of a delete, which may be empty, with defaults from its query.
    pub(super) fn parse(body: &[u8], query: &WriteOptions) -> Result<Self, Failure> {
        if body.is_empty() {
            return Self::of(&Value::Null, query);
        }
        let body: Value = serde_json::from_slice(body)
            .ok()
            .or_else(|| super::protobuf::read(body))
            .ok_or_else(|| Failure::bad_request("the body of the request is not JSON"))?;
        Self::of(&body, query)
    }

    /// Converts a parsed body; null counts as an empty one.
    pub(super) fn of(body: &Value, query: &WriteOptions) -> Result<Self, Failure> {
        let mut options = Self {
            grace: query.grace,
            propagation: query.propagation,
            dry_run: query.dry_run,
            ..Self::default()
        };
        if let Some(grace) = body["gracePeriodSeconds"].as_i64() {
            options.grace = Some(grace);
        }
        if let Some(policy) = body["propagationPolicy"].as_str() {
            options.propagation = Some(propagation(policy)?);
        }
        match body["orphanDependents"].as_bool() {
            Some(true) => options.propagation = Some(Propagation::Orphan),
            Some(false) => options.propagation = Some(Propagation::Background),
            None => {}
        }
        for value in body["dryRun"].as_array().into_iter().flatten() {
            options.dry_run |= dry_run("DeleteOptions", value.as_str().unwrap_or_default())?;
        }
        let text = |value: &Value| value.as_str().map(str::to_owned);
        options.uid = text(&body["preconditions"]["uid"]);
        options.version = text(&body["preconditions"]["resourceVersion"]);
        Ok(options)
    }

    /// Returns a failure if the object is not the one that the preconditions name.
    pub(super) fn check(
        &self,
        resource: &ResourceType,
        name: &str,
        current: &Stored,
    ) -> Result<(), Failure> {
        let value = current.value(resource);
        let uid = value["metadata"]["uid"].as_str().unwrap_or_default();
        if let Some(wanted) = self.uid.as_deref().filter(|wanted| *wanted != uid) {
            let problem = format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). \
                 The object might have been deleted and then recreated"
            );
            return Err(Failure::precondition_failed(resource, name, &problem));
        }
        let version = current.revision.to_string();
        if let Some(wanted) = self.version.as_ref().filter(|wanted| **wanted != version) {
            let problem = format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the \
                 ResourceVersion in record ({version}). The object might have been modified"
            );
            return Err(Failure::precondition_failed(resource, name, &problem));
        }
        Ok(())
    }
}
