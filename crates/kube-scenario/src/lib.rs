//! Tests of whole programs: a server, a program that starts, crashes and starts again, and the
//! clock.
//!
//! A [`Scenario`] holds the program as a closure, which each start calls again. A [`World`] is one
//! run of it. The test acts on the world, lets it [settle](World::settle), and looks at objects and
//! requests.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::ObjectMeta;
//! use kube_informer::error::BoxError;
//! use kube_controllers::{Action, Controller, ReconcileRequest};
//! use kube_scenario::{Program, Scenario};
//!
//! /// A controller that counts, but writes nothing.
//! async fn program(program: Program) -> Result<(), BoxError> {
//!     let factory = program.factory();
//!     let maps = factory.informer::<ConfigMap>();
//!     let controller = Controller::builder("counter", &maps).build();
//!     program.run(&factory, controller, reconcile).await
//! }
//!
//! async fn reconcile(_: ReconcileRequest<ConfigMap>) -> Result<Action, BoxError> {
//!     Ok(Action::done())
//! }
//!
//! # tokio::runtime::Builder::new_current_thread()
//! #     .enable_all().start_paused(true).build().unwrap().block_on(async {
//! let world = Scenario::new(program).start();
//! let (namespace, name) = (Some("shop".into()), Some("a".into()));
//! let metadata = ObjectMeta { namespace, name, ..ObjectMeta::default() };
//! world.server().create(&ConfigMap { metadata, ..ConfigMap::default() })?;
//! world.settle().await?;
//! assert_eq!((world.reconciles(), world.writes().len()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
//!
//! Every wait is on tokio's clock. Start it [paused](tokio::time::pause), on a runtime of one
//! thread: `#[tokio::test(start_paused = true)]`.

mod cache;
mod connection;
mod explore;
mod holding;
mod program;
mod record;
mod restarting;
mod scenario;
mod schedule;
mod settling;
mod target;
mod trouble;
mod world;

pub use explore::{Exploration, FailedRun};
pub use program::Program;
pub use scenario::Scenario;
pub use settling::Unsettled;
pub use trouble::Trouble;
pub use world::World;

/// A page of the guide: a controller under a crash, a stale view or a lost answer at each position.
#[cfg(any(doc, doctest))]
#[doc = include_str!("exploring.md")]
pub mod exploring {}

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
