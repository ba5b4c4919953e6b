//! Harms at random, from a seed.

use fastrand::Rng;

use super::harm::{Harm, Kind};
use super::requests::{Asked, AskedForm};

/// Draws the harms of requests.
pub(super) struct Chance {
    rng: Rng,
    rate: f64,
    harms: Vec<Harm>,
}

impl Chance {
    pub(super) fn new(seed: u64, rate: f64, harms: Vec<Harm>) -> Self {
        Self { rng: Rng::with_seed(seed), rate, harms }
    }

    /// The harm of a request, if it is to have one.
    pub(super) fn draw(&mut self, asked: &Asked) -> Option<Harm> {
        if self.rng.f64() >= self.rate {
            return None;
        }
        let fitting: Vec<&Harm> = self.harms.iter().filter(|harm| fits(harm, asked.form)).collect();
        let drawn = self.rng.choice(fitting)?;
        Some(drawn.clone())
    }
}

/// Whether a harm can do anything to such a request.
fn fits(harm: &Harm, form: AskedForm) -> bool {
    let watch = matches!(form, AskedForm::Watch | AskedForm::StreamingList);
    match &harm.0 {
        Kind::Stale => matches!(form, AskedForm::List | AskedForm::Page),
        Kind::HideInitialEventsEnd => form == AskedForm::StreamingList,
        Kind::Repeat { .. } | Kind::Swap { .. } | Kind::ErrorEvent { .. } => watch,
        Kind::Edit(_) => form != AskedForm::Other,
        _ => true,
    }
}
