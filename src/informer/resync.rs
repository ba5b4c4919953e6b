//! When to look whether a handler's resync is due.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::processor::HandlerOptions;
use crate::sync::{Mutex, Notify};

/// The period at which due resyncs are looked for: the smallest that any handler asked for before
/// the start. As in client-go, a shorter wish that comes later is raised to it; where nobody had
/// one yet, the first wish sets it.
#[derive(Debug, Default)]
pub(super) struct ResyncClock {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    period: Option<Duration>,
    running: bool,
    next: Option<Instant>,
}

impl ResyncClock {
    /// A handler's options, with the period that it will have.
    pub(super) fn admit(
        &self,
        options: HandlerOptions,
        default: Option<Duration>,
    ) -> HandlerOptions {
        let Some(wish) = options.resync_or(default) else {
            return options.resync(Duration::ZERO);
        };
        let mut state = self.state.lock();
        let period = match state.period {
            Some(period) if state.running => wish.max(period),
            Some(period) => {
                state.period = Some(period.min(wish));
                wish
            }
            None => {
                state.period = Some(wish);
                state.next = state.running.then(|| Instant::now() + wish);
                wish
            }
        };
        drop(state);
        self.changed.notify_one();
        options.resync(period)
    }

    pub(super) fn start(&self) {
        let mut state = self.state.lock();
        state.running = true;
        state.next = state.period.map(|period| Instant::now() + period);
    }

    /// Waits for the next look. Cancel safe.
    pub(super) async fn tick(&self) {
        loop {
            let changed = self.changed.notified();
            let next = self.state.lock().next;
            match next {
                None => changed.await,
                Some(next) => {
                    sleep_until(next).await;
                    let mut state = self.state.lock();
                    state.next = state.period.map(|period| next + period);
                    return;
                }
            }
        }
    }
}
