//! The clusters that a provider knows, and the parts that each was made of.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::provider::ClusterConfig;

/// The clusters of a provider by name. Each has the parts of its configuration, which show whether
/// it changed.
pub(super) struct Known<P> {
    /// `None` before the first update.
    clusters: Option<HashMap<Arc<str>, (P, ClusterConfig)>>,
    /// The number of configurations that were made. Each is the revision of one.
    made: u64,
}

impl<P> Default for Known<P> {
    fn default() -> Self {
        Self { clusters: None, made: 0 }
    }
}

impl<P: PartialEq> Known<P> {
    /// Replaces all clusters. Of equal names, the first counts. Returns all configurations if any
    /// differs from those before, and in the first call.
    pub(super) fn update(
        &mut self,
        found: impl IntoIterator<Item = (Arc<str>, P)>,
        configure: impl Fn(Arc<str>, &P) -> ClusterConfig,
    ) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        let mut changed = self.clusters.is_none();
        let mut before = self.clusters.take().unwrap_or_default();
        let mut now = HashMap::new();
        for (name, parts) in found {
            let Entry::Vacant(place) = now.entry(name) else { continue };
            let known = before.remove(place.key()).filter(|(known, _)| *known == parts);
            place.insert(known.unwrap_or_else(|| {
                changed = true;
                self.made += 1;
                let config = configure(self.made.to_string().into(), &parts);
                (parts, config)
            }));
        }
        changed |= !before.is_empty();
        let configs = || now.iter().map(|(name, (_, config))| (name.clone(), config.clone()));
        let found = changed.then(|| configs().collect());
        self.clusters = Some(now);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each name with its revision, or `None` if nothing changed.
    fn update(known: &mut Known<u32>, found: &[(&str, u32)]) -> Option<Vec<String>> {
        let config =
            |revision, _: &u32| ClusterConfig::new(revision, || async { Err("no".into()) });
        let found = found.iter().map(|&(name, parts)| (name.into(), parts));
        let found = known.update(found, config)?;
        Some(found.iter().map(|(name, config)| format!("{name}: {}", config.revision)).collect())
    }

    #[test]
    fn only_changed_clusters_get_another_revision() {
        let mut known = Known::default();
        let mut update = |found: &[(&str, u32)]| update(&mut known, found);
        assert_eq!(update(&[]), Some(vec![]), "an empty fleet is told once");
        assert_eq!(update(&[]), None);
        assert_eq!(update(&[("a", 1), ("b", 1)]).unwrap(), ["a: 1", "b: 2"]);
        assert_eq!(update(&[("a", 1), ("b", 1)]), None);
        assert_eq!(update(&[("b", 2), ("a", 1)]).unwrap(), ["a: 1", "b: 3"]);
        assert_eq!(update(&[("a", 1)]).unwrap(), ["a: 1"]);
        assert_eq!(update(&[("a", 1), ("b", 2)]).unwrap(), ["a: 1", "b: 4"]);
    }

    #[test]
    fn first_of_equal_names_counts() {
        let mut known = Known::default();
        let twice = [("a", 1), ("a", 2), ("b", 1), ("a", 1)];
        assert_eq!(update(&mut known, &twice).unwrap(), ["a: 1", "b: 2"]);
        assert_eq!(update(&mut known, &twice), None);
        assert_eq!(update(&mut known, &[("a", 2), ("a", 1), ("b", 1)]).unwrap(), ["a: 3", "b: 2"]);
    }
}
