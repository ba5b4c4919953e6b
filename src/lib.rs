//! client-go's informer machinery for Rust.

pub mod delta_fifo;
pub mod error;
pub mod factory;
pub mod indexer;
pub mod informer;
pub mod labels;
pub mod lister;
pub mod lister_watcher;
pub mod object;
mod panic;
pub mod processor;
pub mod reflector;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod transport;

pub use error::SourceError;
pub use factory::{InformerSpec, SharedInformerFactory, SharedInformerFactoryBuilder};
pub use indexer::{Index, IndexError, Indexer, Snapshot};
pub use informer::{
    InformerOptions, InformerStatus, InformerStopped, SharedInformer, StartError, SyncError,
};
pub use labels::{InvalidSelector, Labels};
pub use lister::{Lister, NamespaceLister, NotFound};
pub use object::{
    Change, Delta, Event, IncomparableVersion, InvalidKey, KnownObjects, ObjectKey, Replacement,
    ResourceVersion,
};
pub use processor::{
    EventHandler, EventStream, HandlerOptions, HandlerRegistration, HandlerStatus,
};
