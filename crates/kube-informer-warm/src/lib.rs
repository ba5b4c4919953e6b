//! Kept caches for [`kube_informer`]: after a restart, an informer begins where its last run ended.
//! Experimental.
//!
//! A [`WarmCache`] is a directory with one file for each informer. A file has the objects as the
//! server sent them, and the version of the collection. Every five seconds, and at the end, what
//! changed is appended with the new version. When half of a file is out of date, it is written
//! again.
//!
//! ```no_run
//! use kube_informer::SharedInformerFactory;
//! use kube_informer_warm::WarmCache;
//!
//! # async fn f(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let cache = WarmCache::open("/var/cache/operator")?;
//! let factory = SharedInformerFactory::builder(client).warm(cache).build();
//! # Ok(()) }
//! ```
//!
//! [`kube_informer::warm`] describes what a kept cache is used for, and what proves it.
//!
//! # Safety of the data
//!
//! Every frame of a file has a checksum that includes all frames before it. A file is read up to
//! the first frame that is not whole, and only as far as the last commit: a past state of the
//! server, from which the informer goes on. A file of another cluster, selection or format is
//! replaced. The objects of a `Secret` are never written. Other contents are not encrypted: the
//! files are readable only for the user of the process, and deleted objects stay in a file until it
//! is written again.
//!
//! Checksums find damage, and not a forgery: a process that can write the files decides what
//! informers begin with.
//!
//! One process uses a directory at a time. Volumes that several processes share are not supported.

mod error;
mod frames;
mod lock;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kube_informer::object::ring_hash;
use kube_informer::warm::{TableName, WarmError, WarmStore, WarmTable};

pub use self::error::CacheError;
use self::lock::DirectoryLock;
use self::table::Table;

/// A directory in which informers keep their objects.
#[derive(Clone, Debug)]
#[must_use]
pub struct WarmCache {
    directory: PathBuf,
    lock: Arc<DirectoryLock>,
    cluster: Option<Arc<str>>,
    interval: Duration,
}

impl WarmCache {
    /// Opens a directory, and creates it if necessary. The directory is locked until every clone,
    /// and every informer that uses it, is dropped.
    ///
    /// # Errors
    /// [`CacheError`] if the directory can't be used, or is in use.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, CacheError> {
        let directory = directory.as_ref().to_owned();
        let lock = Arc::new(DirectoryLock::take(&directory)?);
        Ok(Self { directory, lock, cluster: None, interval: Duration::from_secs(5) })
    }

    /// Sets a mark of the cluster, for programs that must not get the namespace `kube-system`. By
    /// default, the uid of that namespace is the mark.
    ///
    /// Two clusters must not have the same mark: the objects of one would be taken for those of the
    /// other.
    pub fn cluster(mut self, mark: impl Into<Arc<str>>) -> Self {
        self.cluster = Some(mark.into());
        self
    }

    /// Sets the time between two writes of a table that changes. 5 s unless set.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }
}

impl WarmStore for WarmCache {
    fn open(&self, name: &TableName) -> Result<Box<dyn WarmTable>, WarmError> {
        // The same in every build. The file has the whole name.
        let place = ring_hash(&name.collection);
        let path = self.directory.join(format!("{place:016x}.cache"));
        self.lock.enter(&path)?;
        let name = format!("{}\n{}", name.cluster, name.collection);
        Ok(Box::new(Table::new(path, name, self.lock.clone())))
    }

    fn cluster(&self) -> Option<Arc<str>> {
        self.cluster.clone()
    }

    fn interval(&self) -> Duration {
        self.interval
    }
}

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
