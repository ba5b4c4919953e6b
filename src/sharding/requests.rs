//! Sends the requests that the state machine asks for, each with a timeout.

use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::{Api, Client};

use super::machine::{Answer, Failure, Request, Rules, Subject};
use super::record::{self, Record};
use crate::leader_election::{LeaseError, LeaseVerb, attempt};

/// The answer to a request, with what the driver keeps of it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) id: u64,
    pub(super) subject: Subject,
    pub(super) answer: Answer,
    /// The Lease as the server has it now.
    pub(super) lease: Option<Lease>,
    pub(super) error: Option<LeaseError>,
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
            Request::Read { slot } | Request::Write { slot, .. } => {
                record::slot_name(&self.rules.group, *slot)
            }
        };
        let verb = match &request {
            Request::Join { .. } | Request::Write { base: None, .. } => LeaseVerb::Create,
            Request::Renew { .. } | Request::Write { .. } => LeaseVerb::Update,
            Request::Find { .. } | Request::Read { .. } => LeaseVerb::Get,
            Request::Delete { .. } => LeaseVerb::Delete,
        };
        let asking = self.ask(verb, &name, request, lease);
        let full = format!("{}/{name}", self.namespace).into();
        let (answer, lease, error) = match attempt(verb, &full, self.rules.timeout(), asking).await
        {
            Ok(None) => (Answer::Absent, None, None),
            Ok(Some(lease)) => {
                let answer = match record::read(&lease, &self.rules, &self.namespace) {
                    Ok(Record::Member(member)) => Answer::Member(member),
                    Ok(Record::Slot(_, slot)) => Answer::Slot(slot),
                    // Somebody rewrote the Lease by hand. The watch shows it, too.
                    Ok(Record::Foreign) | Err(_) => Answer::Failed(Failure::Unknown),
                };
                (answer, Some(lease), None)
            }
            Err(error) => {
                let answer = answer(verb, error.status());
                let failed = matches!(answer, Answer::Failed(Failure::Refused | Failure::Unknown));
                (answer, None, failed.then_some(error))
            }
        };
        Answered { id, subject, answer, lease, error }
    }

    async fn ask(
        &self,
        verb: LeaseVerb,
        name: &str,
        request: Request,
        lease: Option<Lease>,
    ) -> kube::Result<Option<Lease>> {
        let params = PostParams::default();
        match (verb, lease) {
            (LeaseVerb::Create, Some(lease)) => self.api.create(&params, &lease).await.map(Some),
            (LeaseVerb::Update, Some(lease)) => {
                self.api.replace(name, &params, &lease).await.map(Some)
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
                self.api.delete(name, &params).await.map(|_| None)
            }
            _ => self.api.get_opt(name).await,
        }
    }
}

/// Returns the answer of a failed request.
fn answer(verb: LeaseVerb, status: Option<u16>) -> Answer {
    match (verb, status) {
        (_, Some(409)) => Answer::Failed(Failure::Conflict),
        (LeaseVerb::Create, Some(404)) => Answer::Failed(Failure::Refused),
        (_, Some(404)) => Answer::Absent,
        (_, Some(408)) => Answer::Failed(Failure::Unknown),
        (_, Some(400..500)) => Answer::Failed(Failure::Refused),
        _ => Answer::Failed(Failure::Unknown),
    }
}
