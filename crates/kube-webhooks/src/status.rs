//! The state of webhooks, to show.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde::Serialize;

use crate::CertificateStatus;

/// A webhook's task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// It allows or refuses requests.
    Validate,
    /// It changes objects before they are stored.
    Mutate,
    /// It converts objects between versions.
    Convert,
}

/// The state of all webhooks of a program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebhooksStatus {
    /// The webhooks, by path.
    pub hooks: Vec<HookStatus>,
    /// The state of the server's certificate.
    pub certificate: CertificateStatus,
}

/// The state of one webhook.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookStatus {
    /// The path.
    pub path: String,
    /// Its task.
    pub role: Role,
    /// The calls that run now.
    pub running: usize,
    /// The calls that wait for their turn.
    pub waiting: usize,
    /// The calls that allowed the request, or converted the objects.
    pub allowed: u64,
    /// The calls that denied the request, or could not convert an object.
    pub denied: u64,
    /// The calls without a judgement. The failure policy decided.
    pub failed: u64,
    /// The message of the last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
    /// The reason why this webhook does not judge now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ready: Option<String>,
}

/// The ends of a webhook's calls.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) allowed: AtomicU64,
    pub(crate) denied: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) last_failure: Mutex<Option<String>>,
}

impl Tally {
    pub(crate) fn judged(&self, allowed: bool) {
        let count = if allowed { &self.allowed } else { &self.denied };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self, message: &str) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        *self.last_failure.lock() = Some(message.to_owned());
    }
}
