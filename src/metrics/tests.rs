#[path = "table_checks.rs"]
mod table_checks;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::table_checks::check_names;
use super::names::{DESCRIPTIONS, Description, MetricKind};

#[test]
fn names_follow_prometheus_conventions() {
    check_names(DESCRIPTIONS);
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
