//! The intervals at which a server proves that a quiet watch is alive.

use std::time::Duration;

use tokio::time::Instant;

/// The smallest gap between two bookmarks that the heartbeat counts. Servers send a bookmark each
/// minute, and one more when a watch is about to end, so shorter gaps are raised to this one.
const SHORTEST_GAP: Duration = Duration::from_secs(60);

/// The intervals at which the server proves, with bookmarks, that a quiet watch is alive.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    /// The longest time between two bookmarks of one watch. `None` before the second bookmark.
    longest_gap: Option<Duration>,
    last_bookmark: Option<Instant>,
    /// The number of watches in a row that fell silent. Bookmarks may be rarer than was seen.
    silent_watches: u32,
}

impl Heartbeat {
    pub(super) fn begin(&mut self) {
        self.last_bookmark = None;
    }

    pub(super) fn bookmark(&mut self, now: Instant) {
        if let Some(last) = self.last_bookmark.replace(now) {
            let gap = now.duration_since(last).max(SHORTEST_GAP);
            self.longest_gap = self.longest_gap.max(Some(gap));
            self.silent_watches = 0;
        }
    }

    pub(super) fn fell_silent(&mut self) {
        self.silent_watches += 1;
    }

    /// Returns the longest time for which a watch may be silent. It is three times the longest gap
    /// between bookmarks, doubled for each silent watch in a row. `None` before the second
    /// bookmark.
    ///
    /// The first two bookmarks may have come close together by chance, because a server sends one
    /// before it ends a watch. Without the doubling, each watch would be abandoned before its
    /// second bookmark, and the gap would never grow.
    pub(super) fn idle_timeout(&self) -> Option<Duration> {
        self.longest_gap.map(|gap| gap.saturating_mul(3 << self.silent_watches.min(8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_bookmarks_do_not_end_every_watch() {
        let (second, begun) = (Duration::from_secs(1), Instant::now());
        let mut heartbeat = Heartbeat::default();
        heartbeat.begin();
        heartbeat.bookmark(begun);
        assert_eq!(heartbeat.idle_timeout(), None);
        heartbeat.bookmark(begun + second);
        assert_eq!(heartbeat.idle_timeout(), Some(3 * SHORTEST_GAP));
        // This server sends a bookmark every 400 seconds.
        let mut given_up = 0;
        while heartbeat.idle_timeout().is_some_and(|idle_timeout| idle_timeout < 2 * 400 * second) {
            heartbeat.fell_silent();
            given_up += 1;
            assert!(given_up < 4);
        }
        heartbeat.begin();
        heartbeat.bookmark(begun);
        heartbeat.bookmark(begun + 400 * second);
        assert_eq!(heartbeat.idle_timeout(), Some(3 * 400 * second));
        for _ in 0..100 {
            heartbeat.fell_silent();
        }
        assert!(heartbeat.idle_timeout() < Some(Duration::from_secs(10 * 24 * 3600)));
    }
}
