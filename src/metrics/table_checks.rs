//! Checks of the names of metrics. The crate `kube-controllers` has this module, too.

use std::collections::BTreeSet;

use super::{Description, MetricKind};

pub(crate) fn check_names(descriptions: &[Description]) {
    let names: BTreeSet<_> = descriptions.iter().map(|description| description.name).collect();
    assert_eq!(names.len(), descriptions.len(), "described once");
    for description in descriptions {
        let name = description.name;
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert_eq!(description.kind == MetricKind::Counter, name.ends_with("_total"), "{name}");
        assert!(description.kind != MetricKind::Histogram || name.ends_with("_seconds"), "{name}");
        assert!(description.help.ends_with('.'), "{name}");
    }
}
