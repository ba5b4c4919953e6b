//! A recorder of the `metrics` facade that renders Prometheus's text format.
//!
//! It holds the metrics of informers and controllers weakly: one whose owner has ended is gone from
//! the next text, and begins at zero if it is registered again. It keeps a program's other metrics,
//! because the facade's macros drop a handle after each use.
//!
//! `metrics-exporter-prometheus` would save 300 lines, for 13 more crates and 25 s to compile on
//! one core. It forgets a metric that is idle, not one whose owner has ended.

use std::collections::HashMap;
use std::fmt::{self, Display, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use ::metrics::atomics::AtomicU64;
use ::metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
// Not `basics::Mutex`: a process has one recorder, which outlives each schedule of the unit tests.
use parking_lot::Mutex;

use crate::controller::metrics as names;
use kube_informer::metrics::{self, MetricKind};
use kube_informer::seams::VecMap;

/// The upper bounds of buckets, in seconds: for times within the process, which are short.
const SHORT: [f64; 11] =
    [0.000_01, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];

/// The upper bounds of buckets, in seconds: client-go's for work queues.
const QUEUE: [f64; 11] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1_000.0];

/// The upper bounds of buckets, in seconds: controller-runtime's for reconciles, with fewer steps.
const RECONCILE: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

/// The upper bounds of the buckets of a program's other histograms: those of Prometheus's clients.
const OTHER: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The number of a family's series at which those of dropped handles are first removed.
const FIRST_PRUNING: usize = 1_024;

/// A recorder of the [`metrics`](https://docs.rs/metrics) facade whose metrics are read as text.
///
/// A manager's server installs one, unless [`metrics_from`](crate::Serve::metrics_from) says where
/// its text comes from. To serve the text from another server, install one yourself, before
/// informers and controllers are created.
///
/// The metrics of an informer, handler, queue or controller are left out once it is gone.
/// Metrics that the program registers stay. Histograms have fixed buckets: client-go's for work
/// queues, controller-runtime's for reconciles, and those of Prometheus's clients for a program's
/// own. Clones share the metrics.
///
/// ```
/// use kube_controllers::manager::serve::Prometheus;
///
/// let prometheus = Prometheus::new();
/// metrics::set_global_recorder(prometheus.clone())?;
/// kube_controllers::controller::metrics::describe();
///
/// metrics::counter!("orders_total").increment(1);
/// assert!(prometheus.render().ends_with("# TYPE orders_total counter\norders_total 1\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Prometheus(Arc<Mutex<Families>>);

#[derive(Default)]
struct Families {
    of: VecMap<Arc<str>, Family>,
    help: VecMap<Arc<str>, Arc<str>>,
}

/// The series of one name.
struct Family {
    kind: MetricKind,
    /// The series by their labels.
    series: HashMap<Arc<str>, Series>,
    /// The number of series at which those of dropped handles are removed.
    limit: usize,
}

struct Series {
    value: Weak<Value>,
    /// The same value, if it stays when nobody else holds it.
    _kept: Option<Arc<Value>>,
}

/// The value of a series: a count, a float, or observations in buckets.
struct Value {
    /// The count of a counter. The bits of a gauge's float, or of the sum of a histogram.
    number: AtomicU64,
    bounds: &'static [f64],
    /// The observations of each bucket, and of the rest. Empty unless it is a histogram.
    buckets: Box<[AtomicU64]>,
}

impl Value {
    fn new(kind: MetricKind, name: &str) -> Self {
        let bounds: &[f64] = match name {
            "informer_processing_latency_seconds" | "kube_informer_handler_lag_seconds" => &SHORT,
            "workqueue_queue_duration_seconds" | "workqueue_work_duration_seconds" => &QUEUE,
            "controller_runtime_reconcile_time_seconds" => &RECONCILE,
            _ => &OTHER,
        };
        let buckets = if kind == MetricKind::Histogram { bounds.len() + 1 } else { 0 };
        let buckets = (0..buckets).map(|_| AtomicU64::new(0)).collect();
        Self { number: AtomicU64::new(0), bounds, buckets }
    }

    fn float(&self) -> f64 {
        f64::from_bits(self.number.load(Ordering::Acquire))
    }
}

impl CounterFn for Value {
    fn increment(&self, value: u64) {
        CounterFn::increment(&self.number, value);
    }

    fn absolute(&self, value: u64) {
        CounterFn::absolute(&self.number, value);
    }
}

impl GaugeFn for Value {
    fn increment(&self, value: f64) {
        GaugeFn::increment(&self.number, value);
    }

    fn decrement(&self, value: f64) {
        GaugeFn::decrement(&self.number, value);
    }

    fn set(&self, value: f64) {
        GaugeFn::set(&self.number, value);
    }
}

impl HistogramFn for Value {
    fn record(&self, value: f64) {
        // NaN is above every bound. A sum that has it never shows a number again.
        let bucket = self.bounds.iter().position(|bound| value <= *bound);
        if let Some(bucket) = self.buckets.get(bucket.unwrap_or(self.bounds.len())) {
            bucket.fetch_add(1, Ordering::Relaxed);
            GaugeFn::increment(&self.number, if value.is_nan() { 0.0 } else { value });
        }
    }
}

impl Prometheus {
    /// Creates a recorder without metrics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all metrics in Prometheus's text format, version 0.0.4. O(n log n).
    #[must_use]
    pub fn render(&self) -> String {
        let mut families = self.0.lock();
        families.of.retain(|_, family| family.prune());
        let of_name = |(name, family): &(Arc<str>, Family)| {
            let help = families.help.get(name).cloned().unwrap_or_default();
            (name.clone(), help, family.kind, family.living())
        };
        let all: Vec<_> = families.of.iter().map(of_name).collect();
        // Registrations do not wait for the text.
        drop(families);
        let mut text = String::new();
        for (name, help, kind, mut series) in all {
            series.sort_by(|(one, _), (other, _)| one.cmp(other));
            // Nothing can fail that writes to a string.
            let _ = write_family(&mut text, &name, &help, kind, &series);
        }
        text
    }

    /// Returns the value of a series. `None` if the name belongs to a metric of another kind.
    fn value(&self, kind: MetricKind, key: &Key) -> Option<Arc<Value>> {
        let name = valid_name(key.name());
        let mut labels: Vec<(String, String)> = Vec::new();
        for label in key.labels() {
            let label_name = valid_label(label.key(), kind);
            // A name that comes twice would be invalid.
            if labels.iter().all(|(known, _)| *known != label_name) {
                labels.push((label_name, escaped(label.value()).replace('"', "\\\"")));
            }
        }
        let labels = labels.iter().map(|(name, value)| format!("{name}=\"{value}\""));
        let labels: Arc<str> = labels.collect::<Vec<_>>().join(",").into();
        let own = metrics::DESCRIPTIONS.iter().chain(names::DESCRIPTIONS).any(|of| of.name == name);
        let mut families = self.0.lock();
        let empty = || Family { kind, series: HashMap::new(), limit: FIRST_PRUNING };
        let family = families.of.get_or_insert_with(name.as_str().into(), empty);
        if family.kind != kind {
            return None;
        }
        if let Some(value) = family.series.get(&labels).and_then(|series| series.value.upgrade()) {
            return Some(value);
        }
        if family.series.len() >= family.limit {
            family.prune();
            family.limit = FIRST_PRUNING.max(2 * family.series.len());
        }
        let value = Arc::new(Value::new(kind, &name));
        let kept = (!own).then(|| value.clone());
        family.series.insert(labels, Series { value: Arc::downgrade(&value), _kept: kept });
        Some(value)
    }

    fn describe(&self, name: &KeyName, help: &str) {
        self.0.lock().help.insert(valid_name(name.as_str()).into(), escaped(help).into());
    }
}

impl fmt::Debug for Prometheus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families = self.0.lock().of.iter().len();
        f.debug_struct("Prometheus").field("families", &families).finish_non_exhaustive()
    }
}

impl Recorder for Prometheus {
    fn describe_counter(&self, name: KeyName, _: Option<Unit>, help: SharedString) {
        self.describe(&name, &help);
    }

    fn describe_gauge(&self, name: KeyName, _: Option<Unit>, help: SharedString) {
        self.describe(&name, &help);
    }

    fn describe_histogram(&self, name: KeyName, _: Option<Unit>, help: SharedString) {
        self.describe(&name, &help);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        self.value(MetricKind::Counter, key).map_or_else(Counter::noop, Counter::from_arc)
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        self.value(MetricKind::Gauge, key).map_or_else(Gauge::noop, Gauge::from_arc)
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        self.value(MetricKind::Histogram, key).map_or_else(Histogram::noop, Histogram::from_arc)
    }
}

impl Family {
    /// Removes the series that nobody holds. Returns whether any is left.
    fn prune(&mut self) -> bool {
        self.series.retain(|_, series| series.value.strong_count() > 0);
        !self.series.is_empty()
    }

    /// Returns the values in no order, with their labels.
    fn living(&self) -> Vec<(Arc<str>, Arc<Value>)> {
        let living = |(labels, series): (&Arc<str>, &Series)| {
            Some((labels.clone(), series.value.upgrade()?))
        };
        self.series.iter().filter_map(living).collect()
    }
}

fn write_family(
    text: &mut String,
    name: &str,
    help: &str,
    kind: MetricKind,
    series: &[(Arc<str>, Arc<Value>)],
) -> fmt::Result {
    if !help.is_empty() {
        writeln!(text, "# HELP {name} {help}")?;
    }
    writeln!(text, "# TYPE {name} {}", format!("{kind:?}").to_lowercase())?;
    for (labels, value) in series {
        match kind {
            MetricKind::Counter => {
                write_sample(text, name, labels, value.number.load(Ordering::Acquire))?;
            }
            MetricKind::Gauge => write_sample(text, name, labels, value.float())?,
            MetricKind::Histogram => write_histogram(text, name, labels, value)?,
        }
    }
    Ok(())
}

fn write_histogram(text: &mut String, name: &str, labels: &str, value: &Value) -> fmt::Result {
    let (comma, mut count) = (if labels.is_empty() { "" } else { "," }, 0);
    let bounds = value.bounds.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
    for (bound, bucket) in bounds.zip(&value.buckets) {
        count += bucket.load(Ordering::Relaxed);
        writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {count}")?;
    }
    write_sample(text, &format!("{name}_sum"), labels, value.float())?;
    write_sample(text, &format!("{name}_count"), labels, count)
}

fn write_sample(text: &mut String, name: &str, labels: &str, value: impl Display) -> fmt::Result {
    if labels.is_empty() {
        writeln!(text, "{name} {value}")
    } else {
        writeln!(text, "{name}{{{labels}}} {value}")
    }
}

/// Replaces the characters that a name may not have.
fn valid_name(name: &str) -> String {
    let valid = |(place, char): (usize, char)| {
        let fits = char.is_ascii_alphabetic() || matches!(char, '_' | ':');
        if fits || (place > 0 && char.is_ascii_digit()) { char } else { '_' }
    };
    if name.is_empty() { "_".to_owned() } else { name.chars().enumerate().map(valid).collect() }
}

/// Replaces the characters that the name of a label may not have. A histogram has its own `le`.
fn valid_label(name: &str, kind: MetricKind) -> String {
    let name = valid_name(name).replace(':', "_");
    if name == "le" && kind == MetricKind::Histogram { "le_".to_owned() } else { name }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use ::metrics::{Label, Level, with_local_recorder};

    use super::*;
    use crate::controller::metrics::HOT_KEYS;

    fn key(name: &'static str, label: &'static str) -> Key {
        Key::from_parts(name, vec![Label::new("controller", label)])
    }

    fn metadata() -> Metadata<'static> {
        Metadata::new(module_path!(), Level::INFO, None)
    }

    #[test]
    fn names_of_labels_are_valid_and_differ() {
        let recorder = Prometheus::default();
        let labels =
            ["http:code", "", "le", "x.y", "x-y", "b", "a"].map(|name| Label::new(name, "1"));
        let key = Key::from_parts("", labels.to_vec());
        recorder.register_counter(&key, &metadata()).increment(1);
        let text = recorder.render();
        assert!(
            text.contains("_{http_code=\"1\",_=\"1\",le=\"1\",x_y=\"1\",b=\"1\",a=\"1\"} 1"),
            "{text}"
        );
        recorder
            .register_histogram(&Key::from_parts("wait", labels.to_vec()), &metadata())
            .record(1.0);
        assert!(recorder.render().contains("le_=\"1\""));
    }

    #[test]
    fn own_metrics_end_with_their_handles() {
        let recorder = Prometheus::default();
        let count = |of| recorder.register_counter(&key(HOT_KEYS, of), &metadata());
        let (first, again, other) = (count("a"), count("a"), count("b"));
        first.increment(2);
        again.increment(1);
        other.increment(1);
        let line = |of, value| format!("{HOT_KEYS}{{controller=\"{of}\"}} {value}\n");
        let kind = format!("# TYPE {HOT_KEYS} counter\n");
        assert_eq!(recorder.render(), kind.clone() + &line("a", 3) + &line("b", 1));
        drop((first, other));
        assert_eq!(recorder.render(), kind.clone() + &line("a", 3));
        drop(again);
        assert_eq!(recorder.render(), "");
        let begins_again = count("a");
        assert_eq!(recorder.render(), kind + &line("a", 0));
        drop(begins_again);
    }

    #[test]
    fn metrics_of_a_program_stay() {
        let recorder = Prometheus::default();
        with_local_recorder(&recorder, || {
            ::metrics::describe_counter!("orders.total", "All\norders of C:\\");
            ::metrics::counter!("orders.total", "to" => "a\"b\\c\nd").increment(3);
            ::metrics::counter!("orders.total", "to" => "a\"b\\c\nd").increment(1);
            ::metrics::gauge!("orders.total").set(7.0);
            ::metrics::histogram!("wait").record(0.005);
            ::metrics::histogram!("wait").record(11.5);
            ::metrics::histogram!("wait").record(f64::NAN);
        });
        let text = recorder.render();
        let orders = "# HELP orders_total All\\norders of C:\\\\\n# TYPE orders_total counter\n\
                      orders_total{to=\"a\\\"b\\\\c\\nd\"} 4\n# TYPE wait histogram\n\
                      wait_bucket{le=\"0.005\"} 1\n";
        assert!(text.starts_with(orders), "{text}");
        let end = "wait_bucket{le=\"10\"} 1\nwait_bucket{le=\"+Inf\"} 3\nwait_sum 11.505\n\
                   wait_count 3\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn series_that_nobody_asks_for_are_removed() {
        let recorder = Prometheus::default();
        for number in 0..10 * FIRST_PRUNING {
            let key = Key::from_parts(HOT_KEYS, vec![Label::new("n", number.to_string())]);
            drop(recorder.register_counter(&key, &metadata()));
        }
        let families = recorder.0.lock();
        let family = families.of.get(HOT_KEYS).unwrap();
        assert!(family.series.len() <= FIRST_PRUNING);
    }
}
