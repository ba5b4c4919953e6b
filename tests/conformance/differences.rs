//! The deliberate differences between the embedded server and a real one.

use super::ledger::Difference;

/// A row whose steps agree is an error.
pub(crate) const DELIBERATE: &[Difference] = &[];
