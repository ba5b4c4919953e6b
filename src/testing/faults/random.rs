//! Random injections from a seed.

use fastrand::Rng;

use super::injection::{Injection, Kind};
use super::requests::{ClassifiedRequest, RequestKind};

/// Draws the injections of requests.
pub(super) struct RandomInjections {
    rng: Rng,
    rate: f64,
    injections: Vec<Injection>,
}

impl RandomInjections {
    pub(super) fn new(seed: u64, rate: f64, injections: Vec<Injection>) -> Self {
        Self { rng: Rng::with_seed(seed), rate, injections }
    }

    /// Returns the injection of a request, if it gets one.
    pub(super) fn draw(&mut self, request: &ClassifiedRequest) -> Option<Injection> {
        if self.rng.f64() >= self.rate {
            return None;
        }
        let fitting: Vec<&Injection> =
            self.injections.iter().filter(|injection| fits(injection, request.form)).collect();
        let drawn = self.rng.choice(fitting)?;
        Some(drawn.clone())
    }
}

/// Returns whether an injection can have an effect on this kind of request.
fn fits(injection: &Injection, form: RequestKind) -> bool {
    let watch = matches!(form, RequestKind::Watch | RequestKind::StreamingList);
    match &injection.0 {
        Kind::Stale => matches!(form, RequestKind::List | RequestKind::Page),
        Kind::HideInitialEventsEnd => form == RequestKind::StreamingList,
        Kind::Repeat { .. } | Kind::Swap { .. } | Kind::ErrorEvent { .. } => watch,
        Kind::Edit(_) => form != RequestKind::Other,
        _ => true,
    }
}
