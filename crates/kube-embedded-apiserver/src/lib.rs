//! A Kubernetes API server inside a test: in memory, in process, without a cluster.
//!
//! - [`ApiServer`] answers an ordinary [`kube::Client`], without a socket or on a port. Use it to
//!   test a program that talks to Kubernetes.
//! - [`Faults`] injects failures between a client and any server.
//! - `ControlPlane` runs a real etcd and kube-apiserver (feature `tls`, Unix only).
//!
//! Start the server in a test of any `kube` program:
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::Api;
//! use kube::api::{ObjectMeta, PostParams};
//! use kube_embedded_apiserver::ApiServer;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let maps: Api<ConfigMap> = Api::namespaced(ApiServer::new().client(), "shop");
//! let metadata = ObjectMeta { name: Some("a".into()), ..ObjectMeta::default() };
//! let map = ConfigMap { metadata, ..ConfigMap::default() };
//! maps.create(&PostParams::default(), &map).await?;
//! assert!(maps.get("a").await?.metadata.uid.is_some());
//! # Ok::<(), kube::Error>(()) }).unwrap();
//! ```

pub mod api_server;
mod clock;
#[cfg(all(unix, feature = "tls"))]
pub mod control_plane;
mod draws;
pub mod faults;
#[cfg(test)]
#[path = "../../../src/seeds.rs"]
mod seeds;

pub use api_server::ApiServer;
pub use clock::now;
#[cfg(all(unix, feature = "tls"))]
pub use control_plane::ControlPlane;
#[doc(hidden)]
pub use draws::seed_by_test;
pub use faults::{BodyPosition, Faults, Injection, Requests};

/// A duration that counts as never, and that a clock can add.
const CENTURY: std::time::Duration = std::time::Duration::from_secs(100 * 366 * 86_400);

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
