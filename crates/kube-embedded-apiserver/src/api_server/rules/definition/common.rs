//! The parts of a definition that all of its versions have in common.

use serde_json::Value;

/// The parts that belong to the whole definition, because all versions agree on them.
pub(super) struct Common<'a> {
    pub(super) schema: Option<&'a Value>,
    pub(super) subresources: Option<&'a Value>,
    pub(super) columns: Option<&'a Value>,
    pub(super) selectable: Option<&'a Value>,
}

impl<'a> Common<'a> {
    pub(super) fn of(spec: &'a Value) -> Self {
        let versions = versions(spec);
        let equal = |member: &str| {
            let first = &versions.first()?[member];
            versions.iter().all(|version| version[member] == *first).then_some(first)
        };
        Self {
            schema: equal("schema"),
            subresources: equal("subresources"),
            columns: equal("additionalPrinterColumns"),
            selectable: equal("selectableFields"),
        }
    }

    /// Returns all schemas that are given.
    pub(super) fn schemas(&self, spec: &'a Value) -> impl Iterator<Item = &'a Value> {
        let each = if self.schema.is_some() { &[] } else { versions(spec) };
        let each = each.iter().map(|version| &version["schema"]);
        let all = self.schema.into_iter().chain(each);
        all.map(|schema| &schema["openAPIV3Schema"]).filter(|schema| schema.is_object())
    }
}

/// Returns the versions that a definition declares.
pub(super) fn versions(spec: &Value) -> &[Value] {
    spec["versions"].as_array().map_or(&[], Vec::as_slice)
}
