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
//! others. A [`WorkQueue`] stands beside the pipeline. Controllers, leader election, sharding and
//! server-side apply are in the crate
//! [`kube-controllers`](https://docs.rs/kube-controllers), which builds on this one.
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
//! [`docs`] has pages about [storage](docs::read_what_you_need), for those who [come from
//! client-go](docs::coming_from_client_go), and about [error texts](docs::troubleshooting). A
//! tutorial for a first controller is in the guide of
//! [`kube-controllers`](https://docs.rs/kube-controllers). The `examples/` folder has programs to
//! start from.
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
//! `metrics` publishes metrics under the names in [`metrics`]. Each list, watch, batch of changes
//! and call of a handler is a `tracing` span that ends. It names informer, resource and namespace.
//! The example `dashboard` shows and serves all of it.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `testing` | a fake source, an embedded API server, faults: no cluster is needed |
//! | `metrics` | metrics through the `metrics` facade, under the names in [`metrics`] |
//! | `compact` | packing of objects that did not arrive as bytes, and of Secrets: [`storage`] |
//! | `gzip` | compressed lists and watches: `gzip(true)` on a factory, spec or source |
//! | `kube-runtime` | [events](processor::EventStream::into_watcher) for kube-runtime's stores |
//! | `rustls-tls`, `openssl-tls`, `ring`, `aws-lc-rs` | TLS choices, forwarded to `kube` |
//! | `backoff` | lets a policy of the unmaintained `backoff` crate drive the reflector |

#[cfg(all(test, feature = "compact"))]
#[macro_use]
#[path = "../crates/kube-decode/src/sixty.rs"]
mod sixty;

#[cfg(test)]
#[path = "../crates/kube-decode/src/any_json.rs"]
mod any_json;
pub mod client;
mod codec;
mod collections;
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
pub mod lister;
pub mod lister_watcher;
pub mod metrics;
pub mod object;
mod packer;
mod panic;
pub mod processor;
pub mod reflector;
#[cfg(all(test, shuttle))]
mod schedules;
#[doc(hidden)]
pub mod seams;
#[cfg(test)]
mod seeds;
mod sorting;
pub mod storage;
mod sync;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod time;
pub mod transport;
pub mod warm;
pub mod workqueue;
mod yield_budget;

// The names that most programs write. Everything else is in the module of its concept.
pub use error::SourceError;
pub use factory::{InformerSpec, SharedInformerFactory};
pub use indexer::{Index, Indexer, Snapshot};
pub use informer::{
    Changes, InformerGroup, InformerOptions, InformerStatus, SharedInformer, SyncError,
};
#[doc(no_inline)]
pub use labels::LabelSelector;
pub use lister::{Lister, NotFound};
pub use object::{Cached, CachedEvent, Event, EventRef, ObjectKey, ResourceVersion};
pub use processor::{EventHandler, HandlerOptions, HandlerRegistration};
pub use storage::Storage;
pub use workqueue::WorkQueue;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
