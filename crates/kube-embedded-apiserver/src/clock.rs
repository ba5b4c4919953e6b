//! The present time, as the server writes it into objects.

use std::sync::OnceLock;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// Returns the present time by tokio's clock, as the [`ApiServer`](crate::ApiServer) writes it into
/// objects.
///
/// It begins at the system's time, and does not follow later corrections of the system's clock. In
/// a test with a paused clock it stands still, and moves with tokio's timers. After a `sleep` of an
/// hour it is exactly an hour later.
///
/// ```
/// use std::time::Duration;
/// use kube_embedded_apiserver::now;
///
/// # tokio::runtime::Builder::new_current_thread()
/// #     .enable_all().start_paused(true).build().unwrap().block_on(async {
/// let before = now();
/// tokio::time::sleep(Duration::from_secs(3_600)).await;
/// assert_eq!(now().duration_since(before).as_secs(), 3_600);
/// # });
/// ```
pub fn now() -> Timestamp {
    static START: OnceLock<(Timestamp, std::time::Instant)> = OnceLock::new();
    let (wall, start) = *START.get_or_init(|| (Timestamp::now(), std::time::Instant::now()));
    let now = Instant::now().into_std();
    let signed = |passed| SignedDuration::try_from(passed).unwrap_or(SignedDuration::ZERO);
    // A paused clock may have stopped before the start was noted.
    let passed = match now.checked_duration_since(start) {
        Some(after) => signed(after),
        None => -signed(start.duration_since(now)),
    };
    wall.checked_add(passed).unwrap_or(wall)
}
