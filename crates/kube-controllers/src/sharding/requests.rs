//! The requests that the state machine asks for, each with a timeout.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, GetParams, PostParams, Preconditions};
use kube::{Api, Client};
use serde_json::Value;

use super::error::MembershipError;
use super::machine::{LeaseAnswer, Request, RequestFailure, Rules, Subject};
use super::record::{self, Record};
use crate::lease::{
    LeaseError, LeaseFault, LeaseVerb, attempt, checked, checked_write, found, written,
};
use kube_informer::seams::ask;

/// The answer to a request, with the parts that the driver keeps.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) id: u64,
    pub(super) subject: Subject,
    pub(super) answer: LeaseAnswer,
    /// The Lease as the server has it now.
    pub(super) lease: Option<Lease>,
    pub(super) error: Option<MembershipError>,
    /// The verb of a request that was to change the Lease.
    pub(super) write: Option<LeaseVerb>,
    /// True if the error shows that another write was earlier.
    pub(super) raced: bool,
}

/// A client for the Leases of a group.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    api: Api<Lease>,
    rules: Arc<Rules>,
    namespace: Arc<str>,
}

impl Requests {
    pub(super) fn new(client: Client, namespace: Arc<str>, rules: Arc<Rules>) -> Self {
        Self { api: Api::namespaced(client, &namespace), rules, namespace }
    }

    /// Sends a request. `lease` is the Lease that it writes, if it writes one.
    pub(super) async fn send(
        self,
        id: u64,
        subject: Subject,
        request: Request,
        lease: Option<Lease>,
    ) -> Answered {
        let name = match &request {
            Request::Join { name }
            | Request::Renew { name, .. }
            | Request::Find { name }
            | Request::Delete { name, .. } => name.to_string(),
            Request::Read { slot } | Request::Write { slot, .. } | Request::Mark { slot, .. } => {
                record::slot_name(&self.rules.group, *slot)
            }
        };
        let verb = match &request {
            Request::Join { .. } | Request::Write { base: None, .. } => LeaseVerb::Create,
            Request::Renew { .. } | Request::Write { .. } | Request::Mark { .. } => {
                LeaseVerb::Update
            }
            Request::Find { .. } | Request::Read { .. } => LeaseVerb::Get,
            Request::Delete { .. } => LeaseVerb::Delete,
        };
        let of_slot = matches!(subject, Subject::Slot(_));
        let full: Arc<str> = format!("{}/{name}", self.namespace).into();
        let asking = self.ask(verb, &name, &full, request, lease);
        let mut raced = false;
        let (answer, lease, error) =
            match attempt(verb, &full, self.rules.times.request_timeout(), asking).await {
                Ok(None) => (LeaseAnswer::Absent, None, None),
                Ok(Some(lease)) => {
                    let group = self.rules.group.clone();
                    let (answer, error) = match record::read(&lease, &self.rules, &self.namespace) {
                        Ok(Record::Member(member)) => (LeaseAnswer::Member(member), None),
                        Ok(Record::Slot(_, slot)) => (LeaseAnswer::Slot(slot), None),
                        Ok(Record::Unmarked(version)) => (LeaseAnswer::Unmarked(version), None),
                        // The watch shows it to the driver, which reports it.
                        Ok(Record::Ended) => (LeaseAnswer::Absent, None),
                        Ok(Record::Foreign) if of_slot => {
                            let error = MembershipError::disturbed(format!(
                                "lease {full} has the name of a slot of group {group} and is not \
                                 the group's, so the slot has no owner: delete that lease, or give \
                                 this group another name"
                            ));
                            (LeaseAnswer::Foreign, Some(error))
                        }
                        // A person rewrote the Lease. The watch shows it, too.
                        Ok(Record::UnknownRole | Record::Foreign) | Err(_) => {
                            (LeaseAnswer::Failed(RequestFailure::Unknown), None)
                        }
                    };
                    (answer, Some(lease), error)
                }
                Err(error) => {
                    let answer = answer(verb, &error);
                    raced = !matches!(
                        answer,
                        LeaseAnswer::Failed(
                            RequestFailure::Refused
                                | RequestFailure::Throttled(_)
                                | RequestFailure::Unknown
                        )
                    );
                    (answer, None, Some(error.into()))
                }
            };
        let write = (!matches!(verb, LeaseVerb::Get | LeaseVerb::Delete)).then_some(verb);
        Answered { id, subject, answer, lease, error, write, raced }
    }

    async fn ask(
        &self,
        verb: LeaseVerb,
        name: &str,
        full: &str,
        request: Request,
        lease: Option<Lease>,
    ) -> kube::Result<Option<Lease>> {
        let params = PostParams::default();
        let answer = match (verb, lease) {
            (LeaseVerb::Create, Some(lease)) => {
                let body = written(&lease)?;
                let answer = ask(&self.api, |request| request.create(&params, body)).await?;
                return checked_write(answer, &lease, full).map(Some);
            }
            (LeaseVerb::Update, Some(lease)) => {
                let body = written(&lease)?;
                let answer = ask(&self.api, |request| request.replace(name, &params, body)).await?;
                return checked_write(answer, &lease, full).map(Some);
            }
            (LeaseVerb::Delete, _) => {
                let Request::Delete { uid, version, .. } = request else { return Ok(None) };
                let preconditions = Preconditions {
                    uid: Some(uid.to_string()),
                    resource_version: version.map(|version| version.to_string()),
                };
                let params = DeleteParams {
                    preconditions: Some(preconditions),
                    grace_period_seconds: Some(0),
                    ..DeleteParams::default()
                };
                let _answer: Value =
                    ask(&self.api, |request| request.delete(name, &params)).await?;
                None
            }
            _ => found(ask(&self.api, |request| request.get(name, &GetParams::default())).await)?,
        };
        answer.map(|lease| checked(lease, full)).transpose()
    }
}

/// Returns the answer of a failed request.
fn answer(verb: LeaseVerb, error: &LeaseError) -> LeaseAnswer {
    match (verb, error.status()) {
        (_, Some(429)) => {
            let seconds = match error.fault() {
                LeaseFault::Refused(status) => status.details.as_ref(),
                _ => None,
            };
            let seconds = seconds.map_or(0, |details| details.retry_after_seconds);
            LeaseAnswer::Failed(RequestFailure::Throttled(Duration::from_secs(seconds.into())))
        }
        // A read conflicts with nothing.
        (LeaseVerb::Get, Some(409)) | (_, Some(408)) => {
            LeaseAnswer::Failed(RequestFailure::Unknown)
        }
        (_, Some(409)) => LeaseAnswer::Failed(RequestFailure::Conflict),
        (LeaseVerb::Create, Some(404)) => LeaseAnswer::Failed(RequestFailure::Refused),
        (_, Some(404)) => LeaseAnswer::Absent,
        (_, Some(400..500)) => LeaseAnswer::Failed(RequestFailure::Refused),
        _ => LeaseAnswer::Failed(RequestFailure::Unknown),
    }
}
