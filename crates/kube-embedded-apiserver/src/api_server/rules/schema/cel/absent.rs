//! Stands for the interpreter of rules in a build without it.

use serde_json::Value;

use super::{Condition, RuleValues, Verdict};
use crate::api_server::failure::Cause;

/// An expression that is not evaluated.
pub(super) struct Program {
    uses_old: bool,
}

impl Program {
    pub(super) fn of(source: &str) -> Self {
        Self { uses_old: source.contains("oldSelf") }
    }

    pub(super) fn uses_old(&self) -> bool {
        self.uses_old
    }

    #[expect(clippy::unused_self, reason = "the interpreter needs it")]
    pub(super) fn judge(&self, _seen: &RuleValues<'_>) -> Verdict {
        Verdict::NotImplemented
    }

    #[expect(clippy::unused_self, reason = "the interpreter needs it")]
    pub(super) fn text(&self, _seen: &RuleValues<'_>) -> Option<String> {
        None
    }
}

/// Returns the problems of a rule when its definition is written, which only the interpreter finds.
pub(crate) fn check(_rule: &Value, _schema: &Value, _whole: bool, _field: &str) -> Vec<Cause> {
    Vec::new()
}

/// Evaluates a condition, which only the interpreter can.
pub(crate) fn condition(_source: &str, _variables: &[(&str, &Value)]) -> Condition {
    Condition::NotImplemented
}

/// Returns no problem of a condition, because only the interpreter finds any.
pub(crate) fn condition_problem(_source: &str, _variables: &[&'static str]) -> Option<String> {
    None
}
