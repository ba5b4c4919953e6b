//! The renewals that one elector sent.
//!
//! A record with the elector's identity may be of another process: of one that runs under the same
//! identity, or of an earlier one that has ended. The record is the elector's own only if it shows
//! a renewal that the elector sent, whether or not the answer arrived.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::basics::Mutex;

/// The number of answered renewals that are remembered, for a Lease that is restored from a backup.
const ANSWERED: usize = 64;

/// The number of renewals that are remembered without an answer. Each of them may be the stored
/// one, so these are more than fit between two answers with any sensible times.
const UNANSWERED: usize = 4_096;

/// The part of a record that differs from renewal to renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Renewal {
    /// The time of the renewal, in whole microseconds.
    pub(super) at: Option<i128>,
    pub(super) transitions: u32,
}

/// The last renewals that were sent. Clones share them, because a task may renew the lease for work
/// that outlives its elector's future.
#[derive(Clone, Debug, Default)]
pub(super) struct SentRenewals(Arc<Mutex<VecDeque<Renewal>>>);

impl SentRenewals {
    pub(super) fn add(&self, renewal: Renewal) {
        let mut sent = self.0.lock();
        if sent.len() == UNANSWERED {
            sent.pop_front();
        }
        sent.push_back(renewal);
    }

    /// Notes that a renewal was answered: an earlier one can no longer be stored.
    pub(super) fn answered(&self) {
        let mut sent = self.0.lock();
        let older = sent.len().saturating_sub(ANSWERED);
        sent.drain(..older);
    }

    pub(super) fn contains(&self, renewal: Renewal) -> bool {
        self.0.lock().contains(&renewal)
    }
}
