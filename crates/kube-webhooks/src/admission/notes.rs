//! Warnings and audit annotations of an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::names::is_qualified;

/// The notes of one review. The closure that adds them may be refused, or fail.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    warnings: Vec<String>,
    annotations: BTreeMap<String, String>,
}

impl Notes {
    pub(super) fn warn(&self, warning: &str) {
        let warning = warning.replace(char::is_control, " ");
        self.0.lock().warnings.push(warning);
    }

    pub(super) fn audit(&self, key: String, value: String) {
        if key.contains('/') || !is_qualified(&key) {
            tracing::warn!(key, "API servers drop an audit annotation with this key");
        }
        self.0.lock().annotations.insert(key, value);
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.0.lock().warnings.clone()
    }

    pub(super) fn annotations(&self) -> BTreeMap<String, String> {
        self.0.lock().annotations.clone()
    }
}
