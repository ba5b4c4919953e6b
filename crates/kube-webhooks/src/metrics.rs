//! Names of metrics, which are controller-runtime's.

use std::time::Duration;

use http::StatusCode;
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
}

impl InFlight {
    pub(crate) fn enter(path: &str) -> Self {
        metrics::gauge!(REQUESTS_IN_FLIGHT, "webhook" => path.to_owned()).increment(1.0);
        Self { path: path.to_owned(), start: Instant::now() }
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
        metrics::gauge!(REQUESTS_IN_FLIGHT, "webhook" => self.path.clone()).decrement(1.0);
    }
}
