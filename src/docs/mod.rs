//! The guide: explanations and tables for users, and a map for contributors.
//!
//! The code on these pages compiles, and figures come from the benchmarks and examples.
//!
//! | page | for |
//! |---|---|
//! | [Read what you need](read_what_you_need) | views, paths, and keeping less of each object |
//! | [Restarts](restarts) | starts without a whole list |
//! | [Troubleshooting](troubleshooting) | an error text or a symptom |
//! | [Coming from client-go](coming_from_client_go) | users of client-go |
//! | [Words](words) | the meaning of a term |
//! | [Architecture](architecture) | contributors, and readers of the source |
//!
//! Pages about controllers, and a tutorial for a first one, are in the guide of
//! [`kube-controllers`](https://docs.rs/kube-controllers). Programs to start from are in
//! `examples/`. Each runs without a cluster.

#[doc = include_str!("read_what_you_need.md")]
pub mod read_what_you_need {}

#[doc = include_str!("restarts.md")]
pub mod restarts {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("coming_from_client_go.md")]
pub mod coming_from_client_go {}

#[doc = include_str!("words.md")]
pub mod words {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}
