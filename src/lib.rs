//! client-go's informer machinery for Rust: objects of a Kubernetes cluster in memory, always up to
//! date, read through typed listers and followed through handlers.
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
//!     tokio::signal::ctrl_c().await?; // and on SIGTERM, in a pod
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
//!    └──▶ SharedProcessor ──▶ handlers        processor      a backlog and a task for each
//! ```
//!
//! A [`SharedInformer`] owns one of each; a [`SharedInformerFactory`] hands the same informer to all
//! who ask for the same objects. Every stage is public and can be used alone. Beside the pipeline
//! stand a [`WorkQueue`] and, on top of both, a [`Controller`] that runs on [leader
//! election](leader_election) where asked.
//!
//! # What you can rely on
//!
//! **The store is always some moment that the server had.** What arrives is applied in whole batches;
//! a [`Snapshot`] answers by key, namespace and index from one moment and says which version it is.
//! Readers never wait for the writer, and the writer never waits for readers.
//!
//! **No delete is lost** while the informer runs, not by a broken watch, a relist, a compaction or a
//! slow handler. Where the final state was not seen, the event says so. An object that was deleted and made anew under the
//! same name while nobody looked is told as a delete and an add.
//!
//! **What a handler was told, folded, is the store.** Each handler has its own task and its own
//! bounded backlog. Until that is full it hears every event, beyond that events of one object merge.
//! A slow or panicking handler holds up nobody else. One exception: a controller's mapping function or
//! predicate must see every state. If 1,024 states wait for it, the informer's processing loop waits,
//! and [`InformerStatus::held_up_by`] names the controller.
//!
//! **Sync ends, or says why not.** [`SharedInformerFactory::wait_for_sync`] names what has not synced
//! with its last error: a missing permission never looks like slowness.
//!
//! **One poisoned object is one problem.** What can't be decoded is reported under its key; its
//! neighbours are stored, the last good state stays and is marked stale, its deletion still works.
//!
//! # Objects
//!
//! Objects are `Arc<K>`: shared, never copied, never changed. `K` is a type of `k8s-openapi`, a
//! derived custom resource, `DynamicObject`, `PartialObjectMeta<K>`, or a struct of your own that
//! inherits a resource and keeps only the fields you read, which is the cheapest of all:
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
//! [`docs`] has it: coming from client-go or kube-runtime, choosing storage, testing a controller,
//! running in production. Programs to start from are in `examples/`.
//!
//! # Stopping
//!
//! [`SharedInformerFactory::shutdown`] ends every task and waits for them. Dropping the last handle
//! of an informer stops it, too. A stopped informer never starts again; ask the factory anew.
//!
//! # A look inside
//!
//! [`SharedInformerFactory::status`] is one serialisable snapshot of every informer; the feature
//! `metrics` publishes the figures under the names in [`metrics`], and `tracing` spans name resource,
//! namespace and version. The example `dashboard` shows and serves all of it.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `testing` | an in-memory source, an embedded API server and faults, for tests without a cluster |
//! | `testing-tls` | the embedded server over TLS, and a real control plane where its binaries are |
//! | `metrics` | figures through the `metrics` facade, under the names in [`metrics`] |
//! | `compact` | objects kept small in memory, unpacked when they are read: see [`storage`] |
//! | `rustls-tls`, `openssl-tls`, `ring`, `aws-lc-rs` | TLS choices, forwarded to `kube` |
//! | `backoff` | lets a policy of the unmaintained `backoff` crate drive the reflector |

pub mod controller;
pub mod delta_fifo;
#[cfg(any(doc, doctest))]
pub mod docs;
pub mod error;
pub mod factory;
pub mod indexer;
pub mod informer;
pub mod labels;
pub mod leader_election;
pub mod lister;
pub mod lister_watcher;
pub mod metrics;
pub mod object;
mod panic;
pub mod processor;
pub mod reflector;
#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(test)]
mod seeds;
pub mod storage;
mod sync;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod time;
pub mod transport;
mod turns;
pub mod workqueue;

pub use controller::{Action, Controller, Reconciliation};
pub use error::SourceError;
pub use factory::{
    FactoryStatus, InformerSpec, SharedInformerFactory, SharedInformerFactoryBuilder, SpecConflict,
    SpecError,
};
pub use indexer::{Index, IndexError, Indexer, Snapshot, WaitTimeout};
pub use informer::{
    InformerFailure, InformerGroup, InformerOptions, InformerStatus, InformerStopped, InformerTask,
    SharedInformer, StartError, SyncError,
};
pub use labels::{InvalidSelector, LabelSelector};
pub use leader_election::{LeaderElectionError, LeaderElector, LeadershipState};
pub use lister::{Lister, NamespaceLister, NotFound, ReadError};
pub use object::{
    AsDecoded, Cached, CachedEvent, Change, Delta, Event, FieldSet, IncomparableVersion,
    InvalidKey, KnownObjects, KnownParts, ObjectKey, ObjectState, Pack, PackedObject, Replacement,
    ResourceVersion,
};
pub use processor::{
    EventHandler, EventStream, HandlerOptions, HandlerRegistration, HandlerStatus,
};
pub use storage::Storage;
pub use workqueue::WorkQueue;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
