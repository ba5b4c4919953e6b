//! The recorder of metrics, and its rendering in Prometheus's text format.

use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::manager::error::ManagerError;
use crate::metrics;

/// The period in which samples of histograms are put into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// The handle of the recorder, once it is installed. A process has one, so all managers share it.
static INSTALLED: parking_lot::Mutex<Option<PrometheusHandle>> = parking_lot::const_mutex(None);

/// The upper bounds of buckets, in seconds: for times within the process, which are short.
const SHORT: [f64; 11] =
    [0.000_01, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];

/// The upper bounds of buckets, in seconds: client-go's for work queues.
const QUEUE: [f64; 11] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1_000.0];

/// The upper bounds of buckets, in seconds: controller-runtime's for reconciles, with fewer steps.
const RECONCILE: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

/// Installs the recorder for the whole process, unless an earlier manager has.
pub(super) fn install() -> Result<(), ManagerError> {
    let mut installed = INSTALLED.lock();
    if installed.is_some() {
        return Ok(());
    }
    let buckets = [
        (metrics::INFORMER_PROCESSING_LATENCY, &SHORT[..]),
        (metrics::HANDLER_LAG, &SHORT[..]),
        (metrics::WORKQUEUE_QUEUE_DURATION, &QUEUE[..]),
        (metrics::WORKQUEUE_WORK_DURATION, &QUEUE[..]),
        (metrics::RECONCILE_TIME, &RECONCILE[..]),
    ];
    let builder = buckets.into_iter().try_fold(PrometheusBuilder::new(), |builder, (name, at)| {
        builder.set_buckets_for_metric(Matcher::Full(name.into()), at)
    });
    // Refused only if there are no buckets.
    let recorder = builder.unwrap_or_default().build_recorder();
    let handle = recorder.handle();
    ::metrics::set_global_recorder(recorder).map_err(|_| ManagerError::RecorderInstalled)?;
    metrics::describe();
    ::metrics::with_recorder(metrics::bind);
    *installed = Some(handle);
    Ok(())
}

fn handle() -> Option<PrometheusHandle> {
    INSTALLED.lock().clone()
}

/// Returns all metrics as text.
pub(super) fn render() -> Option<String> {
    handle().map(|handle| handle.render())
}

/// Puts the samples of histograms into their buckets from time to time, so that they do not gather
/// while no scraper asks for the metrics.
pub(super) async fn upkeep() {
    let Some(handle) = handle() else { return };
    let mut period = tokio::time::interval(UPKEEP);
    loop {
        period.tick().await;
        // It takes long for many samples. Nothing is lost if it fails: the next one does the same.
        let handle = handle.clone();
        let _ended = tokio::task::spawn_blocking(move || handle.run_upkeep()).await;
    }
}
