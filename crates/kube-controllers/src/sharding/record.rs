//! Leases as records, and records as Leases.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;

use super::error::{MembershipError, ShardingError};
use super::machine::{Request, Rules};
use super::view::{Member, Slot, View};
use crate::lease::{renewal_after, rounded_up_seconds};
use kube_informer::indexer::Snapshot;
use kube_informer::object::{ObjectKey, ResourceVersion};

/// The label of all Leases of a group. Its value is the group.
pub(super) const GROUP: &str = "kube-informer.dev/sharding";
/// The label that distinguishes member Leases from slot Leases.
const ROLE: &str = "kube-informer.dev/sharding-role";
/// The annotation with the number of slots and the field that divides objects.
const CONFIGURATION: &str = "kube-informer.dev/sharding-configuration";
/// The annotation with the index of a slot.
const SLOT: &str = "kube-informer.dev/sharding-slot";
/// The annotation with the uid of the member Lease of a slot's holder.
const SESSION: &str = "kube-informer.dev/sharding-session";
/// The annotation of a member that leaves.
const LEAVING: &str = "kube-informer.dev/sharding-leaving";

/// Returns the name of a member Lease.
pub(super) fn member_name(group: &str, unique: u64) -> Arc<str> {
    format!("{group}-member-{unique:016x}").into()
}

/// Returns the name of a slot Lease.
pub(super) fn slot_name(group: &str, slot: usize) -> String {
    format!("{group}-slot-{slot}")
}

/// A Lease of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Member(Member),
    Slot(usize, Slot),
    /// A slot Lease without the group's label, which the watch does not show.
    Unmarked(ResourceVersion),
    /// A member Lease that was deleted and stays because of its finalizers.
    Ended,
    /// A Lease with the group's label and an unknown role.
    UnknownRole,
    /// A Lease that is none of these.
    Foreign,
}

/// A reader of Leases as records. It remembers them, because most stay as they are.
#[derive(Debug, Default)]
pub(super) struct Reader {
    known: HashMap<ObjectKey, (Arc<Lease>, Record)>,
    /// The problems of Leases, seen since the last look. True if one explains the loss of a
    /// session.
    pub(super) problems: Vec<(bool, MembershipError)>,
}

impl Reader {
    /// Returns the view of a snapshot. `last` is the last view, whose parts are shared if they are
    /// the same.
    pub(super) fn view(
        &mut self,
        leases: &Snapshot<Lease>,
        rules: &Rules,
        namespace: &str,
        last: Option<&View>,
    ) -> Result<View, ShardingError> {
        let mut known = HashMap::with_capacity(leases.len());
        let mut members = Vec::new();
        let mut slots = vec![None; rules.slots];
        for (key, lease) in leases.iter() {
            let (record, told) = match self.known.remove(key) {
                Some((before, record)) if Arc::ptr_eq(&before, &lease) => (record, true),
                before => {
                    let record = read(&lease, rules, namespace)?;
                    let told = before.is_some_and(|(_, before)| before == record);
                    (record, told)
                }
            };
            let (group, name) = (&rules.group, key.name());
            match &record {
                Record::Ended if !told => self.problems.push((
                    true,
                    MembershipError::disturbed(format!(
                        "member lease {namespace}/{name} of group {group} was deleted and stays \
                         because of its finalizers: remove them"
                    )),
                )),
                Record::UnknownRole if !told => self.problems.push((
                    false,
                    MembershipError::disturbed(format!(
                        "lease {namespace}/{name} has the label of group {group} and an unknown \
                         role, so it is ignored: remove the label, or the lease"
                    )),
                )),
                _ => {}
            }
            match &record {
                Record::Member(member) => members.push(member.clone()),
                Record::Slot(slot, record) => slots[*slot] = Some(record.clone()),
                Record::Unmarked(_) | Record::Ended | Record::UnknownRole | Record::Foreign => {}
            }
            known.insert(key.clone(), (lease, record));
        }
        self.known = known;
        members.sort_by(|one, two| (&one.identity, &one.uid).cmp(&(&two.identity, &two.uid)));
        let unreadable = leases.unreadable() > 0;
        for slot in slots.iter_mut().flatten() {
            slot.doubtful = unreadable;
        }
        let share = last.map(|last| last.slots.clone()).filter(|last| **last == *slots);
        Ok(View {
            version: leases.version().cloned().unwrap_or(ResourceVersion::ANY),
            epoch: leases.epoch(),
            members: members.into(),
            slots: share.unwrap_or_else(|| slots.into()),
        })
    }
}

/// Returns the configuration as it is written in Leases.
fn configuration(rules: &Rules) -> String {
    format!("slots={} by={}", rules.slots, rules.by.name())
}

/// Reads a Lease.
///
/// # Errors
/// Returns an error if the Lease has another configuration, or a version without an order.
pub(super) fn read(lease: &Lease, rules: &Rules, namespace: &str) -> Result<Record, ShardingError> {
    let metadata = &lease.metadata;
    let (Some(name), Some(uid), Some(version)) =
        (&metadata.name, &metadata.uid, &metadata.resource_version)
    else {
        return Ok(Record::Foreign);
    };
    let note = |key: &str| {
        let annotations = metadata.annotations.as_ref()?;
        annotations.get(key).map(String::as_str).filter(|value| !value.is_empty())
    };
    let spec = lease.spec.as_ref();
    let slot = slot_of_name(name, rules);
    let found = note(CONFIGURATION);
    if found.is_none() && !slot.is_some_and(|_| is_ours(lease)) {
        // The Lease of another program.
        return Ok(Record::Foreign);
    }
    let role = metadata.labels.as_ref().and_then(|labels| labels.get(ROLE));
    let is_named = slot.is_some() || name.starts_with(&format!("{}-member-", rules.group));
    if !is_named && role.is_some_and(|role| !["member", "slot"].contains(&&**role)) {
        return Ok(Record::UnknownRole);
    }
    let own = configuration(rules);
    if let Some(found) = found.filter(|found| *found != own) {
        return Err(ShardingError::OtherConfiguration {
            group: rules.group.clone(),
            lease: format!("{namespace}/{name}").into(),
            found: found.into(),
            own: own.into(),
        });
    }
    let (text, version) = (version, ResourceVersion::from(version.as_str()));
    if version.compare(&version).is_none() {
        return Err(ShardingError::OpaqueVersion {
            lease: format!("{namespace}/{name}").into(),
            version: text.as_str().into(),
        });
    }
    let holder = spec.and_then(|spec| spec.holder_identity.as_deref());
    let holder: Option<Arc<str>> = holder.filter(|holder| !holder.is_empty()).map(Arc::from);
    let Some(slot) = slot else {
        if note(SLOT).is_some() {
            return Ok(Record::Foreign);
        }
        // All replicas, including its own, treat its session as ended.
        if metadata.deletion_timestamp.is_some() {
            return Ok(Record::Ended);
        }
        let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        return Ok(Record::Member(Member {
            name: name.as_str().into(),
            identity: holder.unwrap_or_else(|| name.as_str().into()),
            uid: uid.as_str().into(),
            version,
            duration: seconds.map_or(rules.times.duration, Duration::from_secs),
            leaving: note(LEAVING).is_some(),
        }));
    };
    let label = metadata.labels.as_ref().and_then(|labels| labels.get(GROUP));
    if label.is_none_or(|label| *label != *rules.group) {
        return Ok(Record::Unmarked(version));
    }
    let transitions = spec.and_then(|spec| spec.lease_transitions).unwrap_or(0);
    let record = Slot {
        version,
        session: note(SESSION).map(Arc::from),
        holder,
        transitions: u32::try_from(transitions).unwrap_or(0),
        doubtful: false,
    };
    Ok(Record::Slot(slot, record))
}

/// Returns the slot whose Lease has this name.
fn slot_of_name(name: &str, rules: &Rules) -> Option<usize> {
    let number = name.strip_prefix(&*rules.group)?.strip_prefix("-slot-")?;
    let slot = number.parse().ok().filter(|slot| *slot < rules.slots)?;
    (name == slot_name(&rules.group, slot)).then_some(slot)
}

/// Returns whether a replica of the group wrote a Lease that has the name of a slot's. Such a Lease
/// has one of the marks, or the fields of a slot Lease. Leases of elections are renewed and have a
/// duration.
fn is_ours(lease: &Lease) -> bool {
    let Lease { metadata, spec } = lease;
    let labels = metadata.labels.iter().flatten().map(|(key, _)| key);
    let mut marks = labels.chain(metadata.annotations.iter().flatten().map(|(key, _)| key));
    let marked = marks.any(|key| [GROUP, ROLE, CONFIGURATION, SLOT, SESSION].contains(&&**key));
    marked
        || spec.as_ref().is_some_and(|spec| {
            spec.lease_transitions.is_some()
                && spec.renew_time.is_none()
                && spec.lease_duration_seconds.is_none()
        })
}

/// Returns the Lease that a request writes. `base` is the Lease that it replaces, as far as known.
/// Its other labels, annotations and fields stay.
pub(super) fn write(
    request: &Request,
    base: Option<Lease>,
    rules: &Rules,
    wall: Timestamp,
) -> Option<Lease> {
    let mut lease = base.unwrap_or_default();
    let metadata = &mut lease.metadata;
    let labels = metadata.labels.get_or_insert_with(BTreeMap::new);
    labels.insert(GROUP.to_owned(), rules.group.to_string());
    let notes = metadata.annotations.get_or_insert_with(BTreeMap::new);
    notes.insert(CONFIGURATION.to_owned(), configuration(rules));
    let spec = lease.spec.get_or_insert_with(LeaseSpec::default);
    match request {
        Request::Join { name } => {
            labels.insert(ROLE.to_owned(), "member".to_owned());
            metadata.name = Some(name.to_string());
            spec.acquire_time = Some(MicroTime(wall));
            renew(spec, rules, wall);
        }
        Request::Renew { name, uid, version, leaving } => {
            labels.insert(ROLE.to_owned(), "member".to_owned());
            if *leaving {
                notes.insert(LEAVING.to_owned(), "true".to_owned());
            } else {
                notes.remove(LEAVING);
            }
            metadata.name = Some(name.to_string());
            metadata.uid = Some(uid.to_string());
            metadata.resource_version = Some(version.to_string());
            renew(spec, rules, wall);
        }
        Request::Write { slot, base, session, transitions } => {
            labels.insert(ROLE.to_owned(), "slot".to_owned());
            notes.insert(SLOT.to_owned(), slot.to_string());
            notes.insert(SESSION.to_owned(), session.as_deref().unwrap_or_default().to_owned());
            metadata.name = Some(slot_name(&rules.group, *slot));
            metadata.resource_version = base.as_ref().map(ResourceVersion::to_string);
            let holder = session.as_ref().map_or("", |_| &*rules.identity);
            spec.holder_identity = Some(holder.to_owned());
            spec.lease_transitions = Some(i32::try_from(*transitions).unwrap_or(i32::MAX));
            if session.is_some() {
                spec.acquire_time = Some(MicroTime(wall));
            }
        }
        Request::Mark { slot, .. } => {
            labels.insert(ROLE.to_owned(), "slot".to_owned());
            notes.insert(SLOT.to_owned(), slot.to_string());
            // Without a session, the holder has noticed that its slot is lost.
            if notes.entry(SESSION.to_owned()).or_default().is_empty() {
                spec.holder_identity = Some(String::new());
            }
        }
        Request::Find { .. } | Request::Delete { .. } | Request::Read { .. } => return None,
    }
    Some(lease)
}

/// Writes the fields that a renewal changes.
fn renew(spec: &mut LeaseSpec, rules: &Rules, wall: Timestamp) {
    let last = spec.renew_time.as_ref().map(|time| time.0);
    spec.renew_time = Some(MicroTime(renewal_after(last, wall)));
    spec.holder_identity = Some(rules.identity.to_string());
    spec.lease_duration_seconds = Some(rounded_up_seconds(rules.times.duration));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Times;
    use crate::sharding::slots::ShardBy;

    fn rules() -> Rules {
        Rules {
            group: "orders".into(),
            identity: "me".into(),
            by: ShardBy::Namespace,
            slots: 12,
            times: Times { duration: Duration::from_millis(14_001), ..Times::default() },
            grace: Duration::from_secs(25),
            abandons_blocked: false,
        }
    }

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_microsecond(micros).unwrap()
    }

    /// Returns the Lease as a server stores it.
    fn stored(request: &Request, base: Option<Lease>) -> Lease {
        let mut lease = write(request, base, &rules(), at(5)).unwrap();
        lease.metadata.uid.get_or_insert_with(|| "u1".to_owned());
        lease.metadata.resource_version = Some("7".to_owned());
        lease
    }

    fn joined() -> Lease {
        stored(&Request::Join { name: member_name("orders", 0xab) }, None)
    }

    #[test]
    fn members_survive_a_round_trip() {
        let read = |lease: &Lease| read(lease, &rules(), "shop").unwrap();
        let mut member = Member {
            name: "orders-member-00000000000000ab".into(),
            identity: "me".into(),
            uid: "u1".into(),
            version: 7.into(),
            duration: Duration::from_secs(15),
            leaving: false,
        };
        let lease = joined();
        assert_eq!(read(&lease), Record::Member(member.clone()));
        assert_eq!(lease.metadata.labels.as_ref().unwrap()[GROUP], "orders");
        member.leaving = true;
        let (name, uid) = (member.name.clone(), member.uid.clone());
        let renewal = Request::Renew { name, uid, version: 6.into(), leaving: true };
        assert_eq!(read(&stored(&renewal, Some(lease))), Record::Member(member));
    }

    #[test]
    fn slots_survive_a_round_trip() {
        for session in [Some("u9"), None] {
            let session: Option<Arc<str>> = session.map(Arc::from);
            let holder = session.as_ref().map(|_| "me".into());
            let record = Slot {
                version: 7.into(),
                session: session.clone(),
                holder,
                transitions: 3,
                doubtful: false,
            };
            let request = Request::Write { slot: 11, base: None, session, transitions: 3 };
            let lease = stored(&request, None);
            assert_eq!(read(&lease, &rules(), "shop").unwrap(), Record::Slot(11, record));
        }
    }

    #[test]
    fn renewal_changes_the_time_and_nothing_foreign() {
        let mut lease = joined();
        lease.metadata.labels.as_mut().unwrap().insert("team".to_owned(), "shop".to_owned());
        let (name, uid) = ("orders-member-00000000000000ab".into(), "u1".into());
        let renewal = Request::Renew { name, uid, version: 7.into(), leaving: false };
        // The wall clock went back.
        let renewed = write(&renewal, Some(lease), &rules(), at(2)).unwrap();
        let spec = renewed.spec.unwrap();
        assert_eq!(spec.renew_time, Some(MicroTime(at(6))));
        assert_eq!(spec.acquire_time, Some(MicroTime(at(5))));
        assert_eq!(renewed.metadata.labels.unwrap()["team"], "shop");
        assert_eq!(renewed.metadata.resource_version.as_deref(), Some("7"));
    }

    #[test]
    fn unusable_leases_are_told_apart() {
        let lease = joined();
        let mut other = rules();
        other.by = ShardBy::Uid;
        let error = read(&lease, &other, "shop").unwrap_err();
        assert!(matches!(error, ShardingError::OtherConfiguration { .. }));
        let mut opaque = lease;
        opaque.metadata.resource_version = Some("b4f2".to_owned());
        let error = read(&opaque, &rules(), "shop").unwrap_err();
        assert!(matches!(error, ShardingError::OpaqueVersion { .. }));
        let request = Request::Write { slot: 3, base: None, session: None, transitions: 0 };
        let slot = stored(&request, None);
        let renamed = |name: &str| {
            let mut lease = slot.clone();
            lease.metadata.name = Some(name.to_owned());
            read(&lease, &rules(), "shop").unwrap()
        };
        assert_eq!(renamed("orders-slot-12"), Record::Foreign);
        assert_eq!(renamed("orders-slot-03"), Record::Foreign);
        assert!(matches!(renamed("orders-slot-4"), Record::Slot(4, _)));
    }

    #[test]
    fn slot_without_marks_is_known_by_its_fields() {
        let read = |lease: &Lease| read(lease, &rules(), "shop").unwrap();
        let session: Option<Arc<str>> = Some("u9".into());
        let request = Request::Write { slot: 3, base: None, session, transitions: 2 };
        let whole = stored(&request, None);
        let mut lease = whole.clone();
        lease.metadata.annotations = None;
        let Record::Slot(3, slot) = read(&lease) else { panic!("{lease:?}") };
        assert_eq!((slot.session, slot.holder.as_deref()), (None, Some("me")));
        lease.metadata.labels = None;
        assert_eq!(read(&lease), Record::Unmarked(7.into()));
        let mark = Request::Mark { slot: 3, base: 7.into() };
        let marked = stored(&mark, Some(lease.clone()));
        let Record::Slot(3, slot) = read(&marked) else { panic!("{marked:?}") };
        assert_eq!((slot.session, slot.holder), (None, None));
        let mut lost = whole;
        lost.metadata.labels = None;
        let marked = stored(&mark, Some(lost));
        let Record::Slot(3, slot) = read(&marked) else { panic!("{marked:?}") };
        assert_eq!((slot.session.as_deref(), slot.holder.as_deref()), (Some("u9"), Some("me")));
        lease.spec.as_mut().unwrap().renew_time = Some(MicroTime(at(1)));
        assert_eq!(read(&lease), Record::Foreign);
    }

    #[test]
    fn lease_of_an_unknown_role_is_ignored() {
        let mut lease = joined();
        let role = |lease: &mut Lease| {
            lease.metadata.labels.as_mut().unwrap().insert(ROLE.to_owned(), "strange".to_owned());
        };
        role(&mut lease);
        assert!(matches!(read(&lease, &rules(), "shop"), Ok(Record::Member(_))), "by its name");
        lease.metadata.name = Some("other".to_owned());
        let mut other = rules();
        other.slots += 1;
        for rules in [rules(), other] {
            assert_eq!(read(&lease, &rules, "shop").unwrap(), Record::UnknownRole);
        }
    }

    #[test]
    fn deleted_member_lease_is_no_member() {
        let mut lease = joined();
        lease.metadata.deletion_timestamp =
            Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(at(9)));
        assert_eq!(read(&lease, &rules(), "shop").unwrap(), Record::Ended);
    }
}
