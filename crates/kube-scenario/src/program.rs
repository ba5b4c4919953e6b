//! One life of the program under test.

use std::fmt;
use std::sync::Arc;

use kube::{Client, Resource};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::cache::KeptCache;
use kube_controllers::Manager;
use kube_controllers::controller::{
    Action, Controller, ControllerHandle, ControllerStatus, ReconcileRequest,
};
use kube_informer::SharedInformerFactory;
use kube_informer::error::BoxError;
use kube_informer::warm::WarmStore;

type Statuses = Box<dyn Fn() -> Vec<ControllerStatus> + Send + Sync>;

/// The world of one life of a program: its client, the signal to stop, and the controllers that the
/// test follows. Clones are cheap.
#[derive(Clone)]
pub struct Program {
    client: Client,
    stop: CancellationToken,
    cache: KeptCache,
    statuses: Arc<Mutex<Vec<Statuses>>>,
}

impl Program {
    pub(crate) fn new(client: Client, cache: KeptCache) -> Self {
        Self { client, stop: CancellationToken::new(), cache, statuses: Arc::default() }
    }

    /// Returns the program's client. All its requests pass the faults of the world.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the token that [`World::stop`](crate::World::stop) cancels.
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns a new factory of informers with the default options.
    pub fn factory(&self) -> SharedInformerFactory {
        SharedInformerFactory::builder(self.client()).build()
    }

    /// Returns a store for [`SharedInformerFactoryBuilder::warm`]. A process finds in it what the
    /// last one has written before it ended or died.
    ///
    /// An [exploration](crate::Scenario::explore) of a program that calls this tries restarts, too.
    ///
    /// ```
    /// use kube_informer::SharedInformerFactory;
    /// use kube_scenario::Program;
    ///
    /// fn factory(program: &Program) -> SharedInformerFactory {
    ///     SharedInformerFactory::builder(program.client()).warm(program.kept_cache()).build()
    /// }
    /// ```
    ///
    /// [`SharedInformerFactoryBuilder::warm`]:
    ///     kube_informer::factory::SharedInformerFactoryBuilder::warm
    pub fn kept_cache(&self) -> impl WarmStore + use<> {
        self.cache.world.record().lock().keeps = true;
        self.cache.clone()
    }

    /// Follows a controller, so that the world knows its waiting keys and its reconciles.
    pub fn follow(&self, controller: ControllerHandle) {
        self.statuses.lock().push(Box::new(move || vec![controller.status()]));
    }

    /// Follows a controller, starts the informers of a factory, and runs both until the stop.
    ///
    /// # Errors
    /// The informers could not start, or the controller failed.
    pub async fn run<K, C, F, Fut, E>(
        self,
        factory: &SharedInformerFactory,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), BoxError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        self.follow(controller.handle());
        factory.start()?;
        controller.run(self.stop, reconcile).await?;
        factory.shutdown().await;
        Ok(())
    }

    /// Follows the controllers of a manager, or of its builder, and runs it until the stop.
    ///
    /// # Errors
    /// The manager could not be built, or failed.
    pub async fn run_manager<M>(self, manager: M) -> Result<(), BoxError>
    where
        M: TryInto<Manager, Error: Into<BoxError>>,
    {
        let manager = manager.try_into().map_err(Into::into)?;
        let handle = manager.handle();
        self.statuses.lock().push(Box::new(move || handle.status().controllers));
        Ok(manager.run_until(self.stop).await?)
    }

    pub(crate) fn controllers(&self) -> Vec<ControllerStatus> {
        self.statuses.lock().iter().flat_map(|statuses| statuses()).collect()
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}
