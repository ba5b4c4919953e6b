//! Fakes and fault injection for tests and examples that have no cluster.
//!
//! - [`FakeSource`] implements [`ListerWatcher`](crate::lister_watcher::ListerWatcher) in memory,
//!   with faults on command. Use it to test one informer without HTTP.
//! - [`ApiServer`] is an API server in memory that answers an ordinary `kube::Client`. Use it to
//!   test a controller.
//! - [`Faults`] injects failures between a client and any server.
//! - `ControlPlane` runs a real etcd and kube-apiserver (feature `testing-tls`, Unix only).
//!
//! The stages of an informer never use this module.

pub mod api_server;
#[cfg(all(unix, feature = "testing-tls"))]
pub mod control_plane;
mod fake_source;
pub mod faults;

pub use crate::decode::protobuf::encode::encode as encode_protobuf;
pub use api_server::ApiServer;
#[cfg(all(unix, feature = "testing-tls"))]
pub use control_plane::ControlPlane;
pub use fake_source::{FakeSource, SourceRequest, WatchEnd};
pub use faults::{BodyPosition, Faults, Injection, Requests};
