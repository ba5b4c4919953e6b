//! The recorder of metrics, which a process has once.

use super::prometheus::Prometheus;
use crate::controller::metrics::describe;
use crate::manager::error::ManagerError;
use kube_informer::seams::bind;

/// The recorder, once it is installed. All managers share it.
static INSTALLED: parking_lot::Mutex<Option<Prometheus>> = parking_lot::const_mutex(None);

/// Installs the recorder for the whole process, unless an earlier manager has.
pub(super) fn install() -> Result<(), ManagerError> {
    let mut installed = INSTALLED.lock();
    if installed.is_some() {
        return Ok(());
    }
    let recorder = Prometheus::default();
    let installing = ::metrics::set_global_recorder(recorder.clone());
    installing.map_err(|_| ManagerError::RecorderInstalled)?;
    describe();
    bind(&recorder);
    *installed = Some(recorder);
    Ok(())
}

/// Returns all metrics as text.
pub(super) fn render() -> Option<String> {
    let recorder = INSTALLED.lock().clone();
    recorder.map(|recorder| recorder.render())
}
