//! Errors.

use std::error::Error;

/// An error of a webhook's code.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Webhooks that cannot work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// API servers refuse a configuration with this path.
    #[error(
        "the path {0:?} of a webhook is none that a configuration can have: after each slash, it \
         needs lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
    )]
    Path(String),
    /// Two webhooks have the same path.
    #[error("two webhooks have the path {0}")]
    SamePath(String),
    /// A webhook's name is no name of a webhook.
    #[error(
        "{0:?} is no name of a webhook: it needs three parts or more, such as a.example.com, and at \
         most 253 characters"
    )]
    Name(String),
    /// Two webhooks would have the same name in the configuration.
    #[error("the webhooks at {0} have the same name: set another one by `Hook::name`")]
    SameName(String),
    /// A conversion has one version only, versions of different kinds, a definition that no server
    /// has, or an option of admission, or there is another one of its definition.
    #[error("the conversion at {path} cannot work: {problem}")]
    Conversion {
        /// The webhook's path.
        path: String,
        /// The reason.
        problem: String,
    },
    /// A limit is zero, there is no operation or rule, or API servers refuse a part of the
    /// configuration: the timeout, a rule, a selector or a match condition.
    #[error("the webhook at {path} needs {needs}")]
    Limit {
        /// The webhook's path.
        path: String,
        /// The values that it can have.
        needs: &'static str,
    },
    /// API servers refuse a configuration with this Service.
    #[error("{0}")]
    Service(String),
}

/// Returns the messages of an error and its causes.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        // Many errors repeat their cause.
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}
