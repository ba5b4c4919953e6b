//! The answers that one request has got from webhooks so far.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::Instant;

use super::{Call, Webhooks};
use crate::api_server::names::{self, Repeatable};

/// The webhooks that one request calls.
///
/// A write asks for answers while it holds the store. An unknown answer is a failure that ends the
/// write before it has an effect; [`answer`](Self::answer) then calls the webhooks, and the write
/// runs again. It asks the same again, because its names, uids and times are the same, unless the
/// store has changed.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) webhooks: Arc<Webhooks>,
    /// The user, as reviews show it.
    pub(super) user: Value,
    /// The options of the write, as reviews show them.
    pub(crate) options: Value,
    /// True for a delete of a collection, whose reviews do not name the objects.
    pub(crate) unnamed: bool,
    /// True for a write whose failure to read the stored object is told in few words.
    pub(super) brief: bool,
    /// The time by which the request must be answered, if it named one.
    pub(crate) deadline: Option<Instant>,
    repeatable: Repeatable,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The answers, in the order in which they came.
    answered: Vec<(Call, String, Result<Value, String>)>,
    missing: Vec<Call>,
}

/// An answer of a webhook.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The position of the answer among all answers.
    pub(crate) order: usize,
    /// The uid of the review.
    pub(crate) uid: String,
    pub(crate) answer: Result<Value, String>,
}

impl Session {
    pub(crate) fn new(webhooks: Arc<Webhooks>, user: Value, options: Value, brief: bool) -> Self {
        let (repeatable, state) = (Repeatable::new(), Mutex::default());
        let (unnamed, deadline) = (false, None);
        Self { webhooks, user, options, unnamed, brief, deadline, repeatable, state }
    }

    /// Runs a write or read, which may run several times.
    pub(crate) fn attempt<T>(&self, run: impl FnOnce() -> T) -> T {
        self.repeatable.run(run)
    }

    /// Returns the answer to a review, if it is known.
    pub(super) fn ask(&self, call: Call) -> Option<Asked> {
        let mut state = self.state.lock();
        let known = state.answered.iter().enumerate();
        let mut known = known.filter(|(_, (asked, ..))| {
            (&asked.hook, &asked.client, &asked.review) == (&call.hook, &call.client, &call.review)
        });
        if let Some((order, (_, uid, answer))) = known.next() {
            return Some(Asked { order, uid: uid.clone(), answer: answer.clone() });
        }
        state.missing.push(call);
        None
    }

    /// Calls the webhooks whose answers are missing, all at once. Returns false if none is, so that
    /// the last attempt counts.
    pub(crate) async fn answer(&self) -> bool {
        let missing = std::mem::take(&mut self.state.lock().missing);
        let calls: FuturesUnordered<_> = missing
            .into_iter()
            .map(|call| async {
                let uid = names::uid();
                let answer = self.webhooks.call(&call, &uid).await;
                (call, uid, answer)
            })
            .collect();
        let called = !calls.is_empty();
        calls.for_each(|answered| async { self.state.lock().answered.push(answered) }).await;
        called
    }

    /// Returns the timeout in seconds that a webhook is told: that of its configuration, or less.
    pub(super) fn seconds(&self, configured: u64) -> u64 {
        let Some(deadline) = self.deadline else { return configured };
        let left = deadline.saturating_duration_since(Instant::now()).as_millis().div_ceil(1000);
        configured.min(u64::try_from(left).unwrap_or(u64::MAX))
    }

    /// Returns whether the last attempt lacks an answer.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.state.lock().missing.is_empty()
    }
}
