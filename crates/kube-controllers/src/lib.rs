//! Controllers on [`kube_informer`]: reconcile loops, leader election, sharding, server-side apply,
//! and a manager that runs a whole operator.
//!
//! ```no_run
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use kube_controllers::kube_informer::{SharedInformerFactory, error::BoxError};
//! use kube_controllers::{Action, Controller, LeaderElector, Manager};
//!
//! async fn run(client: kube::Client) -> Result<(), BoxError> {
//!     let factory = SharedInformerFactory::builder(client.clone()).build();
//!     let controller = Controller::builder("rollout", &factory.informer::<Deployment>())
//!         .owns(&factory.informer::<ConfigMap>())
//!         .build();
//!     Manager::builder(&factory)
//!         .leader_election(LeaderElector::builder(client, "shop", "rollout").build()?)
//!         .controller(controller, |request| async move {
//!             println!("{} is there: {}", request.key, request.object.is_present());
//!             Ok::<_, kube::Error>(Action::done())
//!         })
//!         .build()?
//!         .run() // until SIGTERM or Ctrl-C
//!         .await?;
//!     Ok(())
//! }
//! ```
//!
//! # What is where
//!
//! | module | does |
//! |---|---|
//! | [`controller`] | follows informers, and calls your reconcile for objects that may need it |
//! | [`leader_election`] | lets one of several replicas work |
//! | [`sharding`] | lets all replicas work, each on its part of the objects |
//! | [`writing`] | applies objects if something differs, sets conditions, records events |
//! | [`manager`] | runs controllers and tasks of a program, from signals to an ordered stop |
//! | [`clusters`] | runs all that for each cluster of a fleet |
//!
//! The objects come from the informers of [`kube_informer`], which this crate re-exports. Both have
//! the same version. The [guide](docs) begins with a [tutorial](docs::tutorial).
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `metrics` | metrics through the `metrics` facade, under the names in [`controller::metrics`] |
//! | `serve` | the manager's endpoints for health, metrics and status: `manager::serve` |
//! | `webhooks` | webhooks as a part of the manager, by the crate `kube-webhooks` |

mod basics;
pub mod clusters;
pub mod controller;
#[cfg(any(doc, doctest))]
pub mod docs;
#[cfg(test)]
mod helpers;
pub mod leader_election;
mod lease;
pub mod manager;
#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(test)]
#[path = "../../../src/seeds.rs"]
mod seeds;
pub mod sharding;
mod tasks;
pub mod writing;

pub use kube_informer;
#[cfg(feature = "webhooks")]
pub use kube_webhooks;

// The names that most programs write. Everything else is in the module of its concept.
pub use controller::{Action, Controller, ReconcileRequest};
pub use leader_election::LeaderElector;
pub use manager::Manager;
#[cfg(feature = "serve")]
pub use manager::serve::Serve;
pub use sharding::Sharding;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
