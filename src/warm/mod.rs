//! Kept caches: an informer that begins where its last run ended. Experimental.
//!
//! A [`WarmStore`] keeps the objects of informers from one run of a program to the next. The
//! crate `kube-informer-warm` has one that writes files; a program can have its own. Set it with
//! [`SharedInformerFactoryBuilder::warm`](crate::factory::SharedInformerFactoryBuilder::warm).
//!
//! A started informer reads its table first. What it finds is *provisional*: only
//! [`SharedInformer::provisional`](crate::SharedInformer::provisional) shows it. Nothing is synced,
//! and no handler is notified. Then the informer asks a quorum for the version of the collection,
//! and watches from the kept version. When the watch has reached that version, the kept objects
//! with its events are the first list. A kind that changes rarely is proved by a list of metadata
//! instead, in which uid and version of every object must be those of the kept state. In every
//! other case everything is listed. Objects of known uid and version are not decoded then, unless
//! the server's history was lost or the informer does not [trust
//! versions](crate::InformerSpec::trust_versions).
//!
//! *Invariant:* a kept object reaches the store only through a proof as strong as a consistent
//! list, except that equal uid and version count as an equal state.

mod cluster;
mod kept;
mod pending;
mod resume;
mod source;
mod writer;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use self::cluster::ClusterStore;
pub(crate) use self::kept::{Kept, KnownWithKept};
pub use self::pending::PendingDeletes;
pub(crate) use self::source::WarmSource;

/// An error of a store. The informer reports it and goes on. It tries a failed write again, and
/// gives the table up after any other error.
pub type WarmError = Box<dyn std::error::Error + Send + Sync>;

/// A store that keeps the objects of informers.
///
/// [`open`](Self::open) and the methods of tables may block, because they are called on threads for
/// blocking calls. No informer waits for a call that never returns. But the shutdown of a tokio
/// runtime does, see
/// [`Runtime::shutdown_background`](tokio::runtime::Runtime::shutdown_background).
pub trait WarmStore: Send + Sync + 'static {
    /// Opens the table of this name for one informer. Returns `None` while another informer has it
    /// open. Then the informer repeats the call.
    #[allow(clippy::missing_errors_doc, reason = "the texts of the errors are the store's own")]
    fn open(&self, name: &TableName) -> Result<Option<Box<dyn WarmTable>>, WarmError>;

    /// Returns a mark of the cluster for programs that may not get the namespace `kube-system`. It
    /// is used only if the server does not show the uid of that namespace.
    fn cluster(&self) -> Option<Arc<str>> {
        None
    }

    /// Returns whether an [audit](crate::SharedInformer::audit) follows each start from kept
    /// objects. True by default.
    fn audits(&self) -> bool {
        true
    }

    /// Returns the time between two writes of a table that changes. 5 s by default.
    fn interval(&self) -> Duration {
        Duration::from_secs(5)
    }
}

/// One table: the objects of one informer, and the version of the collection that they show.
///
/// Calls of [`put`](Self::put), [`remove`](Self::remove) and [`clear`](Self::clear) take effect
/// together with the next [`commit`](Self::commit), or never.
#[allow(clippy::missing_errors_doc, reason = "the texts of the errors are the store's own")]
pub trait WarmTable: Send {
    /// Reads every record as of the last commit that is whole. Returns the state of that commit, or
    /// `None` if nothing can be used.
    fn read(&mut self, visit: &mut dyn FnMut(WarmRecord<'_>)) -> Result<Option<String>, WarmError>;

    /// Returns whether the next batch should begin with [`clear`](Self::clear) and put everything,
    /// so that the table can reclaim room.
    fn wants_everything(&self) -> bool {
        false
    }

    /// Removes everything.
    fn clear(&mut self) -> Result<(), WarmError>;

    /// Adds a record, or replaces it.
    fn put(&mut self, record: WarmRecord<'_>) -> Result<(), WarmError>;

    /// Removes the record of this key.
    fn remove(&mut self, key: &str) -> Result<(), WarmError>;

    /// Ends a batch. [`read`](Self::read) returns the state, which is a line of text.
    fn commit(&mut self, state: &str) -> Result<(), WarmError>;
}

/// One object as the server sent it.
#[derive(Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "stores make and read it")]
pub struct WarmRecord<'a> {
    /// The object's key.
    pub key: &'a str,
    /// A number that says how the bytes are encoded, and whether the object is stored or its delete
    /// is pending.
    pub form: u64,
    /// The encoded object.
    pub bytes: &'a [u8],
}

/// The key only: the contents belong in no log.
impl fmt::Debug for WarmRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarmRecord").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The name of a table: the cluster, and all that decides which bytes a source delivers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs, reason = "tests of stores make it")]
pub struct TableName {
    /// The mark of the cluster. A table of another cluster must not be used.
    pub cluster: Arc<str>,
    /// The path, the selectors and the form of the objects.
    pub collection: Arc<str>,
}
