//! What tests and examples stand on when there is no cluster.
//!
//! [`FakeSource`] takes the place of the API server behind the
//! [`ListerWatcher`](crate::lister_watcher::ListerWatcher) seam: objects, versions and faults on
//! command, in memory. [`ApiServer`] answers an ordinary `kube::Client`. [`Faults`] break what is
//! between a client and any server. Nothing here is used by the stages.

pub mod api_server;
#[cfg(all(unix, feature = "testing-tls"))]
pub mod control_plane;
mod fake_source;
pub mod faults;

pub use api_server::ApiServer;
#[cfg(all(unix, feature = "testing-tls"))]
pub use control_plane::ControlPlane;
pub use fake_source::{Asking, FakeSource, WatchEnd};
pub use faults::{Faults, Harm, Requests, Spot};
