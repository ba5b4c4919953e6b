//! client-go's informer machinery for Rust: an up-to-date copy of a Kubernetes cluster's objects in
//! memory, read through typed listers and followed through handlers.
//!
//! ```no_run
//! use std::time::Duration;
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_informer::{Event, SharedInformerFactory};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let factory = SharedInformerFactory::builder(kube::Client::try_default().await?).build();
//!     let pods = factory.informer::<Pod>();
//!     let by_node = pods.add_index("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())?;
//!     pods.on_event(|event| {
//!         if let Event::Deleted { object, .. } = event {
//!             println!("{:?} is gone", object.metadata.name);
//!         }
//!     })?;
//!     factory.start()?;
//!     factory.wait_for_sync(Duration::from_secs(30)).await?;
//!     println!("{} pods run on n1", by_node.len("n1"));
//!     tokio::signal::ctrl_c().await?; // in a pod, wait for SIGTERM, too
//!     factory.shutdown().await;
//!     Ok(())
//! }
//! ```
//!
//! # The way of an object
//!
//! ```text
//! API server
//!    │  list, then watch                      transport      bytes → objects, one at a time
//! Reflector                                   reflector      survives 410, 429, EOF, silence
//!    │  changes
//! DeltaFifo                                   delta_fifo     makes missed deletes visible
//!    │  batches
//! processing loop                             informer       one transaction a batch
//!    ├──▶ Indexer ◀── Lister, Index, Snapshot indexer, lister
//!    └──▶ SharedProcessor ──▶ handlers        processor      a backlog for each
//! ```
//!
//! A [`SharedInformer`] owns one of each stage. A [`SharedInformerFactory`] gives the same informer
//! to all callers that request the same objects. Every stage is public and can be used without the
//! others. A [`WorkQueue`] stands beside the pipeline. A [`Controller`] follows informers and fills
//! a queue. Of several replicas of a controller, one works, with [leader
//! election](leader_election). Or all of them share the objects, with a [`Sharding`].
//!
//! # What you can rely on
//!
#![doc = include_str!("promises.md")]
//!
//! # Objects
//!
//! Objects are `Arc<K>`: shared, never copied and never changed. `K` is a type of `k8s-openapi`, a
//! derived custom resource, `DynamicObject`, `PartialObjectMeta<K>`, or your own struct that
//! inherits a resource. Your own struct needs the least memory, because it has only the fields that
//! you read:
//!
//! ```
//! use kube::{Resource, api::ObjectMeta};
//! use k8s_openapi::api::core::v1::Pod;
//! use serde::Deserialize;
//!
//! #[derive(Clone, Debug, Deserialize, Resource)]
//! #[resource(inherit = Pod)]
//! struct SlimPod {
//!     metadata: ObjectMeta,
//!     spec: SlimSpec,
//! }
//!
//! #[derive(Clone, Debug, Deserialize)]
//! #[serde(rename_all = "camelCase")]
//! struct SlimSpec {
//!     node_name: Option<String>,
//! }
//! # fn f(factory: &kube_informer::SharedInformerFactory) {
//! let pods = factory.informer::<SlimPod>();
//! # }
//! ```
//!
//! # Guide
//!
//! [`docs`] has a [tutorial](docs::tutorial), and pages for those who come from client-go,
//! controller-runtime or kube-runtime. Others are about storage, tests, production, several
//! replicas that share the objects, and [error texts](docs::troubleshooting). The `examples/` folder
//! has programs to start from.
//!
//! # Stopping
//!
//! [`SharedInformerFactory::shutdown`] ends every task and waits for it.
//! [`SharedInformerFactory::remove`] stops one informer. Dropping its handles does not: the factory
//! holds it, too. A stopped informer never starts again: request a new one from the factory.
//!
//! # Observability
//!
//! [`SharedInformerFactory::status`] returns one serialisable status of every informer. The feature
//! `metrics` publishes metrics under the names in [`metrics`]. `tracing` spans name resource,
//! namespace and version. The example `dashboard` shows and serves all of it.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `testing` | a fake source, an embedded API server, faults: no cluster is needed |
//! | `manager` | one `run` for a whole operator: `manager` |
//! | `coming-and-going` | kinds, sets of informers and controllers that come and go at run time |
//! | `assumed` | a view with a program's own writes, for schedulers: `controller::AssumedView` |
//! | `sharding` | replicas that share the objects, each with one owner: `sharding` |
//! | `clusters` | what runs for each cluster of a fleet: `clusters` |
//! | `serve` | the manager's endpoints for health, metrics and status: `serve` |
//! | `metrics` | metrics through the `metrics` facade, under the names in [`metrics`] |
//! | `compact` | packing of objects that did not arrive as bytes, and of Secrets: [`storage`] |
//! | `gzip` | compressed lists and watches: `gzip(true)` on a factory, spec or source |
//! | `rustls-tls`, `openssl-tls`, `ring`, `aws-lc-rs` | TLS choices, forwarded to `kube` |
//! | `backoff` | lets a policy of the unmaintained `backoff` crate drive the reflector |

// Some code that only these two use stands elsewhere. A build with both finds dead code.
#![cfg_attr(not(all(feature = "assumed", feature = "coming-and-going")), allow(dead_code))]

#[cfg(all(test, feature = "compact"))]
#[macro_use]
#[path = "../crates/kube-decode/src/sixty.rs"]
mod sixty;

#[cfg(test)]
#[path = "../crates/kube-decode/src/any_json.rs"]
mod any_json;
mod basics;
pub mod client;
#[cfg(feature = "clusters")]
pub mod clusters;
mod codec;
mod collections;
pub mod controller;
pub mod delta_fifo;
#[cfg(any(doc, doctest))]
pub mod docs;
pub mod error;
pub mod factory;
#[cfg(test)]
mod helpers;
pub mod indexer;
pub mod informer;
mod joining;
pub mod labels;
pub mod leader_election;
mod lease;
pub mod lister;
pub mod lister_watcher;
#[cfg(feature = "manager")]
pub mod manager;
pub mod metrics;
pub mod object;
mod packer;
mod panic;
pub mod processor;
pub mod reflector;
#[cfg(all(test, shuttle))]
mod schedules;
mod seams;
#[cfg(test)]
mod seeds;
#[cfg(feature = "sharding")]
pub mod sharding;
#[cfg(not(feature = "sharding"))]
#[path = "sharding/absent.rs"]
mod sharding;
mod sorting;
pub mod storage;
mod sync;
mod tasks;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod time;
pub mod transport;
pub mod workqueue;
pub mod writing;
mod yield_budget;

// The names that most programs write. Everything else is in the module of its concept.
pub use controller::{Action, Controller, ReconcileRequest};
pub use error::SourceError;
pub use factory::{FactoryStatus, InformerSpec, SharedInformerFactory, SpecError};
pub use indexer::{Index, IndexError, Indexer, Snapshot, WaitTimeout};
pub use informer::{
    Changes, InformerGroup, InformerOptions, InformerStatus, InformerStopped, SharedInformer,
    StartError, SyncError,
};
#[doc(no_inline)]
pub use labels::LabelSelector;
pub use leader_election::LeaderElector;
pub use lister::{Lister, NamespaceLister, NotFound, ReadError};
#[cfg(feature = "manager")]
pub use manager::Manager;
#[cfg(feature = "serve")]
pub use manager::serve::Serve;
pub use object::{Cached, CachedEvent, Event, EventRef, ObjectKey, ResourceVersion};
pub use processor::{
    EventHandler, EventStream, HandlerOptions, HandlerRegistration, HandlerStatus,
};
#[cfg(feature = "sharding")]
pub use sharding::Sharding;
pub use storage::Storage;
pub use workqueue::WorkQueue;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
