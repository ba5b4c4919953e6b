//! Handles of single metrics. Only this module depends on the feature `metrics`.
//!
//! Expensive values are passed as closures, which are not called without the feature.

pub(crate) use self::handles::Mark;
pub(super) use self::handles::describe;
pub use self::handles::{Count, Level, MetricLabels, Timing};

#[cfg(feature = "metrics")]
mod handles {
    use std::fmt;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use ::metrics::{
        Counter, Gauge, Histogram, Key, KeyName, Label, Metadata, Recorder, Unit, with_recorder,
    };
    use tokio::time::Instant;

    #[cfg(feature = "metrics")]
    use crate::metrics::late;
    use crate::metrics::names::{Description, MetricKind};
    use crate::panic::catch;
    use crate::sync::Mutex;

    /// The labels of a stage's metrics. With the default, handles record nothing: the owner of a
    /// stage that is used alone asked for no metrics.
    #[derive(Clone, Debug, Default)]
    pub struct MetricLabels(Option<Vec<Label>>);

    impl MetricLabels {
        /// Returns these labels. `new(&[])` gives metrics without labels, not the default.
        pub fn new(labels: &[(&'static str, &str)]) -> Self {
            let label =
                |(label, value): &(&'static str, &str)| Label::new(*label, (*value).to_owned());
            Self(Some(labels.iter().map(label).collect()))
        }

        /// Returns these labels and one more; the default stays as it is.
        #[must_use]
        pub fn with(&self, label: &'static str, value: &str) -> Self {
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
            contained(|| {
                with_recorder(|recorder| {
                    #[cfg(feature = "metrics")]
                    if late::may_be_placeholder(recorder) {
                        return register(&late::LateRecorder(recorder), &key, &metadata);
                    }
                    register(recorder, &key, &metadata)
                })
            })
        }
    }

    /// Calls the recorder, which is user code. Its panic loses one value, but not the measured
    /// work. Returns `None` after a panic.
    fn contained<R>(call: impl FnOnce() -> R) -> Option<R> {
        catch(call).map_err(|message| report(&message)).ok()
    }

    /// Logs a recorder's panic. Not generic, because a `tracing` event is much code for each type.
    #[cold]
    fn report(message: &str) {
        // A subscriber may panic, too.
        let _told = catch(|| tracing::error!(message, "the metrics recorder panicked"));
    }

    /// A counter of events.
    pub struct Count(Counter);

    impl Count {
        /// Registers the metric.
        pub fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let counter =
                labels.register(name, |r, key, metadata| r.register_counter(key, metadata));
            Self(counter.unwrap_or_else(Counter::noop))
        }

        /// Adds this number.
        pub fn add(&self, times: u64) {
            if times > 0 {
                contained(|| self.0.increment(times));
            }
        }
    }

    /// A gauge of an amount. Owners with the same labels add up. Dropping a handle subtracts its
    /// share.
    pub struct Level {
        /// `None` if it records nothing: then the closure of [`set`](Self::set) is not called.
        gauge: Option<Gauge>,
        own: Mutex<usize>,
    }

    impl Level {
        /// Registers the metric, at zero.
        pub fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let gauge = labels.register(name, |r, key, metadata| r.register_gauge(key, metadata));
            // The metric exists from now on, at zero.
            if let Some(gauge) = &gauge {
                contained(|| gauge.increment(0.0));
            }
            Self { gauge, own: Mutex::new(0) }
        }

        /// Calls `level` under a lock, so that the later of two answers stays.
        pub fn set(&self, level: impl Fn() -> usize) {
            if let Some(gauge) = &self.gauge {
                self.change(gauge, &level);
            }
        }

        // Not generic, so that it is compiled once and not for each closure.
        fn change(&self, gauge: &Gauge, level: &dyn Fn() -> usize) {
            let mut own = self.own.lock();
            let now = level();
            let before = std::mem::replace(&mut *own, now);
            if now >= before {
                contained(|| gauge.increment(float(now - before)));
            } else {
                contained(|| gauge.decrement(float(before - now)));
            }
        }
    }

    impl Drop for Level {
        fn drop(&mut self) {
            self.set(|| 0);
        }
    }

    /// A gauge of a value that does not add up, such as a timestamp. The last write of all owners
    /// with the same labels wins.
    pub(crate) struct Mark(Gauge);

    impl Mark {
        pub(crate) fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let gauge = labels.register(name, |r, key, metadata| r.register_gauge(key, metadata));
            Self(gauge.unwrap_or_else(Gauge::noop))
        }

        /// Sets the value, if there is one.
        pub(crate) fn set(&self, value: impl FnOnce() -> Option<u64>) {
            if let Some(value) = value() {
                self.record(float(usize::try_from(value).unwrap_or(usize::MAX)));
            }
        }

        /// Sets the value to a duration, in seconds.
        pub(crate) fn set_duration(&self, value: impl FnOnce() -> Duration) {
            self.record(value().as_secs_f64());
        }

        /// Sets the value to zero, which means none.
        pub(crate) fn clear(&self) {
            self.record(0.0);
        }

        /// Sets the value to the current time, in seconds since 1970.
        pub(crate) fn set_to_now(&self) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            self.record(now.unwrap_or_default().as_secs_f64());
        }

        fn record(&self, value: f64) {
            contained(|| self.0.set(value));
        }
    }

    /// A histogram of durations.
    pub struct Timing(Histogram);

    /// The start of a duration.
    #[derive(Clone, Copy, Debug)]
    pub struct Stopwatch(Instant);

    impl Timing {
        /// Registers the metric.
        pub fn new(name: &'static str, labels: &MetricLabels) -> Self {
            let histogram =
                labels.register(name, |r, key, metadata| r.register_histogram(key, metadata));
            Self(histogram.unwrap_or_else(Histogram::noop))
        }

        /// Starts a duration.
        pub fn start(&self) -> Stopwatch {
            Stopwatch(Instant::now())
        }

        /// Records the time since the start.
        pub fn stop(&self, started: Stopwatch) {
            self.observe(|| Some(started.0.elapsed()));
        }

        /// Records one observation, if there is one.
        pub fn observe(&self, took: impl FnOnce() -> Option<Duration>) {
            if let Some(took) = took() {
                self.record(took);
            }
        }

        fn record(&self, took: Duration) {
            contained(|| self.0.record(took.as_secs_f64()));
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
        contained(|| {
            with_recorder(|recorder| match description.kind {
                MetricKind::Counter => recorder.describe_counter(name, unit, help),
                MetricKind::Gauge => recorder.describe_gauge(name, unit, help),
                MetricKind::Histogram => recorder.describe_histogram(name, unit, help),
            });
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
#[allow(clippy::unused_self, missing_docs, reason = "as with the feature, and empty")]
mod handles {
    use std::time::Duration;

    use crate::metrics::names::Description;

    #[derive(Clone, Debug, Default)]
    pub struct MetricLabels(());

    impl MetricLabels {
        pub fn new(_: &[(&'static str, &str)]) -> Self {
            Self(())
        }

        pub fn with(&self, _: &'static str, _: &str) -> Self {
            Self(())
        }
    }

    #[derive(Debug)]
    pub struct Count;

    impl Count {
        pub fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub fn add(&self, _: u64) {}
    }

    #[derive(Debug)]
    pub struct Level;

    impl Level {
        pub fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub fn set(&self, _: impl Fn() -> usize) {}
    }

    #[derive(Debug)]
    pub(crate) struct Mark;

    impl Mark {
        pub(crate) fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub(crate) fn set(&self, _: impl FnOnce() -> Option<u64>) {}

        pub(crate) fn set_duration(&self, _: impl FnOnce() -> Duration) {}

        pub(crate) fn clear(&self) {}

        pub(crate) fn set_to_now(&self) {}
    }

    #[derive(Debug)]
    pub struct Timing;

    #[derive(Clone, Copy, Debug)]
    pub struct Stopwatch;

    impl Timing {
        pub fn new(_: &'static str, _: &MetricLabels) -> Self {
            Self
        }

        pub fn start(&self) -> Stopwatch {
            Stopwatch
        }

        pub fn stop(&self, _: Stopwatch) {}

        pub fn observe(&self, _: impl FnOnce() -> Option<Duration>) {}
    }

    pub(in crate::metrics) fn describe(_: &Description) {}

    // Without the feature, handles add nothing to the size of a stage.
    const _: () = assert!(size_of::<(Count, Level, Mark, Timing, MetricLabels, Stopwatch)>() == 0);
}
