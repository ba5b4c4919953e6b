//! The options of a write: dry run, preconditions, grace, propagation.

use serde_json::{Value, json};

use crate::api_server::failure::{Cause, Failure};
use crate::api_server::resource::ResourceType;
use crate::api_server::rules::go_format::json_name;
use crate::api_server::store::stored::Stored;

/// The options that every write may have in its query.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) manager: String,
    /// True if the request names its manager.
    pub(crate) manager_given: bool,
    /// True if the write takes fields over from other managers; only for server-side apply.
    pub(crate) force: bool,
    /// True if the request says anything about force.
    pub(crate) force_given: bool,
    pub(crate) unknown: FieldValidation,
    pub(crate) grace: Option<i64>,
    pub(crate) propagation: Option<Propagation>,
}

/// The handling of unknown members (`fieldValidation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
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
pub(crate) enum Propagation {
    Orphan,
    Background,
    Foreground,
}

/// The options of a delete.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace: Option<i64>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) dry_run: bool,
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
}

fn unsupported(kind: &str, field: &str, value: &str, supported: &str) -> Failure {
    let cause = Cause::unsupported(field, value, supported);
    Failure::invalid_options(kind, &cause)
}

pub(crate) fn dry_run(kind: &str, values: &[String]) -> Result<bool, Failure> {
    if values.iter().all(|value| value == "All") {
        return Ok(!values.is_empty());
    }
    let cause = Cause::unsupported_raw("dryRun", &json!(values).to_string(), "\"All\"");
    Err(Failure::invalid_options(kind, &cause))
}

pub(crate) fn unknown(kind: &str, value: &str) -> Result<FieldValidation, Failure> {
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

pub(crate) fn propagation(value: &str) -> Result<Propagation, Failure> {
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

impl DeleteOptions {
    /// Converts a parsed body; null counts as an empty one.
    pub(crate) fn of(body: &Value, query: &WriteOptions) -> Result<Self, Failure> {
        let mut options = Self {
            grace: query.grace,
            propagation: query.propagation,
            dry_run: query.dry_run,
            ..Self::default()
        };
        match &body["gracePeriodSeconds"] {
            Value::Null => {}
            grace => {
                options.grace = Some(grace.as_i64().ok_or_else(|| {
                    Failure::bad_request(format!(
                        "json: cannot unmarshal {} into Go struct field \
                         DeleteOptions.gracePeriodSeconds of type int64",
                        json_name(grace)
                    ))
                })?);
            }
        }
        if let Some(policy) = body["propagationPolicy"].as_str() {
            options.propagation = Some(propagation(policy)?);
        }
        let orphans = body["orphanDependents"].as_bool();
        if let (Some(policy), true) = (body["propagationPolicy"].as_str(), orphans.is_some()) {
            let problem = "orphanDependents and deletionPropagation cannot be both set";
            let cause = Cause::invalid("propagationPolicy", policy, problem);
            return Err(Failure::invalid_options("DeleteOptions", &cause));
        }
        match orphans {
            Some(true) => options.propagation = Some(Propagation::Orphan),
            Some(false) => options.propagation = Some(Propagation::Background),
            None => {}
        }
        let values = body["dryRun"].as_array().into_iter().flatten();
        let values: Vec<String> = values.filter_map(Value::as_str).map(str::to_owned).collect();
        options.dry_run |= dry_run("DeleteOptions", &values)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        options.uid = text(&body["preconditions"]["uid"]);
        options.version = text(&body["preconditions"]["resourceVersion"]);
        Ok(options)
    }

    /// Returns a failure if the object is not the one that the preconditions name.
    pub(crate) fn check(
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
            return Err(Failure::delete_precondition_failed(resource, name, &problem));
        }
        let version = current.revision.to_string();
        if let Some(wanted) = self.version.as_ref().filter(|wanted| **wanted != version) {
            let problem = format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the \
                 ResourceVersion in record ({version}). The object might have been modified"
            );
            return Err(Failure::delete_precondition_failed(resource, name, &problem));
        }
        Ok(())
    }
}
