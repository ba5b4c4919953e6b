//! Controllers that run, electors and appliers.

use std::convert::Infallible;

use kube::{Client, Resource};
use kube_controllers::controller::{ControllerError, ControllerHandle};
use kube_controllers::writing::{Applied, Applier};
use kube_controllers::{Action, Controller, LeaderElector};
use kube_informer::testing::{ApiServer, seed_by_test};
use kube_informer::{ObjectKey, SharedInformer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Log, caught_up};

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

/// Returns an elector for the lease `work` in `shop`.
pub(crate) fn elector(client: Client, identity: &str) -> LeaderElector {
    seed_by_test();
    LeaderElector::builder(client, "shop", "work").identity(identity).build().unwrap()
}

/// Applies until nothing is sent. Returns how often it was sent.
pub(crate) async fn settle<K>(
    server: &ApiServer,
    informer: &SharedInformer<K>,
    applier: &Applier<K>,
    desired: &K,
) -> usize
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Serialize + Send + Sync + 'static,
{
    for sent in 0..5 {
        caught_up(server, informer).await;
        if let Applied::Unchanged(_) = applier.apply(desired).await.unwrap() {
            return sent;
        }
    }
    panic!("it is sent again and again");
}
