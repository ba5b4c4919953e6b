//! The guide: a tutorial, explanations and tables.
//!
//! The code on these pages compiles, and figures come from the benchmarks and examples.
//!
//! | page | for |
//! |---|---|
//! | [Tutorial](tutorial) | a first controller, from `cargo new` to a cluster |
//! | [Testing a controller](testing_a_controller) | tests without a cluster and without waiting |
//! | [Running in production](running_in_production) | permissions, memory, alerts, time limits |
//! | [When one replica is not enough](when_one_replica_is_not_enough) | several replicas that share the objects |
//! | [Webhooks](webhooks) | validation, defaults and versions of objects |
//! | [What comes and goes](what_comes_and_goes) | kinds, namespaces, references and clusters that come and go |
//! | [Coming from controller-runtime](coming_from_controller_runtime) | users of controller-runtime |
//! | [Coming from kube-runtime](coming_from_kube_runtime) | users of kube-runtime |
//! | [Words](words) | the meaning of a term |
//! | [Architecture](architecture) | contributors, and readers of the source |
//!
//! The [guide of informers](https://docs.rs/kube-informer/latest/kube_informer/docs/index.html) has
//! pages about storage, error texts, and a map of their source. Programs to start from are in
//! `examples/`. Each runs without a cluster.

#[doc = include_str!("tutorial.md")]
pub mod tutorial {}

#[doc = include_str!("testing_a_controller.md")]
pub mod testing_a_controller {}

#[doc = include_str!("running_in_production.md")]
pub mod running_in_production {}

#[doc = include_str!("when_one_replica_is_not_enough.md")]
pub mod when_one_replica_is_not_enough {}

#[doc = include_str!("webhooks.md")]
pub mod webhooks {}

#[doc = include_str!("what_comes_and_goes.md")]
pub mod what_comes_and_goes {}

#[doc = include_str!("coming_from_controller_runtime.md")]
pub mod coming_from_controller_runtime {}

#[doc = include_str!("coming_from_kube_runtime.md")]
pub mod coming_from_kube_runtime {}

#[doc = include_str!("words.md")]
pub mod words {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}
