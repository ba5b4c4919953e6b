//! What a Lease says about who leads, apart from the object that carries it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::api::ObjectMeta;

/// The part of a Lease's spec that candidates write and read. Two equal records mean that nobody
/// renewed in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Who leads; nobody where it is empty or absent.
    pub(super) holder: Option<Arc<str>>,
    /// For how long others have to leave the lease alone after they saw it change.
    pub(super) duration: Option<Duration>,
    pub(super) acquired: Option<Timestamp>,
    pub(super) renewed: Option<Timestamp>,
    pub(super) transitions: u32,
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

    /// A time to renew at that differs from the last one even where the wall clock went back:
    /// every renewal has to be seen as a change.
    pub(super) fn renewal_time(&self, wall: Timestamp) -> Timestamp {
        let tick = SignedDuration::from_micros(1);
        let after = self.renewed.and_then(|last| last.checked_add(tick).ok());
        after.map_or(wall, |after| after.max(wall))
    }

    /// Writes itself into a Lease; what else that has stays.
    pub(super) fn write_to(&self, lease: &mut Lease) {
        let spec = lease.spec.get_or_insert_with(LeaseSpec::default);
        // An empty name, not an absent one: client-go's older readers expect the field.
        spec.holder_identity = Some(self.holder.as_deref().unwrap_or_default().to_owned());
        spec.lease_duration_seconds = self.duration.map(whole_seconds);
        spec.acquire_time = self.acquired.map(MicroTime);
        spec.renew_time = self.renewed.map(MicroTime);
        spec.lease_transitions = Some(i32::try_from(self.transitions).unwrap_or(i32::MAX));
    }

    /// A new Lease that says this.
    pub(super) fn into_lease(self, name: &str) -> Lease {
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let mut lease = Lease { metadata, spec: None };
        self.write_to(&mut lease);
        lease
    }
}

/// Rounded up: others may wait too long, never too short.
fn whole_seconds(duration: Duration) -> i32 {
    let up = u64::from(duration.subsec_nanos() > 0);
    i32::try_from(duration.as_secs().saturating_add(up)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_the_way_through_a_lease() {
        let record = Record {
            holder: Some("a".into()),
            duration: Some(Duration::from_secs(15)),
            acquired: Some(Timestamp::from_microsecond(1_000_001).unwrap()),
            renewed: Some(Timestamp::from_microsecond(2_000_002).unwrap()),
            transitions: 3,
        };
        let json = serde_json::to_value(record.clone().into_lease("x")).unwrap();
        assert_eq!(json["spec"]["renewTime"], "1970-01-01T00:00:02.000002Z");
        assert_eq!(json["spec"]["leaseDurationSeconds"], 15);
        let lease: Lease = serde_json::from_value(json).unwrap();
        assert_eq!(Record::of(&lease), record);
    }

    #[test]
    fn nonsense_in_a_lease_is_as_good_as_absent() {
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
    fn a_duration_is_written_in_whole_seconds_never_too_short() {
        assert_eq!(whole_seconds(Duration::from_secs(15)), 15);
        assert_eq!(whole_seconds(Duration::from_millis(1_001)), 2);
        assert_eq!(whole_seconds(Duration::from_nanos(1)), 1);
        assert_eq!(whole_seconds(Duration::MAX), i32::MAX);
    }

    #[test]
    fn a_renewal_differs_from_the_last_one_whatever_the_wall_clock_does() {
        let at = |us| Timestamp::from_microsecond(us).unwrap();
        let record = Record { renewed: Some(at(100)), ..Record::default() };
        assert_eq!(record.renewal_time(at(500)), at(500));
        assert_eq!(record.renewal_time(at(100)), at(101));
        assert_eq!(record.renewal_time(at(7)), at(101));
        let last = Record { renewed: Some(Timestamp::MAX), ..Record::default() };
        assert_eq!(last.renewal_time(at(7)), at(7));
        assert_eq!(Record::default().renewal_time(at(7)), at(7));
    }

    #[test]
    fn what_else_a_lease_has_stays() {
        let mut lease = Lease::default();
        lease.metadata.labels = Some([("team".to_owned(), "shop".to_owned())].into());
        lease.metadata.resource_version = Some("7".into());
        let before = lease.metadata.clone();
        Record { holder: Some("a".into()), ..Record::default() }.write_to(&mut lease);
        assert_eq!(lease.metadata, before);
        assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some("a"));
    }
}
