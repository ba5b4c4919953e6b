//! Checks of metrics and of their table. The crate `kube-controllers` has this module, too.

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

/// Compares the table "All metrics" of `table` with the constants of `names`. Both are read from
/// the source, because no code holds them.
pub(crate) fn check_table(names: &str, table: &str, descriptions: &[Description]) {
    let constants = names.split("\npub const ").skip(1);
    let constants = constants.filter_map(|text| {
        let (constant, text) = text.split_once(": &str =")?;
        let name = text.split('"').nth(1).expect("the name's text");
        let of_name = descriptions.iter().find(|description| description.name == name);
        let kind = of_name.map(|description| format!("{:?}", description.kind).to_lowercase());
        Some((constant.to_owned(), kind.unwrap_or_else(|| panic!("{constant} has no description"))))
    });
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let rows = rows.map(|row| {
        let (constant, cells) = row.split_once("`] | ").expect("a row's first cell");
        let (kind, _) = cells.split_once(" | ").expect("a row's second cell");
        (constant.to_owned(), kind.to_owned())
    });
    let (constants, rows): (Vec<_>, Vec<_>) = (constants.collect(), rows.collect());
    assert_eq!(constants.len(), descriptions.len());
    assert_eq!(rows, constants, "the table \"All metrics\" has one row for each, in their order");
}
