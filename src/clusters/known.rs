//! The clusters that a provider knows, and the parts that each was made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::provider::ClusterConfig;

/// The clusters of a provider by name. Each has the parts of its configuration, which show whether
/// it changed.
pub(super) struct Known<P> {
    /// `None` before the first update.
    clusters: Option<BTreeMap<Arc<str>, (P, ClusterConfig)>>,
    /// The number of configurations that were made. Each is the revision of one.
    made: u64,
}

impl<P> Default for Known<P> {
    fn default() -> Self {
        Self { clusters: None, made: 0 }
    }
}

impl<P: Clone + PartialEq> Known<P> {
    /// Replaces all clusters. Of equal names, the first counts. Returns all configurations if any
    /// differs from those before, and in the first call.
    pub(super) fn update<N: AsRef<str>>(
        &mut self,
        found: impl IntoIterator<Item = (N, P)>,
        configure: impl Fn(Arc<str>, P) -> ClusterConfig,
    ) -> Option<BTreeMap<Arc<str>, ClusterConfig>> {
        let is_first = self.clusters.is_none();
        let before = self.clusters.take().unwrap_or_default();
        let (made, mut now) = (self.made, BTreeMap::new());
        for (name, parts) in found {
            let name = name.as_ref();
            if now.contains_key(name) {
                continue;
            }
            let cluster = match before.get(name) {
                Some(same) if same.0 == parts => same.clone(),
                _ => {
                    self.made += 1;
                    let config = configure(self.made.to_string().into(), parts.clone());
                    (parts, config)
                }
            };
            now.insert(Arc::<str>::from(name), cluster);
        }
        // Without a new one, they are among those before.
        let changed = is_first || self.made > made || now.len() < before.len();
        let configs = || now.iter().map(|(name, (_, config))| (name.clone(), config.clone()));
        let found = changed.then(|| configs().collect());
        self.clusters = Some(now);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the revisions, or `None` if nothing changed.
    fn update(known: &mut Known<u32>, found: &[(&str, u32)]) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let config = |revision, _| ClusterConfig::new(revision, || async { Err("none".into()) });
        let found = known.update(found.iter().copied(), config)?;
        Some(found.into_iter().map(|(name, config)| (name, config.revision)).collect())
    }

    fn revisions(of: &[(&str, &str)]) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        Some(of.iter().map(|&(name, revision)| (name.into(), revision.into())).collect())
    }

    #[test]
    fn only_changed_clusters_get_another_revision() {
        let mut known = Known::default();
        assert_eq!(update(&mut known, &[]), revisions(&[]), "an empty fleet is told once");
        assert_eq!(update(&mut known, &[]), None);
        let both = [("a", 1), ("b", 1)];
        assert_eq!(update(&mut known, &both), revisions(&[("a", "1"), ("b", "2")]));
        assert_eq!(update(&mut known, &both), None);
        let changed = update(&mut known, &[("b", 2), ("a", 1)]);
        assert_eq!(changed, revisions(&[("a", "1"), ("b", "3")]));
        assert_eq!(update(&mut known, &[("a", 1)]), revisions(&[("a", "1")]));
        let again = update(&mut known, &[("a", 1), ("b", 2)]);
        assert_eq!(again, revisions(&[("a", "1"), ("b", "4")]));
    }

    #[test]
    fn first_of_equal_names_counts() {
        let mut known = Known::default();
        let twice = [("a", 1), ("a", 2), ("b", 1), ("a", 1)];
        assert_eq!(update(&mut known, &twice), revisions(&[("a", "1"), ("b", "2")]));
        assert_eq!(update(&mut known, &twice), None);
        assert_eq!(update(&mut known, &[("a", 2), ("a", 1), ("b", 1)]).unwrap()[0].1, "3".into());
    }
}
