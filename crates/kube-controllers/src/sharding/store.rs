//! The Leases of a group as an API server keeps them, for the simulation.

use std::sync::Arc;
use std::time::Duration;

use super::machine::{LeaseAnswer, Request, RequestFailure};
use super::view::{Member, Slot, View};
use kube_informer::object::ResourceVersion;

/// The stored Leases.
#[derive(Debug)]
pub(super) struct Store {
    version: u64,
    members: Vec<Member>,
    slots: Arc<[Option<Slot>]>,
    uids: u64,
    /// The duration of each stored member Lease, because a webhook caps it.
    pub(super) duration: Duration,
}

impl Store {
    pub(super) fn new(slots: usize) -> Self {
        let (slots, duration) = (vec![None; slots].into(), Duration::from_secs(15));
        Self { version: 1, members: Vec::new(), slots, uids: 0, duration }
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::new(View {
            version: self.version.into(),
            epoch: 0,
            members: self.members.clone().into(),
            slots: self.slots.clone(),
        })
    }

    fn next(&mut self) -> ResourceVersion {
        self.version += 1;
        self.version.into()
    }

    /// Executes a request as an API server does.
    pub(super) fn serve(&mut self, request: &Request, identity: &Arc<str>) -> LeaseAnswer {
        match request {
            Request::Join { name } => {
                if self.members.iter().any(|member| member.name == *name) {
                    return LeaseAnswer::Failed(RequestFailure::Conflict);
                }
                self.uids += 1;
                let member = Member {
                    name: name.clone(),
                    identity: identity.clone(),
                    uid: format!("u{}", self.uids).into(),
                    version: self.next(),
                    duration: self.duration,
                    leaving: false,
                };
                let at = self.members.partition_point(|other| other.identity <= member.identity);
                self.members.insert(at, member.clone());
                LeaseAnswer::Member(member)
            }
            Request::Renew { name, uid, version, leaving } => {
                let next = self.version + 1;
                let Some(member) = self.members.iter_mut().find(|member| member.name == *name)
                else {
                    return LeaseAnswer::Absent;
                };
                if member.uid != *uid || member.version != *version {
                    return LeaseAnswer::Failed(RequestFailure::Conflict);
                }
                (member.version, member.leaving) = (next.into(), *leaving);
                member.duration = self.duration;
                self.version = next;
                LeaseAnswer::Member(member.clone())
            }
            Request::Find { name } => {
                let found = self.members.iter().find(|member| member.name == *name);
                found.map_or(LeaseAnswer::Absent, |member| LeaseAnswer::Member(member.clone()))
            }
            Request::Delete { name, uid, version } => {
                let found = self.members.iter().position(|member| member.name == *name);
                let Some(found) = found else { return LeaseAnswer::Absent };
                let member = &self.members[found];
                if member.uid != *uid || version.as_ref().is_some_and(|v| *v != member.version) {
                    return LeaseAnswer::Failed(RequestFailure::Conflict);
                }
                self.members.remove(found);
                self.version += 1;
                LeaseAnswer::Absent
            }
            Request::Read { slot } | Request::Mark { slot, .. } => {
                self.slots[*slot].clone().map_or(LeaseAnswer::Absent, LeaseAnswer::Slot)
            }
            Request::Write { slot, base, session, transitions } => {
                let stored = self.slots[*slot].as_ref().map(|stored| &stored.version);
                if stored != base.as_ref() {
                    return LeaseAnswer::Failed(RequestFailure::Conflict);
                }
                let record = Slot {
                    version: self.next(),
                    session: session.clone(),
                    holder: session.as_ref().map(|_| identity.clone()),
                    transitions: *transitions,
                    doubtful: false,
                };
                let mut slots = self.slots.to_vec();
                slots[*slot] = Some(record.clone());
                self.slots = slots.into();
                LeaseAnswer::Slot(record)
            }
        }
    }
}
