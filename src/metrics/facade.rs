//! Handles of single metrics. The one place that knows whether the feature is on.
//!
//! Values are given as closures where they cost something: without the feature nobody calls them.

pub(super) use self::chosen::describe;
pub(crate) use self::chosen::{Count, Level, Mark, MetricLabels, Timing};

#[cfg(feature = "metrics")]
mod chosen {
    use std::fmt;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use ::metrics::{
        Counter, Gauge, Histogram, Key, KeyName, Label, Metadata, Recorder, Unit, with_recorder,
    };
    use tokio::time::Instant;

    use crate::metrics::names::{Description, Kind};
    use crate::sync::Mutex;

    /// What tells a stage's metrics from those of others. Without any, a stage's handles lead
    /// nowhere: it is used alone, and its owner did not ask for metrics.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct MetricLabels(Option<Vec<Label>>);

    impl MetricLabels {
        /// These. Metrics with no labels at all would be `new([])`.
        pub(crate) fn new<const N: usize>(labels: [(&'static str, &str); N]) -> Self {
            let label = |(label, value): (&'static str, &str)| Label::new(label, value.to_owned());
            Self(Some(labels.into_iter().map(label).collect()))
        }

        /// These and one more. Where there are none, none.
        pub(crate) fn with(&self, label: &'static str, value: &str) -> Self {
            let mut labels = self.clone();
            if let Some(labels) = &mut labels.0 {
                labels.push(Label::new(label, value.to_owned()));
            }
            labels
        }

        fn register<H>(
            &self,
            name: &'static str,
            register: impl FnOnce(&dyn Recorder, &Key, &Metadata<'_>) -> H,
        ) -> Option<H> {
            let labels = self.0.clone()?;
            let metadata =
                Metadata::new(module_path!(), ::metrics::Level::INFO, Some(module_path!()));
            let key = Key::from_parts(name, labels);
            Some(with_recorder(|recorder| register(recorder, &key, &metadata)))
        }
    }

    /// How often something happened.
    pub(crate) struct Count(Counter);

    impl Count {
        pub(crate) fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let counter =
                labels.register(name, |r, key, metadata| r.register_counter(key, metadata));
            Self(counter.unwrap_or_else(Counter::noop))
        }

        pub(crate) fn add(&self, times: u64) {
            if times > 0 {
                self.0.increment(times);
            }
        }
    }

    /// How much there is of something. Owners with the same labels add up, and what one had is taken
    /// off when it goes.
    pub(crate) struct Level {
        /// `None` where it leads nowhere: then nobody asks how much there is.
        gauge: Option<Gauge>,
        own: Mutex<usize>,
    }

    impl Level {
        pub(crate) fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let gauge = labels.register(name, |r, key, metadata| r.register_gauge(key, metadata));
            // It is there from now on, at nothing.
            if let Some(gauge) = &gauge {
                gauge.increment(0.0);
            }
            Self { gauge, own: Mutex::new(0) }
        }

        /// `level` is asked one caller at a time, so that of two the later answer stands.
        pub(crate) fn set(&self, level: impl FnOnce() -> usize) {
            let Some(gauge) = &self.gauge else { return };
            let mut own = self.own.lock();
            let level = level();
            let before = std::mem::replace(&mut *own, level);
            if level >= before {
                gauge.increment(float(level - before));
            } else {
                gauge.decrement(float(before - level));
            }
        }
    }

    impl Drop for Level {
        fn drop(&mut self) {
            self.set(|| 0);
        }
    }

    /// A value that is nobody's share of anything, such as a moment. Of owners with the same labels
    /// the last word stands.
    pub(crate) struct Mark(Gauge);

    impl Mark {
        pub(crate) fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let gauge = labels.register(name, |r, key, metadata| r.register_gauge(key, metadata));
            Self(gauge.unwrap_or_else(Gauge::noop))
        }

        /// Sets it, where there is something to set it to.
        pub(crate) fn set(&self, value: impl FnOnce() -> Option<u64>) {
            if let Some(value) = value() {
                self.0.set(float(usize::try_from(value).unwrap_or(usize::MAX)));
            }
        }

        /// Sets it to so many seconds.
        pub(crate) fn set_duration(&self, value: impl FnOnce() -> Duration) {
            self.0.set(value().as_secs_f64());
        }

        /// Sets it to the present moment, in seconds since 1970.
        pub(crate) fn set_to_now(&self) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            self.0.set(now.unwrap_or_default().as_secs_f64());
        }
    }

    /// How long something takes.
    pub(crate) struct Timing(Histogram);

    /// Since when it takes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Stopwatch(Instant);

    impl Timing {
        pub(crate) fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let histogram =
                labels.register(name, |r, key, metadata| r.register_histogram(key, metadata));
            Self(histogram.unwrap_or_else(Histogram::noop))
        }

        #[expect(clippy::unused_self, reason = "as without the feature")]
        pub(crate) fn start(&self) -> Stopwatch {
            Stopwatch(Instant::now())
        }

        pub(crate) fn stop(&self, started: Stopwatch) {
            self.observe(|| Some(started.0.elapsed()));
        }

        /// One observation, where there is something to observe.
        pub(crate) fn observe(&self, took: impl FnOnce() -> Option<Duration>) {
            if let Some(took) = took() {
                self.0.record(took.as_secs_f64());
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "nothing counted here comes near 2^53")]
    fn float(value: usize) -> f64 {
        value as f64
    }

    pub(in crate::metrics) fn describe(description: &Description) {
        let name = KeyName::from_const_str(description.name);
        let unit = description.name.ends_with("_seconds").then_some(Unit::Seconds);
        let help = description.help.into();
        with_recorder(|recorder| match description.kind {
            Kind::Counter => recorder.describe_counter(name, unit, help),
            Kind::Gauge => recorder.describe_gauge(name, unit, help),
            Kind::Histogram => recorder.describe_histogram(name, unit, help),
        });
    }

    macro_rules! debug {
        ($($handle:ident),*) => {$(
            impl fmt::Debug for $handle {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(stringify!($handle))
                }
            }
        )*};
    }
    debug!(Count, Level, Mark, Timing);
}

#[cfg(not(feature = "metrics"))]
#[allow(clippy::unused_self, reason = "as with the feature")]
mod chosen {
    use std::time::Duration;

    use crate::metrics::names::Description;

    #[derive(Clone, Debug, Default)]
    pub(crate) struct MetricLabels(());

    impl MetricLabels {
        pub(crate) fn new<const N: usize>(_: [(&'static str, &str); N]) -> Self {
            Self(())
        }

        pub(crate) fn with(&self, _: &'static str, _: &str) -> Self {
            Self(())
        }
    }

    #[derive(Debug)]
    pub(crate) struct Count;

    impl Count {
        pub(crate) fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub(crate) fn add(&self, _: u64) {}
    }

    #[derive(Debug)]
    pub(crate) struct Level;

    impl Level {
        pub(crate) fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub(crate) fn set(&self, _: impl FnOnce() -> usize) {}
    }

    #[derive(Debug)]
    pub(crate) struct Mark;

    impl Mark {
        pub(crate) fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub(crate) fn set(&self, _: impl FnOnce() -> Option<u64>) {}

        pub(crate) fn set_duration(&self, _: impl FnOnce() -> Duration) {}

        pub(crate) fn set_to_now(&self) {}
    }

    #[derive(Debug)]
    pub(crate) struct Timing;

    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Stopwatch;

    impl Timing {
        pub(crate) fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub(crate) fn start(&self) -> Stopwatch {
            Stopwatch
        }

        pub(crate) fn stop(&self, _: Stopwatch) {}

        pub(crate) fn observe(&self, _: impl FnOnce() -> Option<Duration>) {}
    }

    pub(in crate::metrics) fn describe(_: &Description) {}

    // Without the feature a stage is no larger for its handles.
    const _: () = assert!(size_of::<(Count, Level, Mark, Timing, MetricLabels, Stopwatch)>() == 0);
}
