//! Runs of a model, one for each seed.

use std::ops::Range;

/// Plays each seed in a runtime of its own, whose clock is paused.
pub(crate) fn play_seeds<F: Future<Output = ()>>(seeds: Range<u64>, play: impl Fn(u64) -> F) {
    for seed in seeds {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(play(seed));
    }
}
