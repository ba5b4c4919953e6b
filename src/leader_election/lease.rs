//! Sends the requests that the state machine asks for, each with a timeout.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};

use super::error::{LeaseError, LeaseVerb};
use super::machine::{Outcome, Step};
use crate::panic;

/// The outcome of a step, and the error to report.
pub(super) type StepResult = (Outcome, Option<LeaseError>);

/// A client for one Lease.
#[derive(Clone, Debug)]
pub(super) struct LeaseClient {
    api: Api<Lease>,
    name: Arc<str>,
    /// `namespace/name`
    lease: Arc<str>,
    timeout: Duration,
}

impl LeaseClient {
    pub(super) fn new(client: Client, namespace: &str, name: Arc<str>, timeout: Duration) -> Self {
        let lease = format!("{namespace}/{name}").into();
        Self { api: Api::namespaced(client, namespace), name, lease, timeout }
    }

    pub(super) fn lease(&self) -> &Arc<str> {
        &self.lease
    }

    /// Returns the timeout of a request.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Performs a step. Steps that end a term complete at once.
    pub(super) fn perform(&self, step: Step) -> BoxFuture<'static, StepResult> {
        let this = self.clone();
        Box::pin(async move {
            match step {
                Step::Wait(delay) => {
                    tokio::time::sleep(delay).await;
                    (Outcome::Waited, None)
                }
                Step::Get => {
                    let asked = this.api.get_opt(&this.name);
                    let got = |lease: Option<Lease>| Outcome::Got(lease.map(Box::new));
                    this.ask(LeaseVerb::Get, asked, got).await
                }
                Step::Create(lease) => {
                    let params = PostParams::default();
                    let asked = this.api.create(&params, &lease);
                    this.ask(LeaseVerb::Create, asked, written).await
                }
                Step::Replace(lease) => {
                    let params = PostParams::default();
                    let asked = this.api.replace(&this.name, &params, &lease);
                    this.ask(LeaseVerb::Update, asked, written).await
                }
                Step::Lost(_) | Step::Released => (Outcome::Waited, None),
            }
        })
    }

    async fn ask<T>(
        &self,
        verb: LeaseVerb,
        request: impl Future<Output = kube::Result<T>>,
        outcome: impl FnOnce(T) -> Outcome,
    ) -> StepResult {
        let request = panic::catch_async(request);
        let error = match tokio::time::timeout(self.timeout, request).await {
            Ok(Ok(Ok(answer))) => return (outcome(answer), None),
            Ok(Ok(Err(error))) => LeaseError::new(verb, &self.lease, error),
            Ok(Err(message)) => LeaseError::panicked(verb, &self.lease, &message),
            Err(_) => LeaseError::timed_out(verb, &self.lease, self.timeout),
        };
        (Outcome::Failed(error.failure()), Some(error))
    }
}

fn written(lease: Lease) -> Outcome {
    Outcome::Written(Box::new(lease))
}
