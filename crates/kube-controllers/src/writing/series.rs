//! A bounded memory of the events that were published last.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::digest::Digest;

/// The number of series that are remembered.
const SERIES: usize = 4096;
/// The time after which an equal event begins a new series.
const LIFETIME: Duration = Duration::from_secs(360);

/// The number of equal events, and the name of the object that counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) count: i32,
}

/// The series by the digest that their events share. Each call takes amortised constant time.
#[derive(Debug, Default)]
pub(super) struct SeriesMap {
    series: HashMap<Digest, Remembered>,
    inserted: u64,
}

#[derive(Debug)]
struct Remembered {
    series: Series,
    /// The time of the last event.
    last: Instant,
    /// The number of earlier events of all series.
    before: u64,
}

impl SeriesMap {
    /// Returns the series with one more event, if the last event is recent enough.
    pub(super) fn get(&self, key: &Digest, now: Instant) -> Option<Series> {
        let Remembered { series: Series { name, count }, last, .. } = self.series.get(key)?;
        let is_recent = now.saturating_duration_since(*last) < LIFETIME;
        is_recent.then(|| Series { name: name.clone(), count: count.saturating_add(1) })
    }

    pub(super) fn insert(&mut self, key: Digest, series: Series, now: Instant) {
        if self.series.len() >= SERIES && !self.series.contains_key(&key) {
            self.make_room();
        }
        self.series.insert(key, Remembered { series, last: now, before: self.inserted });
        self.inserted += 1;
    }

    pub(super) fn remove(&mut self, key: &Digest) {
        self.series.remove(key);
    }

    /// Removes the older half: all but those among the last events.
    fn make_room(&mut self) {
        let first = self.inserted - SERIES as u64 / 2;
        self.series.retain(|_, remembered| remembered.before >= first);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn series(name: &str, count: i32) -> Series {
        Series { name: name.to_owned(), count }
    }

    #[tokio::test(start_paused = true)]
    async fn series_ends_six_minutes_after_its_last_event() {
        let (mut map, key, now) = (SeriesMap::default(), Digest::of(&json!(1)), Instant::now());
        assert_eq!(map.get(&key, now), None);
        map.insert(key, series("a", 7), now);
        assert_eq!(map.get(&key, now + LIFETIME / 2), Some(series("a", 8)));
        assert_eq!(map.get(&key, now + LIFETIME), None);
        map.remove(&key);
        assert_eq!(map.get(&key, now), None);
    }

    #[tokio::test(start_paused = true)]
    async fn oldest_series_are_forgotten() {
        let (mut map, now) = (SeriesMap::default(), Instant::now());
        let key = |n: u64| Digest::of(&json!(n));
        for n in 0..20_000 {
            map.insert(key(n), series("a", 1), now);
            assert!(map.series.len() <= SERIES);
            let recent = n.saturating_sub(SERIES as u64 / 2 - 1);
            assert!(map.get(&key(recent), now).is_some(), "{recent} of {n}");
        }
    }
}
