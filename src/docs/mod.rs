//! The guide: what a user wants to know who has not read the code.
//!
//! It speaks of what there is, never of plans; its code compiles and its figures come from the
//! benchmarks and examples.
//!
//! - [Coming from client-go](coming_from_client_go): what is called what, and what is different.
//! - [Coming from kube-runtime](coming_from_kube_runtime): the same for its users.
//! - [Choosing storage](choosing_storage): whole types, metadata alone, a struct of one's own, packed.
//! - [Testing a controller](testing_a_controller): without a cluster and without waiting.
//! - [Running in production](running_in_production): permissions, memory, alerts, time limits.
//!
//! Programs to start from are in `examples/`; each runs without a cluster.

#[doc = include_str!("coming_from_client_go.md")]
pub mod coming_from_client_go {}

#[doc = include_str!("coming_from_kube_runtime.md")]
pub mod coming_from_kube_runtime {}

#[doc = include_str!("choosing_storage.md")]
pub mod choosing_storage {}

#[doc = include_str!("testing_a_controller.md")]
pub mod testing_a_controller {}

#[doc = include_str!("running_in_production.md")]
pub mod running_in_production {}
