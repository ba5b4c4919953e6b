//! Proofs that a collection had a version at a moment. They bound the age of the data.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::object::ResourceVersion;

/// Proofs that are closer than this are merged into the later one.
const GRID: Duration = Duration::from_secs(1);

/// The number of proofs that are kept. Above it, every second one is removed.
const KEPT: usize = 64;

/// The latest proofs, oldest first.
///
/// A proof states that the collection had a version at a moment. A store that has reached this
/// version is at least as new as that moment. Several proofs are kept, because a store that lags
/// behind the reflector has reached only an older one.
#[derive(Debug, Default)]
pub(super) struct Proofs(VecDeque<Proof>);

#[derive(Debug)]
struct Proof {
    version: Option<ResourceVersion>,
    at: Instant,
}

impl Proofs {
    /// Adds a proof that the collection had this version at that moment.
    pub(super) fn add(&mut self, version: Option<ResourceVersion>, at: Instant) {
        if self.0.back().is_some_and(|last| last.at > at) {
            return;
        }
        // Only the last proof is replaced, so the age of a lagging store is off by at most one
        // `GRID`.
        let before = self.0.len().checked_sub(2).and_then(|place| self.0.get(place));
        if before.is_some_and(|before| at.duration_since(before.at) < GRID) {
            self.0.pop_back();
        }
        self.0.push_back(Proof { version, at });
        if self.0.len() > KEPT {
            let mut keep = false;
            self.0.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }

    /// Returns the moment of the last proof.
    pub(super) fn last(&self) -> Option<Instant> {
        self.0.back().map(|proof| proof.at)
    }

    /// Returns the moment of the newest proof that a store of this version has reached.
    pub(super) fn reached(&self, version: Option<&ResourceVersion>) -> Option<Instant> {
        let version = version?;
        let newest_first = self.0.iter().rev();
        let reached = |proof: &&Proof| {
            proof.version.as_ref().is_none_or(|proved| !version.is_older_than(proved))
        };
        newest_first.filter(reached).map(|proof| proof.at).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn store_is_as_fresh_as_its_newest_proof() {
        let (mut proofs, start) = (Proofs::default(), Instant::now());
        assert_eq!(proofs.reached(Some(&1.into())), None);
        for n in 1..=10 {
            proofs.add(Some((10 * n).into()), start + seconds(n));
        }
        assert_eq!(proofs.reached(None), None, "nothing is stored yet");
        assert_eq!(proofs.reached(Some(&5.into())), None);
        assert_eq!(proofs.reached(Some(&45.into())), Some(start + seconds(4)));
        assert_eq!(proofs.reached(Some(&100.into())), Some(start + seconds(10)));
        assert_eq!(proofs.last(), Some(start + seconds(10)));
    }

    #[test]
    fn first_proof_is_kept_for_a_lagging_store() {
        let (mut proofs, start) = (Proofs::default(), Instant::now());
        for n in 0..100_000_u64 {
            proofs.add(Some((n + 1).into()), start + Duration::from_millis(100 * n));
        }
        assert!(proofs.0.len() <= KEPT);
        let last = start + Duration::from_millis(100 * 99_999);
        assert_eq!(proofs.last(), Some(last));
        assert_eq!(proofs.reached(Some(&100_000.into())), Some(last));
        let behind = proofs.reached(Some(&1.into()));
        assert_eq!(behind, Some(start), "the first proof is kept");
        let near = proofs.reached(Some(&99_990.into())).unwrap();
        assert!(last.duration_since(near) <= 3 * GRID, "the latest are kept a grid apart");
    }

    #[test]
    fn versions_that_start_over_are_proved_again() {
        let (mut proofs, start) = (Proofs::default(), Instant::now());
        proofs.add(Some(500.into()), start);
        proofs.add(Some(7.into()), start + seconds(5));
        assert_eq!(proofs.reached(Some(&7.into())), Some(start + seconds(5)));
    }
}
