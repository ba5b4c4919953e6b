//! Names of metrics, which are controller-runtime's.

use std::time::Duration;

use http::StatusCode;
use metrics::Gauge;
use tokio::time::Instant;

/// Counts requests, with the label `webhook`, which is the path, and `code`, which is that of HTTP.
pub const REQUESTS_TOTAL: &str = "controller_runtime_webhook_requests_total";
/// A histogram of the time of requests, with the label `webhook`.
pub const LATENCY_SECONDS: &str = "controller_runtime_webhook_latency_seconds";
/// The number of requests that run or wait now, with the label `webhook`.
pub const REQUESTS_IN_FLIGHT: &str = "controller_runtime_webhook_requests_in_flight";
/// Counts panics of webhooks' code.
pub const PANICS_TOTAL: &str = "controller_runtime_webhook_panics_total";
/// Counts reads of certificates.
pub const CERTIFICATE_READS_TOTAL: &str = "certwatcher_read_certificate_total";
/// Counts reads of certificates that failed.
pub const CERTIFICATE_READ_ERRORS_TOTAL: &str = "certwatcher_read_certificate_errors_total";

pub(crate) fn certificate_read(succeeded: bool) {
    metrics::counter!(CERTIFICATE_READS_TOTAL).increment(1);
    if !succeeded {
        metrics::counter!(CERTIFICATE_READ_ERRORS_TOTAL).increment(1);
    }
}

/// A request in flight.
pub(crate) struct InFlight {
    path: String,
    start: Instant,
    /// Of the recorder that has counted the request. A later one has not.
    gauge: Gauge,
}

impl InFlight {
    pub(crate) fn enter(path: &str) -> Self {
        let gauge = metrics::gauge!(REQUESTS_IN_FLIGHT, "webhook" => path.to_owned());
        gauge.increment(1.0);
        Self { path: path.to_owned(), start: Instant::now(), gauge }
    }

    pub(crate) fn answered(&self, code: StatusCode, panicked: bool) {
        let took: Duration = self.start.elapsed();
        metrics::histogram!(LATENCY_SECONDS, "webhook" => self.path.clone()).record(took);
        let code = code.as_str().to_owned();
        let labels = [("webhook", self.path.clone()), ("code", code)];
        metrics::counter!(REQUESTS_TOTAL, &labels).increment(1);
        if panicked {
            metrics::counter!(PANICS_TOTAL).increment(1);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.gauge.decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use ::metrics::{
        Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata,
        Recorder, SharedString, Unit,
    };
    use bytes::Bytes;
    use http::Request;
    use http_body_util::Full;
    use k8s_openapi::api::core::v1::ConfigMap;
    use parking_lot::Mutex;

    use super::InFlight;
    use crate::{Admission, Webhooks};

    /// Sums what is recorded, by name and labels.
    #[derive(Clone, Default)]
    struct Sums(Arc<Mutex<BTreeMap<String, Arc<Sum>>>>);

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl CounterFn for Sum {
        fn increment(&self, value: u64) {
            self.0.fetch_add(value, Ordering::Relaxed);
        }

        fn absolute(&self, value: u64) {
            self.0.store(value, Ordering::Relaxed);
        }
    }

    impl GaugeFn for Sum {
        fn increment(&self, _: f64) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn decrement(&self, _: f64) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }

        fn set(&self, _: f64) {}
    }

    impl HistogramFn for Sum {
        fn record(&self, _: f64) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Sums {
        fn sum(&self, key: &Key) -> Arc<Sum> {
            let labels = key.labels().map(|label| format!(" {}={}", label.key(), label.value()));
            let name = format!("{}{}", key.name(), labels.collect::<String>());
            self.0.lock().entry(name).or_default().clone()
        }
    }

    impl Recorder for Sums {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.sum(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.sum(key))
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(self.sum(key))
        }
    }

    #[test]
    fn request_from_before_the_recorder_is_not_counted() {
        let (sums, request) = (Sums::default(), InFlight::enter("/v"));
        ::metrics::with_local_recorder(&sums, || drop(request));
        assert!(sums.0.lock().is_empty());
    }

    #[test]
    fn calls_count_under_the_names_of_controller_runtime() {
        let sums = Sums::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let webhooks = Webhooks::builder()
            .validate("/v", async |_: Admission<ConfigMap>| panic!("as asked"))
            .build()
            .unwrap();
        let review = r#"{
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "u",
                "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
                "resource": { "group": "", "version": "v1", "resource": "configmaps" },
                "operation": "DELETE"
            }
        }"#;
        ::metrics::with_local_recorder(&sums, || {
            runtime.block_on(async {
                for body in [review, "{}"] {
                    let request = Request::post("/v").body(Full::<Bytes>::from(body)).unwrap();
                    webhooks.answer(request).await;
                }
            });
        });
        let sums = sums.0.lock();
        let sums: Vec<_> =
            sums.iter().map(|(name, sum)| (name.as_str(), sum.0.load(Ordering::Relaxed))).collect();
        assert_eq!(
            sums,
            [
                ("controller_runtime_webhook_latency_seconds webhook=/v", 2),
                ("controller_runtime_webhook_panics_total", 1),
                ("controller_runtime_webhook_requests_in_flight webhook=/v", 0),
                ("controller_runtime_webhook_requests_total webhook=/v code=400", 1),
                ("controller_runtime_webhook_requests_total webhook=/v code=500", 1),
            ]
        );
    }
}
