//! Controllers that are added to a running manager, and removed from it.

use std::sync::Arc;

use kube::Resource;

use super::{ManagerError, ManagerHandle};
use crate::controller::{Action, AnyController, BoxError, Controller, ReconcileRequest};

impl ManagerHandle {
    /// Adds a controller, which begins when its informers have synced. With leader election it
    /// reconciles only while this replica leads.
    ///
    /// It is a part of the manager like the others: if it fails, the manager ends with the error.
    /// One that is added before the manager runs begins once the others do. Its informers are
    /// started, and stopped at the end of the manager.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_controllers::manager::{ManagerError, ManagerHandle};
    /// use kube_informer::SharedInformerFactory;
    /// use kube_controllers::{Action, Controller};
    ///
    /// /// Reconciles the config maps of a tenant until it leaves.
    /// fn join(
    ///     manager: &ManagerHandle,
    ///     factory: &SharedInformerFactory,
    ///     tenant: &str,
    /// ) -> Result<(), ManagerError> {
    ///     let maps = factory.in_namespaces::<ConfigMap>([tenant]);
    ///     let controller = Controller::builder(format!("maps of {tenant}"), &maps).build();
    ///     manager.add_controller(controller, |request| async move {
    ///         println!("reconcile {}", request.key);
    ///         Ok::<_, kube::Error>(Action::done())
    ///     })
    /// }
    ///
    /// async fn leave(manager: &ManagerHandle, tenant: &str) {
    ///     manager.remove_controller(&format!("maps of {tenant}")).await;
    /// }
    /// ```
    ///
    /// # Errors
    /// - [`ManagerError::Ended`]: the manager stops or has ended.
    /// - [`ManagerError::DuplicateName`] and [`ManagerError::EmptyName`].
    /// - [`ManagerError::ControllerElection`], and [`ManagerError::ShardedController`] with leader
    ///   election.
    pub fn add_controller<K, C, F, Fut, E>(
        &self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), ManagerError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        self.add(controller, election.is_some(), true)
    }

    /// Adds a controller that reconciles whether or not this replica leads. Otherwise like
    /// [`add_controller`](Self::add_controller).
    ///
    /// # Errors
    /// Those of [`add_controller`](Self::add_controller), except
    /// [`ManagerError::ShardedController`].
    pub fn add_controller_on_every_replica<K, C, F, Fut, E>(
        &self,
        controller: Controller<K, C>,
        reconcile: F,
    ) -> Result<(), ManagerError>
    where
        K: Resource + Send + Sync + 'static,
        C: Send + Sync + 'static,
        F: Fn(ReconcileRequest<K, C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let (controller, election) = controller.with_reconcile(reconcile);
        self.add(controller, election.is_some(), false)
    }

    fn add(
        &self,
        controller: Arc<dyn AnyController>,
        elected: bool,
        while_leading: bool,
    ) -> Result<(), ManagerError> {
        let (state, name) = (&self.0, controller.name().clone());
        if elected {
            return Err(ManagerError::ControllerElection { controller: name });
        }
        if while_leading && state.has_election() && controller.sharding().is_some() {
            return Err(ManagerError::ShardedController { controller: name });
        }
        state.add(controller, while_leading)
    }

    /// Ends a controller that was added, and waits until its reconciles have ended, for at most its
    /// [grace](crate::controller::ControllerBuilder::grace). Returns false if there is none of this
    /// name. Everything else goes on, and so does the election.
    ///
    /// Keys that wait are dropped. Its informers run on: end them with
    /// [`remove`](kube_informer::SharedInformerFactory::remove) or an
    /// [`Interest`](kube_informer::factory::Interest), also before it has ended.
    ///
    /// Code that blocks a thread goes on after the grace. Until it returns, the name stays taken,
    /// and the controller visible.
    ///
    /// The call itself tells the controller to end. If the returned future is dropped, also before
    /// it is polled, the controller ends all the same, and is visible until then. A reconcile that
    /// removes its own controller must drop the future: awaited, it waits for itself, and is
    /// dropped after the grace.
    pub fn remove_controller(&self, name: &str) -> impl Future<Output = bool> + Send + use<> {
        let ended = self.0.remove(name);
        async move {
            let Some(ended) = ended else { return false };
            ended.cancelled().await;
            true
        }
    }
}
