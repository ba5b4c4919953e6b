//! Controllers that run.

use std::convert::Infallible;

use kube::Resource;
use kube_controllers::controller::{ControllerError, ControllerHandle};
use kube_controllers::{Action, Controller};
use kube_informer::ObjectKey;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Log;

/// A controller that runs, notes the key of each try, and succeeds.
pub(crate) struct Noting {
    pub(crate) log: Log<ObjectKey>,
    pub(crate) handle: ControllerHandle,
    pub(crate) stop: CancellationToken,
    pub(crate) running: JoinHandle<Result<(), ControllerError>>,
}

impl Noting {
    pub(crate) fn run<K: Resource + Send + Sync + 'static>(controller: Controller<K>) -> Self {
        let (log, stop, handle) = (Log::new(), CancellationToken::new(), controller.handle());
        let logged = log.clone();
        let running = tokio::spawn(controller.run(stop.clone(), move |request| {
            logged.add(request.key);
            async { Ok::<_, Infallible>(Action::done()) }
        }));
        Self { log, handle, stop, running }
    }
}
