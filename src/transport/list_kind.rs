//! The check by `apiVersion` and `kind` that a JSON list is the requested one.
//!
//! The list of a built-in type has one kind. The list of a custom resource may have any kind. A
//! `List`, or a list without a kind, may hold any items, so each item is checked. A list may state
//! its kind after its items, so the final check is at its end.

use super::framing::json;
use crate::error::Fault;
use crate::sync::Mutex;

/// The longest kind or version that an error repeats, in characters. No valid one is longer.
const LONGEST: usize = 253;

/// The expected type of a list.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    /// True if the type is built into Kubernetes.
    pub(super) built_in: bool,
    /// True if only metadata was requested.
    pub(super) metadata_only: bool,
}

/// The type that a list has stated so far.
#[derive(Debug, Default)]
pub(super) struct StatedType {
    pub(super) api_version: Option<String>,
    pub(super) kind: Option<String>,
    /// True if there was an array `items`, even an empty one.
    pub(super) items: bool,
    /// True if the metadata has a version.
    pub(super) version: bool,
    /// True if the metadata says that the list has objects, or other pages.
    pub(super) continues: bool,
}

/// The result of checking a list's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The list is the requested one.
    Requested,
    /// The list may be the requested one. Its items decide.
    Open,
    /// The list may be the requested one if it has items.
    OnlyWithItems,
    /// The answer is another list, or no list.
    Other,
}

impl StatedType {
    /// Checks the type stated so far.
    pub(super) fn check(&self, expected: &Expected<'_>) -> Result<(), Fault> {
        match self.verdict(expected) {
            Verdict::Requested | Verdict::Open | Verdict::OnlyWithItems => Ok(()),
            Verdict::Other => Err(self.wrong(expected)),
        }
    }

    /// Checks a complete list of this size in bytes, and notes its kind. One of another kind than
    /// the last is refused once: it may be the empty list of another resource, or the definition
    /// has changed.
    pub(super) fn check_whole(
        &self,
        expected: &Expected<'_>,
        last: &Mutex<Option<String>>,
        size: u64,
    ) -> Result<(), Fault> {
        self.check(expected)?;
        let verdict = self.verdict(expected);
        if verdict == Verdict::OnlyWithItems && !self.items {
            return Err(self.wrong(expected));
        }
        if !(self.items || self.version && !self.continues && self.names(expected)) {
            let problem = WITHOUT_ITEMS.to_owned();
            return Err(Fault::Malformed { offset: size, problem });
        }
        let last = last.lock().replace(self.kind.clone().unwrap_or_default());
        let changed = last.is_some() && last.as_deref() != self.kind.as_deref();
        let is_list = self.kind.as_deref().is_some_and(|kind| kind.len() > "List".len());
        if verdict == Verdict::Open && is_list && changed {
            return Err(self.wrong(expected));
        }
        Ok(())
    }

    /// Returns whether the list states the usual name of the requested type, and its group and
    /// version. Go leaves out the items of an empty list if its type says so. Any other object
    /// without items is no list.
    fn names(&self, expected: &Expected<'_>) -> bool {
        let kind = self.kind.as_deref().and_then(|kind| kind.strip_suffix("List"));
        let (Some(kind), Some(version)) = (kind, self.api_version.as_deref()) else { return false };
        let is_metadata = expected.metadata_only && (kind, version) == (METADATA, METADATA_VERSION);
        is_metadata || (kind, version) == (expected.kind, expected.api_version)
    }

    /// Checks an item of the list. If the list has stated that it is the requested one, only an
    /// item's first two members are read: the items of a built-in type have no kind.
    pub(super) fn check_item(&self, item: &[u8], expected: &Expected<'_>) -> Result<(), Fault> {
        let usual = if expected.metadata_only { METADATA } else { expected.kind };
        let kind = match self.verdict(expected) {
            Verdict::Requested => json::peek::leading_types(item).1,
            _ => json::peek::kind(item),
        };
        match kind {
            Some(kind) if kind != usual && kind != expected.kind => {
                Err(Fault::WrongKind { expected: expected.kind.to_owned(), found: clip(kind) })
            }
            _ => Ok(()),
        }
    }

    fn verdict(&self, expected: &Expected<'_>) -> Verdict {
        let Some(kind) = self.kind.as_deref().filter(|kind| !kind.is_empty()) else {
            return Verdict::Open;
        };
        let version = self.api_version.as_deref().filter(|version| !version.is_empty());
        let other_version = version.is_some_and(|version| version != expected.api_version);
        match kind.strip_suffix("List") {
            Some("") => Verdict::Open,
            Some(METADATA) if expected.metadata_only => Verdict::Requested,
            Some(kind) if kind == expected.kind && other_version => Verdict::Other,
            Some(kind) if kind == expected.kind => Verdict::Requested,
            _ if expected.built_in || other_version || kind == "Status" => Verdict::Other,
            Some(_) => Verdict::Open,
            None => Verdict::OnlyWithItems,
        }
    }

    fn wrong(&self, expected: &Expected<'_>) -> Fault {
        let version = self.api_version.as_deref().unwrap_or_default();
        let kind = self.kind.as_deref().unwrap_or_default();
        wrong_list(expected.api_version, expected.kind, version, kind)
    }
}

/// Creates the fault for a list of another type than the requested one.
pub(super) fn wrong_list(requested: &str, kind: &str, version: &str, list: &str) -> Fault {
    let found = format!("{} {}", clip(version), clip(list));
    let expected = format!("{requested} {kind}List");
    Fault::WrongKind { expected, found: found.trim_start().to_owned() }
}

/// The kind of an object if only its metadata was requested.
pub(super) const METADATA: &str = "PartialObjectMetadata";

/// The group and version of such objects.
pub(super) const METADATA_VERSION: &str = "meta.k8s.io/v1";

/// The problem of an answer that may be anything.
const WITHOUT_ITEMS: &str = "there are no `items`, and kind, apiVersion and metadata do not show \
    that this is the requested list and empty";

/// Returns the part of a text that an error repeats.
pub(super) fn clip(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(expected: &Expected<'_>, version: &str, kind: &str, items: bool) -> bool {
        let stated = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (api_version, kind) = (stated(version), stated(kind));
        let stated = StatedType { api_version, kind, items, version: true, continues: false };
        stated.check_whole(expected, &Mutex::new(None), 0).is_ok()
    }

    #[test]
    fn built_in_list_has_one_kind() {
        let mut pods =
            Expected { api_version: "v1", kind: "Pod", built_in: true, metadata_only: false };
        for (version, kind, is) in [
            ("v1", "PodList", true),
            ("", "PodList", true),
            ("v1", "List", true),
            ("", "", true),
            ("v2", "PodList", false),
            ("v1", "ServiceList", false),
            ("", "ServiceList", false),
            ("v1", "Pod", false),
            ("v1", "Status", false),
            ("meta.k8s.io/v1", "PartialObjectMetadataList", false),
        ] {
            assert_eq!(judged(&pods, version, kind, true), is, "{version} {kind}");
        }
        pods.metadata_only = true;
        assert!(judged(&pods, "meta.k8s.io/v1", "PartialObjectMetadataList", true));
        assert!(judged(&pods, "v1", "PodList", true));
        assert!(!judged(&pods, "v1", "ServiceList", true));
    }

    #[test]
    fn custom_list_may_have_any_kind_of_its_group() {
        let widgets = Expected {
            api_version: "example.com/v1",
            kind: "Widget",
            built_in: false,
            metadata_only: false,
        };
        for (version, kind, items, is) in [
            ("example.com/v1", "WidgetList", false, true),
            ("example.com/v1", "Widgets", true, true),
            ("example.com/v1", "Widgets", false, false),
            ("example.com/v1", "AllWidgetsList", false, false),
            ("example.com/v1", "List", false, false),
            ("", "WidgetList", false, false),
            ("example.com/v1", "AllWidgetsList", true, true),
            ("v1", "ServiceList", true, false),
            ("example.com/v2", "WidgetList", true, false),
            ("v1", "Status", true, false),
        ] {
            assert_eq!(judged(&widgets, version, kind, items), is, "{version} {kind}");
        }
    }

    #[test]
    fn items_of_an_unknown_list_are_checked() {
        let pods =
            Expected { api_version: "v1", kind: "Pod", built_in: true, metadata_only: false };
        let mut stated = StatedType::default();
        let service = br#"{"apiVersion":"v1","metadata":{"kind":"Pod"},"kind":"Service"}"#;
        assert!(stated.check_item(service, &pods).is_err());
        for item in [&br#"{"kind":"Pod"}"#[..], b"{}", b"7", b"", br#"{"kind":7}"#] {
            assert!(stated.check_item(item, &pods).is_ok());
        }
        stated.kind = Some("PodList".into());
        assert!(stated.check_item(service, &pods).is_ok());
        let service = br#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}"#;
        assert!(stated.check_item(service, &pods).is_err());
    }

    #[test]
    fn list_of_another_kind_than_the_last_is_refused_once() {
        let widgets = Expected {
            api_version: "example.com/v1",
            kind: "Widget",
            built_in: false,
            metadata_only: false,
        };
        let last = Mutex::new(None);
        let check = |kind: &str| {
            let (api_version, kind) = (Some("example.com/v1".into()), Some(kind.into()));
            let stated =
                StatedType { api_version, kind, items: true, version: true, continues: false };
            stated.check_whole(&widgets, &last, 0).is_ok()
        };
        let answers = ["WidgetList", "GadgetList", "WidgetList", "GadgetList", "GadgetList"];
        assert_eq!(answers.map(check), [true, false, true, false, true]);
    }
}
