//! Writing back: applies, owner references, conditions and events.
//!
//! A controller compares the wanted state with the present one, and writes the difference. An
//! [`Applier`] does that with server-side apply: it takes all that a reconcile wants, and sends it
//! only if the cache shows that it is not there. At rest, a controller then sends no requests.
//!
//! ```no_run
//! use k8s_openapi::api::apps::v1::Deployment;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_controllers::writing::{Applier, ApplyError};
//!
//! # fn deployment_of(_: &ConfigMap) -> Deployment { Deployment::default() }
//! async fn reconcile(
//!     site: &ConfigMap,
//!     deployments: &Applier<Deployment>,
//! ) -> Result<bool, ApplyError> {
//!     let applied = deployments.apply_owned(site, deployment_of(site)).await?;
//!     let status = applied.object().status.as_ref();
//!     Ok(status.is_some_and(|status| status.ready_replicas.unwrap_or(0) > 0))
//! }
//! ```
//!
//! [`conditions`] sets the conditions of a status, and [`set_controller_reference`] an owner. An
//! [`EventRecorder`] publishes events about objects.

mod applier;
mod builder;
pub mod conditions;
mod configuration;
mod digest;
mod error;
mod events;
mod exchange;
mod hidden;
mod owned_fields;
mod owners;
mod publisher;
mod records;
mod series;
mod spam;
mod target;
#[cfg(test)]
mod tests;

pub use self::applier::{Applied, Applier};
pub use self::builder::{ApplierBuilder, ApplierStatus};
pub use self::error::{ApplierError, ApplyError, FieldConflict};
pub use self::events::{EventRecorder, EventRecorderStatus, NewEvent};
pub(crate) use self::owners::owner_problem;
pub use self::owners::{
    OwnerError, set_controller_reference, set_owner_reference, set_reference_with,
};
