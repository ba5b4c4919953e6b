use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::names::{DESCRIPTIONS, Description, MetricKind};

#[test]
fn names_follow_prometheus_conventions() {
    check_names(&DESCRIPTIONS);
}

#[test]
fn table_lists_every_metric_once_with_its_kind() {
    check_table(include_str!("names.rs"), include_str!("mod.rs"), &DESCRIPTIONS);
}

pub(crate) fn check_names(descriptions: &[Description]) {
    let names: BTreeSet<_> = descriptions.iter().map(|description| description.name).collect();
    assert_eq!(names.len(), descriptions.len(), "described once");
    for description in descriptions {
        let name = description.name;
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert_eq!(description.kind == MetricKind::Counter, name.ends_with("_total"), "{name}");
        assert!(description.kind != MetricKind::Histogram || name.ends_with("_seconds"), "{name}");
        assert!(description.help.ends_with('.'), "{name}");
    }
}

/// Compares the table "All metrics" of `table` with the constants of `names`. Both are read from
/// the source, because no code holds them.
pub(crate) fn check_table(names: &str, table: &str, descriptions: &[Description]) {
    let constants = names.split("\npub const ").skip(1);
    let constants = constants.filter_map(|text| {
        let (constant, text) = text.split_once(": &str =")?;
        let name = text.split('"').nth(1).expect("the name's text");
        let of_name = descriptions.iter().find(|description| description.name == name);
        let kind = of_name.map(|description| format!("{:?}", description.kind).to_lowercase());
        Some((constant.to_owned(), kind.unwrap_or_else(|| panic!("{constant} has no description"))))
    });
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let rows = rows.map(|row| {
        let (constant, cells) = row.split_once("`] | ").expect("a row's first cell");
        let (kind, _) = cells.split_once(" | ").expect("a row's second cell");
        (constant.to_owned(), kind.to_owned())
    });
    let (constants, rows): (Vec<_>, Vec<_>) = (constants.collect(), rows.collect());
    assert_eq!(constants.len(), descriptions.len());
    assert_eq!(rows, constants, "the table \"All metrics\" has one row for each, in their order");
}

#[cfg(feature = "metrics")]
mod handles {
    use std::sync::Weak;
    use std::sync::atomic::{AtomicU64, Ordering};

    use ::metrics::{
        Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
        with_local_recorder,
    };
    use parking_lot::Mutex;

    use super::*;
    use crate::metrics::{Count, Level, Mark, MetricLabels};

    /// Holds metrics weakly, so that a metric is gone with its owner.
    #[derive(Default)]
    struct WeakRecorder(Mutex<BTreeMap<String, Weak<AtomicU64>>>);

    impl WeakRecorder {
        fn get(&self, key: &Key) -> Arc<AtomicU64> {
            let labels: Vec<_> =
                key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let name = format!("{} {}", key.name(), labels.join(","));
            let mut values = self.0.lock();
            if let Some(value) = values.get(&name).and_then(Weak::upgrade) {
                return value;
            }
            let value = Arc::default();
            values.insert(name, Arc::downgrade(&value));
            value
        }

        fn read(&self) -> BTreeMap<String, u64> {
            let values = self.0.lock();
            let alive = values.iter().filter_map(|(name, value)| Some((name, value.upgrade()?)));
            alive.map(|(name, value)| (name.clone(), value.load(Ordering::Relaxed))).collect()
        }
    }

    impl Recorder for WeakRecorder {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.get(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.get(key))
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    fn bits(value: f64) -> u64 {
        value.to_bits()
    }

    #[test]
    fn levels_add_up_and_are_subtracted_on_drop() {
        let recorder = WeakRecorder::default();
        let labels = MetricLabels::new(&[("name", "a")]);
        let level = || with_local_recorder(&recorder, || Level::new("level", &labels));
        let (one, other) = (level(), level());
        one.set(|| 5);
        other.set(|| 3);
        one.set(|| 4);
        assert_eq!(recorder.read(), [("level name=a".to_owned(), bits(7.0))].into());
        drop(one);
        assert_eq!(recorder.read(), [("level name=a".to_owned(), bits(3.0))].into());
        drop(other);
        assert!(recorder.read().is_empty(), "gone");
    }

    #[test]
    fn concurrent_levels_keep_the_last_value() {
        let recorder = WeakRecorder::default();
        let level = with_local_recorder(&recorder, || Level::new("level", &MetricLabels::new(&[])));
        let truth = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        truth.fetch_add(1, Ordering::SeqCst);
                        level.set(|| usize::try_from(truth.load(Ordering::SeqCst)).unwrap());
                    }
                });
            }
        });
        assert_eq!(recorder.read()["level "], bits(4000.0));
    }

    #[test]
    fn counts_add_up_and_marks_ignore_none() {
        let recorder = WeakRecorder::default();
        let labels = MetricLabels::new(&[]).with("cause", "x");
        with_local_recorder(&recorder, || {
            let (count, mark) = (Count::new("count", &labels), Mark::new("mark", &labels));
            count.add(2);
            count.add(0);
            mark.set(|| Some(9));
            mark.set(|| None);
            let read = recorder.read();
            assert_eq!((read["count cause=x"], read["mark cause=x"]), (2, bits(9.0)));
            let nowhere = Count::new("unasked", &MetricLabels::default().with("cause", "x"));
            nowhere.add(1);
            assert_eq!(recorder.read().len(), 2, "without labels nothing is registered");
        });
    }
}
