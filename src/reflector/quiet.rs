//! The rules for quiet kinds: their watches have no event that could prove them current.

use std::time::Duration;

/// The time without an event after which a kind is quiet.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

/// The time limit of a watch whose last bookmark is to be the proof. The API server sends one with
/// the present version two seconds before a watch ends (`nextBookmarkTime` of its watch cache).
pub(crate) const SHORT_WATCH: Duration = Duration::from_secs(3);

/// The number of objects below which a list takes less time than the wait for such a bookmark.
pub(crate) const FEW: usize = 500;
