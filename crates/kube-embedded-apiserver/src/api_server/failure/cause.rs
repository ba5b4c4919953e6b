//! Problems of single fields.

use std::fmt;

use serde_json::{Value, json};

/// A problem of one field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cause {
    reason: &'static str,
    field: String,
    message: String,
}

impl Cause {
    pub(crate) fn invalid(field: &str, value: &str, problem: &str) -> Self {
        Self::invalid_raw(field, &format!("{value:?}"), problem)
    }

    /// Returns the cause for a value that is not a text.
    pub(crate) fn invalid_raw(field: &str, value: &str, problem: &str) -> Self {
        let message = match problem {
            "" => format!("Invalid value: {value}"),
            problem => format!("Invalid value: {value}: {problem}"),
        };
        Self { reason: "FieldValueInvalid", field: field.to_owned(), message }
    }

    pub(crate) fn required(field: &str, problem: &str) -> Self {
        let message = match problem {
            "" => "Required value".to_owned(),
            problem => format!("Required value: {problem}"),
        };
        Self { reason: "FieldValueRequired", field: field.to_owned(), message }
    }

    #[cfg(feature = "cel")]
    pub(crate) fn internal(field: &str, problem: &str) -> Self {
        let message = format!("Internal error: {problem}");
        Self { reason: "InternalError", field: field.to_owned(), message }
    }

    pub(crate) fn forbidden(field: &str, problem: &str) -> Self {
        let message = format!("Forbidden: {problem}");
        Self { reason: "FieldValueForbidden", field: field.to_owned(), message }
    }

    pub(crate) fn unsupported(field: &str, value: &str, supported: &str) -> Self {
        Self::unsupported_raw(field, &format!("{value:?}"), supported)
    }

    /// Returns the cause for an unsupported value that is not a text.
    pub(crate) fn unsupported_raw(field: &str, value: &str, supported: &str) -> Self {
        let message = format!("Unsupported value: {value}: supported values: {supported}");
        Self { reason: "FieldValueNotSupported", field: field.to_owned(), message }
    }

    /// Returns the cause for a value of the wrong type, which is named instead of the value.
    pub(crate) fn wrong_type(field: &str, found: &str, problem: &str) -> Self {
        let message = format!("Invalid value: {found:?}: {problem}");
        Self { reason: "FieldValueTypeInvalid", field: field.to_owned(), message }
    }

    pub(crate) fn too_long(field: &str, most: u64) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let message = format!("Too long: may not be more than {most} {bytes}");
        Self { reason: "FieldValueTooLong", field: field.to_owned(), message }
    }

    pub(crate) fn too_many(field: &str, found: u64, most: u64) -> Self {
        let items = if most == 1 { "item" } else { "items" };
        let message = format!("Too many: {found}: must have at most {most} {items}");
        Self { reason: "FieldValueTooMany", field: field.to_owned(), message }
    }

    /// Returns the cause for an invalid value that is shown if it is given.
    pub(crate) fn invalid_shown(field: &str, value: Option<&str>, problem: &str) -> Self {
        let Some(value) = value else {
            let message = format!("Invalid value: {problem}");
            return Self { reason: "FieldValueInvalid", field: field.to_owned(), message };
        };
        Self::invalid_raw(field, value, problem)
    }

    /// Returns the cause for a value that is there twice, and is shown if it is given.
    pub(crate) fn duplicate_shown(field: &str, value: Option<&str>) -> Self {
        let Some(value) = value else {
            let message = "Duplicate value".to_owned();
            return Self { reason: "FieldValueDuplicate", field: field.to_owned(), message };
        };
        Self::duplicate(field, value)
    }

    pub(crate) fn duplicate(field: &str, value: &str) -> Self {
        let message = format!("Duplicate value: {value}");
        Self { reason: "FieldValueDuplicate", field: field.to_owned(), message }
    }

    /// Returns the cause for a reference to something that is not there.
    pub(crate) fn not_found(field: &str, value: &str) -> Self {
        let message = format!("Not found: {value:?}");
        Self { reason: "FieldValueNotFound", field: field.to_owned(), message }
    }

    /// Returns the cause for a field that is below another one.
    pub(crate) fn below(mut self, path: &str) -> Self {
        self.field = format!("{path}.{}", self.field);
        self
    }

    /// Returns the path of the field.
    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    /// Returns whether rules of a schema are not evaluated for a value with this problem.
    pub(crate) fn prevents_rules(&self) -> bool {
        matches!(
            self.reason,
            "FieldValueNotSupported"
                | "FieldValueRequired"
                | "FieldValueTooLong"
                | "FieldValueTooMany"
                | "FieldValueTypeInvalid"
        )
    }

    /// Returns the cause as a `Status` has it.
    pub(super) fn value(&self) -> Value {
        json!({ "reason": self.reason, "message": self.message, "field": self.field })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}
