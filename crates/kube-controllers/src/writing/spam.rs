//! A limit for events about each object, with client-go's figures.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// The number of events about one object that may be published at once.
const BURST: u32 = 25;
/// The time after which one more event may be published.
const REFILL: Duration = Duration::from_secs(300);
/// The number of objects that are remembered.
const OBJECTS: usize = 4096;

/// A token bucket for each object.
#[derive(Debug, Default)]
pub(super) struct SpamFilter(HashMap<String, Bucket>);

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: u32,
    /// The time of the last refill.
    since: Instant,
}

impl SpamFilter {
    /// Takes a token of an object. Returns whether there was one.
    pub(super) fn allows(&mut self, object: &str, now: Instant) -> bool {
        if let Some(bucket) = self.0.get_mut(object) {
            return bucket.take(now);
        }
        if self.0.len() >= OBJECTS {
            self.make_room(now);
        }
        self.0.insert(object.to_owned(), Bucket { tokens: BURST - 1, since: now });
        true
    }

    /// Removes the full buckets, which carry no information. If they are few, removes the fuller
    /// ones too, so that an event takes amortised constant time.
    fn make_room(&mut self, now: Instant) {
        self.0.retain(|_, bucket| bucket.refilled(now) < BURST);
        if self.0.len() <= OBJECTS / 2 {
            return;
        }
        let mut all: Vec<_> = self.0.drain().collect();
        all.sort_by_key(|(_, bucket)| bucket.refilled(now));
        all.truncate(OBJECTS / 2);
        self.0.extend(all);
    }
}

impl Bucket {
    fn refilled(&self, now: Instant) -> u32 {
        let new = now.saturating_duration_since(self.since).as_secs() / REFILL.as_secs();
        u32::try_from(new).unwrap_or(BURST).saturating_add(self.tokens).min(BURST)
    }

    fn take(&mut self, now: Instant) -> bool {
        let tokens = self.refilled(now);
        if tokens > self.tokens {
            // The part of a period that has passed counts for the next token.
            let used = REFILL * (tokens - self.tokens);
            self.since = if tokens == BURST { now } else { self.since + used };
            self.tokens = tokens;
        }
        if self.tokens == BURST {
            self.since = now;
        }
        match self.tokens.checked_sub(1) {
            Some(left) => {
                self.tokens = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn burst_then_one_in_five_minutes() {
        let mut filter = SpamFilter::default();
        let begun = Instant::now();
        let mut at = |seconds: u64, object: &str| {
            let now = begun + Duration::from_secs(seconds);
            (0..100).filter(|_| filter.allows(object, now)).count()
        };
        assert_eq!((at(0, "a"), at(0, "b")), (25, 25));
        assert_eq!((at(299, "a"), at(301, "a"), at(599, "a"), at(600, "a")), (0, 1, 0, 1));
        assert_eq!(at(1_000_000, "a"), 25);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let mut filter = SpamFilter::default();
        let now = Instant::now();
        for n in 0..20_000 {
            assert!(filter.allows(&n.to_string(), now));
            assert!(filter.0.len() <= OBJECTS);
        }
    }
}
