//! A manager: everything that an operator runs, in one `run`.
//!
//! A [`Manager`] starts the informers of a factory, runs controllers and other tasks, and ends all
//! of them in order. It listens to SIGTERM and SIGINT, holds one leader election for all
//! controllers, and serves health checks and metrics with the feature `serve`.
//!
//! ```no_run
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube::Client;
//! use kube_informer::client::renewing_client;
//! use kube_controllers::controller::BoxError;
//! use kube_informer::SharedInformerFactory;
//! use kube_controllers::{Action, Controller, LeaderElector, Manager};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), BoxError> {
//!     let client = renewing_client(Client::try_default).await?;
//!     let factory = SharedInformerFactory::builder(client.clone()).build();
//!     let deployments = factory.informer::<Deployment>();
//!     let controller = Controller::builder("rollout", &deployments).concurrency(4).build();
//!     let manager = Manager::builder(&factory)
//!         .leader_election(LeaderElector::builder(client, "shop", "rollout").build()?)
//!         .controller(controller, |request| async move {
//!             println!("reconcile {}", request.key);
//!             Ok::<_, kube::Error>(Action::done())
//!         });
//! #   #[cfg(feature = "serve")]
//!     let manager = manager.serve(kube_controllers::Serve::new());
//!     manager.build()?.run().await?;
//!     Ok(())
//! }
//! ```
//!
//! # Permissions
//!
//! [`ManagerBuilder::rbac`] returns the roles that the program needs.
//!
//! # Start
//!
//! 1. Addresses are bound. An address in use is an error before anything has started.
//! 2. [Tasks before the sync](ManagerBuilder::task_before_sync) begin, webhooks among them.
//! 3. All informers of the factory and of the controllers start and sync. `/livez` succeeds and
//!    `/readyz` fails meanwhile.
//! 4. Controllers and tasks on every replica begin.
//! 5. The election begins. Other controllers and tasks begin when this replica leads, or at once if
//!    there is no election.
//!
//! A factory's informer that follows one namespace of a cluster-scoped kind ends the start at once,
//! with [`ManagerError::WrongScope`]. A kind that is not served, or may not be listed, is logged
//! and may still appear: it ends the start when the sync timeout is over, with
//! [`ManagerError::NotServed`] or [`ManagerError::Forbidden`].
//!
//! # Stop
//!
//! A stop begins with the first signal, the token of [`run_until`](Manager::run_until), or the
//! first part that fails:
//!
//! 1. No further reconcile begins. Reconciles that run, and tasks that run while leading, are told
//!    to end. A reconcile has its controller's
//!    [grace](crate::controller::ControllerBuilder::grace). The lease is released when those that
//!    depend on it have ended.
//! 2. Tasks on every replica are told to end, then tasks before the sync.
//! 3. The factory is shut down, and all other informers that controllers follow.
//! 4. The servers end. Until then `/livez` succeeds and `/readyz` fails.
//!
//! All of it has one [grace](ManagerBuilder::grace). Beyond it, the manager waits only for code of
//! a leader or slot that blocks a thread, and renews its Lease: `/livez` fails then. A second
//! signal drops everything at once, and [`run`](Manager::run) returns an error. Nothing here ends
//! the process.
//!
//! The first failure is the error of `run`; later ones are logged.
//!
//! # Changes
//!
//! A [handle](ManagerHandle::add_controller) adds and removes controllers while the manager runs.

mod adding;
mod additions;
mod builder;
mod clusters;
mod crew;
mod diagnosis;
mod error;
mod informers;
mod names;
mod parts;
mod rbac;
mod run;
#[cfg(feature = "serve")]
pub mod serve;
mod signals;
mod status;
#[cfg(test)]
mod tests;
#[cfg(feature = "webhooks")]
mod webhooks;

use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use self::builder::ManagerBuilder;
pub use self::error::ManagerError;
use self::parts::ManagerParts;
pub use self::rbac::{Rbac, RbacObjects};
use self::run::CloseGuard;
#[cfg(feature = "serve")]
use self::serve::Endpoints;
use self::signals::Stops;
pub use self::status::{ManagerHandle, ManagerPhase, ManagerStatus, TaskState, TaskStatus};
use crate::controller::AnyController;
use kube_informer::factory::SharedInformerFactory;

/// Everything that an operator runs. The [module](self) documentation describes its life.
#[must_use = "a manager does nothing before it runs"]
pub struct Manager {
    handle: ManagerHandle,
    parts: ManagerParts,
    #[cfg(feature = "serve")]
    endpoints: Option<Endpoints>,
    /// Refuses controllers from then on, even if the manager never ran.
    _closes: CloseGuard,
}

impl Manager {
    /// Returns a builder of a manager that starts and stops the informers of this factory, and
    /// those of other factories that its controllers follow.
    pub fn builder(factory: &SharedInformerFactory) -> ManagerBuilder {
        ManagerBuilder::new(factory.clone())
    }

    /// Returns a handle that stays usable while the manager runs and after it has ended.
    pub fn handle(&self) -> ManagerHandle {
        self.handle.clone()
    }

    /// Runs until the process gets SIGTERM or SIGINT, or until a part fails. A second signal ends
    /// everything at once.
    ///
    /// The signals no longer end the process by themselves, even after this function has returned.
    ///
    /// Dropping the returned future drops every task at its next await, and stops the informers.
    /// Code that blocks its thread runs on. A lease is not released; it expires.
    ///
    /// # Errors
    /// [`ManagerError`]: a part could not start or failed, leadership was lost, or something did
    /// not end in time.
    pub async fn run(self) -> Result<(), ManagerError> {
        let (stops, _listening) = Stops::on_signals().map_err(ManagerError::Signals)?;
        self.run_with(stops).await
    }

    /// Runs like [`run`](Self::run) until `stop` is cancelled, without listening to signals.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub async fn run_until(self, stop: CancellationToken) -> Result<(), ManagerError> {
        self.run_with(Stops { graceful: stop, at_once: CancellationToken::new() }).await
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |controllers: &[Arc<dyn AnyController>]| -> Vec<_> {
            controllers.iter().map(|controller| controller.name().clone()).collect()
        };
        f.debug_struct("Manager")
            .field("leading", &names(&self.parts.leading))
            .field("always", &names(&self.parts.always))
            .finish_non_exhaustive()
    }
}
