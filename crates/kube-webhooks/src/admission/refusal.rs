//! Reasons why a webhook does not allow a request.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusCause, StatusDetails};

use crate::BoxError;

/// The reason why a webhook does not allow a request.
///
/// A *denial* is a judgement: the user sees its message, code, reason and causes. A *failure* means
/// that the webhook could not judge. The user sees an internal error, or the request goes on, as
/// the configuration's failure policy says. Errors that `?` passes on are failures.
///
/// ```
/// use kube_webhooks::Refusal;
///
/// let denial = Refusal::invalid("the schedule is not valid")
///     .cause("spec.schedule", "a schedule has five fields");
/// assert!(denial.is_denial());
///
/// fn parse(number: &str) -> Result<u8, Refusal> {
///     Ok(number.parse()?)
/// }
/// assert!(!parse("many").unwrap_err().is_denial());
/// ```
#[derive(Debug)]
pub struct Refusal(Kind);

#[derive(Debug)]
enum Kind {
    Denied(Box<Status>),
    Failed(BoxError),
}

impl Refusal {
    /// Returns a denial with code 403 and reason `Forbidden`: the user may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::denied(403, "Forbidden", message.into())
    }

    /// Returns a denial with code 422 and reason `Invalid`: the object is not valid.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::denied(422, "Invalid", message.into())
    }

    /// Returns a failure: the webhook cannot judge.
    pub fn failed(error: impl Into<BoxError>) -> Self {
        Self(Kind::Failed(error.into()))
    }

    fn denied(code: i32, reason: &str, message: String) -> Self {
        Self(Kind::Denied(Box::new(Status {
            status: Some("Failure".to_owned()),
            code: Some(code),
            reason: Some(reason.to_owned()),
            message: Some(message),
            ..Status::default()
        })))
    }

    /// Sets a denial's HTTP code, from 400 to 599. A code outside of them becomes the nearest one.
    /// Failures have no code.
    #[must_use]
    pub fn code(mut self, code: u16) -> Self {
        if let Kind::Denied(status) = &mut self.0 {
            status.code = Some(code.clamp(400, 599).into());
        }
        self
    }

    /// Sets a denial's reason: a word such as `TooManyRequests`, for programs.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        if let Kind::Denied(status) = &mut self.0 {
            status.reason = Some(reason.into());
        }
        self
    }

    /// Adds a cause to a denial: the field that is not valid, such as `spec.ports[0].name`, and
    /// why.
    #[must_use]
    pub fn cause(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        if let Kind::Denied(status) = &mut self.0 {
            let details = status.details.get_or_insert_with(StatusDetails::default);
            details.causes.get_or_insert_default().push(StatusCause {
                field: Some(field.into()),
                message: Some(message.into()),
                reason: Some("FieldValueInvalid".to_owned()),
            });
        }
        self
    }

    /// Returns whether this is a denial. Otherwise it is a failure.
    pub fn is_denial(&self) -> bool {
        matches!(self.0, Kind::Denied(_))
    }

    /// Returns the message: a denial's, or that of the error with its causes.
    pub fn message(&self) -> String {
        match &self.0 {
            Kind::Denied(status) => status.message.clone().unwrap_or_default(),
            Kind::Failed(error) => crate::chain(&**error),
        }
    }

    /// Returns a denial's status.
    pub fn status(&self) -> Option<&Status> {
        match &self.0 {
            Kind::Denied(status) => Some(status),
            Kind::Failed(_) => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

// A refusal is no error itself, so that every error can become one.
impl<E: std::error::Error + Send + Sync + 'static> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::failed(error)
    }
}
