//! A recorder of the `metrics` facade that writes Prometheus' text format.
//!
//! It holds every series weakly: one whose owner dropped its handles is gone from the next scrape,
//! and begins at zero when it is registered again. It is small on purpose: an application would use
//! an exporter crate.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Label, Metadata, Recorder, SharedString,
    Unit,
};
use parking_lot::Mutex;

/// Upper bounds of the buckets, in seconds: client-go's, and two finer ones.
const BUCKETS: [f64; 14] =
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The metrics that are alive. A cheap clone; all clones are one.
#[derive(Clone, Default)]
pub(crate) struct Prometheus(Arc<Mutex<Families>>);

#[derive(Default)]
struct Families {
    series: BTreeMap<String, Family>,
    help: BTreeMap<String, String>,
}

/// The series of one name, by their labels.
enum Family {
    Counter(Series<AtomicU64>),
    /// The bits of a float.
    Gauge(Series<AtomicU64>),
    Histogram(Series<Buckets>),
}

type Series<T> = BTreeMap<Vec<Label>, Weak<T>>;

/// A histogram: how many observations fell into each bucket, and their sum.
#[derive(Default)]
struct Buckets {
    counts: [AtomicU64; BUCKETS.len() + 1],
    sum: Mutex<f64>,
}

impl HistogramFn for Buckets {
    fn record(&self, value: f64) {
        let bucket = BUCKETS.iter().take_while(|bound| value > **bound).count();
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        *self.sum.lock() += value;
    }
}

impl Prometheus {
    /// Everything that is alive, in Prometheus' text format 0.0.4.
    pub(crate) fn render(&self) -> String {
        let mut families = self.0.lock();
        families.series.retain(|_, family| family.forget_the_dead());
        let mut text = String::new();
        for (name, family) in &families.series {
            let help = families.help.get(name).map_or("", String::as_str);
            // Nothing can fail that writes to a string.
            let _ = family.write(&mut text, name, help);
        }
        text
    }

    fn describe(&self, name: &KeyName, help: &str) {
        self.0.lock().help.insert(name.as_str().to_owned(), help.to_owned());
    }
}

/// The series of these labels: the one that is alive, or a new one.
fn alive<T: Default>(series: &mut Series<T>, key: &Key) -> Arc<T> {
    let labels: Vec<Label> = key.labels().cloned().collect();
    if let Some(value) = series.get(&labels).and_then(Weak::upgrade) {
        return value;
    }
    let value = Arc::default();
    series.insert(labels, Arc::downgrade(&value));
    value
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
        let mut families = self.0.lock();
        let family = families.series.entry(key.name().to_owned());
        match family.or_insert_with(|| Family::Counter(Series::new())) {
            Family::Counter(series) => Counter::from_arc(alive(series, key)),
            // Of a name that is something else already, nothing can be written.
            _ => Counter::noop(),
        }
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        let mut families = self.0.lock();
        let family = families.series.entry(key.name().to_owned());
        match family.or_insert_with(|| Family::Gauge(Series::new())) {
            Family::Gauge(series) => Gauge::from_arc(alive(series, key)),
            _ => Gauge::noop(),
        }
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        let mut families = self.0.lock();
        let family = families.series.entry(key.name().to_owned());
        match family.or_insert_with(|| Family::Histogram(Series::new())) {
            Family::Histogram(series) => Histogram::from_arc(alive(series, key)),
            _ => Histogram::noop(),
        }
    }
}

impl Family {
    /// Removes metrics that no program holds. Returns whether any is left.
    fn forget_the_dead(&mut self) -> bool {
        fn retain<T>(series: &mut Series<T>) -> bool {
            series.retain(|_, value| value.strong_count() > 0);
            !series.is_empty()
        }
        match self {
            Self::Counter(series) | Self::Gauge(series) => retain(series),
            Self::Histogram(series) => retain(series),
        }
    }

    fn write(&self, text: &mut String, name: &str, help: &str) -> fmt::Result {
        let kind = match self {
            Self::Counter(_) => "counter",
            Self::Gauge(_) => "gauge",
            Self::Histogram(_) => "histogram",
        };
        if !help.is_empty() {
            writeln!(text, "# HELP {name} {}", help.replace('\\', "\\\\").replace('\n', "\\n"))?;
        }
        writeln!(text, "# TYPE {name} {kind}")?;
        match self {
            Self::Counter(series) => {
                for (labels, value) in living(series) {
                    let value = value.load(Ordering::Relaxed);
                    writeln!(text, "{name}{} {value}", braced(labels, None))?;
                }
            }
            Self::Gauge(series) => {
                for (labels, value) in living(series) {
                    let value = f64::from_bits(value.load(Ordering::Relaxed));
                    writeln!(text, "{name}{} {value}", braced(labels, None))?;
                }
            }
            Self::Histogram(series) => {
                for (labels, value) in living(series) {
                    value.write(text, name, labels)?;
                }
            }
        }
        Ok(())
    }
}

fn living<T>(series: &Series<T>) -> impl Iterator<Item = (&[Label], Arc<T>)> {
    series.iter().filter_map(|(labels, value)| Some((labels.as_slice(), value.upgrade()?)))
}

impl Buckets {
    fn write(&self, text: &mut String, name: &str, labels: &[Label]) -> fmt::Result {
        let mut count = 0;
        let bounds = BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        for (bound, bucket) in bounds.zip(&self.counts) {
            count += bucket.load(Ordering::Relaxed);
            writeln!(text, "{name}_bucket{} {count}", braced(labels, Some(&bound)))?;
        }
        writeln!(text, "{name}_sum{} {}", braced(labels, None), self.sum.lock())?;
        writeln!(text, "{name}_count{} {count}", braced(labels, None))
    }
}

/// Labels as they stand behind a name; `le` is a bucket's bound.
fn braced(labels: &[Label], le: Option<&str>) -> String {
    let labels = labels.iter().map(|label| (label.key(), label.value()));
    let pairs: Vec<String> = labels.chain(le.map(|le| ("le", le))).map(pair).collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

fn pair((label, value): (&str, &str)) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{label}=\"{value}\"")
}
