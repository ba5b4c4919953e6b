//! client-go.

use futures::future::LocalBoxFuture;

use super::harness::Outcome;

pub(crate) type Trial = fn() -> LocalBoxFuture<'static, Outcome>;

pub(crate) const TRIALS: &[(&str, Trial)] = &[];
