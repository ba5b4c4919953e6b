//! Handles that were made before a recorder was installed, and record as soon as there is one.
//!
//! Most programs make their informers first, and install a recorder last. The facade has no
//! recorder until then, and its handles would record nothing for ever. The counters
//! and gauges of this module keep sums until [`bind`] connects them.

use std::sync::{Arc, OnceLock, Weak};

use ::metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit, with_recorder,
};
// Not `crate::sync`: a static outlives each schedule of the unit tests.
use parking_lot::Mutex;

/// The handles that are alive and have no recorder. `None` after a recorder was installed.
static WAITING: Mutex<Option<Vec<Weak<dyn Bind>>>> = parking_lot::const_mutex(Some(Vec::new()));

/// The length at which the list of waiting handles is first searched for dropped ones.
const FIRST_PRUNING: usize = 1_024;

/// Returns whether this recorder may be the facade's placeholder, which records nothing and has no
/// size. A user's recorder without a size gets every value, too.
pub(super) fn may_be_placeholder(recorder: &dyn Recorder) -> bool {
    size_of_val(recorder) == 0
}

/// Connects the handles that wait to a recorder that was just installed globally.
pub fn bind(recorder: &dyn Recorder) {
    let waiting = WAITING.lock().take();
    for handle in waiting.into_iter().flatten() {
        if let Some(handle) = handle.upgrade() {
            handle.bind(recorder);
        }
    }
}

/// Adds a handle to those that wait.
fn wait<H: Bind + 'static>(handle: &Arc<H>) {
    let mut waiting = WAITING.lock();
    let Some(handles) = &mut *waiting else {
        // A recorder was installed after the placeholder was found.
        drop(waiting);
        return with_recorder(|recorder| handle.bind(recorder));
    };
    if handles.len() >= FIRST_PRUNING && handles.len() == handles.capacity() {
        handles.retain(|handle| handle.strong_count() > 0);
    }
    let handle: Weak<H> = Arc::downgrade(handle);
    handles.push(handle);
}

/// A handle that can be connected to a recorder.
trait Bind: Send + Sync {
    fn bind(&self, recorder: &dyn Recorder);
}

/// The state of a handle: its sum until it has a recorder, then the recorder's handle.
struct Late<H, S> {
    key: Key,
    /// The handle of the recorder that was found at registration.
    first: H,
    bound: OnceLock<H>,
    sum: Mutex<S>,
}

impl<H, S: Default> Late<H, S> {
    fn new(key: &Key, first: H) -> Arc<Self> {
        let key = key.clone();
        Arc::new(Self { key, first, bound: OnceLock::new(), sum: Mutex::new(S::default()) })
    }

    /// Calls `record` with the handles, or `keep` with the sum if there is no recorder yet.
    fn call(&self, record: impl Fn(&H), keep: impl FnOnce(&mut S)) {
        record(&self.first);
        if let Some(bound) = self.bound.get() {
            return record(bound);
        }
        let mut sum = self.sum.lock();
        match self.bound.get() {
            Some(bound) => record(bound),
            None => keep(&mut sum),
        }
    }

    /// Connects this to a recorder's handle, and passes the sum on.
    fn connect(&self, handle: H, pass: impl FnOnce(&H, &mut S)) {
        let mut sum = self.sum.lock();
        pass(&handle, &mut sum);
        let _only_once = self.bound.set(handle);
    }
}

fn metadata() -> Metadata<'static> {
    Metadata::new(module_path!(), ::metrics::Level::INFO, Some(module_path!()))
}

impl Bind for Late<Counter, u64> {
    fn bind(&self, recorder: &dyn Recorder) {
        let handle = recorder.register_counter(&self.key, &metadata());
        self.connect(handle, |handle, sum| handle.increment(*sum));
    }
}

impl CounterFn for Late<Counter, u64> {
    fn increment(&self, value: u64) {
        self.call(|handle| handle.increment(value), |sum| *sum += value);
    }

    fn absolute(&self, value: u64) {
        self.call(|handle| handle.absolute(value), |sum| *sum = value.max(*sum));
    }
}

/// The value of a gauge, and whether it was ever set.
#[derive(Default)]
struct Reading {
    value: f64,
    set: bool,
}

impl Bind for Late<Gauge, Reading> {
    fn bind(&self, recorder: &dyn Recorder) {
        let handle = recorder.register_gauge(&self.key, &metadata());
        self.connect(handle, |handle, reading| {
            if reading.set {
                handle.set(reading.value);
            } else {
                handle.increment(reading.value);
            }
        });
    }
}

impl GaugeFn for Late<Gauge, Reading> {
    fn increment(&self, value: f64) {
        self.call(|handle| handle.increment(value), |reading| reading.value += value);
    }

    fn decrement(&self, value: f64) {
        self.call(|handle| handle.decrement(value), |reading| reading.value -= value);
    }

    fn set(&self, value: f64) {
        self.call(|handle| handle.set(value), |reading| *reading = Reading { value, set: true });
    }
}

/// Earlier observations are not kept: a histogram begins when its recorder is installed.
impl Bind for Late<Histogram, ()> {
    fn bind(&self, recorder: &dyn Recorder) {
        self.connect(recorder.register_histogram(&self.key, &metadata()), |_, ()| {});
    }
}

impl HistogramFn for Late<Histogram, ()> {
    fn record(&self, value: f64) {
        self.first.record(value);
        if let Some(bound) = self.bound.get() {
            bound.record(value);
        }
    }
}

/// A recorder whose handles record to another one, and to the one that is installed later.
pub(super) struct LateRecorder<'a>(pub(super) &'a dyn Recorder);

impl Recorder for LateRecorder<'_> {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        let late = Late::<_, u64>::new(key, self.0.register_counter(key, metadata));
        wait(&late);
        Counter::from_arc(late)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        let late = Late::<_, Reading>::new(key, self.0.register_gauge(key, metadata));
        wait(&late);
        Gauge::from_arc(late)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        let late = Late::<_, ()>::new(key, self.0.register_histogram(key, metadata));
        wait(&late);
        Histogram::from_arc(late)
    }
}

#[cfg(test)]
mod tests {
    use ::metrics::NoopRecorder;

    use super::*;

    /// A recorder of one metric, which adds up its values.
    #[derive(Clone, Default)]
    struct Sum(Arc<Mutex<f64>>);

    impl Recorder for Sum {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(Arc::new(self.clone()))
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(Arc::new(self.clone()))
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(Arc::new(self.clone()))
        }
    }

    impl CounterFn for Sum {
        fn increment(&self, value: u64) {
            *self.0.lock() += f64::from(u32::try_from(value).unwrap());
        }

        fn absolute(&self, value: u64) {
            *self.0.lock() = f64::from(u32::try_from(value).unwrap());
        }
    }

    impl GaugeFn for Sum {
        fn increment(&self, value: f64) {
            *self.0.lock() += value;
        }

        fn decrement(&self, value: f64) {
            *self.0.lock() -= value;
        }

        fn set(&self, value: f64) {
            *self.0.lock() = value;
        }
    }

    impl HistogramFn for Sum {
        fn record(&self, value: f64) {
            *self.0.lock() += value;
        }
    }

    /// Runs `early` before a handle has a recorder, and `later` after that. Returns the sum.
    fn sum<H: Bind>(handle: &H, early: impl Fn(&H), later: impl Fn(&H)) -> String {
        early(handle);
        let recorder = Sum::default();
        handle.bind(&recorder);
        later(handle);
        let sum = *recorder.0.lock();
        sum.to_string()
    }

    #[test]
    fn placeholder_has_no_size() {
        assert!(may_be_placeholder(&NoopRecorder));
        assert!(!may_be_placeholder(&Sum::default()));
    }

    #[test]
    fn sums_from_before_the_recorder_are_kept() {
        let counter = Late::<Counter, u64>::new(&Key::from_name("c"), Counter::noop());
        let add = |counter: &Late<Counter, u64>| counter.increment(2);
        assert_eq!(sum(&*counter, add, add), "4");

        let gauge = || Late::<Gauge, Reading>::new(&Key::from_name("g"), Gauge::noop());
        let change = |gauge: &Late<Gauge, Reading>| {
            gauge.increment(5.0);
            gauge.decrement(2.0);
        };
        assert_eq!(sum(&*gauge(), change, change), "6");
        let set = |gauge: &Late<Gauge, Reading>| gauge.set(9.0);
        assert_eq!(sum(&*gauge(), set, |_| {}), "9");
    }

    #[test]
    fn histogram_begins_with_its_recorder() {
        let histogram = Late::<Histogram, ()>::new(&Key::from_name("h"), Histogram::noop());
        assert_eq!(sum(&*histogram, |h| h.record(1.0), |h| h.record(3.0)), "3");
    }

    #[test]
    fn first_recorder_gets_every_value() {
        let first = Sum::default();
        let counter = LateRecorder(&first).register_counter(&Key::from_name("c"), &metadata());
        counter.increment(7);
        assert_eq!(first.0.lock().to_string(), "7");
    }
}
