//! The record of each object's last apply.
//!
//! A record is valid only if no other apply of the object can have changed the server since. While
//! an apply is under way, its object has no record. If the answer to one of several overlapping
//! applies is lost, none of them leaves a record, because their order on the server is unknown.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::digest::Digest;
use super::hidden::Evidence;
use super::owned_fields::OwnedFields;
use crate::basics::Mutex;
use kube_informer::informer::ReadBarrier;
use kube_informer::object::{ObjectKey, ResourceVersion};

/// The number of records above which the first sweep looks for records of deleted objects.
const FIRST_SWEEP: usize = 64;

/// The maximum number of records that a sweep keeps of objects that the cache does not show yet.
const MOST_UNSEEN: usize = 65_536;

/// The parts of an object that are applied apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Section {
    /// All but the status.
    Main,
    Status,
}

/// The digests of a configuration and of the server's answer to it.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) uid: Option<String>,
    /// The version of the answer.
    pub(super) version: ResourceVersion,
    /// The epoch of the cache when the answer came. Versions of different epochs do not compare.
    pub(super) epoch: u64,
    /// The tenure in which this replica had the object's slot. Another replica may have applied the
    /// object between two tenures. `None` without a shard.
    pub(super) tenure: Option<u64>,
    /// The moment before the apply. Another replica may have applied the object before the running
    /// reconcile's term began.
    pub(super) begun: ReadBarrier,
    /// The digest of the configuration.
    pub(super) desired: Digest,
    /// The fields that the manager owned after the apply.
    pub(super) owned: Arc<OwnedFields>,
    /// The digest of these fields' names. `None` if the answer did not have them.
    pub(super) ownership: Option<Digest>,
    /// The values at these fields, or all that tells a change of them.
    pub(super) values: Evidence,
    /// True if `values` are those of the cached object at the answer's version.
    pub(super) confirmed: bool,
}

/// The part of a record that a sweep looks at.
pub(super) struct RecordedVersion {
    pub(super) uid: Option<String>,
    pub(super) version: ResourceVersion,
    pub(super) epoch: u64,
}

/// The state of a record's object, as the cache shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordState {
    Held,
    /// The cache does not hold the object, but lags behind the record.
    NotYet,
    Gone,
}

/// The records of one manager and one kind.
#[derive(Debug, Default)]
pub(super) struct Records(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    applies: HashMap<(ObjectKey, Section), Applies>,
    /// The fields of all records: objects of one controller mostly have the same.
    fields: HashMap<Digest, Weak<OwnedFields>>,
    limit: usize,
}

/// The applies of one section of one object.
#[derive(Debug, Default)]
struct Applies {
    /// The number of applies under way.
    in_flight: usize,
    /// True if the outcome of one of them is not known.
    lost: bool,
    /// The newest answer.
    record: Option<Record>,
}

impl Record {
    fn at(&self) -> RecordedVersion {
        let Self { uid, version, epoch, .. } = self;
        RecordedVersion { uid: uid.clone(), version: version.clone(), epoch: *epoch }
    }
}

impl Records {
    /// Returns the record of an object. `None` while an apply of it is under way.
    pub(super) fn get(&self, key: &ObjectKey, section: Section) -> Option<Record> {
        let table = self.0.lock();
        let applies = table.applies.get(&(key.clone(), section))?;
        applies.record.clone().filter(|_| applies.in_flight == 0)
    }

    /// Replaces the values of a record, unless the record has changed.
    pub(super) fn confirm(
        &self,
        key: &ObjectKey,
        section: Section,
        seen: &Record,
        values: Evidence,
    ) {
        let mut table = self.0.lock();
        let applies = table.applies.get_mut(&(key.clone(), section));
        let record = applies
            .filter(|applies| applies.in_flight == 0)
            .and_then(|applies| applies.record.as_mut());
        let same = |record: &&mut Record| record.version == seen.version && record.uid == seen.uid;
        if let Some(record) = record.filter(same) {
            (record.values, record.confirmed) = (values, true);
        }
    }

    /// Returns the shared form of a manager's fields.
    pub(super) fn share(
        &self,
        name: Digest,
        fields: impl FnOnce() -> OwnedFields,
    ) -> Arc<OwnedFields> {
        let mut table = self.0.lock();
        if let Some(known) = table.fields.get(&name).and_then(Weak::upgrade) {
            return known;
        }
        let fields = Arc::new(fields());
        table.fields.insert(name, Arc::downgrade(&fields));
        fields
    }

    /// Removes the record of an object and notes an apply that begins. `sight` returns the cache's
    /// view of an object, for the sweep.
    pub(super) fn begin(
        self: &Arc<Self>,
        key: &ObjectKey,
        section: Section,
        sight: impl Fn(&ObjectKey, &RecordedVersion) -> RecordState,
    ) -> InFlight {
        self.sweep(sight);
        let mut table = self.0.lock();
        let applies = table.applies.entry((key.clone(), section)).or_default();
        if applies.in_flight == 0 {
            applies.record = None;
        }
        applies.in_flight += 1;
        InFlight { records: self.clone(), of: (key.clone(), section), answered: false }
    }

    /// Removes all records, so that the next apply of each object is sent.
    pub(super) fn clear(&self) {
        let mut table = self.0.lock();
        table.applies.retain(|_, applies| applies.in_flight > 0);
        for applies in table.applies.values_mut() {
            applies.lost = true;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().applies.len()
    }

    /// Removes the records of objects that are gone, and those above the limit of objects that the
    /// cache does not show yet. Amortised O(1) a call.
    fn sweep(&self, sight: impl Fn(&ObjectKey, &RecordedVersion) -> RecordState) {
        let candidates: Vec<_> = {
            let table = self.0.lock();
            if table.applies.len() < table.limit.max(FIRST_SWEEP) {
                return;
            }
            let idle = table.applies.iter().filter(|(_, applies)| applies.in_flight == 0);
            idle.filter_map(|(at, applies)| Some((at.clone(), applies.record.as_ref()?.at())))
                .collect()
        };
        // Without the lock, because reading a uid may run the object's own code.
        let mut unseen = 0;
        let gone = candidates.into_iter().filter(|((key, _), record)| match sight(key, record) {
            RecordState::Held => false,
            RecordState::NotYet => {
                unseen += 1;
                unseen > MOST_UNSEEN
            }
            RecordState::Gone => true,
        });
        let gone: Vec<_> = gone.map(|(at, _)| at).collect();
        let mut table = self.0.lock();
        for at in gone {
            if table.applies.get(&at).is_some_and(|applies| applies.in_flight == 0) {
                table.applies.remove(&at);
            }
        }
        table.fields.retain(|_, fields| fields.strong_count() > 0);
        table.limit = FIRST_SWEEP + 2 * table.applies.len();
    }
}

/// An apply that is under way. If it is dropped before [`answered`](Self::answered), its outcome
/// counts as unknown.
pub(super) struct InFlight {
    records: Arc<Records>,
    of: (ObjectKey, Section),
    answered: bool,
}

impl InFlight {
    /// Notes the answer. Of overlapping applies, the newest answer stays.
    pub(super) fn answered(mut self, record: Record) {
        self.answered = true;
        let mut table = self.records.0.lock();
        let Some(applies) = table.applies.get_mut(&self.of) else { return };
        match &applies.record {
            Some(other)
                if other.uid == record.uid && record.version.is_older_than(&other.version) => {}
            Some(other)
                if other.uid != record.uid || !record.version.is_at_least(&other.version) =>
            {
                // Their order on the server is unknown.
                applies.lost = true;
            }
            _ => applies.record = Some(record),
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut table = self.records.0.lock();
        let Some(applies) = table.applies.get_mut(&self.of) else { return };
        applies.lost |= !self.answered;
        applies.in_flight -= 1;
        if applies.in_flight > 0 {
            return;
        }
        if std::mem::take(&mut applies.lost) {
            applies.record = None;
        }
        if applies.record.is_none() {
            table.applies.remove(&self.of);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::namespaced("shop", name).unwrap()
    }

    fn record(version: u64, desired: &Value) -> Record {
        Record {
            uid: Some("u".into()),
            version: version.into(),
            epoch: 0,
            tenure: None,
            begun: ReadBarrier::START,
            desired: Digest::of(desired),
            owned: Arc::default(),
            ownership: None,
            values: Evidence::Fields(Digest::of(&json!(1))),
            confirmed: false,
        }
    }

    fn begin(records: &Arc<Records>, name: &str) -> InFlight {
        records.begin(&key(name), Section::Main, |_, _| RecordState::Held)
    }

    fn desired(records: &Records) -> Option<Digest> {
        records.get(&key("a"), Section::Main).map(|record| record.desired)
    }

    #[test]
    fn newest_of_overlapping_answers_stays() {
        let records = Arc::new(Records::default());
        let (one, other) = (begin(&records, "a"), begin(&records, "a"));
        other.answered(record(6, &json!("other")));
        assert_eq!(desired(&records), None, "one is under way");
        one.answered(record(5, &json!("one")));
        assert_eq!(desired(&records), Some(Digest::of(&json!("other"))));
    }

    #[test]
    fn lost_answer_leaves_no_record() {
        let records = Arc::new(Records::default());
        begin(&records, "a").answered(record(5, &json!(1)));
        drop(begin(&records, "a"));
        assert_eq!(desired(&records), None, "the old record may not be true any more");
        let (one, lost) = (begin(&records, "a"), begin(&records, "a"));
        drop(lost);
        one.answered(record(6, &json!(1)));
        assert_eq!(desired(&records), None, "the lost one may have come last");
        assert_eq!(records.len(), 0);
    }

    #[test]
    fn records_of_gone_objects_are_swept() {
        let records = Arc::new(Records::default());
        for n in 0..1000 {
            let name = format!("a-{n}");
            let sight = |key: &ObjectKey, _: &RecordedVersion| {
                if key.name().ends_with('0') { RecordState::Held } else { RecordState::Gone }
            };
            records.begin(&key(&name), Section::Main, sight).answered(record(n, &json!(n)));
        }
        assert!((100..400).contains(&records.len()), "{}", records.len());
        records.clear();
        assert_eq!(records.len(), 0);
    }

    #[test]
    fn records_of_unseen_objects_are_bounded() {
        let records = Arc::new(Records::default());
        for n in 0..3 * MOST_UNSEEN as u64 {
            let sight = |_: &ObjectKey, _: &RecordedVersion| RecordState::NotYet;
            let flight = records.begin(&key(&format!("a-{n}")), Section::Main, sight);
            flight.answered(record(n, &json!(1)));
            if n < MOST_UNSEEN as u64 {
                assert_eq!(records.len() as u64, n + 1);
            }
        }
        // A sweep runs when the records have doubled.
        assert!(records.len() <= 2 * MOST_UNSEEN + FIRST_SWEEP, "{}", records.len());
    }
}
