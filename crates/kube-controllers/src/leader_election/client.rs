//! The requests that the state machine asks for, each with a timeout.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{GetParams, PostParams};
use kube::{Api, Client};

use super::machine::{RequestFailure, Step, StepOutcome};
use crate::lease::{LeaseError, LeaseVerb, attempt, checked, checked_write, found, written};
use kube_informer::seams::ask;

/// The outcome of a step, and the error to report.
pub(super) type StepResult = (StepOutcome, Option<LeaseError>);

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
                    (StepOutcome::Waited, None)
                }
                Step::Get => {
                    let asked = async {
                        let params = GetParams::default();
                        let lease = ask(&this.api, |request| request.get(&this.name, &params));
                        found(lease.await)?.map(|lease| checked(lease, &this.lease)).transpose()
                    };
                    let got = |lease: Option<Lease>| StepOutcome::Got(lease.map(Box::new));
                    this.ask(LeaseVerb::Get, asked, got).await
                }
                Step::Create(lease) => {
                    let params = PostParams::default();
                    let asked = async {
                        let body = written(&lease)?;
                        let answer = ask(&this.api, |request| request.create(&params, body)).await;
                        checked_write(answer?, &lease, &this.lease)
                    };
                    this.ask(LeaseVerb::Create, asked, stored).await
                }
                Step::Replace(lease) => {
                    let params = PostParams::default();
                    let asked = async {
                        let body = written(&lease)?;
                        let request =
                            ask(&this.api, |request| request.replace(&this.name, &params, body));
                        checked_write(request.await?, &lease, &this.lease)
                    };
                    this.ask(LeaseVerb::Update, asked, stored).await
                }
                Step::Lost(_) | Step::Released => (StepOutcome::Waited, None),
            }
        })
    }

    async fn ask<T>(
        &self,
        verb: LeaseVerb,
        request: impl Future<Output = kube::Result<T>>,
        outcome: impl FnOnce(T) -> StepOutcome,
    ) -> StepResult {
        match attempt(verb, &self.lease, self.timeout, request).await {
            Ok(answer) => (outcome(answer), None),
            Err(error) => (StepOutcome::Failed(failure(&error)), Some(error)),
        }
    }
}

fn stored(lease: Lease) -> StepOutcome {
    StepOutcome::Written(Box::new(lease))
}

fn failure(error: &LeaseError) -> RequestFailure {
    match (error.verb(), error.status()) {
        (_, Some(409)) | (LeaseVerb::Update, Some(404)) => RequestFailure::Conflict,
        _ => RequestFailure::Other,
    }
}
