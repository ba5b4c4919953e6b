//! The election record in a Lease.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, OwnerReference};
use k8s_openapi::jiff::Timestamp;
use kube::api::ObjectMeta;
use kube_decode::names::is_label_value;

use super::sent::Renewal;
use crate::lease::{renewal_after, rounded_up_seconds, whole_microseconds};
use crate::writing::owner_problem;
use kube_informer::object::NameRule;

/// The highest number of transitions that a Lease can store.
pub(super) const MOST_TRANSITIONS: u32 = i32::MAX.unsigned_abs();

/// The duration that a released Lease names, as client-go writes it.
pub(super) const RELEASED: Duration = Duration::from_secs(1);

/// The part of a Lease's spec that candidates write and read. If two records are equal, no renewal
/// came between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// The leader; `None` if the field is empty or absent.
    pub(super) holder: Option<Arc<str>>,
    /// The time for which others leave the lease alone after they saw it change.
    pub(super) duration: Option<Duration>,
    pub(super) acquired: Option<Timestamp>,
    pub(super) renewed: Option<Timestamp>,
    pub(super) transitions: u32,
}

/// The metadata of the Lease that every write sets. Labels and owners of others stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) owner: Option<OwnerReference>,
}

impl Marks {
    /// Returns the reason why a server would refuse them in every write.
    pub(super) fn problem(&self) -> Option<String> {
        let label = |(name, value): (&String, &String)| {
            let invalid = NameRule::Qualified.check("key of a label of the lease", name).err();
            invalid.map(|invalid| invalid.to_string()).or_else(|| {
                let reason = "must be empty, or at most 63 letters, digits, '-', '_' and '.', with \
                              a letter or digit at both ends";
                (!is_label_value(value)).then(|| {
                    format!("the label {name} of the lease has the value {value:?}, which {reason}")
                })
            })
        };
        let owner = |owner: &OwnerReference| {
            owner_problem(owner).map(|problem| format!("the owner of the lease has {problem}"))
        };
        self.labels.iter().find_map(label).or_else(|| self.owner.as_ref().and_then(owner))
    }

    fn write_to(&self, metadata: &mut ObjectMeta) {
        if !self.labels.is_empty() {
            metadata.labels.get_or_insert_default().extend(self.labels.clone());
        }
        if let Some(owner) = &self.owner {
            let owners = metadata.owner_references.get_or_insert_default();
            owners.retain(|one| one.uid != owner.uid);
            owners.push(owner.clone());
        }
    }
}

impl Record {
    pub(super) fn of(lease: &Lease) -> Self {
        let Some(spec) = &lease.spec else { return Self::default() };
        let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        Self {
            holder: spec
                .holder_identity
                .as_deref()
                .filter(|holder| !holder.is_empty())
                .map(Arc::from),
            duration: seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
            acquired: spec.acquire_time.as_ref().map(|time| time.0),
            renewed: spec.renew_time.as_ref().map(|time| time.0),
            transitions: spec.lease_transitions.and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        }
    }

    pub(super) fn is_held_by(&self, identity: &str) -> bool {
        self.holder.as_deref() == Some(identity)
    }

    /// Returns whether a leader has released the lease, as this crate and client-go do it. A
    /// person who clears the holder leaves the times as they are.
    pub(super) fn is_release(&self) -> bool {
        self.holder.is_none()
            && self.duration == Some(RELEASED)
            && self.acquired.is_some()
            && self.acquired == self.renewed
    }

    /// Returns the renewal that this record shows.
    pub(super) fn renewal(&self) -> Renewal {
        Renewal { at: self.renewed.map(whole_microseconds), transitions: self.transitions }
    }

    /// Returns a renewal time that differs from the last one even if the wall clock went back:
    /// every renewal must be seen as a change.
    pub(super) fn renewal_time(&self, wall: Timestamp) -> Timestamp {
        renewal_after(self.renewed, wall)
    }

    /// Writes the record into a Lease, and what marks it. Other fields of the Lease stay.
    pub(super) fn write_to(&self, lease: &mut Lease, marks: &Marks) {
        marks.write_to(&mut lease.metadata);
        let spec = lease.spec.get_or_insert_with(LeaseSpec::default);
        // An empty name, not an absent one: older readers of client-go expect the field.
        spec.holder_identity = Some(self.holder.as_deref().unwrap_or_default().to_owned());
        spec.lease_duration_seconds = self.duration.map(rounded_up_seconds);
        spec.acquire_time = self.acquired.map(MicroTime);
        spec.renew_time = self.renewed.map(MicroTime);
        spec.lease_transitions = Some(i32::try_from(self.transitions).unwrap_or(i32::MAX));
    }

    /// Returns a new Lease with this record.
    pub(super) fn into_lease(self, name: &str, marks: &Marks) -> Lease {
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let mut lease = Lease { metadata, spec: None };
        self.write_to(&mut lease, marks);
        lease
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_survives_a_round_trip() {
        let record = Record {
            holder: Some("a".into()),
            duration: Some(Duration::from_secs(15)),
            acquired: Some(Timestamp::from_microsecond(1_000_001).unwrap()),
            renewed: Some(Timestamp::from_microsecond(2_000_002).unwrap()),
            transitions: 3,
        };
        let json = serde_json::to_value(record.clone().into_lease("x", &Marks::default())).unwrap();
        assert_eq!(json["spec"]["renewTime"], "1970-01-01T00:00:02.000002Z");
        assert_eq!(json["spec"]["leaseDurationSeconds"], 15);
        let lease: Lease = serde_json::from_value(json).unwrap();
        assert_eq!(Record::of(&lease), record);
    }

    #[test]
    fn invalid_fields_count_as_absent() {
        let spec = LeaseSpec {
            holder_identity: Some(String::new()),
            lease_duration_seconds: Some(-1),
            lease_transitions: Some(-7),
            ..LeaseSpec::default()
        };
        let lease = Lease { spec: Some(spec), ..Lease::default() };
        assert_eq!(Record::of(&lease), Record::default());
        assert_eq!(Record::of(&Lease::default()), Record::default());
    }

    #[test]
    fn renewal_time_always_differs() {
        let at = |us| Timestamp::from_microsecond(us).unwrap();
        let record = Record { renewed: Some(at(100)), ..Record::default() };
        assert_eq!(record.renewal_time(at(500)), at(500));
        assert_eq!(record.renewal_time(at(100)), at(101));
        assert_eq!(record.renewal_time(at(7)), at(101));
        let last = Record { renewed: Some(Timestamp::MAX), ..Record::default() };
        assert_eq!(last.renewal_time(at(7)), at(7));
        // "Never", as it is read.
        let never = Record { renewed: "9999-12-30T22:00:00Z".parse().ok(), ..Record::default() };
        assert_eq!(never.renewal_time(at(7)), at(7));
        assert_eq!(Record::default().renewal_time(at(7)), at(7));
    }

    #[test]
    fn other_fields_of_a_lease_stay() {
        let mut lease = Lease::default();
        lease.metadata.labels = Some([("team".to_owned(), "shop".to_owned())].into());
        lease.metadata.resource_version = Some("7".into());
        let before = lease.metadata.clone();
        let record = Record { holder: Some("a".into()), ..Record::default() };
        record.write_to(&mut lease, &Marks::default());
        assert_eq!(lease.metadata, before);
        assert_eq!(lease.spec.as_ref().unwrap().holder_identity.as_deref(), Some("a"));
        let owner = OwnerReference { uid: "1".into(), ..OwnerReference::default() };
        let labels = [("app".to_owned(), "web".to_owned())].into();
        let marks = Marks { labels, owner: Some(owner) };
        record.write_to(&mut lease, &marks);
        record.write_to(&mut lease, &marks);
        assert_eq!(lease.metadata.labels.unwrap().len(), 2);
        assert_eq!(lease.metadata.owner_references.unwrap().len(), 1);
    }
}
