//! The conditions in the status of an object.

use serde::Deserialize;

/// A status with nothing but its conditions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Conditions {
    conditions: Option<Vec<Condition>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
}

impl Conditions {
    /// Returns whether a condition of this type is true.
    pub(super) fn is_true(&self, kind: &str) -> bool {
        let mut conditions = self.conditions.iter().flatten();
        conditions.any(|condition| condition.kind == kind && condition.status == "True")
    }
}
